"""
Compare consensus methods
=========================

Methods disagree. Which of them give nearly the same consensus, and which agrees best with base clusterings that it has
not seen?
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from consclust import diagnostics, ensembles, methods, plot, scores

X, y = load_digits(return_X_y=True)
X, y = X[:500], y[:500]
ensemble = ensembles.kmeans(X, runs=20, n_clusters=("sqrt",), random_state=0)

names = ["CSPA", "EAC", "KC", "LWEA", "LWGP", "MCLA", "PTGP", "SpectralConsensus"]
fitted = {name: getattr(methods, name)(n_clusters=10, random_state=0).fit(ensemble) for name in names}

# %%
# Agreement of the methods
# ------------------------
# Methods that are side by side, and joined at the left end of the tree, give nearly the same labels. The classes are
# shown as one more clustering.
plot.agreement({name: method.labels_ for name, method in fitted.items()} | {"classes": y})
plt.show()

# %%
# Without classes
# ---------------
# The consensus of four fifths of the base clusterings is compared with the others, in turn. This needs no classes. The
# last column does, and shows whether the two go together here.
held_out = {
    name: diagnostics.held_out_agreement(ensemble, method, measure="NMI").mean() for name, method in fitted.items()
}
print(f"{'':18}  held-out NMI  ARI with the classes")
for name in sorted(names, key=held_out.__getitem__, reverse=True):
    print(f"{name:18}  {held_out[name]:12.3f}  {scores.ari(y, fitted[name].labels_):20.3f}")

# %%
# Diversity and quality of the base clusterings
# ---------------------------------------------
# Each point is two base clusterings: how they agree with each other, and with the classes.
plot.diversity(ensemble, y, name="the classes")
plt.show()

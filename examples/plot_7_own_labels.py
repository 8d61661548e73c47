"""
Your own label matrix, with missing labels
==========================================

Base clusterings may come from any program, and each may have seen only some of the objects. There are neither features
nor classes here: everything is found from the labels.
"""

# %%
# A label matrix has the objects in rows and the base clusterings in columns; -1 marks an object that is missing from a
# clustering. Yours may come from a file: ``np.loadtxt("labels.csv", delimiter=",", dtype=int)``. The names of the
# clusters need not match between clusterings. This matrix has 200 objects in four groups, and twelve clusterings, each
# of about 70 % of the objects.
import matplotlib.pyplot as plt
import numpy as np

from consclust import Ensemble, diagnostics, plot
from consclust.methods import LWEA

rng = np.random.default_rng(1)
hidden = rng.choice(4, size=200, p=[0.4, 0.3, 0.2, 0.1])
labels = np.column_stack([rng.permutation(4)[hidden] for _ in range(12)])
labels = np.where(rng.random(labels.shape) < 0.25, rng.integers(0, 4, labels.shape), labels)
labels[rng.random(labels.shape) < 0.3] = -1
print(labels[:5])

# %%
# An ensemble checks the labels: each object, and each clustering, must have at least one.
ensemble = Ensemble(labels)
print(ensemble.n_objects, "objects,", ensemble.n_clusterings, "clusterings,", f"{(labels < 0).mean():.0%} missing")

# %%
# Do the clusterings agree?
# -------------------------
# Each two are compared on the objects that both have.
plot.agreement(ensemble)
plt.show()

# %%
# How many clusters?
# ------------------
# Without features, the null reference permutes the labels of each clustering.
table = diagnostics.choose_k(ensemble, range(2, 8), halves=10, nulls=19)
plot.criteria(table)
plt.show()

# %%
# The consensus and its stability
# -------------------------------
# The co-association of two objects is the share of the clusterings that join them, of those that have both.
found = diagnostics.bootstrap_stability(ensemble, LWEA(n_clusters=4), draws=50)
plot.coassociation(ensemble, found.labels)
plot.stability(found)
plt.show()

# %%
# The objects to look at: those that half of the draws, or more, put elsewhere.
unsure = np.flatnonzero(found.share <= 0.5)
print(len(unsure), "of", ensemble.n_objects, "objects:", unsure[:20])

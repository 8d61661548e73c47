"""
Which digits do clusterings disagree on?
========================================

Consensus labels do not say how certain they are. Two diagnostics do: how far the base clusterings disagree on an
object, and how often the object would change its cluster if there had been other base clusterings.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from consclust import diagnostics, ensembles, plot
from consclust.methods import LWEA

X, y = load_digits(return_X_y=True)
X, y = X[:600], y[:600]
ensemble = ensembles.kmeans(X, runs=20, n_clusters=("sqrt",), random_state=0)

# %%
# Stability
# ---------
# The base clusterings are drawn anew from themselves (bootstrap), and their consensus is found again. An object's share
# is how often it is in its cluster; the band is the 95 % interval of that share over all possible draws.
found = diagnostics.bootstrap_stability(ensemble, LWEA(n_clusters=10), draws=30)
plot.stability(found)
plt.show()

# %%
# The least stable digits. Above each: its class, and its share.
pictures = X.reshape(-1, 8, 8)
plot.images(pictures, found.share, names=y)
plt.show()

# %%
# For comparison the most typical digit of each cluster: the one with the largest silhouette on the co-association
# matrix, which is the value above it.
items = diagnostics.item_consensus(ensemble, found.labels)
silhouette = diagnostics.consensus_silhouette(items, found.labels)
typical = [max(np.flatnonzero(found.labels == cluster), key=silhouette.__getitem__) for cluster in range(10)]
plot.images(pictures[typical], silhouette[typical], names=y[typical], largest=True, across=10)
plt.show()

# %%
# Disagreement without a consensus
# --------------------------------
# :func:`~consclust.diagnostics.contested` needs no consensus: it is 1 for an object if half of the base clusterings
# join it with each other object. Base clusterings with many clusters disagree on large classes, whatever the consensus.
plot.images(pictures, diagnostics.contested(ensemble), names=y, largest=True)
plt.show()

# %%
# The same can be done with faces (JAFFE, ORL) and other digits (MNIST), whose features are pixels too. They are
# downloaded, and the faces are stored column by column:
#
# .. code-block:: python
#
#     jaffe = consclust.datasets.load("jaffe")
#     pictures = jaffe.data.reshape(-1, 26, 26).swapaxes(1, 2)

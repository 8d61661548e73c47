"""
Ten minutes: from features to a consensus
=========================================

Many clusterings of the same objects, which differ by chance, are combined into one. This example makes them by k-means,
finds their consensus, compares it with the classes, and draws it.
"""

# %%
# The data are 600 handwritten digits of 8 x 8 pixels. Their classes are used at the end only.
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from consclust import ensembles, plot, scores
from consclust.methods import LWEA

X, y = load_digits(return_X_y=True)
X, y = X[:600], y[:600]

# %%
# Base clusterings
# ----------------
# Twenty runs of k-means, each from random first centres and with as many clusters as the square root of the number of
# objects. An :class:`~consclust.ensemble.Ensemble` is a label matrix: objects in rows, base clusterings in columns.
ensemble = ensembles.kmeans(X, runs=20, n_clusters=("sqrt",), random_state=0)
print(
    ensemble.n_objects, "objects,", ensemble.n_clusterings, "base clusterings of", ensemble.n_clusters.max(), "clusters"
)

# %%
# Consensus
# ---------
# Any method takes the ensemble, or a label matrix, and follows scikit-learn's conventions. The base clusterings have 24
# clusters; the consensus has ten.
consensus = LWEA(n_clusters=10).fit_predict(ensemble)
alone = [scores.ari(y, labels) for labels in ensemble.given.T]
print(f"ARI of the consensus with the classes: {scores.ari(y, consensus):.3f}")
print(f"ARI of the base clusterings: {min(alone):.3f} to {max(alone):.3f}")

# %%
# Picture
# -------
# The co-association matrix has the share of the base clusterings that join two objects. In the order of the consensus
# its clusters are bright blocks; what is bright between two blocks was often in one cluster. The colours at the left of
# the second picture are the classes.
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="compressed")
plot.coassociation(ensemble, consensus, ax=axes[0])
axes[0].set_title("Ordered by the consensus")
plot.coassociation(ensemble, strip=y, ax=axes[1])
axes[1].set_title("Ordered by average linkage")
plt.show()

# %%
# In one estimator
# ----------------
# :class:`~consclust.EnsembleClustering` does both steps, for pipelines and searches of scikit-learn.
from consclust import EnsembleClustering

clustering = EnsembleClustering(n_clusters=10, consensus="LWEA", random_state=0).fit(X)
print(f"ARI with the classes: {scores.ari(y, clustering.labels_):.3f}")

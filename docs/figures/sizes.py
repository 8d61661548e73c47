"""Methods that balance the sizes of the clusters, and one that does not, on groups of unequal sizes."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from consclust.ensembles import kmeans
from consclust.methods import CSPA, HGPA, LWGP, MCLA

points, _ = make_blobs([300, 60, 40], centers=[[0, 0], [4, 2], [4, -2]], cluster_std=0.7, random_state=0)
labels = kmeans(points, runs=30, n_clusters=(4, 6, 8), random_state=0)

figure, axes = plt.subplots(1, 4, figsize=(9, 2.6))
for ax, method in zip(axes, [CSPA(3), HGPA(3, random_state=0), MCLA(3), LWGP(3, random_state=0)], strict=True):
    consensus = method.fit_predict(labels)
    ax.scatter(*points.T, c=consensus, s=6, cmap="viridis")
    sizes = ", ".join(map(str, np.sort(np.bincount(consensus))[::-1]))
    ax.set(title=f"{type(method).__name__}: {sizes}", xticks=[], yticks=[], aspect="equal")

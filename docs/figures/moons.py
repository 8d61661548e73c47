"""SSCE with original and with pseudo features on two moons that the base clusterings show."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_moons

from consclust.methods import SSCE, SpectralConsensus

points, classes = make_moons(300, noise=0.06, random_state=0)
rng = np.random.default_rng(0)
columns = []
for run in range(10):
    found = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=8, random_state=run).fit_predict(points)
    wrong = rng.random(len(points)) < 0.1
    columns.append(np.where(wrong, 1 - found, found))
labels = np.column_stack(columns)

answers = {
    "SpectralConsensus": SpectralConsensus(2, random_state=0).fit_predict(labels),
    "SSCE": SSCE(n_clusters=2).fit_predict(labels, points),
    "SSCE-P": SSCE(n_clusters=2, features="pseudo").fit_predict(labels),
}
figure, axes = plt.subplots(1, 3, figsize=(8, 2.6))
for ax, (title, consensus) in zip(axes, answers.items(), strict=True):
    ax.scatter(*points.T, c=consensus, s=8, cmap="coolwarm")
    ax.set(title=title, xticks=[], yticks=[], aspect="equal")

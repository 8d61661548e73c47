"""EAC with single and average linkage on two spirals, and on two groups with a bridge."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from consclust.ensembles import kmeans
from consclust.methods import EAC

rng = np.random.default_rng(0)
turn = np.sqrt(np.linspace(1, 9, 200)) * np.pi
arm = np.column_stack([turn * np.cos(turn), turn * np.sin(turn)])
spirals = np.vstack([arm, -arm]) + rng.normal(0, 0.15, (400, 2))
groups, _ = make_blobs(400, centers=[[-1, 0], [1, 0]], cluster_std=0.25, random_state=0)
bridge = np.column_stack([np.linspace(-1, 1, 25), np.zeros(25)])

figure, axes = plt.subplots(2, 2, figsize=(7, 5))
cases = [(spirals, (25, 30, 35)), (np.vstack([groups, bridge]), (15, 20, 25))]
for row, (points, numbers) in zip(axes, cases, strict=True):
    labels = kmeans(points, runs=50, n_clusters=numbers, random_state=0)
    for ax, linkage in zip(row, ["single", "average"], strict=True):
        consensus = EAC(n_clusters=2, linkage=linkage).fit_predict(labels)
        ax.scatter(*points.T, c=consensus, s=8, cmap="coolwarm")
        ax.set(title=f"{linkage} linkage", xticks=[], yticks=[], aspect="equal")

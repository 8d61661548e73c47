"""Scores of four methods over a penalty, and the number of clusters of SPCE over its threshold."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from consclust.ensembles import kmeans
from consclust.methods import DREC, ECCMS, RCE, RMSC, SPCE
from consclust.scores import ari

warnings.simplefilter("ignore", ConvergenceWarning)  # where a penalty leaves fewer than ten different rows
features, classes = load_digits(return_X_y=True)
features, classes = features[:200], classes[:200]
labels = kmeans(features, runs=20, n_clusters=(10, 12, 14), random_state=0)

figure, axes = plt.subplots(1, 2)
grids = {
    RCE(10, random_state=0): ("lambda1", np.logspace(-4, 4, 9)),
    RMSC(10, random_state=0): ("lambda1", np.logspace(-4, 0, 9)),
    DREC(10, random_state=0): ("lambda_", np.logspace(-2.5, 2.5, 6)),
    ECCMS(10): ("lambda_", np.logspace(-3, 3, 7)),
}
for method, (name, grid) in grids.items():
    scores = [ari(classes, method.set_params(**{name: value}).fit_predict(labels)) for value in grid]
    axes[0].plot(grid, scores, ".-", label=f"{type(method).__name__}, {name}")
axes[0].set(xscale="log", xlabel="penalty", ylabel="adjusted Rand index")
axes[0].legend()

thresholds = np.arange(0, 1, 0.1)
found = [SPCE(n_clusters=10, threshold=threshold).fit_predict(labels).max() + 1 for threshold in thresholds]
axes[1].plot(thresholds, found, "o-")
axes[1].axhline(10, color="0.5", linestyle=":")
axes[1].set(title="SPCE, K = 10", xlabel="threshold", ylabel="clusters")

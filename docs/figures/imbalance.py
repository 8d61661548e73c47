"""How well methods find three planted clusters as one of them grows."""

import matplotlib.pyplot as plt
import numpy as np

from consclust.methods import EAC, GWCA, KC, NMFC
from consclust.scores import ari

shares = [0.34, 0.5, 0.6, 0.7, 0.8, 0.9]
draws = 3
methods = [KC(3, random_state=0), NMFC(3, n_init=3, random_state=0), GWCA(3, random_state=0), EAC(3)]


def planted(classes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return twenty clusterings that cut each class in two at random; 30 % of the labels of each are permuted."""
    clusterings = []
    for _ in range(20):
        labels = 2 * classes + rng.integers(0, 2, len(classes))
        wrong = np.flatnonzero(rng.random(len(classes)) < 0.3)
        labels[wrong] = labels[rng.permutation(wrong)]
        clusterings.append(labels)
    return np.column_stack(clusterings)


scores = np.empty((len(methods), len(shares), draws))
for j, share in enumerate(shares):
    for draw in range(draws):
        large = round(300 * share)
        classes = np.repeat([0, 1, 2], [large, (300 - large) // 2, 300 - large - (300 - large) // 2])
        labels = planted(classes, np.random.default_rng(draw))
        for i, method in enumerate(methods):
            scores[i, j, draw] = ari(classes, method.fit_predict(labels))

figure, ax = plt.subplots()
for method, curve in zip(methods, scores.mean(axis=2), strict=True):
    ax.plot(shares, curve, "o-", label=type(method).__name__)
ax.set(xlabel="share of the largest cluster", ylabel="mean adjusted Rand index")
ax.legend()

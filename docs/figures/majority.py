"""Scores as more and more clusterings put most objects into one cluster."""

import matplotlib.pyplot as plt
import numpy as np

from consclust.methods import BCE, EAC, PEACE, BaumEagon
from consclust.scores import ari

classes = np.repeat([0, 1, 2], 50)
rng = np.random.default_rng(0)
wrong = rng.random((150, 20)) < 0.2
good = np.where(wrong, rng.integers(0, 3, (150, 20)), classes[:, None])
poor = (rng.random((150, 20)) < 0.05).astype(int)  # 95 % of the objects in one cluster

methods = [PEACE(3, random_state=0), BaumEagon(3, random_state=0), BCE(3, random_state=0), EAC(3)]
numbers = range(0, 20, 3)
figure, ax = plt.subplots()
for method in methods:
    scores = [ari(classes, method.fit_predict(np.hstack([poor[:, :p], good[:, p:]]))) for p in numbers]
    ax.plot(numbers, scores, "o-", label=type(method).__name__)
ax.set(xlabel="poor clusterings of 20", ylabel="adjusted Rand index")
ax.legend()

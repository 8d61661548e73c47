"""
Soft memberships
================

Some methods say how far an object belongs to each cluster: PEACE and BaumEagon by their model, and any method by a
bootstrap over the base clusterings.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from consclust import diagnostics, ensembles, plot
from consclust.methods import LWEA, PEACE

X, y = load_digits(n_class=5, return_X_y=True)
X, y = X[:300], y[:300]
ensemble = ensembles.kmeans(X, runs=20, n_clusters=("sqrt",), random_state=0)

# %%
# PEACE's memberships
# -------------------
# A column for each digit, in the order of the classes, whose colours are at the top; a row for each cluster.
peace = PEACE(n_clusters=5, random_state=0).fit(ensemble)
plot.memberships(peace.memberships_, y)
plt.show()

# %%
# The digits whose largest membership is the smallest, each with its class:
plot.images(X.reshape(-1, 8, 8), peace.memberships_.max(axis=1), names=y, number=16)
plt.show()

# %%
# By a bootstrap
# --------------
# How often each digit stays in its cluster if the base clusterings are drawn anew, here with LWEA. Only its own cluster
# has a share, so that the others are grey. This is another question: a digit between two clusters may be put into the
# same one of them by every draw.
found = diagnostics.bootstrap_stability(ensemble, LWEA(n_clusters=5), draws=30)
plot.memberships(found, y, label="share of the draws")
plt.show()

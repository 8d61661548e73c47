"""
What RCE corrects
=================

RCE (Zhou et al. 2015) models each base clustering as a clean one plus errors, and finds a consensus matrix and the
errors together. The errors show which base clusterings differ from the consensus, and in which objects.
"""

# %%
# Four clusters, and ten base clusterings of different quality: in the first five a tenth of the labels is random, in
# the next four 40 %, and the last one is random altogether.
import matplotlib.pyplot as plt
import numpy as np

from consclust import diagnostics, plot
from consclust.methods import RCE

rng = np.random.default_rng(0)
y = np.repeat([0, 1, 2, 3], 30)
noise = np.array([0.1] * 5 + [0.4] * 4 + [1.0])
labels = np.where(rng.random((120, 10)) < noise, rng.integers(0, 4, (120, 10)), y[:, None])

rce = RCE(n_clusters=4, lambda1=1.0, lambda2=0.1, random_state=0).fit(labels)

# %%
# Errors of every base clustering
# -------------------------------
# A row for each base clustering, the worst at the top; a column for each object, in the order of the consensus. Bright:
# in this clustering, the object is with others than the consensus says.
plot.rce_errors(rce, labels)
plt.show()

# %%
# Random labels are found without knowing the classes:
errors = diagnostics.rce_errors(rce, labels)
for share, mean in zip(noise, errors.mean(axis=0), strict=True):
    print(f"random labels: {share:4.0%}   mean error: {mean:.3f}")

# %%
# Errors of one base clustering
# -----------------------------
# Red: pairs that the clustering joins and the consensus parts; blue: pairs that it parts and the consensus joins.
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="compressed")
for ax, clustering in zip(axes, (0, 5), strict=True):
    matrix = diagnostics.rce_error_matrix(rce, labels, clustering)
    plot.matrix(matrix, rce.labels_, limits=(-1, 1), label="error", ax=ax)
    ax.set_title(f"Base clustering {clustering}")
plt.show()

# %%
# The consensus matrix
# --------------------
# Beside it the co-association matrix, which RCE starts from.
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="compressed")
plot.coassociation(labels, rce.labels_, ax=axes[0])
plot.matrix(rce.consensus_matrix(), rce.labels_, label="RCE's consensus matrix", ax=axes[1])
plt.show()

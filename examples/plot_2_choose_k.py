"""
How many clusters?
==================

No single number says how many clusters there are. :func:`~consclust.diagnostics.choose_k` compares six criteria, each
with data that have no clusters, so that the answer can be one.
"""

# %%
# Four normal clusters in five dimensions.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from consclust import diagnostics, ensembles, plot
from consclust.methods import EAC

centres = 4 * np.random.default_rng(0).normal(size=(4, 5))
X, y = make_blobs([40, 30, 30, 30], centers=centres, random_state=0)

# %%
# The criteria beside their null reference
# ----------------------------------------
# At each k, k-means clusters random parts of the objects. The same is done with normal data that have the covariance of
# X but no clusters: the null reference. A criterion chooses the k where the data are better than the reference by most,
# and k = 1 where they are not better. The page on the choice of k says how often each criterion is right.
recipe = diagnostics.ResampledKMeans(runs=10)
table = diagnostics.choose_k(features=X, ks=range(2, 8), recipe=recipe, nulls=19)
plot.criteria(table)
plt.show()

# %%
# The choice of each criterion, as numbers:
print(table[table["chosen"]][["criterion", "k", "p"]].to_string(index=False))

# %%
# Distribution of the consensus values
# ------------------------------------
# The classic picture (Monti et al. 2003): at a good k most pairs of objects are joined by all clusterings or by none,
# so that the curve is flat between. PAC, in the legend, is how much it rises over the shaded part.
values, labelings = {}, {}
for k in range(2, 8):
    resampled = ensembles.kmeans(X, runs=20, n_clusters=k, object_fraction=0.8, random_state=0)
    values[k] = diagnostics.consensus_values(resampled)
    labelings[k] = EAC(n_clusters=k).fit_predict(resampled)

figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained", width_ratios=(1.2, 1))
plot.consensus_cdf(values, ax=axes[0])
plot.delta_area(values, ax=axes[1])
plt.show()

# %%
# What happens to the objects
# ---------------------------
# A row for each k, a column for each object. As long as whole clusters are divided, the blocks of a row lie inside
# those above them.
plot.tracking(labelings)
plt.show()

# %%
# Data without clusters
# ---------------------
# One normal cloud: each criterion has a best k, but it is not better than in other data without clusters.
cloud = np.random.default_rng(0).normal(size=(100, 5))
table = diagnostics.choose_k(features=cloud, ks=range(2, 8), recipe=recipe, nulls=19)
print(table[table["best"]].set_index("criterion")["k"].to_frame("best").join(
    table[table["chosen"]].set_index("criterion")["k"].rename("chosen")
))  # fmt: skip

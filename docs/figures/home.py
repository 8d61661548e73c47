"""Base clusterings of digits as rows of labels, and their co-association matrix in the order of the consensus."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from consclust.ensemble import as_ensemble
from consclust.ensembles import kmeans
from consclust.methods import LWEA

features = load_digits().data[:600]
ensemble = as_ensemble(kmeans(features, runs=20, n_clusters=range(10, 30), random_state=0))
order = np.argsort(LWEA(n_clusters=10).fit_predict(ensemble), kind="stable")

figure, axes = plt.subplots(1, 2, figsize=(8, 4), width_ratios=[1, 2])
axes[0].imshow(ensemble.labels[order, :6], aspect="auto", interpolation="nearest", cmap="tab20")
axes[0].set(title="base clusterings", xlabel="clustering", ylabel="objects", xticks=[], yticks=[])
axes[1].imshow(ensemble.expand(ensemble.coassociation)[np.ix_(order, order)], cmap="Blues", vmin=0, vmax=1)
axes[1].set(title="co-association matrix", xlabel="objects", xticks=[], yticks=[])

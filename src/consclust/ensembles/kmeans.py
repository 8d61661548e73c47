"""Base clusterings by k-means: of k clusters from k random objects (RCE), or of another k for each run."""

# scikit-learn is imported where needed, so that what does without it starts faster

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from consclust.ensemble import IntArray
from consclust.ensembles.draws import NumberOfClusters, number_of_clusters, streams


@dataclass(frozen=True)
class KMeansProtocol:
    """How base clusterings are made."""

    n_clusters: NumberOfClusters
    runs: int
    max_iter: int
    init: str = "random"
    """First centres: objects at random, or far from each other, "k-means++"."""
    feature_share: float = 1.0
    """Of the features, rounded up; drawn for each run."""
    minibatch: bool = False
    """Whether the centres move with batches of the objects (Sculley 2010) and not with all of them."""


def kmeans_ensemble(features: Any, protocol: KMeansProtocol, seed: int, names: tuple[str, ...]) -> IntArray:
    """Run k-means as often as the protocol says, each time from its own first centres; return labels, (n, runs).

    ``features`` are an ndarray or a CSR matrix, (n, d); sparse ones stay sparse. ``names`` are study and case; see
    :func:`consclust.ensembles.draws.streams`.
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    (n, d), columns = features.shape, []
    algorithm = MiniBatchKMeans if protocol.minibatch else KMeans
    # "at most 100 iterations" is the paper's protocol; fewer distinct objects than k shows in the labels
    for run, rng in streams("k-means", protocol.runs, seed, names, ConvergenceWarning):
        start = int(rng.integers(2**32))
        k = number_of_clusters(protocol.n_clusters, run, n, rng)
        some = features
        if protocol.feature_share < 1:
            chosen = rng.choice(d, ceil(protocol.feature_share * d), replace=False)
            some = features[:, np.sort(chosen)]
        options = {"init": protocol.init, "n_init": 1, "max_iter": protocol.max_iter, "tol": 0.0}
        columns.append(algorithm(k, random_state=start, **options).fit(some).labels_)
    return np.column_stack(columns).astype(np.int64)

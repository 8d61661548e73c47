"""Base clusterings of the studies by one of the algorithms of :mod:`consclust.ensembles.algorithms`."""

# scikit-learn is imported where needed, so that what does without it starts faster

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from consclust.ensemble import MISSING, IntArray
from consclust.ensembles.algorithms import ALGORITHMS
from consclust.ensembles.draws import NumberOfClusters, number_of_clusters, streams, subsamples


@dataclass(frozen=True)
class EstimatedProtocol:
    """How base clusterings are made."""

    algorithm: str
    """A name in :data:`consclust.ensembles.algorithms.ALGORITHMS`."""
    n_clusters: NumberOfClusters
    runs: int
    linkage: str = "average"
    """Of agglomerative clustering."""
    distance: str = "euclidean"
    """Of agglomerative clustering and PAM."""
    object_share: float = 1.0
    """Of the objects, drawn for each run."""
    feature_share: float = 1.0
    """Of the features, rounded up; drawn for each run."""


def estimated_ensemble(
    features: Any, protocol: EstimatedProtocol, members: IntArray, seed: int, names: tuple[str, ...]
) -> IntArray:
    """Run the algorithm as often as the protocol says; return labels, (n, runs), -1 where an object is left out.

    ``features`` are an ndarray or a CSR matrix, (n, d), which is made dense; ``members`` the runs of each subset,
    (subsets, subset size), none of which has an object without any label. ``names`` are study and case; see
    :func:`consclust.ensembles.draws.streams`.
    """
    dense = np.asarray(features.todense() if hasattr(features, "todense") else features, dtype=float)
    n_features = dense.shape[1]
    present = subsamples(len(dense), protocol.runs, protocol.object_share, members, seed, names)
    labels = np.full(present.shape, MISSING, dtype=np.int64)
    # silent: fewer distinct objects than clusters, a mixture that has not converged, a graph in parts
    for run, rng in streams(protocol.algorithm, protocol.runs, seed, names):
        here = present[:, run]
        n_here = int(here.sum())
        start = int(rng.integers(2**32))
        k = min(number_of_clusters(protocol.n_clusters, run, n_here, rng), n_here)
        some = dense[here]
        if protocol.feature_share < 1:
            chosen = rng.choice(n_features, ceil(protocol.feature_share * n_features), replace=False)
            some = some[:, np.sort(chosen)]
        clusterer = ALGORITHMS[protocol.algorithm](k, n_here, protocol.linkage, protocol.distance)
        if "random_state" in clusterer.get_params():
            clusterer.set_params(random_state=start)
        labels[here, run] = clusterer.fit_predict(some)
    return labels

"""Base clusterings by several algorithms in turn, each on some of the objects: the others have no label."""

# scikit-learn and SciPy are imported where needed, so that what does without them starts faster

from dataclasses import dataclass
from typing import Any

import numpy as np

from consclust.ensemble import MISSING, FloatArray, IntArray
from consclust.ensembles.draws import NumberOfClusters, number_of_clusters, streams, subsamples
from consclust.numerics.linkage import cut

ALGORITHMS = ("single", "average", "ward", "centroid", "kmeans", "spectral")
"""Run i takes the i-th, and after the last the first again."""

NEIGHBOUR = 7
"""The width of the spectral similarity is the median distance of the objects from so near a neighbour."""


@dataclass(frozen=True)
class MixedProtocol:
    """How base clusterings are made."""

    n_clusters: NumberOfClusters
    """Each algorithm takes several numbers in turn."""
    runs: int
    max_iter: int
    """Of k-means."""
    object_share: float
    """Of the objects, drawn for each run."""


def mixed_ensemble(
    features: Any, protocol: MixedProtocol, members: IntArray, seed: int, names: tuple[str, ...]
) -> IntArray:
    """Run the algorithms in turn; return labels, (n, runs), -1 where an object is left out.

    ``features`` are an ndarray or a CSR matrix, (n, d); ``members`` the runs of each subset, (subsets, subset size),
    none of which has an object without any label. ``names`` are study and case; see
    :func:`consclust.ensembles.draws.streams`.
    """
    dense = np.asarray(features.todense() if hasattr(features, "todense") else features, dtype=float)
    present = subsamples(len(dense), protocol.runs, protocol.object_share, members, seed, names)
    labels = np.full(present.shape, MISSING, dtype=np.int64)
    # silent: k-means with fewer distinct objects than k, spectral clustering with a graph in parts
    for run, rng in streams("several algorithms", protocol.runs, seed, names):
        turn, which = divmod(run, len(ALGORITHMS))
        here = present[:, run]
        k = min(number_of_clusters(protocol.n_clusters, turn, int(here.sum()), rng), int(here.sum()))
        labels[here, run] = _clustered(ALGORITHMS[which], dense[here], k, protocol.max_iter, rng)
    return labels


def _clustered(algorithm: str, X: FloatArray, k: int, max_iter: int, rng: np.random.Generator) -> Any:
    """Cluster the objects into k; labels are any integers >= 0."""
    from sklearn.cluster import KMeans, SpectralClustering

    start = int(rng.integers(2**32))
    if algorithm == "kmeans":
        kmeans = KMeans(k, init="random", n_init=1, max_iter=max_iter, tol=0.0, random_state=start)
        return kmeans.fit(X).labels_
    if algorithm == "spectral" and k < len(X):
        spectral = SpectralClustering(k, affinity="precomputed", random_state=start)
        return spectral.fit(similarity(X)).labels_
    return merged(X, k, "average" if algorithm == "spectral" else algorithm)


def merged(X: FloatArray, k: int, linkage: str) -> IntArray:
    """Merge the nearest clusters until k are left, in the order of the merges."""
    from scipy.cluster.hierarchy import linkage as merges

    return cut(merges(X, method=linkage), k) if len(X) > 1 else np.zeros(1, dtype=np.int64)


def similarity(X: FloatArray) -> FloatArray:
    """Return exp(-d^2 / (2 s^2)) with s the median distance, above 0, from the seventh neighbour."""
    from scipy.spatial.distance import cdist

    distance = cdist(X, X)
    near = np.sort(distance, axis=1)[:, min(NEIGHBOUR, len(X) - 1)]
    width = float(np.median(near[near > 0])) if (near > 0).any() else 1.0
    similar: FloatArray = np.exp(-(distance**2) / (2 * width**2))
    return similar

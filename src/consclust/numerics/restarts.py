"""Weighted k-means from random starts, every start kept."""

# scikit-learn and threadpoolctl are imported where needed, so that what does without them starts faster

from typing import Literal

import numpy as np

from consclust.ensemble import FloatArray, IntArray


def kmeans_restarts(
    rows: FloatArray,
    weights: IntArray,
    n_clusters: int,
    n_init: int,
    rng: np.random.Generator,
    init: Literal["random", "k-means++"] = "random",
) -> tuple[IntArray, FloatArray]:
    """Run Lloyd's k-means from ``n_init`` draws of k rows; return labels, (n_init, n'), and inertia, (n_init,)."""
    labels, inertia, _ = kmeans_centres(rows, weights, n_clusters, n_init, rng, init)
    return labels, inertia


def kmeans_centres(
    rows: FloatArray,
    weights: IntArray,
    n_clusters: int,
    n_init: int,
    rng: np.random.Generator,
    init: Literal["random", "k-means++"] = "random",
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Run :func:`kmeans_restarts`; return labels, inertia, and the centres that the labels are nearest to.

    The centres have shape (n_init, K, d). A start that ends by its tolerance has others than the means of its labels.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        starts = (int(rng.integers(2**32)) for _ in range(n_init))
        every = [KMeans(n_clusters, init=init, n_init=1, random_state=start) for start in starts]
        fits = [kmeans.fit(rows, sample_weight=weights) for kmeans in every]
    labels = np.stack([fit.labels_.astype(np.int64) for fit in fits])
    inertia = np.array([fit.inertia_ for fit in fits])
    return labels, inertia, np.stack([fit.cluster_centers_ for fit in fits])

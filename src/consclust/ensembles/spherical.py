"""Base clusterings by spherical k-means: rows and centres of unit length, similarity by the cosine."""

# scikit-learn is imported where needed, so that what does without it starts faster

from math import ceil
from typing import Any

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.ensembles.draws import number_of_clusters, streams
from consclust.ensembles.kmeans import KMeansProtocol


def spherical_ensemble(features: Any, protocol: KMeansProtocol, seed: int, names: tuple[str, ...]) -> IntArray:
    """Run spherical k-means (Dhillon & Modha 2001) as often as the protocol says; return labels, (n, runs).

    ``features`` are an ndarray or a CSR matrix, (n, d), whose rows are scaled to unit length here; sparse ones stay
    sparse. ``names`` are study and case; see :func:`consclust.ensembles.draws.streams`.
    """
    (n, d), columns = features.shape, []
    for run, rng in streams("spherical k-means", protocol.runs, seed, names):
        k, some = number_of_clusters(protocol.n_clusters, run, n, rng), features
        if protocol.feature_share < 1:
            some = features[:, np.sort(rng.choice(d, ceil(protocol.feature_share * d), replace=False))]
        X = _scale_to_unit_length(some)
        columns.append(lloyd(X, _first_centres(X, k, protocol.init, rng), protocol.max_iter))
    return np.column_stack(columns)


def lloyd(X: Any, centres: FloatArray, max_iter: int) -> IntArray:
    """Cluster rows of unit length from the first centres, (k, d), until no label changes; return labels, (n,).

    A row takes the centre with the largest cosine, of several the first. A centre is the sum of its rows, scaled to
    unit length. A cluster without rows takes the row that is least similar to its own centre. A row of zeros has the
    cosine 0 with every centre and becomes no centre.
    """
    k = len(centres)
    rows = np.arange(X.shape[0])
    filled = np.asarray(abs(X).sum(axis=1)).ravel() > 0
    labels = np.full(len(rows), -1)
    for _ in range(max_iter):
        cosines = X @ centres.T
        nearest = cosines.argmax(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        members = _without_empty(labels, np.where(filled, cosines[rows, labels], np.inf), k)
        centres = _scale_to_unit_length(np.eye(k)[members].T @ X)
    return labels


def _first_centres(X: Any, k: int, init: str, rng: np.random.Generator) -> FloatArray:
    """Return k of the rows: at random, or far from each other ("k-means++")."""
    from sklearn.cluster import kmeans_plusplus

    if init == "random":
        centres = X[rng.choice(X.shape[0], k, replace=False)]
    else:
        centres, _ = kmeans_plusplus(X, k, random_state=int(rng.integers(2**32)))
    return np.asarray(centres.todense() if hasattr(centres, "todense") else centres)


def _without_empty(labels: IntArray, cosine: FloatArray, k: int) -> IntArray:
    """Return labels in which every empty cluster has a row: those of the smallest ``cosine`` to their own centre."""
    empty, labels = np.setdiff1d(np.arange(k), labels), labels.copy()
    labels[np.argsort(cosine, kind="stable")[: len(empty)]] = empty
    return labels


def _scale_to_unit_length(X: Any) -> Any:
    """Scale rows to unit length; rows of zeros stay."""
    from sklearn.preprocessing import normalize

    return normalize(X)

"""Labels of objects that a consensus has not seen: nearest centroids, and base labels to infer from."""

# SciPy is imported where needed, so that what does without it starts faster

from typing import Literal

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, FloatArray, IntArray
from consclust.numerics.restarts import kmeans_restarts
from consclust.plurals import count


def nearest_centroid(features: npt.ArrayLike, labels: npt.ArrayLike, unseen: npt.ArrayLike) -> IntArray:
    """Label unseen objects by the nearest centroid of a clustering ("-NC" in the SSCE paper).

    Parameters
    ----------
    features, labels : array-like, shapes (n, d) and (n,)
        Of the objects that were clustered; those labelled -1 take no part.
    unseen : array-like, shape (n_unseen, d)

    Returns
    -------
    ndarray of int, shape (n_unseen,)
        The label of the nearest centroid; of equally near ones the smallest.

    Raises
    ------
    ValueError
        If the shapes do not fit, or no object has a label.

    Examples
    --------
    >>> from consclust.inference import nearest_centroid
    >>> nearest_centroid([[0.0], [1.0], [5.0]], [0, 0, 1], unseen=[[0.4], [4.0]])
    array([0, 1])
    """
    codes, centres = centroids(features, labels)
    rows = _matrix(unseen, "unseen", centres.shape[1])
    labels_of_nearest: IntArray = codes[_squared_distances(rows, centres).argmin(axis=1)]
    return labels_of_nearest


def centroids(features: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[IntArray, FloatArray]:
    """Return the labels of a clustering in increasing order, (k,), and the mean of each cluster, (k, d).

    Examples
    --------
    >>> from consclust.inference import centroids
    >>> centroids([[0.0], [1.0], [5.0]], [0, 0, 1])
    (array([0, 1]), array([[0.5],
           [5. ]]))
    """
    rows, named = _matrix(features, "features"), np.asarray(labels)
    if named.shape != rows.shape[:1]:
        raise ValueError(f"labels have shape {named.shape}, but there are {len(rows)} objects with features")
    labelled = named != MISSING
    if not labelled.any():
        raise ValueError("no object has a label: there are no centroids")
    codes, membership = np.unique(named[labelled], return_inverse=True)
    sums: FloatArray = np.zeros((len(codes), rows.shape[1]))
    np.add.at(sums, membership, rows[labelled])
    return codes.astype(np.int64), sums / np.bincount(membership)[:, None]


def base_labels(
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    unseen: npt.ArrayLike,
    how: Literal["assign", "kmeans-on-test"] = "assign",
    random_state: int | np.random.Generator | None = None,
) -> IntArray:
    """Give unseen objects labels in each of some base k-means clusterings, shape (n_unseen, m), named as ``labels``.

    Parameters
    ----------
    features : array-like, shape (n, d)
        Of the objects that were clustered.
    labels : array-like of int, shape (n, m)
        Their base clusterings.
    unseen : array-like, shape (n_unseen, d)
    how : {"assign", "kmeans-on-test"}
        "assign": the cluster with the nearest centroid. "kmeans-on-test", as in the SSCE paper: one run of k-means of
        the unseen objects for each clustering, its clusters matched one to one to those of the clustering by the least
        sum of squared distances between centroids.
    random_state : int, Generator or None
        Seed of the runs of k-means.

    Raises
    ------
    ValueError
        If the shapes do not fit, ``how`` is unknown, or k-means has fewer distinct objects than clusters.

    Examples
    --------
    >>> from consclust.inference import base_labels
    >>> base_labels([[0.0], [1.0], [5.0]], [[0, 7], [0, 8], [1, 8]], unseen=[[0.4], [4.0]])
    array([[0, 7],
           [1, 8]])
    """
    if how not in ("assign", "kmeans-on-test"):
        raise ValueError(f"how = {how!r}: must be 'assign' or 'kmeans-on-test'")
    columns = np.asarray(labels)
    if columns.ndim != 2:
        raise ValueError(f"labels must be a matrix of n objects x m clusterings, got shape {columns.shape}")
    rng = np.random.default_rng(random_state)
    found = [centroids(features, column) for column in columns.T]
    rows = _matrix(unseen, "unseen", found[0][1].shape[1])
    if how == "assign":
        return np.column_stack([codes[_squared_distances(rows, centres).argmin(axis=1)] for codes, centres in found])
    return np.column_stack([codes[_matched_kmeans(rows, centres, rng)] for codes, centres in found])


def _matched_kmeans(rows: FloatArray, centres: FloatArray, rng: np.random.Generator) -> IntArray:
    from scipy.optimize import linear_sum_assignment

    k, distinct = len(centres), len(np.unique(rows, axis=0))
    if k > distinct:
        raise ValueError(f"{count(distinct, 'distinct unseen object')} are too few for {k} clusters; use how='assign'")
    weights = np.ones(len(rows), dtype=np.int64)
    clusters = kmeans_restarts(rows, weights, k, 1, rng)[0][0]
    own = centroids(rows, clusters)[1]
    matched: IntArray = linear_sum_assignment(_squared_distances(own, centres))[1][clusters]
    return matched


def _squared_distances(rows: FloatArray, centres: FloatArray) -> FloatArray:
    from scipy.spatial.distance import cdist

    distances: FloatArray = cdist(rows, centres, "sqeuclidean")
    return distances


def _matrix(features: npt.ArrayLike, name: str, d: int | None = None) -> FloatArray:
    matrix = np.asarray(features, dtype=float)
    if matrix.ndim != 2 or d not in (None, matrix.shape[1]):
        wanted = "d" if d is None else d
        raise ValueError(f"{name} must be a matrix of objects x {wanted} features, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name} hold NaN or infinity")
    return matrix

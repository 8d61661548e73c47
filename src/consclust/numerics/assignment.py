"""K-means on the rows of an indicator matrix, for methods whose distances are sums over the labels of a profile."""

# compiled kernels are imported where needed, so that what does without them starts faster

from typing import Any, NamedTuple

import numpy as np

from consclust.ensemble import FloatArray, IntArray

LANES = 8  # Numbers that processors add at a time


class Assigned(NamedTuple):
    """The cluster of each profile, and its score there."""

    labels: IntArray  # Shape (n',)
    least: FloatArray  # Shape (n',)


def assign_profiles(
    indicator: Any, table: FloatArray, offsets: FloatArray | None = None, factors: FloatArray | None = None
) -> Assigned:
    """Assign every profile to the cluster of its least score, the first of equal ones.

    Parameters
    ----------
    indicator : csr_array, shape (n', sum of k_i)
        Indicator matrix of the profiles; its entries may be the probabilities of labels.
    table : ndarray, shape (sum of k_i, K)
        What a label adds to the score of each cluster.
    offsets : ndarray, shape (K,), optional
        What is added to the score of each cluster, times the factor of the profile.
    factors : ndarray, shape (n',), optional
        The factors; 1 throughout if there are none.
    """
    from consclust.numerics.kernels.assignment_kernels import assign

    n_profiles = indicator.shape[0]
    labels = np.zeros(n_profiles, dtype=np.int64)
    least = np.empty(n_profiles)
    offsets = np.zeros(table.shape[1]) if offsets is None else offsets
    factors = np.ones(n_profiles) if factors is None else factors
    assign(*_sparse_rows(indicator), _pad(table), offsets, factors, labels, least)
    return Assigned(labels, least)


def sum_by_cluster(indicator: Any, weights: FloatArray, labels: IntArray, n_clusters: int) -> FloatArray:
    """Return the sum of the rows of an indicator matrix, times their weights, in each cluster, (sum of k_i, K)."""
    from consclust.numerics.kernels.assignment_kernels import sum_rows

    sums = np.zeros((indicator.shape[1], n_clusters))
    sum_rows(*_sparse_rows(indicator), weights, labels, sums)
    return sums


def _sparse_rows(indicator: Any) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the starts, columns and values of the rows; an index that cannot be negative is found faster."""
    columns = indicator.indices
    return indicator.indptr, columns.view(columns.dtype.str.replace("i", "u")), indicator.data


def _pad(table: FloatArray) -> FloatArray:
    """Return a table of several columns with columns of 0 up to a multiple of ``LANES``."""
    n_columns = table.shape[1]
    n_padded = n_columns if n_columns == 1 else -(-n_columns // LANES) * LANES
    padded = np.zeros((len(table), n_padded))
    padded[:, :n_columns] = table
    return padded


def fill_empty_clusters(labels: IntArray, distances: FloatArray, n_clusters: int) -> IntArray:
    """Return labels in which each empty cluster has the profile that is farthest from its centre, if any is away.

    ``distances``, (n',), are those from the own centre; the farthest profile goes to the first empty cluster. None is
    taken from a cluster of one profile.
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    empty = np.flatnonzero(sizes == 0).tolist()
    if not empty:
        return labels
    filled = labels.copy()
    for profile in np.argsort(-distances, kind="stable"):
        if not empty or distances[profile] <= 0:
            break
        if sizes[filled[profile]] > 1:
            sizes[filled[profile]] -= 1
            filled[profile] = empty.pop(0)
    return filled

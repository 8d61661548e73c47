"""Expected labels of objects that are missing from a clustering, from the clusters that hold them elsewhere."""

# SciPy is imported where needed, so that what does without it starts faster

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def expect_labels(indicator: Any, weights: Integers, n_clusters: Integers, known: npt.NDArray[np.bool_]) -> Any:
    """Return the indicator matrix of the profiles, with what :func:`vote_on_labels` expects where a label is missing.

    Parameters
    ----------
    indicator : csr_array, shape (n', sum of k_i)
        Cluster-indicator matrix of the profiles; a missing label is all zero.
    weights : ndarray, shape (n',)
        Objects of each profile.
    n_clusters : ndarray, shape (m,)
        Clusters of each clustering, k_i.
    known : ndarray of bool, shape (n', m)
        Which labels there are.

    Returns
    -------
    csr_array, shape (n', sum of k_i)
    """
    from scipy.sparse import csr_array

    missing = np.flatnonzero(~known.all(axis=1))
    expected = vote_on_labels(indicator[missing], _share_members(indicator, weights, n_clusters), n_clusters)
    expected[np.repeat(known[missing], n_clusters, axis=1)] = 0.0
    starts = np.zeros(indicator.shape[0] + 1, dtype=np.int64)
    starts[missing + 1] = 1
    place = csr_array((np.ones(len(missing)), np.arange(len(missing)), np.cumsum(starts)))
    return csr_array(indicator + place @ csr_array(expected))


def vote_on_labels(rows: Any, votes: Any, n_clusters: Integers) -> Floats:
    """Return the label of some profiles that is expected in each clustering from their clusters in the others.

    Each cluster that holds a profile has one vote on its label in another clustering: the shares of that clustering's
    clusters among its own members. The expected label is the mean of the votes. A clustering that contains no member
    of these clusters gets zeros: nothing is known of the profile there.

    Parameters
    ----------
    rows : csr_array, shape (profiles, sum of k_i)
        Their rows of the indicator matrix.
    votes : csr_array, shape (sum of k_i, sum of k_i)
        Votes of each cluster, zero in its own clustering.

    Returns
    -------
    ndarray, shape (profiles, sum of k_i)
        In each clustering the entries of a profile sum to 1 or to 0.
    """
    expected: Floats = (rows @ votes).toarray()
    total = np.repeat(sum_by_clustering(expected, n_clusters), n_clusters, axis=1)
    return np.divide(expected, total, out=expected, where=total > 0)


def sum_by_clustering(columns: Floats, n_clusters: Integers) -> Floats:
    """Return the sums of (rows, sum of k_i) over the clusters of each clustering, shape (rows, m)."""
    firsts = np.cumsum(n_clusters) - n_clusters
    sums: Floats = np.add.reduceat(columns, firsts, axis=1)
    return sums


def _share_members(indicator: Any, weights: Integers, n_clusters: Integers) -> Any:
    """Return how the members of each cluster are shared among the clusters of every other clustering, a csr_array.

    Shape (sum of k_i, sum of k_i). The row of a cluster sums to 1 in each clustering that contains any of its members.
    """
    from scipy.sparse import csr_array, diags_array

    shared: Floats = (indicator.T @ (diags_array(weights.astype(float)) @ indicator)).toarray()
    clustering = np.repeat(np.arange(len(n_clusters)), n_clusters)
    shared[clustering[:, None] == clustering] = 0.0
    contained = np.repeat(sum_by_clustering(shared, n_clusters), n_clusters, axis=1)
    np.divide(shared, contained, out=shared, where=contained > 0)
    return csr_array(shared)

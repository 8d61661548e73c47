"""The central type: an ensemble of base clusterings and what every consensus method needs of it."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

MISSING = -1


class Ensemble:
    """Base clusterings of n objects as a label matrix.

    Parameters
    ----------
    labels : array-like of integers, shape (n objects, m clusterings)
        Any integers; -1 marks an object that is missing from a clustering.

    Attributes
    ----------
    labels : ndarray, shape (n, m)
        The labels of each clustering recoded to 0..k_i-1 in order of first appearance, so that nothing
        computed from them depends on the names of the clusters; -1 stays.
    cluster_names : list of m ndarrays, shape (k_i,)
        The label that was given to each cluster of each clustering.

    Raises
    ------
    ValueError
        If the matrix is empty, not two-dimensional, holds NaN or non-integers, or has an object or a
        clustering without any label.

    Notes
    -----
    Objects with the same row (the same *profile*) are interchangeable to every co-association method.
    The matrices here are therefore n' x n' over the distinct profiles, with multiplicities ``weights``.
    """

    def __init__(self, labels: npt.ArrayLike) -> None:
        raw = _integers(labels)
        self.cluster_names = [_in_order_of_appearance(column) for column in raw.T]
        self.labels: IntArray = coded_as(raw, self.cluster_names)
        _refuse_unlabelled(self.labels == MISSING)

    @property
    def given(self) -> IntArray:
        """The label matrix as it was given, shape (n, m)."""
        named = [
            np.append(names, MISSING)[column]
            for names, column in zip(self.cluster_names, self.labels.T, strict=True)
        ]
        return np.column_stack(named)

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return int(self.labels.shape[0])

    @property
    def n_clusterings(self) -> int:
        """Number of base clusterings, m."""
        return int(self.labels.shape[1])

    @cached_property
    def n_clusters(self) -> IntArray:
        """Number of clusters of each clustering, shape (m,)."""
        n_clusters: IntArray = self.labels.max(axis=0) + 1
        return n_clusters

    @cached_property
    def has_missing(self) -> bool:
        """Whether any object is missing from any clustering."""
        return bool((self.labels == MISSING).any())

    @cached_property
    def _unique(self) -> tuple[IntArray, IntArray, IntArray]:
        profiles, membership, weights = np.unique(
            self.labels, axis=0, return_inverse=True, return_counts=True
        )
        return profiles, membership.ravel(), weights

    @property
    def profiles(self) -> IntArray:
        """Distinct rows of the label matrix, shape (n', m)."""
        return self._unique[0]

    @property
    def membership(self) -> IntArray:
        """Profile of each object, shape (n,)."""
        return self._unique[1]

    @property
    def weights(self) -> IntArray:
        """Number of objects with each profile, shape (n',)."""
        return self._unique[2]

    @property
    def n_profiles(self) -> int:
        """Number of distinct profiles, n'."""
        return int(self.profiles.shape[0])

    @cached_property
    def indicator(self) -> FloatArray:
        """Cluster-indicator matrix of the profiles, shape (n', sum of k_i); a missing label is all zero."""
        offsets = np.concatenate([[0], np.cumsum(self.n_clusters)[:-1]])
        indicator = np.zeros((self.n_profiles, int(self.n_clusters.sum())))
        row, clustering = np.nonzero(self.profiles != MISSING)
        indicator[row, (self.profiles + offsets)[row, clustering]] = 1.0
        return indicator

    @cached_property
    def counts(self) -> FloatArray:
        """Clusterings that put two profiles into one cluster, N, shape (n', n'); whole numbers."""
        return self.indicator @ self.indicator.T

    @cached_property
    def observed(self) -> FloatArray:
        """Clusterings that contain both profiles, O, shape (n', n'); m throughout if no label is missing."""
        present: FloatArray = (self.profiles != MISSING).astype(float)
        return present @ present.T

    @cached_property
    def coassociation(self) -> FloatArray:
        """Co-association matrix N / O of the profiles, shape (n', n'); 0 where no clustering has both."""
        ratio = np.zeros_like(self.counts)
        np.divide(self.counts, self.observed, out=ratio, where=self.observed > 0)
        return ratio

    def expand(self, matrix: FloatArray) -> FloatArray:
        """Return the (n, n) matrix over objects of an (n', n') matrix over profiles."""
        return matrix[np.ix_(self.membership, self.membership)]

    def unmerged(self) -> "Ensemble":
        """Return the ensemble with a profile for every object, equal or not: all matrices are (n, n) then."""
        twin = Ensemble(self.given)
        n = self.n_objects
        twin._unique = (twin.labels, np.arange(n), np.ones(n, dtype=np.int64))
        return twin

    def subset(self, clusterings: Iterable[int]) -> "Ensemble":
        """Return the ensemble of some of the clusterings."""
        return Ensemble(self.given[:, list(clusterings)])


def as_ensemble(labels: "npt.ArrayLike | Ensemble") -> Ensemble:
    """Return ``labels`` as an :class:`Ensemble`."""
    return labels if isinstance(labels, Ensemble) else Ensemble(labels)


def coded_as(labels: npt.ArrayLike, cluster_names: list[IntArray]) -> IntArray:
    """Return labels, such as those of other objects, as the codes 0..k_i-1 of an ensemble's clusters.

    Parameters
    ----------
    labels : array-like of integers, shape (n objects, m clusterings)
        In the naming of :attr:`Ensemble.cluster_names`; -1 marks a missing object.

    Raises
    ------
    ValueError
        For what is no label matrix, another number of clusterings, or a label that names no cluster.
    """
    raw = _integers(labels)
    if raw.shape[1] != len(cluster_names):
        raise ValueError(f"labels hold {raw.shape[1]} clusterings, the ensemble {len(cluster_names)}")
    columns = [_coded(raw[:, i], i, names) for i, names in enumerate(cluster_names)]
    return np.column_stack(columns)


def _coded(column: IntArray, clustering: int, names: IntArray) -> IntArray:
    known = np.append(names, MISSING)
    order = np.argsort(known)
    codes: IntArray = order[np.minimum(np.searchsorted(known, column, sorter=order), len(names))]
    unknown = column[known[codes] != column]
    if len(unknown):
        raise ValueError(
            f"label {unknown[0]} names no cluster of clustering {clustering} (from 0) of the ensemble; "
            "write -1 where an object has no label"
        )
    codes[codes == len(names)] = MISSING
    return codes


def _integers(labels: Any) -> IntArray:
    matrix = np.asarray(labels)
    if matrix.ndim != 2:
        raise ValueError(
            f"labels must be a matrix of n objects x m clusterings, got shape {matrix.shape}; "
            "write a single clustering as a column: labels[:, None]"
        )
    if 0 in matrix.shape:
        raise ValueError(f"labels must hold at least one object and one clustering, got shape {matrix.shape}")
    if matrix.dtype == object:
        try:
            matrix = matrix.astype(float)
        except (TypeError, ValueError):
            raise ValueError(
                "labels must be integers; recode other labels, e.g. with pandas.factorize"
            ) from None
    if matrix.dtype.kind == "f":
        if not np.isfinite(matrix).all():
            raise ValueError("labels hold NaN or infinity; write -1 for an object missing from a clustering")
        if (matrix != np.round(matrix)).any():
            raise ValueError("labels must be integers, got fractions")
    elif matrix.dtype.kind not in "iub":
        raise ValueError(
            f"labels must be integers, got dtype {matrix.dtype}; recode them, e.g. with pandas.factorize"
        )
    return matrix.astype(np.int64)


def _in_order_of_appearance(column: IntArray) -> IntArray:
    names, first = np.unique(column, return_index=True)
    ordered = names[np.argsort(first)]
    present: IntArray = ordered[ordered != MISSING]
    return present


def _refuse_unlabelled(missing: npt.NDArray[np.bool_]) -> None:
    for axis, what, remedy in ((1, "object", "leave it out"), (0, "clustering", "drop the column")):
        empty = np.flatnonzero(missing.all(axis=axis))
        if empty.size:
            raise ValueError(f"{what} {empty[0]} has no label at all ({empty.size} such); {remedy}")

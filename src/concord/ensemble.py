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

    Objects with the same row (the same *profile*) are interchangeable to every co-association method. The matrices here
    are therefore n' x n' over the distinct profiles, with multiplicities ``weights``.

    Parameters
    ----------
    labels : array-like of integers, shape (n objects, m clusterings)
        -1, or NA in a pandas DataFrame of nullable integers, marks an object that is missing from a clustering. A plain
        list of sequences that are longer than the list is refused: it most likely holds one clustering a row.

    Attributes
    ----------
    labels : ndarray, shape (n, m)
        The labels of each clustering recoded to 0..k_i-1 in order of first appearance, so that nothing computed from
        them depends on the names of the clusters; -1 stays.
    cluster_names : list of m ndarrays, shape (k_i,). The label that was given to each cluster of each clustering.
    n_objects, n_clusterings : int. n and m.
    n_clusters : ndarray, shape (m,). Number of clusters of each clustering, k_i.
    has_missing : bool. Whether any object is missing from any clustering.

    Raises
    ------
    ValueError
        If the matrix is empty, not two-dimensional, a list of clusterings instead of a list of objects, holds NaN or
        other values than 64-bit integers, or has an object or a clustering without any label.
    """

    def __init__(self, labels: npt.ArrayLike) -> None:
        raw = _integers(labels)
        if isinstance(labels, list | tuple) and raw.shape[0] < raw.shape[1]:
            clustering = "if each sequence is a clustering, pass np.column_stack(labels)"
            what = f"a list of sequences, {raw.shape[0]} by {raw.shape[1]}, may be transposed"
            raise ValueError(f"{what}; {clustering}; if each is an object, np.array(labels)")
        self.cluster_names = [_in_order_of_appearance(column) for column in raw.T]
        self.labels: IntArray = coded_as(raw, self.cluster_names)
        missing = self.labels == MISSING
        for axis, what, remedy in ((1, "object", "leave it out"), (0, "clustering", "drop the column")):
            empty = np.flatnonzero(missing.all(axis=axis))
            if empty.size:
                raise ValueError(f"{what} {empty[0]} has no label at all ({empty.size} such); {remedy}")
        self.n_objects: int = len(self.labels)
        self.n_clusterings: int = self.labels.shape[1]
        self.n_clusters: IntArray = self.labels.max(axis=0) + 1
        self.has_missing = bool(missing.any())

    @property
    def given(self) -> IntArray:
        """The label matrix as it was given, shape (n, m)."""
        columns = zip(self.cluster_names, self.labels.T, strict=True)
        return np.column_stack([np.append(names, MISSING)[codes] for names, codes in columns])

    @cached_property
    def _unique(self) -> tuple[IntArray, IntArray, IntArray]:
        profiles, membership, weights = np.unique(self.labels, axis=0, return_inverse=True, return_counts=True)
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
        return len(self.profiles)

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

    ``labels`` has shape (n objects, m clusterings), is named as in ``cluster_names``, and -1 marks a missing object.
    Raises ValueError for what is no label matrix, another number of clusterings, or a label that names no cluster.
    """
    raw = _integers(labels)
    if raw.shape[1] != len(cluster_names):
        raise ValueError(f"labels hold {raw.shape[1]} clusterings, the ensemble {len(cluster_names)}")
    return np.column_stack([_coded(raw[:, i], i, names) for i, names in enumerate(cluster_names)])


def _coded(column: IntArray, clustering: int, names: IntArray) -> IntArray:
    known = np.append(names, MISSING)
    order = np.argsort(known)
    codes: IntArray = order[np.minimum(np.searchsorted(known, column, sorter=order), len(names))]
    for label in column[known[codes] != column][:1]:
        what = f"label {label} names no cluster of clustering {clustering} (from 0) of the ensemble"
        raise ValueError(f"{what}; write -1 where an object has no label")
    codes[codes == len(names)] = MISSING
    return codes


def _integers(labels: Any) -> IntArray:
    if hasattr(labels, "toarray"):
        raise ValueError("labels must not be sparse; pass labels.toarray()")
    matrix = np.asarray(_without_na(labels))
    if matrix.ndim != 2:
        what = f"labels must be a matrix of n objects x m clusterings, got shape {matrix.shape}"
        raise ValueError(f"{what}; write a single clustering as a column: labels[:, None]")
    if 0 in matrix.shape:
        raise ValueError(f"labels must hold at least one object and one clustering, got shape {matrix.shape}")
    if matrix.dtype == object:
        try:
            matrix = matrix.astype(float)
        except (TypeError, ValueError):
            raise ValueError("labels must be integers; recode other labels, e.g. with pandas.factorize") from None
    if matrix.dtype.kind == "f":
        if not np.isfinite(matrix).all():
            raise ValueError("labels hold NaN or infinity; write -1 for an object missing from a clustering")
        if (matrix != np.round(matrix)).any():
            raise ValueError("labels must be integers, got fractions")
    elif matrix.dtype.kind not in "iub":
        raise ValueError(f"labels must be integers, got dtype {matrix.dtype}; recode them, e.g. with pandas.factorize")
    outside = matrix[(matrix >= 2**63) | (matrix < -(2**63))]
    if outside.size:
        raise ValueError(f"labels must be integers of 64 bits, got {outside[0]}; recode them")
    return matrix.astype(np.int64)


def _without_na(labels: Any) -> Any:
    """Return a pandas DataFrame with -1 for NA in its columns of nullable integers; the rest as it is."""
    dtypes = labels.dtypes if hasattr(labels, "isetitem") else ()
    nullable = [i for i, dtype in enumerate(dtypes) if hasattr(dtype, "na_value") and dtype.kind in "iu"]
    if nullable:
        labels = labels.copy()
        for i in nullable:
            labels.isetitem(i, labels.iloc[:, i].to_numpy("int64", na_value=MISSING))
    return labels


def _in_order_of_appearance(column: IntArray) -> IntArray:
    names, first = np.unique(column, return_index=True)
    ordered = names[np.argsort(first)]
    present: IntArray = ordered[ordered != MISSING]
    return present

"""The central type: an ensemble of base clusterings and what every consensus method needs of it."""

# pyarrow and SciPy are imported where needed, so that what does without them starts faster

import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, Self, get_args, overload

import numpy as np
import numpy.typing as npt

from consclust.expected import expect_labels, sum_by_clustering
from consclust.extras import needs
from consclust.label_checks import refuse_codes, refuse_unsigned
from consclust.parquet import filled, index_columns
from consclust.plurals import count

if TYPE_CHECKING:
    from consclust.stream import StreamedEnsemble

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_Profiles = tuple[list[IntArray], IntArray]
"""The columns of distinct profiles, and the profile of each object."""

log = logging.getLogger("consclust")

MISSING = -1
ROUNDING = 1e-9  # Shares that differ by less are equal
AT_ONCE = 2**22  # Overlaps of clusters in one block of rows

Unseen = Literal["expected", "ignored"]
"""What a missing label counts as; see :class:`Ensemble`."""


class Ensemble:
    """Base clusterings of n objects as a label matrix.

    Objects with the same row (the same *profile*) are interchangeable to every co-association method. The matrices here
    are therefore n' x n' over the distinct profiles, with multiplicities ``weights``.

    Parameters
    ----------
    labels : array-like of integers, shape (n objects, m clusterings)
        -1, or NA in a pandas DataFrame of nullable integers, marks an object that is missing from a clustering. A plain
        list of sequences that are longer than the list is refused: it most likely holds one clustering a row.
    missing : {"expected", "ignored"}, default "expected"
        What a missing label counts as, for the methods that work on shares of clusterings. "expected": as the label to
        be expected from the clusters that hold the object elsewhere, see :attr:`expected_indicator`; a pair of objects
        that no clustering contains is unknown, and not apart. "ignored": a clustering does not count for the pairs of
        an object that it misses, and a pair that none contains has the share 0, as in most published formulas. Without
        missing labels there is no difference.

    Attributes
    ----------
    labels : ndarray, shape (n, m)
        The labels of each clustering recoded to 0..k_i-1 in order of first appearance, so that nothing computed from
        them depends on the names of the clusters; -1 stays.
    membership : ndarray, shape (n,)
        Profile of each object.
    weights : ndarray, shape (n',)
        Number of objects with each profile.
    cluster_names : list of m ndarrays, shape (k_i,)
        The label that was given to each cluster of each clustering.
    n_objects, n_clusterings : int
        n and m.
    n_clusters : ndarray, shape (m,)
        Number of clusters of each clustering, k_i.
    has_missing : bool
        Whether any object is missing from any clustering.

    Raises
    ------
    ValueError
        If the matrix is empty, not two-dimensional, a list of clusterings instead of a list of objects, holds NaN or
        other values than 64-bit integers or labels below -1, or has an object or a clustering without any label; for
        another ``missing``.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> ensemble = Ensemble([[0, 5], [0, 5], [1, 7], [1, -1]])  # 4 objects, 2 clusterings; one label is missing
    >>> ensemble.n_profiles, ensemble.weights
    (3, array([2, 1, 1]))
    >>> ensemble.expand(ensemble.coassociation)
    array([[1., 1., 0., 0.],
           [1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [0., 0., 1., 1.]])
    """

    def __init__(self, labels: npt.ArrayLike, missing: Unseen = "expected") -> None:
        raw = label_matrix(labels)
        if isinstance(labels, list | tuple) and raw.shape[0] < raw.shape[1]:
            clustering = "if each sequence is a clustering, pass np.column_stack(labels)"
            what = f"a list of sequences, {raw.shape[0]} by {raw.shape[1]}, may be transposed"
            raise ValueError(f"{what}; {clustering}; if each is an object, np.array(labels)")
        self._set_missing(missing)
        self._add([raw])

    @classmethod
    def from_blocks(cls, blocks: Iterable[npt.ArrayLike], missing: Unseen = "expected") -> Self:
        """Return the ensemble of objects that come in blocks, such as a generator of label matrices.

        Equal to the ensemble of all blocks, one above the other, each of shape (objects, m). One block is read at a
        time. The profiles of every block (one byte a label up to 128 clusters, two up to 32,768) and the profile of
        each object (8 bytes) stay in memory, and beside them as much again while the profiles of all blocks are found:
        10^7 objects in 20 clusterings of up to 50 clusters, n' = 7 10^6, take 1.2 GB.

        Raises ValueError as the constructor does, without any block, for blocks of unequal numbers of clusterings, and
        for data frames whose columns are not named as those of the first, in the same order.
        """
        ensemble = cls.__new__(cls)
        ensemble._set_missing(missing)
        ensemble._add(_matrices(blocks))
        return ensemble

    @overload
    @classmethod
    def from_parquet(
        cls,
        path: Any,
        columns: Sequence[str] | None = None,
        block: int = 2**20,
        missing: Unseen = "expected",
        *,
        stream: Literal[False],
    ) -> Self: ...

    @overload
    @classmethod
    def from_parquet(
        cls,
        path: Any,
        columns: Sequence[str] | None = None,
        block: int = 2**20,
        missing: Unseen = "expected",
        *,
        stream: bool | None = None,
    ) -> "Self | StreamedEnsemble": ...

    @classmethod
    def from_parquet(
        cls,
        path: Any,
        columns: Sequence[str] | None = None,
        block: int = 2**20,
        missing: Unseen = "expected",
        *,
        stream: bool | None = None,
    ) -> "Self | StreamedEnsemble":
        """Return the ensemble of a Parquet file with a row for each object and a column for each clustering.

        ``path`` names a file, ``columns`` the clusterings (default: all columns but the index of a pandas frame). A
        null marks a missing object. Reads ``block`` rows at a time; see :meth:`from_blocks` for the memory and what is
        raised. Needs pyarrow, which comes with ``consclust[parquet]``.

        ``stream``: whether it is a :class:`~consclust.stream.StreamedEnsemble`, whose labels are read in passes and
        never kept, and which ``fit`` of some methods takes, see :mod:`consclust.methods.streamed`. None: if there are
        more than 2^20 distinct profiles, with which matrices over the profiles are out of reach; a line of the log says
        so. False: never.
        """
        from consclust.stream import MOST_PROFILES, StreamedEnsemble, TooManyProfiles, limit_profiles

        if stream:
            return StreamedEnsemble.from_parquet(path, columns, missing)
        with needs("parquet"):
            from pyarrow.parquet import ParquetFile

        def matrix(batch: Any) -> npt.NDArray[Any]:
            return np.column_stack([filled(column, MISSING).to_numpy(zero_copy_only=False) for column in batch])

        with ParquetFile(path) as file:
            names = clustering_columns(file.schema_arrow) if columns is None else list(columns)
            blocks: Iterator[Any] = (matrix(batch) for batch in file.iter_batches(block, columns=names))
            if stream is None and file.metadata.num_rows > MOST_PROFILES:
                blocks = limit_profiles(blocks, MOST_PROFILES)
            try:
                return cls.from_blocks(blocks, missing)
            except TooManyProfiles:
                log.info("%s: more than %s distinct profiles, so that it is read in passes", path, f"{MOST_PROFILES:,}")
                return StreamedEnsemble.from_parquet(path, columns, missing)

    @classmethod
    def from_profiles(cls, profiles: npt.ArrayLike, weights: npt.ArrayLike, missing: Unseen = "expected") -> Self:
        """Return the ensemble of n objects with given profiles, the first ``weights[0]`` with the first, and so on.

        ``profiles`` is a label matrix, (n', m), ``weights`` has shape (n',), whole numbers of at least 1. Raises
        ValueError as the constructor does, and for other weights.
        """
        ensemble = cls(np.asarray(profiles), missing)
        counts = np.asarray(weights)
        if counts.shape != ensemble.membership.shape or counts.dtype.kind not in "iu" or counts.min(initial=1) < 1:
            raise ValueError(f"weights must be {ensemble.n_objects} whole numbers of at least 1, one for each profile")
        ensemble._keep(ensemble._profiles, np.repeat(ensemble.membership, counts), ensemble.cluster_names)
        return ensemble

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> "Ensemble":
        """Return the ensemble of a pandas data frame with words, NaN, ids in its index or a column, or classes.

        It is :func:`consclust.read_labels`, with its ``options``, such as ``truth``, ``drop`` and ``missing``, and
        raises what that raises. The order of the objects is that of the rows.

        Examples
        --------
        >>> import pandas as pd
        >>> from consclust import Ensemble
        >>> frame = pd.DataFrame({"a": ["x", "x", "y"], "b": [2, None, 5]}, index=["u", "v", "w"])
        >>> Ensemble.from_frame(frame)
        Ensemble(3 objects, 2 clusterings of 2 clusters, 3 profiles, 1 label missing)
        """
        from consclust.readers.frames import read_labels

        return read_labels(frame, **options)

    def __repr__(self) -> str:
        """Return the sizes: objects, clusterings and their clusters, distinct profiles, missing labels."""
        low = int(self.n_clusters.min())
        high = int(self.n_clusters.max())
        clusters = count(high, "cluster") if low == high else f"{low} to {count(high, 'cluster')}"
        n_missing = sum(int(self.weights[column == MISSING].sum()) for column in self._profiles)
        sizes = (
            count(self.n_objects, "object"),
            f"{count(self.n_clusterings, 'clustering')} of {clusters}",
            count(self.n_profiles, "profile"),
            f"{count(n_missing, 'label')} missing",
        )
        return f"{type(self).__name__}({', '.join(sizes)})"

    def _set_missing(self, missing: Unseen) -> None:
        if missing not in get_args(Unseen):
            raise ValueError(f"missing = {missing!r}: must be one of {', '.join(map(repr, get_args(Unseen)))}")
        self.missing: Unseen = missing

    def _add(self, blocks: Iterable[npt.NDArray[Any]]) -> None:
        """Find the clusters and the profiles of label matrices that lie one above the other."""
        names: list[IntArray] = []
        parts: list[_Profiles] = []
        for number, block in enumerate(blocks):
            names = names or [np.zeros(0, dtype=np.int64)] * block.shape[1]
            _check_width(block, number, len(names))
            coded = [_recoded(column, known) for column, known in zip(block.T, names, strict=True)]
            names = [known for _, known in coded]
            parts.append(_distinct([codes for codes, _ in coded]))
        if not parts:
            raise ValueError("there is no block of labels; give at least one")
        profiles, membership = parts[0] if len(parts) == 1 else _join_profiles(parts)
        self._keep(profiles, membership, names)

    def _keep(self, profiles: list[IntArray], membership: IntArray, names: list[IntArray]) -> None:
        """Set the attributes; ``profiles`` has a column for each clustering, of the smallest integers that do."""
        self._profiles = profiles
        self.membership = membership
        self.cluster_names = names
        self.weights = np.bincount(membership, minlength=len(profiles[0]))
        self.n_objects: int = len(membership)
        self.n_clusterings: int = len(profiles)
        self.n_clusters = np.array([len(each) for each in names])
        self.has_missing = any(bool((column == MISSING).any()) for column in profiles)
        absent = np.logical_and.reduce([column == MISSING for column in profiles])
        for what, empty, remedy in (
            ("object", np.flatnonzero(absent[membership]) if absent.any() else absent[:0], "leave it out"),
            ("clustering", np.flatnonzero(self.n_clusters == 0), "drop the column"),
        ):
            if empty.size:
                raise ValueError(f"{what} {empty[0]} has no label at all ({empty.size} such); {remedy}")

    @cached_property
    def labels(self) -> IntArray:
        """The recoded labels, shape (n, m)."""
        return self.profiles[self.membership]

    @property
    def given(self) -> IntArray:
        """The label matrix as it was given, shape (n, m)."""
        return self.given_profiles[self.membership]

    @property
    def given_profiles(self) -> IntArray:
        """The profiles in the labels that were given, shape (n', m)."""
        columns = zip(self.cluster_names, self._profiles, strict=True)
        return np.column_stack([np.append(names, MISSING)[codes] for names, codes in columns])

    @cached_property
    def profiles(self) -> IntArray:
        """Distinct rows of the label matrix, in lexicographic order, shape (n', m)."""
        return np.column_stack(self._profiles).astype(np.int64)

    @property
    def n_profiles(self) -> int:
        """Number of distinct profiles, n'."""
        return len(self.weights)

    @cached_property
    def sparse_indicator(self) -> Any:
        """Cluster-indicator matrix of the profiles, a SciPy csr_array of shape (n', sum of k_i)."""
        from scipy.sparse import csr_array

        shape, m = (self.n_profiles, int(self.n_clusters.sum())), self.n_clusterings
        kind = np.int32 if self.n_profiles * m < 2**31 else np.int64
        columns = np.empty((self.n_profiles, m), dtype=kind)
        for i, first in enumerate(np.cumsum(self.n_clusters) - self.n_clusters):
            np.add(self._profiles[i], first, out=columns[:, i], casting="unsafe")
        starts = np.arange(0, columns.size + 1, m, dtype=kind)
        if self.has_missing:
            present = self.profiles != MISSING
            columns = columns[present]
            starts[1:] = np.cumsum(present.sum(axis=1))
        return csr_array((np.ones(columns.size), columns.ravel(), starts), shape=shape)

    @cached_property
    def indicator(self) -> FloatArray:
        """Cluster-indicator matrix of the profiles, shape (n', sum of k_i); a missing label is all zero."""
        indicator: FloatArray = self.sparse_indicator.toarray()
        return indicator

    @property
    def counts_expected(self) -> bool:
        """Whether there are missing labels, and they count as the expected ones."""
        return self.has_missing and self.missing == "expected"

    @cached_property
    def expected_indicator(self) -> Any:
        """Indicator matrix with the expected label where one is missing, a csr_array of shape (n', sum of k_i).

        Each cluster that holds an object votes on its label in a clustering that misses it, with the shares of that
        clustering's clusters among its own members; the expected label is the mean of the votes. The entries of an
        object in a clustering sum to 1, or to 0 where its clusters have no member that the clustering contains. Equal
        to ``sparse_indicator`` if no label is missing, and where missing labels are "ignored".
        """
        if not self.counts_expected:
            return self.sparse_indicator
        return expect_labels(self.sparse_indicator, self.weights, self.n_clusters, self.profiles != MISSING)

    def overlaps(self, weights: npt.NDArray[Any] | None = None) -> FloatArray:
        """Return the number of objects that two clusters share, Z' diag(w) Z, shape (sum of k_i, sum of k_i).

        Z is the indicator matrix, w the ``weights`` of the profiles, if given others than their numbers of objects.
        """
        scaled = self.scaled_indicator(self.weights if weights is None else weights)
        shared: FloatArray = (scaled.T @ self.sparse_indicator).toarray()
        return shared

    def overlap_rows(self, indicator: Any = None) -> Iterator[tuple[slice, FloatArray]]:
        """Yield some rows of :meth:`overlaps` after the other, with their place, so that all need no memory at once.

        They are those of the indicator matrix, or of another one, a csr_array of shape (n', clusters).
        """
        z = self.sparse_indicator if indicator is None else indicator
        scaled = self.scaled_indicator(self.weights, z).T.tocsr()
        n_clusters = z.shape[1]
        step = max(1, AT_ONCE // n_clusters)
        for first in range(0, n_clusters, step):
            here = slice(first, min(first + step, n_clusters))
            yield here, (scaled[here] @ z).toarray()

    def scaled_indicator(self, factors: npt.NDArray[Any], indicator: Any = None) -> Any:
        """Return diag(factors) Z, a csr_array of shape (n', sum of k_i), for the indicator matrix Z or another one."""
        from scipy.sparse import csr_array

        z = self.sparse_indicator if indicator is None else indicator
        data = z.data * np.repeat(np.asarray(factors, dtype=float), np.diff(z.indptr))
        return csr_array((data, z.indices, z.indptr), shape=z.shape)

    @property
    def is_tall(self) -> bool:
        """Whether the co-association matrix is best kept as Z Z' / m.

        That is where no label is missing and there are at least twice as many profiles as clusters.
        """
        return not self.has_missing and self.n_profiles >= 2 * int(self.n_clusters.sum())

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
        if not self.has_missing:
            return self.counts / self.n_clusterings
        ratio = np.zeros_like(self.counts)
        np.divide(self.counts, self.observed, out=ratio, where=self.observed > 0)
        return ratio

    @cached_property
    def expected_coassociation(self) -> FloatArray:
        """Co-association matrix of the expected labels, shape (n', n'): the expected share of clusterings that join.

        Equal to ``coassociation`` if no label is missing, and where missing labels are "ignored".
        """
        if not self.counts_expected:
            return self.coassociation
        z = self.expected_indicator
        return self.share_of_clusterings((z @ z.T).toarray())

    def share_of_clusterings(self, total: FloatArray) -> FloatArray:
        """Divide a sum over the clusterings, (n', n'), by the number of those that say something about a pair.

        These are all if no label is missing; else those in which both profiles have a label, known or expected. Of a
        pair without any the share is the mean share of the others, or 0 where missing labels are "ignored". Overwrites
        ``total`` if no label is missing.
        """
        if not self.has_missing:
            total /= self.n_clusterings
            return total
        if self.missing == "ignored":
            return total / np.maximum(self.observed, 1)
        known = (sum_by_clustering(self.expected_indicator.toarray(), self.n_clusters) > 0).astype(float)
        said = known @ known.T
        pairs = np.outer(self.weights, self.weights) - np.diag(self.weights)
        mean = np.vdot(pairs, total) / max(np.vdot(pairs, said), 1.0)
        shares: FloatArray = np.divide(total, said, out=np.full_like(total, mean), where=said > 0)
        return shares

    def expand(self, matrix: FloatArray) -> FloatArray:
        """Return the (n, n) matrix over objects of an (n', n') matrix over profiles."""
        return matrix[np.ix_(self.membership, self.membership)]

    def unmerged(self, profiles: "npt.ArrayLike | None" = None) -> "Ensemble":
        """Return the ensemble with a profile of its own for every object, or for each of those of some ``profiles``.

        Objects keep their labels, so that some of its profiles are equal. If all are unmerged, all matrices are (n, n).
        """
        split = np.isin(self.membership, self.membership if profiles is None else profiles)
        own = np.where(split, self.n_profiles + np.arange(self.n_objects), self.membership)
        _, first, membership = np.unique(own, return_index=True, return_inverse=True)
        twin = Ensemble.__new__(Ensemble)
        twin._set_missing(self.missing)
        twin._keep([column[self.membership[first]] for column in self._profiles], membership, self.cluster_names)
        return twin

    def completed(self) -> "Ensemble":
        """Return the ensemble with the most probable label in place of each missing one.

        Probable by :attr:`expected_indicator`, whatever ``missing`` is. A label stays missing, and is ignored, where
        nothing is known of it or several are equally probable.

        Examples
        --------
        >>> from consclust import Ensemble
        >>> Ensemble([[0, 5], [0, 5], [1, 7], [1, -1]]).completed().given
        array([[0, 5],
               [0, 5],
               [1, 7],
               [1, 7]])
        """
        expected = expect_labels(self.sparse_indicator, self.weights, self.n_clusters, self.profiles != MISSING)
        shares = np.split(expected.toarray(), np.cumsum(self.n_clusters)[:-1], axis=1)
        columns = zip(shares, self.cluster_names, strict=True)
        labels = np.column_stack([_most_probable(of_clustering, names) for of_clustering, names in columns])
        return Ensemble(labels[self.membership], "ignored")

    def subset(self, clusterings: Iterable[int]) -> "Ensemble":
        """Return the ensemble of some of the clusterings."""
        return Ensemble(self.given[:, list(clusterings)], self.missing)


def _most_probable(shares: FloatArray, names: IntArray) -> IntArray:
    """Return the name of the cluster with the largest share in each row; -1 where several have, or none."""
    largest = shares.max(axis=1, keepdims=True)
    is_one = (shares >= largest - ROUNDING).sum(axis=1) == 1
    return np.where(is_one & (largest[:, 0] > 0), names[shares.argmax(axis=1)], MISSING)


def as_ensemble(labels: "npt.ArrayLike | Ensemble") -> Ensemble:
    """Return ``labels`` as an :class:`Ensemble`."""
    return labels if isinstance(labels, Ensemble) else Ensemble(labels)


def clustering_columns(schema: Any) -> list[str]:
    """Return the columns with clusterings of a Parquet file, by its Arrow schema; ValueError if there are none."""
    index = index_columns(schema)
    if not (names := [name for name in schema.names if name not in index]):
        raise ValueError("no column of labels; write a column for each clustering")
    return names


def check_columns(names: Sequence[Any], first: Sequence[Any], where: str) -> None:
    """Raise ValueError unless columns have the names that those of the ``first`` part, ``where`` it is, have."""
    unlike = [(own, other) for own, other in zip_longest(names, first) if own != other]
    if unlike:
        absent, new = [n for n in first if n not in names], [n for n in names if n not in first]
        own, other = unlike[0]
        what = f"column {own!r} stands where {where} has {other!r}"
        if absent or new:
            what = f"no column {absent[0]!r}, which {where} has" if absent else f"{where} has no column {new[0]!r}"
        raise ValueError(f"{what}; write the same base clusterings, in the same order of columns, everywhere")


def check_frames(blocks: Iterable[Any]) -> Iterator[Any]:
    """Yield blocks of labels; ValueError for a data frame with other columns than the first, or in another order."""
    first: list[Any] | None = None
    for number, block in enumerate(blocks):
        if (columns := getattr(block, "columns", None)) is not None:
            first = first or list(columns)
            try:
                check_columns(list(columns), first, "the first data frame")
            except ValueError as mistake:
                raise ValueError(f"block {number} (from 0): {mistake}") from None
        yield block


def _matrices(blocks: Iterable[Any]) -> Iterator[npt.NDArray[Any]]:
    """Yield the label matrices of blocks; data frames among them must have the same columns."""
    for block in check_frames(blocks):
        yield label_matrix(block)


def _check_width(block: npt.NDArray[Any], number: int, n_clusterings: int) -> None:
    """Raise ValueError unless a block has as many clusterings as those before it."""
    if block.shape[1] != n_clusterings:
        what = f"block {number} (from 0) of labels holds {count(block.shape[1], 'clustering')}"
        raise ValueError(f"{what}, those before it {n_clusterings}; give every block the same columns")


def _join_profiles(parts: list[_Profiles]) -> _Profiles:
    """Return the distinct profiles of all blocks, and the profile of each object, from those of each block."""
    starts = np.cumsum([0, *(len(columns[0]) for columns, _ in parts[:-1])])
    columns = [np.concatenate(column) for column in zip(*(part for part, _ in parts), strict=True)]
    profiles, place = _distinct(columns)
    # the profiles of a block begin at its start among those of all blocks; an object goes by way of its own profile
    membership = np.concatenate([place[start + own] for start, (_, own) in zip(starts, parts, strict=True)])
    return profiles, membership


def coded_as(labels: npt.ArrayLike, cluster_names: list[IntArray]) -> IntArray:
    """Return labels, such as those of other objects, as the codes 0..k_i-1 of an ensemble's clusters.

    ``labels`` has shape (n objects, m clusterings), is named as in ``cluster_names``, and -1 marks a missing object.
    Raises ValueError for what is no label matrix, another number of clusterings, or a label that names no cluster.
    """
    raw = label_matrix(labels)
    if raw.shape[1] != len(cluster_names):
        raise ValueError(f"labels hold {count(raw.shape[1], 'clustering')}, the ensemble {len(cluster_names)}")
    return np.column_stack([_coded(raw[:, i], i, names) for i, names in enumerate(cluster_names)])


def _recoded(column: npt.NDArray[Any], names: IntArray) -> tuple[IntArray, IntArray]:
    """Return the codes of a column in the smallest integers, and the names of clusters with the new ones appended."""
    low = int(column.min())
    small = int(column.max()) - low < 2**16  # NumPy sorts integers of 16 bits in linear time
    if small:
        column = np.subtract(column, low, dtype=np.int64).astype(np.uint16)
    values, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    values = values.astype(np.int64) + (low if small else 0)
    appeared = values[np.argsort(first)]
    names = np.concatenate([names, appeared[(appeared != MISSING) & ~np.isin(appeared, names)]])
    smallest = np.min_scalar_type(-max(len(names), 1))
    return _coded(values, 0, names).astype(smallest)[inverse], names


def _distinct(columns: list[IntArray]) -> _Profiles:
    """Return the distinct rows of a matrix of codes >= -1, given by columns, and the place of each row among them.

    As ``np.unique`` along the rows, by one number for each row: its labels are the digits, the first the most
    significant. Where the next digit would not fit into 64 bits, the numbers so far give way to their ranks.
    """
    code, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        radix = int(column.max()) + 2
        if size * radix >= 2**63:
            found, code = np.unique(code, return_inverse=True)
            size = len(found)
        code *= radix
        code += column
        code += 1
        size *= radix
    found, membership = np.unique(code, return_inverse=True)
    row = np.empty(len(found), dtype=np.int64)
    row[membership] = np.arange(len(code))  # which of several equal rows is kept does not matter
    return [column[row] for column in columns], membership


def _coded(column: IntArray, clustering: int, names: IntArray) -> IntArray:
    known = np.append(names, MISSING)
    order = np.argsort(known)
    codes: IntArray = order[np.minimum(np.searchsorted(known, column, sorter=order), len(names))]
    for label in column[known[codes] != column][:1]:
        what = f"label {label} names no cluster of clustering {clustering} (from 0) of the ensemble"
        raise ValueError(f"{what}; write -1 where an object has no label")
    codes[codes == len(names)] = MISSING
    return codes


def label_matrix(labels: Any) -> npt.NDArray[Any]:
    """Return a label matrix of signed integers, without a copy where it is one."""
    matrix = _read_matrix(labels)
    if matrix.dtype == object:
        matrix = _read_objects(matrix)
    _check_whole_numbers(matrix)
    refuse_codes(matrix)
    if matrix.dtype.kind == "i":
        return matrix
    _check_64_bits(matrix)
    return matrix.astype(np.int64)


def _read_matrix(labels: Any) -> npt.NDArray[Any]:
    """Return labels as a matrix of any type; ValueError for what is none, or is empty."""
    if hasattr(labels, "toarray"):
        raise ValueError("labels must not be sparse; pass labels.toarray()")
    if np.ma.is_masked(labels):
        raise ValueError("labels must not be masked; pass labels.filled(-1)")
    refuse_unsigned(labels)
    try:
        matrix = np.asarray(_without_na(labels))
    except ValueError:
        what = "labels must be a matrix of n objects x m clusterings, got sequences of unequal lengths"
        missing = "write -1 for an object missing from a clustering"
        members = "if each sequence has the members of a cluster, give each object the number of its cluster"
        raise ValueError(f"{what}; {missing}; {members}") from None
    if matrix.ndim != 2:
        what = f"labels must be a matrix of n objects x m clusterings, got shape {matrix.shape}"
        raise ValueError(f"{what}; write a single clustering as a column: labels[:, None]")
    if 0 in matrix.shape:
        raise ValueError(f"labels must hold at least one object and one clustering, got shape {matrix.shape}")
    return matrix


def _read_objects(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a matrix of Python objects as one of numbers; ValueError for texts and for integers that are too large."""
    whole = all(isinstance(label, int | np.integer) for label in matrix.flat)
    try:
        return matrix.astype(np.int64 if whole else float)
    except (OverflowError, TypeError, ValueError):
        remedy = "words and NaN are read by Ensemble.from_frame(pandas.DataFrame(labels))"
        raise ValueError(f"labels must be integers of 64 bits; {remedy}") from None


def _check_whole_numbers(matrix: npt.NDArray[Any]) -> None:
    """Raise ValueError for labels that are no whole numbers."""
    if matrix.dtype.kind == "f":
        if not np.isfinite(matrix).all():
            raise ValueError("labels hold NaN or infinity; write -1 for an object missing from a clustering")
        if (matrix != np.round(matrix)).any():
            raise ValueError("labels must be integers, got fractions")
    elif matrix.dtype.kind not in "iub":
        remedy = "words are read by Ensemble.from_frame(pandas.DataFrame(labels))"
        raise ValueError(f"labels must be integers, got dtype {matrix.dtype}; {remedy}")


def _check_64_bits(matrix: npt.NDArray[Any]) -> None:
    """Raise ValueError for whole numbers that are no integers of 64 bits, or need not be those that were meant."""
    if matrix.dtype.kind == "b":
        return
    most = 2**53 if matrix.dtype.kind == "f" else 2**63  # above 2^53 different integers are the same float
    outside = matrix[(matrix >= most) | (matrix < -most)]
    if outside.size:
        raise ValueError(f"labels must be integers of 64 bits, got {outside[0]} as {matrix.dtype}; recode them")


def _without_na(labels: Any) -> Any:
    """Return a pandas DataFrame with -1 for NA in its columns of nullable integers; the rest as it is."""
    dtypes = labels.dtypes if hasattr(labels, "isetitem") else ()
    nullable = [i for i, dtype in enumerate(dtypes) if hasattr(dtype, "na_value") and dtype.kind in "iu"]
    if nullable:
        labels = labels.copy()
        for i in nullable:
            labels.isetitem(i, labels.iloc[:, i].to_numpy("int64", na_value=MISSING))
    return labels

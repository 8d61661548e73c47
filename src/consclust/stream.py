"""Base clusterings of very many objects, which are read block by block in several passes and never kept whole.

The methods that have a route for them, and what the passes are: :mod:`consclust.methods.streamed`.
"""

# pyarrow is imported where needed, so that what does without it starts faster

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self, get_args

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, IntArray, Unseen, check_columns, check_frames, clustering_columns, label_matrix
from consclust.extras import needs
from consclust.files import refuse_claims
from consclust.hashing import hash_rows
from consclust.label_checks import refuse_codes
from consclust.parquet import filled
from consclust.plurals import count

__all__ = ["Block", "StreamedEnsemble", "read_batches"]

MOST_IN_MEMORY = 2**20  # Objects up to which labels are kept in memory, and every method has its usual route
MOST_PROFILES = 2**20  # Distinct rows up to which ``Ensemble.from_parquet`` keeps them in memory
ROWS = 2**17  # Objects of a block; their labels stay in the cache of a processor
BUFFER = 2**20  # Bytes of a column of a Parquet file that are read at a time
ROOM = 4  # Of the folder for temporary files, what is free is at least so many times the size of a file there
WIDE = 2**16  # Labels from here on are sought in a sorted list, smaller ones stand in a table
UNKNOWN = -2  # Stands for a label without a code yet

Columns = Sequence[npt.NDArray[Any]] | npt.NDArray[Any]
"""Labels of some objects, a column for each clustering, -1 for a missing one."""


class TooManyProfiles(Exception):
    """There are more distinct rows than are kept in memory."""


class Block(NamedTuple):
    """Labels of some consecutive objects."""

    first: int
    """Number of the first object, from 0."""
    codes: npt.NDArray[np.signedinteger[Any]]
    """Labels of each clustering as 0..k_i-1 in order of first appearance, -1 where one is missing, (m, objects)."""

    @property
    def n_objects(self) -> int:
        """Number of objects in the block."""
        return len(self.codes[0])


class StreamedEnsemble:
    """Base clusterings of n objects that are read block by block.

    ``fit`` of a method takes it in place of an :class:`~consclust.Ensemble`. The labels are read again in every pass,
    so that the memory does not depend on their number. No result depends on the sizes of the blocks.

    Parameters
    ----------
    read : function without arguments
        Returns an iterator over the blocks, each a list of m columns of labels; it is called once a pass.
    missing : {"expected", "ignored"}, default "expected"
        What a missing label counts as, as in :class:`~consclust.Ensemble`.
    most_in_memory : int
        Objects up to which ``fit`` keeps all labels in memory; 2^20 unless given.

    Attributes
    ----------
    cluster_names : list of m ndarrays, shape (k_i,)
        The label of each cluster that has appeared so far.
    n_clusterings : int
        m, once a block has been read.

    Raises
    ------
    ValueError
        While blocks are read: for labels that :class:`~consclust.Ensemble` refuses, for blocks of unequal numbers of
        clusterings, and for labels that were not there in the first pass.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.methods import HBGF
    >>> from consclust.stream import StreamedEnsemble
    >>> blocks = [np.array([[0, 5], [0, 5]]), np.array([[1, 7], [1, -1], [1, 7]])]
    >>> HBGF(n_clusters=2, random_state=0).fit(StreamedEnsemble.from_blocks(blocks)).labels_
    array([0, 0, 1, 1, 1])
    """

    def __init__(
        self, read: Callable[[], Iterator[Columns]], missing: Unseen = "expected", most_in_memory: int = MOST_IN_MEMORY
    ) -> None:
        if missing not in get_args(Unseen):
            raise ValueError(f"missing = {missing!r}: must be one of {', '.join(map(repr, get_args(Unseen)))}")
        self.missing: Unseen = missing
        self.most_in_memory = most_in_memory
        self._read = read
        self._watch: Callable[[Iterator[Columns]], Iterator[Columns]] = iter
        self._clusters: list[_Clusters] = []
        self._is_read = False
        self._keeps_codes = False
        self._kept: _Spool | None = None

    @classmethod
    def from_parquet(
        cls,
        path: Path | str | Sequence[Path | str],
        columns: Sequence[str] | None = None,
        missing: Unseen = "expected",
        most_in_memory: int = MOST_IN_MEMORY,
    ) -> Self:
        """Return the base clusterings of a Parquet file, or of several files, one below the other.

        There is a row for each object and a column of whole numbers for each clustering; a null marks a missing object.
        ``columns`` names the clusterings (default: all columns but the index of a pandas frame). ValueError if a file
        has other columns than the first. Needs pyarrow, which comes with ``consclust[parquet]``.
        """
        paths = [path] if isinstance(path, str | Path) else list(path)
        return cls(lambda: _read_parquet(paths, columns), missing, most_in_memory)

    @classmethod
    def from_npy(cls, path: Path | str, missing: Unseen = "expected", most_in_memory: int = MOST_IN_MEMORY) -> Self:
        """Return the base clusterings of a ``.npy`` file, a label matrix (n, m), which is mapped into the memory."""
        with Path(path).open("rb") as handle:
            refuse_claims(handle)

        def read() -> Iterator[Columns]:
            return _read_matrices([np.load(path, mmap_mode="r", allow_pickle=False)])

        return cls(read, missing, most_in_memory)

    @classmethod
    def from_blocks(
        cls,
        blocks: Iterable[npt.ArrayLike] | Callable[[], Iterable[npt.ArrayLike]],
        missing: Unseen = "expected",
        most_in_memory: int = MOST_IN_MEMORY,
    ) -> Self:
        """Return the base clusterings of label matrices that lie one above the other, each of shape (objects, m).

        ``blocks`` may be a list, or a function that returns an iterator and is called once a pass. What can be iterated
        once only, such as a generator, is written to a temporary file first. ValueError for a data frame whose columns
        are not named as those of the first, in the same order.
        """
        if isinstance(blocks, Iterator):
            spool = _Spool()
            for columns in _read_matrices(blocks):
                spool.add(columns)
            return cls(lambda: map(list, spool.read()), missing, most_in_memory)
        return cls(lambda: _read_matrices(blocks() if callable(blocks) else blocks), missing, most_in_memory)

    def with_clustering(self, labels: npt.ArrayLike) -> "StreamedEnsemble":
        """Return a stream of the same objects with one more clustering before the others, such as a consensus.

        ``labels`` has shape (n,), -1 marks a missing object. ValueError for other labels, and while blocks are read if
        there are not as many objects.
        """
        one = np.asarray(labels)
        if one.ndim != 1:
            raise ValueError(f"a clustering must have a label for each object, shape (n,), got shape {one.shape}")
        column = label_matrix(one[:, None])[:, 0]
        joined = StreamedEnsemble(
            lambda: _add_column(column, self._watch(self._read())), self.missing, self.most_in_memory
        )
        if self._is_read:
            found = _Clusters()
            labels_there = np.setdiff1d(column, [MISSING])
            if labels_there.size:
                found.add(labels_there)
            joined._clusters = [found, *self._clusters]
            joined._is_read = True
        return joined

    def read_clusters(self) -> Self:
        """Read all labels once if no pass has read them yet, so that all clusters are known."""
        if not self._is_read:
            for _ in self.blocks():
                pass
        return self

    def __array__(self, *_: Any, **__: Any) -> npt.NDArray[Any]:
        """Raise TypeError: what needs all labels at once takes no stream."""
        remedy = "take an Ensemble, of a Parquet file Ensemble.from_parquet(path, stream=False)"
        raise TypeError(f"a StreamedEnsemble is read in passes, and its labels are never kept; {remedy}")

    def use_clusters(self, cluster_names: Sequence[IntArray]) -> Self:
        """Let the clusters have these labels, in this order, as those of a whole of which this stream is a part."""
        self._clusters = [_Clusters() for _ in cluster_names]
        for clusters, names in zip(self._clusters, cluster_names, strict=True):
            clusters.add(names)
        self._is_read = True
        return self

    def watched_by(self, watch: Callable[[Iterator[Columns]], Iterator[Columns]]) -> Self:
        """Let every pass go through a function of its blocks, such as one with a progress bar."""
        self._watch = watch
        return self

    def keep_codes(self, n_objects: int) -> None:
        """Let the passes after the next one read its codes from a temporary file, which takes less time than labels.

        The file has a byte for each label of at most 127 clusters. It is not made where less than ``ROOM`` times its
        size is free in the folder for temporary files, and is gone with :meth:`forget_codes` or this object.
        """
        n_bytes = n_objects * self.n_clusterings * self._choose_dtype().itemsize
        self._keeps_codes = shutil.disk_usage(tempfile.gettempdir()).free >= ROOM * n_bytes

    def forget_codes(self) -> None:
        """Let the passes read the labels again."""
        self._keeps_codes = False
        self._kept = None

    def blocks(self) -> Iterator[Block]:
        """Yield the labels of all objects, in their order, as codes; the first pass finds the clusters."""
        if self._kept is not None:
            yield from self._read_kept(self._kept)
            return
        spool = _Spool() if self._keeps_codes else None
        for block in self._read_blocks():
            if spool is not None:
                spool.add(block.codes)
            yield block
        self._kept = spool

    def _read_kept(self, spool: "_Spool") -> Iterator[Block]:
        """Yield the codes of all objects that an earlier pass kept."""
        n_read = 0
        for codes in self._watch(spool.read()):
            yield Block(n_read, np.asarray(codes))
            n_read += len(codes[0])

    def _read_blocks(self) -> Iterator[Block]:
        """Yield the labels of all objects as codes, from their source."""
        n_read = 0
        for columns in self._watch(self._read()):
            self._clusters = self._clusters or [_Clusters() for _ in columns]
            if len(columns) != self.n_clusterings:
                what = f"a block of labels holds {count(len(columns), 'clustering')}, those before it"
                raise ValueError(f"{what} {self.n_clusterings}; give every block the same columns")
            yield Block(n_read, self._encode(columns, n_read))
            n_read += len(columns[0])
        if n_read == 0:
            raise ValueError("there is no object; give at least one block of labels")
        self._is_read = True

    def _encode(self, columns: Columns, first: int) -> npt.NDArray[np.signedinteger[Any]]:
        """Return the codes of some objects, (m, objects), in the smallest integers that hold them."""
        codes = np.empty((len(columns), len(columns[0])), dtype=self._choose_dtype())
        found = {
            i: self._encode_column(i, column)
            for i, column in enumerate(columns)
            if not self._clusters[i].encode(column, codes[i])
        }
        codes = codes.astype(self._choose_dtype(), copy=False)  # there may be more clusters now
        for i, of_column in found.items():
            codes[i] = of_column
        is_absent = (codes == MISSING).all(axis=0) if codes.min() == MISSING else np.zeros(1, dtype=bool)
        if is_absent.any():
            raise ValueError(f"object {first + int(is_absent.argmax())} has no label at all; leave it out")
        return codes

    def _choose_dtype(self) -> np.dtype[Any]:
        """Return the smallest signed integers that hold all codes."""
        return np.min_scalar_type(-max(1, *(len(clusters.names) for clusters in self._clusters)))

    def _encode_column(self, i: int, column: npt.NDArray[Any]) -> IntArray:
        clusters = self._clusters[i]
        codes = clusters.find(column)
        is_new = codes == UNKNOWN
        if not is_new.any():
            return codes
        if self._is_read:
            label = column[is_new][0]
            raise ValueError(f"clustering {i} (from 0) has the label {label}, which was not there in the first pass")
        clusters.add(column[is_new])
        return clusters.find(column)

    @property
    def n_clusterings(self) -> int:
        """Number of base clusterings, m."""
        return len(self._clusters)

    @property
    def cluster_names(self) -> list[IntArray]:
        """The label of each cluster of each clustering, in order of first appearance."""
        return [clusters.names for clusters in self._clusters]


class _Clusters:
    """The clusters of one clustering: their labels in order of first appearance."""

    def __init__(self) -> None:
        self.names: IntArray = np.zeros(0, dtype=np.int64)
        # the code of each label from 0 on; the label -1 points to the last entry
        self._table: IntArray = np.array([MISSING], dtype=np.int32)

    def encode(self, column: npt.NDArray[Any], codes: npt.NDArray[np.signedinteger[Any]]) -> bool:
        """Set the codes of labels of one byte where these are bytes too; return whether that was possible.

        It is not where a label is not known. A table of bytes is by far the fastest way.
        """
        if column.dtype.itemsize > 1 or column.dtype.kind not in "iu" or codes.dtype != np.int8:
            return False
        table = np.full(256, UNKNOWN, dtype=np.int8)
        n_labels = min(len(self._table) - 1, 256 if column.dtype.kind == "u" else 128)
        table[:n_labels] = self._table[:n_labels]
        if column.dtype.kind == "i":
            table[MISSING] = MISSING
        codes[:] = np.frombuffer(column.tobytes().translate(table.tobytes()), dtype=np.int8)
        return bool(codes.min(initial=0) >= MISSING)

    def find(self, column: npt.NDArray[Any]) -> IntArray:
        """Return the code of each label, -1 for a missing one, and ``UNKNOWN`` for a new one."""
        if column.dtype.kind == "i":
            refuse_codes(column)
        largest = int(column.max())
        if largest > np.iinfo(np.int64).max:
            raise ValueError(f"labels must be integers of 64 bits, got {largest}; recode them")
        if largest < WIDE and self.names.max(initial=0) < WIDE:
            self._extend_table(largest)
            return self._table.take(column)
        known = np.append(self.names, MISSING)
        order = np.argsort(known)
        wanted = column.astype(np.int64)
        places = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)]
        codes = np.where(places == len(self.names), MISSING, places)
        return np.where(known[places] == wanted, codes, UNKNOWN)

    def add(self, labels: npt.NDArray[Any]) -> None:
        """Give codes to new labels, in order of first appearance."""
        values, first = np.unique(labels, return_index=True)
        appeared = values[np.argsort(first)].astype(np.int64)
        codes = np.arange(len(self.names), len(self.names) + len(appeared))
        self.names = np.concatenate([self.names, appeared])
        if self.names.max() < WIDE:
            self._extend_table(int(self.names.max()))
            self._table[appeared] = codes

    def _extend_table(self, largest: int) -> None:
        n_more = largest + 2 - len(self._table)
        if n_more > 0:
            unknown = np.full(n_more, UNKNOWN, dtype=np.int32)
            self._table = np.concatenate([self._table[:-1], unknown, self._table[-1:]])


class _Spool:
    """Blocks in a temporary file, from which they are read again and again."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed, and gone, with this object
        self._n_blocks = 0

    def add(self, columns: Columns) -> None:
        """Write a block at the end."""
        np.save(self._file, np.asarray(columns), allow_pickle=False)
        self._n_blocks += 1

    def read(self) -> Iterator[npt.NDArray[Any]]:
        """Yield the blocks, each with a column in a row."""
        self._file.seek(0)
        for _ in range(self._n_blocks):
            yield np.load(self._file, allow_pickle=False)


def _add_column(column: npt.NDArray[Any], blocks: Iterator[Columns]) -> Iterator[Columns]:
    """Yield blocks with one more column in front; ValueError if it has fewer or more objects than they."""
    first = 0
    for columns in blocks:
        last = first + len(columns[0])
        if last <= len(column):
            yield [column[first:last], *columns]
        first = last
    if first != len(column):
        raise ValueError(f"clustering must have a label for each of {first} objects, got {len(column)}")


def _read_matrices(matrices: Iterable[Any]) -> Iterator[Columns]:
    """Yield the columns of label matrices, some rows at a time; data frames must have the same columns."""
    for matrix in check_frames(matrices):
        is_plain = isinstance(matrix, np.ndarray) and matrix.ndim == 2 and matrix.dtype.kind in "iu" and matrix.size
        labels = matrix if is_plain else label_matrix(matrix)
        for start in range(0, len(labels), ROWS):
            yield list(np.ascontiguousarray(labels[start : start + ROWS].T))


def _read_parquet(paths: Sequence[Path | str], columns: Sequence[str] | None) -> Iterator[Columns]:
    """Yield the columns of Parquet files, some rows at a time."""
    with needs("parquet"):
        from pyarrow.parquet import ParquetFile

    first: list[str] = []
    for path in paths:
        with _named_damage(path), ParquetFile(path, buffer_size=BUFFER) as file:
            names = list(columns) if columns is not None else clustering_columns(file.schema_arrow)
            first = first or names
            try:
                check_columns(names, first, str(paths[0]))
            except ValueError as mistake:
                raise ValueError(f"{path}: {mistake}") from None
            for batch in read_batches(file, names):
                yield [_labels_of(batch.column(name), f"{path}, column {name}") for name in names]


@contextmanager
def _named_damage(path: Path | str) -> Iterator[None]:
    """Raise ValueError, in one line, for what is no Parquet file or a damaged one."""
    from pyarrow import ArrowException

    try:
        yield
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except (ArrowException, OSError) as damage:
        what = " ".join(str(damage).split())
        raise ValueError(f"{path}: no Parquet file, or a damaged one ({what}); write it again") from None


def limit_profiles(matrices: Iterable[npt.NDArray[Any]], most: int) -> Iterator[npt.NDArray[Any]]:
    """Yield label matrices that lie one above the other; raise TooManyProfiles if they have more distinct rows.

    Rows are counted by their hashes, after whoever takes the matrices has checked the labels.
    """
    seen = np.zeros(0, dtype=np.uint64)
    for matrix in matrices:
        yield matrix
        seen = np.union1d(seen, hash_rows(label_matrix(matrix)))
        if len(seen) > most:
            raise TooManyProfiles


def read_batches(file: Any, columns: Sequence[str]) -> Iterator[Any]:
    """Yield some columns of an open Parquet file, some rows at a time, which are the same whatever the columns are."""
    for group in range(file.num_row_groups):  # a reader of all groups keeps what it has read of each
        yield from file.iter_batches(ROWS, row_groups=[group], columns=list(columns), use_threads=False)


def _labels_of(stored: Any, where: str) -> npt.NDArray[Any]:
    """Return the labels of an Arrow column, -1 for a null; ValueError for what are no whole numbers."""
    has_null = stored.null_count > 0
    try:
        labels = (filled(stored, MISSING) if has_null else stored).to_numpy(zero_copy_only=False)
        if labels.dtype.kind in "iu":
            return np.asarray(labels)
        return label_matrix(labels[:, None])[:, 0]
    except ValueError as mistake:
        raise ValueError(f"{where}: {mistake}") from None

"""The Gram matrix of base clusters, and what else of an ensemble adds over its objects.

The matrix of overlaps, Z'Z with Z the indicator matrix, has a row for each base cluster. It is summed block by block,
in integers, so that neither the sizes of the blocks nor the places where a stream is divided change a bit.
"""

# SciPy and compiled kernels are imported where needed, so that what does without them starts faster

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray, Unseen
from consclust.expected import vote_on_labels
from consclust.hashing import hash_numbers
from consclust.stream import StreamedEnsemble

Codes = npt.NDArray[np.signedinteger[Any]]

EXACT = 2**20  # Objects up to which all take part in k-means and rotations
SAMPLE = 2**17  # Of more objects, so many take part
NARROW = 128  # Clusters of a clustering up to which, of many objects, overlaps are counted pair by pair of clusterings
MANY = 1000  # Objects from which they are
MOST_CLUSTERS = 20_000  # Base clusters in all, of which the overlaps take 3.2 GB
LANES = 16  # Doubles that a compiled loop takes in a step
BITS = 2.0**62  # What sums of rounded factors may reach at most


class Sample(NamedTuple):
    """Some objects of a stream, in their order."""

    places: IntArray
    """Their numbers, shape (s,)."""
    codes: Codes
    """Their labels, shape (m, s)."""


@dataclass(frozen=True)
class Summary:
    """What one pass over a stream, or a part of it, finds."""

    n_objects: int
    cluster_names: list[IntArray]
    """The label of each cluster of each clustering, in order of first appearance; m arrays of shape (k_i,)."""
    sizes: IntArray
    """Objects of each base cluster, shape (sum of k_i,)."""
    n_missing: int
    """Labels that are missing."""
    sample: Sample
    """All objects up to ``EXACT``; of more, those ``SAMPLE`` with the least hash of their number."""
    overlaps: IntArray | None = None
    """Objects that two clusters share, shape (sum of k_i, sum of k_i); None if they were not counted."""

    @property
    def n_clusters(self) -> IntArray:
        """Number of clusters of each clustering, k_i, shape (m,)."""
        return np.array([len(names) for names in self.cluster_names])

    @property
    def firsts(self) -> IntArray:
        """First base cluster of each clustering among all, shape (m,)."""
        firsts: IntArray = np.cumsum(self.n_clusters) - self.n_clusters
        return firsts

    @property
    def is_whole(self) -> bool:
        """Whether all objects are in the sample."""
        return len(self.sample.places) == self.n_objects


def summarise(stream: StreamedEnsemble, first: int = 0, with_overlaps: bool = False) -> Summary:
    """Read a stream once; ``first`` is the number of its first object in the whole, of which it may be a part.

    Raises ValueError as :class:`~consclust.stream.StreamedEnsemble` does, and for a clustering without any label.
    """
    sampler = _Sampler()
    n_objects = 0
    n_missing = 0
    counter = _Counter(with_overlaps)
    for block in stream.blocks():
        n_clusters = [len(names) for names in stream.cluster_names]
        _check_number(n_clusters)
        counter.grow(n_clusters)
        counter.add(block.codes)
        sampler.add(first + block.first, block.codes)
        n_objects += block.n_objects
        n_missing += int((block.codes == MISSING).sum())
    names = stream.cluster_names
    overlaps = counter.whole_overlaps()
    return Summary(n_objects, names, counter.sizes, n_missing, sampler.sample(), overlaps)


def _check_number(n_clusters: list[int]) -> None:
    """Raise ValueError for so many base clusters that their overlaps do not fit into the memory."""
    if sum(n_clusters) > MOST_CLUSTERS:
        place = int(np.argmax(n_clusters))
        what = (
            f"more than {MOST_CLUSTERS:,} base clusters, {n_clusters[place]:,} of them in clustering {place} (from 0)"
        )
        raise ValueError(f"{what}: leave it out if it is none, such as ids")


def join_summaries(parts: Sequence[Summary]) -> Summary:
    """Return the summary of a stream from those of its parts, in their order: the same as that of one pass over all."""
    counter = _Counter(with_overlaps=parts[0].overlaps is not None)
    names: list[IntArray] = [np.zeros(0, dtype=np.int64)] * len(parts[0].cluster_names)
    sampler = _Sampler()
    for part in parts:
        names = [_append_new(known, own) for known, own in zip(names, part.cluster_names, strict=True)]
        codes_of_names = [_places(known, own) for known, own in zip(names, part.cluster_names, strict=True)]
        counter.grow([len(known) for known in names])
        counter.add_counts(codes_of_names, part)
        smallest = np.min_scalar_type(-max(map(len, names)))
        rows = [np.append(new, MISSING)[row] for new, row in zip(codes_of_names, part.sample.codes, strict=True)]
        sampler.add_sample(Sample(part.sample.places, np.stack(rows).astype(smallest)))
    n_objects = sum(part.n_objects for part in parts)
    n_missing = sum(part.n_missing for part in parts)
    return Summary(n_objects, names, counter.sizes, n_missing, sampler.sample(), counter.overlaps)


def check_labelled(summary: Summary) -> None:
    """Raise ValueError if a clustering has no label at all."""
    empty = np.flatnonzero(summary.n_clusters == 0)
    if empty.size:
        raise ValueError(f"clustering {empty[0]} has no label at all ({empty.size} such); drop the column")


def _append_new(known: IntArray, names: IntArray) -> IntArray:
    return np.concatenate([known, names[~np.isin(names, known)]])


def _places(known: IntArray, names: IntArray) -> IntArray:
    """Return the place of each name among those that are known."""
    order = np.argsort(known)
    places: IntArray = order[np.searchsorted(known, names, sorter=order)]
    return places


class _Counter:
    """Sizes and overlaps of base clusters, while there may be further ones."""

    def __init__(self, with_overlaps: bool) -> None:
        self._n_clusters: IntArray = np.zeros(0, dtype=np.int64)
        self.sizes: IntArray = np.zeros(0, dtype=np.int64)
        self.overlaps: IntArray | None = np.zeros((0, 0), dtype=np.int64) if with_overlaps else None

    def grow(self, n_clusters: Sequence[int]) -> None:
        """Make room for so many clusters of each clustering."""
        wanted = np.array(n_clusters)
        if np.array_equal(wanted, self._n_clusters):
            return
        own = np.zeros_like(wanted)
        own[: len(self._n_clusters)] = self._n_clusters
        firsts = np.cumsum(wanted) - wanted
        places = np.concatenate([first + np.arange(k) for first, k in zip(firsts, own, strict=True)])
        sizes = np.zeros(int(wanted.sum()), dtype=np.int64)
        sizes[places] = self.sizes
        if self.overlaps is not None:
            overlaps = np.zeros((len(sizes), len(sizes)), dtype=np.int64)
            overlaps[np.ix_(places, places)] = self.overlaps
            self.overlaps = overlaps
        self.sizes = sizes
        self._n_clusters = wanted

    @property
    def _firsts(self) -> IntArray:
        firsts: IntArray = np.cumsum(self._n_clusters) - self._n_clusters
        return firsts

    def add(self, codes: Codes) -> None:
        """Count the objects of a block; overlaps above the diagonal only."""
        if self.overlaps is not None:
            CodedRows(codes, self._firsts).add_overlaps(np.ones(codes.shape[1]), self.overlaps)
            self.sizes = self.overlaps.diagonal().copy()
            return
        from consclust.numerics.kernels.stream_kernels import count_members

        count_members(codes, self._firsts, self.sizes)

    def whole_overlaps(self) -> IntArray | None:
        """Return the overlaps on both sides of the diagonal."""
        return None if self.overlaps is None else complete_symmetric(self.overlaps)

    def add_counts(self, codes_of_names: list[IntArray], part: Summary) -> None:
        """Add the counts of a part, whose clusters have these codes here."""
        places = np.concatenate([first + codes for first, codes in zip(self._firsts, codes_of_names, strict=True)])
        self.sizes[places] += part.sizes
        if self.overlaps is not None:
            assert part.overlaps is not None
            self.overlaps[np.ix_(places, places)] += part.overlaps


def complete_symmetric(upper: IntArray) -> IntArray:
    """Return a symmetric matrix of its upper triangle."""
    whole: IntArray = np.triu(upper) + np.triu(upper, 1).T
    return whole


class _Sampler:
    """Keeps all objects while they are few, and then those with the least hashes of their numbers."""

    def __init__(self) -> None:
        self._parts: list[Sample] = []
        self._n_kept = 0
        self._is_cut = False
        self._highest = np.uint64(2**64 - 1)

    def add(self, first: int, codes: Codes) -> None:
        """Consider the objects of a block."""
        self.add_sample(Sample(np.arange(first, first + codes.shape[1]), codes))

    def add_sample(self, given: Sample) -> None:
        """Consider some objects."""
        if self._is_cut:
            given = _select(given, hash_numbers(given.places) <= self._highest)
        self._parts.append(given)
        self._n_kept += len(given.places)
        if self._n_kept > EXACT or (self._is_cut and self._n_kept > 2 * SAMPLE):
            self._cut()

    def _cut(self) -> None:
        kept = self._join()
        hashes = hash_numbers(kept.places)
        if len(hashes) > SAMPLE:
            self._highest = np.partition(hashes, SAMPLE - 1)[SAMPLE - 1]
            kept = _select(kept, hashes <= self._highest)
        self._is_cut = True
        self._parts = [kept]
        self._n_kept = len(kept.places)

    def _join(self) -> Sample:
        smallest = max((part.codes.dtype for part in self._parts), key=lambda dtype: dtype.itemsize)
        codes = np.concatenate([part.codes.astype(smallest) for part in self._parts], axis=1)
        return Sample(np.concatenate([part.places for part in self._parts]), codes)

    def sample(self) -> Sample:
        """Return the objects that are kept."""
        if self._is_cut:
            self._cut()
        return self._join()


def _select(given: Sample, wanted: npt.NDArray[np.bool_]) -> Sample:
    return Sample(given.places[wanted], given.codes[:, wanted])


class Profiles(NamedTuple):
    """The distinct rows of a sample."""

    codes: Codes
    """Shape (m, n')."""
    weights: IntArray
    """Objects of the sample with each of them, shape (n',)."""
    membership: IntArray
    """Row of each object of the sample, shape (s,)."""


def find_profiles(sample: Sample) -> Profiles:
    """Return the distinct rows of a sample, in the order of an :class:`~consclust.Ensemble`."""
    is_known = (sample.codes != MISSING).any(axis=1)  # a clustering may label none of the objects in a sample
    ensemble = Ensemble(sample.codes[is_known].T)
    codes = np.full((len(sample.codes), ensemble.n_profiles), MISSING, dtype=sample.codes.dtype)
    codes[is_known] = ensemble.given_profiles.T
    return Profiles(codes, ensemble.weights, ensemble.membership)


# ---------------------------------------------------------------------- rows of the indicator matrix, block by block


class Rows(Protocol):
    """Rows of the indicator matrix of all base clusters, for some objects."""

    def sum(self, table: FloatArray) -> FloatArray:
        """Return the product with a table, (sum of k_i, d), shape (objects, d)."""

    def add_overlaps(self, factors: FloatArray, overlaps: IntArray) -> None:
        """Add Z' diag(f) Z to the upper triangle of a matrix, in place, every product rounded."""


class CodedRows:
    """Rows in which a missing label is all zero."""

    def __init__(self, codes: Codes, firsts: IntArray) -> None:
        self._codes = codes
        self._firsts = firsts

    def sum(self, table: FloatArray) -> FloatArray:
        """Return the product with a table, (sum of k_i, d), shape (objects, d)."""
        from consclust.numerics.kernels.stream_kernels import sum_rows_of_table

        padded = pad_columns(table)
        sums = np.empty((self._codes.shape[1], padded.shape[1]))
        sum_rows_of_table(self._codes, self._firsts, padded, sums)
        return sums[:, : table.shape[1]]

    def add_overlaps(self, factors: FloatArray, overlaps: IntArray) -> None:
        """Add Z' diag(f) Z to the upper triangle of a matrix, in place, every product rounded."""
        from consclust.numerics.kernels.stream_kernels import add_overlaps, add_overlaps_by_pairs

        most = int(np.diff(self._firsts, append=len(overlaps)).max())
        by_pairs = most <= NARROW and self._codes.shape[1] >= MANY
        add = add_overlaps_by_pairs if by_pairs else add_overlaps
        add(self._codes, self._firsts, np.rint(factors).astype(np.int64), overlaps)


def pad_columns(table: FloatArray) -> FloatArray:
    """Return a table in one block, with columns of 0 up to a multiple of ``LANES`` unless it has few.

    Loops over so many columns are compiled to operations on vectors, and what is left over to single ones: 15 columns
    take 1.7 times as long as 16.
    """
    d = table.shape[1]
    n_more = -d % LANES if d >= LANES // 4 else 0
    return np.ascontiguousarray(np.pad(table, ((0, 0), (0, n_more))))


class ExpectedRows:
    """Rows in which the expected label stands for a missing one."""

    def __init__(self, indicator: Any) -> None:
        self._indicator = indicator

    def sum(self, table: FloatArray) -> FloatArray:
        """Return the product with a table, (sum of k_i, d), shape (objects, d)."""
        sums: FloatArray = self._indicator @ table
        return sums

    def add_overlaps(self, factors: FloatArray, overlaps: IntArray) -> None:
        """Add Z' diag(f) Z to the upper triangle of a matrix, in place, every product rounded."""
        from consclust.numerics.kernels.stream_kernels import add_products

        z = self._indicator
        add_products(z.indptr, z.indices, z.data, factors, overlaps)


class Indicator:
    """The indicator matrix of a stream: makes the rows of some objects from their labels."""

    def __init__(self, summary: Summary, missing: Unseen) -> None:
        self.n_clusters = summary.n_clusters
        self._firsts = np.cumsum(self.n_clusters) - self.n_clusters
        self._votes: Any = None
        if summary.n_missing and missing == "expected":
            assert summary.overlaps is not None
            self._votes = find_votes(summary.overlaps, self.n_clusters)

    @property
    def counts_expected(self) -> bool:
        """Whether there are missing labels, and they count as the expected ones."""
        return self._votes is not None

    def rows(self, codes: Codes) -> Rows:
        """Return the rows of objects with these labels, (m, objects)."""
        if not self.counts_expected or codes.min(initial=0) != MISSING:
            return CodedRows(codes, self._firsts)
        return ExpectedRows(expect_rows(codes, self._votes, self.n_clusters))


def find_votes(overlaps: IntArray, n_clusters: IntArray) -> Any:
    """Return how the members of each cluster are shared among those of every other clustering.

    A csr_array of shape (sum of k_i, sum of k_i), what :func:`~consclust.expected.vote_on_labels` takes.
    """
    from scipy.sparse import csr_array

    clustering = np.repeat(np.arange(len(n_clusters)), n_clusters)
    shared = np.where(clustering[:, None] == clustering, 0.0, overlaps)
    firsts = np.cumsum(n_clusters) - n_clusters
    contained = np.repeat(np.add.reduceat(shared, firsts, axis=1), n_clusters, axis=1)
    return csr_array(np.divide(shared, contained, out=shared, where=contained > 0))


def expect_rows(codes: Codes, votes: Any, n_clusters: IntArray) -> Any:
    """Return the rows of some objects with the expected label where one is missing, a csr_array (objects, sum of k_i).

    As :func:`~consclust.expected.expect_labels`, whose votes are those of the objects at hand.
    """
    from scipy.sparse import csr_array

    known = (codes != MISSING).T
    firsts = np.cumsum(n_clusters) - n_clusters
    columns = (codes.T + firsts)[known]
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    given = csr_array((np.ones(len(columns)), columns, starts), shape=(len(known), int(n_clusters.sum())))
    lacking = np.flatnonzero(~known.all(axis=1))
    expected = vote_on_labels(given[lacking], votes, n_clusters)
    expected[np.repeat(known[lacking], n_clusters, axis=1)] = 0.0
    place = csr_array((np.ones(len(lacking)), (lacking, np.arange(len(lacking)))), shape=(len(known), len(lacking)))
    rows = csr_array(given + place @ csr_array(expected))
    rows.sort_indices()
    return rows


def weigh_overlaps(codes: Iterable[Codes], indicator: Indicator, degrees: FloatArray, summary: Summary) -> FloatArray:
    """Return Z' D^-1 Z, (sum of k_i, sum of k_i), in a pass over the labels of all objects.

    Z is the indicator matrix, and D has the degree of each object: the sum of the ``degrees`` of its clusters, (sum of
    k_i,), all above 0. The factors are rounded to integers, in such a unit that the sums stay below 2^62.
    """
    unit = find_unit(degrees, indicator, summary)
    total = np.zeros((len(degrees), len(degrees)), dtype=np.int64)
    for block in codes:
        rows = indicator.rows(block)
        rows.add_overlaps(unit / rows.sum(degrees[:, None])[:, 0], total)
    return complete_symmetric(total) / unit


def find_unit(degrees: FloatArray, indicator: Indicator, summary: Summary) -> float:
    """Return what 1 stands for in sums of 1 / degree over the objects, a power of 2.

    With L labels of an object, 1 / (sum of its degrees) is at most the sum of their inverses over L^2. With expected
    labels, which add degrees, it is at most the inverse of the least.
    """
    if indicator.counts_expected:
        bound = summary.n_objects / float(degrees.min())
    else:
        n_labels = 1 if summary.n_missing else len(summary.n_clusters)
        bound = float((summary.sizes / degrees).sum()) / n_labels**2
    return float(2.0 ** np.floor(np.log2(BITS / bound)))


def read_codes(stream: StreamedEnsemble) -> Iterator[Codes]:
    """Yield the labels of the objects of a stream, block by block."""
    for block in stream.blocks():
        yield block.codes

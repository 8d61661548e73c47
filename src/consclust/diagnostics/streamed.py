"""What the diagnostics count of base clusterings that are read block by block: contingency tables, drawn pairs."""

# compiled kernels are imported where needed, so that what does without them starts faster

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.pairs import Pairs, draw_objects
from consclust.ensemble import MISSING, IntArray
from consclust.numerics.gram import summarise
from consclust.stream import StreamedEnsemble


def count_with(stream: StreamedEnsemble, clustering: npt.ArrayLike) -> list[IntArray]:
    """Return the contingency table of a clustering, (n,), with each base clustering: m arrays of shape (k_i, K).

    Objects that one of both misses are left out. Takes a pass, and one before if the stream has not been read yet.
    ValueError for a clustering of another number of objects.
    """
    from consclust.numerics.kernels.stream_kernels import count_labels

    joined = stream.read_clusters().with_clustering(clustering)
    n_labels = len(joined.cluster_names[0])
    n_clusters = np.array([len(names) for names in joined.cluster_names[1:]])
    firsts: IntArray = np.cumsum(n_clusters) - n_clusters
    counts = np.zeros((n_clusters.sum(), n_labels), dtype=np.int64)
    for block in joined.blocks():
        codes = block.codes[:, block.codes[0] != MISSING]
        count_labels(codes[1:], firsts, codes[0].astype(np.int64), counts)
    return np.split(counts, firsts[1:])


def count_between(stream: StreamedEnsemble) -> list[list[IntArray]]:
    """Return the contingency tables of every two base clusterings, m lists of m arrays (k_i, k_j); takes a pass."""
    summary = summarise(stream, with_overlaps=True)
    assert summary.overlaps is not None
    ends = np.cumsum(summary.n_clusters)[:-1]
    return [np.split(rows, ends, axis=1) for rows in np.split(summary.overlaps, ends)]


def draw_pairs(stream: StreamedEnsemble, n: int, sample: int, rng: np.random.Generator) -> Iterator[Pairs]:
    """Yield random pairs of different objects of n, those that are drawn of an ensemble; takes a pass."""
    drawn = list(draw_objects(n, sample, rng))
    wanted = np.unique(np.concatenate([objects for pair in drawn for objects in pair]))
    labels = gather_objects(stream, wanted)
    others = np.where(labels == MISSING, labels.dtype.type(-2), labels)
    for first, second in drawn:
        of_first = labels[:, np.searchsorted(wanted, first)]
        of_second = others[:, np.searchsorted(wanted, second)]
        yield Pairs(of_first, of_second, np.ones(len(first)))


def gather_objects(stream: StreamedEnsemble, numbers: IntArray) -> npt.NDArray[Any]:
    """Return the labels of some objects, by their numbers in ascending order, shape (m, numbers)."""
    parts = []
    for block in stream.blocks():
        here = slice(*np.searchsorted(numbers, [block.first, block.first + block.n_objects]))
        parts.append(block.codes[:, numbers[here] - block.first])
    return np.concatenate(parts, axis=1)

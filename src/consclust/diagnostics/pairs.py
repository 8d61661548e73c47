"""Pairs of objects, all of them or a random sample: the clusterings that join a pair, and those that contain it."""

from collections.abc import Iterator
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray

MOST_PAIRS = 2 * 10**8  # Pairs of profiles that are counted one by one: about 10 s with 20 clusterings
SAMPLE = 10**6  # Pairs of objects that are drawn where there are more
AT_ONCE = 2**18  # Pairs of a block: some bytes each, which fit into the cache of a processor


class Pairs(NamedTuple):
    """Some pairs of profiles, as labels that broadcast against each other, and the pairs of objects they stand for."""

    first: npt.NDArray[Any]  # Labels of the clusterings, shape (m, ...); -1 is missing
    second: npt.NDArray[Any]  # -2 is missing, so that it equals none
    weights: FloatArray  # Pairs of different objects

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the pairs."""
        return np.broadcast_shapes(self.first.shape[1:], self.second.shape[1:])

    def joined(self, clustering: int) -> npt.NDArray[np.bool_]:
        """Return which pairs a clustering joins."""
        joined: npt.NDArray[np.bool_] = self.first[clustering] == self.second[clustering]
        return joined

    def contained(self, clustering: int) -> npt.NDArray[np.bool_]:
        """Return which pairs a clustering contains."""
        contained: npt.NDArray[np.bool_] = (self.first[clustering] >= 0) & (self.second[clustering] >= 0)
        return contained

    def counts(self) -> tuple[IntArray, IntArray]:
        """Return the numbers of clusterings that join, and of those that contain, each pair."""
        m, shape = len(self.first), self.shape
        joined, containing = np.zeros((2, *shape), dtype=np.min_scalar_type(m))
        complete = self.first.min() >= 0 and self.second.min() >= 0
        if complete:
            containing[:] = m
        for i in range(m):
            joined += self.joined(i)
            if not complete:
                containing += self.contained(i)
        return joined, containing

    def values(self) -> FloatArray:
        """Return the co-association of each pair; 0 where no clustering contains both."""
        joined, containing = self.counts()
        values: FloatArray = joined / np.maximum(containing, 1)
        return values


def n_pairs(n: int) -> int:
    """Return the number of pairs of n different things."""
    return n * (n - 1) // 2


def is_exact(ensemble: Ensemble, most: float) -> bool:
    """Return whether there are at most so many pairs of profiles, equal ones included."""
    return n_pairs(ensemble.n_profiles + 1) <= most


def half_width(sample: int, confidence: float = 0.95) -> float:
    """Return the half-width of the band for a distribution function, and for any mean of values in [0, 1].

    ``sample`` independent draws have a distribution function that differs from the true one nowhere by more, with this
    probability: the square root of log(2 / (1 - confidence)) / (2 sample) (Dvoretzky, Kiefer, Wolfowitz 1956 with the
    constant of Massart 1990; for a mean Hoeffding 1963). Raises ValueError for a confidence outside (0, 1) and
    without a draw.

    Examples
    --------
    >>> from consclust.diagnostics import half_width
    >>> round(half_width(10_000, confidence=0.95), 4)
    0.0136
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence}: must be in (0, 1)")
    require_at_least(1, "sample", sample)
    return sqrt(log(2 / (1 - confidence)) / (2 * sample))


def all_pairs(ensemble: Ensemble) -> Iterator[Pairs]:
    """Yield all pairs of profiles, each once, in blocks of rows."""
    sizes = ensemble.weights.astype(float)
    labels = columns(ensemble)
    others = columns(ensemble, -2)
    for rows in row_blocks(ensemble.n_profiles):
        first = rows.start
        # of two profiles all pairs of their objects, of one profile those of two different objects
        weights = np.triu(np.outer(sizes[rows], sizes[first:]), 1)
        own = np.arange(len(weights))
        weights[own, own] = sizes[rows] * (sizes[rows] - 1) / 2
        yield Pairs(labels[:, rows, None], others[:, None, first:], weights)


def drawn_pairs(ensemble: Ensemble, sample: int, rng: np.random.Generator) -> Iterator[Pairs]:
    """Yield random pairs of different objects, each of the same probability, drawn with replacement, in blocks."""
    n = ensemble.n_objects
    labels = columns(ensemble)
    others = columns(ensemble, -2)
    for first, second in draw_objects(n, sample, rng):
        of_first = ensemble.membership[first]
        of_second = ensemble.membership[second]
        yield Pairs(labels[:, of_first], others[:, of_second], np.ones(len(first)))


def draw_objects(n: int, sample: int, rng: np.random.Generator) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the numbers of the first and of the second objects of random pairs, in blocks."""
    for start in range(0, sample, AT_ONCE):
        size = min(AT_ONCE, sample - start)
        first = rng.integers(n, size=size)
        second = rng.integers(n - 1, size=size)
        second += second >= first  # any object but the first
        yield first, second


def some_pairs(ensemble: Ensemble, most: float, sample: int, seed: Any) -> Iterator[Pairs]:
    """Yield all pairs where :func:`is_exact`, else a sample of them."""
    if is_exact(ensemble, most):
        return all_pairs(ensemble)
    require_at_least(1, "sample", sample)
    return drawn_pairs(ensemble, sample, np.random.default_rng(seed))


def full_rows(ensemble: Ensemble, against: IntArray | None = None) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Yield blocks of rows of the co-association matrix of the profiles: the rows, values, and 1 where a pair was seen.

    Both are of shape (rows, n'); the value is 0 where no clustering contains the pair. ``against`` names the profiles
    of the columns; default: all. The diagonal is 1.
    """
    labels = columns(ensemble)
    others = columns(ensemble, -2)
    if against is not None:
        others = others[:, against]
    for rows in row_blocks(ensemble.n_profiles, others.shape[1]):
        joined, containing = Pairs(labels[:, rows, None], others[:, None], np.empty(0)).counts()
        yield rows, joined / np.maximum(containing, 1), np.minimum(containing, 1).astype(float)


def row_blocks(n: int, width: int | None = None) -> Iterator[slice]:
    """Yield slices of n rows, each of at most AT_ONCE entries where a row has ``width`` (default n)."""
    size = max(1, AT_ONCE // (width or n))
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def columns(ensemble: Ensemble, missing: int = MISSING) -> npt.NDArray[Any]:
    """Return the profiles with a row for each clustering, (m, n'), in the smallest integers that hold them."""
    smallest = np.min_scalar_type(-int(ensemble.n_clusters.max()) - 1)
    labels = np.ascontiguousarray(ensemble.profiles.T, dtype=smallest)
    labels[labels == MISSING] = missing
    return labels


def require_at_least(least: int, name: str, value: float) -> None:
    """Raise ValueError for a number that is less, or NaN."""
    if not value >= least:
        raise ValueError(f"{name} = {value}: must be at least {least}")


def one_cluster_each(labels: npt.ArrayLike, n: int) -> tuple[IntArray, IntArray]:
    """Return labels recoded to 0..K-1, (n,), in the order of the given ones, and the sizes of the clusters, (K,).

    Raises ValueError for another shape and for a missing label.
    """
    found = np.asarray(labels)
    if found.shape != (n,):
        raise ValueError(f"labels must have a cluster for each of {n} objects, got shape {found.shape}")
    if found.dtype.kind not in "iub" or (found == MISSING).any():
        raise ValueError("labels must be integers, and none -1 (missing); give every object a cluster")
    codes: IntArray = np.unique(found, return_inverse=True)[1]
    return codes, np.bincount(codes)

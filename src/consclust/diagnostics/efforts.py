"""What the diagnostics take, before they are made, and on how many objects they are within given limits.

Seconds are CPU seconds of one process, bytes those of matrices beside the ensemble. Both are estimates: constants were
measured on one processor, and each method declares what a fit takes
(:meth:`~consclust.methods.base.ConsensusMethod.estimate`). n is the number of objects, m that of clusterings, n' that
of distinct label profiles.
"""

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

import numpy as np

from consclust.diagnostics.pairs import MOST_PAIRS, SAMPLE, n_pairs
from consclust.diagnostics.resampling import ResampledKMeans
from consclust.diagnostics.stability import keep_objects
from consclust.ensemble import MISSING, Ensemble, IntArray
from consclust.methods.base import ConsensusMethod, Need
from consclust.seeds import generator

SIZES = (
    500, 600, 800, 1_000, 1_200, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000, 15_000, 20_000,
    50_000, 100_000, 200_000,
)  # fmt: skip
"""Numbers of objects that samples have."""
PAIR = 1.6e-9
"""Seconds of counting a clustering at a pair of profiles."""
MERGE = 2e-8
"""Seconds of average linkage, for each entry of a matrix of the profiles."""
LINKAGE_MATRICES = 3
"""Of doubles over the profiles: the similarities, the distances and a copy."""
STEP = 0.003
"""Seconds of a consensus or of the criteria at one k, however few the objects."""
KMEANS = 2e-8
"""Seconds of one run of k-means, for each object, feature and cluster."""
RUN = 0.003
"""Seconds of one run of k-means, however few the objects."""
COPHENETIC_PROFILES = 5_000
"""Most profiles of the cophenetic correlation; of more a sample counts."""


class Budget(NamedTuple):
    """What a computation may take."""

    seconds: float
    bytes: float

    def covers(self, need: Need) -> bool:
        """Return whether a need is within the budget."""
        return need.seconds <= self.seconds and need.bytes <= self.bytes

    def share(self, part: float) -> "Budget":
        """Return a part of the seconds, beside all bytes: what is computed one after the other."""
        return self._replace(seconds=part * self.seconds)


def add_needs(needs: Iterable[Need]) -> Need:
    """Return what computations take one after the other."""
    seconds, most = 0.0, 0.0
    for need in needs:
        seconds += need.seconds
        most = max(most, need.bytes)
    return Need(seconds, most)


def draw_objects(n: int, size: int, seed: int) -> IntArray:
    """Return ``size`` of n objects, drawn at random without replacement, ascending."""
    return np.sort(generator(seed, "sample of objects").choice(n, size, replace=False))


def choose_size(n: int, estimate: Callable[[int], Need], budget: Budget) -> int:
    """Return n where that many objects are within a budget, else the largest of ``SIZES`` that is, or the smallest."""
    sizes = [n, *(size for size in reversed(SIZES) if size < n)]
    # from the largest one: a few thousand objects may take longer than many, which have few profiles for their clusters
    fitting = (size for size in sizes if budget.covers(estimate(size)))
    return next(fitting, sizes[-1])


def estimate_fits(ensemble: Ensemble, methods: Collection[ConsensusMethod], fits: int) -> Need:
    """Return what some fits of each method to ensembles like a given one take."""
    needs = [method.estimate(ensemble) for method in methods]
    return add_needs(need._replace(seconds=fits * need.seconds) for need in needs)


def permute_labels(ensemble: Ensemble) -> Ensemble:
    """Return the ensemble of permuted labels, as the null reference of :func:`~consclust.diagnostics.choose_k`."""
    rng = np.random.default_rng(0)
    permuted = ensemble.given
    for column in permuted.T:
        there = np.flatnonzero(column != MISSING)
        column[there] = column[rng.permutation(there)]
    return Ensemble(permuted, ensemble.missing)


def estimate_choice(
    ensemble: Ensemble, n_ks: int, halves: int, nulls: int, method: ConsensusMethod | None = None
) -> Need:
    """Return what :func:`~consclust.diagnostics.choose_k` takes for a label matrix with some numbers of clusters.

    Permuted labels hardly have a profile in common, so that n' is taken as that of the null reference.
    """
    if method is None:
        n, m = ensemble.n_objects, ensemble.n_clusterings
        # one tree is cut at all k
        consensus = Need((MERGE + PAIR * m / 2) * n**2 + STEP, 8.0 * LINKAGE_MATRICES * n**2)
    else:
        consensus = estimate_fits(permute_labels(ensemble) if nulls else ensemble, [method], n_ks)
    criteria = _estimate_criteria(ensemble.n_objects, halves)
    # data and draws: the consensus of all clusterings and of each half; of the data the halves once more
    n_consensus = (1 + nulls) * (1 + halves) + halves
    seconds = n_consensus * consensus.seconds + (1 + nulls) * n_ks * criteria.seconds
    return Need(seconds, max(consensus.bytes, criteria.bytes))


def _estimate_criteria(n: int, m: int) -> Need:
    """Return what the criteria take at one k, of n profiles in m resampled clusterings."""
    pairs = min(n_pairs(n), SAMPLE if n_pairs(n) > MOST_PAIRS else MOST_PAIRS)
    of_tree = min(n, COPHENETIC_PROFILES) ** 2
    seconds = PAIR * m * (pairs + of_tree) + MERGE * of_tree + STEP
    return Need(seconds, 8.0 * LINKAGE_MATRICES * of_tree)


def estimate_kmeans(n: float, d: int, k: int) -> Need:
    """Return what one run of k-means with k clusters takes for n objects with d features."""
    return Need(RUN + KMEANS * n * d * k, 8.0 * n * d)


def estimate_choice_from_features(
    n: int,
    d: int,
    ks: Collection[int],
    recipe: ResampledKMeans,
    halves: int,
    nulls: int,
    method: ConsensusMethod | None = None,
) -> Need:
    """Return what :func:`~consclust.diagnostics.choose_k` takes for features, (n, d)."""
    runs = recipe.runs
    kmeans = sum(estimate_kmeans(recipe.share * n, d, k).seconds for k in ks)
    if method is None:
        consensus = Need((MERGE + PAIR * runs) * n**2 + STEP, 8.0 * LINKAGE_MATRICES * n**2)
    else:
        largest = max(ks)
        rng = np.random.default_rng(0)
        consensus = method.estimate(Ensemble(rng.integers(largest, size=(n, runs))))
    criteria = _estimate_criteria(n, runs)
    # a consensus at each k, whose clusterings are its own; of the data those of the halves too, and k-means once more
    n_consensus = (1 + nulls + halves) * len(ks)
    seconds = n_consensus * consensus.seconds + (1 + nulls) * len(ks) * criteria.seconds + (2 + nulls) * runs * kmeans
    return Need(seconds, max(consensus.bytes, criteria.bytes))


def sample_ensemble(ensemble: Ensemble, size: int, seed: int) -> Ensemble:
    """Return the ensemble of :func:`draw_objects`; of all objects the ensemble itself."""
    if size >= ensemble.n_objects:
        return ensemble
    return keep_objects(ensemble, draw_objects(ensemble.n_objects, size, seed))

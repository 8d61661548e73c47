"""How many clusters: several criteria over a range of k, beside those of data without clusters, so that it may be 1.

At each k there are clusterings that are resampled at this k, their co-association matrix M, and a consensus of k
clusters. From *features*, the clusterings are k-means of random parts of the objects, as in the R package
ConsensusClusterPlus, and the consensus is theirs. From a *label matrix*, the consensus is that of all clusterings, and
the resampled ones are the consensuses of random halves of the clusterings.
"""

# pandas, joblib, scikit-learn, threadpoolctl and SciPy are imported where needed: what does without starts faster

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain
from math import ceil
from operator import index
from typing import Any, Literal, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.ensembles import agreement_with
from consclust.diagnostics.pairs import n_pairs, require_at_least
from consclust.diagnostics.stability import (
    cluster_consensus,
    consensus_silhouette,
    consensus_values,
    cophenetic_correlation,
    delta_area,
    item_consensus,
)
from consclust.diagnostics.trust import fitted_labels
from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray, as_ensemble
from consclust.ensembles.draws import subsamples
from consclust.errors import ConsensusFailure
from consclust.extras import needs
from consclust.methods.base import ConsensusMethod
from consclust.numerics.linkage import object_merges
from consclust.numerics.numbering import renumber
from consclust.seeds import generator

# Criteria, and whether the largest (1) or the smallest (-1) value is the best
CRITERIA: Mapping[str, int] = {
    "PAC": -1,
    "delta area": 1,
    "cophenetic": 1,
    "silhouette": 1,
    "cluster consensus": 1,
    "agreement": 1,
}
LEAST_INCREASE = 0.1  # Of the area, for delta area without a null reference; no source gives a number
COLUMNS = ("criterion", "k", "value", "null_mean", "null_sd", "score", "p", "best", "chosen")


@dataclass(frozen=True)
class ResampledKMeans:
    """How features are clustered at each k: k-means on random parts of the objects.

    Parameters
    ----------
    runs : int
        Clusterings.
    share : float in (0, 1]
        Part of the objects that a run has, rounded up; the same objects at each k.
    init : {"k-means++", "random"}
        First centres.
    max_iter : int
        Most iterations of a run.
    """

    runs: int = 50
    share: float = 0.8
    init: Literal["k-means++", "random"] = "k-means++"
    max_iter: int = 100


def choose_k(
    labels: npt.ArrayLike | Ensemble | None = None,
    ks: Iterable[int] = range(2, 11),
    *,
    features: npt.ArrayLike | None = None,
    recipe: ResampledKMeans | None = None,
    method: ConsensusMethod | None = None,
    halves: int = 20,
    nulls: int = 19,
    level: float = 0.05,
    seed: int = 0,
    n_jobs: int = 1,
    watch: Callable[[Iterable[FloatArray]], Iterable[FloatArray]] = iter,
) -> Any:
    r"""Compare numbers of clusters by several criteria at once, and with data that have no clusters.

    Parameters
    ----------
    labels : array-like of int, shape (n, m), or Ensemble
        Base clusterings; -1 marks a missing object.
    ks : ints >= 2
        Numbers of clusters to compare.
    features : array-like, shape (n, d), in place of ``labels``
        They are clustered by ``recipe``.
    recipe : ResampledKMeans
        Default: 50 runs on 80 % of the objects.
    method : ConsensusMethod, optional
        Fitted as a copy at each k, whatever its ``n_clusters``. Default: average linkage of the co-association matrix,
        whose tree is cut at each k. It takes 8 n'^2 bytes; for many objects pass a method of linear cost such as LWGP.
    halves : int
        Random halves of the clusterings of a label matrix.
    nulls : int
        Draws of the null reference; 0 for none.
    level : float
        Level of the test of k = 1.
    seed : int
    n_jobs : int
        Processes, which share the data and the draws of the null reference; the result does not depend on it.
    watch : callable
        Progress bar, such as tqdm: it is given an iterable of 1 + ``nulls`` items and yields them.

    Returns
    -------
    pandas.DataFrame with a row for each criterion and k, and one with k = 1 for each criterion. Columns:

    * ``value``. "PAC", "delta area", "cophenetic": of the resampled clusterings. "silhouette" (mean on 1 - M),
      "cluster consensus" (mean by the sizes of the clusters), "agreement" (mean ARI with the clusterings): of the
      consensus, with the clusterings of the label matrix, or those of the features at this k. NaN where the method has
      no answer with k clusters.
    * ``null_mean``, ``null_sd``: mean and standard deviation over the null reference.
    * ``score``: how much better the value is than ``null_mean``. For PAC it is :math:`\log_2` of their ratio, the
      relative cluster stability index of M3C, with half a pair added to both; for the others their difference, as in
      the gap statistic.
    * ``p``: Monte Carlo p-value, (1 + draws at least as good) / (1 + draws); in the row of k = 1 that of the best k:
      values are standardised over data and draws at each k, and the largest ones over k compared.
    * ``best``: the k with the best value; for delta area the last k with an increase of at least 10 %. Never 1.
    * ``chosen``: the k with the best score, for delta area ``best``; 1 if the p-value in that row exceeds ``level``.
      Without a null reference it is ``best``. Of equal ones the smallest k.

    Notes
    -----
    The null reference of features is Gaussian with their covariance: independent draws along the principal components
    (John, Watson, Barnes, Pitzalis, Lewis: M3C, Scientific Reports 10, 2020). That of a label matrix permutes the
    labels of each clustering on their own among the objects that it contains. It tests less: clusterings of data
    without clusters also agree with each other, because the data have a shape, and k = 1 is rejected for that alone.
    Where there are features, pass them instead: their null reference has the shape of the data.

    Takes (1 + ``nulls``) (1 + ``halves``) fits for each k from labels, or (1 + ``nulls``) ``runs`` runs of k-means and
    a fit for each k from features; with the default method O(n'^2) for each tree.

    Raises ValueError unless one of ``labels`` and ``features`` is given, for invalid ones, for a single clustering, for
    k outside 2..n, a negative number of draws, or a recipe with fewer objects in a run than k; ExtraNeeded without
    pandas, which comes with ``consclust[plot]``.

    Examples
    --------
    >>> from consclust.diagnostics import choose_k
    >>> from consclust.testing import l30  # 8 clusterings of 3 classes of 10 objects
    >>> table = choose_k(l30(), range(2, 5), halves=4, nulls=0)
    >>> list(table.columns)
    ['criterion', 'k', 'value', 'null_mean', 'null_sd', 'score', 'p', 'best', 'chosen']
    """
    with needs("plot"):
        import pandas as pd
    from joblib import Parallel, delayed

    require_at_least(0, "nulls", nulls)
    if 0 < nulls < (enough := ceil(1 / level) - 1):
        warnings.warn(
            f"nulls = {nulls}: no p-value can be as small as level = {level:g}, so k = 1 is chosen; "
            f"take at least {enough}, or 0 for no null reference",
            stacklevel=2,
        )
    data, numbers = _make_source(labels, ks, features, recipe, method, halves, seed)
    tasks = (delayed(_compute_criteria)(source, numbers) for source in chain([data], map(data.null, range(nulls))))
    values, *null = watch(Parallel(n_jobs, return_as="generator")(tasks))
    of_nulls = np.array(null).reshape(nulls, *values.shape)
    half_pair = 0.5 / n_pairs(data.n_objects())
    rows: list[tuple[Any, ...]] = []
    for c, name in enumerate(CRITERIA):
        rows += _compare_with_nulls(name, numbers, values[c], of_nulls[:, c], level, half_pair)
    return pd.DataFrame(rows, columns=list(COLUMNS))


class Stage(NamedTuple):
    """What there is at one k."""

    resampled: Ensemble | None  # Clusterings at this k
    compared: Ensemble  # Clusterings that the consensus is compared with
    labels: IntArray | None  # Consensus, (n,)


def resampled(
    labels: npt.ArrayLike | Ensemble | None = None,
    ks: Iterable[int] = range(2, 11),
    *,
    features: npt.ArrayLike | None = None,
    recipe: ResampledKMeans | None = None,
    method: ConsensusMethod | None = None,
    halves: int = 20,
    seed: int = 0,
) -> dict[int, Stage]:
    """Return the resampled clusterings and the consensus at each k, of which :func:`choose_k` computes the criteria.

    Parameters
    ----------
    labels, ks, features, recipe, method, halves, seed
        As in :func:`~consclust.diagnostics.choose_k`.

    Returns
    -------
    dict from k to a named tuple
        ``resampled``, an Ensemble of clusterings with k clusters; ``compared``, the Ensemble that the consensus is
        compared with; ``labels``, the consensus, shape (n,). The first and the last are None where the method has no
        answer with k clusters.

    Raises
    ------
    ValueError
        As in :func:`~consclust.diagnostics.choose_k`.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.diagnostics import consensus_values, resampled
    >>> labels = np.repeat([[0, 0, 1, 1], [1, 1, 0, 0], [2, 2, 1, 0]], 4, axis=0)
    >>> stages = resampled(labels, [2, 3], halves=4)
    >>> stages[3].labels
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    >>> consensus_values(stages[3].resampled).pac()
    0.0
    """
    data, numbers = _make_source(labels, ks, features, recipe, method, halves, seed)
    return dict(zip(numbers, data.stages(numbers), strict=True))


class _Source(Protocol):
    def stages(self, ks: Sequence[int]) -> Iterator[Stage]:
        """Yield what there is at each k."""

    def null(self, draw: int) -> Self:
        """Return the same of data without clusters."""

    def most_clusters(self) -> int:
        """Return the largest k that the objects allow."""

    def n_objects(self) -> int:
        """Return the number of objects."""


def _make_source(
    labels: npt.ArrayLike | Ensemble | None,
    ks: Iterable[int],
    features: npt.ArrayLike | None,
    recipe: ResampledKMeans | None,
    method: ConsensusMethod | None,
    halves: int,
    seed: int,
) -> tuple[_Source, list[int]]:
    """Return what there is to cluster, and the k's in increasing order."""
    numbers = _sort_numbers(ks)
    require_at_least(1, "halves", halves)
    data: _Source
    if labels is None and features is not None:
        data = _Features.make(features, recipe or ResampledKMeans(), method, seed)
    elif labels is not None and features is None:
        data = _Labels.make(as_ensemble(labels), halves, method, seed)
    else:
        raise ValueError("give either labels or features")
    if not numbers or numbers[0] < 2 or numbers[-1] > data.most_clusters():
        raise ValueError(f"ks = {numbers}: must be from 2 to {data.most_clusters()}, the objects of a clustering")
    return data, numbers


def _sort_numbers(ks: Iterable[int]) -> list[int]:
    """Return the k's in increasing order, each once."""
    try:
        return sorted({index(k) for k in ks})
    except TypeError:
        raise ValueError(f"ks = {ks!r}: must be several integers, such as range(2, 11)") from None


@dataclass(frozen=True)
class _Labels:
    """A label matrix, (n, m), and the clusterings of each half."""

    given: IntArray
    halves: Sequence[IntArray]
    method: ConsensusMethod | None
    seed: int

    @classmethod
    def make(cls, ensemble: Ensemble, halves: int, method: ConsensusMethod | None, seed: int) -> Self:
        m = ensemble.n_clusterings
        if m < 2:
            raise ValueError("there is a single clustering, which has no halves; give at least two")
        rng = generator(seed, "choose k", "halves")
        parts = [np.sort(rng.choice(m, m // 2, replace=False)) for _ in range(halves)]
        return cls(ensemble.given, parts, method, seed)

    def stages(self, ks: Sequence[int]) -> Iterator[Stage]:
        every = Ensemble(self.given)
        consensus = consensus_labels(self.given, ks, self.method)
        of_halves = [consensus_labels(self.given[:, half], ks, self.method) for half in self.halves]
        for k in ks:
            found = [half[k] for half in of_halves if k in half]
            yield Stage(_keep_labelled(np.column_stack(found)) if found else None, every, consensus.get(k))

    def null(self, draw: int) -> Self:
        rng = generator(self.seed, "choose k", "null", draw)
        permuted = self.given.copy()
        for column in permuted.T:
            there = np.flatnonzero(column != MISSING)
            column[there] = column[rng.permutation(there)]
        return type(self)(permuted, self.halves, self.method, self.seed)

    def most_clusters(self) -> int:
        return len(self.given)

    n_objects = most_clusters


@dataclass(frozen=True)
class _Features:
    """Features, (n, d), and the objects of each run, (n, runs)."""

    features: FloatArray
    present: npt.NDArray[np.bool_]
    recipe: ResampledKMeans
    method: ConsensusMethod | None
    seed: int
    name: str | int = "data"

    @classmethod
    def make(cls, features: npt.ArrayLike, recipe: ResampledKMeans, method: ConsensusMethod | None, seed: int) -> Self:
        matrix = np.asarray(features, dtype=float)
        if matrix.ndim != 2 or len(matrix) < 3 or not np.isfinite(matrix).all():
            raise ValueError(f"features must be a matrix of finite numbers, n >= 3, got shape {matrix.shape}")
        if recipe.runs < 2 or not 0 < recipe.share <= 1:
            raise ValueError(f"{recipe}: needs at least two runs, and a share in (0, 1]")
        every = np.arange(recipe.runs)[None]
        present = subsamples(len(matrix), recipe.runs, recipe.share, every, seed, ("choose k",))
        return cls(matrix, present, recipe, method, seed)

    def stages(self, ks: Sequence[int]) -> Iterator[Stage]:
        for k in ks:
            labels = self._cluster_parts(k)
            ensemble = Ensemble(labels)
            yield Stage(ensemble, ensemble, consensus_labels(labels, [k], self.method, self.features).get(k))

    def _cluster_parts(self, k: int) -> IntArray:
        """Return k-means with k clusters of the objects of each run, (n, runs)."""
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning
        from threadpoolctl import threadpool_limits

        rng = generator(self.seed, "choose k", self.name, k)
        labels = np.full(self.present.shape, MISSING)
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct objects than k, or max_iter
            for run, there in enumerate(self.present.T):
                start = int(rng.integers(2**32))
                algorithm = KMeans(
                    k, init=self.recipe.init, n_init=1, max_iter=self.recipe.max_iter, random_state=start
                )
                labels[there, run] = algorithm.fit(self.features[there]).labels_
        return labels

    def null(self, draw: int) -> Self:
        rng = generator(self.seed, "choose k", "null", draw)
        mean = self.features.mean(axis=0)
        # independent draws along the principal components have the covariance of the features, and no clusters
        _, lengths, axes = np.linalg.svd(self.features - mean, full_matrices=False)
        deviations = lengths / np.sqrt(len(self.features) - 1)
        drawn = mean + (rng.normal(size=(len(self.features), len(lengths))) * deviations) @ axes
        return type(self)(drawn, self.present, self.recipe, self.method, self.seed, draw)

    def most_clusters(self) -> int:
        return ceil(self.recipe.share * len(self.features))

    def n_objects(self) -> int:
        return len(self.features)


def consensus_labels(
    given: IntArray, ks: Sequence[int], method: ConsensusMethod | None, features: FloatArray | None = None
) -> dict[int, IntArray]:
    """Return the consensus of a label matrix, (n, m), with each number of clusters for which there is one, (n,) each.

    By the method, or average linkage of the co-association matrix; -1 for an object without any label.
    """
    found: dict[int, IntArray] = {}
    if method is None:
        known = (given != MISSING).any(axis=1)
        for k, labels in average_linkage_labels(Ensemble(given[known]), ks).items():
            found[k] = np.full(len(given), MISSING, dtype=np.int64)
            found[k][known] = labels
        return found
    for k in ks:
        of_k = copy(method)
        of_k.n_clusters = k
        try:
            found[k] = fitted_labels(given, of_k, features)
        except ConsensusFailure:
            continue
    return found


def average_linkage_labels(ensemble: Ensemble, ks: Sequence[int]) -> dict[int, IntArray]:
    """Cut the tree of the co-association matrix at each k up to n', (n,) each; O(n'^2) time for all of them.

    Of tied merges those of objects with one profile come first, so that none of these are parted.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = ensemble.n_objects
    merges, _ = object_merges(ensemble.coassociation, ensemble.membership, "average")
    found = {}
    for k in ks:
        if k <= ensemble.n_profiles:
            graph = coo_array((np.ones(n - k), tuple(merges[: n - k].T)), shape=(n, n))
            found[k] = renumber(connected_components(graph, directed=False)[1].astype(np.int64))
    return found


def _keep_labelled(labels: IntArray) -> Ensemble:
    """Return the ensemble of the objects that have a label."""
    return Ensemble(labels[(labels != MISSING).any(axis=1)])


def _compute_criteria(data: _Source, ks: Sequence[int]) -> FloatArray:
    """Return the values of the criteria, (criteria, k's)."""
    from threadpoolctl import threadpool_limits

    values = np.full((len(CRITERIA), len(ks)), np.nan)
    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        for i, stage in enumerate(data.stages(ks)):
            if stage.resampled is not None:
                pairs = consensus_values(stage.resampled)
                values[0, i] = pairs.pac()
                values[1, i] = pairs.area()
                values[2, i] = cophenetic_correlation(stage.resampled)
            if stage.labels is not None:
                values[3:, i] = _judge_consensus(stage.compared, stage.labels)
    values[1] = delta_area(values[1])
    return values


def _judge_consensus(ensemble: Ensemble, labels: IntArray) -> tuple[float, float, float]:
    """Return the mean silhouette, cluster consensus, and agreement with the clusterings."""
    items = item_consensus(ensemble, labels)
    silhouette = float(consensus_silhouette(items, labels).mean()) if items.shape[1] > 1 else np.nan
    each = cluster_consensus(items, labels)
    sizes = np.bincount(np.unique(labels, return_inverse=True)[1])
    several = sizes > 1
    mean = float(np.average(each[several], weights=sizes[several])) if several.any() else np.nan
    return silhouette, mean, float(np.nanmean(agreement_with(ensemble, labels)))


class _NullStatistics(NamedTuple):
    """How the values of a criterion compare with those of the null reference, each of shape (k's,) but the last."""

    mean: FloatArray
    deviation: FloatArray
    score: FloatArray
    p: FloatArray
    p_best: float  # Of the best k


def _compare_with_nulls(
    name: str, ks: Sequence[int], values: FloatArray, nulls: FloatArray, level: float, half_pair: float
) -> list[tuple[Any, ...]]:
    """Return the rows of one criterion; ``values`` has shape (k's,), ``nulls`` (draws, k's)."""
    sign = CRITERIA[name]
    if len(nulls):
        found = _null_statistics(name, values, nulls, half_pair)
    else:
        nothing = np.full(len(ks), np.nan)
        found = _NullStatistics(nothing, nothing, nothing, nothing, np.nan)
    best = _find_best(name, ks, sign * values)
    chosen = best
    if len(nulls) and best is not None:
        if found.p_best > level or np.isnan(found.p_best):
            chosen = 1
        elif name != "delta area":
            chosen = _find_best(name, ks, found.score)
    rows: list[tuple[Any, ...]] = [(name, 1, np.nan, np.nan, np.nan, np.nan, found.p_best, False, chosen == 1)]
    numbers = zip(ks, values, found.mean, found.deviation, found.score, found.p, strict=True)
    return rows + [(name, *row, row[0] == best, row[0] == chosen) for row in numbers]


def _null_statistics(name: str, values: FloatArray, nulls: FloatArray, half_pair: float) -> _NullStatistics:
    """Compare the values of a criterion with those of the draws of the null reference; at least one draw."""
    sign = CRITERIA[name]
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of means over no value
        mean = np.nanmean(nulls, axis=0)
        deviation = np.nanstd(nulls, axis=0, ddof=1)
        ratio = np.log2((mean + half_pair) / (values + half_pair))
        score = ratio if name == "PAC" else sign * (values - mean)
        as_good = (sign * nulls >= sign * values).sum(axis=0)
        p = np.where(known, (1 + as_good) / (1 + len(nulls)), np.nan)
        # the data are one more draw under the hypothesis of no clusters, so the first row of the pool
        pool = np.vstack([values, nulls])
        standardised = _standardise(pool, np.nanmean(pool, axis=0), np.nanstd(pool, axis=0), sign)
        most = np.nanmax(standardised, axis=1)
        p_best = float((most >= most[0]).mean()) if known.any() else np.nan
    return _NullStatistics(mean, deviation, score, p, p_best)


def _standardise(values: FloatArray, mean: FloatArray, deviation: FloatArray, sign: int) -> FloatArray:
    """Return by how many standard deviations values are better than the mean; 0 for equal ones without deviation."""
    difference = sign * (values - mean)
    return np.where(difference == 0, 0.0, difference / deviation)


def _find_best(name: str, ks: Sequence[int], values: FloatArray) -> int | None:
    """Return the k of the largest value, the smallest of several; None if there is no value."""
    if np.isnan(values).all():
        return None
    if name == "delta area":
        enough = [k for k, increase in zip(ks[1:], values[1:], strict=True) if increase >= LEAST_INCREASE]
        return max(enough, default=ks[0])
    return ks[int(np.nanargmax(values))]

"""The criteria of the number of clusters: their values at each k, and how they compare with data without clusters."""

# threadpoolctl is imported where needed: what does without starts faster

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from consclust.diagnostics.ensembles import agreement_with
from consclust.diagnostics.resampling import Part, Source
from consclust.diagnostics.stability import (
    cluster_consensus,
    consensus_silhouette,
    consensus_values,
    cophenetic_correlation,
    delta_area,
    item_consensus,
)
from consclust.ensemble import Ensemble, FloatArray, IntArray


class Criterion(NamedTuple):
    """What is known of a criterion."""

    sign: int
    """Whether the largest (1) or the smallest (-1) value is the best."""
    perfect: float | None
    """The value of clusterings that agree in everything, beyond which there is none; None if there is no such value."""
    is_weak: bool = False
    """Whether it was often wrong where it was measured, see docs/choice-of-k.md."""


SILHOUETTE, DISPERSION, DELTA_AREA = "silhouette", "dispersion", "delta area"
CRITERIA: Mapping[str, Criterion] = {
    SILHOUETTE: Criterion(1, 1.0),
    DISPERSION: Criterion(-1, None),
    "cluster consensus": Criterion(1, 1.0),
    "agreement": Criterion(1, 1.0),
    "PAC": Criterion(-1, 0.0, is_weak=True),
    "cophenetic": Criterion(1, 1.0, is_weak=True),
    DELTA_AREA: Criterion(1, None, is_weak=True),
}
"""The criteria by name; those that were measured to be right most often come first."""
LEAST_INCREASE = 0.1
"""Of the area, for delta area; no source gives a number."""


class Values(NamedTuple):
    """All that a rule for the number of clusters knows."""

    names: Sequence[str]
    """Criteria."""
    ks: Sequence[int]
    data: FloatArray
    """(criteria, k's); NaN where there is no value."""
    nulls: FloatArray
    """Of the draws of the null reference, (draws, criteria, k's)."""
    halves: FloatArray
    """Silhouettes of the consensus of random halves of the clusterings, (halves, k's)."""
    half_pair: float
    """One half divided by the number of pairs of objects."""

    def pool(self, name: str) -> FloatArray:
        """Return the values of a criterion, (1 + draws, k's).

        The data come first. Under the hypothesis of no clusters they are one more draw.
        """
        place = self.names.index(name)
        return np.vstack([self.data[place], self.nulls[:, place]])


class NullStatistics(NamedTuple):
    """How the values of a criterion compare with those of the null reference, each of shape (k's,) but the last."""

    mean: FloatArray
    deviation: FloatArray
    score: FloatArray
    p: FloatArray
    p_one_cluster: float
    """Of k = 1: how often data without clusters are at least as far from their like at their best k."""


def list_criteria(source: Source) -> list[str]:
    """Return the criteria that there are for features or for a label matrix."""
    return _name_criteria(source.has_features)


def _name_criteria(has_features: bool) -> list[str]:
    return [name for name in CRITERIA if has_features or name != DISPERSION]


def find_tested(names: Collection[str]) -> str:
    """Return which of some criteria tests one cluster for the recommendation."""
    return DISPERSION if DISPERSION in names else SILHOUETTE


def compute_criteria(data: Source, ks: Sequence[int]) -> FloatArray:
    """Return the values of :func:`list_criteria`, (criteria, k's); NaN where there is none."""
    from threadpoolctl import threadpool_limits

    values = {name: np.full(len(ks), np.nan) for name in CRITERIA}
    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        for i, (k, stage) in enumerate(zip(ks, data.stages(ks), strict=True)):
            values[DISPERSION][i] = data.dispersion(k)
            if stage.resampled is not None:
                pairs = consensus_values(stage.resampled)
                values["PAC"][i] = pairs.pac()
                values[DELTA_AREA][i] = pairs.area()
                values["cophenetic"][i] = cophenetic_correlation(stage.resampled)
            if stage.labels is not None:
                items = item_consensus(stage.compared, stage.labels)
                values[SILHOUETTE][i] = _average_silhouette(items, stage.labels)
                values["cluster consensus"][i] = _average_cluster_consensus(items, stage.labels)
                values["agreement"][i] = _average_agreement(stage.compared, stage.labels)
    values[DELTA_AREA] = _compute_increases(ks, values[DELTA_AREA])
    return np.array([values[name] for name in list_criteria(data)])


def compute_silhouettes(data: Source, ks: Sequence[int]) -> FloatArray:
    """Return the mean silhouette of the consensus of each half of the clusterings, (halves, k's)."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return np.array([[_judge_part(part.get(k)) for k in ks] for part in data.parts(ks)])


def _judge_part(part: Part | None) -> float:
    if part is None:
        return np.nan
    return _average_silhouette(item_consensus(part.clusterings, part.labels), part.labels)


def _average_silhouette(items: FloatArray, labels: IntArray) -> float:
    """Return the mean silhouette of the objects that have one: an object may be seen with no other cluster."""
    if items.shape[1] < 2:
        return np.nan
    return float(average_known(consensus_silhouette(items, labels)))


def _average_cluster_consensus(items: FloatArray, labels: IntArray) -> float:
    """Return the mean over the clusters of several objects, weighted by their sizes."""
    each = cluster_consensus(items, labels)
    sizes = np.bincount(np.unique(labels, return_inverse=True)[1])
    several = sizes > 1
    return float(np.average(each[several], weights=sizes[several])) if several.any() else np.nan


def _average_agreement(ensemble: Ensemble, labels: IntArray) -> float:
    return float(np.nanmean(agreement_with(ensemble, labels)))


def _compute_increases(ks: Sequence[int], areas: FloatArray) -> FloatArray:
    """Return the increases of the area; NaN after a wider step than the narrowest one, as they cannot be compared."""
    increases = delta_area(areas)
    steps = np.diff(ks)
    if len(steps):
        increases[1:][steps > steps.min()] = np.nan
    return increases


def tabulate_values(ks: Sequence[int], finished: Sequence[FloatArray], has_features: bool) -> Any:
    """Return a data frame of the values of a comparison that has not ended.

    Parameters
    ----------
    ks : sequence of int
        Numbers of clusters.
    finished : sequence of ndarray, each of shape (criteria, k's)
        Values of the data, and of the draws of the null reference that there are.
    has_features : bool
        Whether features were clustered.

    Returns
    -------
    pandas.DataFrame
        A row for each criterion and k: ``value``, and ``null_mean`` and ``null_sd`` over the draws, NaN without any.
    """
    import pandas as pd

    values, *drawn = finished
    nulls = np.array(drawn).reshape(len(drawn), *values.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of means and deviations over no value
        mean = np.nanmean(nulls, axis=0)
        deviation = np.nanstd(nulls, axis=0, ddof=1)
    names = _name_criteria(has_features)
    return pd.DataFrame(
        {
            "criterion": np.repeat(names, len(ks)),
            "k": np.tile(ks, len(names)),
            "value": values.ravel(),
            "null_mean": mean.ravel(),
            "null_sd": deviation.ravel(),
        }
    )


def compare_with_nulls(values: Values, level: float) -> list[tuple[Any, ...]]:
    """Return the rows of all criteria, the columns of :func:`~consclust.diagnostics.choose_k` up to ``chosen``."""
    of_dispersion = None
    if len(values.nulls) and DISPERSION in values.names:
        of_dispersion = find_largest_deviations(DISPERSION, values.pool(DISPERSION), values.half_pair)
    rows = []
    for name in values.names:
        rows += _make_rows(name, values.ks, values.pool(name), of_dispersion, level, values.half_pair)
    return rows


def _make_rows(
    name: str, ks: Sequence[int], pool: FloatArray, of_dispersion: FloatArray | None, level: float, half_pair: float
) -> list[tuple[Any, ...]]:
    """Return the rows of one criterion; ``pool``, (1 + draws, k's), has the data first."""
    values, nulls = pool[0], pool[1:]
    nothing = np.full(len(ks), np.nan)
    found = NullStatistics(nothing, nothing, nothing, nothing, np.nan)
    if len(nulls):
        found = compute_null_statistics(name, pool, of_dispersion, half_pair)
    best = _find_best(name, ks, values)
    chosen = _choose(name, ks, found, level) if len(nulls) and best is not None else best
    rows: list[tuple[Any, ...]] = [(name, 1, np.nan, np.nan, np.nan, np.nan, found.p_one_cluster, False, chosen == 1)]
    numbers = zip(ks, values, found.mean, found.deviation, found.score, found.p, strict=True)
    return rows + [(name, *row, row[0] == best, row[0] == chosen) for row in numbers]


def compute_null_statistics(
    name: str, pool: FloatArray, of_dispersion: FloatArray | None, half_pair: float
) -> NullStatistics:
    """Compare the values of a criterion with those of the draws of the null reference; at least one draw.

    ``pool``, (1 + draws, k's), has the data first; ``of_dispersion``, (1 + draws,), are the largest deviations of the
    dispersion. Where there are any, k = 1 is tested by the larger one of these and of the criterion's own: a cluster
    that is long is itself cut stably in some draws, which then have perfect values, too.
    """
    values, nulls = pool[0], pool[1:]
    sign = CRITERIA[name].sign
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of means over no value
        mean = average_known(nulls)
        deviation = np.nanstd(nulls, axis=0, ddof=1)
        ratio = np.log2((mean + half_pair) / (values + half_pair))
        score = ratio if name == "PAC" else sign * (values - mean)
        as_good = (sign * nulls >= sign * values).sum(axis=0)
        # a draw without a value says nothing
        p = np.where(known, (1 + as_good) / (1 + (~np.isnan(nulls)).sum(axis=0)), np.nan)
        most = find_largest_deviations(name, pool, half_pair)
        if of_dispersion is not None:
            most = np.fmax(most, of_dispersion)
        p_one_cluster = _share_as_large(most) if known.any() else np.nan
    return NullStatistics(mean, deviation, score, p, p_one_cluster)


def compute_p_of_one_cluster(values: Values) -> float:
    """Return the p-value of one cluster by which the recommendation is made; NaN without draws or values."""
    name = find_tested(values.names)
    pool = values.pool(name)
    if len(pool) == 1 or np.isnan(pool[0]).all():
        return np.nan
    return _share_as_large(find_largest_deviations(name, pool, values.half_pair))


def _share_as_large(most: FloatArray) -> float:
    """Return the share of the deviations that are known which are as large as the first one; NaN if that is not."""
    known = most[~np.isnan(most)]
    return float((known >= most[0]).mean()) if not np.isnan(most[0]) else np.nan


def average_known(values: FloatArray) -> FloatArray:
    """Return the means of the columns over what is known; NaN where nothing is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of means over no value
        return np.asarray(np.nanmean(values, axis=0))


def measure_spread(values: FloatArray) -> FloatArray:
    """Return the standard deviations along the first axis over what is known; 0 of fewer than two values."""
    several = (~np.isnan(values)).sum(axis=0) > 1
    spread = np.zeros(several.shape)
    spread[several] = np.nanstd(values[:, several], axis=0, ddof=1)
    return spread


def _measure_goodness(name: str, values: FloatArray, half_pair: float) -> FloatArray:
    """Return how good values are, larger for better ones, without an end.

    Values that end at the perfect one cannot lie many deviations beyond their mean, however good they are; the log of
    their distance to the end can. Half a pair is added, as for the score of PAC.
    """
    perfect = CRITERIA[name].perfect
    if perfect is None:
        return CRITERIA[name].sign * values
    return np.asarray(-np.log2(np.abs(perfect - values) + half_pair))


def find_largest_deviations(name: str, pool: FloatArray, half_pair: float) -> FloatArray:
    """Return by how many standard deviations each row is better than the mean of all rows, at its best k."""
    goodness = _measure_goodness(name, pool, half_pair)
    mean = average_known(goodness)
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of deviations and the largest one over no value
        deviation = np.nanstd(goodness, axis=0)
        # equal values deviate by rounding at most
        equal = deviation <= 1e-12 * np.maximum(1.0, np.abs(mean))
        deviations = np.where(equal & ~np.isnan(goodness), 0.0, (goodness - mean) / deviation)
        return np.asarray(np.nanmax(deviations, axis=1))


def _find_best(name: str, ks: Sequence[int], values: FloatArray) -> int | None:
    """Return the k of the best value, the smallest of several; None if there is no value."""
    if name == DELTA_AREA and not np.isnan(values).all():
        return max(_list_increases(ks, values), default=ks[0])
    return find_largest(ks, CRITERIA[name].sign * values)


def _choose(name: str, ks: Sequence[int], found: NullStatistics, level: float) -> int | None:
    """Return the k of the best score; 1 if data without clusters are as good."""
    # no value to compare is no evidence of clusters
    if not found.p_one_cluster <= level:
        return 1
    if name == DELTA_AREA:
        significant = {k for k, p in zip(ks, found.p, strict=True) if p <= level}
        increasing = {ks[0], *_list_increases(ks, found.score + found.mean)}
        return max(significant & increasing, default=1)
    return find_largest(ks, found.score)


def _list_increases(ks: Sequence[int], values: FloatArray) -> list[int]:
    """Return the k's whose increase of the area counts."""
    return [k for k, increase in zip(ks[1:], values[1:], strict=True) if increase >= LEAST_INCREASE]


def find_largest(ks: Sequence[int], values: FloatArray) -> int | None:
    """Return the k of the largest value, the smallest of several; None if there is no value."""
    return None if np.isnan(values).all() else ks[int(np.nanargmax(values))]

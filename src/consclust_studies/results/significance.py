"""Which differences are significant: t-tests over the subsets, and which scores are bold.

Defined outcomes where a t-test has none: no variance and equal means give p = 1, no variance and different
means p = 0, fewer than two common subsets NaN.
"""

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray
from consclust_studies.config.experiment import Experiment
from consclust_studies.stages.selection import FIXED, ROUNDING, Row, list_rows

if TYPE_CHECKING:
    import pandas as pd

PAIR_COLUMNS = (
    "case", "metric", "row_a", "row_b", "n", "mean_a", "mean_b", "p_paired", "p_welch", "p_holm",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """A row's scores on one case by one metric, and how they compare."""

    row: Row
    mean: float
    """Over the subsets that have a score, as std and n; NaN where undefined."""
    std: float
    """With ddof = 1."""
    n: int
    is_best: bool
    """No rival has a higher mean; a row with a missing cell is never best."""
    is_bold: bool
    """The row is best alone and differs significantly from every rival that it can be compared with."""


def compute_p_values(a: FloatArray, b: FloatArray, test: Literal["paired", "welch"]) -> FloatArray:
    """Compute the two-sided p-values of t-tests between the rows of ``a`` and of ``b``.

    ``a`` and ``b`` are scores of shape (comparisons, subsets); a subset counts where both have one. Welch's test does
    not assume equal variances, nor that the same subset is compared. Returns shape (comparisons,).
    """
    common = ~(np.isnan(a) | np.isnan(b))
    p = np.full(len(a), np.nan)
    # The functions of statsmodels test many comparisons at once, but know no missing values: those that have the same
    # subsets in common are tested together.
    for subsets in np.unique(common, axis=0):
        if subsets.sum() >= 2:
            tested = (common == subsets).all(axis=1)
            p[tested] = _test_complete(a[tested][:, subsets], b[tested][:, subsets], test)
    return p


def _test_complete(a: FloatArray, b: FloatArray, test: Literal["paired", "welch"]) -> FloatArray:
    """Compute the p-values of :func:`compute_p_values` for two subsets or more, all with scores."""
    # Late, as all costly imports: statsmodels takes 1 CPU second after pandas, and most jobs test nothing.
    from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

    with np.errstate(divide="ignore", invalid="ignore"):  # without variance; these outcomes are defined below
        if test == "paired":
            differences = DescrStatsW((a - b).T)
            p = differences.ttest_mean()[1]
            difference = differences.mean
            spread = differences.std
        else:
            of_a = DescrStatsW(a.T)
            of_b = DescrStatsW(b.T)
            p = CompareMeans(of_a, of_b).ttest_ind(usevar="unequal")[1]
            difference = of_a.mean - of_b.mean
            spread = np.maximum(of_a.std, of_b.std)
    of_constant = np.where(np.abs(difference) <= ROUNDING, 1.0, 0.0)
    defined: FloatArray = np.where(spread <= ROUNDING, of_constant, p)
    return defined


def adjust_holm(p: FloatArray) -> FloatArray:
    """Adjust p-values for their number by Holm's step-down method (1979); NaN stays and does not count."""
    from statsmodels.stats.multitest import multipletests

    adjusted = np.full(p.shape, np.nan)
    known = ~np.isnan(p)
    # multipletests collects garbage at every call, 0.15 CPU seconds for each data set and metric. Frozen objects are
    # left out, so that there is nothing to look through.
    gc.freeze()
    try:
        adjusted[known] = multipletests(p[known], method="holm")[1]
    finally:
        gc.unfreeze()
    return adjusted


def compare_pairs(study: Experiment, selected: "pd.DataFrame") -> "pd.DataFrame":
    """Compare every pair of rows, for each case and metric.

    ``selected`` is as :func:`consclust_studies.stages.selection.select` returns it for the study, resolved and
    restricted. Returns :data:`PAIR_COLUMNS`: n common subsets, means over these, p_holm is p_paired adjusted for the
    number of pairs of this case and metric.
    """
    import pandas as pd

    labels = [row.label for row in list_rows(study)]
    pairs = list(combinations(range(len(labels)), 2))
    first = [i for i, _ in pairs]
    second = [j for _, j in pairs]
    frames = []
    for case, metric, values in pivot_scores(study, selected):
        a = values[first]
        b = values[second]
        common = ~(np.isnan(a) | np.isnan(b))
        paired = compute_p_values(a, b, "paired")
        columns = {
            "case": case,
            "metric": metric,
            "row_a": [labels[i] for i in first],
            "row_b": [labels[j] for j in second],
            "n": common.sum(axis=1),
            "mean_a": _average(a, common),
            "mean_b": _average(b, common),
            "p_paired": paired,
            "p_welch": compute_p_values(a, b, "welch"),
            "p_holm": adjust_holm(paired),
        }
        frames.append(pd.DataFrame(columns, columns=list(PAIR_COLUMNS)))
    return pd.concat(frames, ignore_index=True)


def compare_rows(study: Experiment, values: FloatArray) -> list[Outcome]:
    """Find the best row and whether it stands out, as the papers do: without correction for many tests.

    Each row is compared with its rivals: every other method, in one row each. Selections of one method are no
    rivals of each other. A tuned method is met in the selection of the row itself, by a baseline (no grid) in
    ``study.selection``. So each selection of a tuned method has its own verdict: whether it is the best of
    the table that shows this selection. Equal means at the top leave nobody bold. A rival with fewer than two
    subsets in common cannot be tested and does not count; if no rival can be tested, nobody is bold.

    ``values`` are the scores of ``list_rows(study)``, shape (rows, subsets), NaN where there is none.
    """
    rows = list_rows(study)
    n = (~np.isnan(values)).sum(axis=1)
    means = _average(values, ~np.isnan(values))
    complete = n == values.shape[1]
    outcomes = []
    for i, row in enumerate(rows):
        selection = study.selection if row.selection == FIXED else row.selection
        rivals = [j for j, o in enumerate(rows) if o.method != row.method and o.selection in (FIXED, selection)]
        higher = means[rivals] > means[i] + ROUNDING
        # a rival that failed on a subset is never best, so its mean does not stand in the way
        is_best = bool(complete[i]) and not (higher & complete[rivals]).any()
        is_bold = is_best and _is_significant(study, values[i], values[rivals])
        std = float(np.nanstd(values[i], ddof=1)) if n[i] > 1 else float("nan")
        outcomes.append(Outcome(row, float(means[i]), std, int(n[i]), is_best, is_bold))
    return outcomes


def pivot_scores(study: Experiment, selected: "pd.DataFrame") -> Iterator[tuple[str, str, FloatArray]]:
    """Yield (case, metric, values) in the order of the study; values of shape (rows, subsets)."""
    rows = list_rows(study)
    cells = [(case.id, metric) for case in study.cases for metric in study.metrics]
    wide = selected.pivot(index=["case", "metric", "method", "selection"], columns="subset", values="value")
    # a row without scores becomes NaN, so that all matrices have the same shape
    index = [(case, metric, row.method, row.selection) for case, metric in cells for row in rows]
    wide = wide.reindex(index, columns=range(study.n_subsets))
    stacked = wide.to_numpy(dtype=float).reshape(len(cells), len(rows), study.n_subsets)
    for (case, metric), values in zip(cells, stacked, strict=True):
        yield case, metric, values


def _is_significant(study: Experiment, values: FloatArray, rivals: FloatArray) -> bool:
    """Whether ``values`` are higher, and significantly so, than every rival that can be compared."""
    common = ~np.isnan(rivals)
    ours = np.broadcast_to(values, rivals.shape)
    comparable = common.sum(axis=1) >= 2
    higher = _average(ours, common) > _average(rivals, common) + ROUNDING
    # no test where the means decide already
    if not comparable.any() or not higher[comparable].all():
        return False
    p = compute_p_values(ours[comparable], rivals[comparable], study.significance.test)
    return bool((p < study.significance.alpha).all())


def _average(values: FloatArray, where: npt.NDArray[np.bool_]) -> FloatArray:
    """Return the mean of each row where ``where`` holds; NaN if nowhere."""
    count = where.sum(axis=1)
    total = np.where(where, values, 0.0).sum(axis=1)
    mean: FloatArray = np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)
    return mean

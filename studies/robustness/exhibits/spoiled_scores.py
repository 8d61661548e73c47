"""The scores of a study with spoiled subsets, each beside what was done to its subset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from consclust.ensemble import FloatArray
from consclust_studies.config.harms import Harms
from consclust_studies.config.study import Study
from consclust_studies.exhibits.base import Mistakes
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame

WORDS = {
    "random-members": "random members",
    "labels": "labels",
    "coalition": "coalition",
    "wrong-k": "wrong number of clusters",
    "outliers": "outliers",
    "missing": "missing labels",
}
"""The kinds of harm in figures and tables."""
CLEAN = "clean"
"""The kind of the ensembles without any harm, whose share is 0."""
CELL = ["case", "method", "kind", "share"]
"""What the repetitions of a score have in common."""


def check_harms(study: Study) -> Mistakes:
    """Yield that the study has no spoiled subsets."""
    if study.ensemble.harms is None:
        yield "kind", ": the study has no spoiled subsets; write ensemble.harms, or remove the exhibit"


def find_harms(source: Source) -> Harms:
    """Return the harms of a study that has some, as the checks have made sure."""
    harms = source.study.ensemble.harms
    assert harms is not None, "checked when the study was read"
    return harms


def list_spoiled_scores(source: Source, metric: str, cases: Sequence[str]) -> DataFrame:
    """Return case, method, subset, repetition, kind, share, value and failed (no answer) of every score.

    The clean ones are last. ``cases`` are ids; all cases if there are none. A fit without an
    answer has the value 0, which clusters by chance have: a method must not gain by giving up.
    """
    import pandas as pd

    harms = find_harms(source)
    scores = source.scores
    mine = scores[(scores["metric"] == metric) & (scores["restart"] == source.study.restarts)]
    if cases:
        mine = mine[mine["case"].isin(cases)]
    numbers = mine["subset"].unique()
    described = pd.DataFrame(
        [(number, *harms.describe(int(number))) for number in numbers],
        columns=["subset", "repetition", "kind", "share"],
    )
    found = mine.merge(described, on="subset").assign(
        failed=lambda rows: rows["value"].isna(), value=lambda rows: rows["value"].fillna(0.0)
    )
    found = found[["case", "method", "subset", "repetition", "kind", "share", "value", "failed"]]
    clean = found[found["kind"].isna()]
    return pd.concat([found[found["kind"].notna()], clean.assign(kind=CLEAN)], ignore_index=True)


def list_curves(scores: DataFrame, harms: Harms) -> DataFrame:
    """Return the mean over the repetitions for each case, method, kind and share: data sets are the replicates.

    The clean ensembles stand at share 0 of each kind of harm, where its curve begins.
    """
    import pandas as pd

    means = scores.groupby(CELL, sort=False)["value"].mean().reset_index()
    clean = means[means["kind"] == CLEAN]
    parts = [means[means["kind"] != CLEAN], *(clean.assign(kind=kind) for kind in harms.kinds)]
    return pd.concat(parts, ignore_index=True)


def keep_common(scores: DataFrame, methods: Sequence[str]) -> DataFrame:
    """Return the scores of some methods on the repetitions that all of them have, case by case."""
    mine = scores[scores["method"].isin(methods)]
    runs = mine.groupby(["case", "repetition"])["method"].transform("nunique")
    return mine[runs == len(methods)]


def measure_area(shares: FloatArray, values: FloatArray) -> float:
    """Return the mean of a curve of scores over the shares, by the trapezoidal rule; shares rise from 0."""
    return float(np.trapezoid(values, shares) / shares[-1])


def find_breakdown(shares: FloatArray, values: FloatArray, level: float) -> float:
    """Return the share at which a curve of scores falls below a level for good; infinity if it does not.

    Between two shares the curve is straight. A curve that is below the level without harm has the breakdown 0.
    """
    below = values < level
    if not below[-1]:
        return float("inf")
    last_above = np.flatnonzero(~below)
    if not last_above.size:
        return 0.0
    i = int(last_above[-1])
    fraction = (values[i] - level) / (values[i] - values[i + 1])
    return float(shares[i] + fraction * (shares[i + 1] - shares[i]))

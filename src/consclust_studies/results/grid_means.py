"""The mean score of every grid point, over the subsets on which points can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from consclust_studies.config.experiment import Experiment
from consclust_studies.config.race import Race

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def grid_means(study: Experiment, scores: DataFrame) -> Series:
    """Return the means over the subsets by case, metric, method and parameters; NaN where a point failed on one.

    In a race only the subsets count on which all points of the grid ran.
    """
    for case, method, race in _races(study):
        mine = (scores["case"] == case) & (scores["method"] == method)
        scores = scores[~(mine & (scores["subset"] >= race.subsets))]
    groups = scores.groupby(["case", "metric", "method", "parameters"], sort=False)["value"]
    return groups.mean().where(groups.count() == groups.size()).rename("mean")


def said_of_races(study: Experiment) -> str:
    """Say in a caption which subsets count; empty without a race."""
    raced = any(_races(study))
    return "Where a grid runs in a race, only the subsets count on which all points ran." if raced else ""


def _races(study: Experiment) -> Iterator[tuple[str, str, Race]]:
    for case in study.cases:
        for method in case.races:
            if race := study.race(case, study.method(method)):
                yield case.id, method, race

"""The mean score of every grid point, over the subsets on which points can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from consclust_studies.config.experiment import Experiment
from consclust_studies.config.race import Race

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def average_grid(study: Experiment, scores: DataFrame) -> Series:
    """Return the means over the subsets by case, metric, method and point; NaN where a point failed on one.

    In a race only the subsets count on which all points of the grid ran.
    """
    for raced in _list_races(study):
        of_grid = (scores["case"] == raced.case) & (scores["method"] == raced.method)
        of_best_points = scores["subset"] >= raced.race.subsets
        scores = scores[~(of_grid & of_best_points)]
    # count leaves out NaN, size does not: where they differ, a point failed
    groups = scores.groupby(["case", "metric", "method", "point"], sort=False)["value"]
    return groups.mean().where(groups.count() == groups.size()).rename("mean")


def describe_races(study: Experiment) -> str:
    """Say in a caption which subsets count; empty without a race."""
    if not any(_list_races(study)):
        return ""
    return "Where a grid runs in a race, only the subsets count on which all points ran."


class _Raced(NamedTuple):
    """A grid that runs in a race on a case."""

    case: str
    method: str
    race: Race


def _list_races(study: Experiment) -> Iterator[_Raced]:
    # a restricted run may lack methods that race on a case
    methods = {run.id: run for run in (*study.methods, *study.variants.methods)}
    for case in study.cases:
        for method in sorted(case.races.keys() & methods.keys()):
            race = study.race(case, methods[method])
            if race:
                yield _Raced(case.id, method, race)

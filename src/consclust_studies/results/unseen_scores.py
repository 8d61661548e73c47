"""The scores on unseen objects, summed up: mean and deviation over the ensembles, and tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from consclust.report.wording import records
from consclust_studies.config.experiment import Experiment, Generalisation
from consclust_studies.results.significance import p_values
from consclust_studies.results.source import Source
from consclust_studies.stages.score import compact
from consclust_studies.stages.selection import FIXED, ROUNDING

if TYPE_CHECKING:
    from pandas import DataFrame, Series

ORACLE, DEFAULT = "oracle-training", "default"
"""The grid point with the best score on the training objects, for each ensemble; the default one."""
COLUMNS = "case dataset row selection metric n mean std training best p_value"


def unseen_frame(source: Source) -> DataFrame:
    """Return the scores on unseen objects, a line for each case, row and selection.

    Mean and sample standard deviation are over the ``n`` ensembles (splits x repetitions) with a score;
    ``training`` is the mean on the training objects; ``p_value`` is that of a paired t-test of the splits' means
    against the row of ``generalisation.beside``, in the same selection or in its default where it has no grid.
    """
    study, rows = source.study, []
    chosen = _selected(study, source.unseen)
    for case in study.generalised():
        grouped = chosen[chosen["case"] == case.id].groupby(["row", "selection"], sort=False)
        groups, highest = dict(iter(grouped)), grouped["value"].mean().max()
        for (row, selection), group in groups.items():
            values = group["value"]
            best = bool(values.mean() >= highest - ROUNDING)
            mean = (int(values.count()), values.mean(), values.std(), group["training"].mean())
            p = _p_value(group, beside(study, groups, selection))
            rows.append((case.id, source.titles[case.id], row, selection, plan(study).metric, *mean, best, p))
    return records(COLUMNS, rows)


def means_of(frame: DataFrame, row: str, selection: str) -> Series:
    """Return the means of a row by case, in a selection of the study; both oracles are one here."""
    wanted = [FIXED, DEFAULT if selection == DEFAULT else ORACLE]
    return frame[(frame["row"] == row) & frame["selection"].isin(wanted)].set_index("case")["mean"]


def plan(study: Experiment) -> Generalisation:
    """Return what the study says about unseen objects."""
    assert study.generalisation is not None
    return study.generalisation


def _selected(study: Experiment, scores: DataFrame) -> DataFrame:
    """Return the scores of every selection, a line for each ensemble."""
    import pandas as pd

    where, found = ["case", "split", "repetition", "row"], []
    for row, default in _default_points(study).items():
        mine = scores[scores["row"] == row]
        if default is None:
            found.append(mine.assign(selection=FIXED))
            continue
        # where every point failed, the first of them stands for the failure
        best = mine.sort_values("training", ascending=False, kind="stable", na_position="last")
        found.append(best.drop_duplicates(where).assign(selection=ORACLE))
        found.append(mine[mine["parameters"] == default].assign(selection=DEFAULT))
    return pd.concat(found, ignore_index=True)


def _default_points(study: Experiment) -> dict[str, str | None]:
    """Return the default grid point of every row, as the scores write it; None without a grid."""
    points: dict[str, str | None] = {study.unseen_rows()[0]: None}
    for method in plan(study).methods:
        run = study.method(method.method)
        points |= {method.row(by): compact(run.default) if run.grid else None for by in method.by}
    return points


def beside(study: Experiment, by: Mapping[Any, Any], selection: str) -> Any:
    """Return what ``by`` has for the row that others are tested against, if anything."""
    keys = [(plan(study).beside, word) for word in (selection, DEFAULT, FIXED)]
    return next((by[key] for key in keys if key in by), None)


def _p_value(group: DataFrame, rival: DataFrame | None) -> float:
    if rival is None or rival is group:
        return float("nan")
    ours, theirs = (frame.groupby("split")["value"].mean() for frame in (group, rival))
    theirs = theirs.reindex(ours.index)
    return float(p_values(ours.to_numpy()[None], theirs.to_numpy()[None], "paired")[0])

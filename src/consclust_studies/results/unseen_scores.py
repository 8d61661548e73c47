"""The scores on unseen objects, summed up: mean and deviation over the ensembles, and tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from consclust_studies.config.experiment import Experiment, Generalisation
from consclust_studies.results.significance import compute_p_values
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import FIXED, ROUNDING

if TYPE_CHECKING:
    from pandas import DataFrame, Series

ORACLE = "oracle-training"
"""The grid point with the best score on the training objects, for each ensemble."""
DEFAULT = "default"
COLUMNS = ["case", "dataset", "row", "selection", "metric", "n", "mean", "std", "training", "best", "p_value"]


def summarise_unseen(source: Source) -> DataFrame:
    """Return the scores on unseen objects, a line for each case, row and selection.

    Mean and sample standard deviation are over the ``n`` ensembles (splits x repetitions) with a score;
    ``training`` is the mean on the training objects; ``p_value`` is that of a paired t-test of the splits' means
    against the row of ``generalisation.beside``, in the same selection or in its default where it has no grid.
    """
    import pandas as pd

    study = source.study
    chosen = _select(study, source.unseen)
    lines = []
    for case in study.generalised():
        grouped = chosen[chosen["case"] == case.id].groupby(["row", "selection"], sort=False)
        groups = dict(iter(grouped))
        # over all rows and selections of the case
        highest = grouped["value"].mean().max()
        for (row, selection), group in groups.items():
            values = group["value"]
            lines.append(
                {
                    "case": case.id,
                    "dataset": source.titles[case.id],
                    "row": row,
                    "selection": selection,
                    "metric": get_generalisation(study).metric,
                    "n": int(values.count()),
                    "mean": values.mean(),
                    "std": values.std(),
                    "training": group["training"].mean(),
                    "best": bool(values.mean() >= highest - ROUNDING),
                    "p_value": _test_against(group, find_rival(study, groups, selection)),
                }
            )
    return pd.DataFrame(lines, columns=COLUMNS)


def pick_means(frame: DataFrame, row: str, selection: str) -> Series:
    """Return the means of a row by case, in a selection of the study; both oracles are one here."""
    wanted = [FIXED, DEFAULT if selection == DEFAULT else ORACLE]
    return frame[(frame["row"] == row) & frame["selection"].isin(wanted)].set_index("case")["mean"]


def get_generalisation(study: Experiment) -> Generalisation:
    """Return what the study says about unseen objects."""
    assert study.generalisation is not None
    return study.generalisation


def _select(study: Experiment, scores: DataFrame) -> DataFrame:
    """Return the scores of every selection, a line for each ensemble."""
    import pandas as pd

    ensemble = ["case", "split", "repetition", "row"]
    found = []
    for row, default in _find_default_points(study).items():
        mine = scores[scores["row"] == row]
        if default is None:
            found.append(mine.assign(selection=FIXED))
            continue
        # where every point failed, the first of them stands for the failure
        best = mine.sort_values("training", ascending=False, kind="stable", na_position="last")
        found.append(best.drop_duplicates(ensemble).assign(selection=ORACLE))
        found.append(mine[mine["point"] == default].assign(selection=DEFAULT))
    return pd.concat(found, ignore_index=True)


def _find_default_points(study: Experiment) -> dict[str, int | None]:
    """Return the place of the default grid point of every row; None without a grid."""
    points: dict[str, int | None] = {study.unseen_rows()[0]: None}
    for method in get_generalisation(study).methods:
        run = study.method(method.method)
        for by in method.by:
            points[method.row(by)] = run.default_point if run.grid else None
    return points


def find_rival(study: Experiment, by: Mapping[Any, Any], selection: str) -> Any:
    """Return what ``by`` has for the row that others are tested against, if anything.

    That row is met in the selection of the others, or at its default point, or without a grid.
    """
    row = get_generalisation(study).beside
    for word in (selection, DEFAULT, FIXED):
        if (row, word) in by:
            return by[row, word]
    return None


def _test_against(group: DataFrame, rival: DataFrame | None) -> float:
    if rival is None or rival is group:
        return float("nan")
    # repetitions on the same split share their objects, so a split counts once
    ours = group.groupby("split")["value"].mean()
    theirs = rival.groupby("split")["value"].mean().reindex(ours.index)
    return float(compute_p_values(ours.to_numpy()[None], theirs.to_numpy()[None], "paired")[0])

"""Unseen objects: how well a consensus on some of the objects labels the others."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from concord.config.protocol import Generalisation
from concord.config.study import Study
from concord.reports.rows import READINGS
from concord.reports.tables import DASH, markdown_table
from concord.scores.selection import ROUNDING
from concord.scores.significance import p_values
from concord.scores.table import compact

if TYPE_CHECKING:
    import pandas as pd

ORACLE, DEFAULT, FIXED = "oracle-training", "default", "fixed"
READINGS_HERE = {ORACLE: "oracle, training", DEFAULT: READINGS[DEFAULT], FIXED: READINGS[FIXED]}
"""How a reading is printed behind the row's name: "oracle-training" takes, for each ensemble, the grid point
with the best score on the classes of the training objects."""

COLUMNS = (
    "case", "dataset", "row", "reading", "metric", "n", "mean", "std", "training", "best", "p_value",
)  # fmt: skip
BETTER, WORSE = "•", "◦"


def selected(study: Study, scores: "pd.DataFrame") -> "pd.DataFrame":
    """Take the readings of the tuned methods out of the scores, a line for each ensemble.

    Parameters
    ----------
    scores : as :func:`concord.scores.generalisation.write_scores` writes it, of all cases.

    Returns
    -------
    The columns of ``scores`` and ``reading``: "fixed" for a row without a grid.
    """
    import pandas as pd

    where, found = ["case", "split", "repetition", "row"], []
    for row, default in _default_points(study).items():
        mine = scores[scores["row"] == row]
        if default is None:
            found.append(mine.assign(reading=FIXED))
            continue
        # where every point failed, the first of them stands for the failure
        best = mine.sort_values("training", ascending=False, kind="stable", na_position="last")
        found.append(best.drop_duplicates(where).assign(reading=ORACLE))
        found.append(mine[mine["parameters"] == default].assign(reading=DEFAULT))
    return pd.concat(found, ignore_index=True)


def _default_points(study: Study) -> dict[str, str | None]:
    """Return the default grid point of every row, as the scores write it; None without a grid."""
    points: dict[str, str | None] = {study.unseen_rows()[0]: None}
    for method in _plan(study).methods:
        run = study.method(method.method)
        points |= {method.row(by): compact(run.default) if run.grid else None for by in method.by}
    return points


def generalisation_table(study: Study, titles: Mapping[str, str], scores: "pd.DataFrame") -> "pd.DataFrame":
    """Sum up the scores on unseen objects.

    Returns
    -------
    Columns :data:`COLUMNS`: mean and sample standard deviation over the ``n`` ensembles of a case (splits x
    repetitions) with a score; ``training``, the mean on the training objects; ``best`` of the case; and
    ``p_value``, paired t-test of the means of the splits against the row of ``generalisation.beside`` in the
    same reading, or in its default where this row has no grid.
    """
    import pandas as pd

    chosen, rows = selected(study, scores), []
    for case in study.generalised():
        block = chosen[chosen["case"] == case.id]
        groups = dict(iter(block.groupby(["row", "reading"], sort=False)))
        highest = pd.Series([group["value"].mean() for group in groups.values()]).max()
        for (row, reading), group in groups.items():
            values, rival = group["value"], _rival(study, groups, str(reading))
            rows.append(
                (
                    *(case.id, titles[case.id], row, reading, _plan(study).metric),
                    *(int(values.count()), values.mean(), values.std(), group["training"].mean()),
                    bool(values.mean() >= highest - ROUNDING),
                    _p_value(group, rival),
                )
            )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _plan(study: Study) -> Generalisation:
    assert study.generalisation is not None
    return study.generalisation


def _rival(study: Study, groups: Mapping[Any, "pd.DataFrame"], reading: str) -> "pd.DataFrame | None":
    """Return the row that the others are tested against, in the reading that fits."""
    beside = _plan(study).beside
    for candidate in (reading, DEFAULT, FIXED):
        if (beside, candidate) in groups:
            return groups[beside, candidate]
    return None


def _p_value(group: "pd.DataFrame", rival: "pd.DataFrame | None") -> float:
    if rival is None or rival is group:
        return float("nan")
    ours, theirs = (frame.groupby("split")["value"].mean() for frame in (group, rival))
    theirs = theirs.reindex(ours.index)
    return float(p_values(ours.to_numpy()[None], theirs.to_numpy()[None], "paired")[0])


def row_name(row: str, reading: str) -> str:
    """Return a row as printed: "SSCE (default)"."""
    return f"{row} ({READINGS_HERE[reading]})" if READINGS_HERE[reading] else row


def cells(study: Study, table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return a block for each data set: its name and a cell for each row: mean, std, best, mark."""
    alpha, blocks = study.significance.alpha, []
    for _, block in table.groupby("case", sort=False):
        rivals = block[block["row"] == _plan(study).beside].set_index("reading")["mean"]
        shown = []
        for line in block.itertuples():
            rival = next((rivals[r] for r in (line.reading, DEFAULT, FIXED) if r in rivals), None)
            differs = rival is not None and line.p_value < alpha  # never for NaN
            mark = (BETTER if rival > line.mean else WORSE) if differs else ""
            known = line.n > 0
            shown.append(
                {
                    "row": row_name(line.row, line.reading),
                    "mean": f"{line.mean:.3f}" if known else DASH,
                    "std": f"{line.std:.3f}" if line.n > 1 else "",
                    "best": bool(line.best),
                    "mark": mark,
                }
            )
        blocks.append({"dataset": block["dataset"].iloc[0], "cells": shown})
    return blocks


def legend(study: Study) -> str:
    """Say what a cell shows."""
    plan = _plan(study)
    tuned = [m.id for m in plan.methods if study.method(m.method).grid]
    readings = (
        f" {' and '.join(tuned)}: at the default grid point, and at the one with the best {plan.metric} on "
        "the classes of the training objects, chosen anew for each ensemble."
        if tuned
        else ""
    )
    beside = (
        f" {BETTER}: {plan.beside} is better, {WORSE}: worse (in the same reading, else by default; paired "
        f"t-test of the means of the splits, p < {study.significance.alpha:g})."
        if plan.beside and plan.splits > 1
        else ""
    )
    base_labels = {
        "assign": "the nearest centroid of each base clustering",
        "kmeans-on-test": "k-means on the unseen objects, its clusters matched to each base clustering's",
    }[plan.base_labels]
    return (
        f"{plan.metric} on unseen objects: mean ± standard deviation over {plan.splits} splits "
        f"({plan.train_share:.0%} training objects) x {plan.repetitions} ensembles of "
        f"{study.ensemble.subset_size} base clusterings of the training objects. Where the study takes "
        "z-scores, they are by the training objects. NC: an unseen object gets the nearest centroid of the "
        "consensus classes. Infer: the method's model, given base labels of the unseen objects, from "
        f"{base_labels}. {study.unseen_rows()[0]}: mean of the base clusterings, each with its own "
        f"centroids. Bold: the highest mean.{readings}{beside}"
    )


def pairs(table: "pd.DataFrame", method: str, rival: str, reading: str) -> "pd.DataFrame":
    """Return the means of two rows on every data set, columns ``method`` and ``rival``, index the case.

    Parameters
    ----------
    reading : :data:`ORACLE` or :data:`DEFAULT`, that of a tuned row.
    """
    import pandas as pd

    mine = table[table["reading"].isin([reading, FIXED])]
    means = [mine[mine["row"] == row].set_index("case")["mean"] for row in (method, rival)]
    return pd.concat(means, axis=1, keys=["method", "rival"])


def generalisation_markdown(study: Study, table: "pd.DataFrame") -> str:
    """Return the table for people: data sets down, rows across."""
    blocks = cells(study, table)
    rows = [cell["row"] for cell in blocks[0]["cells"]]
    body = [[block["dataset"], *map(_markdown_cell, block["cells"])] for block in blocks]
    lines = [f"# {_plan(study).title}. {study.title}", "", legend(study), ""]
    return "\n".join([*lines, *markdown_table(["Data set", *rows], body), ""])


def _markdown_cell(cell: Mapping[str, Any]) -> str:
    mean = f"**{cell['mean']}**" if cell["best"] else cell["mean"]
    return " ".join(filter(None, (mean, f"± {cell['std']}" if cell["std"] else "", cell["mark"])))

"""One random start, averaged, or the best of the restarts: Table 2 once more, where the two differ."""

from typing import TYPE_CHECKING

from concord.config.study import Study
from concord.reports.rows import Row, counted_rows, main_rows
from concord.reports.tables import DASH, markdown_table
from concord.scores.selection import select
from concord.scores.summary import summarise

if TYPE_CHECKING:
    import pandas as pd

RESTARTS = (
    "case", "dataset", "metric", "method", "reading", "row", "mean_of_restarts", "best_of_restarts", "change",
    "printed", "nearer",
)  # fmt: skip
DIGITS = 3
"""Decimals of the tables: scores that agree in them do not differ."""
KINDS = {"mean": "mean_of_restarts", "chosen": "best_of_restarts"}


def restarts_table(study: Study, scores: "pd.DataFrame", table2: "pd.DataFrame") -> "pd.DataFrame":
    """Compare the mean over the restarts with the restart of the best objective, cell by cell of Table 2.

    Parameters
    ----------
    scores: the tidy table of scores, with both kinds.
    table2: as :func:`concord.reports.tables.table2` returns it.

    Returns
    -------
    Columns :data:`RESTARTS`, only the cells that differ in :data:`DIGITS` decimals. ``change`` is the best
    restart less the mean; ``nearer`` names the one nearer to the print, empty where nothing is printed.
    Each kind chooses its own parameters in an oracle reading.
    """
    import pandas as pd

    keys = ["case", "metric", "method", "reading"]
    cells = table2[[*keys, "dataset", "row", "printed"]]
    for kind, column in KINDS.items():
        as_kind = study.model_copy(update={"restarts": kind})
        means = summarise(as_kind, select(as_kind, scores))[[*keys, "mean"]]
        cells = cells.merge(means.rename(columns={"mean": column}), on=keys, how="left")
    cells["change"] = cells["best_of_restarts"] - cells["mean_of_restarts"]
    cells["nearer"] = nearer(cells, *KINDS.values())
    shown = cells[list(KINDS.values())].round(DIGITS)
    differ = shown["mean_of_restarts"].ne(shown["best_of_restarts"]) & cells["change"].notna()
    return pd.DataFrame(cells[differ], columns=list(RESTARTS)).reset_index(drop=True)


def nearer(cells: "pd.DataFrame", one: str, other: str) -> "pd.Series":
    """Return which of two columns is nearer to ``printed``: its name, "equal", or "" without a print."""
    import numpy as np
    import pandas as pd

    first, second = ((cells[column] - cells["printed"]).abs() for column in (one, other))
    words = np.select(
        [first.isna() | second.isna(), (first - second).abs() <= 1e-12, first < second],
        ["", "equal", one],
        default=other,
    )
    return pd.Series(words, index=cells.index, dtype=object)


def restarts_markdown(study: Study, table: "pd.DataFrame") -> str:
    """Return the comparison for people: best restart, and in brackets its change from the mean."""
    lines = [f"# Best of the restarts: {study.title}", "", legend(study), ""]
    if table.empty:
        return "\n".join([*lines, "No score differs.", ""])
    for metric in study.table2:
        block = table[table["metric"] == metric]
        titles, rows = list(dict.fromkeys(block["dataset"])), list(dict.fromkeys(block["row"]))
        cells = {
            (row.row, row.dataset): f"{row.best_of_restarts:.3f} ({row.change:+.3f})"
            for row in block.itertuples()
        }
        body = [[row, *(cells.get((row, title), DASH) for title in titles)] for row in rows]
        lines += [f"## {metric}", "", *markdown_table(["Row", *titles], body), ""]
    return "\n".join([*lines, *(f"* {sentence}" for sentence in sentences(study, table)), ""])


def legend(study: Study) -> str:
    """Return what the comparison shows, and which of the two Table 2 has."""
    shown = {"mean": "mean over the restarts", "chosen": "restart with the best objective"}[study.restarts]
    return (
        "The score of the restart with the best objective, mean over the subsets; in brackets its "
        f"change from the mean over all restarts. Table 2 has the {shown}. "
        f"{DASH}: the two agree in {DIGITS} decimals."
    )


def sentences(study: Study, table: "pd.DataFrame") -> list[str]:
    """Say for each row that is printed which of the two comes nearer."""
    counted = counted_rows(study, table).dropna(subset="printed")
    found = []
    for row in _in_order(study, counted):
        mine = counted[(counted["method"] == row.method) & (counted["reading"] == row.reading)]
        best, mean = ((mine["nearer"] == kind).sum() for kind in ("best_of_restarts", "mean_of_restarts"))
        away = {kind: (mine[kind] - mine["printed"]).abs().mean() for kind in KINDS.values()}
        found.append(
            f"{row.name}: the best restart is nearer to the print on {best} of the {len(mine)} printed "
            f"scores where the two differ, the mean on {mean} (mean absolute difference "
            f"{away['best_of_restarts']:.3f} and {away['mean_of_restarts']:.3f})."
        )
    return found


def _in_order(study: Study, table: "pd.DataFrame") -> list[Row]:
    """Return the rows of ``table`` that claims look at."""
    here = set(zip(table["method"], table["reading"], strict=True))
    return [row for row in main_rows(study) if tuple(row) in here]

"""What the choice of parameters does to a tuned method: the spread of its scores over the grid."""

import json
from typing import TYPE_CHECKING

from concord.config.protocol import MethodRun
from concord.config.study import Study
from concord.reports.rows import counted_rows, point_text
from concord.reports.tables import markdown_table, number_text
from concord.scores.table import compact

if TYPE_CHECKING:
    import pandas as pd

GRIDS = ("case", "dataset", "metric", "method", "parameters", "mean", "printed", "difference")


def grids_table(study: Study, scores: "pd.DataFrame", table2: "pd.DataFrame") -> "pd.DataFrame":
    """Return the mean score over the subsets at every point of every grid, beside the print.

    A point that failed on a subset has no mean (NaN).
    """
    import pandas as pd

    keys = ["case", "metric", "method"]
    tuned = [run.id for run in study.methods if run.grid]
    mine = scores[scores["method"].isin(tuned) & scores["metric"].isin(study.table2)]
    mine = mine[mine["restart"] == study.restarts]
    means = mine.groupby([*keys, "parameters"], sort=False)["value"].agg(lambda v: v.mean(skipna=False))
    printed = table2[table2["reading"] == "default"][[*keys, "dataset", "printed"]]
    table = printed.merge(means.rename("mean").reset_index(), on=keys, how="left")
    table["difference"] = table["mean"] - table["printed"]
    return pd.DataFrame(table, columns=list(GRIDS))


def spreads(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return lowest, median and highest mean over the grid, beside the print, by method, metric and case."""
    keys = ["method", "metric", "case", "dataset"]
    known = table.dropna(subset="mean").groupby(keys, sort=False)
    spread = known["mean"].agg(lowest="min", median="median", highest="max")
    spread["printed"] = known["printed"].first()
    return spread.reset_index()


def sentences(study: Study, table: "pd.DataFrame") -> list[str]:
    """Say of each tuned method how wide its grid spreads and where the print lies."""
    counted = counted_rows(study, table)
    found = []
    for run in (run for run in study.methods if run.grid):
        for metric in study.table2:
            mine = counted[(counted["method"] == run.id) & (counted["metric"] == metric)]
            if mine["mean"].notna().any():
                found.append(_spread_sentence(run.id, metric, mine) + _nearest_point(run, mine))
    return found


def _spread_sentence(method: str, metric: str, mine: "pd.DataFrame") -> str:
    spread = spreads(mine)
    width = spread["highest"] - spread["lowest"]
    text = (
        f"Over its grid the mean {metric} of {method} spreads by {width.mean():.3f} on average over "
        f"{len(spread)} data set{'s' * (len(spread) > 1)}, by {width.max():.3f} on "
        f"{spread.loc[width.idxmax(), 'dataset']}"
    )
    printed = spread.dropna(subset="printed")
    inside = printed["printed"].between(printed["lowest"], printed["highest"]).sum()
    above, below = (
        (printed["printed"] > printed["highest"]).sum(),
        (printed["printed"] < printed["lowest"]).sum(),
    )
    where = f"; the print lies inside this range on {inside}, above it on {above}, below it on {below}"
    return text + (where if len(printed) else "") + "."


def _nearest_point(run: MethodRun, mine: "pd.DataFrame") -> str:
    """Return the point that is nearest to the print over all data sets, beside the default."""
    distance = mine.assign(away=mine["difference"].abs()).groupby("parameters", sort=False)["away"]
    away = distance.agg(lambda v: v.mean(skipna=False)).dropna()
    if away.empty:
        return ""
    best, default = json.loads(str(away.idxmin())), away.get(compact(run.default))
    beside = (
        ""
        if default is None or best == run.default
        else f" (default {point_text(run.default)}: {default:.3f})"
    )
    text = f" Of all single points {point_text(best)} is nearest to the print, "
    return f"{text}{away.min():.3f} away on average{beside}."


def grids_markdown(study: Study, table: "pd.DataFrame") -> str:
    """Return the spreads for people."""
    lines = [f"# Scores over the grids: {study.title}", ""]
    if table.empty:
        return "\n".join([*lines, "No method of this run has a grid.", ""])
    body = [
        [
            row.method,
            row.metric,
            row.dataset,
            f"{row.lowest:.3f}",
            f"{row.median:.3f}",
            f"{row.highest:.3f}",
            number_text(row.printed),
        ]
        for row in spreads(table).itertuples()
    ]
    header = ["Method", "Metric", "Data set", "Lowest", "Median", "Highest", "Printed"]
    said = [f"* {sentence}" for sentence in sentences(study, table)]
    return "\n".join([*lines, *said, "", *markdown_table(header, body, left=3), ""])

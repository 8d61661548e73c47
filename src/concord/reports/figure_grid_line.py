"""Mean score over a grid of one parameter."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from concord.config.figures import GridLineFigure
from concord.config.study import Study
from concord.reports.figure_source import COLOURS, MARKERS, Source, label_outer, legend_below, panels, plain
from concord.reports.rows import symbol

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("case", "method", "metric", "parameter", "value", "n", "mean", "std")
ACROSS = 4


def shown(study: Study, figure: GridLineFigure) -> list[str]:
    """Cases of the figure that are in this run, if a tuned method of the figure is."""
    if not set(figure.methods) & {run.id for run in study.methods}:
        return []
    return [case.id for case in study.cases if not figure.cases or case.id in figure.cases]


def line_table(study: Study, figure: GridLineFigure, scores: "pd.DataFrame") -> "pd.DataFrame":
    """Mean score at every grid point; of a method without a grid one line, whose value is missing.

    Parameters
    ----------
    scores: as ``scores.parquet``.

    Returns
    -------
    Columns :data:`COLUMNS`: ``n`` subsets have a score, ``std`` is the sample standard deviation over them.
    """
    import json

    import pandas as pd

    mine = scores[(scores["metric"] == figure.metric) & (scores["restart"] == study.restarts)]
    keys = ["case", "method", "parameters"]
    found = mine.groupby(keys, sort=False)["value"].agg(["count", "mean", "std"]).reset_index()
    order = {name: place for place, name in enumerate([*figure.methods, *figure.beside])}
    rows = []
    for case in shown(study, figure):
        here = found[(found["case"] == case) & found["method"].isin(list(order))]
        for line in here.sort_values("method", key=lambda m: m.map(order), kind="stable").itertuples():
            ((parameter, value),) = json.loads(line.parameters).items() or [("", float("nan"))]
            rows.append((case, line.method, figure.metric, parameter, value, line.count, line.mean, line.std))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def make(figure: GridLineFigure, source: Source) -> "tuple[Any, pd.DataFrame]":
    """Return the picture and the table behind it."""
    import pandas as pd

    table = line_table(source.study, figure, pd.read_parquet(source.results / "scores.parquet"))
    return draw(figure, source.titles, table), table


def draw(figure: GridLineFigure, titles: Mapping[str, str], table: "pd.DataFrame") -> Any:
    """Draw the table: a panel for each case, a line for each tuned method, a level for each other."""
    cases = list(dict.fromkeys(table["case"]))
    number = {method: place for place, method in enumerate(dict.fromkeys(table["method"]))}
    picture, axes = panels(len(cases), ACROSS if len(cases) > 3 else 3, 1.6)
    for panel, case in zip(axes, cases, strict=True):
        block = table[table["case"] == case]
        for method, rows in block.groupby("method", sort=False):
            colour, marker = (kind[number[str(method)] % len(kind)] for kind in (COLOURS, MARKERS))
            if rows["value"].isna().all():
                panel.axhline(rows["mean"].iloc[0], color=colour, linestyle="--", linewidth=0.9, label=method)
                continue
            value, mean, std = (rows[name].to_numpy(dtype=float) for name in ("value", "mean", "std"))
            panel.plot(value, mean, color=colour, marker=marker, markersize=3, linewidth=1.1, label=method)
            panel.fill_between(value, mean - std, mean + std, color=colour, alpha=0.12, linewidth=0)
        plain(panel)
        values = sorted(set(block["value"].dropna()))
        if values[0] > 0 and values[-1] >= 100 * values[0]:
            panel.set_xscale("log")
            panel.minorticks_off()
        panel.set_xticks(values)
        panel.set_title(titles[case], fontsize=9, pad=3)
    label_outer(axes, symbol(_parameter(table), tex=True), f"mean {figure.metric}")
    legend_below(picture, axes[0], columns=6)
    return picture


def _parameter(table: "pd.DataFrame") -> str:
    return next((word for word in table["parameter"].dropna().astype(str) if word), "")


def caption(study: Study, titles: Mapping[str, str], figure: GridLineFigure, table: "pd.DataFrame") -> str:
    """Say what was measured."""
    few = table[table["n"] < study.ensemble.n_subsets]
    where = [f"{row.method} on {titles[row.case]} ({row.n})" for row in few.itertuples()]
    failed = f" Over fewer subsets, because it failed on the others: {', '.join(where)}." if where else ""
    levels = " Dashed: methods without it." if table["value"].isna().any() else ""
    return (
        f"{figure.metric} over {symbol(_parameter(table))}: mean over {study.ensemble.n_subsets} subsets; "
        f"bands: one sample standard deviation to either side.{levels}{failed}"
    )

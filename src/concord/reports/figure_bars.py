"""Scores of methods on groups of cases, as bars."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.config.figures import BarsFigure
from concord.config.study import Study
from concord.reports.figure_objects import datasets
from concord.reports.figure_source import COLOURS, Source, legend_below
from concord.reports.rows import READINGS, main_row

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("group", "case", "metric", "method", "reading", "n", "mean", "std")


def shown(study: Study, figure: BarsFigure) -> list[str]:
    """Cases of the figure that are in this run."""
    here = {case.id for case in study.cases}
    there = [case for group in figure.groups for case in group.cases if case in here]
    return there if methods_shown(study, figure) else []


def methods_shown(study: Study, figure: BarsFigure) -> list[str]:
    """Methods of the figure that are in this run; all of it if the figure names none."""
    here = [run.id for run in study.methods]
    return [method for method in figure.methods or here if method in here]


def bars_table(study: Study, figure: BarsFigure, selected: "pd.DataFrame") -> "pd.DataFrame":
    """Mean scores over the subsets, columns :data:`COLUMNS`; ``std`` is the sample standard deviation.

    Parameters
    ----------
    selected: as :func:`concord.scores.selection.select` returns it.
    """
    import pandas as pd

    keys = ["case", "metric", "method", "reading"]
    scores = selected.groupby(keys)["value"].agg(["count", "mean", "std"])
    here = {case.id for case in study.cases}
    rows = [
        (group.title, *key, *scores.loc[key])
        for group in figure.groups
        for case in group.cases
        for metric in figure.metrics
        for row in (main_row(study, method) for method in methods_shown(study, figure))
        if case in here and (key := (case, metric, *row)) in scores.index
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"n": int})


def make(figure: BarsFigure, source: Source) -> "tuple[Any, pd.DataFrame]":
    """Return the picture and the table behind it."""
    import pandas as pd

    table = bars_table(source.study, figure, pd.read_parquet(source.results / "selected.parquet"))
    return draw(figure, datasets(source.study, source.titles), table), table


def draw(figure: BarsFigure, titles: Mapping[str, str], table: "pd.DataFrame") -> Any:
    """Draw the table: a panel for each metric and group, bars side by side for the methods on a data set."""
    from matplotlib.figure import Figure

    groups, methods = list(dict.fromkeys(table["group"])), list(dict.fromkeys(table["method"]))
    widths = [table[table["group"] == group]["case"].nunique() + 0.6 for group in groups]
    picture = Figure(figsize=(6.9, 2.15 * len(figure.metrics) + 0.5), layout="constrained")
    axes = picture.subplots(len(figure.metrics), len(groups), squeeze=False, sharey=True, width_ratios=widths)
    for row, metric in zip(axes, figure.metrics, strict=True):
        for panel, group in zip(row, groups, strict=True):
            rows = table[(table["group"] == group) & (table["metric"] == metric)]
            _bars(panel, rows, methods, titles)
            panel.set_title(group if metric == figure.metrics[0] else "", fontsize=9, pad=3)
        row[0].set_ylabel(metric, fontsize=8.5)
    for panel in axes[:-1].ravel():
        panel.set_xticklabels([])
    legend_below(picture, axes[0, 0], columns=6)
    return picture


def _bars(panel: Any, rows: "pd.DataFrame", methods: Sequence[str], titles: Mapping[str, str]) -> None:
    cases, width = list(dict.fromkeys(rows["case"])), 0.8 / len(methods)
    for number, method in enumerate(methods):
        means = rows[rows["method"] == method].set_index("case")["mean"].reindex(cases)
        place = np.arange(len(cases)) + (number - (len(methods) - 1) / 2) * width
        panel.bar(place, means, width, label=method, color=COLOURS[number % len(COLOURS)], linewidth=0)
    panel.set_xticks(range(len(cases)), [titles[case] for case in cases], rotation=60, ha="right")
    panel.tick_params(length=2, width=0.6, labelsize=7)
    panel.set_ylim(0, 1)
    panel.set_xlim(-0.6, len(cases) - 0.4)
    panel.grid(axis="y", color="0.9", linewidth=0.5)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def caption(study: Study, titles: Mapping[str, str], figure: BarsFigure, table: "pd.DataFrame") -> str:
    """Say what is shown, and who is ahead how often."""
    n = study.ensemble.n_subsets
    what = f"mean over {n} subsets" if n > 1 else "one ensemble"
    tuned = [m for m in methods_shown(study, figure) if main_row(study, m).reading != "fixed"]
    readings = f" Parameters of {', '.join(tuned)}: {READINGS[study.reading]}." if tuned else ""
    metrics = " and ".join(figure.metrics)
    return f"{metrics} of each method on each data set, {what}.{readings} {_ahead(figure, table)}"


def _ahead(figure: BarsFigure, table: "pd.DataFrame") -> str:
    """Count where each method has the highest mean, alone or with others."""
    parts = []
    for metric in figure.metrics:
        means = table[table["metric"] == metric].pivot(index="case", columns="method", values="mean")
        best = means.ge(means.max(axis=1) - 1e-12, axis=0)
        counts = best[list(dict.fromkeys(table["method"]))].sum().sort_values(ascending=False, kind="stable")
        listed = ", ".join(f"{method} {count}" for method, count in counts.items())
        parts.append(f"{metric}: {listed}")
    return (
        f"Highest, alone or with others, on so many of {table['case'].nunique()} cases: {'; '.join(parts)}."
    )

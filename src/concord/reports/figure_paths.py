"""What a method tells after each of its iterations, e.g. how far it is from convergence."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from concord.config.figures import PathsFigure
from concord.config.study import Study
from concord.reports.figure_source import COLOURS, Source, label_outer, legend_below, panels, plain, untex
from concord.reports.rows import point_text

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("case", "quantity", "iteration", "value", "converged")
STYLES = ("-", "--", ":", "-.")


def shown(study: Study, figure: PathsFigure) -> list[str]:
    """Cases of the figure that are in this run with its method."""
    if figure.method not in {run.id for run in study.methods}:
        return []
    cases = [case.id for case in study.cases if study.method(figure.method).runs_on(case)]
    return [case for case in figure.cases or cases if case in cases]


def make(figure: PathsFigure, source: Source) -> "tuple[Any, pd.DataFrame]":
    """Return the picture and the table behind it, columns :data:`COLUMNS`."""
    import pandas as pd

    rows: list[tuple[str, str, int, float, bool]] = []
    for case in shown(source.study, figure):
        rows += _path(figure, source, case)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return draw(figure, source.titles, table), table


def _path(figure: PathsFigure, source: Source, case: str) -> list[tuple[str, str, int, float, bool]]:
    from concord.ensemble import Ensemble

    stored, subset = source.stored(case), figure.subset - 1
    method = source.fitted(
        source.study.case(case),
        figure.method,
        figure.parameters,
        Ensemble(stored.subset(subset)),
        subset,
        stored.n_classes,
    )
    path = getattr(method, figure.path).reshape(-1, len(figure.labels))
    return [
        (case, label, i, value, method.converged_)
        for label, values in zip(figure.labels, path.T.tolist(), strict=True)
        for i, value in enumerate(values, start=1)
    ]


def draw(figure: PathsFigure, titles: Mapping[str, str], table: "pd.DataFrame") -> Any:
    """Draw the table: a panel for each case, a line for each value; infinite ones are left out."""
    import numpy as np

    cases = list(dict.fromkeys(table["case"]))
    picture, axes = panels(len(cases), 4 if len(cases) > 3 else 3, 1.75)
    for panel, case in zip(axes, cases, strict=True):
        for number, label in enumerate(figure.labels):
            rows = table[(table["case"] == case) & (table["quantity"] == label) & np.isfinite(table["value"])]
            style = {"color": COLOURS[number % len(COLOURS)], "linestyle": STYLES[number % len(STYLES)]}
            panel.plot(rows["iteration"], rows["value"], linewidth=1.1, label=label, **style)
        if figure.log:
            panel.set_yscale("log")
        plain(panel)
        panel.set_title(titles[case], fontsize=9, pad=3)
    label_outer(axes, "iteration")
    legend_below(picture, axes[0], columns=min(len(cases), 3))
    return picture


def caption(study: Study, titles: Mapping[str, str], figure: PathsFigure, table: "pd.DataFrame") -> str:
    """Say what was measured, and how many iterations there were."""
    lengths = [
        f"{titles[str(case)]} {rows['iteration'].max()}" + " (not converged)" * (not rows["converged"].all())
        for case, rows in table.groupby("case", sort=False)
    ]
    others = f" with {point_text(figure.parameters)}" if figure.parameters else ""
    return (
        f"{figure.method}{others} on subset {figure.subset}: {', '.join(map(untex, figure.labels))} after "
        f"each iteration. Iterations: {', '.join(lengths)}."
    )

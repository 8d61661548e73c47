"""The figures that a study lists under ``figures``: one module for each kind.

A kind has ``make``, which returns the picture and the table of the numbers behind it; ``caption``, from that
table; and ``shown``: what of the figure is in this run.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.config.figures import AnyFigure, named_cases, named_methods
from concord.config.study import Study
from concord.reports import (
    figure_bars,
    figure_grid_line,
    figure_levels,
    figure_matrices,
    figure_objects,
    figure_paths,
    figure_sizes,
    figure_vat,
)
from concord.reports.figure_source import Source
from concord.reports.figures import STYLE, empty_page, save
from concord.reports.tables import write_csv

if TYPE_CHECKING:
    import pandas as pd

KINDS: dict[str, Any] = {
    "sizes": figure_sizes,
    "matrices": figure_matrices,
    "levels": figure_levels,
    "paths": figure_paths,
    "objects": figure_objects,
    "vat": figure_vat,
    "bars": figure_bars,
    "grid_line": figure_grid_line,
}


def write(figure: AnyFigure, source: Source, out: Path) -> None:
    """Draw a figure and write it with its table, ``out``/<id>.svg, .pdf, .png, .csv."""
    picture, table = make(figure, source)
    write_csv(table, out / f"{figure.id}.csv", "%.6g")
    save(picture, out, figure.id)


def make(figure: AnyFigure, source: Source) -> "tuple[Any, pd.DataFrame]":
    """Return the picture and its table: a page that says so, and no rows, if nothing of it is in this run."""
    import matplotlib as mpl
    import pandas as pd

    kind = KINDS[figure.kind]
    with mpl.rc_context(STYLE):
        if not kind.shown(source.study, figure):
            return empty_page("Nothing of this figure is in this run."), pd.DataFrame(
                columns=list(kind.COLUMNS)
            )
        made: tuple[Any, pd.DataFrame] = kind.make(figure, source)
        return made


def panels(study: Study, figure: AnyFigure) -> int:
    """Return how many cases or matrices the figure shows; 0 if nothing of it is in this run."""
    return len(KINDS[figure.kind].shown(study, figure))


def caption(study: Study, titles: Mapping[str, str], figure: AnyFigure, table: "pd.DataFrame") -> str:
    """Return what the author says, what was measured, and what is not in this run."""
    said = [figure.caption.strip()]
    if panels(study, figure):
        said.append(KINDS[figure.kind].caption(study, titles, figure, table))
    else:
        said.append("Nothing to draw.")
    said.append(_absent(study, titles, figure))
    return " ".join(filter(None, said))


def _absent(study: Study, titles: Mapping[str, str], figure: AnyFigure) -> str:
    cases = {case.id for case in study.cases}
    methods = {study.base_clusterings, *(run.id for run in study.methods)}
    absent = [titles.get(case, case) for case in named_cases(figure) if case not in cases]
    absent += [method for method in named_methods(figure) if method not in methods]
    return f"Not in this run: {', '.join(absent)}." if absent else ""

"""The objects of two-dimensional data sets, coloured by class."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from concord.config.figures import ObjectsFigure
from concord.config.study import Study
from concord.errors import InputError
from concord.reports.figure_source import COLOURS, MARKERS, Source, panels

if TYPE_CHECKING:
    import pandas as pd

    from concord.datasets.prepared import Dataset

COLUMNS = ("case", "object", "x", "y", "class")


def shown(study: Study, figure: ObjectsFigure) -> list[str]:
    """Cases of the figure that are in this run."""
    here = {case.id for case in study.cases}
    return [case for case in figure.cases if case in here]


def make(figure: ObjectsFigure, source: Source) -> "tuple[Any, pd.DataFrame]":
    """Return the picture and the table of its objects."""
    import pandas as pd

    parts = [objects_table(case, source.dataset(case)) for case in shown(source.study, figure)]
    table = pd.concat(parts, ignore_index=True)
    return draw(datasets(source.study, source.titles), table), table


def datasets(study: Study, titles: Mapping[str, str]) -> dict[str, str]:
    """Return the title of the data set of each case: its ensemble plays no part."""
    return {case.id: titles.get(case.dataset, case.dataset) for case in study.cases}


def objects_table(case: str, dataset: "Dataset") -> "pd.DataFrame":
    """Return the objects, columns :data:`COLUMNS`; InputError unless they have two features."""
    import numpy as np
    import pandas as pd

    d = dataset.X.shape[1]
    if d != 2:
        raise InputError(f"{case}: {d} features, but a figure of objects shows two; choose another case")
    x, y = np.asarray(dataset.X, dtype=float).T
    names = [dataset.class_names[c] for c in dataset.y]
    return pd.DataFrame({"case": case, "object": range(len(x)), "x": x, "y": y, "class": names})


def draw(titles: Mapping[str, str], table: "pd.DataFrame") -> Any:
    """Draw the table: a panel for each case, a colour and a marker for each class."""
    cases = list(dict.fromkeys(table["case"]))
    picture, axes = panels(len(cases), 2, 2.6)
    for panel, case in zip(axes, cases, strict=True):
        rows = table[table["case"] == case]
        for number, (_, group) in enumerate(rows.groupby("class", sort=False)):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            panel.scatter(group["x"], group["y"], s=5, color=colour, marker=marker, linewidths=0)
        panel.set_title(titles[case], fontsize=9, pad=3)
        panel.set_aspect("equal")
        panel.set_xticks([])
        panel.set_yticks([])
    return picture


def caption(study: Study, titles: Mapping[str, str], figure: ObjectsFigure, table: "pd.DataFrame") -> str:
    """Say what is shown."""
    parts = [
        f"{datasets(study, titles)[str(case)]} ({len(rows)} objects, {rows['class'].nunique()} classes)"
        for case, rows in table.groupby("case", sort=False)
    ]
    return f"Objects, coloured by class: {'; '.join(parts)}."

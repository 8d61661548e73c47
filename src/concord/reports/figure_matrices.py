"""Matrices over the objects of one case and one subset, in the order of the classes."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from concord import coassociation
from concord.config.figures import MatricesFigure, MatrixPanel
from concord.config.study import Study
from concord.config.values import Value
from concord.ensemble import Ensemble, FloatArray, IntArray
from concord.methods.base import ConsensusMethod
from concord.reports.figure_source import Source, fit_parameters, untex
from concord.reports.rows import point_text

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("panel", "matrix", "parameters", "objects", "drawn"),
    *(
        "least",
        "percentile_1",
        "percentile_99",
        "largest",
        "mean_in_classes",
        "mean_between",
        "order_difference",
    ),
)
MOST = 800
"""Rows that are drawn; of more objects every k-th in the order of the classes."""

TONES = 64
"""Colours of the scale: few, so that pictures of many small cells stay small files."""

FINE = 400
"""Rows from which on a panel has fewer pixels than the matrix has cells."""

ACROSS = 4
SIDES = {1: 3.4, 2: 2.7, 3: 2.05, 4: 1.55}
"""Inches of a panel, with so many side by side."""

ORDERED, UNORDERED, RESTORED = (
    "given in the order of the classes",
    "given in random order",
    "put back in order",
)
ROWS = {
    "class": (ORDERED,),
    "random": (UNORDERED, RESTORED),
    "both": (ORDERED, UNORDERED, RESTORED),
}


class Shown(NamedTuple):
    """A panel's matrix, a picture of it for each row of the figure, and the numbers about it."""

    panel: MatrixPanel
    pictures: Sequence[FloatArray]
    numbers: Mapping[str, Any]


def shown(study: Study, figure: MatricesFigure) -> list[MatrixPanel]:
    """Panels of the figure that are in this run."""
    methods = {None, *(run.id for run in study.methods)}
    here = figure.case in {case.id for case in study.cases}
    return [panel for panel in figure.panels if here and panel.method in methods]


class Given:
    """The subset of the figure, with its objects in one order, as methods are given it."""

    def __init__(self, figure: MatricesFigure, source: Source, objects: IntArray) -> None:
        stored = source.stored(figure.case)
        self.classes = stored.classes[objects]
        self.ensemble = Ensemble(stored.subset(figure.subset - 1)[objects])
        self._figure, self._source = figure, source
        self._fits: dict[object, ConsensusMethod] = {}

    def matrix(self, panel: MatrixPanel) -> FloatArray:
        """Return a panel's matrix, shape (n, n)."""
        matrix: FloatArray
        if panel.similarity == "classes":
            matrix = (self.classes[:, None] == self.classes).astype(float)
        elif panel.similarity:
            profiles = getattr(coassociation, panel.similarity)(self.ensemble, **panel.parameters)
            matrix = coassociation.over_objects(self.ensemble, profiles, float(panel.similarity != "hc"))
        else:
            found = getattr(self._fit(str(panel.method), panel.parameters), panel.matrix)
            matrix = found() if callable(found) else self.ensemble.expand(found)
        return matrix

    def _fit(self, method: str, parameters: Mapping[str, Value]) -> ConsensusMethod:
        """Fit once for all panels that show a matrix of one fit."""
        key = method, tuple(parameters.items())
        if key not in self._fits:
            case, k = self._source.study.case(self._figure.case), int(self.classes.max()) + 1
            self._fits[key] = self._source.fitted(
                case, method, parameters, self.ensemble, self._figure.subset - 1, k
            )
        return self._fits[key]


def make(figure: MatricesFigure, source: Source) -> "tuple[Any, pd.DataFrame]":
    """Return the picture and the table of its panels."""
    import pandas as pd

    classes = source.stored(figure.case).classes
    order = np.argsort(classes, kind="stable")
    shuffle = source.generator(figure.case, figure.id).permutation(len(order))
    in_order = Given(figure, source, order)
    in_random = None if figure.order == "class" else Given(figure, source, shuffle)
    back = np.argsort(shuffle)[order]
    found = [
        _shown(panel, figure, source.study, in_order, in_random, back)
        for panel in shown(source.study, figure)
    ]
    borders = np.flatnonzero(np.diff(classes[order][:: step_of(len(order))]))
    table = pd.DataFrame([one.numbers for one in found], columns=list(COLUMNS))
    return draw(figure, found, borders), table


def step_of(n: int) -> int:
    """Return k where every k-th of n objects is drawn."""
    return -(-n // MOST)


def _shown(
    panel: MatrixPanel,
    figure: MatricesFigure,
    study: Study,
    in_order: Given,
    in_random: Given | None,
    back: IntArray,
) -> Shown:
    """Make a panel's pictures; ``back`` puts the objects of ``in_random`` into the order of the classes."""
    matrix = in_order.matrix(panel)
    difference, pictures = math.nan, [matrix]
    if in_random is not None:
        shuffled = in_random.matrix(panel)
        restored = shuffled[np.ix_(back, back)]
        difference = float(np.abs(restored - matrix).max())
        pictures = [*pictures[figure.order == "random" :], shuffled, restored]
    step = step_of(len(matrix))
    drawn = [picture[::step, ::step].copy() for picture in pictures]
    numbers = {
        "panel": panel.title,
        "matrix": panel.similarity or f"{panel.method}: {panel.matrix}",
        "parameters": point_text(parameters_of(panel, study, figure)),
        "objects": len(matrix),
        "drawn": len(drawn[0]),
        "order_difference": difference,
        **_contrast(matrix, in_order.classes),
    }
    return Shown(panel, drawn, numbers)


def parameters_of(panel: MatrixPanel, study: Study, figure: MatricesFigure) -> dict[str, Any]:
    """Return the parameters that a panel's matrix is made with, but for those left at their defaults."""
    own = fit_parameters(study, study.case(figure.case), panel.method) if panel.method else {}
    return {**own, **panel.parameters}


def _contrast(matrix: FloatArray, classes: IntArray) -> dict[str, float]:
    """Range of the entries beside the diagonal, means inside and between the classes."""
    apart = ~np.eye(len(matrix), dtype=bool)
    together = classes[:, None] == classes
    low, high = np.percentile(matrix[apart], [1, 99])
    return {
        "least": float(matrix[apart].min()),
        "percentile_1": float(low),
        "percentile_99": float(high),
        "largest": float(matrix[apart].max()),
        "mean_in_classes": float(matrix[together & apart].mean()),
        "mean_between": float(matrix[~together].mean()) if not together.all() else math.nan,
    }


def draw(figure: MatricesFigure, found: Sequence[Shown], borders: IntArray) -> Any:
    """Draw the matrices: a column for each, a row for each order of the objects; lines where a class ends."""
    from matplotlib.figure import Figure

    labels = ROWS[figure.order]
    across = _across(len(found), len(labels))
    bands = math.ceil(len(found) / across)
    below = 0.3 * any(one.panel.scale is not None for one in found)
    size = SIDES[across] * across + 0.7, bands * (len(labels) * (SIDES[across] + 0.05) + 0.25 + below)
    picture = Figure(figsize=size, layout="constrained")
    axes = picture.subplots(bands * len(labels), across, squeeze=False)
    for panel in axes.ravel():
        panel.set_axis_off()
    shared: dict[Any, Any] = {}
    for number, one in enumerate(found):
        band, column = divmod(number, across)
        own = axes[band * len(labels) : (band + 1) * len(labels), column]
        images = [_image(*pair, _limits(figure, one)) for pair in zip(own, one.pictures, strict=True)]
        for panel, label in zip(own, labels, strict=True):
            if label != UNORDERED:
                _borders(panel, borders)
            if column == 0 and len(labels) > 1:
                panel.set_ylabel(label, fontsize=8)
        own[0].set_title(one.panel.title, fontsize=9, pad=3)
        if one.panel.scale is None:
            shared |= dict(zip(own, images, strict=True))
        else:
            _bar(picture, images[0], list(own), location="bottom")
    if shared:
        beside = len(shared) == len(found) * len(labels)
        _bar(picture, next(iter(shared.values())), list(shared), location="right" if beside else "bottom")
    return picture


def _across(n: int, rows: int) -> int:
    """Return how many panels stand side by side: four in one order of the objects are shown two by two."""
    return 2 if (n, rows) == (4, 1) else min(n, ACROSS)


def _image(panel: Any, values: FloatArray, limits: tuple[float, float]) -> Any:
    import matplotlib as mpl

    panel.set_axis_on()
    panel.set_xticks([])
    panel.set_yticks([])
    resample = {"interpolation": "antialiased" if len(values) > FINE else "nearest"}
    colours = mpl.colormaps["viridis"].resampled(TONES)
    scale = {"vmin": limits[0], "vmax": limits[1], "cmap": colours}
    return panel.imshow(values, **scale, **resample, interpolation_stage="data")


def _borders(panel: Any, borders: IntArray) -> None:
    for border in borders + 0.5:
        panel.axhline(border, color="white", linewidth=0.3, alpha=0.8)
        panel.axvline(border, color="white", linewidth=0.3, alpha=0.8)


def _limits(figure: MatricesFigure, one: Shown) -> tuple[float, float]:
    if one.panel.scale == "own":
        low, high = one.numbers["percentile_1"], one.numbers["percentile_99"]
        return (low, high) if low < high else (one.numbers["least"], one.numbers["largest"])
    return one.panel.scale or figure.scale


def _bar(picture: Any, image: Any, axes: Sequence[Any], location: str) -> None:
    values, (least, largest) = image.get_array(), image.get_clim()
    beyond = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    extend = beyond[bool(values.min() < least), bool(values.max() > largest)]
    bar = picture.colorbar(image, ax=axes, shrink=0.85, pad=0.02, aspect=25, location=location, extend=extend)
    bar.ax.tick_params(labelsize=7, length=2, width=0.6)


def caption(study: Study, titles: Mapping[str, str], figure: MatricesFigure, table: "pd.DataFrame") -> str:
    """Say what is shown and, where objects were shuffled, that this changes nothing."""
    n, drawn = int(table["objects"].iloc[0]), int(table["drawn"].iloc[0])
    some = f", of which every {_ordinal(step_of(n))} is drawn" if drawn < n else ""
    panels = [
        f"{untex(panel.title)} ({what})" if (what := _what(panel, study, figure)) else untex(panel.title)
        for panel in shown(study, figure)
    ]
    return (
        f"Matrices over the {n} objects of {titles[figure.case]}{some}, subset {figure.subset}, in the order "
        f"of the classes; lines: where a class ends. {'; '.join(panels)}.{_order(figure, table)}"
    )


def _ordinal(k: int) -> str:
    return {2: "second", 3: "third"}.get(k, f"{k}th")


def _what(panel: MatrixPanel, study: Study, figure: MatricesFigure) -> str:
    made = panel.method or {"classes": "1 for two objects of one class"}.get(str(panel.similarity), "")
    parameters = point_text(parameters_of(panel, study, figure))
    return ", ".join(filter(None, (made, parameters)))


def _order(figure: MatricesFigure, table: "pd.DataFrame") -> str:
    if figure.order == "class":
        return ""
    differences = ", ".join(f"{row.order_difference:.0e} ({untex(row.panel)})" for row in table.itertuples())
    return (
        " The same objects were given in random order too. That order hides the blocks from the eye and from "
        "nothing else: put back in the order of the classes, a matrix differs from the one whose objects "
        f"were given in that order by no more than {differences}."
    )

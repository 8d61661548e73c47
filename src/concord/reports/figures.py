"""Figures 1 and 2: heat maps of the mean score over a grid of two parameters."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.config.figures import GridFigure
from concord.config.study import Study
from concord.files import written_whole
from concord.reports.rows import point_text, symbol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

FORMATS = ("svg", "pdf", "png")
COLUMNS = 3
"""Data sets side by side, so that a panel stays readable in the width of an A4 page."""

STYLE: Any = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.linewidth": 0.6,
    "svg.hashsalt": "concord",  # without it, the identifiers in an SVG are random
    "svg.fonttype": "path",
    "figure.dpi": 100,
    "savefig.dpi": 200,
}
_NO_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def cases_drawn(study: Study, figure: GridFigure) -> list[str]:
    """Cases of the figure that are in this run."""
    here = [case.id for case in study.cases]
    if figure.method not in {run.id for run in study.methods}:
        return []
    return [case for case in figure.cases or here if case in here]


def grid_means(
    study: Study, figure: GridFigure, scores: "pd.DataFrame", case: str, metric: str
) -> "npt.NDArray[Any]":
    """Mean score over the subsets, shape (points of y, points of x); NaN where a subset failed.

    Parameters of the method's grid other than x and y stay at their default.
    """
    import numpy as np

    run = study.method(figure.method)
    rows = scores[
        (scores["case"] == case) & (scores["method"] == figure.method) & (scores["metric"] == metric)
    ]
    rows = rows[rows["restart"] == study.restarts]
    table = rows.pivot(index="parameters", columns="subset", values="value").mean(axis=1, skipna=False)
    means = {_key(json.loads(text)): value for text, value in table.items()}
    grid = [
        [means.get(_key({**run.default, figure.x: x, figure.y: y}), math.nan) for x in run.grid[figure.x]]
        for y in run.grid[figure.y]
    ]
    return np.array(grid, dtype=float)


def _key(point: dict[str, object]) -> tuple[tuple[str, object], ...]:
    return tuple(sorted(point.items()))


SCALES = {
    "figure1": "One colour scale per metric.",
    "figure2": "Colour: how far a point lies below the best one of its data set, in steps of 0.02, one scale "
    "for all panels; the best mean stands above its panel.",
}


def caption(study: Study, titles: Mapping[str, str], name: str = "figure1") -> str:
    """Caption of a figure: what was measured, and which data sets of the figure are not in this run."""
    figure = _figure(study, name)
    if figure is None:
        return ""
    drawn = cases_drawn(study, figure)
    absent = [titles.get(case, case) for case in figure.cases if case not in drawn]
    left_out = f" Not in this run: {', '.join(absent)}." if absent else ""
    if not drawn:
        return f"Nothing to draw.{left_out}"
    run = study.method(figure.method)
    fixed = {name: value for name, value in run.default.items() if name not in (figure.x, figure.y)}
    others = f", with {point_text(fixed)}" if fixed else ""
    restarts = {"mean": "mean of the restarts", "chosen": "the restart with the best objective"}[
        study.restarts
    ]
    return (
        f"{' and '.join(figure.metrics)} of {figure.method} over its grid of {symbol(figure.x)} and "
        f"{symbol(figure.y)}{others}: mean over {study.ensemble.n_subsets} subsets of "
        f"{study.ensemble.subset_size} base clusterings ({restarts}). Data sets: "
        f"{', '.join(titles[case] for case in drawn)}. {SCALES[name]} "
        f"Solid frame: best mean; dotted frame: default parameters.{left_out}"
    )


def _figure(study: Study, name: str) -> GridFigure | None:
    return {"figure1": study.figure1, "figure2": study.figure2}[name]


def draw(study: Study, titles: Mapping[str, str], scores: "pd.DataFrame", name: str = "figure1") -> Any:
    """Draw a figure; a page with a sentence on it where nothing of it is in this run.

    Returns
    -------
    matplotlib.figure.Figure
    """
    import matplotlib as mpl

    figure = _figure(study, name)
    drawn = cases_drawn(study, figure) if figure else []
    with mpl.rc_context(STYLE):
        if figure is None or not drawn:
            return empty_page("None of the data sets of this figure is in this run.")
        panels = {"figure1": _large, "figure2": _small}[name]
        return panels(study, figure, drawn, titles, scores)


def empty_page(sentence: str) -> Any:
    """Return a picture that says why there is nothing on it."""
    from matplotlib.figure import Figure

    empty = Figure(figsize=(6.7, 1))
    empty.text(0.5, 0.5, sentence, ha="center", va="center")
    return empty


def _large(
    study: Study, figure: GridFigure, drawn: Sequence[str], titles: Mapping[str, str], scores: "pd.DataFrame"
) -> Any:
    import numpy as np
    from matplotlib.figure import Figure

    across = (
        len(figure.metrics) if len(drawn) == 1 else min(COLUMNS, len(drawn))
    )  # one data set: metrics in a row
    panels = math.ceil(len(drawn) / across) * len(figure.metrics) if len(drawn) > 1 else 1
    width = {1: 3.6, 2: 5.8}.get(across, 6.9)
    picture = Figure(figsize=(width, panels * (width - 0.9) / across * 0.98 + 0.45), layout="constrained")
    axes = picture.subplots(panels, across, squeeze=False)
    bands = np.array_split(axes.ravel(), len(figure.metrics))
    for metric, band in zip(figure.metrics, bands, strict=True):
        maps = [grid_means(study, figure, scores, case, metric) for case in drawn]
        known = np.concatenate([means[np.isfinite(means)] for means in maps])
        limits = (known.min(), known.max()) if known.size else (0.0, 1.0)
        for panel in band[len(drawn) :]:
            panel.set_axis_off()
        for panel, case, means in zip(band, drawn, maps, strict=False):
            mesh = _panel(panel, study, figure, means, limits)
            panel.set_title(f"{titles[case]}, {metric}", fontsize=9)
        picture.colorbar(mesh, ax=list(band), shrink=0.9, pad=0.02, label=f"mean {metric}")
    _legend(picture)
    return picture


def _small(
    study: Study, figure: GridFigure, drawn: Sequence[str], titles: Mapping[str, str], scores: "pd.DataFrame"
) -> Any:
    """Draw small panels without figures in them: unlike data sets compare by the distance from their best."""
    import matplotlib as mpl
    import numpy as np
    from matplotlib.colors import BoundaryNorm
    from matplotlib.figure import Figure

    across = min(SMALL_COLUMNS, len(drawn))
    down = math.ceil(len(drawn) / across)
    picture = Figure(figsize=(6.9, down * len(figure.metrics) * 1.38 + 0.7), layout="constrained")
    axes = picture.subplots(down * len(figure.metrics), across, squeeze=False)
    steps = np.linspace(-STEP * STEPS, 0, STEPS + 1)
    norm = BoundaryNorm(steps, mpl.colormaps["viridis"].N, extend="min")
    for metric, band in zip(figure.metrics, np.split(axes, len(figure.metrics)), strict=True):
        for panel in band.ravel()[len(drawn) :]:
            panel.set_axis_off()
        for number, (panel, case) in enumerate(zip(band.ravel(), drawn, strict=False)):
            means = grid_means(study, figure, scores, case, metric)
            best = np.nanmax(means) if np.isfinite(means).any() else math.nan
            # the best point is at 0 itself, the open end of the scale's last step
            mesh = _mesh(panel, np.minimum(means - best, -STEP / 1000), norm=norm)
            _axes(
                panel, study, figure, size=6.5, left=number % across == 0, below=number + across >= len(drawn)
            )
            _frames(panel, study, figure, means, small=True)
            panel.set_title(f"{titles[case]}: {best:.3f}".replace("0.", ".", 1), fontsize=7.5, pad=2.5)
        bar = picture.colorbar(mesh, ax=band, shrink=0.7, pad=0.01, aspect=30, ticks=steps[::2])
        bar.set_label(f"{metric} less the best {metric}", fontsize=8)
        bar.ax.tick_params(labelsize=7)
    _legend(picture)
    picture.draw_without_rendering()  # one pass of the layout leaves the titles of the first row cut off
    return picture


SMALL_COLUMNS = 4
STEP, STEPS = 0.02, 10
"""The colours of small panels: so much below the best, in so many steps."""


def _panel(
    panel: Any,
    study: Study,
    figure: GridFigure,
    means: "npt.NDArray[np.float64]",
    limits: tuple[float, float],
) -> Any:
    """Draw one heat map with its scores written in."""
    mesh = _mesh(panel, means, vmin=limits[0], vmax=limits[1])
    _axes(panel, study, figure)
    _write_values(panel, mesh, means)
    _frames(panel, study, figure, means)
    return mesh


def _mesh(panel: Any, values: "npt.NDArray[np.float64]", **scale: Any) -> Any:
    import matplotlib as mpl

    colours = mpl.colormaps["viridis"].with_extremes(bad="0.85")  # grey where a subset failed
    panel.set_aspect("equal")
    return panel.pcolormesh(values, cmap=colours, **scale)


def _axes(
    panel: Any, study: Study, figure: GridFigure, *, size: float = 8, left: bool = True, below: bool = True
) -> None:
    """Label the axes; they count grid points, so any grid is evenly spaced, labelled with its values."""
    run = study.method(figure.method)
    for axis, name, labelled in ((panel.xaxis, figure.x, below), (panel.yaxis, figure.y, left)):
        values = run.grid[name]
        step = 1 if len(values) <= 7 else 2 if size >= 8 else 4
        axis.set_ticks([i + 0.5 for i in range(0, len(values), step)])
        axis.set_ticklabels([tick_label(value) for value in values[::step]] if labelled else [])
        if labelled:
            axis.set_label_text(symbol(name, tex=True), fontsize=size + 1)
        axis.labelpad = 1
        axis.set_tick_params(length=2, width=0.6, labelsize=size)


def _frames(
    panel: Any, study: Study, figure: GridFigure, means: "npt.NDArray[np.float64]", *, small: bool = False
) -> None:
    """Frame the default point and the best one."""
    import numpy as np

    run = study.method(figure.method)
    default = [run.grid[name].index(run.default[name]) for name in (figure.x, figure.y)]
    _frame(panel, default, _DEFAULT, small)
    if np.isfinite(means).any():
        y, x = np.unravel_index(np.nanargmax(means), means.shape)
        _frame(panel, (x, y), _BEST, small)


_BEST: dict[str, Any] = {"linestyle": "-", "linewidth": 1.6, "label": "best mean"}
_DEFAULT: dict[str, Any] = {"linestyle": (0, (1.5, 1)), "linewidth": 1.6, "label": "default parameters"}


def _frame(panel: Any, cell: Sequence[Any], style: Mapping[str, Any], small: bool) -> None:
    from matplotlib.patches import Rectangle

    corner = (cell[0] + 0.07, cell[1] + 0.07)  # black over white is seen on every colour
    width = 0.6 if small else 1.0
    panel.add_patch(Rectangle(corner, 0.86, 0.86, fill=False, ec="white", lw=3 * width))
    thin = {**style, "linewidth": style["linewidth"] * width}
    panel.add_patch(Rectangle(corner, 0.86, 0.86, fill=False, ec="black", **thin))


def _write_values(panel: Any, mesh: Any, means: "npt.NDArray[np.float64]") -> None:
    """Write each mean into its cell: one colour scale over unlike data sets hides small differences."""
    size = min(7.0, 46 / means.shape[1])
    for (y, x), mean in _cells(means):
        red, green, blue, _ = mesh.to_rgba(mean)
        ink = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
        text = f"{mean:.3f}".removeprefix("0")
        panel.text(x + 0.5, y + 0.5, text, color=ink, fontsize=size, ha="center", va="center_baseline")


def _cells(means: "npt.NDArray[np.float64]") -> Iterator[tuple[tuple[int, int], float]]:
    for y, row in enumerate(means.tolist()):
        for x, mean in enumerate(row):
            if math.isfinite(mean):
                yield (y, x), mean


def tick_label(value: object) -> str:
    """Label of a grid value: a power of ten as such, other values as they are."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        exponent = math.log10(value)
        if math.isclose(exponent, round(exponent), abs_tol=1e-9):
            return f"$10^{{{round(exponent)}}}$"
        return f"{value:g}"
    return str(value)


def _legend(picture: Any) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(fill=False, edgecolor="black", **style) for style in (_BEST, _DEFAULT)]
    picture.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False, fontsize=9)


def save(picture: Any, out: Path, stem: str = "figure1") -> None:
    """Write the figure as SVG, PDF and PNG, the same bytes for the same numbers."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        for suffix in FORMATS:
            with written_whole(out / f"{stem}.{suffix}") as temporary:
                picture.savefig(temporary, format=suffix, metadata=_NO_DATE[suffix])

"""How figures look, and how they are saved: seaborn's style with the report's fonts, and a few common parts."""

# matplotlib and seaborn are imported where needed, so that what does without them starts faster

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consclust.files import written_whole
from consclust.plot.drawing import colours, heat

if TYPE_CHECKING:
    from pandas import DataFrame

FORMATS = ("svg", "pdf", "png")
PAGE = 6.9
"""Inches between the margins of an A4 page."""
WIDTHS = {1: 3.8, 2: 5.6}
"""Inches of a picture with so many panels side by side; with more, the width of the page."""
LABEL = 0.3
"""Inches of a panel's width that a label of its horizontal axis takes at least."""
MARKERS = "osD^vPX*"
THICK = 2.6
THIN = 0.8
"""Points of the curve of a method that stands out, and of the others beside it."""
TONES = 64
"""Colours of a matrix: few, so that pictures of many small cells stay small files."""
RC: Mapping[str, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "axes.linewidth": 0.6,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "xtick.major.size": 2,
    "xtick.major.width": 0.6,
    "xtick.major.pad": 2,
    "ytick.major.size": 2,
    "ytick.major.width": 0.6,
    "ytick.major.pad": 2,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "axes.titlepad": 3,
    "axes.labelpad": 2,
    "axes.grid": True,
    "grid.color": "0.9",
    "axes.edgecolor": "0.15",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "consclust",  # without it, the identifiers in an SVG are random
    "svg.fonttype": "path",
    "savefig.dpi": 250,
}
_NO_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


@contextmanager
def style() -> Iterator[None]:
    """Draw in the report's style inside the block, or inside the decorated function."""
    import matplotlib as mpl
    import seaborn as sns

    settings: dict[Any, Any] = {**sns.axes_style("ticks"), **sns.plotting_context("paper"), **RC}
    with mpl.rc_context(settings):
        yield


def save(picture: Any, folder: Path, stem: str) -> None:
    """Write a matplotlib figure as SVG, PDF and PNG, and close it; the same figure gives the same bytes."""
    from matplotlib import pyplot as plt

    with style():
        picture.draw_without_rendering()
        picture.set_layout_engine(None)  # one layout for all formats
        for suffix in FORMATS:
            with written_whole(folder / f"{stem}.{suffix}") as temporary:
                picture.savefig(temporary, format=suffix, metadata=_NO_DATE[suffix])
    plt.close(picture)


def panels(n: int, across: int, height: float) -> tuple[Any, list[Any]]:
    """Return a picture and its ``n`` panels, at most ``across`` in a row, each ``height`` inches high."""
    from matplotlib.figure import Figure

    across = min(n, across)
    down = math.ceil(n / across)
    picture = Figure(figsize=(WIDTHS.get(across, PAGE), down * height + 0.3), layout="constrained")
    axes = picture.subplots(down, across, squeeze=False).ravel()
    for spare in axes[n:]:
        spare.set_axis_off()
    return picture, list(axes[:n])


def case_panels(frame: DataFrame, titles: Mapping[str, str]) -> tuple[Any, list[tuple[Any, DataFrame]]]:
    """Return a picture and, for each case, its panel with its title and its rows of the frame."""
    cases = frame["case"].unique()
    picture, axes = panels(len(cases), 4 if len(cases) > 3 else 3, 1.8)
    for panel, case in zip(axes, cases, strict=True):
        panel.set_title(titles[case])
    return picture, [(panel, frame[frame["case"] == case]) for panel, case in zip(axes, cases, strict=True)]


def label_outer(axes: Any, x: str, y: str) -> None:
    """Name the axes of panels once: x under the lowest panel of each column, y at the left of each row."""
    columns = [axis.get_subplotspec().colspan.start for axis in axes]
    for number, (axis, column) in enumerate(zip(axes, columns, strict=True)):
        axis.set_xlabel("" if column in columns[number + 1 :] else x)
        axis.set_ylabel("" if column else y)


def legend_below(picture: Any, handles: Sequence[Any]) -> None:
    """Put a legend under all panels, as wide as the picture allows; the picture grows by its further rows."""
    entry = 0.6 + 0.065 * max(len(handle.get_label()) for handle in handles)  # inches, of the longest
    columns = max(1, min(len(handles), int(picture.get_figwidth() / entry)))
    picture.set_figheight(picture.get_figheight() + 0.17 * (math.ceil(len(handles) / columns) - 1))
    picture.legend(handles=handles, loc="outside lower center", ncols=columns)


def curves(panel: Any, rows: DataFrame, x: str, by: str, palette: Mapping[str, Any], thick: str | None = None) -> None:
    """Draw ``mean`` over ``x``, a line with markers for each ``by``; bands are one ``std`` to either side.

    With ``thick`` the others are thin.
    """
    import seaborn as sns

    sns.lineplot(
        rows,
        x=x,
        y="mean",
        hue=by,
        style=by,
        palette=palette,
        markers={name: marker for (name, _), marker in _pair_with_markers(palette)},
        dashes=False,
        estimator=None,
        errorbar=None,
        legend=False,
        markeredgewidth=0.3,
        ax=panel,
        **({"size": by, "sizes": {str(name): THICK if name == thick else THIN for name in palette}} if thick else {}),
    )
    for name, line in rows.groupby(by, sort=False):
        mean = line["mean"]
        std = line["std"].fillna(0)
        panel.fill_between(line[x], mean - std, mean + std, color=palette[str(name)], alpha=0.13, linewidth=0)


@style()
def curves_by_case(
    frame: DataFrame, titles: Mapping[str, str], x: str, labels: tuple[str, str], thick: str | None = None
) -> Any:
    """Return a picture with a panel for each case and a curve for each method; a dashed level where ``x`` is NaN.

    The curve of the method ``thick`` is drawn thick.
    """
    palette = colours(list(frame["method"].unique()))
    picture, drawn = case_panels(frame, titles)
    for panel, rows in drawn:
        curves(panel, rows[rows[x].notna()], x, "method", palette, thick)
        for level in rows[rows[x].isna()].itertuples():
            panel.axhline(level.mean, color=palette[level.method], linestyle="--", linewidth=0.9)
        values = sorted(set(rows[x].dropna()))
        if values and 0 < 100 * values[0] <= values[-1]:
            panel.set_xscale("log")
            panel.minorticks_off()
        inches = picture.get_figwidth() / panel.get_subplotspec().get_gridspec().ncols
        panel.set_xticks(values, spaced_labels(values, LABEL / inches, log=panel.get_xscale() == "log"))
    label_outer([panel for panel, _ in drawn], *(textwrap.fill(label, 28) for label in labels))
    dashed = set(frame["method"][frame[x].isna()])
    legend_below(picture, curve_handles(palette, dashed=dashed, thick=thick))
    return picture


def spaced_labels(values: Sequence[float], apart: float, log: bool) -> list[str]:
    """Write increasing values, empty where the last written one is nearer than this share of their axis."""
    places = [math.log(value) for value in values] if log else values
    labels: list[str] = []
    last = -math.inf
    for value, place in zip(values, places, strict=True):
        written = place - last >= apart * (places[-1] - places[0])
        labels.append(f"{value:g}" if written else "")
        last = place if written else last
    return labels


def curve_handles(palette: Mapping[str, Any], dashed: Collection[str] = (), thick: str | None = None) -> list[Any]:
    """Return the entries of a legend for :func:`curves`; a ``dashed`` one is a level without markers."""
    from matplotlib.lines import Line2D

    looks = {name: {"color": colour, "marker": marker} for (name, colour), marker in _pair_with_markers(palette)}
    looks |= {name: {"color": palette[name], "linestyle": "--"} for name in dashed}
    if thick in looks:
        looks[thick]["linewidth"] = THICK
    return [Line2D([], [], label=name, **look) for name, look in looks.items()]


def _pair_with_markers(palette: Mapping[str, Any]) -> zip[tuple[tuple[str, Any], str]]:
    """Pair each name and its colour with a marker."""
    return zip(palette.items(), MARKERS * len(palette), strict=False)


def fine(panel: Any, matrix: Any, limits: tuple[float, float]) -> Any:
    """Draw a matrix over many objects, as pixels; return its mesh."""
    import seaborn as sns

    low, high = limits
    return heat(panel, matrix, vmin=low, vmax=high, cmap=sns.color_palette("viridis", TONES), rasterized=True)


def colour_bar(picture: Any, mesh: Any, axes: Any, label: str, **options: Any) -> Any:
    """Put the colour scale of a mesh beside panels; return it."""
    defaults = {"shrink": 0.85, "pad": 0.02, "aspect": 25}
    bar = picture.colorbar(mesh, ax=list(axes), **(defaults | options))
    bar.set_label(label)
    bar.outline.set_linewidth(0.6)
    return bar

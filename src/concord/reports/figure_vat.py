"""Co-association matrices with the objects in the order of VAT, which shows clusters as bright blocks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.config.figures import VatFigure
from concord.config.study import Study
from concord.ensemble import Ensemble, FloatArray, IntArray
from concord.reports.figure_matrices import MOST, TONES, step_of
from concord.reports.figure_source import COLOURS, Source, panels

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("case", "objects", "drawn", "mean_in_classes", "mean_between", "neighbours_in_class", "missing")
ACROSS = 3


def shown(study: Study, figure: VatFigure) -> list[str]:
    """Cases of the figure that are in this run."""
    here = {case.id for case in study.cases}
    return [case for case in figure.cases if case in here]


def vat_order(dissimilarity: FloatArray) -> IntArray:
    """Order objects as Prim's algorithm joins them (Bezdek, Hathaway: VAT, IJCNN 2002).

    The first is one of the two that are farthest apart, and each further one the nearest to any before it; of
    several the one with the lowest index.

    Parameters
    ----------
    dissimilarity : ndarray, shape (n, n)
        Symmetric.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    n = len(dissimilarity)
    order = np.empty(n, dtype=np.int64)
    order[0] = np.unravel_index(np.argmax(dissimilarity), dissimilarity.shape)[0]
    nearest = dissimilarity[order[0]].astype(float)
    nearest[order[0]] = np.inf
    for place in range(1, n):
        order[place] = np.argmin(nearest)
        joined = nearest == np.inf
        np.minimum(nearest, dissimilarity[order[place]], out=nearest)
        nearest[joined] = np.inf
        nearest[order[place]] = np.inf
    return order


def make(figure: VatFigure, source: Source) -> "tuple[Any, pd.DataFrame]":
    """Return the picture and the table of its panels."""
    import pandas as pd

    pictures, rows = [], []
    for case in shown(source.study, figure):
        stored = source.stored(case)
        ensemble = Ensemble(stored.subset(figure.subset - 1))
        matrix = ensemble.expand(ensemble.coassociation)
        order = vat_order(1 - matrix)
        ordered, classes = matrix[np.ix_(order, order)], stored.classes[order]
        step = step_of(len(order))
        pictures.append((case, ordered[::step, ::step].copy(), classes[::step]))
        rows.append({"case": case, **_numbers(ordered, classes, ensemble), "drawn": len(order[::step])})
    return draw(source.titles, pictures), pd.DataFrame(rows, columns=list(COLUMNS))


def _numbers(matrix: FloatArray, classes: IntArray, ensemble: Ensemble) -> dict[str, float]:
    """Means inside and between the classes, neighbours in the order that are of one class, labels missing."""
    together, apart = classes[:, None] == classes, ~np.eye(len(classes), dtype=bool)
    return {
        "objects": len(classes),
        "mean_in_classes": float(matrix[together & apart].mean()),
        "mean_between": float(matrix[~together].mean()),
        "neighbours_in_class": float((classes[1:] == classes[:-1]).mean()),
        "missing": float((ensemble.labels < 0).mean()),
    }


def draw(titles: Mapping[str, str], pictures: list[tuple[str, FloatArray, IntArray]]) -> Any:
    """Draw the matrices; the strip at the left has the colour of each object's class."""
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap

    across = 2 if len(pictures) in (2, 4) else ACROSS
    picture, axes = panels(len(pictures), across, 5.6 / across)
    tones = mpl.colormaps["viridis"].resampled(TONES)
    for panel, (case, matrix, classes) in zip(axes, pictures, strict=True):
        image = panel.imshow(
            matrix, vmin=0, vmax=1, cmap=tones, interpolation="antialiased", interpolation_stage="data"
        )
        strip = panel.inset_axes((-0.05, 0, 0.035, 1))
        colours = ListedColormap([COLOURS[c % len(COLOURS)] for c in range(int(classes.max()) + 1)])
        strip.imshow(
            classes[:, None], aspect="auto", cmap=colours, vmin=0, vmax=classes.max(), interpolation="nearest"
        )
        for one in (panel, strip):
            one.set_xticks([])
            one.set_yticks([])
        panel.set_title(titles[case], fontsize=9, pad=3)
    bar = picture.colorbar(image, ax=axes, shrink=0.6, pad=0.02, aspect=30)
    bar.ax.tick_params(labelsize=7, length=2, width=0.6)
    return picture


def caption(study: Study, titles: Mapping[str, str], figure: VatFigure, table: "pd.DataFrame") -> str:
    """Say what is shown and how far the order follows the classes."""
    some = (
        f" Of more than {MOST} objects every k-th is drawn."
        if (table["drawn"] < table["objects"]).any()
        else ""
    )
    parts = [
        f"{titles[row.case]} {row.neighbours_in_class:.0%} (co-association {row.mean_in_classes:.2f} within "
        f"and {row.mean_between:.2f} between classes)"
        for row in table.itertuples()
    ]
    missing = f" Labels missing: {table['missing'].max():.0%} at most." if table["missing"].any() else ""
    return (
        "Co-association of the objects in the order of VAT; the strip at the left of each matrix has the "
        f"colour of an object's class.{some} Neighbours in that order that are of one class: "
        f"{'; '.join(parts)}.{missing}"
    )

"""Matrices over the objects: the co-association matrix of an ensemble, a consensus matrix, errors."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.stability import keep_objects
from consclust.ensemble import Ensemble, FloatArray, IntArray, as_ensemble
from consclust.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def coassociation(
    labels: npt.ArrayLike | Ensemble,
    groups: npt.ArrayLike | None = None,
    *,
    strip: npt.ArrayLike | None = None,
    most: int = drawing.MOST,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the co-association matrix: the share of the clusterings that join two objects, of those with both.

    Grey marks a pair that no clustering contains.

    Parameters
    ----------
    labels : array-like of int, shape (n, m), or Ensemble
        Base clusterings; -1 marks a missing object.
    groups, strip, most, ax : see :func:`matrix`.
        Only the matrix of the drawn objects is computed, (most, most), so that n may be large.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np
    >>> from consclust import plot
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> ax = plot.coassociation(labels, groups=["a", "a", "b", "b"])
    >>> ax.get_xlabel()
    'objects'
    """
    ensemble = as_ensemble(labels)
    objects, of_groups = _choose_objects(ensemble.n_objects, groups, most)
    some = keep_objects(ensemble, objects)
    values = some.expand(some.coassociation)
    if some.has_missing:
        values[some.expand(some.observed) == 0] = np.nan
    return _draw(values, objects, ensemble.n_objects, of_groups, strip, (0.0, 1.0), "co-association", ax)


def matrix(
    values: npt.ArrayLike,
    groups: npt.ArrayLike | None = None,
    *,
    strip: npt.ArrayLike | None = None,
    limits: tuple[float, float] | None = None,
    label: str = "entry",
    most: int = drawing.MOST,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a matrix over the objects, such as a consensus matrix, with similar objects side by side.

    Parameters
    ----------
    values : array-like, shape (n, n)
        Similarities; need not be symmetric.
    groups : array-like, shape (n,), optional
        Consensus labels or classes, which the objects are ordered by, and as given inside a group; lines show where a
        group ends. Without groups they are in the order of average linkage, whose tree is drawn at the right: its
        heights are the largest entry less the mean entry.
    strip : array-like, shape (n,), optional
        Labels whose colours are shown at the left; default: ``groups``.
    limits : (float, float), optional
        Ends of the colours; default: 0 and 1, or minus and plus the largest size where an entry is negative, with
        colours that part at 0.
    label : str
        What an entry is, at the colour scale.
    most : int
        Objects that are drawn; of more, every k-th in the order of the groups, or as given.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the matrix is not square, or there is not a label for each object.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust import plot
    >>> ax = plot.matrix(np.array([[1, 0, 0.8], [0, 1, 0.1], [0.8, 0.1, 1]]), label="similarity")
    >>> ax.collections[0].get_array().round(1).tolist()
    [[1.0, 0.0, 0.1], [0.0, 1.0, 0.8], [0.1, 0.8, 1.0]]
    """
    entries = np.asarray(values, dtype=float)
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise ValueError(f"values must be a matrix over the objects, (n, n), got shape {entries.shape}")
    if limits is None:
        largest = float(np.nanmax(np.abs(entries)))
        limits = (-largest, largest) if np.nanmin(entries) < 0 else (0.0, 1.0)
    objects, of_groups = _choose_objects(len(entries), groups, most)
    return _draw(entries[np.ix_(objects, objects)], objects, len(entries), of_groups, strip, limits, label, ax)


def _choose_objects(n: int, labels: npt.ArrayLike | None, most: int) -> tuple[IntArray, drawing.Groups | None]:
    """Return the objects that are drawn, in their order, and their groups."""
    step = drawing.step_of(n, most)
    if labels is None:
        return np.arange(n)[::step], None
    groups = drawing.Groups.make(labels, n)
    objects = np.argsort(groups.codes, kind="stable")[::step]
    return objects, groups.at(objects)


def _draw(
    values: FloatArray,
    objects: IntArray,
    n: int,
    groups: drawing.Groups | None,
    labels: npt.ArrayLike | None,
    limits: tuple[float, float],
    label: str,
    ax: Any,
) -> "Axes":
    """Draw the values of some of n objects, in their order or that of their tree."""
    tree = None if groups else drawing.Tree.make(np.nanmax(values) - np.nan_to_num(values))
    order = tree.leaves if tree else np.arange(len(values))
    panel = drawing.own_axes(ax, 5.2 if tree else 4.6, 4)
    cmap = drawing.DIVERGING if limits[0] < 0 else drawing.HEAT
    scale = {"vmin": limits[0], "vmax": limits[1], "cmap": cmap}
    mesh = drawing.heat(panel, values[np.ix_(order, order)], rasterized=True, **scale)
    if tree:
        tree.draw(panel)
    if groups:
        drawing.borders(panel, groups.borders(), "0.2" if limits[0] < 0 else "white")
    beside = groups if labels is None else drawing.Groups.make(labels, n).at(objects[order])
    if beside:
        drawing.strip(panel, beside)
    drawing.colour_scale(panel, mesh, label, after_tree=tree is not None)
    panel.set_xlabel(drawing.some_of(len(values), n))
    return panel

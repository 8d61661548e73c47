"""The objects: memberships, stability, and the pictures of those on which clusterings disagree."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from consclust.diagnostics import Stability
from consclust.ensemble import MISSING
from consclust.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURE, TEXT = 0.92, 0.3
"""Width of a picture, and height of the text above it, in shares of a column."""


def memberships(
    shares: "npt.ArrayLike | Stability",
    groups: npt.ArrayLike | None = None,
    *,
    label: str = "membership",
    most: int = drawing.MOST,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw memberships as a heat map: a row for each cluster, a column for each object.

    Parameters
    ----------
    shares : array-like, shape (n, K), or Stability
        Such as ``memberships_`` of PEACE or BaumEagon. Of what :func:`~consclust.diagnostics.bootstrap_stability`
        returns, the share of the draws that leave an object in its cluster, and grey for its other clusters.
    groups : array-like, shape (n,), optional
        Such as classes; a strip at the top has a colour for each.
    label : str
        What a share is, at the colour scale.
    most : int
        Objects that are drawn; of more, every k-th.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The objects are in the order of their groups, inside these of the cluster with the largest share, and inside
        this from large to small ones. Those without any share are last.

    Raises
    ------
    ValueError
        If the shares are no matrix, or there is not a group for each object.

    Examples
    --------
    >>> from consclust import plot
    >>> ax = plot.memberships([[0.2, 0.8], [0.6, 0.4], [1.0, 0.0]])
    >>> ax.collections[0].get_array().tolist()
    [[1.0, 0.6, 0.2], [0.0, 0.4, 0.8]]
    """
    matrix = _place_shares(shares) if isinstance(shares, Stability) else np.asarray(shares, dtype=float)
    if matrix.ndim != 2:
        raise ValueError(f"memberships must be a matrix of n objects x K clusters, got shape {matrix.shape}")
    n, k = matrix.shape
    known = np.nan_to_num(matrix, nan=-1.0)
    of_groups = None if groups is None else drawing.Groups.make(groups, n)
    largest = known.max(axis=1)
    clusters = np.where(largest < 0, k, known.argmax(axis=1))
    keys = (-largest, clusters, *([of_groups.codes] if of_groups else []))
    objects = np.lexsort(keys)[:: drawing.step_of(n, most)]
    panel = drawing.own_axes(ax, 5.5, 1.3 + 0.28 * k)
    mesh = drawing.heat(panel, matrix[objects].T, vmin=0, vmax=1, square=False, rasterized=True)
    panel.set_yticks(np.arange(k) + 0.5, [str(cluster) for cluster in range(k)], rotation=0)
    panel.set(xlabel=drawing.some_of(len(objects), n), ylabel="cluster")
    if of_groups:
        drawing.strip(panel, of_groups.at(objects), "top")
    drawing.colour_scale(panel, mesh, label)
    return panel


def _place_shares(stability: Stability) -> "npt.NDArray[np.float64]":
    """Return the share of each object in the column of its cluster, (n, K), NaN elsewhere."""
    there = np.flatnonzero(stability.labels != MISSING)
    matrix = np.full((len(stability.labels), stability.labels.max() + 1), np.nan)
    matrix[there, stability.labels[there]] = stability.share[there]
    return matrix


def stability(found: Stability, *, most: int = drawing.MOST, ax: "Axes | None" = None) -> "Axes":
    """Draw how often each object stays in its cluster, by cluster, from stable to unstable objects.

    Parameters
    ----------
    found : Stability
        What :func:`~consclust.diagnostics.bootstrap_stability` returns.
    most : int
        Objects that are drawn; of more, every k-th in the order of the picture.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Lines: the share of the draws that leave an object in its cluster; bands: its interval. Objects without a
        cluster are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust import plot
    >>> from consclust.diagnostics import bootstrap_stability
    >>> from consclust.methods import EAC
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 1]])
    >>> ax = plot.stability(bootstrap_stability(labels, EAC(n_clusters=2), draws=5))
    >>> ax.get_ylabel()
    'share of draws in the cluster'
    """
    order = np.lexsort((-found.share, found.labels))
    known = order[(found.labels[order] != MISSING) & ~np.isnan(found.share[order])]
    objects = known[:: drawing.step_of(len(known), most)]
    groups = drawing.Groups.make(found.labels[objects], len(objects))
    panel, palette = drawing.own_axes(ax, 5.5, 2.8), drawing.colours(range(len(groups.names)))
    for start, end in groups.runs():
        mine, colour = objects[start:end], palette[groups.codes[start]]
        places = np.arange(start, end + 1)
        panel.stairs(found.high[mine], places, baseline=found.low[mine], fill=True, color=colour, alpha=0.25)
        panel.stairs(found.share[mine], places, baseline=None, color=colour, linewidth=1.5)
    panel.set_xticks(*groups.ticks())
    panel.tick_params(axis="x", length=0)
    drawn = drawing.some_of(len(objects), len(known))
    panel.set(
        xlim=(0, len(objects)), ylim=(0, 1.02), xlabel=f"{drawn}, by cluster", ylabel="share of draws in the cluster"
    )
    return panel


def images(
    pictures: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    number: int = 24,
    largest: bool = False,
    names: npt.ArrayLike | None = None,
    across: int = 8,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the pictures of the objects with the smallest values, such as the least stable ones, in order.

    Parameters
    ----------
    pictures : array-like, shape (n, height, width) or (n, height, width, 3)
        Features of shape (n, d) are pictures by ``X.reshape(n, height, width)``, and by
        ``X.reshape(n, width, height).swapaxes(1, 2)`` if they were stored column by column, as MATLAB does.
    values : array-like, shape (n,)
        Such as the ``share`` of :func:`~consclust.diagnostics.bootstrap_stability`. NaN: the object is left out.
    number : int
        Objects that are drawn.
    largest : bool
        Whether the largest values come first, as of :func:`~consclust.diagnostics.contested`.
    names : array-like, shape (n,), optional
        Such as classes; above the pictures, before the values.
    across : int
        Pictures in a row.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If there is not a picture, with a height and a width, and a value for each object.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust import plot
    >>> ax = plot.images(np.zeros((3, 4, 4)), [0.9, 0.2, 0.5], number=2)
    >>> [text.get_text() for text in ax.texts]
    ['0.20', '0.50']
    """
    all_pictures, shown = np.asarray(pictures), np.asarray(values, dtype=float)
    if all_pictures.ndim not in (3, 4) or shown.shape != all_pictures.shape[:1]:
        shapes = f"got shapes {all_pictures.shape} and {shown.shape}"
        raise ValueError(f"pictures must be (n, height, width) and values (n,), {shapes}; reshape features")
    order = np.argsort(-shown if largest else shown, kind="stable")
    objects = order[~np.isnan(shown[order])][:number]
    texts = [f"{shown[i]:.2f}" if names is None else f"{np.asarray(names)[i]}: {shown[i]:.2f}" for i in objects]
    down, ratio = -(-len(objects) // across), all_pictures.shape[1] / all_pictures.shape[2]
    panel = drawing.own_axes(ax, 0.85 * across, 0.85 * down * (ratio + TEXT))
    drawn = all_pictures[objects]
    for place, (picture, text) in enumerate(zip(drawn, texts, strict=True)):
        top, left = (place // across) * (ratio + TEXT) + TEXT, place % across
        extent = (left, left + PICTURE, top + PICTURE * ratio, top)
        panel.imshow(picture, extent=extent, cmap="gray", vmin=drawn.min(), vmax=drawn.max())
        panel.text(left + PICTURE / 2, top - 0.04, text, ha="center", va="bottom", fontsize="small")
    panel.set(xlim=(0, across), ylim=(down * (ratio + TEXT), 0), aspect="equal")
    panel.set_axis_off()
    return panel

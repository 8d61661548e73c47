"""Which features separate the clusters."""

from typing import TYPE_CHECKING, Any

import numpy as np

from consclust.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEAN = "mean_"
"""What the columns with the means of the clusters begin with."""


def signatures(table: Any, *, most: int = 20, ax: "Axes | None" = None) -> "Axes":
    """Draw the means of the clusters in the features that separate them most.

    Parameters
    ----------
    table : pandas.DataFrame
        What :func:`~consclust.diagnostics.signatures` returns.
    most : int
        Features that are drawn, those with the largest effect.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A row for each feature, a column for each cluster; standard deviations of the feature from the mean of all
        objects.

    Examples
    --------
    >>> from consclust import diagnostics, plot
    >>> table = diagnostics.signatures([[0, 5], [1, 3], [9, 4], [8, 4]], [0, 0, 1, 1], ["length", "width"])
    >>> ax = plot.signatures(table)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['length', 'width']
    """
    shown = table[:most]
    columns = [name for name in table.columns if str(name).startswith(MEAN)]
    means = shown[columns].to_numpy(dtype=float)
    largest = float(np.nanmax(np.abs(means))) if not np.isnan(means).all() else 1.0
    panel = drawing.own_axes(ax, 2.6 + 0.4 * len(columns), 1.0 + 0.22 * len(shown))
    mesh = drawing.heat(panel, means, vmin=-largest, vmax=largest, cmap=drawing.DIVERGING, square=False)
    panel.set_yticks(np.arange(len(shown)) + 0.5, shown["feature"], rotation=0, fontsize="small")
    panel.set_xticks(np.arange(len(columns)) + 0.5, [name.removeprefix(MEAN) for name in columns])
    panel.set_xlabel("cluster")
    drawing.colour_scale(panel, mesh, "mean, in standard deviations")
    return panel

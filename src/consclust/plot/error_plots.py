"""RCE's errors: how much of each base clustering it does not believe, by object."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from consclust import diagnostics
from consclust.ensemble import Ensemble, as_ensemble
from consclust.methods.rce import RCE
from consclust.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def rce_errors(
    rce: RCE,
    labels: npt.ArrayLike | Ensemble,
    groups: npt.ArrayLike | None = None,
    *,
    most: int = drawing.MOST,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw RCE's errors: a row for each base clustering, a column for each object.

    Parameters
    ----------
    rce : RCE
        Fitted to the labels.
    labels : array-like of int, shape (n, m), or Ensemble
        Base clusterings; -1 marks a missing object.
    groups : array-like, shape (n,), optional
        What the objects are ordered by; default: the consensus labels.
    most : int
        Objects that are drawn; of more, every k-th in the order of the groups.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The entries are those of :func:`~consclust.diagnostics.rce_errors`; the clustering with the largest errors is at
        the top, and grey marks an object that is missing from a clustering. The errors of the pairs in one clustering
        can be drawn by ``plot.matrix(rce_error_matrix(rce, labels, clustering), rce.labels_)``.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust import plot
    >>> from consclust.methods import RCE
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> ax = plot.rce_errors(RCE(n_clusters=2).fit(labels), labels)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['2', '0', '1']
    """
    ensemble = as_ensemble(labels)
    errors, n = diagnostics.rce_errors(rce, ensemble), ensemble.n_objects
    of_groups = drawing.Groups.make(rce.labels_ if groups is None else groups, n)
    objects = np.argsort(of_groups.codes, kind="stable")[:: drawing.step_of(n, most)]
    rows = np.argsort(-np.nanmean(errors, axis=0), kind="stable")
    panel = drawing.own_axes(ax, 5.5, 1.2 + min(0.16 * len(rows), 4.0))
    mesh = drawing.heat(panel, errors[np.ix_(objects, rows)].T, vmin=0, square=False, rasterized=True)
    drawing.strip(panel, of_groups.at(objects), "top")
    step = drawing.step_of(len(rows), 25)
    panel.set_yticks(np.arange(len(rows))[::step] + 0.5, rows[::step], rotation=0, fontsize="small")
    panel.set(xlabel=drawing.some_of(len(objects), n), ylabel="base clustering")
    drawing.colour_scale(panel, mesh, "mean error")
    return panel

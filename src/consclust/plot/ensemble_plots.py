"""Clusterings beside each other: how they agree, and how diversity and quality of an ensemble go together."""

# seaborn is imported where needed, so that what does without it starts faster

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from consclust.diagnostics import agreement_with, pairwise_agreement
from consclust.diagnostics.ensembles import Agreement
from consclust.ensemble import Ensemble, as_ensemble
from consclust.plot import drawing
from consclust.plurals import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED, WRITTEN = 40, 14
"""Most clusterings whose names, and whose agreement in numbers, are drawn."""


def agreement(
    labelings: "Mapping[str, npt.ArrayLike] | npt.ArrayLike | Ensemble",
    measure: Agreement = "ARI",
    *,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how every two clusterings agree, such as the results of methods, with similar ones side by side.

    Parameters
    ----------
    labelings : mapping from names to array-like of int, shape (n,); or a label matrix, shape (n, m), or Ensemble
        -1 marks a missing object. The clusterings of a matrix are named by their columns.
    measure : {"ARI", "NMI", "VI"}
        See :func:`~consclust.diagnostics.pairwise_agreement`.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        At the right: the tree of average linkage, whose heights are 1 less the mean ARI or NMI, or the mean VI.

    Raises
    ------
    ValueError
        For a single clustering, and as :class:`~consclust.ensemble.Ensemble`.

    Examples
    --------
    >>> from consclust import plot
    >>> ax = plot.agreement({"A": [0, 0, 1, 1], "B": [0, 1, 0, 1], "C": [1, 1, 0, 0]})
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['B', 'A', 'C']
    """
    if isinstance(labelings, Mapping):
        names, ensemble = list(labelings), Ensemble(np.column_stack([*labelings.values()]))
    else:
        ensemble = as_ensemble(labelings)
        names = [str(i) for i in range(ensemble.n_clusterings)]
    if ensemble.n_clusterings == 1:
        raise ValueError("agreement is drawn of at least 2 clusterings, got 1; add the clusterings to compare it with")
    values = pairwise_agreement(ensemble, measure)
    distances = values if measure == "VI" else 1 - values
    tree = drawing.Tree.make(np.nan_to_num(distances, nan=np.nanmax(distances)))
    order = tree.leaves
    size = min(max(0.34 * len(names), 1.8), 4.0) + 1.2
    panel = drawing.own_axes(ax, size + 1.4, size)
    ends = {"vmin": 0, "vmax": np.nanmax(values) if measure == "VI" else 1}
    written = len(names) <= WRITTEN
    texts = {"annot": True, "fmt": ".2f", "annot_kws": {"fontsize": "x-small"}} if written else {"rasterized": True}
    mesh = drawing.heat(panel, values[np.ix_(order, order)], **ends, **texts)
    if len(names) <= NAMED:
        places, of_places = np.arange(len(names)) + 0.5, [names[i] for i in order]
        panel.set_yticks(places, of_places, rotation=0)
        panel.set_xticks(places, of_places, rotation=90)
    else:
        panel.set_xlabel(count(len(names), "clustering"))
    tree.draw(panel)
    drawing.colour_scale(panel, mesh, f"{measure}{' in nats' if measure == 'VI' else ''}", after_tree=True)
    return panel


def diversity(
    labels: npt.ArrayLike | Ensemble,
    reference: npt.ArrayLike,
    measure: Agreement = "ARI",
    *,
    name: str = "the reference",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw diversity against quality, a point for each two base clusterings.

    Parameters
    ----------
    labels : array-like of int, shape (n, m), or Ensemble
        Base clusterings; -1 marks a missing object.
    reference : array-like of int, shape (n,)
        What quality is agreement with: classes, or a consensus.
    measure : {"ARI", "NMI", "VI"}
        See :func:`~consclust.diagnostics.pairwise_agreement`.
    name : str
        Of the reference, at the vertical axis.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Horizontally: how the two agree; vertically: the mean of their agreements with the reference. Points at the left
        are diverse pairs, except for VI, which is a distance.

    References
    ----------
    Fern, Brodley: Random projection for high dimensional data clustering: a cluster ensemble approach. ICML 2003.

    Examples
    --------
    >>> from consclust import plot
    >>> ax = plot.diversity([[0, 0], [0, 1], [1, 1], [1, 0]], [0, 0, 1, 1])
    >>> ax.collections[0].get_offsets().round(2).tolist()
    [[-0.5, 0.25]]
    """
    ensemble = as_ensemble(labels)
    first, second = np.triu_indices(ensemble.n_clusterings, 1)
    with_reference = agreement_with(ensemble, reference, measure)
    panel = drawing.own_axes(ax, 3.8, 3.2)
    import seaborn as sns

    x = pairwise_agreement(ensemble, measure)[first, second]
    y = (with_reference[first] + with_reference[second]) / 2
    sns.scatterplot(x=x, y=y, ax=panel, s=14, alpha=0.5, linewidth=0, rasterized=True)
    panel.set(xlabel=f"{measure} of two base clusterings", ylabel=f"their mean {measure} with {name}")
    return panel

"""The choice of k: distribution of the consensus values, delta area, criteria, and the objects' clusters over k."""

# seaborn and matplotlib are imported where needed, so that what does without them starts faster

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from consclust import diagnostics
from consclust.diagnostics.criteria import CRITERIA, LEAST_INCREASE
from consclust.extras import needs
from consclust.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COUNTS = "number of clusters k"
BETTER = {name: "large" if criterion.sign > 0 else "small" for name, criterion in CRITERIA.items()}
BETTER["delta area"] = f"last \N{GREATER-THAN OR EQUAL TO} {LEAST_INCREASE:g}"


def consensus_cdf(
    values: Mapping[int, diagnostics.ConsensusValues],
    *,
    bounds: tuple[float, float] = (0.1, 0.9),
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the distribution function of the consensus values at each k, with PAC's bounds shaded.

    A flat line between the bounds means that few pairs are joined by some clusterings and separated by others.

    Parameters
    ----------
    values : mapping from k to :class:`~consclust.diagnostics.ConsensusValues`
        What :func:`~consclust.diagnostics.consensus_values` returns for clusterings with k clusters. Of a sample of
        pairs, the band that holds with 95 % confidence is drawn too.
    bounds : (float, float)
        Between them a value counts for PAC, which the legend has for each k.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np
    >>> from consclust import plot
    >>> from consclust.diagnostics import consensus_values
    >>> rng = np.random.default_rng(0)
    >>> values = {k: consensus_values(rng.integers(k, size=(30, 10))) for k in (2, 3)}
    >>> len(plot.consensus_cdf(values).lines)
    2
    """
    panel = drawing.own_axes(ax, 5, 3)
    import seaborn as sns

    panel.axvspan(*bounds, color="0.93", zorder=0)
    palette = sns.color_palette("viridis", len(values))
    for (k, of_k), colour in zip(sorted(values.items()), palette, strict=True):
        at = np.unique([0.0, *of_k.values, 1.0])
        shares, width = of_k.cdf(at), of_k.half_width()
        label = f"{k} ({of_k.pac(*bounds):.3f})"
        panel.plot(at, shares, drawstyle="steps-post", color=colour, label=label)
        if width:
            band = np.clip(shares - width, 0, 1), np.clip(shares + width, 0, 1)
            panel.fill_between(at, *band, step="post", color=colour, alpha=0.2, linewidth=0)
    panel.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="consensus value", ylabel="cumulative share of pairs")
    panel.legend(reverse=True, title="k (PAC)", loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return panel


def delta_area(values: Mapping[int, diagnostics.ConsensusValues], *, ax: "Axes | None" = None) -> "Axes":
    """Draw the relative increase of the area under the distribution function from each k to the next.

    Parameters
    ----------
    values : mapping from k to :class:`~consclust.diagnostics.ConsensusValues`
        See :func:`consensus_cdf`.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The first point is the area itself, as in :func:`~consclust.diagnostics.delta_area`; the dashed line is the
        increase that :func:`~consclust.diagnostics.choose_k` requires.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust import plot
    >>> from consclust.diagnostics import consensus_values
    >>> rng = np.random.default_rng(0)
    >>> values = {k: consensus_values(rng.integers(k, size=(30, 10))) for k in (2, 3)}
    >>> plot.delta_area(values).lines[0].get_xdata().tolist()
    [2, 3]
    """
    panel, ks = drawing.own_axes(ax, 4, 2.8), sorted(values)
    panel.plot(ks, diagnostics.delta_area([values[k].area() for k in ks]), marker="o", color=drawing.colours("a")["a"])
    panel.axhline(LEAST_INCREASE, color="0.5", linestyle="--", linewidth=0.9)
    panel.set(xlabel=COUNTS, ylabel="relative increase of the area", xticks=ks)
    return panel


def tracking(labelings: Mapping[int, npt.ArrayLike], *, most: int = drawing.MOST, ax: "Axes | None" = None) -> "Axes":
    """Draw the clusters of the objects over k: a row for each k, a column for each object, a colour for each cluster.

    A cluster keeps its colour from one k to the next as :func:`~consclust.diagnostics.track_items` keeps its name.
    Where the colours of a row are mixed, the clusters of a k do not lie inside those of the smaller one.

    Parameters
    ----------
    labelings : mapping from k to array-like of int, shape (n,)
        Consensus labels with k clusters.
    most : int
        Objects that are drawn; of more, every k-th in the order of their clusters.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        At the right: the share of the objects that are in another cluster than at the k before.

    Raises
    ------
    ValueError
        Without a labeling, and for one that does not give each object a cluster.

    Examples
    --------
    >>> from consclust import plot
    >>> ax = plot.tracking({2: [0, 1, 0, 1], 3: [0, 2, 0, 1]})
    >>> ax.collections[0].get_array().tolist()
    [[0, 0, 1, 1], [0, 0, 1, 2]]
    """
    ks = sorted(labelings)
    found = diagnostics.track_items([labelings[k] for k in ks])
    order = np.lexsort(found.names[::-1])[:: drawing.step_of(found.names.shape[1], most)]
    panel = drawing.own_axes(ax, 5.5, 0.9 + 0.28 * len(ks))
    drawing.categories(panel, found.names[:, order], int(found.names.max()) + 1)
    rows = np.arange(len(ks)) + 0.5
    panel.set_yticks(rows, [str(k) for k in ks], rotation=0)
    panel.set(xlabel=drawing.some_of(len(order), found.names.shape[1]), ylabel=COUNTS)
    moved = panel.secondary_yaxis("right")
    moved.set_yticks(rows[1:], [f"{share:.0%}" for share in found.moved[1:]])
    moved.set_ylabel("objects that move")
    return panel


@needs("plot")
def criteria(table: Any, *, figure: "Figure | None" = None) -> "list[Axes]":
    """Draw the criteria of :func:`~consclust.diagnostics.choose_k` side by side, with their null reference.

    Parameters
    ----------
    table : pandas.DataFrame
        What :func:`~consclust.diagnostics.choose_k` returns.
    figure : matplotlib.figure.Figure, optional
        It takes a panel for each criterion. Default: a new one.

    Returns
    -------
    list of matplotlib.axes.Axes
        One for each criterion. Grey: mean of the null reference, and one standard deviation to either side; a star: the
        best value; a ring and the title: the chosen k, which may be 1; dotted: the recommended k, if it is not 1.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust import plot
    >>> from consclust.diagnostics import choose_k
    >>> labels = np.random.default_rng(0).integers(3, size=(12, 6))
    >>> panels = plot.criteria(choose_k(labels, (2, 3), halves=2, nulls=2))
    >>> [panel.get_title(loc="left").splitlines()[0] for panel in panels[:2]]
    ['silhouette', 'cluster consensus']
    """
    import matplotlib.pyplot as plt
    import seaborn  # noqa: F401 - of a later use

    names = table["criterion"].unique()
    across = 4 if len(names) > 6 else 3
    picture = figure or plt.figure(figsize=(2.4 * across, 4.6), layout="constrained")
    axes = picture.subplots(-(-len(names) // across), min(across, len(names)), squeeze=False).ravel()
    for spare in axes[len(names) :]:
        spare.set_axis_off()
    for panel, name in zip(axes, names, strict=False):
        _draw_criterion(panel, table[table["criterion"] == name])
        panel.set_xlabel(COUNTS if len(names) - list(names).index(name) <= across else "")
    handles, labels = axes[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return list(axes[: len(names)])


def _draw_criterion(panel: Any, table: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    rows, name = table[table["k"] > 1], table["criterion"].iloc[0]
    ours = drawing.colours("a")["a"]
    if rows["null_mean"].notna().any():
        low, high = rows["null_mean"] - rows["null_sd"], rows["null_mean"] + rows["null_sd"]
        panel.fill_between(rows["k"], low, high, color="0.85", linewidth=0)
        panel.plot(rows["k"], rows["null_mean"], color="0.5", linestyle="--", label="null reference")
    panel.plot(rows["k"], rows["value"], color=ours, marker="o", markersize=4, label="data")
    for k in rows.loc[rows["recommended"], "k"]:
        panel.axvline(k, color="0.6", linestyle=":", linewidth=1.2, zorder=0, label="recommended")
    best, chosen = rows[rows["best"]], rows[rows["chosen"]]
    panel.plot(best["k"], best["value"], "*", color=ours, markersize=11, label="best")
    panel.plot(chosen["k"], chosen["value"], "o", mfc="none", mec="black", markersize=15, label="chosen")
    of_all = table["k"][table["chosen"]]
    answer = f"k = {of_all.iloc[0]}" if len(of_all) else "none"
    panel.set_title(f"{name}\nbest: {BETTER[name]}; chosen: {answer}", fontsize="small", loc="left")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    panel.margins(0.12)

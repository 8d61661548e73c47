"""What the pictures share: colours, heat maps, strips and borders of groups, trees, axes where none are given."""

# matplotlib, seaborn and SciPy are imported where needed, so that what does without them starts faster

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray, IntArray
from consclust.extras import needs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 800
"""Objects that are drawn; of more every k-th."""
HEAT, DIVERGING = "mako", "vlag"
"""Colours of values, and of values that part at 0."""
ROOM = 0.05
"""Share of an axis that the name of a group takes; names of smaller groups that come nearer are left out."""


class Groups(NamedTuple):
    """Groups of objects."""

    names: npt.NDArray[Any]  # Sorted, shape (g,)
    codes: IntArray  # Group of each object, shape (n,)

    @classmethod
    def make(cls, labels: npt.ArrayLike, n: int) -> "Groups":
        """Return the groups of n objects; ValueError unless there is a label for each."""
        given = np.asarray(labels)
        if given.shape != (n,):
            raise ValueError(f"groups must have a label for each of {n} objects, got shape {given.shape}")
        return cls(*np.unique(given, return_inverse=True))

    def at(self, objects: IntArray) -> "Groups":
        """Return the groups of some of the objects, in their order."""
        return Groups(self.names, self.codes[objects])

    def borders(self) -> IntArray:
        """Return the places before which another group begins."""
        return np.flatnonzero(np.diff(self.codes)) + 1

    def runs(self) -> Iterator[tuple[int, int]]:
        """Return where each run of one group starts and ends."""
        return pairwise([0, *self.borders().tolist(), len(self.codes)])

    def ticks(self) -> tuple[list[float], list[str]]:
        """Return the middle of the longest run of each group, and its name, without those that would lie on others."""
        places: dict[str, float] = {}
        for start, end in sorted(self.runs(), key=lambda run: run[0] - run[1]):
            name, middle = str(self.names[self.codes[start]]), (start + end) / 2
            near = (abs(middle - other) < ROOM * len(self.codes) for other in places.values())
            if name not in places and not any(near):
                places[name] = middle
        return list(places.values()), list(places)


def step_of(n: int, most: int = MOST) -> int:
    """Return k where every k-th of n objects is drawn."""
    return -(-n // most)


def some_of(shown: int, n: int) -> str:
    """Say how many of the objects are drawn."""
    return f"{shown} of {n} objects" if shown < n else "objects"


@needs("plot")
def own_axes(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the axes, or those of a new figure, in inches; says so if what all pictures need is not installed."""
    import matplotlib.pyplot as plt
    import seaborn  # noqa: F401 - of a later use

    if ax is not None:
        return ax
    return plt.subplots(figsize=(width, height), layout="compressed")[1]


def colours(names: Sequence[Any]) -> dict[Any, Any]:
    """Return a colour for each name, which colour-blind readers distinguish too if there are at most ten."""
    import seaborn as sns

    shades = [colour for shade in ("colorblind", "dark", "pastel") for colour in sns.color_palette(shade, 10)]
    palette = shades if len(names) <= len(shades) else sns.color_palette("husl", len(names))
    return dict(zip(names, palette, strict=False))


def heat(ax: Any, values: Any, **options: Any) -> Any:
    """Draw a heat map with square cells, grey where a value is missing; return its mesh."""
    import seaborn as sns

    options = {"cmap": HEAT, "square": True, "xticklabels": False, "yticklabels": False, **options}
    ax.grid(False)
    ax.set_facecolor("0.85")
    sns.heatmap(values, ax=ax, cbar=False, **options)
    for spine in ax.spines.values():
        spine.set_visible(True)
    return ax.collections[0]


def categories(ax: Any, codes: npt.ArrayLike, n: int, **options: Any) -> None:
    """Draw a matrix of codes 0..n-1, a colour for each."""
    scale = {"cmap": list(colours(range(n)).values()), "vmin": 0, "vmax": max(n - 1, 1)}
    heat(ax, codes, square=False, rasterized=True, **scale, **options)


def strip(ax: Any, groups: Groups, side: str = "left", *, named: bool = True) -> Any:
    """Put a strip with the colours of the groups at the left or on top of axes; return its axes."""
    codes = groups.codes[:, None] if side == "left" else groups.codes[None]
    beside = ax.inset_axes((-0.05, 0, 0.035, 1) if side == "left" else (0, 1.03, 1, 0.06))
    categories(beside, codes, len(groups.names))
    if named:
        axis = beside.yaxis if side == "left" else beside.xaxis
        axis.set_ticks(*groups.ticks())
        axis.set_ticks_position(side)
        beside.tick_params(length=0, labelsize="small", labelrotation=0)
    return beside


def borders(ax: Any, places: IntArray, colour: str = "white", **options: Any) -> None:
    """Draw lines over a matrix where a group ends."""
    looks = {"linewidth": 0.5, "alpha": 0.8, **options}
    ax.hlines(places, *ax.get_xlim(), colour, **looks)
    ax.vlines(places, *ax.get_ylim(), colour, **looks)


class Tree(NamedTuple):
    """Average linkage of n things."""

    merges: FloatArray  # As SciPy's linkage, shape (n - 1, 4)
    leaves: IntArray  # Order in which no branches cross, shape (n,)

    @classmethod
    def make(cls, distances: FloatArray) -> "Tree":
        """Return the tree of distances, (n, n), of which the symmetric part counts."""
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        if len(distances) == 1:
            return cls(np.empty((0, 4)), np.zeros(1, dtype=np.int64))
        merges = linkage(squareform((distances + distances.T) / 2, checks=False), "average")
        return cls(merges, leaves_list(merges).astype(np.int64))

    def draw(self, ax: Any) -> None:
        """Draw the tree at the right of a matrix whose rows are in the order of the leaves."""
        from matplotlib.collections import LineCollection

        n = len(self.leaves)
        place, height = np.empty(2 * n - 1), np.zeros(2 * n - 1)
        place[self.leaves] = np.arange(n) + 0.5
        lines = []
        for new, (a, b, joined, _) in enumerate(self.merges, start=n):
            first, second = int(a), int(b)
            place[new], height[new] = (place[first] + place[second]) / 2, joined
            ends = [(height[first], place[first]), (joined, place[first])]
            lines.append([*ends, (joined, place[second]), (height[second], place[second])])
        beside = ax.inset_axes((1.01, 0, 0.16, 1))
        beside.add_collection(LineCollection(lines, colors="0.3", linewidths=0.6))
        beside.set(xlim=(0, 1.02 * max(height.max(), np.finfo(float).eps)), ylim=(n, 0))
        beside.set_axis_off()


def colour_scale(ax: Any, mesh: Any, label: str, *, after_tree: bool = False) -> None:
    """Put the colour scale of a mesh at the right of axes, inside any figure."""
    scale = ax.figure.colorbar(mesh, cax=ax.inset_axes((1.2 if after_tree else 1.03, 0.1, 0.035, 0.8)))
    scale.set_label(label)
    scale.outline.set_linewidth(0.6)

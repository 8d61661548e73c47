"""Hypergraphs cut into parts by bisections that drop the hyperedges that they cut, as hMETIS' program shmetis does."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import IntArray
from consclust.numerics.partition import Hypergraph, bisect_hypergraph

BoolArray = npt.NDArray[np.bool_]


class Bisected(NamedTuple):
    """A hypergraph in parts."""

    parts: IntArray
    """Part of each vertex, shape (vertices,)."""
    cut: int
    """Weight of the hyperedges that lie in more than one part."""


def bisect_recursively(hypergraph: Hypergraph, n_parts: int, slack: float, preset: str) -> Bisected:
    """Cut a hypergraph in two, and each side again until there are ``n_parts`` parts.

    Parameters
    ----------
    hypergraph : Hypergraph
        Of vertices whose weights are small beside those of the parts.
    n_parts : int >= 1
        The two sides of a bisection get half of the parts each, or as near as they can, and weight in proportion.
    slack : float in (0, 1)
        How much more than that a side may have, as a share of the weight that is cut in two; .05 for bisections between
        45 : 55, shmetis' UBfactor 5.
    preset : str
        See :func:`consclust.numerics.partition.partition_hypergraph`.

    Returns
    -------
    Bisected

    Notes
    -----
    A hyperedge that a bisection has cut counts no more: the later ones see those that lie in one side as a whole. What
    is minimised, step by step, is thus the weight of the hyperedges that are cut, however many parts these touch.
    """
    parts = np.zeros(hypergraph.n_vertices, dtype=np.int64)
    cut = 0
    # a side waits with its vertices, its first part and its number of parts
    waiting = [(np.arange(hypergraph.n_vertices), hypergraph, 0, n_parts)]
    while waiting:
        vertices, side, first, count = waiting.pop()
        parts[vertices] = first
        if count == 1 or side.n_vertices == 0:
            continue
        of_left = count // 2
        in_right = _bisect(side, of_left / count, slack, preset)
        cut += int(side.weights[_find_cut_nets(side, in_right)].sum())
        for is_right, start, n in ((False, first, of_left), (True, first + of_left, count - of_left)):
            here = in_right == is_right
            waiting.append((vertices[here], _restrict(side, here), start, n))
    return Bisected(parts, cut)


def _bisect(side: Hypergraph, left_share: float, slack: float, preset: str) -> BoolArray:
    """Return for each vertex whether it is in the right one of two sides; the left has ``left_share`` of the weight."""
    total = side.n_vertices if side.vertex_weights is None else int(side.vertex_weights.sum())
    if side.n_vertices == 1:
        return np.zeros(1, dtype=bool)
    wanted = np.array([left_share, 1 - left_share])
    # a side of a few vertices may be larger than the slack allows, as its share is no whole number
    most = np.maximum(np.floor((wanted + slack) * total), np.ceil(wanted * total)).astype(np.int64)
    in_right: BoolArray = bisect_hypergraph(side, most, preset) == 1
    return in_right


def _find_cut_nets(side: Hypergraph, in_right: BoolArray) -> BoolArray:
    """Return for each hyperedge whether it has vertices on both sides."""
    return np.array([len(net) > 0 and 0 < in_right[net].sum() < len(net) for net in side.nets], dtype=bool)


def _restrict(side: Hypergraph, here: BoolArray) -> Hypergraph:
    """Return the hypergraph of some vertices, with the hyperedges that have no other vertices."""
    number = np.cumsum(here) - 1
    inside = [i for i, net in enumerate(side.nets) if len(net) > 1 and here[net].all()]
    return Hypergraph(
        n_vertices=int(here.sum()),
        nets=[number[side.nets[i]] for i in inside],
        weights=side.weights[inside],
        vertex_weights=None if side.vertex_weights is None else side.vertex_weights[here],
    )

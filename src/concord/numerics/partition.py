"""Graphs and hypergraphs cut into parts by METIS and Mt-KaHyPar."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from concord.ensemble import IntArray

SCALE = 10**8  # What ClusterPack lets the weights of a graph sum to
SEED = 1  # The deterministic presets of Mt-KaHyPar gave the same parts with every seed tried; this one is set

Int32Array = npt.NDArray[np.int32]


class Graph(NamedTuple):
    """Undirected graph in compressed rows; every edge is there in both directions, loops are not."""

    starts: Int32Array  # Row of vertex v: ``neighbours[starts[v]:starts[v + 1]]``, shape (vertices + 1,)
    neighbours: Int32Array
    weights: Int32Array  # Weights of the edges, > 0, parallel to ``neighbours``

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.starts) - 1

    def row(self, vertex: int) -> tuple[Int32Array, Int32Array]:
        """Return the neighbours of a vertex and the weights of the edges to them."""
        here = slice(self.starts[vertex], self.starts[vertex + 1])
        return self.neighbours[here], self.weights[here]


class Hypergraph(NamedTuple):
    """Hypergraph with vertices of weight 1."""

    n_vertices: int
    nets: list[IntArray]  # Vertices ("pins") of each hyperedge
    weights: IntArray  # Weights of the hyperedges, >= 1


def scaled_integers(weights: npt.ArrayLike, total: float) -> IntArray:
    """ClusterPack's ``ints``: weights times 10^8 / ``total``, rounded half up; all zero if ``total`` is."""
    if total == 0:
        return np.zeros(np.shape(weights), dtype=np.int64)
    return np.floor(np.asarray(weights, dtype=float) * SCALE / total + 0.5).astype(np.int64)


def dense_graph(weights: IntArray) -> Graph:
    """Return the graph of a symmetric weight matrix; zeros and the diagonal are no edges."""
    edge = weights > 0
    np.fill_diagonal(edge, False)
    starts = np.concatenate([[0], np.cumsum(edge.sum(axis=1))])
    return Graph(starts.astype(np.int32), np.nonzero(edge)[1].astype(np.int32), weights[edge].astype(np.int32))


def reordered(hypergraph: Hypergraph, order: IntArray) -> Hypergraph:
    """Return the hypergraph with its vertices renamed: vertex i of it is vertex ``order[i]`` of this one."""
    position = np.argsort(order)
    return hypergraph._replace(nets=[np.sort(position[net]) for net in hypergraph.nets])


def cut(graph: Graph, parts: IntArray) -> int:
    """Return the weight of the edges between different parts."""
    twice = 0
    for vertex in range(graph.n_vertices):
        neighbours, weights = graph.row(vertex)
        twice += int(weights[parts[neighbours] != parts[vertex]].sum(dtype=np.int64))
    return twice // 2


def km1(hypergraph: Hypergraph, parts: IntArray) -> int:
    """Return the connectivity: the sum over hyperedges of weight times (parts touched - 1)."""
    touched = np.array([len(np.unique(parts[net])) for net in hypergraph.nets])
    return int(hypergraph.weights @ (touched - 1))


def partition_graph(graph: Graph, n_parts: int, vertex_weights: IntArray | None = None) -> IntArray:
    """Cut a graph into parts of nearly equal vertex weight by METIS' recursive bisection (its program pmetis)."""
    import pymetis

    if n_parts == 1:
        return np.zeros(graph.n_vertices, dtype=np.int64)
    found = pymetis.part_graph(
        n_parts,
        pymetis.CSRAdjacency(graph.starts, graph.neighbours),
        eweights=graph.weights,
        vweights=None if vertex_weights is None else vertex_weights.astype(np.int32),
        recursive=True,
    )
    return np.array(found.vertex_part, dtype=np.int64)


def partition_hypergraph(hypergraph: Hypergraph, n_parts: int, imbalance: float, preset: str) -> IntArray:
    """Cut a hypergraph by Mt-KaHyPar, on one thread; no part exceeds (1 + imbalance) ceil(vertices / n_parts)."""
    import mtkahypar

    initializer = _initializer()
    if n_parts == 1:
        return np.zeros(hypergraph.n_vertices, dtype=np.int64)
    mtkahypar.set_seed(SEED)
    context = initializer.context_from_preset(getattr(mtkahypar.PresetType, preset))
    context.set_partitioning_parameters(n_parts, imbalance, mtkahypar.Objective.KM1)
    context.logging = False
    there = initializer.create_hypergraph(
        context,
        hypergraph.n_vertices,
        len(hypergraph.nets),
        [net.tolist() for net in hypergraph.nets],
        [1] * hypergraph.n_vertices,
        hypergraph.weights.tolist(),
    )
    return np.array(there.partition(context).get_partition(), dtype=np.int64)


@cache
def _initializer() -> Any:
    """Mt-KaHyPar may be initialised once in a process; more threads would not change its parts."""
    import mtkahypar

    return mtkahypar.initialize(1)

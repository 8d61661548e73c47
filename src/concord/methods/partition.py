"""Graphs and hypergraphs cut into parts by METIS and Mt-KaHyPar; without them, by spectral bisection."""

import importlib
import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from concord.ensemble import FloatArray, IntArray
from concord.errors import ConsensusFailure

SCALE = 10**8
"""What ClusterPack lets the weights of a graph sum to."""

METIS_IMBALANCE = 1e-3
"""METIS' default for recursive bisection: parts should exceed their share by 0.1 % at most."""

SEED = 1
"""The deterministic presets of Mt-KaHyPar gave the same parts with every seed tried; this one is set."""

FALLBACK = "spectral bisection"

DENSE = 500
"""Components up to this size get all their eigenvectors, larger ones the leading two by Lanczos."""

Int32Array = npt.NDArray[np.int32]


class Graph(NamedTuple):
    """Undirected graph in compressed rows; every edge is there in both directions, loops are not."""

    starts: Int32Array
    """Row of vertex v: ``neighbours[starts[v]:starts[v + 1]]``, shape (vertices + 1,)."""
    neighbours: Int32Array
    weights: Int32Array
    """Weights of the edges, > 0, parallel to ``neighbours``."""

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
    nets: list[IntArray]
    """Vertices ("pins") of each hyperedge."""
    weights: IntArray
    """Weights of the hyperedges, >= 1."""


class Partition(NamedTuple):
    """Parts of the vertices, and who made them."""

    parts: IntArray
    """Part 0..n_parts-1 of each vertex; parts may be empty."""
    partitioner: str
    """"pymetis", "mtkahypar" or "spectral bisection"."""


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
    return Graph(
        starts.astype(np.int32), np.nonzero(edge)[1].astype(np.int32), weights[edge].astype(np.int32)
    )


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


def partition_graph(graph: Graph, n_parts: int, vertex_weights: IntArray | None = None) -> Partition:
    """Cut a graph into parts of nearly equal weight by METIS' recursive bisection (its program pmetis).

    Parameters
    ----------
    graph : Graph
    n_parts : int
    vertex_weights : ndarray of int, shape (vertices,), optional
        What is balanced; 1 each by default.
    """
    pymetis = _imported("pymetis", "METIS")
    if pymetis is None:
        unit = np.ones(graph.n_vertices, dtype=np.int64)
        weights = unit if vertex_weights is None else vertex_weights
        parts = bisect_graph(graph, n_parts, weights, METIS_IMBALANCE)
        return Partition(parts, FALLBACK)
    if n_parts == 1:
        return Partition(np.zeros(graph.n_vertices, dtype=np.int64), "pymetis")
    found = pymetis.part_graph(
        n_parts,
        pymetis.CSRAdjacency(graph.starts, graph.neighbours),
        eweights=graph.weights,
        vweights=None if vertex_weights is None else vertex_weights.astype(np.int32),
        recursive=True,
    )
    return Partition(np.array(found.vertex_part, dtype=np.int64), "pymetis")


def partition_hypergraph(hypergraph: Hypergraph, n_parts: int, imbalance: float, preset: str) -> Partition:
    """Cut a hypergraph into parts with a small :func:`km1` by Mt-KaHyPar, on one thread.

    Parameters
    ----------
    hypergraph : Hypergraph
    n_parts : int
    imbalance : float
        No part has more than (1 + imbalance) ceil(vertices / n_parts) vertices; there is no lower bound.
    preset : str
        Name of a preset of Mt-KaHyPar; only DETERMINISTIC and DETERMINISTIC_QUALITY are reproducible.
    """
    mtkahypar = _imported("mtkahypar", "Mt-KaHyPar")
    if mtkahypar is None:
        return Partition(bisect_hypergraph(hypergraph, n_parts, imbalance), FALLBACK)
    initializer = _initializer()
    if n_parts == 1:
        return Partition(np.zeros(hypergraph.n_vertices, dtype=np.int64), "mtkahypar")
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
    return Partition(np.array(there.partition(context).get_partition(), dtype=np.int64), "mtkahypar")


def remark(partitioner: str) -> str:
    """Return the note of a method for whom ``partitioner`` cut; empty unless it is the stand-in."""
    return f"{partitioner} stood in for the partitioner of the paper" if partitioner == FALLBACK else ""


def _imported(module: str, name: str) -> Any:
    """Return a partitioner's module; if there is none, None and a warning."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        warnings.warn(
            f"{name} is not to be had here ({error}); recursive spectral bisection stands in for it, "
            "its cuts are other and mostly larger ones",
            RuntimeWarning,
            stacklevel=3,
        )
        return None


@cache
def _initializer() -> Any:
    """Mt-KaHyPar may be initialised once in a process; more threads would not change its parts."""
    return importlib.import_module("mtkahypar").initialize(1)


def bisect_graph(graph: Graph, n_parts: int, vertex_weights: IntArray, imbalance: float) -> IntArray:
    """Recursive spectral bisection of a graph; arguments as in :func:`partition_graph`."""
    from scipy.sparse import csr_array

    shape = (graph.n_vertices, graph.n_vertices)
    similarity = csr_array((graph.weights, graph.neighbours, graph.starts), shape=shape)
    return _bisected(similarity, lambda order: _cuts(graph, order), n_parts, vertex_weights, imbalance)


def bisect_hypergraph(hypergraph: Hypergraph, n_parts: int, imbalance: float) -> IntArray:
    """Recursive spectral bisection of a hypergraph, its nets as cliques of weight w / pins.

    Cut nets are split between the sides, so that the sum of the cuts is the :func:`km1` of the whole.
    """
    from scipy.sparse import csr_array

    sizes = np.array([len(net) for net in hypergraph.nets])
    pins = np.concatenate(hypergraph.nets)
    net = np.repeat(np.arange(len(sizes)), sizes)
    root = np.sqrt(hypergraph.weights / sizes)[net]
    incidence = csr_array((root, (pins, net)), shape=(hypergraph.n_vertices, len(sizes)))
    unit = np.ones(hypergraph.n_vertices, dtype=np.int64)
    return _bisected(
        incidence @ incidence.T, lambda order: _net_cuts(hypergraph, order), n_parts, unit, imbalance
    )


def _bisected(
    similarity: Any,
    cuts: Callable[[IntArray], IntArray],
    n_parts: int,
    vertex_weights: IntArray,
    imbalance: float,
) -> IntArray:
    """Halve the vertices along their spectral order, and the halves again."""
    levels = max(1, math.ceil(math.log2(n_parts)))
    tolerance = (1 + imbalance) ** (1 / levels) - 1
    parts = np.empty(similarity.shape[0], dtype=np.int64)
    todo = [(np.arange(len(parts)), 0, n_parts)]
    while todo:
        vertices, first, k = todo.pop()
        if k == 1 or len(vertices) <= k:
            parts[vertices] = first + (0 if k == 1 else np.arange(len(vertices)))
            continue
        order = vertices[spectral_order(similarity[vertices][:, vertices])]
        ways = [(order, cuts(order)), (order[::-1], cuts(order)[::-1])]  # the smaller side at either end
        splits = [split(vertex_weights[line], costs, k // 2, k, tolerance) for line, costs in ways]
        best = min((0, 1), key=lambda way: ways[way][1][splits[way] - 1])
        line, at = ways[best][0], splits[best]
        todo += [(np.sort(line[:at]), first, k // 2), (np.sort(line[at:]), first + k // 2, k - k // 2)]
    return parts


def split(weights: IntArray, costs: IntArray, left: int, n_parts: int, tolerance: float) -> int:
    """Return how many vertices of a line go to its left side, which becomes ``left`` of ``n_parts`` parts.

    The cheapest split of those that leave both sides within ``tolerance`` of their share of the weight,
    and of the nearest one where none does.

    Parameters
    ----------
    weights : ndarray of int, shape (v,)
        Weights of the vertices in their order, v > n_parts.
    costs : ndarray, shape (v - 1,)
        Cost of the split behind each vertex but the last.
    """
    counts = np.arange(left, len(weights) - (n_parts - left) + 1)  # no side with fewer vertices than parts
    prefix, total = np.cumsum(weights), int(weights.sum())
    excess = prefix[counts - 1] * n_parts - left * total  # n_parts times what the left side has too much
    distance = np.abs(excess)
    allowed = (excess <= tolerance * left * total) & (-excess <= tolerance * (n_parts - left) * total)
    allowed |= distance == distance.min()
    counts, distance = counts[allowed], distance[allowed]
    return int(counts[np.lexsort((distance, costs[counts - 1]))[0]])


def spectral_order(similarity: Any) -> IntArray:
    """Order vertices by the second eigenvector of D^-1 W, component after component, the largest first."""
    from scipy.sparse.csgraph import connected_components

    _, component = connected_components(similarity, directed=False)
    sizes = np.bincount(component)
    if len(sizes) == 1:
        return _component_order(similarity)
    pieces = []
    for c in np.argsort(-sizes, kind="stable"):
        members = np.flatnonzero(component == c)
        pieces.append(members[_component_order(similarity[members][:, members])])
    return np.concatenate(pieces)


def _component_order(similarity: Any) -> IntArray:
    from scipy.sparse import csr_array
    from threadpoolctl import threadpool_limits

    size = similarity.shape[0]
    if size <= 2:
        return np.arange(size)
    root = np.sqrt(similarity.sum(axis=1, dtype=float))
    scaled = similarity.data / np.repeat(root, np.diff(similarity.indptr))
    scaled /= root[similarity.indices]
    normalized = csr_array((scaled, similarity.indices, similarity.indptr), shape=similarity.shape)
    with threadpool_limits(1):  # the last bits must not depend on the number of threads
        second = np.linalg.eigh(normalized.toarray())[1][:, -2] if size <= DENSE else _lanczos(normalized)
    return np.argsort(second / root, kind="stable")


def _lanczos(normalized: Any) -> FloatArray:
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    start = np.random.default_rng(0).standard_normal(normalized.shape[0])
    try:
        values, vectors = eigsh(normalized, k=2, which="LA", v0=start, tol=1e-8)
    except ArpackNoConvergence as error:
        raise ConsensusFailure(f"spectral bisection: {error}; install pymetis and mtkahypar") from error
    second: FloatArray = vectors[:, np.argmin(values)]
    return second


def _cuts(graph: Graph, order: IntArray) -> IntArray:
    """Weight of the edges between the first 1, 2, ... vertices of an order and the rest of it."""
    position = np.full(graph.n_vertices, -1)
    position[order] = np.arange(len(order))
    change = np.empty(len(order), dtype=np.int64)
    for i, vertex in enumerate(order):
        neighbours, weights = graph.row(vertex)
        there = position[neighbours]
        change[i] = weights[there > i].sum(dtype=np.int64)
        change[i] -= weights[(there >= 0) & (there < i)].sum(dtype=np.int64)
    return np.cumsum(change)[:-1]


def _net_cuts(hypergraph: Hypergraph, order: IntArray) -> IntArray:
    """Weight of the nets that have pins on both sides of a split of the order, for every split."""
    position = np.full(hypergraph.n_vertices, -1)
    position[order] = np.arange(len(order))
    change = np.zeros(len(order), dtype=np.int64)
    for net, weight in zip(hypergraph.nets, hypergraph.weights, strict=True):
        there = position[net]
        there = there[there >= 0]
        if there.size:
            change[there.min()] += weight
            change[there.max()] -= weight
    return np.cumsum(change)[:-1]

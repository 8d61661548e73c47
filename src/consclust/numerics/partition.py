"""Graphs and hypergraphs cut into parts by METIS and Mt-KaHyPar."""

# pymetis and Mt-KaHyPar are imported where needed, so that what does without them starts faster

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import IntArray

SCALE = 10**8  # What ClusterPack lets the weights of a graph sum to
MOST = 10**9  # What weights may sum to here, if so little rounds one to 0; METIS adds in 32 bits
SEED = 1  # The deterministic presets of Mt-KaHyPar gave the same parts with every seed tried; this one is set

# Mt-KaHyPar's preset "deterministic", written out, but for the runs of each initial partition: 5, not 20.
FAST = """
mode=direct preset-type=deterministic deterministic=true
maxnet-removal-factor=0.01 smallest-maxnet-threshold=50000 maxnet-ignore=1000 s-static-balancing-work-packages=128
p-enable-community-detection=true p-louvain-edge-weight-function=hybrid p-max-louvain-pass-iterations=5
p-louvain-min-vertex-move-fraction=0.01 p-vertex-degree-sampling-threshold=200000 p-louvain-low-memory-contraction=true
p-num-sub-rounds=16
c-type=deterministic_multilevel_coarsener c-use-adaptive-edge-size=false c-resolve-swaps=true c-s=1 c-t=160
c-min-shrink-factor=1.01 c-max-shrink-factor=2.5 c-vertex-degree-sampling-threshold=200000 c-num-sub-rounds=3
c-rating-score=heavy_edge c-rating-heavy-node-penalty=no_penalty c-rating-acceptance-criterion=best_prefer_unmatched
i-mode=rb i-runs=5 i-use-adaptive-ip-runs=false i-perform-refinement-on-best-partitions=false i-fm-refinement-rounds=3
i-lp-maximum-iterations=20 i-lp-initial-block-size=5 i-population-size=64 i-r-rebalancer-type=deterministic
i-r-lp-type=deterministic i-r-lp-maximum-iterations=5 i-r-sync-lp-sub-rounds=1 i-r-lp-he-size-activation-threshold=100
i-r-sync-lp-active-nodeset=true i-r-fm-type=do_nothing
r-rebalancer-type=deterministic r-max-det-rebalancing-rounds=0 r-det-rebalancing-deadzone=0.1
r-det-rebalancing-heavy-vertex-exclusion=1.5 r-jet-type=deterministic r-jet-num-iterations=8 r-jet-dynamic-rounds=3
r-jet-relative-improvement-threshold=0.001 r-jet-initial-negative-gain=0.75 r-jet-final-negative-gain=0.0
r-lp-type=do_nothing r-fm-type=do_nothing r-flow-algo=do_nothing
"""

Indices = npt.NDArray[np.int32] | npt.NDArray[np.int64]


class Graph(NamedTuple):
    """Undirected graph in compressed rows; every edge is there in both directions, loops are not."""

    starts: Indices  # Row of vertex v: ``neighbours[starts[v]:starts[v + 1]]``, shape (vertices + 1,)
    neighbours: Indices
    weights: Indices  # Weights of the edges, > 0, parallel to ``neighbours``

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.starts) - 1

    def row(self, vertex: int) -> tuple[Indices, Indices]:
        """Return the neighbours of a vertex and the weights of the edges to them."""
        here = slice(self.starts[vertex], self.starts[vertex + 1])
        return self.neighbours[here], self.weights[here]


class Hypergraph(NamedTuple):
    """Hypergraph."""

    n_vertices: int
    nets: list[IntArray]  # Vertices ("pins") of each hyperedge
    weights: IntArray  # Weights of the hyperedges, >= 1
    vertex_weights: IntArray | None = None  # >= 1; None: all 1


class Vertices(NamedTuple):
    """Vertices that stand for objects with one profile each."""

    of_object: IntArray  # Vertex of each object, shape (n,)
    profiles: IntArray  # Profile of each vertex
    sizes: IntArray  # Number of objects of each vertex

    @property
    def weights(self) -> IntArray | None:
        """The sizes, or None if each object is a vertex."""
        return None if len(self.sizes) == len(self.of_object) else self.sizes


def vertices_of(membership: IntArray, size: int) -> Vertices:
    """Return vertices of up to ``size`` objects, given the profile of each object, (n,); at most n' + n / size.

    They are numbered by their first objects.

    A balanced cut needs vertices that are small beside its parts, but separates few objects with one profile.
    """
    order = np.argsort(membership, kind="stable")
    profile = membership[order]
    rank = np.arange(len(order)) - np.searchsorted(profile, profile)
    starts = rank % size == 0
    firsts = order[starts]
    of_object = np.empty_like(order)
    of_object[order] = np.argsort(np.argsort(firsts))[np.cumsum(starts) - 1]
    return Vertices(of_object, membership[np.sort(firsts)], np.bincount(of_object))


def reorder_vertices(vertices: Vertices, order: IntArray) -> Vertices:
    """Return the vertices renamed: vertex i of them is vertex ``order[i]`` of these."""
    return Vertices(np.argsort(order)[vertices.of_object], vertices.profiles[order], vertices.sizes[order])


def scaled_integers(weights: npt.ArrayLike, total: float) -> IntArray:
    """ClusterPack's ``ints``: weights times 10^8 / ``total``, rounded half up; all zero if ``total`` is."""
    if total == 0:
        return np.zeros(np.shape(weights), dtype=np.int64)
    return np.floor(np.asarray(weights, dtype=float) * SCALE / total + 0.5).astype(np.int64)


def edge_weights(counts: npt.ArrayLike, total: float) -> IntArray:
    """Return whole numbers for METIS in proportion to others, 0 where those are: ClusterPack's if that keeps all edges.

    ``total`` is the sum of ``counts`` over the graph. Above 2 10^8 ClusterPack's factor would round a 1 to 0. There the
    counts stay as they are up to a sum of 10^9; from there on they are scaled to that, and none below 1.
    """
    if total <= 2 * SCALE:
        return scaled_integers(counts, total)
    whole = np.asarray(counts, dtype=float)
    if total > MOST:
        whole = np.where(whole > 0, np.maximum(np.floor(whole * MOST / total + 0.5), 1), 0)
    return whole.astype(np.int64)


def graph_of_rows(blocks: Iterable[tuple[slice, IntArray]], n_vertices: int, most_edges: int) -> Graph:
    """Return the graph of a symmetric weight matrix with a zero diagonal that comes as some rows after the other.

    It has at most ``most_edges`` entries above zero.
    """
    degrees = np.zeros(n_vertices, dtype=np.int64)
    # integers of 64 bits are METIS' own, of which pymetis makes no copy; what is not filled takes no memory
    neighbours, weights = np.empty((2, most_edges), dtype=np.int64)
    filled = 0
    for here, rows in blocks:
        edge = rows > 0
        degrees[here] = edge.sum(axis=1)
        stop = filled + int(degrees[here].sum())
        neighbours[filled:stop] = np.nonzero(edge)[1]
        weights[filled:stop] = rows[edge]
        filled = stop
    starts = np.concatenate([[0], np.cumsum(degrees)])
    return Graph(starts, neighbours[:filled], weights[:filled])


def reordered(hypergraph: Hypergraph, order: IntArray) -> Hypergraph:
    """Return the hypergraph with its vertices renamed: vertex i of it is vertex ``order[i]`` of this one."""
    position, weights = np.argsort(order), hypergraph.vertex_weights
    nets = [np.sort(position[net]) for net in hypergraph.nets]
    return hypergraph._replace(nets=nets, vertex_weights=None if weights is None else weights[order])


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


def cut_weight(hypergraph: Hypergraph, parts: IntArray) -> int:
    """Return the weight of the hyperedges that touch several parts."""
    several = np.array([len(np.unique(parts[net])) > 1 for net in hypergraph.nets])
    return int(hypergraph.weights @ several)


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
    """Cut a hypergraph by Mt-KaHyPar, on one thread; no part outweighs (1 + imbalance) ceil(all vertices / n_parts).

    ``preset`` is the name of one of Mt-KaHyPar, or "DETERMINISTIC_FAST", that of ``FAST``.
    """
    import mtkahypar

    # Mt-KaHyPar is initialised before its seed is set
    _initializer()
    if n_parts == 1:
        return np.zeros(hypergraph.n_vertices, dtype=np.int64)
    context = _make_context(preset)
    context.set_partitioning_parameters(n_parts, imbalance, mtkahypar.Objective.KM1)
    return _partition(hypergraph, context)


def bisect_hypergraph(hypergraph: Hypergraph, most: IntArray, preset: str) -> IntArray:
    """Cut a hypergraph in two by Mt-KaHyPar, on one thread; part i has at most the weight ``most[i]``.

    ``preset`` as in :func:`partition_hypergraph`.
    """
    import mtkahypar

    _initializer()
    context = _make_context(preset)
    # the imbalance does not count beside bounds for each part
    context.set_partitioning_parameters(2, 0.1, mtkahypar.Objective.KM1)
    context.set_individual_target_block_weights(most.tolist())
    return _partition(hypergraph, context)


def _make_context(preset: str) -> Any:
    """Return the settings of a preset, with the seed set."""
    import mtkahypar

    mtkahypar.set_seed(SEED)
    context = _fast_context() if preset == "DETERMINISTIC_FAST" else _context(preset)
    context.logging = False
    return context


def _partition(hypergraph: Hypergraph, context: Any) -> IntArray:
    """Return the part of each vertex."""
    n, sizes = hypergraph.n_vertices, hypergraph.vertex_weights
    there = _initializer().create_hypergraph(
        context,
        n,
        len(hypergraph.nets),
        [net.tolist() for net in hypergraph.nets],
        [1] * n if sizes is None else sizes.tolist(),
        hypergraph.weights.tolist(),
    )
    return np.array(there.partition(context).get_partition(), dtype=np.int64)


def _context(preset: str) -> Any:
    import mtkahypar

    return _initializer().context_from_preset(getattr(mtkahypar.PresetType, preset))


def _fast_context() -> Any:
    """Return the context of ``FAST``; Mt-KaHyPar reads settings from a file only, with one on each line."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "fast.ini")
        file.write_text("\n".join(FAST.split()))
        return _initializer().context_from_file(str(file))


@cache
def _initializer() -> Any:
    """Mt-KaHyPar may be initialised once in a process; more threads would not change its parts."""
    import mtkahypar

    return mtkahypar.initialize(1)

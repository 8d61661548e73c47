"""CSPA: the co-association matrix as a graph, cut by METIS."""

from dataclasses import dataclass

import numpy as np

from consclust.ensemble import Ensemble, IntArray
from consclust.errors import ConsensusFailure
from consclust.methods.base import Cost, OrderedMethod
from consclust.numerics.partition import (
    Graph,
    Vertices,
    cut,
    edge_weights,
    partition_graph,
    reorder_vertices,
    vertices_of,
)

MOST_EDGES = 2 * 10**8  # Of a graph over the objects, each edge in both directions
MOST_VERTICES = 4_000  # Beyond the number of profiles, of a graph whose vertices stand for several objects
DOUBLES_PER_EDGE = 5  # Of METIS and its input, measured


@dataclass(repr=False, eq=False, kw_only=True)
class CSPA(OrderedMethod):
    """Cluster-based similarity partitioning: a balanced minimum cut of the co-association graph.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    object_order : {"given", "random"}, default "given"
        The order of the objects in the graph, on which the cut depends: as they are given, as in ClusterPack, or drawn
        from ``random_state``. With "random", other seeds show how much it decides.

    Attributes
    ----------
    cut_ : int
        Weight of the edges between clusters; with ClusterPack's scaling all edges together weigh half of 10^8.

    Notes
    -----
    METIS (Karypis, Kumar: SIAM J. Sci. Comput. 20(1), 1998) aims at sizes equal to 0.1 %; on small graphs it misses
    that by some objects. It separates objects with one profile to balance, so the graph is that of the objects. Its
    edges are whole numbers as in the program ClusterPack 2.0; the result depends on the order of the objects, and on a
    seed with ``object_order="random"`` alone. A missing label adds nothing to its object's edges (the count is still
    divided by m).

    ClusterPack's scaling rounds edges to 0 where N, the common clusters of two objects, sums to more than 2 10^8 over
    all pairs: with 20 clusterings at about 10,000 objects. There the edges are N itself, from a sum of 10^9 on scaled
    to that.

    Where more than 10^8 pairs of objects share a cluster, at about 20,000 objects, a vertex stands for up to n / 4,000
    objects with one profile, which stay together. Such a graph has at most n' + 4,000 vertices, so that the limit is
    n': at about 40,000 METIS cannot count the edges any more.

    Examples
    --------
    >>> from consclust.methods import CSPA
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> CSPA(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Cluster-based similarity partitioning: a balanced minimum cut of the co-association graph."
    reference = (
        "Strehl, Ghosh: Cluster ensembles - a knowledge reuse framework for combining multiple partitions, "
        "JMLR 3, 2002, Section 3.2."
    )
    cost = Cost(0.05, 2e-7, 0, matrices=5, profile_matrices=2, most_objects=20_000)
    balanced = True
    with_missing = (
        "labels are missing: CSPA counts common clusters, so that objects with few labels have light edges, and "
        "balances the sizes; methods such as EAC, LWEA, LWGP or RCE hold with missing labels"
    )

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return those of the counts; the graph follows from them."""
        return 2 * ensemble.n_profiles**2

    def _fit(self, ensemble: Ensemble) -> None:
        vertices = vertices_of(ensemble.membership, 1)
        if degrees(ensemble, vertices).sum() > MOST_EDGES:
            vertices = vertices_of(ensemble.membership, -(-ensemble.n_objects // MOST_VERTICES))
        vertices = reorder_vertices(vertices, self._draw_order(len(vertices.sizes)))
        n_edges = int(degrees(ensemble, vertices).sum())
        if n_edges >= 2**31:
            raise ConsensusFailure(f"CSPA: {n_edges} edges, METIS counts up to 2^31 - 1; fit fewer objects")
        self._require_memory(DOUBLES_PER_EDGE * n_edges, "the edges of its graph")
        graph = coassociation_graph(ensemble, vertices)
        parts = partition_graph(graph, self.n_clusters, vertices.weights)
        self.cut_ = cut(graph, parts)
        self._set_only_labels(parts, vertices.of_object)


def degrees(ensemble: Ensemble, vertices: Vertices) -> IntArray:
    """Return the number of edges at each vertex of :func:`coassociation_graph`."""
    of_profile = np.bincount(vertices.profiles)
    return np.array([of_profile @ (row > 0) for row in ensemble.counts])[vertices.profiles] - 1  # not itself


def coassociation_graph(ensemble: Ensemble, vertices: Vertices) -> Graph:
    """Return the graph with edges N, summed over the objects of two vertices and scaled by ``edge_weights``."""
    counts = ensemble.counts
    weights = ensemble.weights
    sizes = vertices.sizes
    within = sizes**2 @ counts.diagonal()[vertices.profiles]
    total = float(weights @ counts @ weights - within)
    starts = np.concatenate([[0], np.cumsum(degrees(ensemble, vertices))])
    neighbours, edges = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=np.int32)
    for v, (profile, size) in enumerate(zip(vertices.profiles, sizes, strict=True)):
        if vertices.weights is None:
            row = edge_weights(counts[profile], total)[vertices.profiles]
        else:
            row = edge_weights(counts[profile][vertices.profiles] * (size * sizes), total)
        row[v] = 0
        here = slice(starts[v], starts[v + 1])
        neighbours[here] = np.flatnonzero(row)
        edges[here] = row[row > 0]
    return Graph(starts.astype(np.int32), neighbours, edges)

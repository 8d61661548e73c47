"""CSPA: the co-association matrix as a graph, cut by METIS."""

import numpy as np

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod
from concord.methods.partition import Graph, cut, partition_graph, remark, scaled_integers


class CSPA(ConsensusMethod):
    """Cluster-based similarity partitioning: a balanced minimum cut of the co-association graph.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K (k in the paper). There are no other parameters and no grid.

    Attributes
    ----------
    cut_ : int
        Weight of the edges between clusters; all edges together weigh half of 10^8, up to rounding.
    partitioner_ : {"pymetis", "spectral bisection"}
        Who cut the graph: METIS, or where pymetis cannot be imported, with a warning, a stand-in.

    Notes
    -----
    METIS aims at sizes equal to 0.1 %; on small graphs it misses that by some objects. The parts are not a
    function of the profiles: METIS separates objects with one profile to balance, so the graph is that of
    the objects. Its edges are whole numbers as in ClusterPack 2.0; the result depends on the order of the
    objects, not on a seed. A missing label adds nothing to its object's edges (the count is divided by m
    all the same).

    References
    ----------
    Strehl, Ghosh: Cluster ensembles - a knowledge reuse framework for combining multiple partitions,
    JMLR 3, 2002, Section 3.2; the program ClusterPack 2.0. Karypis, Kumar: METIS, SIAM J. Sci. Comput.
    20(1), 1998.
    """

    balanced = True

    cut_: int
    partitioner_: str

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def _fit(self, ensemble: Ensemble) -> None:
        graph = coassociation_graph(ensemble)
        parts, self.partitioner_ = partition_graph(graph, self.n_clusters)
        self.note_ = remark(self.partitioner_)
        self.cut_ = cut(graph, parts)
        self._set_only_labels(parts, np.arange(ensemble.n_objects))


def coassociation_graph(ensemble: Ensemble) -> Graph:
    """Return the graph of the objects with edges N scaled to sum 10^8 over both directions."""
    counts, weights, membership = ensemble.counts, ensemble.weights, ensemble.membership
    total = float(weights @ counts @ weights - weights @ counts.diagonal())
    alone = scaled_integers(counts.diagonal(), total) > 0  # the object itself is no neighbour
    degree = np.array([weights @ (scaled_integers(row, total) > 0) for row in counts]) - alone
    starts = np.concatenate([[0], np.cumsum(degree[membership])])
    neighbours, edges = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=np.int32)
    for p, profile in enumerate(membership):
        row = scaled_integers(counts[profile], total)[membership]
        row[p] = 0
        here = slice(starts[p], starts[p + 1])
        neighbours[here] = np.flatnonzero(row)
        edges[here] = row[row > 0]
    return Graph(starts.astype(np.int32), neighbours, edges)

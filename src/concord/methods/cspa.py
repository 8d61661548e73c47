"""CSPA: the co-association matrix as a graph, cut by METIS."""

from dataclasses import dataclass

import numpy as np

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, Cost
from concord.numerics.partition import Graph, cut, partition_graph, scaled_integers


@dataclass(repr=False, eq=False, kw_only=True)
class CSPA(ConsensusMethod):
    """Cluster-based similarity partitioning: a balanced minimum cut of the co-association graph.

    Parameters
    ----------
    n_clusters, random_state : see :class:`~concord.methods.base.ConsensusMethod`

    Attributes
    ----------
    cut_ : int. Weight of the edges between clusters; all edges together weigh half of 10^8, up to rounding.

    Notes
    -----
    METIS (Karypis, Kumar: SIAM J. Sci. Comput. 20(1), 1998) aims at sizes equal to 0.1 %; on small graphs it misses
    that by some objects. It separates objects with one profile to balance, so the graph is that of the objects. Its
    edges are whole numbers as in the program ClusterPack 2.0; the result depends on the order of the objects, not on a
    seed. A missing label adds nothing to its object's edges (the count is still divided by m).
    """

    summary = "Cluster-based similarity partitioning: a balanced minimum cut of the co-association graph."
    reference = (
        "Strehl, Ghosh: Cluster ensembles - a knowledge reuse framework for combining multiple partitions, "
        "JMLR 3, 2002, Section 3.2."
    )
    cost = Cost(0.05, 2e-7, 0, matrices=10)
    balanced = True

    def _fit(self, ensemble: Ensemble) -> None:
        graph = coassociation_graph(ensemble)
        parts = partition_graph(graph, self.n_clusters)
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

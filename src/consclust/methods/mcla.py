"""MCLA: base clusters grouped into meta-clusters, for which the objects compete."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import Cost, OrderedMethod
from consclust.methods.constraints import COUNT
from consclust.numerics.numbering import order_of_appearance
from consclust.numerics.partition import Graph, cut, graph_of_rows, partition_graph, scaled_integers
from consclust.similarity import collapse, jaccard_rows


@dataclass(repr=False, eq=False, kw_only=True)
class MCLA(OrderedMethod):
    """Meta-clustering: METIS groups the base clusters; an object joins the group that it is in most.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    vertex_weight : {"size", "unit"}, default "size"
        What METIS balances: "size" the number of members of the base clusters, as in ClusterPack 2.0; "unit" the number
        of base clusters, which also suits classes of unequal sizes. The paper has no grid.
    n_meta_clusters : int or None, default None
        Meta-clusters that METIS makes; None: ``n_clusters``, as the paper says. No more clusters win objects.
    object_order : {"given", "random"}, default "given"
        The order of the base clusters, on which METIS' cut depends: clustering by clustering, each in the order of the
        objects, as in ClusterPack, or drawn from ``random_state``. With "random", other seeds show how much it decides.

    Attributes
    ----------
    meta_labels_ : ndarray of int, shape (sum of k_i,)
        Meta-cluster of each base cluster, clustering by clustering; named as in ``labels_``, those that win no object
        last.
    association_ : ndarray, shape (n, meta-clusters)
        Share of the base clusters of each meta-cluster that contain the object.
    cut_ : int
        Weight of the edges between meta-clusters; all edges together weigh half of 10^8, up to rounding.

    Notes
    -----
    Exact on profiles. Ties go to the meta-cluster that METIS numbers lowest, where ClusterPack draws at random; a
    meta-cluster may win no object. A missing label puts its object into no base cluster. METIS cuts the graph of the
    base clusters, of (sum of k_i)^2 edges: there is no limit to the number of objects but the O(nm) of the ensemble
    itself.

    Examples
    --------
    >>> from consclust.methods import MCLA
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> mcla = MCLA(n_clusters=2).fit(labels)
    >>> mcla.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> mcla.association_[:, 0].round(2)
    array([1.  , 0.67, 0.67, 0.  , 0.08, 0.  ])
    """

    summary = "Meta-clustering: METIS groups the base clusters; an object joins the group that it is in most."
    reference = (
        "Strehl, Ghosh: Cluster ensembles - a knowledge reuse framework for combining multiple partitions, "
        "JMLR 3, 2002, Section 3.4."
    )
    cost = Cost(0.05, 1e-7, 0, linear=5e-7)
    constraints = {"n_meta_clusters": COUNT}
    balanced = True

    vertex_weight: Literal["size", "unit"] = "size"
    n_meta_clusters: int | None = None

    @property
    def free_number(self) -> bool:
        """Whether there are more meta-clusters than clusters."""
        return (self.n_meta_clusters or 0) > self.n_clusters

    def _fit(self, ensemble: Ensemble) -> None:
        n_meta_clusters = self.n_meta_clusters or self.n_clusters
        order = self._draw_order(int(ensemble.n_clusters.sum()))
        graph = cluster_graph(ensemble, order)
        sizes = (ensemble.expected_indicator.T @ ensemble.weights)[order]
        vertex_weights = scaled_integers(sizes, float(sizes.sum())) if self.vertex_weight == "size" else None
        parts = partition_graph(graph, n_meta_clusters, vertex_weights)
        self.cut_ = cut(graph, parts)
        groups = np.empty_like(parts)
        groups[order] = parts
        association = collapse(ensemble.expected_indicator, groups, n_meta_clusters)
        winners = association.argmax(axis=1)
        self._set_only_labels(winners, ensemble.membership)
        by_appearance = order_of_appearance(winners[ensemble.membership], n_meta_clusters)
        self._association = association[:, by_appearance]
        self.meta_labels_ = np.argsort(by_appearance)[groups]
        differs = self.free_number and self.labels_.max() + 1 != self.n_clusters
        self.note_ = "the number of clusters is that of the meta-clusters with objects" if differs else ""

    @property
    def association_(self) -> FloatArray:
        """Share of the base clusters of each meta-cluster that contain the object, shape (n, meta-clusters).

        A base cluster that is only expected to contain the object counts with its probability.
        """
        return self._association[self._membership]


def cluster_graph(ensemble: Ensemble, order: IntArray) -> Graph:
    """Return the graph of the base clusters in an order, weighted by their Jaccard indices; never all at once."""
    total = 0.0
    n_met = 0
    for _, index in jaccard_rows(ensemble, order):
        total += float(index.sum())
        n_met += int(np.count_nonzero(index))
    rows = ((here, scaled_integers(index, total)) for here, index in jaccard_rows(ensemble, order))
    return graph_of_rows(rows, int(ensemble.n_clusters.sum()), n_met)

"""MCLA: base clusters grouped into meta-clusters, for which the objects compete."""

from typing import Literal

import numpy as np

from concord.coassociation import jaccard
from concord.ensemble import Ensemble, FloatArray, IntArray
from concord.methods.base import ConsensusMethod
from concord.methods.partition import cut, dense_graph, partition_graph, remark, scaled_integers


class MCLA(ConsensusMethod):
    """Meta-clustering: METIS groups the base clusters; an object joins the group that it is in most.

    Parameters
    ----------
    n_clusters : int
        Number of meta-clusters, K (k in the paper); consensus clusters may be fewer, because a meta-cluster
        may win no object.
    vertex_weight : {"size", "unit"}, default "size"
        What METIS balances: "size" the number of members of the base clusters, as in ClusterPack 2.0;
        "unit" the number of base clusters, which also suits classes of unequal sizes. The paper has no grid.

    Attributes
    ----------
    meta_labels_ : ndarray of int, shape (sum of k_i,)
        Meta-cluster of each base cluster, the clusters of the first clustering first.
    association_ : ndarray, shape (n, K)
        Share of the base clusters of each meta-cluster that contain the object.
    cut_ : int
        Weight of the edges between meta-clusters; all edges together weigh half of 10^8, up to rounding.
    partitioner_ : {"pymetis", "spectral bisection"}
        Who cut the meta-graph: METIS, or where pymetis cannot be imported, with a warning, a stand-in.

    Notes
    -----
    Exact on profiles: an object's association is a function of its profile. Ties go to the lowest
    meta-cluster, where ClusterPack draws at random. A missing label puts its object into no base cluster.

    References
    ----------
    Strehl, Ghosh: Cluster ensembles - a knowledge reuse framework for combining multiple partitions,
    JMLR 3, 2002, Section 3.4; the program ClusterPack 2.0.
    """

    balanced = True

    meta_labels_: IntArray
    association_: FloatArray
    cut_: int
    partitioner_: str

    def __init__(self, n_clusters: int, *, vertex_weight: Literal["size", "unit"] = "size") -> None:
        self.n_clusters = n_clusters
        self.vertex_weight = vertex_weight

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require_choice("vertex_weight", "size", "unit")

    def _fit(self, ensemble: Ensemble) -> None:
        index = jaccard(ensemble)
        graph = dense_graph(scaled_integers(index, float(index.sum())))
        sizes = ensemble.weights @ ensemble.indicator
        vertex_weights = scaled_integers(sizes, float(sizes.sum())) if self.vertex_weight == "size" else None
        self.meta_labels_, self.partitioner_ = partition_graph(graph, self.n_clusters, vertex_weights)
        self.note_ = remark(self.partitioner_)
        self.cut_ = cut(graph, self.meta_labels_)
        association = collapse(ensemble.indicator, self.meta_labels_, self.n_clusters)
        self.association_ = association[ensemble.membership]
        self._set_only_labels(association.argmax(axis=1).astype(np.int64), ensemble.membership)


def collapse(indicator: FloatArray, meta_labels: IntArray, n_clusters: int) -> FloatArray:
    """Return the mean indicator of each meta-cluster, shape (n', K); zero for an empty one."""
    belongs = (meta_labels[:, None] == np.arange(n_clusters)).astype(float)
    # one division of whole numbers: equal shares are equal floats, so that ties are seen
    mean: FloatArray = (indicator @ belongs) / np.maximum(belongs.sum(axis=0), 1)
    return mean

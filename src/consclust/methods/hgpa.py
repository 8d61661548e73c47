"""HGPA: the base clusters as hyperedges of one hypergraph, cut by Mt-KaHyPar."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from consclust.ensemble import Ensemble
from consclust.methods.base import Cost, OrderedMethod
from consclust.methods.constraints import POSITIVE
from consclust.numerics.bisection import bisect_recursively
from consclust.numerics.partition import (
    Hypergraph,
    Vertices,
    cut_weight,
    km1,
    partition_hypergraph,
    reordered,
    vertices_of,
)

UB_FACTOR = 5  # ClusterPack calls ``shmetis file K 5``: every bisection between 45 : 55
SHARE = 4  # A vertex stands for at most a fourth of the objects that a cluster may have above the mean


@dataclass(repr=False, eq=False, kw_only=True)
class HGPA(OrderedMethod):
    """Hypergraph partitioning: objects are vertices, all base clusters hyperedges; cut as few as possible.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    hyperedge_weight : {"unit", "size"}, default "unit"
        "unit": all hyperedges weigh the same, as the paper says (Section 3.3). "size": in proportion to their number of
        objects, as the program ClusterPack 2.0 writes them.
    imbalance : float > 0 or None, default None
        Epsilon: no cluster has more than (1 + epsilon) ceil(n / K) objects. None: 1.1^(log2 K) - 1, which ClusterPack's
        UBfactor 5 (bisections between 45 : 55) adds up to. The paper has no grid.
    preset : {"deterministic_fast", "deterministic", "deterministic_quality"}, default "deterministic_fast"
        The latter two are Mt-KaHyPar's. "deterministic_fast" is "deterministic" with 5 instead of 20 runs of each
        initial partition: it takes a third to a half of the time, and the best of five starts has the same KM1.
    partition : {"direct", "recursive"}, default "direct"
        "direct": all K clusters at once, with the least KM1. "recursive": bisections, each between 45 : 55 (for an odd
        number of clusters in proportion), over single objects; a hyperedge that one of them cuts counts no more. So
        does ClusterPack's program shmetis by default. ``imbalance`` goes with "direct" alone.
    n_init : int, default 5
        Orders of the objects to start from, that of ``object_order`` first, then random ones; nothing else changes the
        result of a preset. shmetis makes 10 runs. The default is the least of 1, 2, 3, 5, 10 with a mean KM1 within
        1.5 % of that of 10: the means are 4.7, 2.7, 1.9 and 1.0 % above it, at an ARI of .694, .708, .713, .722 and
        .727 (20 k-means clusterings of digits, Coil20 and 4,000 objects in blobs, unit weights; a start takes 0.1 to
        0.6 CPU seconds).
    object_order : {"given", "random"}, default "given"
        The first of the orders: as the objects are given, or drawn from ``random_state`` too.

    Attributes
    ----------
    km1_ : int
        Sum over hyperedges of weight (1 or number of objects) times (clusters touched - 1), what "direct" minimises.
    cut_ : int
        Weight of the hyperedges that touch several clusters, what "recursive" minimises step by step.

    Notes
    -----
    The paper's hMETIS is not free; Mt-KaHyPar (Gottesbüren, Heuer, Maas, Sanders, Schlag: ACM Trans. Algorithms 20(1),
    2024) takes its place. It bounds clusters from above only, while bisections of 45 : 55 bound them from below too.
    An object is in no hyperedge of a clustering that misses it.

    A vertex stands for objects with one profile, which stay together, but for at most a fourth of those that a cluster
    may have above n / K: balance must be possible. KM1 is that of the objects, and so is the bound. There is no matrix;
    time is the limit: a start takes 3.4 CPU seconds with 23,000 vertices and 21 with 80,000.

    Examples
    --------
    >>> from consclust.methods import HGPA
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> hgpa = HGPA(n_clusters=2, random_state=0).fit(labels)
    >>> hgpa.labels_, hgpa.km1_
    (array([0, 0, 0, 1, 1, 1]), 2)
    """

    summary = "Hypergraph partitioning: objects are vertices, all base clusters hyperedges; cut as few as possible."
    reference = (
        "Strehl, Ghosh: Cluster ensembles - a knowledge reuse framework for combining multiple partitions, "
        "JMLR 3, 2002, Section 3.3."
    )
    cost = Cost(0.8, 2e-7, 0, linear=7e-5)
    constraints = {"imbalance": POSITIVE}
    balanced = True
    with_missing = (
        "labels are missing: HGPA cuts few hyperedges where objects have few labels, and balances the sizes; methods "
        "such as EAC, LWEA, LWGP or RCE hold with missing labels"
    )

    hyperedge_weight: Literal["unit", "size"] = "unit"
    imbalance: float | None = None
    preset: Literal["deterministic_fast", "deterministic", "deterministic_quality"] = "deterministic_fast"
    partition: Literal["direct", "recursive"] = "direct"
    n_init: int = 5

    def check_parameters(self) -> None:
        """Raise ValueError for an imbalance that recursive bisections do not read."""
        super().check_parameters()
        if self.partition == "recursive" and self.imbalance is not None:
            raise ValueError(f"HGPA: imbalance = {self.imbalance:g} goes with partition='direct'; leave it out")

    def _fit(self, ensemble: Ensemble) -> None:
        if self.partition == "recursive":
            self._fit_recursively(ensemble)
            return
        imbalance = equivalent_imbalance(self.n_clusters) if self.imbalance is None else self.imbalance
        spare = imbalance * ensemble.n_objects / self.n_clusters
        vertices = vertices_of(ensemble.membership, max(1, int(spare / SHARE)))
        hypergraph = hypergraph_of(ensemble, self.hyperedge_weight, vertices)
        rng = self._rng()
        order = self._draw_order(hypergraph.n_vertices, rng)
        restarts = []
        for _ in range(self.n_init):
            parts = partition_hypergraph(reordered(hypergraph, order), self.n_clusters, imbalance, self.preset.upper())
            restarts.append(parts[np.argsort(order)])
            order = rng.permutation(hypergraph.n_vertices)
        costs = np.array([km1(hypergraph, labels) for labels in restarts])
        self._set_labels(np.stack(restarts), costs, vertices.of_object)
        self.km1_ = int(costs[self.chosen_])
        self.cut_ = cut_weight(hypergraph, restarts[self.chosen_])

    def _fit_recursively(self, ensemble: Ensemble) -> None:
        """Bisect single objects, with each order; the parts with the least weight of cut hyperedges are chosen."""
        objects = vertices_of(ensemble.membership, 1)
        hypergraph = hypergraph_of(ensemble, self.hyperedge_weight, objects)
        rng = self._rng()
        order = self._draw_order(hypergraph.n_vertices, rng)
        restarts = []
        for _ in range(self.n_init):
            found = bisect_recursively(
                reordered(hypergraph, order), self.n_clusters, UB_FACTOR / 100, self.preset.upper()
            )
            restarts.append(found.parts[np.argsort(order)])
            order = rng.permutation(hypergraph.n_vertices)
        costs = np.array([cut_weight(hypergraph, labels) for labels in restarts])
        self._set_labels(np.stack(restarts), costs, objects.of_object)
        self.km1_ = km1(hypergraph, restarts[self.chosen_])
        self.cut_ = int(costs[self.chosen_])


def equivalent_imbalance(n_clusters: int) -> float:
    """Return the imbalance that recursive bisections with UBfactor 5 add up to."""
    return float((1 + 2 * UB_FACTOR / 100) ** math.log2(n_clusters) - 1)


def hypergraph_of(
    ensemble: Ensemble, hyperedge_weight: Literal["unit", "size"], vertices: Vertices | None = None
) -> Hypergraph:
    """Return the hypergraph of the clusters of all clusterings, over the objects unless ``vertices`` stand for several.

    Sizes leave the sums of weights within 32 bits.
    """
    of = vertices or vertices_of(ensemble.membership, 1)
    columns = zip(ensemble.profiles[of.profiles].T, ensemble.n_clusters, strict=True)
    nets = [np.flatnonzero(column == c) for column, k in columns for c in range(k)]
    sizes = np.array([of.sizes[net].sum() for net in nets], dtype=np.int64)
    weights = sizes if hyperedge_weight == "size" else np.ones_like(sizes)
    return Hypergraph(len(of.sizes), nets, weights, of.weights)

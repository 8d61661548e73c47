"""HGPA: the base clusters as hyperedges of one hypergraph, cut by Mt-KaHyPar."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, Cost
from concord.methods.constraints import POSITIVE
from concord.numerics.partition import Hypergraph, km1, partition_hypergraph, reordered

UB_FACTOR = 5  # ClusterPack calls ``shmetis file K 5``: every bisection between 45 : 55


@dataclass(repr=False, eq=False, kw_only=True)
class HGPA(ConsensusMethod):
    """Hypergraph partitioning: objects are vertices, all base clusters hyperedges; cut as few as possible.

    Parameters
    ----------
    n_clusters, random_state : see :class:`~concord.methods.base.ConsensusMethod`
    hyperedge_weight : {"unit", "size"}, default "unit"
        "unit": all hyperedges weigh the same, as the paper says (Section 3.3). "size": in proportion to their number of
        objects, as the program ClusterPack 2.0 writes them.
    imbalance : float > 0 or None, default None
        Epsilon: no cluster has more than (1 + epsilon) ceil(n / K) objects. None: 1.1^(log2 K) - 1, which ClusterPack's
        UBfactor 5 (bisections between 45 : 55) adds up to. The paper has no grid.
    preset : {"deterministic", "deterministic_quality"}, default "deterministic". Of Mt-KaHyPar.
    n_init : int, default 10
        Orders of the objects to start from, the given one first, then random ones; nothing else changes the result of a
        preset. shmetis makes 10 runs.

    Attributes
    ----------
    km1_ : int
        Sum over hyperedges of weight (1 or number of objects) times (clusters touched - 1), what is minimised.

    Notes
    -----
    The paper's hMETIS is not free; Mt-KaHyPar (Gottesbüren, Heuer, Maas, Sanders, Schlag: ACM Trans. Algorithms 20(1),
    2024) takes its place. It bounds clusters from above only, while bisections of 45 : 55 bound them from below too.
    Vertices are the objects, not the profiles: balance separates objects with one profile. An object is in no hyperedge
    of a clustering that misses it.
    """

    summary = "Hypergraph partitioning: objects are vertices, all base clusters hyperedges; cut as few as possible."
    reference = (
        "Strehl, Ghosh: Cluster ensembles - a knowledge reuse framework for combining multiple partitions, "
        "JMLR 3, 2002, Section 3.3."
    )
    cost = Cost(4.0, 5e-6, 0)
    constraints = {"imbalance": POSITIVE}
    balanced = True

    hyperedge_weight: Literal["unit", "size"] = "unit"
    imbalance: float | None = None
    preset: Literal["deterministic", "deterministic_quality"] = "deterministic"
    n_init: int = 10

    def _fit(self, ensemble: Ensemble) -> None:
        hypergraph = hypergraph_of(ensemble, self.hyperedge_weight)
        imbalance = equivalent_imbalance(self.n_clusters) if self.imbalance is None else self.imbalance
        rng = self._rng()
        order = np.arange(ensemble.n_objects)
        restarts = []
        for _ in range(self.n_init):
            parts = partition_hypergraph(reordered(hypergraph, order), self.n_clusters, imbalance, self.preset.upper())
            restarts.append(parts[np.argsort(order)])
            order = rng.permutation(ensemble.n_objects)
        costs = np.array([km1(hypergraph, labels) for labels in restarts])
        self._set_labels(np.stack(restarts), costs, np.arange(ensemble.n_objects))
        self.km1_ = int(costs[self.chosen_])


def equivalent_imbalance(n_clusters: int) -> float:
    """Return the imbalance that recursive bisections with UBfactor 5 add up to."""
    return float((1 + 2 * UB_FACTOR / 100) ** math.log2(n_clusters) - 1)


def hypergraph_of(ensemble: Ensemble, hyperedge_weight: Literal["unit", "size"]) -> Hypergraph:
    """Return the hypergraph of the clusters of all clusterings; sizes leave the sums of weights within 32 bits."""
    nets = [
        np.flatnonzero(column == c)
        for column, k in zip(ensemble.labels.T, ensemble.n_clusters, strict=True)
        for c in range(k)
    ]
    sizes = np.array([len(net) for net in nets], dtype=np.int64)
    return Hypergraph(ensemble.n_objects, nets, sizes if hyperedge_weight == "size" else np.ones_like(sizes))

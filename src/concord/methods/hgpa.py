"""HGPA: the base clusters as hyperedges of one hypergraph, cut by Mt-KaHyPar."""

import math
from typing import Literal

import numpy as np

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, is_integer, is_number
from concord.methods.partition import FALLBACK, Hypergraph, km1, partition_hypergraph, remark, reordered

UB_FACTOR = 5
"""ClusterPack calls ``shmetis file K 5``: every bisection between 45 : 55."""


class HGPA(ConsensusMethod):
    """Hypergraph partitioning: objects are vertices, all base clusters hyperedges; cut as few as possible.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K (k in the paper).
    hyperedge_weight : {"unit", "size"}, default "unit"
        "unit": all hyperedges weigh the same, as the paper says (Section 3.3). "size": in proportion to
        their number of objects, as the program ClusterPack 2.0 writes them.
    imbalance : float > 0 or None, default None
        Epsilon: no cluster has more than (1 + epsilon) ceil(n / K) objects. None: 1.1^(log2 K) - 1, which
        ClusterPack's UBfactor 5 (bisections between 45 : 55) adds up to. The paper has no grid.
    preset : {"deterministic", "deterministic_quality"}, default "deterministic"
        Preset of Mt-KaHyPar; its others are not reproducible.
    n_init : int, default 10
        Orders of the objects to start from, the given one first, then random ones; ``labels_`` has the
        lowest ``km1_``. The presets know no luck but the order. 10 is shmetis' number of runs.
    random_state : int, Generator or None
        Seed of the random orders.

    Attributes
    ----------
    km1_ : int
        Sum over hyperedges of weight times (clusters touched - 1), what is minimised; in "size" a
        hyperedge weighs its number of objects. Of the chosen start.
    partitioner_ : {"mtkahypar", "spectral bisection"}
        Who cut the hypergraph: Mt-KaHyPar, or where it cannot be imported, with a warning, a stand-in
        (one start: it has no luck at all).

    Notes
    -----
    The paper's hMETIS is not free; Mt-KaHyPar takes its place. It bounds clusters from above only, while
    bisections of 45 : 55 bound them from below too. Vertices are the objects, not the profiles: balance
    separates objects with one profile. An object is in no hyperedge of a clustering that misses it.

    References
    ----------
    Strehl, Ghosh: Cluster ensembles - a knowledge reuse framework for combining multiple partitions,
    JMLR 3, 2002, Section 3.3; the program ClusterPack 2.0. Gottesbüren, Heuer, Maas, Sanders, Schlag:
    Scalable high-quality hypergraph partitioning, ACM Trans. Algorithms 20(1), 2024 (Mt-KaHyPar).
    """

    balanced = True

    km1_: int
    partitioner_: str

    def __init__(
        self,
        n_clusters: int,
        *,
        hyperedge_weight: Literal["unit", "size"] = "unit",
        imbalance: float | None = None,
        preset: Literal["deterministic", "deterministic_quality"] = "deterministic",
        n_init: int = 10,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.hyperedge_weight = hyperedge_weight
        self.imbalance = imbalance
        self.preset = preset
        self.n_init = n_init
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require_choice("hyperedge_weight", "unit", "size")
        self._require(
            "imbalance",
            self.imbalance is None or is_number(self.imbalance, 0, strict=True),
            "None or a number > 0",
        )
        self._require_choice("preset", "deterministic", "deterministic_quality")
        self._require("n_init", is_integer(self.n_init, 1), "an integer >= 1")

    def _fit(self, ensemble: Ensemble) -> None:
        hypergraph = hypergraph_of(ensemble, self.hyperedge_weight)
        imbalance = equivalent_imbalance(self.n_clusters) if self.imbalance is None else self.imbalance
        rng = np.random.default_rng(self.random_state)
        order = np.arange(ensemble.n_objects)
        restarts = []
        for _ in range(self.n_init):
            parts, self.partitioner_ = partition_hypergraph(
                reordered(hypergraph, order), self.n_clusters, imbalance, self.preset.upper()
            )
            restarts.append(parts[np.argsort(order)])
            if self.partitioner_ == FALLBACK:
                break
            order = rng.permutation(ensemble.n_objects)
        self.note_ = remark(self.partitioner_)
        costs = np.array([km1(hypergraph, labels) for labels in restarts])
        self._set_labels(np.stack(restarts), costs, np.arange(ensemble.n_objects))
        self.km1_ = int(costs[self.chosen_])


def equivalent_imbalance(n_clusters: int) -> float:
    """Return the imbalance that recursive bisections with UBfactor 5 add up to."""
    return float((1 + 2 * UB_FACTOR / 100) ** math.log2(n_clusters) - 1)


def hypergraph_of(ensemble: Ensemble, hyperedge_weight: Literal["unit", "size"]) -> Hypergraph:
    """Return the hypergraph whose hyperedges are the clusters of all clusterings.

    ClusterPack's weights are 10^8 / (number of labels) times the sizes; a common factor changes nothing,
    and sizes leave the sums within 32 bits.
    """
    nets = [
        np.flatnonzero(column == c)
        for column, k in zip(ensemble.labels.T, ensemble.n_clusters, strict=True)
        for c in range(k)
    ]
    sizes = np.array([len(net) for net in nets], dtype=np.int64)
    return Hypergraph(ensemble.n_objects, nets, sizes if hyperedge_weight == "size" else np.ones_like(sizes))

"""PTGP: probability trajectory based graph partitioning."""

from dataclasses import dataclass

import numpy as np

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, Cost
from concord.numerics.tcut import tcut_labels
from concord.similarity import pts


@dataclass(repr=False, eq=False, kw_only=True)
class PTGP(ConsensusMethod):
    """Tcut of the graph of profiles and base clusters; an edge weighs their mean trajectory similarity.

    A profile ("microcluster") counts once in the graph and in k-means, however many objects have it.

    Parameters
    ----------
    n_clusters, random_state : see :class:`~concord.methods.base.ConsensusMethod`
    n_neighbours, n_steps : int, optional
        Elite neighbours of a profile, K in the paper (V in that of EC-CMS), and steps of the random walk, T; defaults
        and ranges as for ``similarity.pts``.
    n_init : int, default 10. Random starts of k-means on the embedding; the authors' program makes 3.
    """

    summary = "Tcut of the graph of profiles and base clusters; an edge weighs their mean trajectory similarity."
    reference = "Huang, Lai, Wang: Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5), 2016."
    cost = Cost(0.05, 2e-7, 4e-10)

    n_neighbours: int | None = None
    n_steps: int | None = None
    n_init: int = 10

    def _fit(self, ensemble: Ensemble) -> None:
        indicator = ensemble.indicator
        links = pts(ensemble, self.n_neighbours, self.n_steps) @ (indicator / indicator.sum(axis=0))
        once = np.ones(ensemble.n_profiles, dtype=np.int64)
        labels, costs = tcut_labels(links, once, self.n_clusters, self.n_init, self._rng())
        self._set_labels(labels, costs, ensemble.membership)

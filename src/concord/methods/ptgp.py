"""PTGP: probability trajectory based graph partitioning."""

import numpy as np

from concord.coassociation import pts
from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, is_integer
from concord.methods.tcut import tcut_labels


class PTGP(ConsensusMethod):
    """Tcut of the graph of profiles and base clusters; an edge weighs their mean trajectory similarity.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    n_neighbours : int, optional
        Elite neighbours of a profile, K in the paper (V in that of EC-CMS). Default: floor(sqrt(n') / 2),
        at most 20; the paper finds [sqrt(n') / 5, sqrt(n')] to do, without that limit.
    n_steps : int, optional
        Steps of the random walk, T in the paper; default and range as for ``n_neighbours``.
    n_init : int, default 10
        Random starts of k-means on the embedding; the authors' program makes 3.
    random_state : int, Generator or None
        Seed of the random starts.

    Notes
    -----
    A profile ("microcluster") counts once in the graph and in k-means, however many objects have it.

    References
    ----------
    Huang, Lai, Wang: Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5), 2016.
    """

    def __init__(
        self,
        n_clusters: int,
        *,
        n_neighbours: int | None = None,
        n_steps: int | None = None,
        n_init: int = 10,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbours = n_neighbours
        self.n_steps = n_steps
        self.n_init = n_init
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        for name in ("n_neighbours", "n_steps"):
            value = getattr(self, name)
            self._require(name, value is None or is_integer(value, 1), "an integer >= 1, or None")
        self._require("n_init", is_integer(self.n_init, 1), "an integer >= 1")

    def _fit(self, ensemble: Ensemble) -> None:
        indicator = ensemble.indicator
        links = pts(ensemble, self.n_neighbours, self.n_steps) @ (indicator / indicator.sum(axis=0))
        once = np.ones(ensemble.n_profiles, dtype=np.int64)
        rng = np.random.default_rng(self.random_state)
        labels, costs = tcut_labels(links, once, self.n_clusters, self.n_init, rng)
        self._set_labels(labels, costs, ensemble.membership)

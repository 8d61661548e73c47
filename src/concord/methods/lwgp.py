"""LWGP: locally weighted graph partitioning."""

import numpy as np

from concord.coassociation import eci
from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, is_integer, is_number
from concord.methods.tcut import tcut_labels


class LWGP(ConsensusMethod):
    """Tcut of the graph of objects and base clusters, an edge weighing the index ECI of its cluster.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    theta : float > 0, default 0.4
        How little a base cluster counts that the other clusterings divide; the paper's value. It finds
        [0.2, 1] to do and has no grid.
    n_init : int, default 10
        Random starts of k-means on the embedding; the authors' program makes 3.
    random_state : int, Generator or None
        Seed of the random starts.

    Notes
    -----
    Exact on profiles: an object's edges are a function of its profile.

    References
    ----------
    Huang, Wang, Lai: Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), 2018.
    """

    def __init__(
        self,
        n_clusters: int,
        *,
        theta: float = 0.4,
        n_init: int = 10,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.n_init = n_init
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require("theta", is_number(self.theta, 0, strict=True), "a number > 0")
        self._require("n_init", is_integer(self.n_init, 1), "an integer >= 1")

    def _fit(self, ensemble: Ensemble) -> None:
        links = ensemble.indicator * eci(ensemble, self.theta)
        rng = np.random.default_rng(self.random_state)
        labels, costs = tcut_labels(links, ensemble.weights, self.n_clusters, self.n_init, rng)
        self._set_labels(labels, costs, ensemble.membership)

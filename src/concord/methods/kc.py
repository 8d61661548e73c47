"""KC: k-means on the rows of the co-association matrix."""

import numpy as np

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, is_integer
from concord.methods.kmeans import kmeans_restarts


class KC(ConsensusMethod):
    """K-means that takes an object's row of the co-association matrix for its features.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    n_init : int, default 20
        Draws of K random rows to start from; ``labels_`` is the one with the lowest inertia, the papers
        average over single starts.
    random_state : int, Generator or None
        Seed of the random starts.

    Attributes
    ----------
    inertia_ : float
        Sum of squared distances of the chosen start, over all n objects.

    References
    ----------
    Kuncheva, Hadjitodorov, Todorova: Experimental comparison of cluster ensemble methods, FUSION 2006;
    the name KC as in the RCE paper (IJCAI 2015), Section 5.
    """

    inertia_: float

    def __init__(
        self, n_clusters: int, *, n_init: int = 20, random_state: int | np.random.Generator | None = None
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require("n_init", is_integer(self.n_init, 1), "an integer >= 1")

    def _fit(self, ensemble: Ensemble) -> None:
        # column b stands for w_b equal columns of the objects' matrix: sqrt(w_b) keeps all distances
        rows = ensemble.coassociation * np.sqrt(ensemble.weights)
        labels, inertia = kmeans_restarts(
            rows, ensemble.weights, self.n_clusters, self.n_init, np.random.default_rng(self.random_state)
        )
        self._set_labels(labels, inertia, ensemble.membership)
        self.inertia_ = float(inertia[self.chosen_])

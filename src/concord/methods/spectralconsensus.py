"""SpectralConsensus: spectral clustering of the co-association matrix."""

import numpy as np

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, is_integer
from concord.methods.spectral import Assignment, spectral_labels


class SpectralConsensus(ConsensusMethod):
    """Spectral clustering of the plain co-association matrix: RCE's last step without RCE.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    assign_labels : {"discretize", "kmeans"}, default "discretize"
        Rotation of Yu and Shi, or k-means on the rows as in Ng, Jordan and Weiss.
    n_init : int, default 10
        Random starts of the assignment.
    random_state : int, Generator or None
        Seed of the random starts.

    References
    ----------
    Ng, Jordan, Weiss: On spectral clustering, NIPS 2001. Yu, Shi: Multiclass spectral clustering, ICCV 2003.
    """

    def __init__(
        self,
        n_clusters: int,
        *,
        assign_labels: Assignment = "discretize",
        n_init: int = 10,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.assign_labels = assign_labels
        self.n_init = n_init
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require_choice("assign_labels", "discretize", "kmeans")
        self._require("n_init", is_integer(self.n_init, 1), "an integer >= 1")

    def _fit(self, ensemble: Ensemble) -> None:
        labels, costs = spectral_labels(
            ensemble.coassociation,
            ensemble.weights,
            self.n_clusters,
            self.assign_labels,
            self.n_init,
            np.random.default_rng(self.random_state),
        )
        self._set_labels(labels, costs, ensemble.membership)

"""SpectralConsensus: spectral clustering of the co-association matrix."""

from dataclasses import dataclass

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, Cost
from concord.numerics.spectral import Assignment


@dataclass(repr=False, eq=False, kw_only=True)
class SpectralConsensus(ConsensusMethod):
    """Spectral clustering of the plain co-association matrix: RCE's last step without RCE.

    Parameters
    ----------
    n_clusters, assign_labels, n_init, random_state : see :class:`~concord.methods.base.ConsensusMethod`
    """

    summary = "Spectral clustering of the plain co-association matrix: RCE's last step without RCE."
    reference = (
        "Ng, Jordan, Weiss: On spectral clustering, NIPS 2001. Yu, Shi: Multiclass spectral clustering, ICCV 2003."
    )
    cost = Cost(0.03, 2e-7, 2e-10)

    assign_labels: Assignment = "discretize"
    n_init: int = 10

    def _fit(self, ensemble: Ensemble) -> None:
        matrix, weights, membership = ensemble.coassociation, ensemble.weights, ensemble.membership
        self._set_spectral_labels(matrix, weights, membership, self.assign_labels, self.n_init)

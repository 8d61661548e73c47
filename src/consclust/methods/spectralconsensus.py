"""SpectralConsensus: spectral clustering of the co-association matrix."""

from dataclasses import dataclass

import numpy as np

from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod, Cost
from consclust.numerics.spectral import Assignment, mean_embedding, row_labels


@dataclass(repr=False, eq=False, kw_only=True)
class SpectralConsensus(ConsensusMethod):
    """Spectral clustering of the plain co-association matrix: RCE's last step without RCE.

    Parameters
    ----------
    n_clusters, assign_labels, n_init, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.

    Examples
    --------
    >>> from consclust.methods import SpectralConsensus
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> SpectralConsensus(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Spectral clustering of the plain co-association matrix, the last step of RCE."
    reference = (
        "Ng, Jordan, Weiss: On spectral clustering, NIPS 2001. Yu, Shi: Multiclass spectral clustering, ICCV 2003."
    )
    cost = Cost(0.03, 2e-7, 2e-10, profile_matrices=6, linear=8e-7, clusters=1e-9)

    assign_labels: Assignment = "discretize"
    n_init: int = 10

    def _doubles(self, ensemble: Ensemble) -> int:
        return 0 if ensemble.is_tall else super()._doubles(ensemble)

    def _fit(self, ensemble: Ensemble) -> None:
        shares = np.full(ensemble.n_clusterings, 1 / ensemble.n_clusterings)
        rows = mean_embedding(ensemble, shares, self.n_clusters, lambda: ensemble.expected_coassociation)
        labels, costs = row_labels(rows, ensemble.weights, self.assign_labels, self.n_init, self._rng())
        self._set_labels(labels, costs, ensemble.membership)

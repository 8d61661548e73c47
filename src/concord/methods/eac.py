"""EAC: evidence accumulation clustering."""

import numpy as np

from concord.coassociation import co_occurrence
from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod
from concord.methods.hierarchy import Linkage, linkage_labels


class EAC(ConsensusMethod):
    """Agglomerative clustering of the co-association matrix, cut into exactly K clusters.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    linkage : {"average", "single", "complete"}, default "average"
        Distance between clusters, on 1 - co-association.

    Notes
    -----
    Only m + 1 distances occur, so ties are the rule; which of the tied pairs merges first follows the order
    of the objects. The first n - K merges are taken, ties or not, so that K clusters come out.

    References
    ----------
    Fred, Jain: Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6), 2005.
    """

    def __init__(self, n_clusters: int, *, linkage: Linkage = "average") -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require_choice("linkage", "average", "single", "complete")

    def _fit(self, ensemble: Ensemble) -> None:
        labels = linkage_labels(co_occurrence(ensemble), ensemble.membership, self.n_clusters, self.linkage)
        self._set_only_labels(labels, np.arange(ensemble.n_objects))

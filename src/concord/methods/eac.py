"""EAC: evidence accumulation clustering."""

from typing import Literal

import numpy as np

from concord.coassociation import co_occurrence
from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod
from concord.methods.hierarchy import Linkage, linkage_labels


class EAC(ConsensusMethod):
    """Agglomerative clustering of the co-association matrix, cut into K clusters or where the data say.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    linkage : {"average", "single", "complete"}, default "average"
        Distance between clusters, on 1 - co-association.
    criterion : {"number", "lifetime"}, default "number"
        "number": exactly K clusters. "lifetime": as many clusters as last over the longest range of
        distances, K or not; of equal ranges the one with the most clusters. ``note_`` tells if not K.

    Notes
    -----
    Only m + 1 distances occur, so ties are the rule; which of the tied pairs merges first follows the order
    of the objects. The first n - K merges are taken, ties or not, so that K clusters come out. The longest
    lifetime ends before a merge that ties with none before it; its clusters do not depend on the order for
    single linkage.

    References
    ----------
    Fred, Jain: Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6), 2005.
    """

    def __init__(
        self,
        n_clusters: int,
        *,
        linkage: Linkage = "average",
        criterion: Literal["number", "lifetime"] = "number",
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.criterion = criterion

    @property
    def free_number(self) -> bool:
        """Whether there may be more clusters than ``n_clusters``: with the lifetime criterion."""
        return self.criterion == "lifetime"

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require_choice("linkage", "average", "single", "complete")
        self._require_choice("criterion", "number", "lifetime")

    def _fit(self, ensemble: Ensemble) -> None:
        wanted = None if self.free_number else self.n_clusters
        labels = linkage_labels(co_occurrence(ensemble), ensemble.membership, wanted, self.linkage)
        self._set_only_labels(labels, np.arange(ensemble.n_objects))
        differs = self.labels_.max() + 1 != self.n_clusters
        self.note_ = "the number of clusters is that of the longest lifetime" if differs else ""

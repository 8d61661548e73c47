"""EAC: evidence accumulation clustering."""

from dataclasses import dataclass
from typing import Literal

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, Cost
from concord.numerics.linkage import Linkage
from concord.similarity import co_occurrence


@dataclass(repr=False, eq=False, kw_only=True)
class EAC(ConsensusMethod):
    """Agglomerative clustering of the co-association matrix, cut into K clusters or where the data say.

    Parameters
    ----------
    n_clusters, random_state : see :class:`~concord.methods.base.ConsensusMethod`
    linkage : {"average", "single", "complete"}, default "average". Distance between clusters, on 1 - co-association.
    criterion : {"number", "lifetime"}, default "number"
        "number": exactly K clusters. "lifetime": as many clusters as last over the longest range of distances, K or
        not; of equal ranges the one with the most clusters. If not K, ``note_`` says so.

    Notes
    -----
    Only m + 1 distances occur, so ties are the rule; which of the tied pairs merges first follows the order of the
    objects. The first n - K merges are taken, ties or not, so that K clusters come out. The longest lifetime ends
    before a merge that ties with none before it; its clusters do not depend on the order for single linkage.
    """

    summary = "Agglomerative clustering of the co-association matrix, cut into K clusters or where the data say."
    reference = "Fred, Jain: Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6), 2005."
    cost = Cost(0.02, 2e-7, 0, matrices=10)

    linkage: Linkage = "average"
    criterion: Literal["number", "lifetime"] = "number"

    @property
    def free_number(self) -> bool:
        """Whether there may be more clusters than ``n_clusters``: with the lifetime criterion."""
        return self.criterion == "lifetime"

    def _fit(self, ensemble: Ensemble) -> None:
        wanted = None if self.free_number else self.n_clusters
        self._set_linkage_labels(co_occurrence(ensemble), wanted, self.linkage)
        differs = self.labels_.max() + 1 != self.n_clusters
        self.note_ = "the number of clusters is that of the longest lifetime" if differs else ""

"""EAC: evidence accumulation clustering."""

from dataclasses import dataclass
from typing import Literal

from consclust.ensemble import Ensemble
from consclust.methods.base import Cost, OrderedMethod
from consclust.numerics.linkage import Linkage
from consclust.similarity import co_occurrence

MOST_OBJECTS = 30_000  # Of a linkage over the objects, which takes 8 n^2 bytes: 7.2 GB


@dataclass(repr=False, eq=False, kw_only=True)
class EAC(OrderedMethod):
    """Agglomerative clustering of the co-association matrix, cut into K clusters or where the data say.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    linkage : {"average", "single", "complete"}, default "average"
        Distance between clusters, on 1 - co-association.
    criterion : {"number", "lifetime"}, default "number"
        "number": exactly K clusters. "lifetime": as many clusters as last over the longest range of distances, K or
        not; of equal ranges the one with the most clusters. If not K, ``note_`` says so.
    object_order : {"given", "random"}, default "given"
        The order of the objects that decides between ties: as they are given, or drawn from ``random_state``. With
        "random", other seeds show how much it decides.

    Notes
    -----
    Only m + 1 distances occur, so ties are the rule; which of the tied pairs merges first follows the order of the
    objects. The first n - K merges are taken, ties or not, so that K clusters come out. The longest lifetime ends
    before a merge that ties with none before it; its clusters do not depend on the order for single linkage.

    With more than 30,000 objects the linkage is over the profiles, in O(n'^2) time and memory: of tied pairs, objects
    with one profile merge first. That is one of the trees that the ties allow, and ``note_`` says so; up to 30,000
    objects the linkage is over the objects, in 8 n^2 bytes.

    Examples
    --------
    >>> from consclust.methods import EAC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> EAC(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    >>> EAC(n_clusters=2, criterion="lifetime").fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Agglomerative clustering of the co-association matrix, cut into K clusters or by the longest lifetime."
    reference = "Fred, Jain: Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6), 2005."
    cost = Cost(0.02, 2e-7, 0, matrices=1, profile_matrices=4, most_objects=MOST_OBJECTS, measured=7e-8)

    linkage: Linkage = "average"
    criterion: Literal["number", "lifetime"] = "number"

    @property
    def free_number(self) -> bool:
        """Whether there may be more clusters than ``n_clusters``: with the lifetime criterion."""
        return self.criterion == "lifetime"

    def _fit(self, ensemble: Ensemble) -> None:
        wanted = None if self.free_number else self.n_clusters
        over_profiles = ensemble.n_objects > MOST_OBJECTS
        keep = self._set_profile_linkage_labels if over_profiles else self._set_linkage_labels
        order = None if self.object_order == "given" else self._draw_order(ensemble.n_objects)
        keep(co_occurrence(ensemble), wanted, self.linkage, order)
        differs = self.labels_.max() + 1 != self.n_clusters
        notes = ["the number of clusters is that of the longest lifetime"] if differs else []
        notes += ["of tied merges those of objects with one profile come first"] if over_profiles else []
        self.note_ = "; ".join(notes)

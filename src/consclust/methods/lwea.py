"""LWEA: locally weighted evidence accumulation."""

from dataclasses import dataclass

from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod, Cost
from consclust.methods.constraints import POSITIVE
from consclust.similarity import lwca


@dataclass(repr=False, eq=False, kw_only=True)
class LWEA(ConsensusMethod):
    """Average linkage on the locally weighted co-association matrix, cut into exactly K clusters.

    Two objects with one profile are less than 1 similar, so that a cut may part them. The tree is that of the objects,
    built over the profiles in O(n'^2) time and memory; in O(n^2) where missing labels make two objects with one profile
    less similar than others.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    theta : float > 0, default 0.4
        How little a base cluster counts that the others divide; see :func:`consclust.similarity.eci`.

    Examples
    --------
    >>> from consclust.methods import LWEA
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> LWEA(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Average linkage on the locally weighted co-association matrix, cut into exactly K clusters."
    reference = "Huang, Wang, Lai: Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), 2018."
    cost = Cost(0.02, 2e-7, 0, profile_matrices=2, measured=7e-8)
    constraints = {"theta": POSITIVE}

    theta: float = 0.4

    def _fit(self, ensemble: Ensemble) -> None:
        self._set_profile_linkage_labels(lwca(ensemble, self.theta), self.n_clusters, "average")

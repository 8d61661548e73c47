"""LWEA: locally weighted evidence accumulation."""

from dataclasses import dataclass

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, Cost
from concord.methods.constraints import POSITIVE
from concord.similarity import lwca


@dataclass(repr=False, eq=False, kw_only=True)
class LWEA(ConsensusMethod):
    """Average link on the locally weighted co-association matrix, cut into exactly K clusters.

    Two objects with one profile are less than 1 similar, so that a cut may part them.

    Parameters
    ----------
    n_clusters, random_state : see :class:`~concord.methods.base.ConsensusMethod`
    theta : float > 0, default 0.4. How little a base cluster counts that the others divide; see ``similarity.eci``.
    """

    summary = "Average link on the locally weighted co-association matrix, cut into exactly K clusters."
    reference = "Huang, Wang, Lai: Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), 2018."
    cost = Cost(0.02, 2e-7, 0, matrices=4)
    constraints = {"theta": POSITIVE}

    theta: float = 0.4

    def _fit(self, ensemble: Ensemble) -> None:
        self._set_linkage_labels(lwca(ensemble, self.theta), self.n_clusters)

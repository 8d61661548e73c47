"""LWGP: locally weighted graph partitioning."""

from dataclasses import dataclass

from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod, Cost
from consclust.methods.constraints import POSITIVE
from consclust.numerics.tcut import tcut_labels
from consclust.similarity import eci


@dataclass(repr=False, eq=False, kw_only=True)
class LWGP(ConsensusMethod):
    """Normalised cut of the bipartite graph of objects and base clusters, its edges weighted by the index ECI.

    Solved by the transfer cut of Li, Wu, Chang (CVPR 2012).

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    theta : float > 0, default 0.4
        How little a base cluster counts that the others divide; see :func:`consclust.similarity.eci`.
    n_init : int, default 10
        Random starts of k-means on the embedding; the authors' program makes 3.

    Examples
    --------
    >>> from consclust.methods import LWGP
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> LWGP(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Normalised cut of the bipartite graph of objects and base clusters, its edges weighted by the index ECI."
    reference = "Huang, Wang, Lai: Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5), 2018."
    cost = Cost(0.05, 1e-7, 0, linear=1e-6, clusters=1e-9)
    constraints = {"theta": POSITIVE}

    theta: float = 0.4
    n_init: int = 10

    def _fit(self, ensemble: Ensemble) -> None:
        links = ensemble.expected_indicator.copy()
        links.data *= eci(ensemble, self.theta)[links.indices]
        labels, costs = tcut_labels(links, ensemble.weights, self.n_clusters, self.n_init, self._rng())
        self._set_labels(labels, costs, ensemble.membership)

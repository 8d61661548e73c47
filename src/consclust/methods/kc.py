"""KC: k-means on the rows of the co-association matrix."""

from dataclasses import dataclass

from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod, Cost
from consclust.numerics.clusterspace import coassociation_kmeans


@dataclass(repr=False, eq=False, kw_only=True)
class KC(ConsensusMethod):
    """K-means that takes an object's row of the co-association matrix for its features.

    The name is that of the RCE paper (IJCAI 2015), Section 5.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    n_init : int, default 20
        Draws of K random rows to start from; the papers average over single starts.

    Attributes
    ----------
    inertia_ : float
        Sum of squared distances of the chosen start, over all n objects.

    Examples
    --------
    >>> from consclust.methods import KC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> KC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "K-means that takes an object's row of the co-association matrix for its features."
    reference = "Kuncheva, Hadjitodorov, Todorova: Experimental comparison of cluster ensemble methods, FUSION 2006."
    cost = Cost(0.06, 6e-7, 1e-10, profile_matrices=6, linear=2e-5)

    n_init: int = 20

    def _doubles(self, ensemble: Ensemble) -> int:
        return 0 if ensemble.is_tall else super()._doubles(ensemble)

    def _fit(self, ensemble: Ensemble) -> None:
        labels, inertia = coassociation_kmeans(ensemble, self.n_clusters, self.n_init, self._rng())
        self._set_labels(labels, inertia, ensemble.membership)
        self.inertia_ = float(inertia[self.chosen_])

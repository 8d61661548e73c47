"""WEAC: weighted evidence accumulation clustering."""

from dataclasses import dataclass

from consclust.crowd import crowd_agreement, weighted_coassociation
from consclust.ensemble import AT_ONCE, Ensemble
from consclust.methods.base import Cost, OrderedMethod
from consclust.methods.constraints import NON_NEGATIVE
from consclust.numerics.linkage import Linkage


@dataclass(repr=False, eq=False, kw_only=True)
class WEAC(OrderedMethod):
    r"""Agglomerative clustering of a co-association matrix in which a clustering counts by its agreement with others.

    Clustering i counts by its normalised crowd agreement,

    .. math:: I_i = \left( \frac{CAI_i}{\max_j CAI_j} \right)^\beta, \quad
        CAI_i = \frac{1}{m - 1} \sum_{j \ne i} NMI(i, j), \qquad (1)

    and two objects are as similar as the clusterings that join them count:

    .. math:: S_{pq} = \frac{\sum_j I_j [c_j(p) = c_j(q)]}{\sum_j I_j}. \qquad (2)

    Linkage of 1 - S, cut into exactly K clusters.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    beta : float >= 0, default 2.0
        How much the agreement counts; 0: every clustering counts the same, and S is the co-association matrix.
    linkage : {"average", "complete", "single"}, default "average"
        WEAC-AL, WEAC-CL and WEAC-SL of the paper.
    object_order : {"given", "random"}, default "given"
        The order of the objects that decides between ties: as they are given, or drawn from ``random_state``.

    Attributes
    ----------
    influence_ : ndarray, shape (m,)
        I, the weight of each base clustering.

    Notes
    -----
    NMI is the mutual information divided by the larger entropy, as in the authors' program. S has far more distinct
    values than the co-association matrix, so that average linkage rarely ties. Complete linkage does: many pairs share
    no cluster, and all groups that contain one are at distance 1.

    The tree is that of the objects, built over the profiles in O(n'^2) time and memory; in O(n^2) where missing labels
    make two objects with one profile less similar than others. With missing labels NMI is over the objects that both
    clusterings contain, and both sums of S are over the clusterings that contain p and q.

    Examples
    --------
    >>> from consclust.methods import WEAC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> weac = WEAC(n_clusters=2).fit(labels)
    >>> weac.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> weac.influence_.round(2)
    array([1.  , 0.36, 0.46])
    """

    summary = "Agglomerative clustering of a co-association matrix weighted by the agreement of the clusterings."
    reference = (
        "Huang, Lai, Wang: Combining multiple clusterings via crowd agreement estimation and multi-granularity link "
        "analysis, Neurocomputing 170, 2015."
    )
    cost = Cost(0.02, 2e-7, 0, profile_matrices=3)
    constraints = {"beta": NON_NEGATIVE}

    beta: float = 2.0
    linkage: Linkage = "average"

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return also those of the indicator matrices, or of the overlaps of some base clusters with all."""
        n_clusters = int(ensemble.n_clusters.sum())
        rows = max(ensemble.n_profiles, min(n_clusters, AT_ONCE // n_clusters))
        return super()._doubles(ensemble) + 2 * rows * n_clusters

    def _fit(self, ensemble: Ensemble) -> None:
        self.influence_ = crowd_agreement(ensemble, self.beta)
        similarity = weighted_coassociation(ensemble, self.influence_)
        order = None if self.object_order == "given" else self._draw_order(ensemble.n_objects)
        self._set_profile_linkage_labels(similarity, self.n_clusters, self.linkage, order)

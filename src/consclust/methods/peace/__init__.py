"""PEACE: probabilistic evidence accumulation."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from consclust.ensemble import Ensemble, FloatArray
from consclust.methods.base import ConsensusMethod, Cost, Run, note_constant
from consclust.methods.constraints import POSITIVE
from consclust.methods.peace.blockascent import block_ascent
from consclust.methods.peace.pairmodel import PairModel, pairwise_ascent

ROUNDS = 200  # Default of ``max_iter``, "newton"
HESSIANS = 5  # Of (K, K) for each profile, held at once
STEPS = 200  # Default of ``max_iter``, "pairwise", for each membership


@dataclass(repr=False, eq=False, kw_only=True)
class PEACE(ConsensusMethod):
    r"""Probabilistic consensus clustering using evidence accumulation (Lourenço et al.: ML 2015).

    Object i belongs to cluster k with probability :math:`y_{ik}`. The number of clusterings that put i and j into one
    cluster, :math:`c_{ij}` of the :math:`N_{ij}` that contain both, is binomial with probability :math:`y_i^\top y_j`.
    PEACE maximises the log-likelihood

    .. math:: f(Y) = \sum_{i \ne j} c_{ij} \log y_i^\top y_j + (N_{ij} - c_{ij}) \log(1 - y_i^\top y_j)

    over rows in the simplex; both orders of a pair count. An object goes to its most probable cluster.

    Parameters
    ----------
    n_clusters, n_init, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    tol : float > 0, default 1e-4
        Stop when no object has a gap above ``tol`` times the mean of N: the difference between the largest g of the
        object and the smallest among its positive memberships, 0 at KKT points.
    max_iter : int, optional
        Most iterations of a start. Default: 200 rounds, or 200 n K steps of the published ascent.
    algorithm : {"newton", "pairwise"}, default "newton"
        "pairwise": as published, each step moves mass between two clusters of the one object with the largest gap.
        "newton": rounds of Newton steps for each object in turn, later for each profile in turn and for all jointly.
        Both stop at the same points and never let f fall; from one start they may climb to different ones, as f has
        several maxima.

    Attributes
    ----------
    memberships_ : ndarray of float, shape (n, K)
        Y of the chosen start; those that left the support are exactly 0.
    likelihood_ : float
        f of the chosen start; -inf if K = 1 and the clusterings disagree.
    likelihood_path_ : ndarray, shape (iterations,)
        f after each iteration of the chosen start.

    Notes
    -----
    With :math:`\omega_{ij} = c_{ij} / y_i^\top y_j - (N_{ij} - c_{ij}) / (1 - y_i^\top y_j)`, and :math:`g_i = \sum_{j
    \ne i} \omega_{ij} y_j`, the gradient is 2g. Three slips of the paper are corrected: the part with N - c is
    subtracted in the directional derivative and in Eq. (9), where the paper has a plus (with it the updated g is not
    the gradient); the multiplier in Eq. (3) goes with a vector of K ones, not n; the expansion in Proposition 2 lacks a
    factor epsilon.

    A base clustering of one cluster joins every pair, which may merge clusters; ``note_`` says so.

    The memberships of a start are those of objects. At every maximum objects with one profile have equal memberships,
    and their mean never gives a lower f. After its first rounds "newton" therefore takes the mean of each profile, and
    goes on with the profiles; "pairwise" stays with the objects.

    Examples
    --------
    >>> from consclust.methods import PEACE
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> PEACE(n_clusters=2, random_state=0).fit(labels).memberships_[:, 0].round(2)
    array([1.  , 0.73, 0.67, 0.  , 0.  , 0.21])
    """

    summary = "Probabilistic consensus clustering using evidence accumulation (Lourenço et al.: ML 2015)."
    reference = (
        "Lourenço, Rota Bulò, Rebagliati, Fred, Figueiredo, Pelillo: Probabilistic consensus clustering "
        "using evidence accumulation. Machine Learning 98, 2015."
    )
    cost = Cost(1.0, 8e-6, 0, matrices=1, profile_matrices=6)
    constraints = {"tol": POSITIVE}
    paths = {"likelihood_path_": 1}

    n_init: int = 10
    tol: float = 1e-4
    max_iter: int | None = None
    algorithm: Literal["newton", "pairwise"] = "newton"

    def _fit(self, ensemble: Ensemble) -> None:
        n, k = ensemble.n_objects, self.n_clusters
        model, rng = PairModel(ensemble), self._rng()
        runs = [self.ascend(model, random_start(n, k, rng)) for _ in range(self.n_init)]
        self.memberships_, objective, path, _ = self._set_runs(runs, np.arange(n))
        self.likelihood_, self.likelihood_path_ = -objective, np.array(path)
        self.note_ = note_constant(ensemble, self.n_clusters)

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return the doubles of a fit: its matrices, and the indicator and the Hessians of the profiles."""
        each = int(ensemble.n_clusters.sum()) + HESSIANS * self.n_clusters**2
        return super()._doubles(ensemble) + each * ensemble.n_profiles

    def ascend(self, model: PairModel, start: FloatArray) -> Run:
        """Run the algorithm from one start, memberships of shape (n, K)."""
        tau = self.tol * model.mean_observed
        if self.algorithm == "newton":
            return block_ascent(model, start, tau, self.max_iter or ROUNDS)
        return pairwise_ascent(model, start, tau, self.max_iter or STEPS * start.size)


def random_start(n_objects: int, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Draw rows uniform on the simplex, shape (n, K); exactly 1 for one cluster, where f is -inf or 0."""
    y = rng.dirichlet(np.ones(n_clusters), n_objects)
    total: FloatArray = y.sum(axis=1, keepdims=True)
    return y / total

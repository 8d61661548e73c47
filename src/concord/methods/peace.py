"""PEACE: probabilistic evidence accumulation."""

from typing import Literal

import numpy as np

from concord.ensemble import Ensemble, FloatArray
from concord.methods.base import ConsensusMethod, is_integer, is_number
from concord.methods.blockascent import block_ascent
from concord.methods.pairmodel import PairModel, Run, pairwise_ascent

ROUNDS = 200
"""Default of ``max_iter``, "newton"."""

STEPS = 200
"""Default of ``max_iter``, "pairwise", for each membership."""


class PEACE(ConsensusMethod):
    r"""Probabilistic consensus clustering using evidence accumulation (Lourenco et al.: ML 2015).

    Object i belongs to cluster k with probability :math:`y_{ik}`. The number of clusterings that put i and j
    into one cluster, :math:`c_{ij}` of the :math:`N_{ij}` that contain both, is binomial with probability
    :math:`y_i^\top y_j`. PEACE maximises the log-likelihood

    .. math:: f(Y) = \sum_{i \ne j} c_{ij} \log y_i^\top y_j + (N_{ij} - c_{ij}) \log(1 - y_i^\top y_j)

    over rows in the simplex; both orders of a pair count. An object goes to its most probable cluster.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    n_init : int, default 10
        Random starts, rows uniform on the simplex; ``labels_`` is the one with the largest likelihood (the
        paper's "selected"), ``restart_labels_`` has all.
    tol : float > 0, default 1e-4
        Stop when no object has a gap above ``tol`` times the mean of N: the gap is the difference
        between the largest g of the object and the smallest among its positive memberships, 0 at KKT points.
    max_iter : int, optional
        Most iterations of a start. Default: 200 rounds, or 200 n K steps of the printed ascent.
    algorithm : {"newton", "pairwise"}, default "newton"
        "pairwise": as printed, each step moves mass between two clusters of the one object with the largest
        gap, found by a Newton line search inside a bracket. "newton": rounds of Newton steps for each
        object in turn, later for all jointly too. Both stop at the same points and never let f fall; from
        one start they may climb to different ones, as f has several maxima.
    random_state : int, Generator or None
        Seed of the starts.

    Attributes
    ----------
    memberships_ : ndarray of float, shape (n, K)
        Y of the chosen start; memberships that left the support are exactly 0.
    likelihood_ : float
        f of the chosen start; -inf if K = 1 and the clusterings disagree.
    likelihood_path_ : ndarray, shape (n_iter_,)
        f after each iteration of the chosen start.
    converged_ : bool
        Whether all starts met ``tol``.

    Notes
    -----
    With :math:`\omega_{ij} = c_{ij} / y_i^\top y_j - (N_{ij} - c_{ij}) / (1 - y_i^\top y_j)`, and
    :math:`g_i = \sum_{j \ne i} \omega_{ij} y_j`, the gradient is 2g. Corrected here are three slips of the
    print: the part with N - c is subtracted in the directional derivative and in Eq. (9), where the paper
    has a plus (with it the updated g is not the gradient); the multiplier in Eq. (3) goes with a vector of K
    ones, not n; the expansion in Proposition 2 lacks a factor epsilon.

    Missing labels need nothing special: N differs from pair to pair.

    Works on the objects. Moving two objects with one profile to their mean never lowers f, and raises it if
    they differ: at every maximum objects with one profile have equal memberships. That does not hold on the
    way there, and the sums over profiles would lose the concavity that both algorithms live on.

    Memory: 10 matrices of doubles of shape (n, n).

    References
    ----------
    Lourenco, Rota Bulo, Rebagliati, Fred, Figueiredo, Pelillo: Probabilistic consensus clustering using
    evidence accumulation. Machine Learning 98, 2015.
    """

    memberships_: FloatArray
    likelihood_: float
    likelihood_path_: FloatArray

    def __init__(
        self,
        n_clusters: int,
        *,
        n_init: int = 10,
        tol: float = 1e-4,
        max_iter: int | None = None,
        algorithm: Literal["newton", "pairwise"] = "newton",
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.algorithm = algorithm
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require("n_init", is_integer(self.n_init, 1), "an integer >= 1")
        self._require("tol", is_number(self.tol, 0, strict=True), "a number > 0")
        limited = self.max_iter is None or is_integer(self.max_iter, 1)
        self._require("max_iter", limited, "an integer >= 1 or None")
        self._require_choice("algorithm", "newton", "pairwise")

    def _fit(self, ensemble: Ensemble) -> None:
        n, k = ensemble.n_objects, self.n_clusters
        rng = np.random.default_rng(self.random_state)
        model = PairModel.of(ensemble)
        runs = [self.ascend(model, random_start(n, k, rng)) for _ in range(self.n_init)]
        likelihoods = np.array([model.likelihood(run.memberships) for run in runs])
        labels = np.stack([run.memberships.argmax(axis=1) for run in runs])
        self._set_labels(labels, -likelihoods, np.arange(n))
        chosen = runs[self.chosen_]
        self.memberships_ = chosen.memberships
        self.likelihood_ = float(likelihoods[self.chosen_])
        self.likelihood_path_ = np.array(chosen.path)
        self.n_iter_ = len(chosen.path)
        self.converged_ = all(run.converged for run in runs)

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

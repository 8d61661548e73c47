"""RCE: a robust consensus matrix by Kullback-Leibler divergence minimization."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from concord.ensemble import Ensemble, FloatArray, IntArray
from concord.errors import ConsensusFailure
from concord.methods.base import Cost, MatrixMethod
from concord.methods.constraints import NON_NEGATIVE, POSITIVE, Interval
from concord.numerics.spectral import Assignment

BOX = 1e-6  # Distance from 0 and 1 that the "box" keeps
# A run of fixed length is called converged if its last round changed the objective by less, relatively.
CONVERGED = 1e-6


@dataclass(repr=False, eq=False)
class RCE(MatrixMethod):
    r"""Robust clustering ensemble (Zhou, Du, Wang, Shi, Shen: IJCAI 2015).

    Minimises over the consensus matrix A and the errors E(i) of the connective matrices A(i)

    .. math:: J_4 = \sum_i KL(A \| A^{(i)} - E^{(i)}) + \lambda_1 \sum_i \|E^{(i)}\|_1
              + 2 \lambda_2 \sum_k \sqrt{\sigma_k(A)^2 + \mu}

    by Algorithm 1 of the paper, then clusters A spectrally.

    Parameters
    ----------
    n_clusters, assign_labels, n_init, random_state : see :class:`~concord.methods.base.ConsensusMethod`
    lambda1 : float >= 0, default 1.0. Weight of the errors' 1-norm; the paper's grid is 1e-4, 1e-3, ..., 1e4.
    lambda2 : float >= 0, default 1.0. Weight of the (smoothed) nuclear norm of A, Eq. (4); same grid.
    mu : float > 0, default 1e-3. Smoothing of the nuclear norm, Section 3.
    order : {"authors", "paper"}, default "authors"
        "authors": rounds of E-step, ``max_inner`` A-steps, S-step, starting without S, as in the authors' program.
        "paper": rounds of E-step, S-step and one A-step (Algorithm 1).
    max_outer, max_inner : int, default 20. Rounds, and A-steps in a round of the authors' order.
    tol : float or None, default None
        Stop when a round lowers the objective by less than ``tol`` times its value; None: fixed rounds.
    inner_tol : float >= 1e-5 or None, default None
        End the A-steps of a round when one moves no entry by more, and leave the nuclear norm out where it cannot
        either, lambda2 < 2 m inner_tol (see Notes). None: fixed steps.
    boundary : {"pin", "box"}, default "pin"
        "pin": entries that are exactly 0 or 1 stay, as in the authors' program. "box": every entry is kept in [1e-6, 1
        - 1e-6]; a different problem where lambda2 is large.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        Consensus matrix over the distinct label profiles; slightly asymmetric, as in the authors' program.
    objective_ : float. J4 after the last round.
    objective_path_ : ndarray, shape (n_iter_,)
        J4 after every round. Never rises in the paper's order; in the authors' order it may in the first round.
    converged_ : bool. Whether the last round lowered the objective by less than ``tol`` (1e-6 if None), relatively.

    Notes
    -----
    The nuclear norm enters an A-step through 2 D A = 2 lambda2 S^-1 A, whose entries are at most 2 lambda2, against a
    curvature of at least 4 m: it moves the step's target by at most lambda2 / (2 m). With ``inner_tol``, a round in
    which that is less works without it, and the others take their two products in single precision and S^-1 from the
    eigenvectors of A A': relative errors of 1e-7, far below the tolerance.
    """

    summary = "Robust clustering ensemble (Zhou, Du, Wang, Shi, Shen: IJCAI 2015)."
    reference = (
        "Peng Zhou, Liang Du, Hanmo Wang, Lei Shi, Yi-Dong Shen: Learning a Robust Consensus Matrix for "
        "Clustering Ensemble via Kullback-Leibler Divergence Minimization. IJCAI 2015."
    )
    cost = Cost(0.02, 2e-5, 4e-8)
    constraints = {"lambda1": NON_NEGATIVE, "lambda2": NON_NEGATIVE, "mu": POSITIVE, "inner_tol": Interval(float, 1e-5)}
    paths = {"objective_path_": 1}

    lambda1: float = 1.0
    lambda2: float = 1.0
    mu: float = 1e-3
    order: Literal["authors", "paper"] = "authors"
    max_outer: int = 20
    max_inner: int = 20
    tol: float | None = None
    inner_tol: float | None = None
    boundary: Literal["pin", "box"] = "pin"
    assign_labels: Assignment = "discretize"
    n_init: int = 10

    def _fit(self, ensemble: Ensemble) -> None:
        e_step = partial(hard_errors, ensemble.counts, ensemble.observed, self.lambda1)
        self._solve_and_cluster(ensemble.coassociation, e_step, float(ensemble.observed.min()), ensemble.weights)

    def fit_connective(self, matrices: Sequence[npt.ArrayLike]) -> Self:
        """Find the consensus of m soft connective matrices, (n, n), symmetric with entries in [0, 1].

        Takes O(n^2 m) memory and O(n^3) time a step. Raises ValueError for other matrices, ConsensusFailure for more
        clusters than objects.
        """
        self.check_parameters()
        connective = _connective(matrices)
        n = connective.shape[1]
        if self.n_clusters > n:
            raise ConsensusFailure(f"RCE: n_clusters = {self.n_clusters} but there are only {n} objects")
        self._membership = np.arange(n)
        e_step = partial(soft_errors, connective, self.lambda1)
        self._solve_and_cluster(connective.mean(axis=0), e_step, len(connective), np.ones(n, dtype=np.int64))
        return self

    def _solve_and_cluster(
        self, start: FloatArray, e_step: Callable[[FloatArray], "Errors"], fewest: float, weights: IntArray
    ) -> None:
        """Run Algorithm 1 on the profile matrix; ``fewest`` clusterings contain both objects of any pair."""
        matrix = np.clip(start, BOX, 1 - BOX) if self.boundary == "box" else start.copy()
        exact = self.inner_tol is None
        pulls = self.inner_tol is None or self.lambda2 >= 2 * fewest * self.inner_tol
        spectrum = Spectrum(weights.astype(float), self.mu, exact, pulls)
        tolerance = CONVERGED if self.tol is None else self.tol
        path: list[float] = []
        if self.order == "paper":
            spectrum.update(matrix)
        for _ in range(self.max_outer):
            errors = e_step((matrix + matrix.T) / 2)
            self._a_steps(matrix, errors, spectrum.pull(self.lambda2))
            spectrum.update(matrix)
            path.append(self._objective(matrix, errors, weights, spectrum.norm))
            self.converged_ = len(path) > 1 and abs(path[-2] - path[-1]) <= tolerance * abs(path[-1])
            if self.converged_ and self.tol is not None:
                break
        self.profile_matrix_, self.n_iter_ = matrix, len(path)
        self.objective_path_, self.objective_ = np.array(path), path[-1]
        self._set_spectral_labels((matrix + matrix.T) / 2, weights, self._membership, self.assign_labels, self.n_init)

    def _a_steps(self, matrix: FloatArray, errors: "Errors", pull: tuple[FloatArray, FloatArray] | None) -> None:
        """Update ``matrix`` in place by Eq. (10)-(11), multiplied by A (1 - A), which avoids large quotients."""
        flat = matrix.reshape(-1)
        free = np.flatnonzero((flat > 0) & (flat < 1))
        cost = errors.log_off.take(free) - errors.log_on.take(free)
        m = errors.observed.take(free)
        for _ in range(1 if self.order == "paper" else self.max_inner):
            a = flat[free]
            up, down = np.maximum(-cost, 0), np.maximum(cost, 0)
            if pull is not None:
                positive, negative = pull
                factor = matrix.astype(positive.dtype, copy=False)
                up += 2 * (negative @ factor).take(free)
                down += 2 * (positive @ factor).take(free)
            rest = 1 - a
            g = 2 * m + rest * down
            b = m * (rest * np.log(a / rest) - 2)
            new = a * (np.sqrt(b * b + 4 * g * rest * up) - b) / (2 * g)
            new = np.clip(new, BOX, 1 - BOX) if self.boundary == "box" else np.minimum(new, 1)
            flat[free] = new
            if self.inner_tol is not None and np.abs(new - a).max(initial=0) <= self.inner_tol:
                return
            inside = (new > 0) & (new < 1)
            if not inside.all():
                free, cost, m = free[inside], cost[inside], m[inside]

    def _objective(self, a: FloatArray, errors: "Errors", weights: IntArray, norm: float) -> float:
        """J4 over the objects; a pair of profiles stands for w_a w_b pairs of objects."""
        rest = 1 - a
        divergence = errors.observed * (weighted_log(a, a) + weighted_log(rest, rest))
        with np.errstate(invalid="ignore"):
            divergence -= np.where(a > 0, a * errors.log_on, 0.0) + np.where(rest > 0, rest * errors.log_off, 0.0)
        pairwise = weights @ (divergence + self.lambda1 * errors.norm) @ weights
        return float(pairwise) + 2 * self.lambda2 * norm


class Errors(NamedTuple):
    """What an E-step leaves for the A-step and the objective; sums over the clusterings, shape (n', n')."""

    log_on: FloatArray  # log Y
    log_off: FloatArray  # log(1 - Y)
    norm: FloatArray  # |E|
    observed: FloatArray  # 1 for each clustering that contains both objects


def hard_errors(joined: FloatArray, observed: FloatArray, lambda1: float, s: FloatArray) -> Errors:
    """E-step for 0/1 matrices and symmetric A: Y = 1 - h(1 - s) where a clustering joins the pair, else h(s)."""
    apart, joined_error, apart_error = observed - joined, shrunk(1 - s, lambda1), shrunk(s, lambda1)
    return Errors(
        weighted_log(joined, unshrunk(s, lambda1)) + weighted_log(apart, apart_error),
        weighted_log(joined, joined_error) + weighted_log(apart, unshrunk(1 - s, lambda1)),
        joined * joined_error + apart * apart_error,
        observed,
    )


def soft_errors(connective: FloatArray, lambda1: float, s: FloatArray) -> Errors:
    """E-step for entries in [0, 1], (m, n, n): Y is A(i), moved no further than between h(s) and 1 - h(1 - s)."""
    least, most = shrunk(s, lambda1), unshrunk(s, lambda1)
    least_off, most_off = shrunk(1 - s, lambda1), unshrunk(1 - s, lambda1)
    log_on, log_off, norm, once = np.zeros_like(s), np.zeros_like(s), np.zeros_like(s), np.ones_like(s)
    for given in connective:
        cleaned = np.clip(given, least, most)
        log_on += weighted_log(once, cleaned)
        log_off += weighted_log(once, np.clip(1 - given, least_off, most_off))
        norm += np.abs(given - cleaned)
    return Errors(log_on, log_off, norm, np.full_like(s, len(connective)))


def shrunk(s: FloatArray, lambda1: float) -> FloatArray:
    """h(s) of Theorem 3, all digits kept: h(0) = 0, h(1) = min(1, 1 / lambda1)."""
    return np.minimum(2 * s / (1 + lambda1 + np.sqrt((1 - lambda1) ** 2 + 4 * lambda1 * (1 - s))), s)


def unshrunk(s: FloatArray, lambda1: float) -> FloatArray:
    """1 - h(1 - s), all digits kept: the root in [0, 1] of lambda1 y^2 + (1 - lambda1) y = s."""
    root = np.sqrt((1 - lambda1) ** 2 + 4 * lambda1 * s)
    if lambda1 > 1:
        return np.clip((lambda1 - 1 + root) / (2 * lambda1), s, 1)
    with np.errstate(invalid="ignore"):  # 0 / 0 at s = 0, lambda1 = 1
        return np.clip(np.where(s > 0, 2 * s / (1 - lambda1 + root), 0.0), s, 1)


def weighted_log(weight: FloatArray, x: FloatArray) -> FloatArray:
    """``weight * log(x)`` with 0 log 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(weight > 0, weight * np.log(x), 0.0)


@dataclass
class Spectrum:
    """The S-step, on profiles: S^-1 = mu^-1/2 I - Z R Z'."""

    weights: FloatArray
    mu: float
    exact: bool
    pulls: bool
    left: FloatArray | None = None  # Left singular vectors of the consensus matrix
    sigma: FloatArray = field(init=False)  # Its singular values, squared

    def update(self, matrix: FloatArray) -> None:
        """Take the singular values and left singular vectors of the consensus matrix."""
        root = np.sqrt(self.weights)
        weighted = matrix * np.outer(root, root)
        if self.exact:
            self.left, singular, _ = np.linalg.svd(weighted)
            self.sigma = singular**2
        else:  # half the time, and half the digits of the small singular values
            gram = weighted @ weighted.T
            if self.pulls:
                sigma, self.left = np.linalg.eigh(gram)
            else:
                sigma = np.linalg.eigvalsh(gram)
            self.sigma = np.maximum(sigma, 0)

    @property
    def norm(self) -> float:
        """Sum of sqrt(sigma_k^2 + mu) over all n singular values of the objects' matrix."""
        absent = float((self.weights - 1).sum()) * np.sqrt(self.mu)
        return float(np.sqrt(self.sigma + self.mu).sum() + absent)

    def pull(self, lambda2: float) -> tuple[FloatArray, FloatArray] | None:
        """Return D = lambda2 S^-1, times the weights, as positive and negative part; None before the first update."""
        if self.left is None or lambda2 == 0:
            return None
        free = self.mu**-0.5
        vectors = self.left / np.sqrt(self.weights)[:, None]
        r = (vectors * (free - (self.sigma + self.mu) ** -0.5)) @ vectors.T
        diagonal = r.diagonal().copy()
        positive = lambda2 * np.maximum(-r, 0) * self.weights
        negative = lambda2 * np.maximum(r, 0) * self.weights
        np.fill_diagonal(positive, lambda2 * (free - diagonal))
        np.fill_diagonal(negative, lambda2 * diagonal * (self.weights - 1))
        dtype = np.float64 if self.exact else np.float32
        return positive.astype(dtype, copy=False), negative.astype(dtype, copy=False)


def _connective(matrices: Sequence[npt.ArrayLike]) -> FloatArray:
    stack = [np.asarray(matrix, dtype=float) for matrix in matrices]
    if not stack:
        raise ValueError("fit_connective needs at least one connective matrix")
    for i, matrix in enumerate(stack):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape != stack[0].shape:
            raise ValueError(f"connective matrix {i} has shape {matrix.shape}; all must be n x n, one n")
        if not np.isfinite(matrix).all() or matrix.min(initial=0) < 0 or matrix.max(initial=0) > 1:
            raise ValueError(f"connective matrix {i} has entries outside [0, 1]")
        if not np.array_equal(matrix, matrix.T):
            raise ValueError(f"connective matrix {i} is not symmetric")
    return np.stack(stack)

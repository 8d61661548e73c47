"""RCE's objective minimised by splitting it in two: its pairs, and the nuclear norm (ADMM).

Boyd, Parikh, Chu, Peleato, Eckstein: Distributed Optimization and Statistical Learning via the Alternating Direction
Method of Multipliers (2011), Sections 3.1 (iteration), 3.4.1 (penalty by the residuals) and 3.4.3 (over-relaxation).
"""

from dataclasses import dataclass, field

import numpy as np

from consclust.ensemble import FloatArray
from consclust.numerics.rceproblem import RCEProblem, relative_gap

RELAXATION = 1.7  # Over-relaxation; 1.5 to 1.8 are usual
CHECK = 5  # Iterations from one check of the gap to the next
MOST_FACTOR = 5.0  # By which a check changes the penalty at most
BALANCED = 2.0  # Quotient of the residuals' square roots that changes nothing
LAST_BALANCE = 300  # Iteration after which the penalty stays: convergence is proved for a constant one
SHRINK_STEPS = 60  # Most Newton steps for the eigenvalues; some five are usual
# Residual of the dual variable over that of A = B. On Coil20 1 and 4 took about equally long, each less at some points.
TARGET = 2.0
TINY = 1e-300  # Stands for a norm of 0
ROUNDING = 1e-15  # Relative change of an eigenvalue that ends its search


@dataclass
class SplittingPoint:
    """Where an iteration is, and where another one may begin.

    Parameters
    ----------
    entries : shape (f,). Free entries of the matrix A of the pairs.
    twin : shape (n', n'). Matrix B of the nuclear norm, scaled as in :meth:`RCEProblem.scale`. A = B in the end.
    direction : shape (n', n'). Gradient of the nuclear norm at B, without its factor 2 lambda2.
    penalty : weight of |A - B|^2 / 2, over that of :func:`first_penalty`.
    """

    entries: FloatArray
    twin: FloatArray
    direction: FloatArray
    penalty: float


@dataclass
class Splitting:
    """ADMM for one problem, with the best matrix and the best bound that it has found.

    Attributes
    ----------
    best_entries : shape (f,). Free entries of the matrix of the least J.
    objective, bound : least J, and greatest lower bound.
    objectives, gaps : the least J, and the relative gap, after each check.
    n_iter : iterations.
    """

    problem: RCEProblem
    point: SplittingPoint
    objective: float = np.inf
    objectives: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    n_iter: int = 0

    def __post_init__(self) -> None:
        self.bound = self.problem.compute_least_norm()
        self.best_entries = self.point.entries.copy()
        self._minimisers = self.point.entries.copy()
        self._eigenvalues = np.zeros(len(self.problem.root))
        self._penalty = self.point.penalty * first_penalty(self.problem)
        self._dual = self.point.direction * (2 * self.problem.lambda2 / self._penalty)
        self._pairs = self._minimise_over_pairs()
        self._residuals = 0.0, 0.0

    def run(self, tol: float, most: int) -> None:
        """Iterate until the gap is at most ``tol``, at most ``most`` times."""
        for iteration in range(1, most + 1):
            self.n_iter = iteration
            self._step()
            if iteration % CHECK and iteration not in (1, most):
                continue
            self._check()
            if self.gaps[-1] <= tol:
                break
            if iteration <= LAST_BALANCE:
                self._balance()

    def _step(self) -> None:
        """Minimise over B, add what is left of A - B to the scaled dual variable, and minimise over A."""
        problem = self.problem
        twin = self.point.twin
        target = RELAXATION * self._pairs + (1 - RELAXATION) * twin + self._dual
        values, vectors = np.linalg.eigh(target)
        self._eigenvalues = shrink(values, 2 * problem.lambda2 / self._penalty, problem.mu)
        lengths = np.sqrt(self._eigenvalues**2 + problem.mu)
        self.point.direction = (vectors * (self._eigenvalues / lengths)) @ vectors.T
        # the gradient of the nuclear norm at B is the penalty times the dual variable
        self._dual = self.point.direction * (2 * problem.lambda2 / self._penalty)
        self.point.twin = target - self._dual
        self._pairs = self._minimise_over_pairs()
        self._residuals = (
            float(np.linalg.norm(self._pairs - self.point.twin)) / max(float(np.linalg.norm(self._pairs)), TINY),
            float(np.linalg.norm(twin - self.point.twin)) / max(float(np.linalg.norm(self._dual)), TINY),
        )

    def _minimise_over_pairs(self) -> FloatArray:
        """Return the scaled matrix A, (n', n'), and keep its entries."""
        point = self.point
        self.problem.minimise_near(point.twin - self._dual, self._penalty, point.entries)
        return self.problem.scale(self.problem.fill_matrix(point.entries))

    def _check(self) -> None:
        """Compute J of A and the bound of B."""
        problem = self.problem
        entries = self.point.entries
        eigenvalues = np.linalg.eigvalsh(self._pairs).astype(float, copy=False)
        objective = problem.compute_objective(entries, eigenvalues)
        if objective < self.objective:
            self.objective = objective
            self.best_entries[:] = entries
        pull = 2 * problem.lambda2 * self.point.direction
        self.bound = max(self.bound, problem.compute_bound(pull, self._eigenvalues, self._minimisers))
        self.objectives.append(self.objective)
        self.gaps.append(relative_gap(self.objective, self.bound))

    def _balance(self) -> None:
        """Change the penalty where the residual of the dual variable is not about TARGET times that of A = B."""
        primal, dual = self._residuals
        factor = np.sqrt(TARGET * max(primal, TINY) / max(dual, TINY))
        if 1 / BALANCED < factor < BALANCED:
            return
        factor = float(np.clip(factor, 1 / MOST_FACTOR, MOST_FACTOR))
        self._penalty *= factor
        self._dual /= factor
        self.point.penalty *= factor


def first_point(problem: RCEProblem, matrix: FloatArray) -> SplittingPoint:
    """Return where to begin at a matrix, (n', n')."""
    entries = problem.take_entries(matrix)
    matrix = problem.fill_matrix(entries)
    values, vectors = problem.decompose(matrix)
    direction = (vectors * (values / np.sqrt(values**2 + problem.mu))) @ vectors.T
    return SplittingPoint(entries, problem.scale(matrix), direction, 1.0)


def first_penalty(problem: RCEProblem) -> float:
    """Return a penalty of the size of lambda2, or, if lambda2 is small, of the size of phi's curvature.

    The latter is about m min(lambda1^2, 1). The numbers were good for Coil20.
    """
    of_pairs = problem.typical_count * min(problem.lambda1, 1.0) ** 2
    return max(problem.lambda2 / 2, of_pairs / 40, 1e-12)


def shrink(values: FloatArray, weight: float, mu: float) -> FloatArray:
    """Return x of the least ``weight`` sqrt(x^2 + mu) + (x - value)^2 / 2 for each value, shape (n',).

    Newton's method for x + weight x / sqrt(x^2 + mu) = |value|, whose left side is concave for x >= 0: from a point
    below the root every step goes up and stays below it.
    """
    wanted = np.abs(values)
    x = np.maximum(wanted - weight, wanted / (1 + weight / np.sqrt(mu)))
    for _ in range(SHRINK_STEPS):
        length = np.sqrt(x * x + mu)
        step = (wanted - x - weight * x / length) / (1 + weight * mu / length**3)
        x += step
        if (np.abs(step) <= ROUNDING * wanted).all():
            break
    shrunk: FloatArray = np.copysign(x, values)
    return shrunk

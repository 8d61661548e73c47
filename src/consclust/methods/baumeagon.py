"""Baum-Eagon: probabilistic consensus by a growth transform, least squares."""

# SciPy is imported where needed, so that what does without it starts faster

from dataclasses import dataclass

import numpy as np

from consclust.ensemble import Ensemble, FloatArray
from consclust.methods.base import ConsensusMethod, Cost, Run, note_constant
from consclust.similarity import over_objects

LENGTHEN = 1.2  # What the constant is divided by after an update; where one raises the objective, it is doubled
LEAST = 1e-150  # Of a membership
INSIDE = 1.05  # Keeps the lengthened transform from setting a membership to 0, where it would stay


@dataclass(repr=False, eq=False, kw_only=True)
class BaumEagon(ConsensusMethod):
    r"""Consensus with probabilistic memberships (Rota Bulò, Lourenço, Fred, Pelillo: S+SSPR 2010).

    Object i belongs to cluster k with probability :math:`y_{ik}`; the products of the rows are fitted to the
    co-association matrix C,

    .. math:: \min_{Y} \|C - Y Y^\top\|_F^2, \quad y_i \text{ in the simplex},

    by the Baum-Eagon inequality for polynomials with nonnegative coefficients: with :math:`R = (C - Y Y^\top) Y`,

    .. math:: y_{ik} \leftarrow y_{ik} \frac{n + R_{ik}}{n + \sum_l y_{il} R_{il}}

    never raises the objective. An object goes to its most probable cluster.

    Parameters
    ----------
    n_clusters, n_init, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    diagonal : bool, default True
        Whether the pairs of an object with itself count, whose C is 1: they push towards crisp memberships. Without
        them n - 1 takes the place of n.
    tol : float >= 0, default 1e-6
        Stop when the update, as above, changes no membership by more.
    max_iter : int, default 20000
        Most updates of a start.
    accelerate : bool, default True
        Put a smaller number in place of n, by a sixth smaller at each update that does not raise the objective; if one
        would, it is taken back and done with twice the number, at last with n. Monotone too, about ten times fewer
        updates; it may go to another minimum.

    Attributes
    ----------
    memberships_ : ndarray of float, shape (n, K)
        Y of the chosen start.
    objective_ : float
        Squared Frobenius norm of C - YY', of the chosen start; without the diagonal if so chosen.
    objective_path_ : ndarray, shape (iterations,)
        Objective after each update of the chosen start.

    Notes
    -----
    A base clustering of one cluster raises every entry of C, which may merge clusters; ``note_`` says so.

    Works on the objects: memberships of objects with one profile do not stay equal from unequal starts.

    Examples
    --------
    >>> from consclust.methods import BaumEagon
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> BaumEagon(n_clusters=2, random_state=0).fit(labels).memberships_[:, 0].round(2)
    array([1.  , 0.72, 0.78, 0.06, 0.11, 0.09])
    """

    summary = "Consensus with probabilistic memberships (Rota Bulò, Lourenço, Fred, Pelillo: S+SSPR 2010)."
    reference = (
        "Samuel Rota Bulò, André Lourenço, Ana Fred, Marcello Pelillo: Pairwise Probabilistic Clustering "
        "Using Evidence Accumulation. S+SSPR 2010."
    )
    cost = Cost(0.5, 1e-5, 0, profile_matrices=0, over_objects=True)
    paths = {"objective_path_": 1}

    n_init: int = 10
    diagonal: bool = True
    tol: float = 1e-6
    max_iter: int = 20_000
    accelerate: bool = True

    def _fit(self, ensemble: Ensemble) -> None:
        n, k = ensemble.n_objects, self.n_clusters
        rng = self._rng()
        fit = LeastSquares(ensemble, self.diagonal)
        runs = [self.descend(fit, rng.dirichlet(np.ones(k), n)) for _ in range(self.n_init)]
        self.memberships_, self.objective_, path, _ = self._set_runs(runs, np.arange(n))
        self.objective_path_ = np.array(path)
        self.note_ = note_constant(ensemble, self.n_clusters)

    def descend(self, fit: "LeastSquares", start: FloatArray) -> Run:
        """Update from one start, memberships of shape (n, K)."""
        constant, path = fit.constant, list[float]()
        y, (objective, pull) = start, fit.at(start)
        while True:
            converged = bool(np.abs(grown(y, pull, fit.constant) - y).max() <= self.tol)
            if converged or len(path) == self.max_iter:
                return Run(y, objective, path, converged)
            while True:
                constant = min(max(constant, -INSIDE * pull.min()), fit.constant)
                new = grown(y, pull, constant)
                reached = fit.at(new)
                if reached[0] <= objective or constant == fit.constant:
                    break
                constant *= 2
            y, (objective, pull) = new, reached
            path.append(objective)
            if self.accelerate:
                constant /= LENGTHEN


class LeastSquares:
    """The squares of C - YY', with or without the diagonal; ``constant``, n or n - 1, makes every update lower them.

    Where no label is missing C is ZZ' / m, of the sparse indicators Z of the profiles' clusters, and C Y takes O(n K +
    n' m K) steps; else C is dense.
    """

    def __init__(self, ensemble: Ensemble, diagonal: bool) -> None:
        n, m = ensemble.n_objects, ensemble.n_clusterings
        self._diagonal = diagonal
        self.constant = float(n if diagonal else max(n - 1, 1))
        if ensemble.has_missing:
            similarity = over_objects(ensemble, ensemble.expected_coassociation)
            self._norm, self._product = float(np.vdot(similarity, similarity)), similarity.__matmul__
        else:
            from scipy.sparse import csr_array

            z, membership = ensemble.sparse_indicator, ensemble.membership
            by_profile = csr_array((np.ones(n), membership, np.arange(n + 1)), shape=(n, len(ensemble.profiles))).T
            self._norm = float((ensemble.overlaps() ** 2).sum()) / m**2
            self._product = lambda y: (z @ (z.T @ (by_profile @ y)) / m)[membership]

    def at(self, y: FloatArray) -> tuple[float, FloatArray]:
        """Return the objective and R = (C - YY') Y, minus a quarter of its gradient, shape (n, K)."""
        drawn = self._product(y)
        gram = y.T @ y
        pull = drawn - y @ gram
        objective = self._norm - 2 * float(np.vdot(y, drawn)) + float(np.vdot(gram, gram))
        if not self._diagonal:
            missed = 1 - np.einsum("nk,nk->n", y, y)
            pull -= missed[:, None] * y
            objective -= float(missed @ missed)
        return max(objective, 0.0), pull


def grown(y: FloatArray, pull: FloatArray, constant: float) -> FloatArray:
    """Return the memberships after the growth transform; a row without any growth stays as it is.

    A positive membership is at least :data:`LEAST`, whose square is a normal number: products with subnormal ones take
    fifty times as long on some processors. A membership of 0 stays 0.
    """
    new = y * (constant + pull)
    total: FloatArray = new.sum(axis=1, keepdims=True)
    np.divide(new, total, out=new, where=total > 0)
    np.maximum(new, LEAST, out=new, where=y > 0)
    return np.where(total > 0, new, y) if (total <= 0).any() else new

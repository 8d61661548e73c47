"""NMFC: consensus by a symmetric orthogonal factorization of the co-association matrix."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import ConsensusMethod, Cost, Run
from consclust.numerics.clusterspace import coassociation_kmeans

LIFT = 0.2  # Added to the indicator matrix of the k-means start: a zero would stay zero
TINY = 1e-12  # Added to the denominators of the updates


@dataclass(repr=False, eq=False, kw_only=True)
class NMFC(ConsensusMethod):
    r"""Consensus clustering by nonnegative matrix factorization (Li, Ding, Jordan: ICDM 2007).

    Seeks the clustering whose connective matrix is closest to the co-association matrix M,

    .. math:: \min_{Q \ge 0, S \ge 0} \|M - Q S Q^T\|_F^2 \quad \text{subject to } Q^T Q = I,

    by multiplicative updates; object p goes to the cluster j with the largest Q_pj sqrt(S_jj).

    Parameters
    ----------
    n_clusters, n_init, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    init : {"kmeans", "random"}, default "kmeans"
        "kmeans": Q is 0.2 + the indicator matrix of a k-means clustering of the rows of M, columns scaled to length 1,
        and S = Q'MQ (the convention of the authors' other papers; the paper names none). "random": entries of Q and of
        the diagonal of S uniform in (0, 1); S then stays diagonal.
    max_iter : int, default 500
        Most updates of a start.
    tol : float >= 0, default 1e-6
        Stop when an update changes the objective by less than ``tol`` times its value.

    Attributes
    ----------
    objective_ : float
        Squared Frobenius norm of M - QSQ', over all pairs of objects, of the chosen start.

    Notes
    -----
    Objects with equal profiles have equal rows of M; if their rows of Q start equal, they stay equal. With
    multiplicities w, the updates of the profiles' sqrt(w) Q from sqrt(w_a w_b) M_ab are the objects' updates, exactly.
    The random start draws one row for each profile. The objective may rise on the way (the Lagrangian of the
    constrained problem does not).

    Examples
    --------
    >>> from consclust.methods import NMFC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> NMFC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Consensus clustering by nonnegative matrix factorization (Li, Ding, Jordan: ICDM 2007)."
    reference = (
        "Tao Li, Chris Ding, Michael I. Jordan: Solving Consensus and Semi-supervised Clustering Problems "
        "Using Nonnegative Matrix Factorization. ICDM 2007. Updates as in Ding, Li, Peng, Park: KDD 2006."
    )
    cost = Cost(0.5, 7e-6, 0, profile_matrices=7, linear=1.2e-4)

    init: Literal["kmeans", "random"] = "kmeans"
    max_iter: int = 500
    tol: float = 1e-6
    n_init: int = 10

    def _doubles(self, ensemble: Ensemble) -> int:
        return 0 if ensemble.is_tall else super()._doubles(ensemble)

    def _fit(self, ensemble: Ensemble) -> None:
        root = np.sqrt(ensemble.weights)
        if ensemble.is_tall:
            similarity: FloatArray | Product = Product(ensemble)
        else:
            similarity = ensemble.expected_coassociation * np.outer(root, root)
        starts = self._starts(ensemble, similarity)
        runs = [Factorization(similarity, q, s).run(self.max_iter, self.tol) for q, s in starts]
        self.objective_ = self._set_runs(runs, ensemble.membership).objective

    def _starts(self, ensemble: Ensemble, similarity: "FloatArray | Product") -> list[tuple[FloatArray, FloatArray]]:
        rng = self._rng()
        weights, k = ensemble.weights, self.n_clusters
        root = np.sqrt(weights)
        if self.init == "random":
            shape = (ensemble.n_profiles, k)
            return [(rng.random(shape) * root[:, None], np.diag(rng.random(k))) for _ in range(self.n_init)]
        labels, _ = coassociation_kmeans(ensemble, k, self.n_init, rng)
        return [kmeans_start(similarity, row, root, k) for row in labels]


class Product:
    """The matrix sqrt(w_a w_b) M_ab of an ensemble without missing labels, a product of its sparse indicator."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._factor = ensemble.scaled_indicator(np.sqrt(ensemble.weights / ensemble.n_clusterings))
        self._transposed = self._factor.T
        self.squared_norm = float((ensemble.overlaps() ** 2).sum()) / ensemble.n_clusterings**2

    def __matmul__(self, q: FloatArray) -> FloatArray:
        product: FloatArray = self._factor @ (self._transposed @ q)
        return product


def kmeans_start(
    similarity: FloatArray | Product, labels: IntArray, root: FloatArray, n_clusters: int
) -> tuple[FloatArray, FloatArray]:
    """Return Q and S from k-means labels of the profiles; ``root`` holds sqrt(w)."""
    q = (np.eye(n_clusters)[labels] + LIFT) * root[:, None]
    q /= np.linalg.norm(q, axis=0)
    return q, q.T @ (similarity @ q)


class Factorization:
    """Q, shape (n', K), and S, (K, K), under the multiplicative updates of ||M - QSQ'||^2."""

    def __init__(self, similarity: FloatArray | Product, q: FloatArray, s: FloatArray) -> None:
        self._similarity = similarity
        if isinstance(similarity, Product):
            self._norm = similarity.squared_norm
        else:
            self._norm = float(np.vdot(similarity, similarity))
        self.s = s
        self._take(q)

    def _take(self, q: FloatArray) -> None:
        """Keep Q and its products; M Q is the one costly step."""
        self.q = q
        self._mq = self._similarity @ q
        self._qmq = q.T @ self._mq
        self._gram = q.T @ q

    @property
    def objective(self) -> float:
        """Squared Frobenius norm of M - QSQ', to rounding errors of the squared norm of M."""
        square = np.vdot(self._gram @ self.s @ self._gram, self.s)
        return max(self._norm - 2 * float(np.vdot(self._qmq, self.s)) + float(square), 0.0)

    def update(self) -> None:
        """Update Q, then S from the new Q."""
        pull = self._mq @ self.s
        self._take(self.q * np.sqrt(pull / (self.q @ (self.q.T @ pull) + TINY)))
        self.s = self.s * np.sqrt(self._qmq / (self._gram @ self.s @ self._gram + TINY))

    def run(self, max_iter: int, tol: float) -> Run:
        """Update until the objective settles; Q_pj sqrt(S_jj) are the memberships."""
        rounding = float(np.finfo(float).eps) * self._norm
        path = list[float]()
        objective = self.objective
        converged = False
        while len(path) < max_iter and not converged:
            self.update()
            before, objective = objective, self.objective
            path.append(objective)
            converged = bool(abs(before - objective) <= tol * objective + rounding)
        return Run(self.q * np.sqrt(self.s.diagonal()), objective, path, converged)

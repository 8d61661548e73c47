"""NMFC: consensus by a symmetric orthogonal factorization of the co-association matrix."""

from typing import Literal

import numpy as np

from concord.ensemble import Ensemble, FloatArray, IntArray
from concord.methods.base import ConsensusMethod, is_integer, is_number
from concord.methods.kmeans import kmeans_restarts

LIFT = 0.2
"""Added to the indicator matrix of the k-means start: a zero would stay zero for ever."""

TINY = 1e-12
"""Added to the denominators of the updates."""


class NMFC(ConsensusMethod):
    r"""Consensus clustering by nonnegative matrix factorization (Li, Ding, Jordan: ICDM 2007).

    Seeks the clustering whose connective matrix is closest to the co-association matrix M,

    .. math:: \min_{Q \ge 0, S \ge 0} \|M - Q S Q^T\|_F^2 \quad \text{subject to } Q^T Q = I,

    by multiplicative updates; object p goes to the cluster j with the largest Q_pj sqrt(S_jj).

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    init : {"kmeans", "random"}, default "kmeans"
        "kmeans": Q is 0.2 + the indicator matrix of a k-means clustering of the rows of M, columns scaled to
        length 1, and S = Q'MQ (the convention of the authors' other papers; the paper names none).
        "random": entries of Q and of the diagonal of S uniform in (0, 1); S then stays diagonal.
    max_iter : int, default 500
        Most updates of a start; the specification suggests 200 to 500.
    tol : float >= 0, default 1e-6
        Stop when an update changes the objective by less than ``tol`` times its value.
    n_init : int, default 10
        Starts, each from one random start of k-means; ``labels_`` is the one with the lowest objective,
        the RCE paper averages over single starts. Nothing else is to be tuned.
    random_state : int, Generator or None
        Seed of the starts.

    Attributes
    ----------
    objective_ : float
        Squared Frobenius norm of M - QSQ', over all pairs of objects, of the chosen start.
    n_iter_ : int
        Updates of the chosen start.
    converged_ : bool
        Whether all starts met ``tol`` within ``max_iter`` updates.

    Notes
    -----
    Objects with equal profiles have equal rows of M; if their rows of Q start equal, they stay equal. With
    multiplicities w, the updates of the profiles' sqrt(w) Q from sqrt(w_a w_b) M_ab are the objects' updates,
    exactly. The k-means start has equal rows; the random start here draws one row for each profile.

    The objective may rise on the way (the Lagrangian of the constrained problem does not), so it cannot
    serve as a check of the updates. A missing label takes its clustering out of M for the object's pairs.

    References
    ----------
    Tao Li, Chris Ding, Michael I. Jordan: Solving Consensus and Semi-supervised Clustering Problems Using
    Nonnegative Matrix Factorization. ICDM 2007. Updates as in Ding, Li, Peng, Park: KDD 2006.
    """

    objective_: float

    def __init__(
        self,
        n_clusters: int,
        *,
        init: Literal["kmeans", "random"] = "kmeans",
        max_iter: int = 500,
        tol: float = 1e-6,
        n_init: int = 10,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require_choice("init", "kmeans", "random")
        self._require("max_iter", is_integer(self.max_iter, 1), "an integer >= 1")
        self._require("tol", is_number(self.tol, 0), "a number >= 0")
        self._require("n_init", is_integer(self.n_init, 1), "an integer >= 1")

    def _fit(self, ensemble: Ensemble) -> None:
        root = np.sqrt(ensemble.weights)
        similarity = ensemble.coassociation * np.outer(root, root)
        fits = [Factorization(similarity, q, s) for q, s in self._starts(ensemble, similarity)]
        for fit in fits:
            fit.run(self.max_iter, self.tol)
        self._set_labels(
            np.stack([fit.labels() for fit in fits]),
            np.array([fit.objective for fit in fits]),
            ensemble.membership,
        )
        self.objective_ = fits[self.chosen_].objective
        self.n_iter_ = fits[self.chosen_].n_iter
        self.converged_ = all(fit.converged for fit in fits)

    def _starts(self, ensemble: Ensemble, similarity: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        rng = np.random.default_rng(self.random_state)
        weights, k = ensemble.weights, self.n_clusters
        root = np.sqrt(weights)
        if self.init == "random":
            shape = (ensemble.n_profiles, k)
            return [(rng.random(shape) * root[:, None], np.diag(rng.random(k))) for _ in range(self.n_init)]
        rows = ensemble.coassociation * root
        labels, _ = kmeans_restarts(rows, weights, k, self.n_init, rng)
        return [kmeans_start(similarity, row, root, k) for row in labels]


def kmeans_start(
    similarity: FloatArray, labels: IntArray, root: FloatArray, n_clusters: int
) -> tuple[FloatArray, FloatArray]:
    """Return Q and S from k-means labels of the profiles; ``root`` holds sqrt(w)."""
    q = (np.eye(n_clusters)[labels] + LIFT) * root[:, None]
    q /= np.linalg.norm(q, axis=0)
    return q, q.T @ similarity @ q


class Factorization:
    """Q and S under the multiplicative updates of ||M - QSQ'||^2.

    Attributes
    ----------
    q : ndarray, shape (n', K)
    s : ndarray, shape (K, K)
    n_iter : int
    converged : bool
    """

    def __init__(self, similarity: FloatArray, q: FloatArray, s: FloatArray) -> None:
        self._similarity = similarity
        self._norm = float(np.vdot(similarity, similarity))
        self.s = s
        self.n_iter = 0
        self.converged = False
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
        self.n_iter += 1

    def run(self, max_iter: int, tol: float) -> None:
        """Update until the objective settles."""
        rounding = float(np.finfo(float).eps) * self._norm
        while self.n_iter < max_iter and not self.converged:
            before = self.objective
            self.update()
            after = self.objective
            self.converged = bool(abs(before - after) <= tol * after + rounding)

    def labels(self) -> IntArray:
        """Cluster of each row: the largest Q_pj sqrt(S_jj)."""
        labels: IntArray = np.argmax(self.q * np.sqrt(self.s.diagonal()), axis=1)
        return labels

"""GWCA: weighted aggregation of base clusterings under a Bregman divergence."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from concord.ensemble import Ensemble, FloatArray, IntArray
from concord.methods.base import ConsensusMethod, is_integer, is_number
from concord.methods.kmeans import kmeans_restarts
from concord.methods.spectral import spectral_labels

SETTLED = 1e-8
"""Weights that move by less than this in a round have settled."""


class GWCA(ConsensusMethod):
    r"""Generalized weighted cluster aggregation (Wang, Wang, Li: IJCAI 2009).

    Minimises over the consensus matrix M and the weights w of the clusterings, on the simplex,

    .. math:: J = \sum_i w_i D_\phi(M \| A^{(i)}) + \lambda \|w\|_2^2

    by block coordinate descent from equal weights, then clusters M.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    phi : {"euclid", "exp", "kl", "logistic"}, default "euclid"
        Convex function of the Bregman divergence: x^2 / 2, e^x, x log x - x, x log x + (1 - x) log(1 - x).
    tau : float > 0, default 5.0
        lambda in units of the clusterings' mean divergence at equal weights; it must scale like n^2. Small:
        one clustering takes all weight; large: equal weights (GCA). Grid: 0.5, 1, 2, 5, 10, 20, 50 (of the
        specification; the paper's is not known).
    epsilon : float in (0, 0.5), default 1e-3
        What "kl" puts for the 0 of a connective matrix, and "logistic" for 0 and 1 - epsilon for 1: both
        divergences are infinite otherwise. The public program of the journal version has 1e-8.
    max_iter : int, default 100
        Most rounds of the descent; it ends when no weight moves by 1e-8.
    assign_labels : {"discretize", "kmeans", "rows"}, default "discretize"
        How M becomes labels: spectral clustering with the rotation of Yu and Shi or with k-means, or
        k-means on the rows of M as in KC (the paper does not say; its scores are near those of KC).
    n_init : int, default 10
        Random starts of the assignment.
    random_state : int, Generator or None
        Seed of the random starts; consensus matrix and weights do not depend on it.

    Attributes
    ----------
    weights_ : ndarray, shape (m,)
        Weights of the clusterings, w.
    divergences_ : ndarray, shape (m,)
        D(M || A(i)).
    lambda_ : float
        lambda = tau times the mean divergence at equal weights.
    objective_path_ : ndarray, shape (2 n_iter_,)
        J after every half step: new M, new w. Never rises if no label is missing.
    profile_matrix_ : ndarray, shape (n', n')
        Consensus matrix over the distinct label profiles, the best for these weights.

    Notes
    -----
    For 0/1 matrices M is, whatever phi, a function of the weighted co-association matrix, entry by entry: all
    is done on the profiles, exactly, with the pairs of objects counted. A missing label takes its clustering
    out of the means for the object's pairs; the divergence of a clustering that contains only part of the
    n^2 pairs is scaled up to all of them, else it would gain weight by what it does not say. (The price: with
    missing labels M and w no longer minimise one J, and its path may rise.)

    References
    ----------
    Fei Wang, Xin Wang, Tao Li: Generalized Cluster Aggregation. IJCAI 2009.
    """

    weights_: FloatArray
    divergences_: FloatArray
    lambda_: float
    objective_path_: FloatArray
    profile_matrix_: FloatArray

    def __init__(
        self,
        n_clusters: int,
        phi: Literal["euclid", "exp", "kl", "logistic"] = "euclid",
        tau: float = 5.0,
        *,
        epsilon: float = 1e-3,
        max_iter: int = 100,
        assign_labels: Literal["discretize", "kmeans", "rows"] = "discretize",
        n_init: int = 10,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.phi = phi
        self.tau = tau
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.assign_labels = assign_labels
        self.n_init = n_init
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require_choice("phi", *PHI)
        self._require("tau", is_number(self.tau, 0, strict=True), "a number > 0")
        in_range = is_number(self.epsilon, 0, strict=True) and self.epsilon < 0.5
        self._require("epsilon", in_range, "a number > 0 and < 0.5")
        self._require("max_iter", is_integer(self.max_iter, 1), "an integer >= 1")
        self._require_choice("assign_labels", "discretize", "kmeans", "rows")
        self._require("n_init", is_integer(self.n_init, 1), "an integer >= 1")

    def _fit(self, ensemble: Ensemble) -> None:
        self._membership = ensemble.membership
        self._descend(Aggregation(ensemble, PHI[self.phi](self.epsilon)))
        labels, costs = self._assign(ensemble.weights, np.random.default_rng(self.random_state))
        self._set_labels(labels, costs, ensemble.membership)

    def consensus_matrix(self) -> FloatArray:
        """Return the consensus matrix over objects, shape (n, n)."""
        return self.profile_matrix_[np.ix_(self._membership, self._membership)]

    def _descend(self, aggregation: "Aggregation") -> None:
        """Alternate between M and w."""
        w = np.full(aggregation.n_clusterings, 1 / aggregation.n_clusterings)
        path: list[float] = []
        self.converged_ = False
        while not self.converged_ and len(path) < 2 * self.max_iter:
            r = aggregation.divergences(aggregation.consensus(w))
            if not path:
                self.lambda_ = self.tau * float(r.mean())
            before, w = w, best_weights(r, self.lambda_)
            path += [float(v @ r + self.lambda_ * v @ v) for v in (before, w)]
            self.converged_ = bool(np.abs(w - before).max() < SETTLED)
        self.weights_ = w
        self.profile_matrix_ = aggregation.consensus(w)
        self.divergences_ = aggregation.divergences(self.profile_matrix_)
        self.objective_path_ = np.array(path)
        self.n_iter_ = len(path) // 2

    def _assign(self, weights: IntArray, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        if self.assign_labels == "rows":
            rows = self.profile_matrix_ * np.sqrt(weights)
            return kmeans_restarts(rows, weights, self.n_clusters, self.n_init, rng)
        return spectral_labels(
            self.profile_matrix_, weights, self.n_clusters, self.assign_labels, self.n_init, rng
        )


class Divergence(NamedTuple):
    """A Bregman divergence between a consensus entry and an entry of a 0/1 matrix."""

    mean: Callable[[FloatArray], FloatArray]
    """Consensus entry from S, the weighted share of the clusterings that join the pair."""
    apart: Callable[[FloatArray], FloatArray]
    """D(x || 0), or D(x || epsilon)."""
    joined: Callable[[FloatArray], FloatArray]
    """D(x || 1), or D(x || 1 - epsilon)."""


def _euclid(epsilon: float) -> Divergence:
    return Divergence(lambda s: s, lambda x: x**2 / 2, lambda x: (1 - x) ** 2 / 2)


def _exp(epsilon: float) -> Divergence:
    return Divergence(
        lambda s: np.log1p((np.e - 1) * s),
        lambda x: np.expm1(x) - x,
        lambda x: np.exp(x) - np.e * x,
    )


def _kl(epsilon: float) -> Divergence:
    return Divergence(
        lambda s: epsilon ** (1 - s),
        lambda x: x * np.log(x / epsilon) - x + epsilon,
        lambda x: x * np.log(x) - x + 1,
    )


def _logistic(epsilon: float) -> Divergence:
    odds = np.log((1 - epsilon) / epsilon)

    def bernoulli(x: FloatArray, y: float) -> FloatArray:
        return x * np.log(x / y) + (1 - x) * np.log((1 - x) / (1 - y))

    return Divergence(
        lambda s: 1 / (1 + np.exp((1 - 2 * s) * odds)),
        lambda x: bernoulli(x, epsilon),
        lambda x: bernoulli(x, 1 - epsilon),
    )


PHI: dict[str, Callable[[float], Divergence]] = {
    "euclid": _euclid,
    "exp": _exp,
    "kl": _kl,
    "logistic": _logistic,
}


class Aggregation:
    """The two half steps' ingredients on the profiles of an ensemble."""

    def __init__(self, ensemble: Ensemble, divergence: Divergence) -> None:
        self.n_clusterings = ensemble.n_clusterings
        self._divergence = divergence
        self._indicator = ensemble.indicator
        self._column = np.repeat(np.arange(self.n_clusterings), ensemble.n_clusters)
        self._present: FloatArray = (ensemble.profiles >= 0).astype(float)
        self._weights = ensemble.weights.astype(float)
        self._has_missing = ensemble.has_missing
        self._scale = (ensemble.n_objects / (self._weights @ self._present)) ** 2

    def consensus(self, w: FloatArray) -> FloatArray:
        """Return the M that is best for weights w: the quasi-arithmetic mean, shape (n', n')."""
        share: FloatArray = (self._indicator * w[self._column]) @ self._indicator.T
        if self._has_missing:
            known = (self._present * w) @ self._present.T
            # no clustering of positive weight contains the pair: 0, as in the co-association matrix
            share = np.divide(share, known, out=np.zeros_like(share), where=known > 0)
        return self._divergence.mean(np.clip(share, 0, 1))

    def divergences(self, matrix: FloatArray) -> FloatArray:
        """Return D(M || A(i)) summed over pairs of objects, shape (m,)."""
        apart, joined = self._divergence.apart(matrix), self._divergence.joined(matrix)
        if self._has_missing:
            total = self._pair_sums(apart, self._present)
        else:
            total = np.full(self.n_clusterings, self._weights @ apart @ self._weights)
        change = self._pair_sums(joined - apart, self._indicator)
        return self._scale * (total + np.bincount(self._column, change, self.n_clusterings))

    def _pair_sums(self, matrix: FloatArray, columns: FloatArray) -> FloatArray:
        """Sum of the matrix over the pairs of objects within each column, shape (columns,)."""
        weighted = columns * self._weights[:, None]
        sums: FloatArray = ((matrix @ weighted) * weighted).sum(axis=0)
        return sums


def best_weights(r: FloatArray, lambda_: float) -> FloatArray:
    """Return the w on the simplex with the least w'r + lambda w'w; equal weights if all is 0."""
    if lambda_ == 0:
        return np.full(len(r), 1 / len(r))
    return project_simplex(-r / (2 * lambda_))


def project_simplex(v: FloatArray) -> FloatArray:
    """Return the point of the simplex next to ``v``."""
    u = np.sort(v)[::-1]
    theta = (np.cumsum(u) - 1) / np.arange(1, len(u) + 1)
    projected: FloatArray = np.maximum(v - theta[np.flatnonzero(u > theta)[-1]], 0)
    return projected

"""GWCA: weighted aggregation of base clusterings under a Bregman divergence."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.expected import sum_by_clustering
from consclust.methods.base import Cost, MatrixMethod
from consclust.methods.constraints import POSITIVE, Interval
from consclust.numerics import simplex
from consclust.numerics.clusterspace import mean_kmeans
from consclust.numerics.restarts import kmeans_restarts
from consclust.numerics.spectral import mean_embedding, row_labels, spectral_labels

SETTLED = 1e-8  # Weights that move by less than this in a round have settled


@dataclass(repr=False, eq=False)
class GWCA(MatrixMethod):
    r"""Generalized weighted cluster aggregation (Wang, Wang, Li: IJCAI 2009).

    Minimises over the consensus matrix M and the weights w of the clusterings, on the simplex,

    .. math:: J = \sum_i w_i D_\phi(M \| A^{(i)}) + \lambda \|w\|_2^2

    by block coordinate descent from equal weights, then clusters M.

    Parameters
    ----------
    n_clusters, n_init, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    phi : {"euclid", "exp", "kl", "logistic"}, default "euclid"
        Convex function of the Bregman divergence: x^2 / 2, e^x, x log x - x, x log x + (1 - x) log(1 - x).
    tau : float > 0, default 5.0
        lambda in units of the clusterings' mean divergence at equal weights; it must scale like n^2. Small: one
        clustering takes all weight; large: equal weights (GCA). Grid: 0.5, 1, 2, 5, 10, 20, 50 (not the paper's).
    epsilon : float in (0, 0.5), default 1e-3
        What "kl" puts for the 0 of a connective matrix, and "logistic" for 0 and 1 - epsilon for 1: both divergences
        are infinite otherwise. The public program of the journal version has 1e-8.
    max_iter : int, default 100
        Most rounds of the descent; it ends when no weight moves by 1e-8.
    assign_labels : {"discretize", "kmeans", "rows"}, default "discretize"
        How M becomes labels: spectral clustering with the rotation of Yu and Shi or with k-means, or k-means on the
        rows of M as in KC (the paper does not say; its scores are near those of KC).

    Attributes
    ----------
    weights_, divergences_ : ndarray, shape (m,)
        w, and D(M || A(i)), of the clusterings.
    lambda_ : float
        lambda = tau times the mean divergence at equal weights.
    objective_path_ : ndarray, shape (2 iterations,)
        J after every half step: new M, new w. Never rises if no label is missing.
    profile_matrix_ : ndarray, shape (n', n')
        Consensus matrix over the distinct label profiles, the best for these weights.

    Notes
    -----
    For 0/1 matrices M is, whatever phi, a function of the weighted co-association matrix, entry by entry: all is done
    on the profiles, exactly. A missing label counts as the expected one, and the divergence of its clustering is the
    expected divergence. Where the ensemble's ``missing`` is "ignored", it takes its clustering out of the means for the
    object's pairs; the divergence of a clustering that contains only part of the n^2 pairs is scaled up to all of them,
    else it would gain weight by what it does not say. (M and w then no longer minimise one J, whose path may rise.)

    Examples
    --------
    >>> from consclust.methods import GWCA
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> gwca = GWCA(n_clusters=2, random_state=0).fit(labels)
    >>> gwca.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> gwca.weights_.round(2)
    array([0.38, 0.33, 0.29])
    """

    summary = "Generalized weighted cluster aggregation (Wang, Wang, Li: IJCAI 2009)."
    reference = "Fei Wang, Xin Wang, Tao Li: Generalized Cluster Aggregation. IJCAI 2009."
    cost = Cost(0.06, 6e-7, 3e-10, profile_matrices=6, linear=8e-7, clusters=1e-9)
    constraints = {"tau": POSITIVE, "epsilon": Interval(float, 0, 0.5, "neither")}
    paths = {"objective_path_": 1}

    phi: Literal["euclid", "exp", "kl", "logistic"] = "euclid"
    tau: float = 5.0
    _: KW_ONLY
    epsilon: float = 1e-3
    max_iter: int = 100
    assign_labels: Literal["discretize", "kmeans", "rows"] = "discretize"
    n_init: int = 10

    def _doubles(self, ensemble: Ensemble) -> int:
        return 0 if self.phi == "euclid" and ensemble.is_tall else super()._doubles(ensemble)

    def _fit(self, ensemble: Ensemble) -> None:
        aggregation, m = aggregation_of(ensemble, self.phi, self.epsilon), ensemble.n_clusterings
        w = np.full(m, 1 / m)
        path: list[float] = []
        self.converged_ = False
        while not self.converged_ and len(path) < 2 * self.max_iter:
            r = aggregation.least_divergences(w)
            if not path:
                self.lambda_ = self.tau * float(r.mean())
            before, w = w, simplex.project(-r / (2 * self.lambda_)) if self.lambda_ else np.full(m, 1 / m)
            path += [float(v @ r + self.lambda_ * v @ v) for v in (before, w)]
            self.converged_ = bool(np.abs(w - before).max() < SETTLED)
        self.weights_, self.divergences_ = w, aggregation.least_divergences(w)
        self.objective_path_, self.n_iter_ = np.array(path), len(path) // 2
        vars(self).pop("profile_matrix_", None)  # of an earlier fit
        self._mean = (ensemble, w)
        if not isinstance(aggregation, Euclidean):
            self.profile_matrix_ = aggregation.consensus(w)
        labels, costs = self._assign(ensemble, isinstance(aggregation, Euclidean))
        self._set_labels(labels, costs, ensemble.membership)

    def _assign(self, ensemble: Ensemble, is_mean: bool) -> tuple[IntArray, FloatArray]:
        """Return labels and costs; M may be the weighted mean of the connective matrices, which is never made."""
        rng, weights = self._rng(), ensemble.weights
        if self.assign_labels != "rows":
            if is_mean:
                rows = mean_embedding(ensemble, self.weights_, self.n_clusters, lambda: self.profile_matrix_)
                return row_labels(rows, weights, self.assign_labels, self.n_init, rng)
            return spectral_labels(self.profile_matrix_, weights, self.n_clusters, self.assign_labels, self.n_init, rng)
        if is_mean:
            return mean_kmeans(ensemble, self.weights_, self.n_clusters, self.n_init, rng)
        return kmeans_restarts(self.profile_matrix_ * np.sqrt(weights), weights, self.n_clusters, self.n_init, rng)

    @cached_property
    def profile_matrix_(self) -> FloatArray:  # type: ignore[override]
        """Consensus matrix over the distinct label profiles, shape (n', n'), made when it is first asked for."""
        ensemble, w = self._mean
        indicator = ensemble.indicator
        matrix: FloatArray = (indicator * np.repeat(w, ensemble.n_clusters)) @ indicator.T
        return np.clip(matrix, 0, 1, out=matrix)


Function = Callable[[FloatArray, float], FloatArray]  # Of entries and epsilon


class Divergence(NamedTuple):
    """A Bregman divergence between a consensus entry and an entry of a 0/1 matrix."""

    mean: Function  # Consensus entry from S, the weighted share of the clusterings that join the pair
    apart: Function  # D(x || 0), or D(x || epsilon)
    joined: Function  # D(x || 1), or D(x || 1 - epsilon)


def _bernoulli(x: FloatArray, y: float) -> FloatArray:
    return x * np.log(x / y) + (1 - x) * np.log((1 - x) / (1 - y))


PHI = {
    "euclid": Divergence(lambda s, e: s, lambda x, e: x**2 / 2, lambda x, e: (1 - x) ** 2 / 2),
    "exp": Divergence(
        lambda s, e: np.log1p((np.e - 1) * s), lambda x, e: np.expm1(x) - x, lambda x, e: np.exp(x) - np.e * x
    ),
    "kl": Divergence(
        lambda s, e: e ** (1 - s), lambda x, e: x * np.log(x / e) - x + e, lambda x, e: x * np.log(x) - x + 1
    ),
    "logistic": Divergence(
        lambda s, e: 1 / (1 + np.exp((1 - 2 * s) * np.log((1 - e) / e))), _bernoulli, lambda x, e: _bernoulli(x, 1 - e)
    ),
}


def aggregation_of(ensemble: Ensemble, phi: str, epsilon: float) -> "Aggregation | Euclidean":
    """Return the ingredients of the half steps, from clusters alone where M is a product of indicator matrices."""
    if phi == "euclid" and ensemble.is_tall:
        return Euclidean(ensemble)
    return Aggregation(ensemble, PHI[phi], epsilon)


class Euclidean:
    r"""Divergences from the weighted mean of the connective matrices, phi = x^2 / 2, no label missing.

    With :math:`d_{ij} = \|A^{(i)} - A^{(j)}\|_F^2` and weights of sum 1,
    :math:`\|M - A^{(i)}\|_F^2 = \sum_j w_j d_{ij} - \frac 1 2 \sum_{jk} w_j w_k d_{jk}`; the d are whole numbers.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        firsts = np.cumsum(ensemble.n_clusters) - ensemble.n_clusters
        pairs = np.add.reduceat(np.add.reduceat(ensemble.overlaps() ** 2, firsts, axis=0), firsts, axis=1)
        self._apart = pairs.diagonal()[:, None] + pairs.diagonal() - 2 * pairs

    def least_divergences(self, w: FloatArray) -> FloatArray:
        """Return D(M || A(i)) summed over pairs of objects, shape (m,), for the M that is best for weights w."""
        from_mean: FloatArray = self._apart @ w
        return from_mean / 2 - w @ from_mean / 4


def known_labels(ensemble: Ensemble) -> FloatArray:
    """Return 1 where a profile has a label, known or expected, and 0 elsewhere, shape (n', m)."""
    if ensemble.counts_expected:
        known = sum_by_clustering(ensemble.expected_indicator.toarray(), ensemble.n_clusters) > 0
    else:
        known = ensemble.profiles >= 0
    return np.asarray(known, dtype=float)


class Aggregation:
    """The two half steps' ingredients on the profiles of an ensemble."""

    def __init__(self, ensemble: Ensemble, divergence: Divergence, epsilon: float) -> None:
        self._divergence, self._epsilon = divergence, epsilon
        self._indicator: FloatArray = ensemble.expected_indicator.toarray()
        self._m = ensemble.n_clusterings
        self._column = np.repeat(np.arange(self._m), ensemble.n_clusters)
        self._present = known_labels(ensemble)
        self._weights = ensemble.weights.astype(float)
        self._has_missing = bool((self._present == 0).any())
        self._expects = ensemble.counts_expected
        self._scale: FloatArray = (ensemble.n_objects / (self._weights @ self._present)) ** 2

    def consensus(self, w: FloatArray) -> FloatArray:
        """Return the M that is best for weights w: the quasi-arithmetic mean, shape (n', n')."""
        share: FloatArray = (self._indicator * w[self._column]) @ self._indicator.T
        if self._has_missing:
            known = (self._present * w) @ self._present.T
            unknown = 0.0
            if self._expects:
                unknown = float(self._weights @ share @ self._weights / (self._weights @ known @ self._weights))
            # what the co-association matrix has for a pair that no clustering of positive weight contains
            share = np.divide(share, known, out=np.full_like(share, unknown), where=known > 0)
        return self._divergence.mean(np.clip(share, 0, 1), self._epsilon)

    def least_divergences(self, w: FloatArray) -> FloatArray:
        """Return the divergences of the M that is best for weights w, shape (m,)."""
        return self.divergences(self.consensus(w))

    def divergences(self, matrix: FloatArray) -> FloatArray:
        """Return D(M || A(i)) summed over pairs of objects, shape (m,)."""
        apart = self._divergence.apart(matrix, self._epsilon)
        joined = self._divergence.joined(matrix, self._epsilon)
        if self._has_missing:
            total = self._pair_sums(apart, self._present)
        else:
            total = np.full(self._m, self._weights @ apart @ self._weights)
        change = self._pair_sums(joined - apart, self._indicator)
        return self._scale * (total + np.bincount(self._column, change, self._m))

    def _pair_sums(self, matrix: FloatArray, columns: FloatArray) -> FloatArray:
        """Sum of the matrix over the pairs of objects within each column, shape (columns,)."""
        weighted = columns * self._weights[:, None]
        sums: FloatArray = ((matrix @ weighted) * weighted).sum(axis=0)
        return sums

"""RMSC: a low-rank transition matrix shared by the base clusterings."""

# compiled kernels are imported where needed, so that what does without them starts faster

from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from consclust.ensemble import Ensemble, FloatArray
from consclust.methods.base import Cost, MatrixMethod
from consclust.methods.constraints import POSITIVE, Interval
from consclust.numerics.lowrank import shrink_spectrum
from consclust.numerics.simplex import project_rows
from consclust.numerics.spectral import Assignment

MAX_MU = 1e10  # The penalty grows no further
TELEPORT = 1e-6  # Share of jumps to a random object that makes the stationary distribution unique and positive


@dataclass(repr=False, eq=False)
class RMSC(MatrixMethod):
    r"""Robust multi-view spectral clustering (Xia, Pan, Du, Yin: AAAI 2014), a clustering for a view.

    Minimises over a transition matrix P and errors E(i) of the clusterings' transition matrices P(i)

    .. math:: \|P\|_* + \lambda \sum_i \|E^{(i)}\|_1 \quad \text{subject to }
              P^{(i)} = P + E^{(i)},\; P \ge 0,\; P \mathbf 1 = \mathbf 1

    by an augmented Lagrangian, then clusters the Markov chain P spectrally.

    Parameters
    ----------
    n_clusters, assign_labels, n_init, max_iter, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    lambda1 : float > 0, default 0.005
        Weight of the errors' 1-norm, the paper's lambda, which it tunes; grid 0.001, 0.005, 0.01, 0.05, 0.1.
    mu : float > 0, default 1e-3
        Penalty of the first iteration, as in the authors' program.
    rho : float > 1, default 1.9
        Growth of the penalty an iteration, as in the authors' program. It freezes P long before the optimum of the
        convex problem, and must: that has rank one, without any clusters, if n m is below K / (2 lambda).
    tol : float >= 0, default 1e-7
        Stop when the absolute row sums of all P(i) - P - E(i) are below ``tol``; in LibADMM's order, when no entry of
        these, of P - Q, and of the last changes of P, Q and E reaches ``tol``.
    order : {"authors", "libadmm"}, default "authors"
        Sequence of the updates: P, Q, E, multipliers (the paper, Algorithm 1), or Q, E, P, multipliers (LibADMM). The
        results differ by about 1e-4 as the penalty grows fast.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        P over the distinct label profiles, not symmetric; ``profile_matrix_ @ w`` is one for the multiplicities w.
    objective_ : float
        Nuclear norm of P plus lambda times the 1-norms of the errors, over objects.

    Notes
    -----
    Pairs that a clustering keeps apart have P(i) = 0 and share one error and one multiplier with all clusterings that
    keep them apart. E starts at 0, not at the authors' noise, which changes the result by less than 1e-6. For a pair
    that a clustering does not contain, E(i) costs nothing.

    Examples
    --------
    >>> from consclust.methods import RMSC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> RMSC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Robust multi-view spectral clustering (Xia, Pan, Du, Yin: AAAI 2014): each base clustering is one view."
    reference = (
        "Rongkai Xia, Yan Pan, Lei Du, Jian Yin: Robust Multi-View Spectral Clustering via Low-Rank and "
        "Sparse Decomposition. AAAI 2014. LibADMM: Canyi Lu, 2016."
    )
    cost = Cost(0.8, 4e-6, 1.5e-8, profile_matrices=28)
    constraints = {"lambda1": POSITIVE, "mu": POSITIVE, "rho": Interval(float, 1, closed="neither")}

    lambda1: float = 0.005
    mu: float = 1e-3
    rho: float = 1.9
    _: KW_ONLY
    tol: float = 1e-7
    max_iter: int = 100
    order: Literal["authors", "libadmm"] = "authors"
    assign_labels: Assignment = "kmeans"
    n_init: int = 10

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return the doubles of a fit: error and multiplier of each pair in a cluster, and n' x n' matrices."""
        sizes = np.bincount(ensemble.sparse_indicator.indices)
        return 20 * ensemble.n_profiles**2 + 2 * int((sizes**2).sum())

    def _fit(self, ensemble: Ensemble) -> None:
        views, weights = Views(ensemble, self.lambda1), ensemble.weights.astype(float)
        lagrangian = Lagrangian(views, weights, self.mu)
        iterate = lagrangian.authors if self.order == "authors" else lagrangian.libadmm
        self.n_iter_, self.converged_ = 0, False
        while self.n_iter_ < self.max_iter and not self.converged_:
            self.converged_ = bool(iterate() < self.tol)
            lagrangian.mu = min(self.rho * lagrangian.mu, MAX_MU)
            self.n_iter_ += 1
        self.profile_matrix_ = lagrangian.p
        singular = np.linalg.svd(lagrangian.p * lagrangian.root, compute_uv=False)
        self.objective_ = float(singular.sum()) + self.lambda1 * views.error_norm()
        chain = chain_similarity(lagrangian.p, weights)
        self._set_spectral_labels(chain, ensemble.weights, ensemble.membership, self.assign_labels, self.n_init)


class Lagrangian:
    """P, its low-rank copy Q, their multiplier Z and the penalty mu, on profiles."""

    def __init__(self, views: "Views", weights: FloatArray, mu: float) -> None:
        n = len(weights)
        self._views = views
        self._weights = weights
        self.root = np.sqrt(np.outer(weights, weights))
        self.p = np.zeros((n, n))
        self._q = np.zeros((n, n))
        self._z = np.zeros((n, n))
        self.mu = mu

    def authors(self) -> float:
        """Update P, Q, E and the multipliers; return the largest absolute row sum of P + E(i) - P(i)."""
        self._update_p()
        self._update_q()
        self._views.fit_errors(self.p, self.mu)
        return self._ascend()[0]

    def libadmm(self) -> float:
        """Update Q, E, P and the multipliers; return the largest entry of residuals and changes."""
        p, q = self.p, self._q
        self._update_q()
        changed = self._views.fit_errors(self.p, self.mu)
        self._update_p()
        residual = self._ascend()[1]
        others = (self.p - self._q, self.p - p, self._q - q)
        return max(changed, residual, *(float(np.abs(other).max()) for other in others))

    def _update_p(self) -> None:
        views, mu = self._views, self.mu
        mean = (self._q - self._z / mu + views.pull(self.p, mu)) / (views.n_views + 1)
        self.p = project_rows(mean, self._weights)

    def _update_q(self) -> None:
        self._q = shrink_spectrum((self.p + self._z / self.mu) * self.root, 1 / self.mu) / self.root

    def _ascend(self) -> tuple[float, float]:
        self._z += self.mu * (self.p - self._q)
        return self._views.ascend(self.p, self.mu)


class Views:
    """P(i), E(i) and the multipliers Y(i) on profiles: once for all pairs apart, once for each cluster's own pairs."""

    def __init__(self, ensemble: Ensemble, lambda1: float) -> None:
        from consclust.numerics.kernels import rmsc_kernels as rmsc

        n, columns = ensemble.n_profiles, ensemble.sparse_indicator.tocsc()
        self.n_views = ensemble.n_clusterings
        self._lambda1 = lambda1
        self._weights = ensemble.weights.astype(float)
        self._profiles = ensemble.profiles
        self._clustering = np.repeat(np.arange(self.n_views), ensemble.n_clusters)
        self._unknown = self.n_views - ensemble.observed if ensemble.has_missing else None
        sizes = np.array([n, *np.diff(columns.indptr)])
        places = np.cumsum([0, *sizes**2])
        self._parts = rmsc.Parts(
            members=np.concatenate([np.arange(n), columns.indices]),
            firsts=np.cumsum([0, *sizes]),
            places=places,
            values=np.array([0.0, *(1 / (self._weights @ ensemble.sparse_indicator))]),
            apart=np.asarray(ensemble.observed - ensemble.counts, dtype=float),
            error=np.zeros(places[-1]),
            multiplier=np.zeros(places[-1]),
        )

    def pull(self, p: FloatArray, mu: float) -> FloatArray:
        """Return the sum of P(i) - E(i) - Y(i) / mu; where no label is known, E(i) follows ``p``."""
        from consclust.numerics.kernels import rmsc_kernels as rmsc

        total = np.zeros_like(p) if self._unknown is None else self._unknown * p
        rmsc.pull(self._parts, total, mu)
        return total

    def fit_errors(self, p: FloatArray, mu: float) -> float:
        """E-step, soft threshold of P(i) - P - Y(i) / mu at lambda / mu; return the largest change."""
        from consclust.numerics.kernels import rmsc_kernels as rmsc

        return rmsc.fit_errors(self._parts, p, self._lambda1 / mu, mu)

    def ascend(self, p: FloatArray, mu: float) -> tuple[float, float]:
        """Update the multipliers; return the largest absolute row sum and entry of all P + E(i) - P(i)."""
        from consclust.numerics.kernels import rmsc_kernels as rmsc

        rows, largest = rmsc.ascend(self._parts, p, mu, self._weights, self._profiles, self._clustering)
        return float(rows.max()), largest

    def error_norm(self) -> float:
        """Sum of the errors' absolute values over clusterings and pairs of objects."""
        from consclust.numerics.kernels import rmsc_kernels as rmsc

        return rmsc.error_norm(self._parts, self._weights)


def stationary(p: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the stationary probability of each profile's objects under (1 - TELEPORT) P + TELEPORT 11'/n."""
    n = len(weights)
    system = np.eye(n) - (1 - TELEPORT) * (p * weights[:, None]).T
    return np.linalg.solve(system, np.full(n, TELEPORT / weights.sum()))


def chain_similarity(p: FloatArray, weights: FloatArray) -> FloatArray:
    """Return (Pi P + P' Pi) / 2, with pi stationary, whose normalised Laplacian is that of the Markov chain."""
    pi = stationary(p, weights)
    flow: FloatArray = pi[:, None] * ((1 - TELEPORT) * p + TELEPORT / weights.sum())
    return (flow + flow.T) / 2

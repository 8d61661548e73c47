"""RSEC: a low-rank representation of the co-association matrix, learnt with its spectral embedding."""

# SciPy is imported where needed, so that what does without it starts faster

from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from consclust.ensemble import Ensemble, FloatArray
from consclust.methods.base import ConsensusMethod, Cost
from consclust.methods.constraints import POSITIVE, Interval
from consclust.numerics.cosines import cosine_graph
from consclust.numerics.leading import leading
from consclust.numerics.lowrank import shrunk_factors
from consclust.numerics.restarts import kmeans_restarts
from consclust.numerics.spectral import KEPT, embedding
from consclust.numerics.subspace import LargeEigenvalues

MAX_MU = 1e10  # The penalty grows no further
TINY = 1e-12  # Least degree of an object, and least length of a row


@dataclass(repr=False, eq=False)
class RSEC(ConsensusMethod):
    r"""Robust spectral ensemble clustering (Tao, Liu, Li, Fu: CIKM 2016; with Ding: TKDD 2019).

    Minimises over a representation Z of the co-association matrix S, its errors E and an embedding H

    .. math:: \operatorname{tr}(H^\top L_Z H) + \lambda_1 \|Z\|_* + \lambda_2 \|E\|_{2,1}
              \quad \text{subject to } S = S Z + E,\; H^\top H = I

    by an augmented Lagrangian, :math:`L_Z` being the normalised Laplacian of a graph that Z and H make.

    Parameters
    ----------
    n_clusters, max_iter, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    variant : {"H", "Z"}, default "H"
        What is clustered: the rows of H by k-means, or the graph (abs(Z) + abs(Z)') / 2 spectrally.
    lambda1 : float > 0, default 0.1
        Weight of the nuclear norm; grid 0.01, 0.1, 1.
    lambda2 : float > 0, default 0.01
        Weight of the errors, which are whole columns (objects); same grid.
    spectral : bool, default True
        Whether Z is learnt with the spectral term. Without it, Z is the low-rank representation alone, and H is the
        embedding of its graph without H H'.
    rho : float > 1, default 1.1
        Growth of the penalty an iteration; it starts at 1.5 / ||S||.
    tol : float >= 0, default 1e-7
        Stop when no entry of S - S Z - E, and of Z - J, reaches it; J: low-rank copy of Z.
    n_init : int, default 10
        Starts of k-means, far apart (k-means++): the rows of H lie so unevenly that random starts miss the best.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        Z over the distinct label profiles; not symmetric.
    profile_errors_ : ndarray, shape (n', n')
        E over the profiles; a column is an object.
    profile_embedding_ : ndarray, shape (n', K)
        H over the profiles.
    residual_path_ : ndarray, shape (iterations, 2)
        Largest entries of S - S Z - E and of Z - J after each iteration.

    Notes
    -----
    The published updates omit that of E and do not converge: the graph's degrees may vanish. This follows what a public
    port says of the authors' own program: the graph of (Z + Z') / 2 + H H' is that of the fourth powers of the cosines
    between the rows of its singular vectors (times the root of the singular value), and H is D^-1/2 times the leading
    singular vectors of D^-1/2 W D^-1/2.

    A second fit of the same ``Ensemble`` that differs in ``variant`` or ``n_init`` alone takes the solution of the
    first.

    Examples
    --------
    >>> from consclust.methods import RSEC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> RSEC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Robust spectral ensemble clustering (Tao, Liu, Li, Fu: CIKM 2016; with Ding: TKDD 2019)."
    reference = (
        "Zhiqiang Tao, Hongfu Liu, Sheng Li, Zhengming Ding, Yun Fu: Robust Spectral Ensemble Clustering "
        "via Rank Minimization. ACM TKDD 13(1), 2019."
    )
    cost = Cost(0.2, 4e-5, 1.5e-8, profile_matrices=24)
    constraints = {"lambda1": POSITIVE, "lambda2": POSITIVE, "rho": Interval(float, 1, closed="neither")}
    matrices = ("errors", "representation", "profile_matrix_", "profile_errors_")
    paths = {"residual_path_": 2}

    variant: Literal["H", "Z"] = "H"
    lambda1: float = 0.1
    lambda2: float = 0.01
    _: KW_ONLY
    spectral: bool = True
    rho: float = 1.1
    tol: float = 1e-7
    max_iter: int = 500
    n_init: int = 10

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return the doubles of a fit: n' x n' matrices, and coordinates in the eigenvectors of S."""
        n = ensemble.n_profiles
        return 11 * n**2 + 13 * n * min(n, int(ensemble.n_clusters.sum()))

    def _fit(self, ensemble: Ensemble) -> None:
        penalties = self.lambda1, self.lambda2, float(self.spectral)
        solution = solved(ensemble, self.n_clusters, penalties, (self.rho, self.tol, self.max_iter))
        self.residual_path_, self.converged_ = np.array(solution.path), solution.converged
        self.n_iter_ = len(solution.path)
        weights, root = ensemble.weights, np.sqrt(ensemble.weights)
        self.profile_matrix_ = solution.z / np.outer(root, root)
        self.profile_errors_ = solution.errors / np.outer(root, root)
        self.profile_embedding_ = rows = solution.h / root[:, None]
        if self.variant == "Z":
            graph = np.abs(self.profile_matrix_)
            rows = embedding((graph + graph.T) / 2, weights, self.n_clusters)
        labels, costs = kmeans_restarts(rows, weights, self.n_clusters, self.n_init, self._rng(), init="k-means++")
        self._set_labels(labels, costs, ensemble.membership)

    def representation(self) -> FloatArray:
        """Return Z over objects, shape (n, n)."""
        return self._over_objects("profile_matrix_")

    def errors(self) -> FloatArray:
        """Return E over objects, shape (n, n)."""
        return self._over_objects("profile_errors_")

    def embedding(self) -> FloatArray:
        """Return H over objects, shape (n, K)."""
        self._require_fitted()
        return self.profile_embedding_[self._membership]


class Solution(NamedTuple):
    """Where the iterations ended: Z, E and H of the profiles, times the roots of their weights."""

    z: FloatArray
    errors: FloatArray
    h: FloatArray
    path: list[tuple[float, float]]
    converged: bool


Penalties = tuple[float, float, float]
Steps = tuple[float, float, int]
SOLVED: "WeakKeyDictionary[Ensemble, tuple[tuple[int, Penalties, Steps], Solution]]" = WeakKeyDictionary()
"""The last solution of each ensemble that still exists: H and Z are two readings of it."""


def solved(ensemble: Ensemble, n_clusters: int, penalties: Penalties, steps: Steps) -> Solution:
    """Return the solution for weights (lambda1, lambda2, spectral) and steps (rho, tol, max_iter)."""
    asked = n_clusters, penalties, steps
    if ensemble not in SOLVED or SOLVED[ensemble][0] != asked:
        SOLVED[ensemble] = asked, _solve(ensemble, *asked)
    return SOLVED[ensemble][1]


def _solve(ensemble: Ensemble, n_clusters: int, penalties: Penalties, steps: Steps) -> Solution:
    lagrangian = Lagrangian(ensemble, n_clusters, *penalties)
    rho, tol, max_iter = steps
    path: list[tuple[float, float]] = []
    converged = False
    while not converged and len(path) < max_iter:
        path.append(lagrangian.iterate())
        lagrangian.mu = min(rho * lagrangian.mu, MAX_MU)
        converged = max(path[-1]) < tol
    return Solution(lagrangian.z, lagrangian.errors, lagrangian.h, path, converged)


class Lagrangian:
    """The variables on the profiles, each matrix X kept as R^1/2 X R^1/2 with R the weights.

    So products, norms and spectra are those of the objects' matrices. ``_e`` and ``_y`` hold the coordinates of the
    columns of E and its multiplier in the eigenvectors U of S, which give (S^2 + I)^-1: rank(S) numbers instead of n'.
    A round leaves Y2 = P P' + U V with P = D^-1/2 H, and Z = J plus the change of Y2 over mu, kept as ``left @ right +
    U @ along``: the singular values of Z + Y2 / mu are those of a matrix with rank(S) + rank(J) + 2 K rows.
    """

    def __init__(
        self, ensemble: Ensemble, n_clusters: int, lambda1: float, lambda2: float, spectral: float = 1.0
    ) -> None:
        weights = ensemble.weights.astype(float)
        self._root = np.sqrt(weights)
        self._n_clusters, self._spectral = n_clusters, spectral
        self._lambda1, self._lambda2 = lambda1, lambda2
        values, vectors = np.linalg.eigh(ensemble.expected_coassociation * np.outer(self._root, self._root))
        largest = np.abs(values).max()
        there = np.abs(values) > len(values) * np.finfo(float).eps * largest
        self._s, self._u = values[there, None], vectors[:, there]
        n, rank = self._u.shape
        self.mu = 1.5 / float(largest)
        self._large = LargeEigenvalues(KEPT)
        self._left, self._right = np.zeros((n, 0)), np.zeros((0, n))
        self._along, self._v, self._e, self._y = (np.zeros((rank, n)) for _ in range(4))
        self.h = np.zeros((n, n_clusters))
        self._p = np.zeros((n, n_clusters))
        self._degrees = np.ones(n)

    def iterate(self) -> tuple[float, float]:
        """Update J, Z, E, H and the multipliers; return the largest entries of S - S Z - E and Z - J."""
        mu = self.mu
        gap, beside = self._update_z(*self._low_rank())
        columns = gap + self._y / mu
        lengths = np.maximum(np.linalg.norm(columns, axis=0) / self._root, TINY)  # over the objects
        self._e = columns * np.maximum(1 - self._lambda2 / mu / lengths, 0)
        self._update_h()
        gap -= self._e
        self._y += mu * gap
        return self._largest(self._u @ gap), self._largest(beside)

    @property
    def errors(self) -> FloatArray:
        """E, shape (n', n')."""
        return self._u @ self._e

    def _low_rank(self) -> tuple[FloatArray, FloatArray]:
        """Return J, Z + Y2 / mu with its singular values lowered by lambda1 / mu, as two factors."""
        u = self._u
        mu = self.mu
        rank = len(self._s)
        left, right = np.hstack([self._left, self._p]), np.vstack([self._right, self._p.T / mu])
        beside = orthonormal_beside(left, u)
        inside = (u.T @ left) @ right + self._along + self._v / mu
        columns, rows = shrunk_factors(np.vstack([inside, (beside.T @ left) @ right]), self._lambda1 / mu)
        return u @ columns[:rank] + beside @ columns[rank:], rows

    def _update_z(self, columns: FloatArray, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Z = (S^2 + I)^-1 (S (S - E + Y1 / mu) + J + (P P' - Y2) / mu); return S - S Z as coordinates, and Z - J."""
        s = self._s
        u = self._u
        mu = self.mu
        rank = len(rows)
        p = self._spectral * self.h / np.sqrt(self._degrees)[:, None]
        self._left = np.hstack([columns, p, self._p])
        self._right = np.vstack([rows, p.T / mu, -self._p.T / mu])
        before = self._v / mu
        target = (u.T @ self._left) @ self._right - before
        fit = (s * (s * u.T - self._e + self._y / mu) - s**2 * target) / (s**2 + 1)
        self._along = fit - before
        self._v = mu * fit
        self._p = p
        beside = u @ self._along
        self.z = self._left @ self._right + beside
        beside += self._left[:, rank:] @ self._right[rank:]
        gap: FloatArray = s * (u.T - target - fit)
        return gap, beside

    def _update_h(self) -> None:
        values, vectors = self._large.find((self.z + self.z.T) / 2 + self._spectral * (self.h @ self.h.T))
        graph = cosine_graph(vectors, np.abs(values))
        self._degrees = np.maximum(graph @ self._root**2, TINY)
        scale = self._root / np.sqrt(self._degrees)
        graph *= np.outer(scale, scale)
        self.h = leading(graph, self._n_clusters) / np.sqrt(self._degrees)[:, None]

    def _largest(self, matrix: FloatArray) -> float:
        """Largest absolute entry of the objects' matrix; overwrites the one that is given."""
        np.abs(matrix, out=matrix)
        matrix /= self._root
        matrix /= self._root[:, None]
        return float(matrix.max())


def orthonormal_beside(columns: FloatArray, basis: FloatArray) -> FloatArray:
    """Return an orthonormal basis of what ``columns`` have beside ``basis``; twice, against what rounding leaves."""
    from scipy.linalg import qr

    beside, triangle, _ = qr(columns - basis @ (basis.T @ columns), mode="economic", pivoting=True)
    least = len(columns) * np.finfo(float).eps * np.linalg.norm(columns)
    beside = beside[:, np.abs(triangle.diagonal()) > least]
    orthonormal: FloatArray = qr(beside - basis @ (basis.T @ beside), mode="economic")[0]
    return orthonormal

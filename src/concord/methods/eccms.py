"""EC-CMS: self-enhancement of a co-association matrix by its high-confidence pairs."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from concord import coassociation
from concord.ensemble import Ensemble, FloatArray
from concord.methods.base import ConsensusMethod, is_integer, is_number
from concord.methods.hierarchy import linkage_labels

NEGLIGIBLE = 1e-12
"""A change below this times the norm of A ends a run whatever ``tol``: multipliers may tend to zero."""

COLUMNS_AT_ONCE = 32
"""Right sides given to the sparse solver together: a few times faster than one by one or all at once."""


class ECCMS(ConsensusMethod):
    r"""Clustering ensemble by co-association matrix self-enhancement (Jia, Tao, Wang, Wang: TNNLS 2023).

    Splits a similarity matrix A into the enhanced matrix C and errors E,

    .. math:: \min_{C, E} \operatorname{tr}(C^\top \Phi C) + \frac\lambda2 \|E\|_F^2 \quad \text{subject to }
              A = C + E,\; E = 0 \text{ on } \Omega,\; C = C^\top,\; 0 \le C \le 1,

    by ADMM, with the Laplacian :math:`\Phi` and the pairs :math:`\Omega` of the high-confidence matrix: the
    co-association matrix where it is at least alpha. Average linkage of 1 - C, cut into exactly K clusters.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    alpha : float > 0, default 0.8
        Co-association from which on a pair is of high confidence. Useful: 0.7, 0.75, 0.8; above 1 no pair is.
    lambda_ : float > 0, default 0.4
        Weight of the errors. Useful: 0.01 to 1; from 100 on C is nearly A.
    similarity : {"lwca", "co_occurrence", "pts"}, default "lwca"
        The matrix A, a function of :mod:`concord.coassociation`.
    laplacian : bool, default True
        False: without the Laplacian term. Then C = A is the optimum, and is taken.
    high_confidence : bool, default True
        False: without the constraint E = 0 on :math:`\Omega`.
    gamma1, gamma2 : float > 0, default 1.0
        Penalties of A = C + E and of C = F, the copy of C that is symmetric and in [0, 1].
    tol : float >= 0, default 0.01
        Stop when no variable and no multiplier changes by ``tol`` times its norm in an iteration. The
        authors' value, far before the optimum; 1e-10 with 10,000 iterations reaches that.
    max_iter : int, default 100
        Most iterations; the authors' value.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        C over the distinct label profiles. On its diagonal: two different objects with one profile.
    diagonal_ : ndarray, shape (n',)
        C of an object with itself, for each profile.
    change_path_ : ndarray, shape (n_iter_,)
        Largest relative change in each iteration; infinite in the first.
    n_iter_ : int
        Iterations of ADMM.
    converged_ : bool
        Whether ``tol`` was met. Not where E or a multiplier tends to zero, as with identical clusterings or
        with alpha > 1: its relative change stays large, and the authors' program, too, runs to its last
        iteration.

    Notes
    -----
    As in the authors' program, the diagonal of the high-confidence matrix is zero, so that C is free there
    (the paper's formulas lock it to A), C and not F is clustered, and what linkage reads of C, which is not
    quite symmetric before the optimum, are its entries below the diagonal.

    Exact on profiles: an (n, n) matrix here depends, off the diagonal, on two objects through their profiles
    only, and is a row of n' values below an (n', n') matrix. The high-confidence matrix is sparse, a dozen
    entries a row, so that 2 Phi + (gamma1 + gamma2) I is factorised once and its inverse never formed.

    References
    ----------
    Yuheng Jia, Sirui Tao, Ran Wang, Yongheng Wang: Ensemble Clustering via Co-Association Matrix
    Self-Enhancement. IEEE TNNLS, 2023.
    """

    profile_matrix_: FloatArray
    diagonal_: FloatArray
    change_path_: FloatArray

    def __init__(
        self,
        n_clusters: int,
        alpha: float = 0.8,
        lambda_: float = 0.4,
        similarity: Literal["lwca", "co_occurrence", "pts"] = "lwca",
        *,
        laplacian: bool = True,
        high_confidence: bool = True,
        gamma1: float = 1.0,
        gamma2: float = 1.0,
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.lambda_ = lambda_
        self.similarity = similarity
        self.laplacian = laplacian
        self.high_confidence = high_confidence
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.tol = tol
        self.max_iter = max_iter

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        for name in ("alpha", "lambda_", "gamma1", "gamma2"):
            self._require(name, is_number(getattr(self, name), 0, strict=True), "a number > 0")
        self._require_choice("similarity", *SIMILARITIES)
        for name in ("laplacian", "high_confidence"):
            self._require(name, isinstance(getattr(self, name), bool), "True or False")
        self._require("tol", is_number(self.tol, 0), "a number >= 0")
        self._require("max_iter", is_integer(self.max_iter, 1), "an integer >= 1")

    def _fit(self, ensemble: Ensemble) -> None:
        self._membership = ensemble.membership
        similarity = np.vstack([SIMILARITIES[self.similarity](ensemble), np.ones(ensemble.n_profiles)])
        if self.laplacian:
            similarity = self._enhanced(similarity, ensemble)
        else:
            self.n_iter_, self.converged_, self.change_path_ = 1, True, np.zeros(1)
        self.profile_matrix_, self.diagonal_ = similarity[:-1], similarity[-1].copy()
        below = self.profile_matrix_.T  # linkage reads above the diagonal, the authors' program below it
        labels = linkage_labels(below, ensemble.membership, self.n_clusters)
        self._set_only_labels(labels, np.arange(ensemble.n_objects))

    def consensus_matrix(self) -> FloatArray:
        """Return C over objects, shape (n, n)."""
        matrix = self.profile_matrix_[np.ix_(self._membership, self._membership)]
        np.fill_diagonal(matrix, self.diagonal_[self._membership])
        return matrix

    def _enhanced(self, similarity: FloatArray, ensemble: Ensemble) -> FloatArray:
        """Run ADMM; return C with its border."""
        confident = coassociation.hc(ensemble, self.alpha)
        weights = ensemble.weights.astype(float)
        inverse = Inverse(confident, weights, self.gamma1 + self.gamma2)
        own = np.zeros(ensemble.n_profiles, dtype=bool)
        locked = np.vstack([confident > 0, own]) if self.high_confidence else None
        admm = Splitting(similarity, locked, weights, inverse, self.lambda_, self.gamma1, self.gamma2)
        path: list[float] = []
        self.converged_ = False
        while not self.converged_ and len(path) < self.max_iter:
            path.append(admm.iterate())
            self.converged_ = path[-1] < self.tol or admm.at_rest
        self.n_iter_, self.change_path_ = len(path), np.array(path)
        return admm.c


SIMILARITIES: dict[str, Callable[[Ensemble], FloatArray]] = {
    "lwca": coassociation.lwca,
    "co_occurrence": coassociation.co_occurrence,
    "pts": coassociation.pts,
}


class Splitting:
    """C, its symmetric copy F, the errors E and the multipliers, all with a border; shape (n' + 1, n')."""

    def __init__(
        self,
        similarity: FloatArray,
        locked: npt.NDArray[np.bool_] | None,
        weights: FloatArray,
        inverse: "Inverse",
        lambda_: float,
        gamma1: float,
        gamma2: float,
    ) -> None:
        self._a = similarity
        self._locked = locked
        self._weights = weights
        self._inverse = inverse
        self._lambda = lambda_
        self._gamma1, self._gamma2 = gamma1, gamma2
        self.c, self._e, self._f = (np.zeros_like(similarity) for _ in range(3))
        self._y1, self._y2 = similarity.copy(), np.zeros_like(similarity)
        self._negligible = NEGLIGIBLE * norm(similarity, weights)
        self.at_rest = False

    def iterate(self) -> float:
        """Update C, E, F and the multipliers; return the largest relative change in the Frobenius norm."""
        gamma1, gamma2 = self._gamma1, self._gamma2
        target = self._a - self._e
        target *= gamma1
        target += self._y1
        target += gamma2 * self._f
        target -= self._y2
        changes = [self._replace("c", self._inverse @ target)]

        error = np.subtract(self._a, self.c, out=target)
        error *= gamma1
        error += self._y1
        error /= self._lambda + gamma1
        if self._locked is not None:
            error[self._locked] = 0.0
        changes.append(self._replace("_e", error))

        copy = self._y2 / gamma2
        copy += self.c
        copy[:-1] = (copy[:-1] + copy[:-1].T) / 2
        changes.append(self._replace("_f", np.clip(copy, 0.0, 1.0, out=copy)))

        residual = self._a - self.c
        residual -= self._e
        changes.append(self._ascend(self._y1, residual, gamma1))
        np.subtract(self.c, self._f, out=residual)
        changes.append(self._ascend(self._y2, residual, gamma2))
        self.at_rest = all(change <= self._negligible for change, _ in changes)
        return max(relative(change, before) for change, before in changes)

    def _replace(self, name: str, new: FloatArray) -> tuple[float, float]:
        """Put a variable's new value; return the norms of its change and of its old value."""
        old = getattr(self, name)
        setattr(self, name, new)
        before = norm(old, self._weights)
        old -= new
        return norm(old, self._weights), before

    def _ascend(self, multiplier: FloatArray, residual: FloatArray, gamma: float) -> tuple[float, float]:
        before = norm(multiplier, self._weights)
        residual *= gamma
        multiplier += residual
        return norm(residual, self._weights), before


class Inverse:
    """Inverse of 2 Phi + gamma I over the objects, by one sparse factorisation over the profiles.

    With H the confident matrix, r the weights and t = 2 H r + gamma, the objects' matrix is diag(t) less 2 H
    spread over the objects. It takes a block X beside diag(d) to B beside diag(t d), where X solves
    (diag(t) - 2 H diag(r)) X = B + 2 H diag(d): a sparse system, symmetric when scaled by sqrt(r).
    """

    def __init__(self, confident: FloatArray, weights: FloatArray, gamma: float) -> None:
        from scipy.sparse import coo_array, csc_array, diags_array
        from scipy.sparse.linalg import splu

        self._root = np.sqrt(weights)
        self._t: FloatArray = 2 * confident @ weights + gamma
        pairs = coo_array(2 * confident)
        self._pairs, self._twice = pairs.coords, pairs.data
        rows, columns = pairs.coords
        scaled = coo_array((self._root[rows] * pairs.data * self._root[columns], pairs.coords), pairs.shape)
        system = csc_array(diags_array(self._t) - scaled)
        self._factors = splu(system, "MMD_AT_PLUS_A", diag_pivot_thresh=0, options={"SymmetricMode": True})

    def __matmul__(self, matrix: FloatArray) -> FloatArray:
        """Return the product with a matrix with border."""
        inner = matrix[:-1].copy()
        own = (matrix[-1] - inner.diagonal()) / self._t
        inner[self._pairs] += self._twice * own[self._pairs[1]]
        inner *= self._root[:, None]
        product: FloatArray = np.empty_like(matrix)
        for first in range(0, len(own), COLUMNS_AT_ONCE):
            columns = slice(first, first + COLUMNS_AT_ONCE)
            product[:-1, columns] = self._factors.solve(inner[:, columns])
        product[:-1] /= self._root[:, None]
        product[-1] = product[:-1].diagonal() + own
        return product


def norm(matrix: FloatArray, weights: FloatArray) -> float:
    """Frobenius norm over the objects of a matrix with border."""
    squares = matrix**2
    pairs = weights @ squares[:-1] @ weights
    return float(np.sqrt(pairs + weights @ (squares[-1] - squares[:-1].diagonal())))


def relative(change: float, before: float) -> float:
    """Return change / before, with 0 / 0 = 0."""
    if change == 0:
        return 0.0
    return change / before if before > 0 else float("inf")

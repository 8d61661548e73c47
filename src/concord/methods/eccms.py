"""EC-CMS: self-enhancement of a co-association matrix by its high-confidence pairs."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from itertools import combinations_with_replacement
from typing import Literal

import numpy as np
import numpy.typing as npt

from concord.ensemble import Ensemble, FloatArray
from concord.methods.base import Cost, MatrixMethod
from concord.methods.constraints import POSITIVE
from concord.similarity import co_occurrence, hc, lwca, pts

NEGLIGIBLE = 1e-12  # A change below this times the norm of A ends a run whatever ``tol``: multipliers may tend to zero
# Right sides given to the sparse solver together: a few times faster than one by one or all at once.
COLUMNS_AT_ONCE = 32
TILE = 192  # Rows and columns of a tile: those of all matrices of an iteration fit into the cache of a core


@dataclass(repr=False, eq=False)
class ECCMS(MatrixMethod):
    r"""Clustering ensemble by co-association matrix self-enhancement (Jia, Tao, Wang, Wang: TNNLS 2023).

    Splits a similarity matrix A into the enhanced matrix C and errors E,

    .. math:: \min_{C, E} \operatorname{tr}(C^\top \Phi C) + \frac\lambda2 \|E\|_F^2 \quad \text{subject to }
              A = C + E,\; E = 0 \text{ on } \Omega,\; C = C^\top,\; 0 \le C \le 1,

    by ADMM, with the Laplacian :math:`\Phi` and the pairs :math:`\Omega` of the high-confidence matrix: the
    co-association matrix where it is at least alpha. Average linkage of 1 - C, cut into exactly K clusters.

    Parameters
    ----------
    n_clusters, max_iter, random_state : see :class:`~concord.methods.base.ConsensusMethod`
    alpha : float > 0, default 0.8. Least co-association of a pair of high confidence. Useful: 0.7, 0.75, 0.8.
    lambda_ : float > 0, default 0.4. Weight of the errors. Useful: 0.01 to 1; from 100 on C is nearly A.
    similarity : {"lwca", "co_occurrence", "pts"}, default "lwca". A, a function of :mod:`concord.similarity`.
    laplacian : bool, default True. False: without the Laplacian term. Then C = A is the optimum, and is taken.
    high_confidence : bool, default True. False: without the constraint E = 0 on :math:`\Omega`.
    gamma1, gamma2 : float > 0, default 1.0
        Penalties of A = C + E and of C = F, the copy of C that is symmetric and in [0, 1].
    tol : float >= 0, default 0.01
        Stop when no variable and no multiplier changes by ``tol`` times its norm in an iteration. The authors' value,
        far before the optimum; 1e-10 with 10,000 iterations reaches that.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        C over the distinct label profiles. On its diagonal: two different objects with one profile.
    diagonal_ : ndarray, shape (n',). C of an object with itself, for each profile.
    change_path_ : ndarray, shape (n_iter_,). Largest relative change in each iteration; infinite in the first.
    converged_ : bool
        Whether ``tol`` was met. Not where E or a multiplier tends to zero, as with identical clusterings or alpha > 1:
        its relative change stays large, and the authors' program, too, runs to its last iteration.

    Notes
    -----
    As in the authors' program, the diagonal of the high-confidence matrix is zero, so that C is free there (the paper's
    formulas lock it to A), C and not F is clustered, and linkage reads the entries of C below the diagonal.
    """

    summary = "Clustering ensemble by co-association matrix self-enhancement (Jia, Tao, Wang, Wang: TNNLS 2023)."
    reference = (
        "Yuheng Jia, Sirui Tao, Ran Wang, Yongheng Wang: Ensemble Clustering via Co-Association Matrix "
        "Self-Enhancement. IEEE TNNLS, 2023."
    )
    cost = Cost(0.2, 5e-7, 2e-10, matrices=4)
    constraints = {"alpha": POSITIVE, "lambda_": POSITIVE, "gamma1": POSITIVE, "gamma2": POSITIVE}
    paths = {"change_path_": 1}

    alpha: float = 0.8
    lambda_: float = 0.4
    similarity: Literal["lwca", "co_occurrence", "pts"] = "lwca"
    _: KW_ONLY
    laplacian: bool = True
    high_confidence: bool = True
    gamma1: float = 1.0
    gamma2: float = 1.0
    tol: float = 1e-2
    max_iter: int = 100

    def _fit(self, ensemble: Ensemble) -> None:
        similarity = np.vstack([SIMILARITIES[self.similarity](ensemble), np.ones(ensemble.n_profiles)])
        if self.laplacian:
            similarity = self._enhanced(similarity, ensemble)
        else:
            self.n_iter_, self.converged_, self.change_path_ = 1, True, np.zeros(1)
        self.profile_matrix_, self.diagonal_ = similarity[:-1], similarity[-1].copy()
        # linkage reads above the diagonal, the authors' program below it
        self._set_linkage_labels(self.profile_matrix_.T, self.n_clusters)

    def consensus_matrix(self) -> FloatArray:
        """Return C over objects, shape (n, n)."""
        matrix = super().consensus_matrix()
        np.fill_diagonal(matrix, self.diagonal_[self._membership])
        return matrix

    def _enhanced(self, similarity: FloatArray, ensemble: Ensemble) -> FloatArray:
        """Run ADMM; return C with its border."""
        confident = hc(ensemble, self.alpha)
        inverse = Inverse(confident, ensemble.weights, self.gamma1 + self.gamma2)
        locked = confident > 0 if self.high_confidence else np.zeros_like(confident, dtype=bool)
        admm = Splitting(similarity, locked, inverse, (self.lambda_, self.gamma1, self.gamma2))
        path: list[float] = []
        self.converged_ = False
        while not self.converged_ and len(path) < self.max_iter:
            path.append(admm.iterate())
            self.converged_ = path[-1] < self.tol or admm.at_rest
        self.n_iter_, self.change_path_ = len(path), np.array(path)
        return admm.enhanced()


SIMILARITIES: dict[str, Callable[[Ensemble], FloatArray]] = {"lwca": lwca, "co_occurrence": co_occurrence, "pts": pts}


class Splitting:
    """C, its symmetric copy F, the errors E and the multipliers, all with a border: objects with themselves.

    Shape (n' + 1, n'). Each is held times the roots of the weights of its row and its column (the border: of its
    column), so that a sum of squares over the objects is one over the profiles, but for the diagonal of the block. The
    multiplier of A = C + E is lambda E, except on the locked pairs, where it is held by itself; that of C = F is held
    over gamma2, as U. An iteration goes over tiles, which fit into the cache. F: only the tiles on and above the
    diagonal.
    """

    def __init__(
        self, similarity: FloatArray, locked: npt.NDArray[np.bool_], inverse: "Inverse", penalties: tuple[float, ...]
    ) -> None:
        self._inverse, self._root = inverse, inverse.root
        self._lambda, self._gamma1, self._gamma2 = penalties
        self._a = similarity * self._root
        self._a[:-1] *= self._root[:, None]
        self._locked = np.vstack([locked, np.zeros(len(locked), dtype=bool)])
        self._pairs = np.flatnonzero(self._locked)
        rows, columns = np.divmod(self._pairs, len(self._root))
        self._pair_weights = 1 - (rows == columns) / self._root[columns] ** 2
        self._e = np.where(self._locked, 0.0, self._a / self._lambda)
        self._y1 = self._a.take(self._pairs)
        self._c, self._f, self._u = (np.zeros_like(self._a) for _ in range(3))
        self._target = (self._gamma1 + 1) * self._a
        self._before = np.zeros(5)
        self._negligible = NEGLIGIBLE * np.sqrt(sum_of_squares(self._a, 1 / self._root**2))
        self.at_rest = False

    def enhanced(self) -> FloatArray:
        """Return C with its border, no longer scaled."""
        matrix = self._c / self._root
        matrix[:-1] /= self._root[:, None]
        return matrix

    def iterate(self) -> float:
        """Update C, E, F and the multipliers; return the largest relative change in the Frobenius norm."""
        self._inverse.apply(self._target)
        self._c, self._target = self._target, self._c  # each tile of the old C is read, then written over
        squares = self._advance_border()
        size = len(self._root)
        blocks = [slice(first, min(first + TILE, size)) for first in range(0, size, TILE)]
        for rows, columns in combinations_with_replacement(blocks, 2):
            squares += self._advance_tiles(rows, columns)
        f, c, e, u = squares
        y1, y2 = self._lambda**2 * e + self._advance_locked(), self._gamma2**2 * u
        changes, norms = np.sqrt(np.maximum([c, e, f, y1, y2], 0)).T
        relative = np.divide(changes, self._before, out=np.full(5, np.inf), where=self._before > 0)
        self._before = norms
        self.at_rest = bool((changes <= self._negligible).all())
        return float(relative.max(where=changes != 0, initial=0))

    def _advance_border(self) -> FloatArray:
        """Advance the border; return sums of squares of F, C, E, U: of their changes, of them."""
        border = np.s_[-1:, :]
        raised = self._c[border] + self._u[border]
        f = np.clip(raised, 0, self._root)
        return np.vstack([self._advance_f(border, f), self._advance(border, raised, f)])

    def _advance_tiles(self, rows: slice, columns: slice) -> FloatArray:
        """Advance a tile and its mirror image, which share their entries of F; return sums of squares."""
        tile, mirror = (rows, columns), (columns, rows)
        raised, mirrored = (self._c[part] + self._u[part] for part in (tile, mirror))
        f = np.maximum((raised + mirrored.T) / 2, 0)
        np.minimum(f, np.outer(self._root[rows], self._root[columns]), out=f)
        if rows == columns:
            own = 1 / self._root[rows] ** 2
            return np.vstack([self._advance_f(tile, f, own), self._advance(tile, raised, f, own)])
        both = self._advance(tile, raised, f) + self._advance(mirror, mirrored, np.ascontiguousarray(f.T))
        return np.vstack([2 * self._advance_f(tile, f), both])

    def _advance_f(self, part: tuple[slice, slice], f: FloatArray, own: FloatArray | None = None) -> FloatArray:
        squares = np.array([sum_of_squares(f - self._f[part], own), sum_of_squares(f, own)])
        self._f[part] = f
        return squares

    def _advance(
        self, part: tuple[slice, slice], raised: FloatArray, f: FloatArray, own: FloatArray | None = None
    ) -> FloatArray:
        """Advance E, U and the target, ``raised`` being C + U before; return sums of squares of C, E, U."""
        a, c, old_e = self._a[part], self._c[part].copy(), self._e[part]
        change = a - c
        change -= old_e
        change *= self._gamma1 / (self._lambda + self._gamma1)
        change[self._locked[part]] = 0
        e, ascent, u = old_e + change, c - f, raised - f
        terms = ((c - self._target[part], c), (change, e), (ascent, u))
        squares = np.array([[sum_of_squares(matrix, own) for matrix in pair] for pair in terms])
        target = f - u
        target *= self._gamma2
        target += self._gamma1 * a
        target += (self._lambda - self._gamma1) * e
        self._e[part], self._u[part], self._target[part] = e, u, target
        return squares

    def _advance_locked(self) -> FloatArray:
        """Advance Y1 on the locked pairs and put it into the target; return its sums of squares."""
        ascent = self._gamma1 * (self._a.take(self._pairs) - self._c.take(self._pairs))
        self._y1 += ascent
        self._target.ravel()[self._pairs] += self._y1
        return np.array([self._pair_weights @ ascent**2, self._pair_weights @ self._y1**2])


class Inverse:
    """Inverse of 2 Phi + gamma I over the objects, by one sparse factorisation over the profiles.

    With H the confident matrix, r the weights and t = 2 H r + gamma, the objects' matrix is diag(t) less 2 H spread
    over the objects. It takes a block X beside diag(d) to B beside diag(t d), where X solves (diag(t) - 2 H diag(r)) X
    = B + 2 H diag(d): a sparse system, symmetric when scaled by sqrt(r).
    """

    def __init__(self, confident: FloatArray, weights: npt.NDArray[np.int64], gamma: float) -> None:
        from scipy.sparse import coo_array, csc_array, diags_array
        from scipy.sparse.linalg import splu

        self.root: FloatArray = np.sqrt(weights)
        self._t: FloatArray = 2 * confident @ weights + gamma
        pairs = coo_array(2 * confident)
        self._pairs = rows, columns = pairs.coords
        self._twice = self.root[rows] * pairs.data * self.root[columns]
        system = csc_array(diags_array(self._t) - coo_array((self._twice, pairs.coords), pairs.shape))
        self._factors = splu(system, "MMD_AT_PLUS_A", diag_pivot_thresh=0, options={"SymmetricMode": True})

    def apply(self, matrix: FloatArray) -> None:
        """Replace a scaled matrix with border by the product with it."""
        block = matrix[:-1]
        own = (matrix[-1] / self.root - block.diagonal() / self.root**2) / self._t
        block[self._pairs] += self._twice * own[self._pairs[1]]
        for first in range(0, len(own), COLUMNS_AT_ONCE):
            columns = slice(first, first + COLUMNS_AT_ONCE)
            block[:, columns] = self._factors.solve(block[:, columns])
        matrix[-1] = block.diagonal() / self.root + own * self.root


def sum_of_squares(matrix: FloatArray, own: FloatArray | None = None) -> float:
    """Return it over the objects; ``own``: the share of objects with themselves in a diagonal entry."""
    total = float(np.vdot(matrix, matrix))
    return total if own is None else total - float(own @ matrix.diagonal() ** 2)

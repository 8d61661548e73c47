"""EC-CMS: self-enhancement of a co-association matrix by its high-confidence pairs."""

# compiled kernels and SciPy are imported where needed, so that what does without them starts faster

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import Cost, MatrixMethod
from consclust.methods.constraints import POSITIVE
from consclust.similarity import co_occurrence, hc, lwca, pts

NEGLIGIBLE = 1e-12  # A change below this times the norm of A ends a run whatever ``tol``: multipliers may tend to zero


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
    n_clusters, max_iter, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    alpha : float > 0, default 0.8
        Least co-association of a pair of high confidence. Useful: 0.7, 0.75, 0.8.
    lambda_ : float > 0, default 0.4
        Weight of the errors. Useful: 0.01 to 1; from 100 on C is nearly A.
    similarity : {"lwca", "co_occurrence", "pts"}, default "lwca"
        A, a function of :mod:`consclust.similarity`.
    laplacian : bool, default True
        False: without the Laplacian term. Then C = A is the optimum, and is taken.
    high_confidence : bool, default True
        False: without the constraint E = 0 on :math:`\Omega`.
    gamma1, gamma2 : float > 0, default 1.0
        Penalties of A = C + E and of C = F, the copy of C that is symmetric and in [0, 1].
    tol : float >= 0, default 0.01
        Stop when no variable and no multiplier changes by ``tol`` times its norm in an iteration. The authors' value,
        far before the optimum; 1e-10 with 10,000 iterations reaches that.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        C over the distinct label profiles. On its diagonal: two different objects with one profile.
    diagonal_ : ndarray, shape (n',)
        C of an object with itself, for each profile.
    change_path_ : ndarray, shape (iterations,)
        Largest relative change in each iteration; infinite in the first.
    converged_ : bool
        Whether ``tol`` was met. Not where E or a multiplier tends to zero, as with identical clusterings or alpha > 1:
        its relative change stays large, and the authors' program, too, runs to its last iteration.

    Notes
    -----
    As in the authors' program, the diagonal of the high-confidence matrix is zero, so that C is free there (the paper's
    formulas lock it to A), C and not F is clustered, and linkage reads the entries of C below the diagonal.

    Examples
    --------
    >>> from consclust.methods import ECCMS
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> ECCMS(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Clustering ensemble by co-association matrix self-enhancement (Jia, Tao, Wang, Wang: TNNLS 2023)."
    reference = (
        "Yuheng Jia, Sirui Tao, Ran Wang, Yongheng Wang: Ensemble Clustering via Co-Association Matrix "
        "Self-Enhancement. IEEE TNNLS, 2023."
    )
    cost = Cost(0.2, 4e-7, 3e-11, matrices=1, profile_matrices=11)
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
        if self.laplacian:
            self.profile_matrix_, self.diagonal_ = self._enhanced(ensemble)
        else:
            self.profile_matrix_ = SIMILARITIES[self.similarity](ensemble)
            self.diagonal_ = np.ones(ensemble.n_profiles)
            self.n_iter_ = 1
            self.converged_ = True
            self.change_path_ = np.zeros(1)
        # linkage reads above the diagonal, the authors' program below it
        self._set_linkage_labels(self.profile_matrix_.T, self.n_clusters)

    def consensus_matrix(self) -> FloatArray:
        """Return C over objects, shape (n, n)."""
        matrix = super().consensus_matrix()
        np.fill_diagonal(matrix, self.diagonal_[self._membership])
        return matrix

    def _enhanced(self, ensemble: Ensemble) -> tuple[FloatArray, FloatArray]:
        """Run ADMM; return C over the profiles, and of every object with itself."""
        confident = hc(ensemble, self.alpha)
        inverse = Inverse(confident, ensemble.weights, self.gamma1 + self.gamma2)
        locked = confident > 0 if self.high_confidence else np.zeros_like(confident, dtype=bool)
        del confident
        similarity = SIMILARITIES[self.similarity](ensemble)
        admm = Splitting(similarity, locked, inverse, (self.lambda_, self.gamma1, self.gamma2))
        del similarity, locked
        path: list[float] = []
        self.converged_ = False
        while not self.converged_ and len(path) < self.max_iter:
            path.append(admm.iterate())
            self.converged_ = path[-1] < self.tol or admm.at_rest
        self.n_iter_, self.change_path_ = len(path), np.array(path)
        return admm.enhanced()


SIMILARITIES: dict[str, Callable[[Ensemble], FloatArray]] = {"lwca": lwca, "co_occurrence": co_occurrence, "pts": pts}


class Splitting:
    """C, V and the multiplier Y of A = C + E, all with a border: objects with themselves.

    Each is held as panels, see :mod:`consclust.numerics.kernels.eccms_kernels`, with the profiles in the order of
    ``inverse`` and times the roots of the weights of its row and its column (the border: of its column), so that a sum
    of squares over the objects is one over the profiles, but for the diagonal of the block. V and Y are all that an
    iteration leaves to the next: of V = C + U the symmetric part, clipped, is F, and U, the multiplier of C = F over
    gamma2, is the rest; Y is lambda E where E is free.
    """

    def __init__(
        self,
        similarity: FloatArray,
        locked: npt.NDArray[np.bool_],
        inverse: "Inverse",
        penalties: tuple[float, float, float],
    ) -> None:
        self._inverse, root = inverse, inverse.root
        self._penalties = self._lambda, self._gamma1, self._gamma2 = float(penalties[0]), *penalties[1:]
        self._locked = inverse.panels(locked, np.zeros(len(root), dtype=bool))
        scaled = similarity * root
        scaled *= root[:, None]
        self._a = inverse.panels(scaled, root)
        own = similarity.diagonal() * root
        self._negligible = NEGLIGIBLE * np.sqrt(np.vdot(scaled, scaled) + root @ root - own @ own)
        del scaled
        self._y = self._a.copy()
        self._c, self._v = np.zeros_like(self._a), np.zeros_like(self._a)
        self._target = (self._gamma1 + 1) * self._a
        self._before = np.zeros(5)
        self.at_rest = False

    def enhanced(self) -> tuple[FloatArray, FloatArray]:
        """Return C, no longer scaled: over the profiles, (n', n'), and of objects with themselves, (n',)."""
        root = self._inverse.root
        block, own = self._inverse.matrix(self._c)
        block /= root
        block /= root[:, None]
        return block, own / root

    def iterate(self) -> float:
        """Update C, E, F and the multipliers; return the largest relative change in the Frobenius norm."""
        from consclust.numerics.kernels.eccms_kernels import advance

        self._inverse.apply(self._target)
        self._c, self._target = self._target, self._c  # the old C is read, then written over
        fixed = self._penalties, self._inverse.panel_root, self._locked, self._a, self._c
        squares = advance(*fixed, self._v, self._y, self._target)
        scale = np.array([1, 1, self._gamma2, 1 / self._lambda, 1])
        changes, norms = scale * np.sqrt(squares.reshape(2, 5))
        relative = np.divide(changes, self._before, out=np.full(5, np.inf), where=self._before > 0)
        self._before = norms
        self.at_rest = bool((changes <= self._negligible).all())
        return float(relative.max(where=changes != 0, initial=0))


class Inverse:
    """Inverse of 2 Phi + gamma I over the objects, by one sparse factorisation over the profiles.

    With H the confident matrix, r the weights and t = 2 H r + gamma, the objects' matrix is diag(t) less 2 H spread
    over the objects. It takes a block X beside diag(d) to B beside diag(t d), where X solves (diag(t) - 2 H diag(r)) X
    = B + 2 H diag(d): a sparse system, symmetric when scaled by sqrt(r), and positive definite. It is factorised, and
    applied to panels, with the profiles in an order that keeps the factor sparse.
    """

    def __init__(self, confident: FloatArray, weights: npt.NDArray[np.int64], gamma: float) -> None:
        from scipy.sparse import coo_array, csc_array, diags_array, tril, triu
        from scipy.sparse.linalg import splu

        from consclust.numerics.kernels.eccms_kernels import COLUMNS

        self.root: FloatArray = np.sqrt(weights)
        t = 2 * confident @ weights + gamma
        pairs = coo_array(2 * confident)
        rows, columns = pairs.coords
        twice = self.root[rows] * pairs.data * self.root[columns]
        system = csc_array(diags_array(t) - coo_array((twice, pairs.coords), pairs.shape))
        # all pivots are on the diagonal, so that the rows and columns of L D L' have one order
        factors = splu(system, "MMD_AT_PLUS_A", diag_pivot_thresh=0, options={"SymmetricMode": True})
        self._place = place = factors.perm_c
        self._order = np.argsort(place)
        lower = csc_array(factors.L @ diags_array(np.sqrt(factors.U.diagonal())))
        self._reciprocals = 1 / lower.diagonal()
        self._before, self._after = _rows(tril(lower, -1)), _rows(triu(lower.T, 1))
        self._width = COLUMNS
        size = -(-len(weights) // COLUMNS) * COLUMNS
        self.panel_root = np.append(self.root[self._order], np.ones(size - len(weights)))
        self._t = np.append(t[self._order], np.ones(size - len(weights))).reshape(-1, COLUMNS)
        self._pairs = self._at(place[rows], place[columns])
        self._twice, self._partner = twice, place[columns]
        self._diagonal = self._at(np.arange(size), np.arange(size))

    def _at(self, rows: IntArray, columns: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return the places in the panels of entries of the matrix in the order of the factor."""
        return columns // self._width, rows, columns % self._width

    def panels(self, block: npt.NDArray[Any], border: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a matrix (n', n') and its border (n',) as panels, completed with zeros."""
        n, size = len(self._order), self.panel_root.size
        whole = np.zeros((size + 1, size), dtype=block.dtype)
        whole[:n, :n] = block[np.ix_(self._order, self._order)]
        whole[-1, :n] = border[self._order]
        return np.stack(np.split(whole, size // self._width, axis=1))

    def matrix(self, panels: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the matrix and the border that panels hold."""
        whole = np.hstack(list(panels))
        return whole[np.ix_(self._place, self._place)], whole[-1, self._place]

    def apply(self, panels: FloatArray) -> None:
        """Replace a scaled matrix with border by the product with it."""
        from consclust.numerics.kernels.eccms_kernels import solve

        root = self.panel_root.reshape(panels.shape[0], -1)
        diagonal = panels[self._diagonal].reshape(root.shape)
        own = (panels[:, -1] / root - diagonal / root**2) / self._t
        panels[self._pairs] += self._twice * own.ravel()[self._partner]
        solve(self._before, self._after, self._reciprocals, panels)
        panels[:, -1] = panels[self._diagonal].reshape(root.shape) / root + own * root


def _rows(matrix: Any) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer], FloatArray]:
    """Return a sparse matrix as the starts of its rows, the columns, which ascend in a row, and the entries."""
    from scipy.sparse import csr_array

    rows = csr_array(matrix)
    rows.sort_indices()
    return rows.indptr, rows.indices, rows.data

"""EC-CMS: solves with a sparse Cholesky factor, and all else of an iteration in one pass over the matrices.

The matrices are cut into panels of COLUMNS columns, each of which lies in one piece in the memory: shape (panels, rows,
COLUMNS). Rows and columns of zeros complete the last panel; the last row is the border, see :func:`advance`.
"""

import numpy as np
import numpy.typing as npt

from concord.ensemble import FloatArray
from concord.numerics.kernels import compiled, summed

Integers = npt.NDArray[np.integer]
Booleans = npt.NDArray[np.bool_]

COLUMNS = 64  # A few squares of this size fit into the cache of a core; no power of 2, of which caches hold few columns


@compiled
def solve(starts: Integers, rows: Integers, factor: FloatArray, panels: FloatArray) -> None:
    """Replace the right sides X in the panels by the solutions of (L L') X = X.

    L is sparse and lower triangular, its columns one after the other as in ``scipy.sparse.csc_array``: ``starts``, (n +
    1,), and ``rows`` and ``factor``, (nonzeros,), each column from its diagonal on, which holds 1 / L_jj.
    """
    n = starts.size - 1
    for panel in range(len(panels)):
        x = panels[panel]
        for j in range(n):
            inverse = factor[starts[j]]
            for column in range(COLUMNS):
                x[j, column] *= inverse
            for k in range(starts[j] + 1, starts[j + 1]):
                i, value = rows[k], factor[k]
                for column in range(COLUMNS):
                    x[i, column] -= value * x[j, column]
        for j in range(n - 1, -1, -1):
            for k in range(starts[j] + 1, starts[j + 1]):
                i, value = rows[k], factor[k]
                for column in range(COLUMNS):
                    x[j, column] -= value * x[i, column]
            inverse = factor[starts[j]]
            for column in range(COLUMNS):
                x[j, column] *= inverse


@compiled
def advance(
    penalties: tuple[float, float, float],
    root: FloatArray,
    locked: Booleans,
    a: FloatArray,
    c: FloatArray,
    v: FloatArray,
    y: FloatArray,
    target: FloatArray,
) -> FloatArray:
    """Advance F, E and the multipliers by one iteration of ADMM after C; return the sums of squares of all.

    Parameters
    ----------
    penalties : (lambda, gamma1, gamma2)
    root : shape (columns,). Roots r of the profiles' weights, 1 where there is no profile. Entry (i, j) of each matrix
        is held times r_i r_j; the last row holds the objects with themselves, times r_j.
    locked, a, c : panels. Where E = 0; the similarity A; the new C.
    v : panels, updated. C + U, with U the multiplier of C = F over gamma2. F is its symmetric part, clipped to [0, 1],
        and U = V - F.
    y : panels, updated. The multiplier of A = C + E, which is lambda E where E is free.
    target : panels, replaced. The old C becomes what the next C is solved from.

    Returns
    -------
    squares : shape (10,)
        Of the changes of C, F, U, free entries of Y, all entries of Y, then of themselves, over all pairs of objects.
    """
    last = root.size
    before, now = np.empty((2, COLUMNS, COLUMNS)), np.empty((2, COLUMNS, COLUMNS))
    work = np.zeros(19 * COLUMNS)
    work[8 * COLUMNS : 9 * COLUMNS] = 1.0
    for p in range(len(a)):
        for q in range(p, len(a)):
            clip_square(root, p, q, c, v, before, now)
            for i in range(COLUMNS):
                own = p * COLUMNS + i
                if p == q:  # a diagonal entry stands for r^2 (r^2 - 1) pairs of different objects
                    work[8 * COLUMNS + i] = 1 - 1 / root[own] ** 2
                advance_row(penalties, q, own, locked, a, c, before[0, i], now[0, i], v, y, target, work)
                work[8 * COLUMNS + i] = 1.0
                if p < q:
                    own = q * COLUMNS + i
                    advance_row(penalties, p, own, locked, a, c, before[1, i], now[1, i], v, y, target, work)
        for j in range(COLUMNS):
            most, old = root[p * COLUMNS + j], v[p, last, j]
            before[0, 0, j] = clipped = min(max(old, 0.0), most)
            now[0, 0, j] = min(max(c[p, last, j] + (old - clipped), 0.0), most)
        advance_row(penalties, p, last, locked, a, c, before[0, 0], now[0, 0], v, y, target, work)
    squares = np.empty(10)
    for k in range(10):
        squares[k] = summed(work[(9 + k) * COLUMNS : (10 + k) * COLUMNS])
    return squares


@compiled
def clip_square(
    root: FloatArray, p: int, q: int, c: FloatArray, v: FloatArray, before: FloatArray, now: FloatArray
) -> None:
    """Put F before and now in the rows of panel p and the columns of panel q into [0], its mirror image into [1]."""
    top, left = p * COLUMNS, q * COLUMNS
    for j in range(COLUMNS):
        old, new = v[p, left + j], c[p, left + j]
        for i in range(COLUMNS):
            before[0, i, j], now[0, i, j] = old[i], new[i]
    for i in range(COLUMNS):
        old, new = v[q, top + i], c[q, top + i]
        for j in range(COLUMNS):
            most, mean = root[top + i] * root[left + j], (old[j] + before[0, i, j]) / 2
            clipped = min(max(mean, 0.0), most)
            before[0, i, j] = clipped
            now[0, i, j] = min(max((new[j] + now[0, i, j]) / 2 + (mean - clipped), 0.0), most)
    for j in range(COLUMNS):
        for i in range(COLUMNS):
            before[1, j, i], now[1, j, i] = before[0, i, j], now[0, i, j]


@compiled
def advance_row(
    penalties: tuple[float, float, float],
    panel: int,
    row: int,
    locked: Booleans,
    a: FloatArray,
    c: FloatArray,
    before: FloatArray,
    now: FloatArray,
    v: FloatArray,
    y: FloatArray,
    target: FloatArray,
    work: FloatArray,
) -> None:
    """Advance a row of a panel as :func:`advance` does, given F before and now."""
    held, a_row, c_row, v_row = locked[panel, row], a[panel, row], c[panel, row], v[panel, row]
    y_row, target_row = y[panel, row], target[panel, row]
    for j in range(COLUMNS):
        work[j] = a_row[j]
    for j in range(COLUMNS):
        work[COLUMNS + j] = c_row[j]
    for j in range(COLUMNS):
        work[2 * COLUMNS + j] = v_row[j]
    for j in range(COLUMNS):
        work[3 * COLUMNS + j] = y_row[j]
    for j in range(COLUMNS):
        work[4 * COLUMNS + j] = target_row[j]
    for j in range(COLUMNS):
        work[5 * COLUMNS + j], work[6 * COLUMNS + j], work[7 * COLUMNS + j] = before[j], now[j], held[j]
    advance_entries(penalties, work)
    for j in range(COLUMNS):
        v_row[j] = work[2 * COLUMNS + j]
    for j in range(COLUMNS):
        y_row[j] = work[3 * COLUMNS + j]
    for j in range(COLUMNS):
        target_row[j] = work[4 * COLUMNS + j]


@compiled
def advance_entries(penalties: tuple[float, float, float], work: FloatArray) -> None:
    """Advance V, Y and the target, numbers 2 to 4, of A, C, V, Y, target, F before and now, locked, share of the pairs.

    These nine, and the ten sums of squares, lie one behind the other, COLUMNS numbers each: only a loop over one array
    becomes vector instructions.
    """
    lambda_, gamma1, gamma2 = penalties
    step, part = gamma1 / (lambda_ + gamma1), 1 - gamma1 / lambda_
    for j in range(COLUMNS):
        a, c, before, now = work[j], work[COLUMNS + j], work[5 * COLUMNS + j], work[6 * COLUMNS + j]
        locked, share = work[7 * COLUMNS + j], work[8 * COLUMNS + j]
        value = c + (work[2 * COLUMNS + j] - before)
        u = value - now
        ascent = gamma1 * (a - c) if locked else step * (lambda_ * (a - c) - work[3 * COLUMNS + j])
        y = work[3 * COLUMNS + j] + ascent
        known = y if locked else part * y
        free = 0.0 if locked else share
        work[9 * COLUMNS + j] += share * (c - work[4 * COLUMNS + j]) ** 2
        work[10 * COLUMNS + j] += share * (now - before) ** 2
        work[11 * COLUMNS + j] += share * (c - now) ** 2
        work[12 * COLUMNS + j] += free * ascent**2
        work[13 * COLUMNS + j] += share * ascent**2
        work[14 * COLUMNS + j] += share * c**2
        work[15 * COLUMNS + j] += share * now**2
        work[16 * COLUMNS + j] += share * u**2
        work[17 * COLUMNS + j] += free * y**2
        work[18 * COLUMNS + j] += share * y**2
        work[2 * COLUMNS + j], work[3 * COLUMNS + j] = value, y
        work[4 * COLUMNS + j] = known + gamma1 * a + gamma2 * (now - u)

"""EC-CMS: solves with a sparse Cholesky factor, and all else of an iteration in one pass over the matrices.

The matrices are cut into panels of COLUMNS columns, each of which lies in one piece in the memory: shape (panels, rows,
COLUMNS). Rows and columns of zeros complete the last panel; the last row is the border, see :func:`advance`.
"""

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray
from consclust.numerics.kernels import compiled, summed

Integers = npt.NDArray[np.integer]
Booleans = npt.NDArray[np.bool_]
Sparse = tuple[Integers, Integers, FloatArray]  # As in scipy.sparse.csr_array: starts of the rows, columns, entries

COLUMNS = 64  # A few squares of this size fit into the cache of a core


@compiled
def solve(before: Sparse, after: Sparse, reciprocals: FloatArray, panels: FloatArray) -> None:
    """Replace the right sides X in the panels by the solutions of (L L') X = X.

    L is sparse and lower triangular: the rows of what is below the diagonal are ``before``, its columns ``after``, and
    ``reciprocals``, (n,), are 1 / L_jj.
    """
    n = reciprocals.size
    for panel in range(len(panels)):
        x = panels[panel]
        for j in range(n):
            eliminate(x, j, before, reciprocals[j])
        for j in range(n - 1, -1, -1):
            eliminate(x, j, after, reciprocals[j])


@compiled
def eliminate(x: FloatArray, j: int, others: Sparse, factor: float) -> None:
    """Subtract from row j its ``others`` times their values, then multiply it by ``factor``.

    Four at a time, one after the other: a row is read and written once for four of them.
    """
    starts, rows, values = others
    first, last = starts[j], starts[j + 1]
    fours = last - (last - first) % 4
    for k in range(first, fours, 4):
        row0 = rows[k]
        row1 = rows[k + 1]
        row2 = rows[k + 2]
        row3 = rows[k + 3]
        value0 = values[k]
        value1 = values[k + 1]
        value2 = values[k + 2]
        value3 = values[k + 3]
        for t in range(COLUMNS):
            x[j, t] = x[j, t] - value0 * x[row0, t] - value1 * x[row1, t] - value2 * x[row2, t] - value3 * x[row3, t]
    for k in range(fours, last):
        row, value = rows[k], values[k]
        for t in range(COLUMNS):
            x[j, t] -= value * x[row, t]
    for t in range(COLUMNS):
        x[j, t] *= factor


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
    work = np.zeros(14 * COLUMNS)
    work[:COLUMNS] = 1.0
    for p in range(len(a)):
        for q in range(p, len(a)):
            clip_square(root, p, q, c, v, before, now)
            for i in range(COLUMNS):
                own = p * COLUMNS + i
                if p == q:  # a diagonal entry stands for r^2 (r^2 - 1) pairs of different objects
                    work[i] = 1 - 1 / root[own] ** 2
                advance_row(penalties, q, own, locked, a, c, before[0, i], now[0, i], v, y, target, work)
                work[i] = 1.0
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
        squares[k] = summed(work[(4 + k) * COLUMNS : (5 + k) * COLUMNS])
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
    """Advance a row of a panel as :func:`advance` does, given F before and now.

    ``work`` holds, COLUMNS numbers each: the share of the pairs that an entry stands for; the new V, Y and target; the
    ten sums of squares. All that a loop writes lies in this one array, or it would not become vector instructions.
    """
    lambda_, gamma1, gamma2 = penalties
    step, part = gamma1 / (lambda_ + gamma1), 1 - gamma1 / lambda_
    held = locked[panel, row]
    a_row = a[panel, row]
    c_row = c[panel, row]
    v_row = v[panel, row]
    y_row, target_row = y[panel, row], target[panel, row]
    for j in range(COLUMNS):
        difference = a_row[j] - c_row[j]
        new = c_row[j]
        old = y_row[j]
        share = work[j]
        value = new + (v_row[j] - before[j])
        u = value - now[j]
        ascent = gamma1 * difference if held[j] else step * (lambda_ * difference - old)
        multiplier = old + ascent
        known = multiplier if held[j] else part * multiplier
        free = 0.0 if held[j] else share
        work[COLUMNS + j], work[2 * COLUMNS + j] = value, multiplier
        work[3 * COLUMNS + j] = known + gamma1 * a_row[j] + gamma2 * (now[j] - u)
        work[4 * COLUMNS + j] += share * (new - target_row[j]) ** 2
        work[5 * COLUMNS + j] += share * (now[j] - before[j]) ** 2
        work[6 * COLUMNS + j] += share * (new - now[j]) ** 2
        work[7 * COLUMNS + j] += free * ascent**2
        work[8 * COLUMNS + j] += share * ascent**2
        work[9 * COLUMNS + j] += share * new**2
        work[10 * COLUMNS + j] += share * now[j] ** 2
        work[11 * COLUMNS + j] += share * u**2
        work[12 * COLUMNS + j] += free * multiplier**2
        work[13 * COLUMNS + j] += share * multiplier**2
    for j in range(COLUMNS):
        v_row[j] = work[COLUMNS + j]
    for j in range(COLUMNS):
        y_row[j] = work[2 * COLUMNS + j]
    for j in range(COLUMNS):
        target_row[j] = work[3 * COLUMNS + j]

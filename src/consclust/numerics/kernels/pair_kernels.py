"""PEACE's pairs of objects: log-likelihood, derivatives, and Newton steps for one object after the other.

Counts are whole numbers, of any type: ``together``, c, and ``apart``, N - c. ``share`` is a = y_i'y_j. Loops over the
objects hold nothing that a compiler could not do for several at once, but for the sums, which have a fixed order.
"""

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray
from consclust.numerics.kernels import compiled, summed

Counts = npt.NDArray[np.integer] | FloatArray
Floats = npt.NDArray[np.floating]

TINY = 1e-100  # Stands for a denominator of 0, whose numerator is 0 wherever the likelihood is finite: 0/0 counts as 0
ACCURACY = 1e-9  # Part of the slope at its beginning that a line search may leave
BISECTIONS = 100  # Most steps of a line search
ROOT_HALF = 0x3FE6A09E667F3BCD  # Bits of the square root of 1/2
LANES = 32  # Partial sums of an inner product, of four products each time


@compiled
def derivatives(
    together: Counts, apart: Counts, share: FloatArray, weights: FloatArray, curvature: Floats, steepest: float
) -> None:
    """Fill in omega = c / a - (N - c) / (1 - a) and c / a^2 + (N - c) / (1 - a)^2, the latter at most ``steepest``.

    All matrices have one shape.
    """
    for i in range(len(share)):
        for j in range(share.shape[1]):
            joined, parted = 1 / max(share[i, j], TINY), 1 / max(1 - share[i, j], TINY)
            weights[i, j] = together[i, j] * joined - apart[i, j] * parted
            curvature[i, j] = min(together[i, j] * joined * joined + apart[i, j] * parted * parted, steepest)


@compiled
def narrow(weights: FloatArray, steepest: float, narrowed: npt.NDArray[np.float32]) -> None:
    """Copy the weights in single precision, none beyond ``steepest``; both have one shape."""
    for i in range(len(weights)):
        for j in range(weights.shape[1]):
            narrowed[i, j] = min(max(weights[i, j], -steepest), steepest)


@compiled
def rise(together: Counts, apart: Counts, old: FloatArray | None, new: FloatArray, first: int) -> float:
    """Return the rise of c log a + (N - c) log(1 - a), summed over pairs, from ``old`` to ``new`` a.

    These hold rows of the matrix of all pairs, from ``first`` on, and the columns from ``first`` on; the pairs above
    the diagonal count. Without ``old`` the old probabilities are 1. -inf if a pair has probability 0 for what is
    counted.
    """
    rows, n = new.shape
    terms, work = np.zeros(n), np.empty((3, n))
    for r in range(rows):
        i, last = first + r, n - r - 1
        c, d = together[i, i + 1 :], apart[i, i + 1 :]
        before = None if old is None else old[r, r + 1 :]
        if not add_rise(c, d, before, new[r, r + 1 :], terms[:last], work):
            return -np.inf
    return summed(terms)


@compiled
def add_rise(
    together: Counts, apart: Counts, old: FloatArray | None, new: FloatArray, terms: FloatArray, work: FloatArray
) -> bool:
    """Add the rise of each pair to ``terms``, of shape (n,) as the others; False if one leaves the domain of f."""
    n = new.size
    joined = work[0, :n]
    parted = work[1, :n]
    exponents = work[2, :n]
    inside = True
    for j in range(n):
        inside &= ((new[j] > 0) | (together[j] == 0)) & ((new[j] < 1) | (apart[j] == 0))
        joined[j], parted[j] = max(new[j], TINY), max(1 - new[j], TINY)
    if old is not None:
        for j in range(n):
            joined[j], parted[j] = joined[j] / max(old[j], TINY), parted[j] / max(1 - old[j], TINY)
    logarithms(joined, exponents)
    logarithms(parted, exponents)
    for j in range(n):
        terms[j] += together[j] * joined[j] + apart[j] * parted[j]
    return inside


@compiled
def logarithms(values: FloatArray, exponents: FloatArray) -> None:
    """Replace positive normal numbers by their natural logarithms; ``exponents`` is for scratch work, shape (n,).

    The algorithm of FreeBSD's e_log.c (Sun Microsystems, 1993), whose error is below one unit in the last place, for
    many numbers at once: the mathematical library takes them one by one, and its last bit depends on the processor.
    """
    bits = values.view(np.int64)
    for j in range(values.size):
        exponent = (bits[j] - ROOT_HALF) >> 52
        bits[j] -= exponent << 52
        exponents[j] = exponent
    for j in range(values.size):
        f = values[j] - 1
        s = np.divide(f, 2 + f)
        z, half = s * s, 0.5 * f * f
        r = 0.1531383769920937332 + z * 0.1479819860511658591
        r = 0.2222219843214978396 + z * (0.1818357216161805012 + z * r)
        r = z * (0.6666666666666735130 + z * (0.3999999999940941908 + z * (0.2857142874366239149 + z * r)))
        k = exponents[j]
        values[j] = k * 6.93147180369123816490e-01 - (half - (s * (half + r) + k * 1.90821492927058770002e-10) - f)


@compiled
def sweep(
    together: Counts,
    apart: Counts,
    columns: FloatArray,
    least: FloatArray,
    sufficient: float,
    most_halvings: int,
    ridge: float,
) -> float:
    """Give in turn every row whose slopes differ by ``least``, (n,), a Newton step over its simplex, as far as f rises.

    ``columns``, Y' of shape (K, n), is improved in place; the counts have shape (n, n). A step is halved until it gives
    a ``sufficient`` part of the rise that the gradient promises; the ridge is relative to the Hessian's diagonal.
    Counts on the diagonal are those of pairs inside a row. Their c log y'y is not concave, and the step takes its bound
    c log(2 y'z - y'y) for z near y, which is. Returns the rise of the log-likelihood over all pairs.
    """
    risen = 0.0
    size, n = columns.shape
    shares = np.empty((2, n))
    weights = np.empty(n)
    curvature = np.empty(n)
    differences = np.empty((2, size, n))
    terms = np.empty(n)
    work = np.empty((3, n))
    diagonal = np.empty(size)
    g = np.empty(size)
    for i in range(n):
        y = columns[:, i].copy()
        _combine(columns, y, shares[0])
        derivatives(together[i : i + 1], apart[i : i + 1], shares[:1], weights[None], curvature[None], np.inf)
        for k in range(size):
            g[k] = _dot(columns[k], weights)
        if g.max() - g[y > 0].min() < least[i]:
            continue
        curvature[i] *= 2  # that of the bound
        base = y.argmax()
        for k in range(size):
            for j in range(n):
                differences[0, k, j] = columns[k, j] - columns[base, j]
                differences[1, k, j] = differences[0, k, j] * curvature[j]
            diagonal[k] = _dot(differences[0, k], differences[1, k])
        diagonal += ridge * diagonal.max() + TINY
        slope = g - g[base]
        bound = y + slope / diagonal <= 0
        bound[base] = True
        free = np.flatnonzero(~bound)
        move = np.where(bound, -y, 0.0)
        if free.size > 0:
            hessian = np.diag(diagonal[free])
            for a in range(free.size):
                for b in range(a):
                    entry = _dot(differences[0, free[a]], differences[1, free[b]])
                    hessian[a, b] = hessian[b, a] = entry
            move[free] = np.linalg.solve(hessian, slope[free])
        move[base] = 0.0
        for halvings in range(most_halvings):
            new = _retracted(y, move / 2.0**halvings, base)
            _combine(columns, new, shares[1])
            shares[1, i] = summed(new * new)
            terms[:] = 0.0
            inside = add_rise(together[i], apart[i], shares[0], shares[1], terms, work)
            terms[i] /= 2
            gain = summed(terms)
            if inside and gain >= max(sufficient * summed(g * (new - y)), 0.0):
                columns[:, i] = new
                risen += gain
                break
    return risen


@compiled
def _retracted(y: FloatArray, move: FloatArray, base: np.integer) -> FloatArray:
    """Return y + move in the simplex: negative memberships become 0, that of the base takes the rest."""
    new = np.maximum(y + move, 0.0)
    new[base] = 0.0
    new /= max(summed(new), 1.0)
    new[base] = max(1 - summed(new), 0.0)
    return new


@compiled
def _combine(columns: FloatArray, y: FloatArray, share: FloatArray) -> None:
    """Fill in Y y, shape (n,)."""
    share[:] = 0.0
    for k in range(len(columns)):
        if y[k] != 0:
            for j in range(share.size):
                share[j] += y[k] * columns[k, j]


@compiled
def _dot(one: FloatArray, other: FloatArray) -> float:
    """Return the inner product, as the sum of partial sums over every LANES-th pair."""
    partial = np.zeros(LANES)
    full = one.size - one.size % (4 * LANES)
    for start in range(0, full, 4 * LANES):
        for lane in range(start, start + LANES):
            partial[lane - start] += (one[lane] * other[lane] + one[lane + LANES] * other[lane + LANES]) + (
                one[lane + 2 * LANES] * other[lane + 2 * LANES] + one[lane + 3 * LANES] * other[lane + 3 * LANES]
            )
    for j in range(full, one.size):
        partial[(j - full) % LANES] += one[j] * other[j]
    return summed(partial)


@compiled
def steps(
    together: Counts, apart: Counts, y: FloatArray, g: FloatArray, tau: float, gains: FloatArray
) -> tuple[int, bool]:
    """Take at most as many steps as ``gains`` has room for, each for two memberships of the object of the largest gap.

    ``y`` and ``g``, the memberships and half the gradient, (K, n), are updated in place; ``gains`` holds half the rise
    of f. Returns the number of steps, and whether no gap exceeds ``tau``.
    """
    n = y.shape[1]
    shares = np.empty((2, n))  # before a step and after it
    terms = np.empty(n)
    work = np.empty((3, n))
    old_weights = np.empty((1, n))
    weights = np.empty((1, n))
    unused = np.empty((1, n))
    for count in range(gains.size + 1):
        j, gap = _widest(y, g, terms, work[0])
        if gap <= tau or count == gains.size:
            return count, gap <= tau
        u = g[:, j].argmax()
        v = _least_of_support(y[:, j], g[:, j])
        _combine(y, y[:, j].copy(), shares[0])
        change = y[u] - y[v]
        step = line_search(together[j], apart[j], shares[0], change, y[v, j])
        old = y[:, j].copy()
        y[u, j] += step
        y[v, j] = 0.0 if step == old[v] else y[v, j] - step
        for i in range(n):
            shares[1, i] = shares[0, i] + step * change[i]
        terms[:] = 0.0
        inside = add_rise(together[j], apart[j], shares[0], shares[1], terms, work)
        gains[count] = summed(terms) if inside else -np.inf
        derivatives(together[j : j + 1], apart[j : j + 1], shares[:1], old_weights, unused, np.inf)
        derivatives(together[j : j + 1], apart[j : j + 1], shares[1:], weights, unused, np.inf)
        _update_gradient(y, old, j, weights[0], old_weights[0], g)
    return gains.size, False


@compiled
def _least_of_support(y: FloatArray, g: FloatArray) -> int:
    """Return the first cluster of the least gradient among those with a positive membership; -1 if there is none."""
    least = -1
    for k in range(y.size):
        if y[k] > 0 and (least < 0 or g[k] < g[least]):
            least = k
    return least


@compiled
def _update_gradient(
    y: FloatArray, old: FloatArray, j: int, weights: FloatArray, old_weights: FloatArray, g: FloatArray
) -> None:
    """Update the gradient after object j has changed its memberships from ``old``; its own is computed anew."""
    size, n = y.shape
    for k in range(size):
        if old[k] != 0 or y[k, j] != 0:
            for i in range(n):
                g[k, i] += weights[i] * y[k, j] - old_weights[i] * old[k]
    for k in range(size):
        g[k, j] = _dot(weights, y[k])


@compiled
def _widest(y: FloatArray, g: FloatArray, top: FloatArray, low: FloatArray) -> tuple[int, float]:
    """Return the first object of the largest gap, max_k g_k - min over its support, and that gap."""
    top[:], low[:] = -np.inf, np.inf
    for k in range(len(y)):
        for i in range(top.size):
            top[i], low[i] = max(top[i], g[k, i]), min(low[i], g[k, i] if y[k, i] > 0 else np.inf)
    j = (top - low).argmax()
    return int(j), float(top[j] - low[j])


@compiled
def line_search(together: Counts, apart: Counts, share: FloatArray, change: FloatArray, longest: float) -> float:
    """Return the step in (0, longest] up to which the falling slope is not negative, by Newton in a bracket.

    An object's a, shape (n,), becomes ``share + step * change``.
    """
    if slope(together, apart, share, change, longest)[0] >= 0:
        return longest
    low = 0.0
    high = longest
    step = 0.0
    first, steeper = slope(together, apart, share, change, step)
    here = first
    for _ in range(BISECTIONS):
        # a bit too far from the right, lest all steps but the last stay there
        proposed = step - here / steeper * (1.0 if here > 0 else 1.01) if steeper < 0 else high
        step = proposed if low < proposed < high else (low + high) / 2
        here, steeper = slope(together, apart, share, change, step)
        if here < 0:
            high = step
            continue
        low = step
        if here <= ACCURACY * first:
            break
    return low


@compiled
def slope(together: Counts, apart: Counts, share: FloatArray, change: FloatArray, step: float) -> tuple[float, float]:
    """Return rho, the derivative by the step of half of f, and rho's derivative; -inf outside the domain of f."""
    rho, steeper = 0.0, 0.0
    for j in range(share.size):
        a = share[j] + step * change[j]
        if (a <= 0 and together[j] > 0) or (a >= 1 and apart[j] > 0):
            return -np.inf, -np.inf
        joined, parted = change[j] / max(a, TINY), change[j] / max(1 - a, TINY)
        rho += together[j] * joined - apart[j] * parted
        steeper -= together[j] * joined * joined + apart[j] * parted * parted
    return rho, steeper

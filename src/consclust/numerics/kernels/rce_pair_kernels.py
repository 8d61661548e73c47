"""RCE's objective for one pair of objects, its errors eliminated, and its minimum plus a line or a parabola.

A pair is joined by ``on`` clusterings and parted by ``off``. At the consensus s = A_pq its part of J4, with the best
errors of Theorem 3, is phi(s) = on f(s) + off f(1 - s). With y = 1 - h(1 - s), so that s = y (1 - lambda1 + lambda1 y)
and 1 - s = (1 - y) (1 + lambda1 y), the divergence and the penalty of a clustering that joins the pair are

    f(s)  = s log(s / y) + (1 - s) log((1 - s) / (1 - y)) + lambda1 (1 - y)
          = s f'(s) + log(1 + lambda1 y) + lambda1 (1 - y),
    f'(s) = log((1 - lambda1 + lambda1 y) / (1 + lambda1 y)),

where f' is the derivative because y is the best one. No digits cancel in these forms.
"""

from math import exp, log, log1p, sqrt

from consclust.ensemble import FloatArray
from consclust.numerics.kernels import compiled
from consclust.numerics.kernels.rce_kernels import unshrunk

STEPS = 100  # Most Newton steps and bisections for one root; some 10 are usual
FARTHEST = 700.0  # Largest logit of an entry; exp(-700) is still a normal number
ACCURACY = 4e-16  # Change of the variable that ends the search of a root, absolute or relative
RESIDUAL = 1e-15  # Derivative that counts as zero, by the sum of what it is made of


@compiled
def slope(s: float, y: float, lambda1: float) -> float:
    """Return f'(s); -inf at s = 0 where lambda1 >= 1."""
    if lambda1 < 1:
        return log1p(-lambda1 / (1 + lambda1 * y))
    return log(s / (y * (1 + lambda1 * y))) if s > 0 else -float("inf")


@compiled
def part(s: float, lambda1: float) -> float:
    """Return f(s), the divergence and the penalty of a clustering that joins the pair."""
    y = unshrunk(s, lambda1)
    rest = log1p(lambda1 * y) + lambda1 * (1 - y)
    return s * slope(s, y, lambda1) + rest if s > 0 else rest


@compiled
def pair_value(on: float, off: float, s: float, lambda1: float) -> float:
    """Return phi(s)."""
    joined = on * part(s, lambda1) if on > 0 else 0.0
    return joined + off * part(1 - s, lambda1) if off > 0 else joined


@compiled
def derivatives(on: float, off: float, s: float, rest: float, lambda1: float) -> tuple[float, float, float]:
    """Return phi'(s), phi''(s) s (1 - s), and the sum of the absolute values in phi'; ``rest`` is 1 - s."""
    value = 0.0
    curvature = 0.0
    size = 0.0
    if on > 0:
        y = unshrunk(s, lambda1)
        joined = on * slope(s, y, lambda1)
        value += joined
        size += abs(joined)
        curvature += on * bend(s, rest, y, lambda1)
    if off > 0:
        y = unshrunk(rest, lambda1)
        parted = off * slope(rest, y, lambda1)
        value -= parted
        size += abs(parted)
        curvature += off * bend(rest, s, y, lambda1)
    return value, curvature, size


@compiled
def bend(s: float, rest: float, y: float, lambda1: float) -> float:
    """Return f''(s) s (1 - s) = lambda1^2 y (1 - y) / (1 - lambda1 + 2 lambda1 y); 0 at the ends where lambda1 < 1."""
    if y == 0 or lambda1 == 0:
        return 0.0
    return lambda1**2 * y * rest / ((1 + lambda1 * y) * sqrt((1 - lambda1) ** 2 + 4 * lambda1 * s))


@compiled
def minimise_pair(
    on: float, off: float, lambda1: float, line: float, parabola: float, low: float, high: float, start: float
) -> tuple[float, float]:
    """Return where phi(s) + line s + parabola s^2 / 2 is least in [low, high], and the derivative there.

    Newton's method, with a bracket, from ``start``. The variable is the logit of s, in which the derivative is nearly
    linear; where lambda1 < 1 it is s itself, because the slopes of phi are finite at 0 and 1, and the ends are reached.
    """
    in_logit = lambda1 >= 1
    left = logit(low) if in_logit else low
    right = logit(high) if in_logit else high
    left_is_known = False
    right_is_known = False
    x = min(max(logit(start) if in_logit else start, left), right)
    s = x
    value = 0.0
    for _ in range(STEPS):
        s = 1 / (1 + exp(-x)) if in_logit else x
        rest = 1 / (1 + exp(x)) if in_logit else 1 - x
        value, curvature, size = derivatives(on, off, s, rest, lambda1)
        value += line + parabola * s
        if abs(value) <= RESIDUAL * (size + abs(line) + parabola * s):
            break
        if value > 0:
            right = x
            right_is_known = True
        else:
            left = x
            left_is_known = True
        steepness = curvature + parabola * s * rest
        if not in_logit and s * rest > 0:
            steepness /= s * rest
        new = next_point(x, value, steepness, left, right, left_is_known, right_is_known)
        if abs(new - x) <= ACCURACY * (1 + abs(x)):
            break
        x = new
    return s, value


@compiled
def next_point(
    x: float, value: float, steepness: float, left: float, right: float, left_is_known: bool, right_is_known: bool
) -> float:
    """Return Newton's next point for an increasing function with that value at x.

    If that is not inside the bracket: the end in whose direction it is, if nothing is known there, else the middle.
    """
    if steepness > 0:
        new = x - value / steepness
        if left < new < right:
            return new
    if value > 0 and not left_is_known:
        return left
    if value < 0 and not right_is_known:
        return right
    return (left + right) / 2


@compiled
def logit(s: float) -> float:
    """Return log(s / (1 - s)), at most FARTHEST from 0."""
    if s <= 0 or s >= 1:
        return -FARTHEST if s <= 0 else FARTHEST
    return min(max(log(s / (1 - s)), -FARTHEST), FARTHEST)


@compiled
def minimise_pairs(
    on: FloatArray,
    off: FloatArray,
    lambda1: float,
    lines: FloatArray,
    parabola: float,
    low: float,
    high: float,
    s: FloatArray,
) -> None:
    """Replace each entry of ``s`` by the minimum of :func:`minimise_pair`, which starts there; all have shape (f,)."""
    for i in range(s.size):
        s[i] = minimise_pair(on[i], off[i], lambda1, lines[i], parabola, low, high, s[i])[0]


@compiled
def sum_of_minima(
    on: FloatArray,
    off: FloatArray,
    lambda1: float,
    lines: FloatArray,
    low: float,
    high: float,
    s: FloatArray,
    multiplicities: FloatArray,
) -> float:
    """Return a lower bound of the sum of min phi(s) + line s, as good as the minima are found; ``s`` as above.

    phi is convex, so that it is nowhere below its tangent at the point that was found. The tangent's least value is the
    bound, which holds however near that point is to the minimum.
    """
    total = 0.0
    for i in range(s.size):
        s[i], slope_there = minimise_pair(on[i], off[i], lambda1, lines[i], 0.0, low, high, s[i])
        distance = s[i] - low if slope_there > 0 else s[i] - high
        least = pair_value(on[i], off[i], s[i], lambda1) + lines[i] * s[i] - slope_there * distance
        total += multiplicities[i] * least
    return total


@compiled
def sum_of_values(on: FloatArray, off: FloatArray, lambda1: float, s: FloatArray, multiplicities: FloatArray) -> float:
    """Return the sum of phi(s), each pair as often as its multiplicity says; all have shape (f,)."""
    total = 0.0
    for i in range(s.size):
        total += multiplicities[i] * pair_value(on[i], off[i], s[i], lambda1)
    return total

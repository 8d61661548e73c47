"""RCE: the E-step, the A-step and the divergence, each in one pass over the pairs of profiles."""

from math import log, sqrt

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray
from consclust.numerics.kernels import compiled
from consclust.numerics.kernels.pair_kernels import logarithms

WIDTH = 64  # Entries that are updated together


@compiled
def shrunk(s: float, lambda1: float) -> float:
    """Return h(s) of Theorem 3, all digits kept: h(0) = 0, h(1) = min(1, 1 / lambda1)."""
    return min(2 * s / (1 + lambda1 + sqrt((1 - lambda1) ** 2 + 4 * lambda1 * (1 - s))), s)


@compiled
def unshrunk(s: float, lambda1: float) -> float:
    """Return 1 - h(1 - s), all digits kept: the root in [0, 1] of lambda1 y^2 + (1 - lambda1) y = s."""
    if s == 0 and lambda1 <= 1:
        return 0.0
    root = sqrt((1 - lambda1) ** 2 + 4 * lambda1 * s)
    high = (lambda1 - 1 + root) / (2 * lambda1) if lambda1 > 1 else 2 * s / (1 - lambda1 + root)
    return min(max(high, s), 1.0)


@compiled
def weighted_log(weight: float, x: float) -> float:
    """Return ``weight * log(x)`` with 0 log x = 0, and with -inf for log 0."""
    if weight == 0:
        return 0.0
    return weight * log(x) if x > 0 else -np.inf


@compiled
def hard_errors(
    joined: FloatArray,
    observed: FloatArray,
    lambda1: float,
    weights: npt.NDArray[np.int64],
    a: FloatArray,
    cost: FloatArray,
) -> float:
    """Take the E-step for 0/1 connective matrices: Y = 1 - h(1 - s) where a clustering joins a pair, else h(s).

    Parameters
    ----------
    joined, observed : shape (n', n'), symmetric. Clusterings that join a pair, and that contain both of it.
    weights : shape (n',). A pair of profiles stands for w_p w_q pairs of objects.
    a : shape (n', n'). Consensus matrix, of which s is the symmetric part.
    cost : shape (n', n'), replaced. Sum over the clusterings of log(1 - Y) - log Y; 0 where s is 0 or 1.

    Returns
    -------
    constant : float. Sum of what :func:`settled` returns over all pairs of objects.
    """
    total = 0.0
    for p in range(len(a)):
        row = 0.0
        for q in range(p + 1):
            s, on = (a[p, q] + a[q, p]) / 2, joined[p, q]
            off = observed[p, q] - on
            low, low_off = shrunk(s, lambda1), shrunk(1 - s, lambda1)
            log_on = weighted_log(on, unshrunk(s, lambda1)) + weighted_log(off, low)
            log_off = weighted_log(on, low_off) + weighted_log(off, unshrunk(1 - s, lambda1))
            constant = settled(p, q, s, log_on, log_off, lambda1 * (on * low_off + off * low), cost)
            row += (1 + (p != q)) * weights[q] * constant
        total += weights[p] * row
    return total


@compiled
def soft_errors(connective: FloatArray, lambda1: float, a: FloatArray, cost: FloatArray) -> float:
    """Take the E-step for entries in [0, 1], (m, n, n): Y is A(i), moved no further than between h(s), 1 - h(1 - s).

    Otherwise as :func:`hard_errors`, with weights 1.
    """
    total = 0.0
    for p in range(len(a)):
        for q in range(p + 1):
            s = (a[p, q] + a[q, p]) / 2
            log_on = 0.0
            log_off = 0.0
            norm = 0.0
            least, most = shrunk(s, lambda1), unshrunk(s, lambda1)
            least_off, most_off = shrunk(1 - s, lambda1), unshrunk(1 - s, lambda1)
            for given in connective[:, p, q]:
                cleaned = min(max(given, least), most)
                log_on += weighted_log(1.0, cleaned)
                log_off += weighted_log(1.0, min(max(1 - given, least_off), most_off))
                norm += abs(given - cleaned)
            total += (1 + (p != q)) * settled(p, q, s, log_on, log_off, lambda1 * norm, cost)
    return total


@compiled
def settled(p: int, q: int, s: float, log_on: float, log_off: float, penalty: float, cost: FloatArray) -> float:
    """Put what an E-step finds for a pair into ``cost``; return what it adds to J4 at the likelier end of a.

    The part of J4 that depends on Y is -a log_on - (1 - a) log_off + penalty: at a = 0, and a cost more from there for
    a cost >= 0; at a = 1, and -(1 - a) cost more from there for a cost < 0. So no large numbers cancel.
    """
    cost[p, q] = cost[q, p] = log_off - log_on if 0 < s < 1 else 0.0
    return penalty - (log_on if s == 1 or cost[p, q] < 0 else log_off)


@compiled
def a_step(
    places: npt.NDArray[np.int64],
    free: npt.NDArray[np.int64],
    cost: FloatArray,
    observed: FloatArray,
    pulls: FloatArray,
    margin: float,
    a: FloatArray,
    change: npt.NDArray[np.float32],
) -> float:
    """Take one A-step, Eq. (10)-(11) multiplied by A (1 - A), which avoids large quotients; return the largest move.

    Parameters
    ----------
    places : shape (f,). Where A is in (0, 1), in the flat array; other entries stay.
    free : shape (f,). Where these entries are in ``pulls`` and ``change``.
    cost, observed : shape (f,). At these places: what the E-step found; clusterings that contain both of a pair.
    pulls : shape (2, t). Products of the positive and of the negative part of D with A.
    margin : entries of A stay this far from 0 and 1.
    a : shape (n' n',), updated. Consensus matrix.
    change : shape (t,), updated where A is in (0, 1). By how much A moves, in single precision.
    """
    work = np.full(8 * WIDTH, 0.5)
    scratch = np.empty(WIDTH)
    largest = 0.0
    for first in range(0, places.size, WIDTH):
        here = places[first : first + WIDTH]
        for j in range(here.size):
            at = free[first + j]
            work[j] = a[here[j]]
            work[WIDTH + j] = pulls[0, at]
            work[2 * WIDTH + j] = pulls[1, at]
            work[3 * WIDTH + j], work[4 * WIDTH + j] = cost[first + j], observed[first + j]
        step_of_entries(work, scratch, margin)
        for j in range(here.size):
            a[here[j]], change[free[first + j]] = work[6 * WIDTH + j], work[7 * WIDTH + j]
            largest = max(largest, abs(work[7 * WIDTH + j]))
    return largest


@compiled
def step_of_entries(work: FloatArray, scratch: FloatArray, margin: float) -> None:
    """Take the A-step of WIDTH entries; ``scratch`` has shape (WIDTH,).

    ``work`` holds, WIDTH numbers each, one behind the other so that the loops become vector instructions: the entries,
    both pulls, the cost, m; what is found: the logarithm of the odds, the new entries, the moves.
    """
    for j in range(WIDTH):
        work[5 * WIDTH + j] = np.divide(work[j], 1 - work[j])
    logarithms(work[5 * WIDTH : 6 * WIDTH], scratch)
    for j in range(WIDTH):
        value = work[j]
        cost = work[3 * WIDTH + j]
        m = work[4 * WIDTH + j]
        rest = 1 - value
        down = (cost if cost > 0 else 0.0) + 2 * work[WIDTH + j]
        up = (-cost if cost < 0 else 0.0) + 2 * work[2 * WIDTH + j]
        g = 2 * m + rest * down
        b = m * (rest * work[5 * WIDTH + j] - 2)
        new = np.divide(value * (sqrt(b * b + 4 * g * rest * up) - b), 2 * g)
        new = margin if new < margin else 1 - margin if new > 1 - margin else new
        work[6 * WIDTH + j], work[7 * WIDTH + j] = new, new - value


@compiled
def divergence(a: FloatArray, cost: FloatArray, observed: FloatArray, weights: npt.NDArray[np.int64]) -> float:
    """Return what J4 has beside the nuclear norm and what the E-step returned, over all pairs of objects."""
    total = 0.0
    for p in range(a.shape[0]):
        row = 0.0
        for q in range(a.shape[1]):
            value, rest = a[p, q], 1 - a[p, q]
            entropy = observed[p, q] * (weighted_log(value, value) + weighted_log(rest, rest))
            moved = value * cost[p, q] if cost[p, q] >= 0 else -rest * cost[p, q]
            row += weights[q] * (entropy + moved)
        total += weights[p] * row
    return total

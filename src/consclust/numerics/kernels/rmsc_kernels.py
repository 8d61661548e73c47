"""Errors and multipliers of RMSC: loops over the pairs of profiles that share a transition probability.

Part c holds the pairs among its ``members[firsts[c]:firsts[c + 1]]``, of probability ``values[c]``. Its errors and
multipliers are rows of ``error`` and ``multiplier`` one after the other, from ``places[c]`` on. Part 0 has all profiles
as members: pairs that clusterings keep apart, ``apart`` clusterings each. Every other part is a cluster.
"""

from typing import NamedTuple

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.kernels import compiled


class Parts(NamedTuple):
    """The parts, as the file describes them."""

    members: IntArray
    firsts: IntArray
    places: IntArray
    values: FloatArray
    apart: FloatArray  # Shape (n', n')
    error: FloatArray
    multiplier: FloatArray


@compiled
def pull(parts: Parts, total: FloatArray, mu: float) -> None:
    """Add P(i) - E(i) - Y(i) / mu, summed over the clusterings that contain a pair, to ``total``."""
    for c in range(len(parts.values)):
        members, place = parts.members[parts.firsts[c] : parts.firsts[c + 1]], parts.places[c]
        for i in members:
            for j in members:
                share = parts.values[c] - parts.error[place] - parts.multiplier[place] / mu
                total[i, j] += share * parts.apart[i, j] if c == 0 else share
                place += 1


@compiled
def fit_errors(parts: Parts, p: FloatArray, bound: float, mu: float) -> float:
    """Set the errors to the soft threshold of P(i) - P - Y(i) / mu at ``bound``; return the largest change."""
    change = 0.0
    for c in range(len(parts.values)):
        members, place = parts.members[parts.firsts[c] : parts.firsts[c + 1]], parts.places[c]
        for i in members:
            for j in members:
                target = parts.values[c] - p[i, j] - parts.multiplier[place] / mu
                error = target - min(max(target, -bound), bound)
                if c > 0 or parts.apart[i, j] > 0:
                    change = max(change, abs(error - parts.error[place]))
                parts.error[place] = error
                place += 1
    return change


@compiled
def ascend(
    parts: Parts, p: FloatArray, mu: float, weights: FloatArray, profiles: IntArray, clustering: IntArray
) -> tuple[FloatArray, float]:
    """Update the multipliers; return the absolute row sums, (n', m), and the largest entry of P + E(i) - P(i).

    ``profiles``, (n', m), are -1 where a label is missing; ``clustering`` is that of each part but the first.
    """
    rows, largest = np.zeros(profiles.shape), 0.0
    for i in range(len(p)):
        for j in range(len(p)):
            residual = step(parts, i * len(p) + j, p[i, j], 0.0, mu)
            if parts.apart[i, j] > 0:
                largest = max(largest, residual)
                for k in range(profiles.shape[1]):
                    if profiles[i, k] != profiles[j, k] and profiles[i, k] >= 0 and profiles[j, k] >= 0:
                        rows[i, k] += residual * weights[j]
    for c in range(1, len(parts.values)):
        members, place = parts.members[parts.firsts[c] : parts.firsts[c + 1]], parts.places[c]
        for i in members:
            for j in members:
                residual = step(parts, place, p[i, j], parts.values[c], mu)
                largest = max(largest, residual)
                rows[i, clustering[c - 1]] += residual * weights[j]
                place += 1
    return rows, largest


@compiled
def step(parts: Parts, place: int, p: float, value: float, mu: float) -> float:
    """Update one multiplier; return the absolute value of P + E(i) - P(i)."""
    residual: float = p + parts.error[place] - value
    parts.multiplier[place] += mu * residual
    return abs(residual)


@compiled
def error_norm(parts: Parts, weights: FloatArray) -> float:
    """Return the sum of the errors' absolute values over clusterings and pairs of objects."""
    norm = 0.0
    for c in range(len(parts.values)):
        members, place = parts.members[parts.firsts[c] : parts.firsts[c + 1]], parts.places[c]
        for i in members:
            for j in members:
                share = weights[i] * weights[j] * abs(parts.error[place])
                norm += share * parts.apart[i, j] if c == 0 else share
                place += 1
    return norm

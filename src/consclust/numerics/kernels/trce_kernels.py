"""Connective matrices of the profiles and their divergences, row by row through the members of each row's clusters.

The clusters of profile i are ``clusters[starts[i]:starts[i + 1]]``, the profiles in cluster c
``members[firsts[c]:firsts[c + 1]]``.
"""

import math

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.kernels import compiled

EPS = float(np.finfo(float).eps)
MOST_STEPS = 100  # Newton's method needs about five steps


@compiled
def shared(starts: IntArray, clusters: IntArray, firsts: IntArray, members: IntArray, values: FloatArray) -> FloatArray:
    """Return for every two profiles the sum of the ``values`` of the clusters that both are in, shape (n', n')."""
    n = len(starts) - 1
    total = np.zeros((n, n))
    for i in range(n):
        for c in clusters[starts[i] : starts[i + 1]]:
            for j in members[firsts[c] : firsts[c + 1]]:
                total[i, j] += values[c]
    return total


@compiled
def weighted_logs(
    starts: IntArray, clusters: IntArray, firsts: IntArray, members: IntArray, rows: FloatArray, weights: IntArray
) -> FloatArray:
    """Return the sum of w_j log(rows_ij), at least log(eps), over the profiles j of each of i's clusters.

    The result has an entry for each of ``clusters``.
    """
    n = len(starts) - 1
    total = np.zeros(len(clusters))
    logs = np.empty(n)
    least = math.log(EPS)
    for i in range(n):
        for j in range(n):
            logs[j] = weights[j] * (math.log(rows[i, j]) if rows[i, j] > EPS else least)
        for place in range(starts[i], starts[i + 1]):
            c = clusters[place]
            for j in members[firsts[c] : firsts[c + 1]]:
                total[place] += logs[j]
    return total


@compiled
def quotient_rows(h: FloatArray, pull: FloatArray, weights: IntArray) -> FloatArray:
    """Return H_ij / (pull_ij + t_i) with t_i > 0 for row sums of 1: Newton's method for 1 / sum, from below."""
    n = len(h)
    quotient = np.zeros((n, n))
    for i in range(n):
        there = np.flatnonzero(h[i])
        t = 0.0
        for j in there:
            if pull[i, j] == 0:
                t += weights[j] * h[i, j]
        for _ in range(MOST_STEPS):
            total, slope = 0.0, 0.0
            for j in there:
                share = weights[j] * h[i, j] / (pull[i, j] + t)
                total += share
                slope += share / (pull[i, j] + t)
            step = total * (total - 1) / slope
            t += step
            if step <= EPS * t or total - 1 <= 8 * EPS:
                break
        for j in there:
            quotient[i, j] = h[i, j] / (pull[i, j] + t)
    return quotient

"""Updates of SPCE for each of some pairs of profiles, through the labels of both.

A pair is that of the profiles ``first[p]`` and ``second[p]``; ``labels``, (n', m), are -1 where missing.
"""

import math

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.kernels import compiled


@compiled
def over_common(labels: IntArray, i: int, j: int, values: FloatArray) -> float:
    """Return the sum of ``values``, (m,), over the clusterings in which two profiles have one label."""
    total = 0.0
    for k in range(len(values)):
        one = labels[i, k]
        if one == labels[j, k] and one >= 0:
            total += values[k]
    return total


@compiled
def over_clusterings(labels: IntArray, first: IntArray, second: IntArray, values: FloatArray) -> FloatArray:
    """Return the sums of ``values``, (m,), over the clusterings that join a pair."""
    joined = np.empty(len(first))
    for p in range(len(first)):
        joined[p] = over_common(labels, first[p], second[p], values)
    return joined


@compiled
def over_pairs(
    labels: IntArray, first: IntArray, second: IntArray, joined: FloatArray, apart: FloatArray
) -> FloatArray:
    """Return for each clustering the sum of ``joined`` over the pairs it joins, and of ``apart`` over the others."""
    total = np.zeros(labels.shape[1])
    for p in range(len(first)):
        one = labels[first[p]]
        other = labels[second[p]]
        together = joined[p]
        otherwise = apart[p]
        for k in range(len(total)):
            term = together if one[k] == other[k] else otherwise
            total[k] += term if min(one[k], other[k]) >= 0 else 0.0
    return total


@compiled
def update_similarity(
    labels: IntArray,
    present: IntArray,
    first: IntArray,
    second: IntArray,
    values: FloatArray,
    total: float,
    embedding: FloatArray,
    weight: float,
    pace: FloatArray,
    least: float,
    similarity: FloatArray,
) -> FloatArray:
    """Return the similarities of the pairs, and write them into ``similarity``, (n', n').

    With a the sum of ``values``, (m,), over the clusterings that join the pair, b the sum over those in which both are
    ``present`` (``total``, if that has no rows), and d the squared distance between its rows of ``embedding``, (n', c),
    the similarity is (a - ``weight`` d / (2 ``pace``^2)) / b, between 0 and 1. It is 0 if, times ``pace`` and the root
    of b, it is below ``least``.
    """
    found = np.empty(len(first))
    for p in range(len(first)):
        i, j = first[p], second[p]
        distance = 0.0
        for c in range(embedding.shape[1]):
            step = embedding[i, c] - embedding[j, c]
            distance += step * step
        observed = over_common(present, i, j, values) if len(present) else total
        best = over_common(labels, i, j, values) - weight * distance / (2 * (pace[p] * pace[p]))
        best /= observed
        if best * pace[p] * math.sqrt(observed) < least:
            best = 0.0
        found[p] = similarity[i, j] = similarity[j, i] = min(max(best, 0.0), 1.0)
    return found

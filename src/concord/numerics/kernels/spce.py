"""Sums over the clusterings for each of some pairs of profiles, and over the pairs for each clustering."""

import numpy as np

from concord.ensemble import FloatArray, IntArray
from concord.numerics.kernels import compiled


@compiled
def over_clusterings(labels: IntArray, first: IntArray, second: IntArray, values: FloatArray) -> FloatArray:
    """Return the sums of ``values``, (m,), over the clusterings that join a pair.

    ``labels``, (n', m), are -1 where missing; a pair is that of the profiles ``first[p]`` and ``second[p]``.
    """
    joined = np.empty(len(first))
    for p in range(len(first)):
        total = 0.0
        for k in range(len(values)):
            one = labels[first[p], k]
            if one == labels[second[p], k] and one >= 0:
                total += values[k]
        joined[p] = total
    return joined


@compiled
def over_pairs(
    labels: IntArray, first: IntArray, second: IntArray, joined: FloatArray, apart: FloatArray
) -> FloatArray:
    """Return for each clustering the sum of ``joined`` over the pairs it joins, and of ``apart`` over the others."""
    total = np.zeros(labels.shape[1])
    for p in range(len(first)):
        for k in range(len(total)):
            one, other = labels[first[p], k], labels[second[p], k]
            if one >= 0 and other >= 0:
                total[k] += joined[p] if one == other else apart[p]
    return total

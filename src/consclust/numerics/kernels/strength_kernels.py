"""Strength of the common neighbours of base clusters, for GP-MGLA and LCE."""

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.kernels import compiled


@compiled
def sum_common(index: FloatArray, weights: FloatArray, stops: IntArray) -> FloatArray:
    """Return the sum over clusters c of w_c min(J_ac, J_bc), for a <= b < ``stops[a]``; 0 elsewhere.

    ``index``, J, has shape (clusters, clusters) and is symmetric, ``weights`` and ``stops`` have shape (clusters,).
    """
    n = len(index)
    strength = np.zeros((n, n))
    for a in range(n):
        row = strength[a]
        stop = stops[a]
        for c in range(n):
            own = index[a, c]
            if own == 0:
                continue
            weight = weights[c]
            other = index[c]
            for b in range(a, stop):  # no sum in this loop, so that it is done for several b at once
                row[b] += weight * min(own, other[b])
    return strength

"""Projection onto simplices without sorting (Michelot: J. Optim. Theory Appl. 50, 1986)."""

from typing import Any

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray
from consclust.numerics.kernels import compiled


@compiled
def project_rows(matrix: FloatArray, weights: npt.NDArray[Any]) -> FloatArray:
    """Return the nearest rows x >= 0 with ``x @ weights`` = 1, weighted.

    The shift of the entries that are above the last shift rises until none leaves; then it is that of the projection.
    """
    projected = np.empty_like(matrix)
    for i in range(len(matrix)):
        row = matrix[i]
        shift = -np.inf
        left = len(weights) + 1
        before = len(weights) + 2
        while 0 < left < before:  # rounding must not let it go on for ever
            before = left
            left = 0
            total = -1.0
            weight = 0.0
            for j in range(row.size):
                if row[j] > shift:
                    left += 1
                    total += weights[j] * row[j]
                    weight += weights[j]
            if left > 0:
                shift = total / weight
        for j in range(row.size):
            projected[i, j] = max(row[j] - shift, 0.0)
    return projected

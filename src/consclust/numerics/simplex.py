"""Projections onto a simplex (Duchi, Shalev-Shwartz, Singer, Chandra: ICML 2008, Figure 1).

Where rounding decides whether an entry stays positive, the two functions may differ in the last bit.
"""

# compiled kernels are imported where needed, so that what does without them starts faster

from typing import Any

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray


def project(vector: FloatArray) -> FloatArray:
    """Return the nearest vector with non-negative entries that sum to 1, shape (n,)."""
    descending = np.sort(vector)[::-1]
    theta = (np.cumsum(descending) - 1) / np.arange(1, len(vector) + 1)
    projected: FloatArray = np.maximum(vector - theta[np.flatnonzero(descending > theta)[-1]], 0)
    return projected


def project_rows(matrix: FloatArray, weights: npt.NDArray[Any]) -> FloatArray:
    """Return the nearest rows x >= 0 with ``x @ weights`` = 1, weighted; shapes (rows, n) and (n,)."""
    from consclust.numerics.kernels import simplex_kernels as simplex

    return simplex.project_rows(np.ascontiguousarray(matrix), weights)

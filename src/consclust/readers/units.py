"""Features in unlike units, of which k-means sees the largest alone."""

import numpy as np

from consclust.ensemble import FloatArray

MANY_TIMES = 100  # so many times the median deviation are named
SMALLEST = 1e-140  # squares of smaller deviations vanish


def scale_columns(values: FloatArray) -> FloatArray:
    """Return features with mean 0 and standard deviation 1 in each column, shape (n, d); a constant one is 0."""
    deviations = _deviations(values)
    deviations[deviations == 0] = 1
    scaled: FloatArray = (values - values.mean(axis=0)) / deviations
    return scaled


def find_large_units(values: FloatArray) -> dict[int, float]:
    """Return the columns whose deviation is far above the median one, and how many times it is that.

    Constant columns do not count. Of an even number of columns the lower one in the middle is the median.
    """
    deviations = _deviations(values)
    varying = np.sort(deviations[deviations > 0])
    if not len(varying):
        return {}
    ratios = deviations / varying[(len(varying) - 1) // 2]
    return {j: float(ratios[j]) for j in np.flatnonzero(ratios > MANY_TIMES).tolist()}


def are_tiny(values: FloatArray) -> bool:
    """Whether the features vary, but by so little that the squares of differences vanish."""
    largest = float(_deviations(values).max())
    return 0 < largest < SMALLEST


def _deviations(values: FloatArray) -> FloatArray:
    """Return the standard deviation of each column, shape (d,), also where squares would vanish or overflow."""
    largest = np.abs(values).max(axis=0)
    largest[largest == 0] = 1
    deviations: FloatArray = (values / largest).std(axis=0) * largest
    return deviations

"""How far a matrix over the objects shows their classes as blocks."""

import numpy as np

from concord.ensemble import FloatArray, IntArray


def contrast(matrix: FloatArray, classes: IntArray) -> dict[str, float]:
    """Return the range of the entries off the diagonal, and their means in and between classes.

    Parameters
    ----------
    matrix : ndarray, shape (n, n)
    classes : ndarray of int, shape (n,)

    Returns
    -------
    dict
        ``least``, ``percentile_1``, ``percentile_99``, ``largest``, ``mean_in_classes``, ``mean_between`` (NaN if
        there is one class).
    """
    apart, together = ~np.eye(len(matrix), dtype=bool), classes[:, None] == classes
    low, high = np.percentile(matrix[apart], [1, 99])
    return {
        "least": float(matrix[apart].min()),
        "percentile_1": float(low),
        "percentile_99": float(high),
        "largest": float(matrix[apart].max()),
        "mean_in_classes": float(matrix[together & apart].mean()),
        "mean_between": float(matrix[~together].mean()) if not together.all() else float("nan"),
    }

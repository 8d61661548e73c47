"""VAT, visual assessment of cluster tendency: the order of objects in which clusters are blocks."""

import numpy as np

from concord.ensemble import FloatArray, IntArray


def vat_order(dissimilarity: FloatArray) -> IntArray:
    """Order objects as Prim's algorithm joins them (Bezdek, Hathaway: VAT, IJCNN 2002).

    The first is one of the two that are farthest apart, and each further one the nearest to any before it; of
    several the one with the lowest index.

    Parameters
    ----------
    dissimilarity : ndarray, shape (n, n)
        Symmetric.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    n = len(dissimilarity)
    order = np.empty(n, dtype=np.int64)
    order[0] = np.unravel_index(np.argmax(dissimilarity), dissimilarity.shape)[0]
    nearest = dissimilarity[order[0]].astype(float)
    nearest[order[0]] = np.inf
    for place in range(1, n):
        order[place] = np.argmin(nearest)
        joined = nearest == np.inf
        np.minimum(nearest, dissimilarity[order[place]], out=nearest)
        nearest[joined] = np.inf
        nearest[order[place]] = np.inf
    return order

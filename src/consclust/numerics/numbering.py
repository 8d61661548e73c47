"""Numbers of clusters by first appearance over the objects, so that a partition has one label vector.

The number that a method gives to a cluster may come from the order of its random starts, of eigenvectors, or of the
parts of a graph. Rounding may change that order from one processor or number of threads to another.
"""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, IntArray

Integer = TypeVar("Integer", bound=np.integer[Any])


def renumber(labels: npt.NDArray[Integer]) -> npt.NDArray[Integer]:
    """Return labels with the clusters of each clustering numbered 0, 1, ... in the order of their first objects.

    Parameters
    ----------
    labels : ndarray of int, shape (..., n)
        A clustering in each row along the last axis, -1 for an object without a cluster. Rows of -1 stay as they are.

    Returns
    -------
    ndarray of int, shape (..., n)
        A new array of the same type; -1 stays.

    Raises
    ------
    ValueError
        For what holds no integers, or integers below -1.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.numerics.numbering import renumber
    >>> renumber(np.array([[2, 2, 0, 1], [1, -1, 1, 0], [-1, -1, -1, -1]]))
    array([[ 0,  0,  1,  2],
           [ 0, -1,  0,  1],
           [-1, -1, -1, -1]])
    """
    if labels.dtype.kind not in "iu":
        raise ValueError(f"labels must be integers, got {labels.dtype}")
    if labels.min(initial=0) < MISSING:
        raise ValueError(f"labels must be at least -1, got {labels.min()}")
    found = np.empty_like(labels)
    for row in np.ndindex(labels.shape[:-1]):
        found[row] = _numbered(labels[row])
    return found


def order_of_appearance(labels: IntArray, n_clusters: int) -> IntArray:
    """Return the clusters 0..K-1 in the order of their first objects, those without any last, shape (K,).

    Cluster c of :func:`renumber` is cluster ``order[c]`` of ``labels``, shape (n,), so that it puts into the new order
    what is indexed by cluster. -1 marks an object without a cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.numerics.numbering import order_of_appearance
    >>> order_of_appearance(np.array([2, 2, 0, 2]), n_clusters=4)
    array([2, 0, 1, 3])
    """
    objects = np.flatnonzero(labels != MISSING)
    first = np.full(n_clusters, len(labels))
    np.minimum.at(first, labels[objects], objects)
    return np.argsort(first, kind="stable")


def _numbered(labels: npt.NDArray[Any]) -> IntArray:
    """Return one clustering, (n,), with its new numbers."""
    most = int(labels.max(initial=MISSING))
    if most >= len(labels):  # there are gaps, and a table of all numbers may be larger than the labels
        known, labels = np.unique(labels, return_inverse=True)
        labels = labels - int(known[0] == MISSING)
        most = int(labels.max())
    numbers = np.empty(most + 2, dtype=np.int64)
    numbers[order_of_appearance(labels, most + 1)] = np.arange(most + 1)
    numbers[MISSING] = MISSING  # the last entry, to which the label -1 points
    numbered: IntArray = numbers[labels]
    return numbered

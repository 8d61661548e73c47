"""The nearest-neighbour chain of agglomerative clustering, for rows that stand for several objects."""

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.kernels import compiled

AVERAGE, COMPLETE, SINGLE = range(3)


@compiled
def chain(distances: FloatArray, weights: FloatArray, kind: int) -> tuple[IntArray, FloatArray]:
    """Merge all clusters; return the two rows of each merge, (n - 1, 2), and its distance, (n - 1,), in any order.

    ``distances``, (n, n), is read above the diagonal; ``weights``, (n,), counts the objects of each row. Both are
    overwritten: a merged cluster takes the second of the two rows. ``kind``: AVERAGE, COMPLETE or SINGLE. O(n^2) time
    and no further memory. Source: Müllner, arXiv:1109.2378, 2011, Figure 3.
    """
    n = len(weights)
    pairs, heights = np.empty((n - 1, 2), np.int64), np.empty(n - 1)
    for i in range(n):
        distances[i, i] = np.inf
        for j in range(i):
            distances[i, j] = distances[j, i]
    alive = np.ones(n, np.bool_)
    path = np.empty(n, np.int64)
    length = 0
    for step in range(n - 1):
        if length == 0:
            path[0], length = np.argmax(alive), 1
        while True:
            x = path[length - 1]
            y = path[length - 2] if length > 1 else x  # the diagonal is infinite
            least = distances[x, y]
            for j in range(n):
                if distances[x, j] < least:
                    y, least = j, distances[x, j]
            if length > 1 and y == path[length - 2]:
                break
            path[length] = y
            length += 1
        length -= 2
        x, y = min(x, y), max(x, y)
        pairs[step, 0] = x
        pairs[step, 1] = y
        heights[step] = least
        join(distances, weights, alive, x, y, kind)
    return pairs, heights


@compiled
def join(distances: FloatArray, weights: FloatArray, alive: npt.NDArray[np.bool_], x: int, y: int, kind: int) -> None:
    """Put the union of the clusters in rows x and y into row y; nothing is near to row x any more."""
    total = weights[x] + weights[y]
    alive[x] = False
    for j in range(len(weights)):
        if alive[j] and j != y:
            near = min(distances[x, j], distances[y, j])
            if kind == AVERAGE:  # rounding must not bring the union nearer than both: the chain might close
                near = max(near, (weights[x] * distances[x, j] + weights[y] * distances[y, j]) / total)
            elif kind == COMPLETE:
                near = max(distances[x, j], distances[y, j])
            distances[y, j] = distances[j, y] = near
            distances[j, x] = np.inf
    distances[y, x] = np.inf
    weights[y] = total

"""Profiles as sums of m rows of a table with a row for each base cluster."""

import numpy as np
import numpy.typing as npt

from consclust.numerics.kernels import compiled

Unsigned = npt.NDArray[np.uint32]  # an index that cannot be negative is found faster
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@compiled
def reassign(
    columns: Unsigned,
    table: FloatArray,
    offsets: FloatArray,
    squares: FloatArray,
    weights: FloatArray,
    drift: FloatArray,
    bounds: FloatArray,
    labels: IntArray,
    sums: FloatArray,
    sizes: FloatArray,
) -> int:
    """Give each profile the label of its nearest centre, the first of equally near ones; return how many change it.

    The squared distance from centre k is the offset, (K,), the square of the profile, (n',), and the sum of those rows
    of ``table``, (sum of k_i, K), that ``columns`` names, (n', m). ``bounds``, (n', 2), hold the largest distance from
    the own centre and the least from another that are possible, as the centres moved by at most ``drift``, (K,): where
    the first is less, nothing is computed (Hamerly, SDM 2010). In place with the ``labels``, (n',), change the sums of
    the indicator rows and of the ``weights`` with each label, whole numbers: (K, sum of k_i) and (K,).
    """
    n_clusters = len(offsets)
    farthest = drift.argmax()
    others = np.array([drift[k] for k in range(n_clusters) if k != farthest] + [0.0]).max()
    score = np.empty(n_clusters)
    fours, moved = columns.shape[1] // 4 * 4, 0  # four rows in a pass take less time than four passes
    for p in range(len(columns)):
        old = labels[p]
        bounds[p, 0] += drift[old]
        bounds[p, 1] -= others if old == farthest else drift[farthest]
        if bounds[p, 0] < bounds[p, 1]:
            continue
        if bounds[p, 1] > -np.inf:
            own = offsets[old] + squares[p]
            for j in range(columns.shape[1]):
                own += table[columns[p, j], old]
            bounds[p, 0] = np.sqrt(max(own, 0.0))
            if bounds[p, 0] < bounds[p, 1]:
                continue
        score[:] = offsets
        for j in range(0, fours, 4):
            a, b = table[columns[p, j]], table[columns[p, j + 1]]
            c, d = table[columns[p, j + 2]], table[columns[p, j + 3]]
            for k in range(n_clusters):
                score[k] = score[k] + a[k] + b[k] + c[k] + d[k]
        for j in range(fours, columns.shape[1]):
            row = table[columns[p, j]]
            for k in range(n_clusters):
                score[k] += row[k]
        best = 0
        second = np.inf
        for k in range(1, n_clusters):
            if score[k] < score[best]:
                best, second = k, score[best]
            elif score[k] < second:
                second = score[k]
        bounds[p, 0] = np.sqrt(max(score[best] + squares[p], 0.0))
        bounds[p, 1] = np.sqrt(max(second + squares[p], 0.0))
        if best != old:
            moved += 1
            labels[p] = best
            sizes[old] -= weights[p]
            sizes[best] += weights[p]
            for j in range(columns.shape[1]):
                sums[old, columns[p, j]] -= weights[p]
                sums[best, columns[p, j]] += weights[p]
    return moved


@compiled
def squares(columns: Unsigned, gram: FloatArray) -> FloatArray:
    """Return z' G z for the indicator row z of each profile, (n',); G, (sum of k_i, sum of k_i), is symmetric."""
    found = np.empty(len(columns))
    for p in range(len(columns)):
        diagonal = beside = 0.0
        for i in range(columns.shape[1]):
            diagonal += gram[columns[p, i], columns[p, i]]
            for j in range(i):
                beside += gram[columns[p, i], columns[p, j]]
        found[p] = diagonal + 2 * beside
    return found

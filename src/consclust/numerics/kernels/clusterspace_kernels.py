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
    others = find_largest_but(drift, farthest)
    score = np.empty(n_clusters)
    fours = columns.shape[1] // 4 * 4  # four rows in a pass take less time than four passes
    moved = 0
    for p in range(len(columns)):
        old = labels[p]
        bounds[p, 0] += drift[old]
        bounds[p, 1] -= others if old == farthest else drift[farthest]
        if bounds[p, 0] < bounds[p, 1]:
            continue
        if bounds[p, 1] > -np.inf:
            own = sum_entries(columns, p, table, old, offsets[old] + squares[p])
            bounds[p, 0] = np.sqrt(max(own, 0.0))
            if bounds[p, 0] < bounds[p, 1]:
                continue
        # these loops stay here: in a kernel of their own they take a fifth more time
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
        best, second = find_two_least(score)
        bounds[p, 0] = np.sqrt(max(score[best] + squares[p], 0.0))
        bounds[p, 1] = np.sqrt(max(second + squares[p], 0.0))
        if best != old:
            moved += 1
            labels[p] = best
            move(columns, p, weights[p], old, best, sums, sizes)
    return moved


@compiled
def find_largest_but(values: FloatArray, place: np.integer) -> float:
    """Return the largest number at another place; 0 if there is no other, or none above 0."""
    largest = 0.0
    for k in range(values.size):
        if k != place:
            largest = max(largest, values[k])
    return largest


@compiled
def sum_entries(columns: Unsigned, p: int, table: FloatArray, k: int, total: float) -> float:
    """Return ``total`` and those entries of column k of the table that profile p names, added in their order."""
    for j in range(columns.shape[1]):
        total += table[columns[p, j], k]
    return total


@compiled
def find_two_least(score: FloatArray) -> tuple[int, float]:
    """Return the first place of the least number, and the second least number; infinity if there is none."""
    best = 0
    second = np.inf
    for k in range(1, score.size):
        if score[k] < score[best]:
            best, second = k, score[best]
        elif score[k] < second:
            second = score[k]
    return best, second


@compiled
def move(columns: Unsigned, p: int, weight: float, old: int, new: int, sums: FloatArray, sizes: FloatArray) -> None:
    """Move profile p, of so many objects, from one cluster to another, in the sums and the sizes."""
    sizes[old] -= weight
    sizes[new] += weight
    for j in range(columns.shape[1]):
        sums[old, columns[p, j]] -= weight
        sums[new, columns[p, j]] += weight


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

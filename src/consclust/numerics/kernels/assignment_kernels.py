"""Assign profiles to clusters by a table with a row for each base cluster, and sum their rows by cluster."""

import numpy as np
import numpy.typing as npt

from consclust.numerics.kernels import compiled

Integers = npt.NDArray[np.integer]  # of 32 or 64 bits, as a sparse matrix has them
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@compiled
def assign(
    starts: Integers,
    columns: Integers,
    values: FloatArray,
    table: FloatArray,
    offsets: FloatArray,
    factors: FloatArray,
    labels: IntArray,
    least: FloatArray,
) -> int:
    """Give each profile the label of its least score, the first of equal ones; return how many labels change.

    Row p of a sparse matrix, (n', sum of k_i), has the ``values`` from place ``starts[p]`` to ``starts[p + 1]``, in
    these ``columns``. The score of cluster k is their sum, each times the entry of its column in the ``table``, (sum of
    k_i, K), and ``factors[p] * offsets[k]``, (n',) and (K,). Change in place the ``labels`` and the ``least`` scores,
    (n',). The table may have further columns: with a multiple of eight the loops take less time.
    """
    n_columns = table.shape[1]
    score = np.zeros(n_columns)
    moved = 0
    for p in range(len(labels)):
        first, last = starts[p], starts[p + 1]
        fours = first + (last - first) // 4 * 4  # four rows in a pass take less time than four passes
        for k in range(len(offsets)):
            score[k] = factors[p] * offsets[k]
        for j in range(first, fours, 4):
            row_1, value_1 = table[columns[j]], values[j]
            row_2, value_2 = table[columns[j + 1]], values[j + 1]
            row_3, value_3 = table[columns[j + 2]], values[j + 2]
            row_4, value_4 = table[columns[j + 3]], values[j + 3]
            for k in range(n_columns):
                score[k] = score[k] + value_1 * row_1[k] + value_2 * row_2[k] + value_3 * row_3[k] + value_4 * row_4[k]
        for j in range(fours, last):
            row = table[columns[j]]
            for k in range(n_columns):
                score[k] += values[j] * row[k]
        best = 0
        for k in range(1, len(offsets)):
            if score[k] < score[best]:
                best = k
        least[p] = score[best]
        if labels[p] != best:
            labels[p] = best
            moved += 1
    return moved


@compiled
def sum_rows(
    starts: Integers, columns: Integers, values: FloatArray, weights: FloatArray, labels: IntArray, sums: FloatArray
) -> None:
    """Add each row of a sparse matrix, given as in ``assign``, times its weight, to the column of its label.

    ``weights`` and ``labels`` have shape (n',); ``sums``, (sum of k_i, K), are changed in place.
    """
    for p in range(len(labels)):
        for e in range(starts[p], starts[p + 1]):
            sums[columns[e], labels[p]] += weights[p] * values[e]

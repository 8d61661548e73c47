"""Sums over the objects of a block of labels: overlaps of base clusters, and rows of a table."""

import numpy as np
import numpy.typing as npt

from consclust.numerics.kernels import compiled

Codes = npt.NDArray[np.signedinteger]  # of the smallest type
Integers = npt.NDArray[np.integer]  # of 32 or 64 bits, as a sparse matrix has them
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@compiled
def add_overlaps(codes: Codes, firsts: IntArray, factors: IntArray, overlaps: IntArray) -> None:
    """Add the factor of each object at every two of its clusters, above the diagonal and on it.

    ``codes``, (m, objects), are the labels of each clustering, -1 for a missing one; label c of clustering i is cluster
    ``firsts[i] + c``. ``factors``, (objects,), and ``overlaps``, (sum of k_i, sum of k_i), which are changed in place,
    are integers, so that the sums do not depend on the order of the objects.
    """
    n_clusterings, n_objects = codes.shape
    own = np.empty(n_clusterings, dtype=np.uint32)  # an index that cannot be negative is found faster
    for p in range(n_objects):
        factor = factors[p]
        n_known = find_clusters(codes, firsts, p, own)
        for a in range(n_known):
            row = overlaps[own[a]]
            for b in range(a, n_known):
                row[own[b]] += factor


@compiled
def add_products(
    starts: Integers, columns: Integers, values: FloatArray, factors: FloatArray, overlaps: IntArray
) -> None:
    """Add the same for rows of a sparse matrix, whose entries are the probabilities of labels.

    Row p has the ``values`` from place ``starts[p]`` to ``starts[p + 1]``, in these ``columns``, in ascending order.
    The product of two entries and the factor of the row is rounded to an integer.
    """
    for p in range(len(factors)):
        for a in range(starts[p], starts[p + 1]):
            row = overlaps[columns[a]]
            scaled = factors[p] * values[a]
            for b in range(a, starts[p + 1]):
                row[columns[b]] += np.int64(np.rint(scaled * values[b]))


@compiled
def sum_rows_of_table(codes: Codes, firsts: IntArray, table: FloatArray, sums: FloatArray) -> None:
    """Set the row of each object in ``sums``, (objects, d), to the sum of the rows of its clusters in the ``table``.

    ``codes`` and ``firsts`` are as in ``add_overlaps``; the table has shape (sum of k_i, d). The rows are added in the
    order of the clusterings, as a product of a sparse matrix adds them.
    """
    n_clusterings, n_objects = codes.shape
    d = table.shape[1]
    own = np.empty(n_clusterings, dtype=np.uint32)
    total = np.empty(d)
    for p in range(n_objects):
        n_known = find_clusters(codes, firsts, p, own)
        fours = n_known // 4 * 4  # four rows in a pass take less time than four passes
        total[:] = 0.0
        for j in range(0, fours, 4):
            row_1, row_2, row_3, row_4 = table[own[j]], table[own[j + 1]], table[own[j + 2]], table[own[j + 3]]
            for k in range(d):
                total[k] = total[k] + row_1[k] + row_2[k] + row_3[k] + row_4[k]
        for j in range(fours, n_known):
            row = table[own[j]]
            for k in range(d):
                total[k] += row[k]
        sums[p] = total


@compiled
def find_clusters(codes: Codes, firsts: IntArray, p: int, own: npt.NDArray[np.uint32]) -> int:
    """Write the clusters of object p into the first places of ``own``, (m,); return how many they are."""
    n_known = 0
    for i in range(len(own)):
        code = codes[i, p]
        if code >= 0:
            own[n_known] = firsts[i] + code
            n_known += 1
    return n_known

"""Sums over the objects of a block of labels: overlaps of base clusters, and rows of a table."""

import numpy as np
import numpy.typing as npt

from consclust.numerics.kernels import compiled

Codes = npt.NDArray[np.signedinteger]  # of the smallest type
Integers = npt.NDArray[np.integer]  # of 32 or 64 bits, as a sparse matrix has them
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

CHUNK = 2**15  # Objects whose labels are taken through all pairs of clusterings


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
def add_overlaps_by_pairs(codes: Codes, firsts: IntArray, factors: IntArray, overlaps: IntArray) -> None:
    """Add what ``add_overlaps`` adds, by pairs of clusterings, whose few overlaps stay in the fastest cache.

    A clustering is taken with four others at a time, so that an addition need not wait for the one before. Row and
    column 0 of a table are those of a missing label, and are dropped.
    """
    n_clusterings, n_objects = codes.shape
    n_clusters = np.empty(n_clusterings, dtype=np.int64)
    n_clusters[:-1] = firsts[1:] - firsts[:-1]
    n_clusters[-1] = len(overlaps) - firsts[-1]
    widest = n_clusters.max() + 1
    tables = np.zeros((4, widest * widest), dtype=np.int64)
    table_0, table_1, table_2, table_3 = tables[0], tables[1], tables[2], tables[3]
    partners = np.empty(4, dtype=np.int64)
    for first in range(0, n_objects, CHUNK):
        last = min(first + CHUNK, n_objects)
        for i in range(n_clusterings):
            left = codes[i, first:last]
            for j in range(i, n_clusterings, 4):
                for q in range(4):
                    partners[q] = min(j + q, n_clusterings - 1)  # what is left over is counted in vain
                right_0, right_1 = codes[partners[0], first:last], codes[partners[1], first:last]
                right_2, right_3 = codes[partners[2], first:last], codes[partners[3], first:last]
                for p in range(last - first):
                    factor = factors[first + p]
                    row = np.uint32(left[p] + 1) * np.uint32(widest)
                    table_0[row + np.uint32(right_0[p] + 1)] += factor
                    table_1[row + np.uint32(right_1[p] + 1)] += factor
                    table_2[row + np.uint32(right_2[p] + 1)] += factor
                    table_3[row + np.uint32(right_3[p] + 1)] += factor
                for q in range(4):
                    if j + q < n_clusterings:
                        k = partners[q]
                        for a in range(n_clusters[i]):
                            for b in range(n_clusters[k]):
                                overlaps[firsts[i] + a, firsts[k] + b] += tables[q, (a + 1) * widest + b + 1]
                tables[:, : (n_clusters[i] + 1) * widest] = 0


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
def find_least(
    scores: FloatArray, offsets: FloatArray, degrees: FloatArray, labels: IntArray, least: FloatArray
) -> None:
    """Set the label of each object to the column of its least score plus offset, the first of equal ones.

    ``scores`` has shape (objects, K), ``offsets`` (K,); those of an object are taken times its degree, (objects,).
    ``labels`` and ``least``, the score with its offset, (objects,), are set.
    """
    for p in range(len(scores)):
        row = scores[p]
        best = row[0] + degrees[p] * offsets[0]
        label = 0
        for k in range(1, len(offsets)):
            score = row[k] + degrees[p] * offsets[k]
            if score < best:
                best = score
                label = k
        labels[p] = label
        least[p] = best


@compiled
def sum_shares(codes: Codes, firsts: IntArray, shares: FloatArray, sums: FloatArray) -> None:
    """Add the shares of the objects, (objects, K), to the rows of their base clusters, in place, (sum of k_i, K)."""
    n_clusterings, n_objects = codes.shape
    for p in range(n_objects):
        own = shares[p]
        for i in range(n_clusterings):
            code = codes[i, p]
            if code >= 0:
                row = sums[np.uint32(firsts[i] + code)]
                for k in range(len(own)):
                    row[k] += own[k]


@compiled
def count_labels(codes: Codes, firsts: IntArray, labels: IntArray, counts: IntArray | FloatArray) -> None:
    """Count the objects of each base cluster with each of the ``labels``, (objects,), in place, (sum of k_i, K)."""
    n_clusterings, n_objects = codes.shape
    for i in range(n_clusterings):
        own = counts[firsts[i] :]
        for p in range(n_objects):
            code = codes[i, p]
            if code >= 0:
                own[np.uint32(code), np.uint32(labels[p])] += 1


@compiled
def add_earlier(codes: Codes, firsts: IntArray, factors: IntArray, overlaps: IntArray) -> None:
    """Add to the row of each cluster of an object, at each of its clusters in clusterings before, a factor.

    It is that of the number of these, ``factors`` of shape (m,). ``codes`` and ``firsts`` are as in ``add_overlaps``,
    in the order that decides which clusterings come before. ``overlaps`` are changed in place.
    """
    n_clusterings, n_objects = codes.shape
    own = np.empty(n_clusterings, dtype=np.uint32)
    for p in range(n_objects):
        n_known = find_clusters(codes, firsts, p, own)
        for b in range(1, n_known):
            row = overlaps[own[b]]
            for a in range(b):
                row[own[a]] += factors[b]


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

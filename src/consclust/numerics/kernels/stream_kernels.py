"""Sums over the objects of a block of labels: overlaps of base clusters, and rows of a table."""

import math

import numpy as np
import numpy.typing as npt

from consclust.numerics.kernels import compiled

Codes = npt.NDArray[np.signedinteger]  # of the smallest type
Integers = npt.NDArray[np.integer]  # of 32 or 64 bits, as a sparse matrix has them
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

CHUNK = 2**15  # Objects whose labels are taken through all pairs of clusterings
NO_SHARE = -38.0  # Logarithm of a share that counts as none: below 2^-54


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
    own = np.empty(n_clusterings, dtype=np.uint32)
    total = np.empty(table.shape[1])
    for p in range(n_objects):
        n_known = find_clusters(codes, firsts, p, own)
        sum_rows_of_object(table, own, n_known, total)
        sums[p] = total


@compiled
def sum_rows_of_object(table: FloatArray, own: npt.NDArray[np.uint32], n_known: int, total: FloatArray) -> None:
    """Set ``total``, (d,), to the sum of the rows of a table that the first ``n_known`` places of ``own`` name."""
    d = len(total)
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


@compiled
def find_least(
    scores: FloatArray, offsets: FloatArray, degrees: FloatArray, labels: IntArray, least: FloatArray
) -> None:
    """Set the label of each object to the column of its least score plus offset, the first of equal ones.

    ``scores`` has shape (objects, K), ``offsets`` (K,); those of an object are taken times its degree, (objects,).
    ``labels`` and ``least``, the score with its offset, (objects,), are set.
    """
    for p in range(len(scores)):
        label = find_least_of_object(scores[p], offsets, degrees[p])
        labels[p] = label
        least[p] = scores[p, label] + degrees[p] * offsets[label]


@compiled
def find_least_of_object(scores: FloatArray, offsets: FloatArray, degree: float) -> int:
    """Return the place of the least score plus offset times the degree, the first of equal ones."""
    best = scores[0] + degree * offsets[0]
    label = 0
    for k in range(1, len(offsets)):
        score = scores[k] + degree * offsets[k]
        if score < best:
            best = score
            label = k
    return label


@compiled
def find_least_products(rows: FloatArray, table: FloatArray, offsets: FloatArray, labels: IntArray) -> None:
    """Set the label of each row, (objects, d), to the column of a table, (d, at least K), of least product plus offset.

    ``offsets`` has shape (K,). Of equal ones it is the first.
    """
    scores = np.empty(table.shape[1])
    for p in range(len(rows)):
        own = rows[p]
        scores[:] = 0.0
        for j in range(len(table)):
            column = table[j]
            for k in range(len(scores)):
                scores[k] += own[j] * column[k]
        labels[p] = find_least_of_object(scores, offsets, 1.0)


@compiled
def join_nearest(
    codes: Codes,
    firsts: IntArray,
    table: FloatArray,
    offsets: FloatArray,
    by_degree: bool,
    counts: FloatArray,
    sizes: FloatArray,
    unit: float,
) -> float:
    """Count objects in the cluster of their least score; return the sum of their least scores, in multiples of a unit.

    The scores of an object are the sum of the rows of its clusters in the ``table``, (sum of k_i, d), plus the
    ``offsets``, (K,), which ``by_degree`` takes times column K of the sum. ``counts``, the objects of each base cluster
    in each cluster, (sum of k_i, K), and ``sizes``, (K,), are changed in place. Each least score is rounded to a
    multiple of ``unit``, so that the sum does not depend on the order of the objects.
    """
    n_clusterings, n_objects = codes.shape
    own = np.empty(n_clusterings, dtype=np.uint32)
    scores = np.empty(table.shape[1])
    total = 0.0
    for p in range(n_objects):
        n_known = find_clusters(codes, firsts, p, own)
        sum_rows_of_object(table, own, n_known, scores)
        degree = scores[len(offsets)] if by_degree else 1.0
        label = np.uint32(find_least_of_object(scores, offsets, degree))
        total += np.rint((scores[label] + degree * offsets[label]) / unit)
        sizes[label] += 1
        for j in range(n_known):
            counts[own[j], label] += 1
    return total * unit


@compiled
def share_among_components(
    codes: Codes,
    firsts: IntArray,
    log_theta: FloatArray,
    log_shares: FloatArray,
    counts: FloatArray,
    sizes: FloatArray,
    units: tuple[float, float],
) -> float:
    """Share objects among the components of a mixture by an E-step; return the sum of minus their log-likelihoods.

    Base cluster c of component k has the logarithm ``log_theta[c, k]``, (sum of k_i, d) with d at least K, and the
    component that of its share, ``log_shares``, (K,). An object that no component can have takes the shares alone.
    ``counts``, (sum of k_i, K), and ``sizes``, (K,), are changed in place. Responsibilities are rounded to multiples of
    ``units[0]``, log-likelihoods to multiples of ``units[1]``: sums do not depend on the order of the objects.
    """
    unit_of_shares, unit_of_costs = units
    n_clusterings, n_objects = codes.shape
    n_components = len(log_shares)
    own = np.empty(n_clusterings, dtype=np.uint32)
    scores = np.empty(log_theta.shape[1])
    shares = np.empty(n_components)
    likely = np.empty(n_components, dtype=np.uint32)
    cost = 0.0
    for p in range(n_objects):
        n_known = find_clusters(codes, firsts, p, own)
        sum_rows_of_object(log_theta, own, n_known, scores)
        largest = -np.inf
        for k in range(n_components):
            scores[k] += log_shares[k]
            if scores[k] > largest:
                largest = scores[k]
        if largest == -np.inf:
            scores[:n_components] = log_shares
            largest = log_shares.max()
        total = 0.0
        n_likely = 0
        for k in range(n_components):
            # an exponential below 2^-54 changes no bit of the total, and most objects belong to few components
            if scores[k] - largest > NO_SHARE:
                likely[n_likely] = k
                shares[n_likely] = math.exp(scores[k] - largest) if scores[k] < largest else 1.0
                total += shares[n_likely]
                n_likely += 1
        likelihood = largest + math.log(total) if n_likely > 1 else largest
        cost += np.rint(-likelihood / unit_of_costs)
        for i in range(n_likely):
            share = np.rint(shares[i] / total / unit_of_shares) * unit_of_shares
            if share > 0.0:
                k = likely[i]
                sizes[k] += share
                for j in range(n_known):
                    counts[own[j], k] += share
    return cost * unit_of_costs


@compiled
def count_members(codes: Codes, firsts: IntArray, sizes: IntArray) -> None:
    """Add the objects of each base cluster to ``sizes``, (sum of k_i,), in place."""
    n_clusterings, n_objects = codes.shape
    for i in range(n_clusterings):
        own = sizes[firsts[i] :]
        for p in range(n_objects):
            code = codes[i, p]
            if code >= 0:
                own[np.uint32(code)] += 1


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

"""Agglomerative clustering of a similarity, cut into exactly K clusters or by the longest lifetime."""

from typing import Literal

import numpy as np

from concord.ensemble import FloatArray, IntArray

Linkage = Literal["average", "complete", "single"]

EQUAL = 1e-9  # Lifetimes that differ by less tie: rounding must not choose between them


def linkage_labels(
    similarity: FloatArray, members: IntArray, n_clusters: int | None, linkage: Linkage = "average"
) -> IntArray:
    """Merge the ``members``, rows of a similarity, (n,), by the distance 1 - similarity until K clusters are left.

    The first n - K merges are taken whether or not the last of them ties with the next: a cut at a height gives fewer
    clusters then. Takes O(n^2) time and 8 n^2 bytes. The similarity of two different members of p is (p, p).
    ``n_clusters`` None: see :func:`longest_lived`.
    """
    from scipy.cluster.hierarchy import linkage as merges

    if len(members) == 1:
        return np.zeros(1, dtype=np.int64)
    tree = merges(_distances(similarity, members), method=linkage)
    return _cut(tree, n_clusters or longest_lived(tree[:, 2]))


def longest_lived(heights: FloatArray) -> int:
    """Return the number of clusters with the longest lifetime, given the heights of the merges, (n - 1,), sorted.

    The lifetime of n - l clusters is t_{l+1} - t_l, for 1 <= l <= n - 2 and merges at t_1 <= .. <= t_{n-1} in [0, 1];
    of equal ones the one with the most clusters counts. Where all merges tie, at t, there are only n clusters, for t,
    and one cluster, for 1 - t.
    """
    n = len(heights) + 1
    lifetimes = np.diff(heights)
    longest = lifetimes.max(initial=0.0)
    if longest < EQUAL:
        return n if heights[0] > 0.5 else 1
    return n - 1 - int(np.argmax(lifetimes > longest - EQUAL))


def _distances(similarity: FloatArray, members: IntArray) -> FloatArray:
    """1 - similarity of all i < j, row by row, shape (n (n - 1) / 2,)."""
    n = len(members)
    distances = np.empty(n * (n - 1) // 2)
    start = 0
    for i in range(n - 1):
        stop = start + n - 1 - i
        distances[start:stop] = similarity[members[i], members[i + 1 :]]
        start = stop
    return np.subtract(1.0, distances, out=distances)


def _cut(tree: FloatArray, n_clusters: int) -> IntArray:
    """Label each leaf by the first leaf of the cluster that the first n - K merges put it in."""
    n = len(tree) + 1
    children = tree[: n - n_clusters, :2].astype(np.int64)
    first = np.arange(n + len(children))
    for node, pair in enumerate(children, start=n):
        first[node] = first[pair].min()
    for node in reversed(range(n, len(first))):
        first[children[node - n]] = first[node]
    return first[:n]

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

    Takes O(n^2) time and 8 n^2 bytes. The similarity of two different members of p is (p, p). ``n_clusters`` None: see
    :func:`longest_lived`.
    """
    from scipy.cluster.hierarchy import linkage as merges

    if len(members) == 1:
        return np.zeros(1, dtype=np.int64)
    distances = np.concatenate([similarity[member, members[i + 1 :]] for i, member in enumerate(members)])
    tree = merges(np.subtract(1.0, distances, out=distances), method=linkage)
    return cut(tree, n_clusters or longest_lived(tree[:, 2]))


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


def cut(tree: FloatArray, n_clusters: int) -> IntArray:
    """Return the clusters after the first n - K merges of a tree of n leaves, (n,), 0..K-1 in the order of the leaves.

    The merges count in their order, not by their height: some may tie, and a centroid may come nearer.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(tree) + 1
    children = tree[: n - n_clusters, :2].astype(np.int64)
    nodes = np.repeat(np.arange(n, n + len(children)), 2)
    graph = coo_array((np.ones(nodes.size), (nodes, children.ravel())), shape=(2 * n, 2 * n))
    labels: IntArray = connected_components(graph, directed=False)[1][:n].astype(np.int64)
    return labels

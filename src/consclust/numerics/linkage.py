"""Agglomerative clustering of a similarity, cut into exactly K clusters or by the longest lifetime.

Over objects by SciPy. Where objects with one profile are at least as similar to each other as to any other object, they
may merge first: the merges over objects are then those over the profiles, weighted, and each profile's own merges.
"""

# SciPy and compiled kernels are imported where needed, so that what does without them starts faster

from typing import Literal

import numpy as np

from consclust.ensemble import FloatArray, IntArray

Linkage = Literal["average", "complete", "single"]
LINKAGES = ("average", "complete", "single")  # In the order of the kernel's numbers

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


def twins_are_nearest(similarity: FloatArray, weights: IntArray) -> bool:
    """Return whether objects with one profile are nowhere nearer to another profile; similarity is (n', n')."""
    most = np.maximum(similarity.max(axis=0), similarity.max(axis=1))
    return bool((similarity.diagonal() >= most)[weights > 1].all())


def profile_linkage_labels(
    similarity: FloatArray, membership: IntArray, n_clusters: int | None, linkage: Linkage = "average"
) -> IntArray:
    """Return what :func:`linkage_labels` does for all objects, up to ties, where :func:`twins_are_nearest`.

    Takes O(n'^2 + n log n) time and 8 n'^2 bytes. ``membership`` is the profile of each object, (n,).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    merges, heights = object_merges(similarity, membership, linkage)
    n = len(membership)
    pairs = merges[: n - (n_clusters or longest_lived(heights))].T if n > 1 else merges.T
    graph = coo_array((np.ones(pairs.shape[1]), tuple(pairs)), shape=(n, n))
    labels: IntArray = connected_components(graph, directed=False)[1].astype(np.int64)
    return labels


def object_merges(similarity: FloatArray, membership: IntArray, linkage: Linkage) -> tuple[IntArray, FloatArray]:
    """Return an object of either cluster of each merge, (n - 1, 2), and the heights, (n - 1,), sorted.

    Of merges at one height a profile's own come first, in the order of its objects.
    """
    from consclust.numerics.kernels.linkage_kernels import chain

    distances = np.subtract(1.0, similarity)
    order = np.argsort(membership, kind="stable")
    profile = membership[order]
    again = np.flatnonzero(profile[1:] == profile[:-1])
    own = distances.diagonal()[profile[again]]
    firsts = order[np.searchsorted(profile, np.arange(len(similarity)))]
    pairs, heights = chain(distances, np.bincount(membership).astype(float), LINKAGES.index(linkage))
    merges = np.concatenate([np.column_stack([order[again], order[again + 1]]), firsts[pairs]])
    every = np.concatenate([own, heights])
    by_height = np.argsort(every, kind="stable")
    return merges[by_height], every[by_height]


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

"""Deterministic k-means: Lloyd's iterations from rows that are far from each other."""

# scikit-learn and threadpoolctl are imported where needed, so that what does without them starts faster

import numpy as np

from consclust.ensemble import FloatArray, IntArray

SAME = 1e-10  # Squared distance within which two rows of unit length are equal but for rounding
MOST_ROUNDS = 10_000  # Of Lloyd's iterations, which end by themselves after some tens


def find_far_rows(rows: FloatArray, n_starts: int) -> IntArray:
    """Return the first row, then again and again the row farthest from those chosen; of equally far ones the first.

    Fewer than ``n_starts`` where the others equal chosen ones. Shape (starts,).
    """
    chosen = [0]
    nearest = ((rows - rows[0]) ** 2).sum(axis=1)
    while len(chosen) < n_starts:
        farthest = int(np.argmax(nearest > nearest.max() - SAME))
        if nearest[farthest] <= SAME:
            break
        chosen.append(farthest)
        nearest = np.minimum(nearest, ((rows - rows[farthest]) ** 2).sum(axis=1))
    return np.array(chosen)


def kmeans_from_far_rows(rows: FloatArray, weights: IntArray, n_clusters: int) -> tuple[IntArray, float, int]:
    """Run Lloyd's k-means from :func:`find_far_rows` until no label changes; return labels, inertia and iterations.

    ``rows`` have shape (n', d) and count ``weights`` times, (n',). There are fewer than K clusters where fewer rows
    differ.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    starts = rows[find_far_rows(rows, n_clusters)]
    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        kmeans = KMeans(len(starts), init=starts, n_init=1, max_iter=MOST_ROUNDS, tol=0.0)
        fit = kmeans.fit(rows, sample_weight=weights)
    return fit.labels_.astype(np.int64), float(fit.inertia_), int(fit.n_iter_)

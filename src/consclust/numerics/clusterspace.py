"""K-means on the rows of the co-association matrix, without the matrix.

Row p of the mean M of the connective matrices, scaled by sqrt(w) so that column b stands for w_b objects, is
W^1/2 Z diag(c) z_p, with z_p row p of the indicator matrix Z and c the share of each cluster's clustering in the mean.
So products of rows, and of the centres of rows, are products of indicator rows in the metric
G = diag(c) Z' W Z diag(c): all distances are those of the rows of length n', from sum of k_i numbers a centre.
"""

# compiled kernels are imported where needed, so that what does without them starts faster

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.numerics.restarts import kmeans_restarts

MAX_ITER, TOLERANCE = 300, 1e-4  # Of scikit-learn's k-means, which stops at a share of the mean variance of a column
ROUNDING = 1e-6  # Of the greatest length of a row: distances are exact to less


def coassociation_kmeans(
    ensemble: Ensemble, n_clusters: int, n_init: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Run k-means on the rows of the objects' co-association matrix; return labels, (n_init, n'), and inertia."""
    if ensemble.is_tall:
        shares = np.full(ensemble.n_clusterings, 1 / ensemble.n_clusterings)
        return mean_kmeans(ensemble, shares, n_clusters, n_init, rng)
    # column b stands for w_b equal columns of the objects' matrix: sqrt(w_b) keeps all distances
    rows = ensemble.expected_coassociation * np.sqrt(ensemble.weights)
    return kmeans_restarts(rows, ensemble.weights, n_clusters, n_init, rng)


def mean_kmeans(
    ensemble: Ensemble, shares: FloatArray, n_clusters: int, n_init: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Run Lloyd's k-means on the rows of the mean of the connective matrices, weighted by ``shares``, (m,).

    No label may be missing. Returns labels, (n_init, n'), and inertia, (n_init,), those of
    :func:`~consclust.numerics.restarts.kmeans_restarts` on the dense rows: same starts, same stopping rule.
    """
    runs, labels = Lloyd(ensemble, shares), np.zeros((n_init, ensemble.n_profiles), dtype=np.int64)
    inertia = [runs.run(n_clusters, int(rng.integers(2**32)), of_run) for of_run in labels]
    return labels, np.array(inertia)


class Lloyd:
    """Lloyd's iteration in the metric G of the cluster space."""

    def __init__(self, ensemble: Ensemble, shares: FloatArray) -> None:
        from consclust.numerics.kernels.clusterspace_kernels import squares

        z, c = ensemble.sparse_indicator, np.repeat(shares, ensemble.n_clusters)
        self._columns = z.indices.reshape(z.shape[0], -1).astype(np.uint32)
        self._weights = ensemble.weights.astype(float)
        self._total = z.T @ self._weights
        self._gram = ensemble.overlaps() * np.outer(c, c)
        self._squares = squares(self._columns, self._gram)
        mean = z.mean(axis=0)
        variance = self._squares.mean() - mean @ self._gram @ mean
        self._settled = TOLERANCE * variance / len(self._squares)
        self._rounding = ROUNDING * np.sqrt(self._squares.max())

    def run(self, n_clusters: int, seed: int, labels: IntArray) -> float:
        """Start from K different profiles, drawn by weight, and with ``labels``, (n',), of 0; change them in place.

        Returns the inertia.
        """
        from consclust.numerics.kernels.clusterspace_kernels import reassign

        n = len(self._weights)
        # the draw of scikit-learn
        drawn = np.random.RandomState(seed).choice(n, n_clusters, False, self._weights / self._weights.sum())
        centres = np.zeros((n_clusters, len(self._gram)))
        np.put_along_axis(centres, self._columns[drawn], 1.0, axis=1)
        products, drift = centres @ self._gram, np.zeros(n_clusters)
        bounds = np.full((n, 2), [np.inf, -np.inf])
        sums, sizes = np.zeros_like(centres), np.zeros(n_clusters)
        sums[0], sizes[0] = self._total, self._weights.sum()

        def assign() -> int:
            table, offsets = np.ascontiguousarray(-2 * products.T), (products * centres).sum(axis=1)
            fixed = (self._columns, table, offsets, self._squares, self._weights, drift)
            return int(reassign(*fixed, bounds, labels, sums, sizes))

        for _ in range(MAX_ITER):
            moved, before = assign(), (centres, products)
            centres = self._means(centres, products, labels, sums, sizes)
            products = centres @ self._gram
            steps = ((centres - before[0]) * (products - before[1])).sum(axis=1)
            drift = np.sqrt(np.maximum(steps, 0)) + self._rounding
            if not moved or steps.sum() <= self._settled:
                break
        if moved:
            assign()
        inertia = self._weights @ self._squares - 2 * np.vdot(products, sums) + sizes @ (products * centres).sum(axis=1)
        return max(float(inertia), 0.0)

    def _means(
        self, centres: FloatArray, products: FloatArray, labels: IntArray, sums: FloatArray, sizes: FloatArray
    ) -> FloatArray:
        """Return the new centres; an empty cluster takes one of the profiles farthest from their centres."""
        empty = np.flatnonzero(sizes == 0)
        if empty.size:
            sums, sizes = sums.copy(), sizes.copy()
            own = products[labels[:, None], self._columns].sum(axis=1)
            distances = self._squares - 2 * own + (products * centres).sum(axis=1)[labels]
            farthest = np.argpartition(distances, -empty.size)[: -empty.size - 1 : -1]
            for cluster, far in zip(empty, farthest, strict=True):
                for place, sign in ((labels[far], -1), (cluster, 1)):
                    sums[place, self._columns[far]] += sign * self._weights[far]
                    sizes[place] += sign * self._weights[far]
        return np.where(sizes[:, None] > 0, sums, centres) / np.where(sizes > 0, sizes, 1.0)[:, None]

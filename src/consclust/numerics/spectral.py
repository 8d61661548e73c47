"""Spectral clustering of a similarity matrix over profiles (Ng, Jordan, Weiss 2001; Yu, Shi 2003).

Exact for the objects' matrix: an eigenvector v of the weighted profile matrix gives the eigenvector v / sqrt(w) of the
objects' matrix, and objects with one profile share their row of it.
"""

# SciPy is imported where needed, so that what does without it starts faster

from collections.abc import Callable
from typing import Literal

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.errors import ConsensusFailure
from consclust.numerics.restarts import kmeans_restarts

Assignment = Literal["discretize", "kmeans"]

MAX_ROTATIONS = 20  # Rounds after which Yu and Shi's program stops
KEPT = 1e-4  # A graph of cosines leaves out singular values below this times the largest
POWER = 4  # Exponent of the cosines
TINY = 1e-12  # Least length of a row of a graph of cosines
DENSE = 3000  # Largest similarity matrix whose eigenvectors are all computed; a larger one takes minutes
RANK = 1e-8  # Eigenvalues below this, of 1 at most, have no well-defined vectors in a product
BLOCK = 8192  # Rows that are rotated at a time
NOISE = 1e-13  # Shorter rows of eigenvectors are rounding noise: measured below 1e-15, and other rows above 1e-7


def spectral_labels(
    similarity: FloatArray,
    weights: IntArray,
    n_clusters: int,
    assign_labels: Assignment,
    n_init: int,
    rng: np.random.Generator,
) -> tuple[IntArray, FloatArray]:
    """Cluster profiles by their similarity, (n', n'), symmetric and non-negative; the diagonal counts.

    Returns labels, (n_init, n'), and what the assignment minimises, (n_init,): rotation error, or k-means inertia.
    """
    return row_labels(embedding(similarity, weights, n_clusters), weights, assign_labels, n_init, rng)


def row_labels(
    rows: FloatArray, weights: IntArray, assign_labels: Assignment, n_init: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Cluster the rows of an embedding, (n', K), into K clusters; returns what :func:`spectral_labels` returns."""
    if assign_labels == "kmeans":
        return kmeans_restarts(rows, weights, rows.shape[1], n_init, rng)
    return discretize(rows, weights, n_init, rng)


def embedding(
    similarity: FloatArray,
    weights: IntArray,
    n_clusters: int,
    eigenvectors: Callable[[FloatArray, int], FloatArray] | None = None,
) -> FloatArray:
    """Return unit-length rows of the leading eigenvectors of D^-1/2 W D^-1/2, shape (n', k).

    They are found by :func:`leading_eigenvectors` unless ``eigenvectors`` takes its place. Rows of a component of the
    graph that has no part in them are 0: of equal eigenvalues the vectors of some components are taken.
    """
    degree = np.maximum(similarity @ weights, np.finfo(float).eps)
    root = np.sqrt(weights / degree)
    normalized = similarity * np.outer(root, root)
    vectors = (eigenvectors or leading_eigenvectors)((normalized + normalized.T) / 2, n_clusters)
    rows = vectors / np.sqrt(weights)[:, None]
    scale_to_unit_length(rows, np.sqrt(weights))
    return rows


def scale_to_unit_length(rows: FloatArray, factors: FloatArray) -> None:
    """Scale rows, (n', k), to length 1 in place, and to 0 where they are rounding noise.

    Times ``factors``, (n',), they are the rows of k eigenvectors of length 1, whose rounding errors have a known size.
    """
    lengths = np.linalg.norm(rows, axis=1)
    is_noise = lengths * factors < NOISE
    rows /= np.where(is_noise, 1.0, lengths)[:, None]
    rows[is_noise] = 0.0


def mean_embedding(
    ensemble: Ensemble, shares: FloatArray, n_clusters: int, similarity: Callable[[], FloatArray]
) -> FloatArray:
    """Return the :func:`embedding` of the mean of the connective matrices, weighted by ``shares``, (m,).

    With Z the indicator matrix and c the share of a cluster's clustering, the mean is Z diag(c) Z'. The leading
    eigenvectors of Y Y' are Y V s^-1/2, from those of the Gram matrix Y'Y, with Y = D^-1/2 Z diag(c)^1/2, where that
    is the smaller one; else those of the dense matrix that ``similarity`` returns, (n', n').
    """
    if ensemble.is_tall:
        z, c = ensemble.sparse_indicator, np.repeat(shares, ensemble.n_clusters)
        degree = z @ (c * (z.T @ ensemble.weights))
        root = np.sqrt(c)
        values, vectors = np.linalg.eigh(ensemble.overlaps(ensemble.weights / degree) * np.outer(root, root))
        values, vectors = values[::-1][:n_clusters], vectors[:, ::-1][:, :n_clusters]
        if len(values) == n_clusters and values[-1] > RANK:
            rows: FloatArray = z @ (root[:, None] * vectors / np.sqrt(values))
            scale_to_unit_length(rows, np.sqrt(ensemble.weights / degree))
            return rows
    return embedding(similarity(), ensemble.weights, n_clusters)


def leading_eigenvectors(symmetric: FloatArray, count: int, dense: int = DENSE) -> FloatArray:
    """Return the leading eigenvectors, (n', count), by Lanczos iteration of a matrix with more than ``dense`` rows.

    Raises ConsensusFailure if that does not converge.
    """
    if len(symmetric) <= dense:
        _, vectors = np.linalg.eigh(symmetric)
    else:
        from scipy.sparse.linalg import ArpackNoConvergence, eigsh

        start = np.random.default_rng(0).standard_normal(len(symmetric))
        try:
            values, vectors = eigsh(symmetric, count, which="LA", v0=start)
        except ArpackNoConvergence as error:
            raise ConsensusFailure(f"spectral embedding: {error}") from error
        vectors = vectors[:, np.argsort(values)]
    return vectors[:, ::-1][:, :count]


def discretize(
    rows: FloatArray, weights: IntArray, n_init: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Rotate the embedding towards an indicator matrix (Yu and Shi, ICCV 2003).

    Returns labels, (n_init, n'), and costs, 2 (n - sum of singular values), zero for a perfect indicator matrix.
    """
    n, k = int(weights.sum()), rows.shape[1]
    rotation = _spread_rows(rows, weights, n_init, rng)
    labels, costs = np.full((n_init, len(rows)), -1), np.full(n_init, np.inf)
    turning = np.arange(n_init)  # a start whose labels stay would repeat itself
    for _ in range(MAX_ROTATIONS + 1):
        sums, turned = np.zeros((len(turning), k, k)), np.zeros(len(turning), dtype=bool)
        for first in range(0, len(rows), BLOCK):
            here = slice(first, first + BLOCK)
            nearest = np.argmax(rows[here] @ rotation, axis=2)
            indicator = (nearest[:, None, :] == np.arange(k)[:, None]).astype(float)
            sums += indicator @ (rows[here] * weights[here, None])
            turned |= (labels[turning, here] != nearest).any(axis=1)
            labels[turning, here] = nearest
        left, singular, right = np.linalg.svd(sums)
        before, costs[turning] = costs[turning], 2 * (n - singular.sum(axis=1))
        if np.all(np.abs(costs[turning] - before) < np.finfo(float).eps):
            break
        turning, rotation = turning[turned], np.swapaxes(left @ right, 1, 2)[turned]
    return labels, costs


def find_rotations(
    rows: FloatArray, weights: IntArray, n_init: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Run :func:`discretize`; return labels, costs, and the rotations towards the labels, shape (n_init, K, K).

    Where a start has settled, the label of a row is the place of the greatest entry of row times rotation, the first of
    equal ones: its labels have not changed since the rotation that they come from.
    """
    labels, costs = discretize(rows, weights, n_init, rng)
    weighed = rows * weights[:, None]
    indicators = np.eye(rows.shape[1])
    left, _, right = np.linalg.svd(np.stack([indicators[own].T @ weighed for own in labels]))
    return labels, costs, np.swapaxes(left @ right, 1, 2)


def _spread_rows(rows: FloatArray, weights: IntArray, n_init: int, rng: np.random.Generator) -> FloatArray:
    """First rotations (n_init, k, k): a random row, then always the row least like those taken.

    A row of zeros is never taken: it is unlike every other one, and would leave a cluster empty.
    """
    n_rows, k = rows.shape
    is_zero = ~rows.any(axis=1)
    rotation = np.empty((n_init, k, k))
    overlap = np.zeros((n_init, n_rows))
    overlap[:, is_zero] = np.inf
    eligible = np.where(is_zero, 0, weights)
    taken = rng.choice(n_rows, size=n_init, p=eligible / eligible.sum())
    for column in range(k):
        rotation[:, :, column] = rows[taken]
        overlap += np.abs(rotation[:, :, column] @ rows.T)
        taken = np.argmin(overlap, axis=1)
    return rotation


def cosine_graph(vectors: FloatArray, singular: FloatArray) -> FloatArray:
    """Return the fourth powers of the cosines between the rows of U s^1/2, the least singular values s left out."""
    kept = singular > KEPT * singular.max()
    rows = vectors[:, kept] * np.sqrt(singular[kept])
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), TINY)
    graph: FloatArray = (rows @ rows.T) ** POWER
    return graph

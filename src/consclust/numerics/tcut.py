"""Tcut: partition of a bipartite graph whose other side is small (Li, Wu, Chang, CVPR 2012)."""

from typing import Any

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.restarts import kmeans_restarts

NO_DEGREE = 1e-10  # Stands for 0 in a denominator, as in the authors' programs of LWGP and PTGP


def tcut_labels(
    links: Any, weights: IntArray, n_clusters: int, n_init: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Cluster the N nodes, with ``weights``, of a graph with links (N, M); return labels, (n_init, N), and inertia."""
    _, rows = tcut_embedding(links, weights, n_clusters)
    return kmeans_restarts(rows, weights, n_clusters, n_init, rng, init="k-means++")


def tcut_embedding(links: Any, weights: IntArray, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    """Return the min(K, M) largest eigenvalues, and the embedding in rows of unit length, (N, min(K, M)).

    ``links`` are an array or a SciPy csr_array of E entries. The eigenvectors are those of the M nodes, linked with
    each other over the N; O(N M^2 + M^3), or O(E^2 / N + M^3). The published Tcut scales the columns by a factor of the
    eigenvalue; the authors' programs do not.
    """
    degree = links.sum(axis=1)
    scale = 1 / np.where(degree > 0, degree, NO_DEGREE)
    between = _scaled(links, weights * scale).T @ links
    between = between if isinstance(between, np.ndarray) else between.toarray()
    root = 1 / np.sqrt(np.maximum(between.sum(axis=1), np.finfo(float).tiny))
    normalized = between * np.outer(root, root)
    values, vectors = np.linalg.eigh((normalized + normalized.T) / 2)
    rows = scale[:, None] * (links @ (root[:, None] * vectors[:, ::-1][:, :n_clusters]))
    return values[::-1][:n_clusters], rows / (np.linalg.norm(rows, axis=1, keepdims=True) + NO_DEGREE)


def _scaled(links: Any, factors: FloatArray) -> Any:
    """Return links with each row times its factor."""
    if isinstance(links, np.ndarray):
        return links * factors[:, None]
    scaled = links.copy()
    scaled.data *= np.repeat(factors, np.diff(links.indptr))
    return scaled

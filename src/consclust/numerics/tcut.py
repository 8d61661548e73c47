"""Tcut: partition of a bipartite graph whose other side is small (Li, Wu, Chang, CVPR 2012)."""

from typing import Any

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.restarts import kmeans_restarts

NO_DEGREE = 1e-10  # Stands for 0 in a denominator, as in the authors' programs of LWGP and PTGP
# How many times the M nodes outnumber the N where the eigenvectors of the N are found. Those of the M take little time
# up to there, and the accepted labels of studies were found so, with up to 2.3 times as many.
FEWER = 3


def tcut_labels(
    links: Any, weights: IntArray, n_clusters: int, n_init: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Cluster the N nodes, with ``weights``, of a graph with links (N, M); return labels, (n_init, N), and inertia."""
    _, rows = tcut_embedding(links, weights, n_clusters)
    return kmeans_restarts(rows, weights, n_clusters, n_init, rng, init="k-means++")


def tcut_embedding(links: Any, weights: IntArray, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    """Return the min(K, N, M) largest eigenvalues, and the embedding in rows of unit length.

    ``links``, (N, M), are an array or a SciPy csr_array of E entries. The eigenvectors are those of the M nodes, linked
    with each other over the N, O(N M^2 + M^3), or O(E^2 / N + M^3); or of the N linked over the M, where these are far
    fewer. The published Tcut scales the columns by a factor of the eigenvalue; the authors' programs do not.
    """
    degree = links.sum(axis=1)
    scale = 1 / np.where(degree > 0, degree, NO_DEGREE)
    few = FEWER * links.shape[0] < links.shape[1]
    values, rows = (_embed_first if few else _embed_second)(links, weights, scale, n_clusters)
    rows[degree == 0] = 0.0
    return values, rows / (np.linalg.norm(rows, axis=1, keepdims=True) + NO_DEGREE)


def _embed_second(links: Any, weights: IntArray, scale: FloatArray, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues and embedding, not of unit length, by the eigenvectors of the M nodes."""
    between = _dense(_scaled(links, weights * scale).T @ links)
    root = 1 / np.sqrt(np.maximum(between.sum(axis=1), np.finfo(float).tiny))
    normalized = between * np.outer(root, root)
    values, vectors = np.linalg.eigh((normalized + normalized.T) / 2)
    rows = scale[:, None] * (links @ (root[:, None] * vectors[:, ::-1][:, :n_clusters]))
    return values[::-1][:n_clusters], rows


def _embed_first(links: Any, weights: IntArray, scale: FloatArray, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    """Return the same by the eigenvectors of the N nodes.

    The matrix of the M nodes is A'A with A = (W S)^1/2 B T^-1/2, for the links B, the weights W, their ``scale`` S, and
    the degrees T of the M nodes. With the eigenvectors U and eigenvalues L of A A' the embedding is
    (S / W)^1/2 U L^1/2.
    """
    root = np.sqrt(weights * scale)
    back = links.T if isinstance(links, np.ndarray) else links.T.tocsr()
    back = _scaled(back, 1 / np.maximum(back @ weights, np.finfo(float).tiny))
    normalized = _dense(_scaled(links, root) @ back) * root
    values, vectors = np.linalg.eigh((normalized + normalized.T) / 2)
    values, vectors = values[::-1][:n_clusters], vectors[:, ::-1][:, :n_clusters]
    # the root of an eigenvalue that is zero but for rounding would be far from zero
    lengths = np.sqrt(np.where(values > len(root) * np.finfo(float).eps, values, 0.0))
    return values, np.sqrt(scale / weights)[:, None] * vectors * lengths


def _dense(matrix: Any) -> FloatArray:
    dense: FloatArray = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return dense


def _scaled(links: Any, factors: FloatArray) -> Any:
    """Return links with each row times its factor."""
    if isinstance(links, np.ndarray):
        return links * factors[:, None]
    scaled = links.copy()
    scaled.data *= np.repeat(factors, np.diff(links.indptr))
    return scaled

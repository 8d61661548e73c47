"""Shrinkage of singular values, the proximal operator of the nuclear norm."""

import numpy as np

from consclust.ensemble import FloatArray

FINE = 1e-5  # Thresholds below this need the singular values themselves, not the roots of eigenvalues


def shrink_spectrum(matrix: FloatArray, threshold: float) -> FloatArray:
    """Return ``matrix`` with its singular values lowered by ``threshold``, to zero at most."""
    left, right = shrunk_factors(matrix, threshold)
    return left @ right


def shrunk_factors(matrix: FloatArray, threshold: float) -> tuple[FloatArray, FloatArray]:
    """Return two factors of ``matrix`` with its singular values lowered by ``threshold``, to zero at most.

    The eigenvalues of A A' cost half the time of the singular values. They lose half of the digits, which changes the
    result by at most eps / threshold, so small thresholds need the singular values.
    """
    if np.linalg.norm(matrix) <= threshold:
        return np.zeros((len(matrix), 0)), np.zeros((0, matrix.shape[1]))
    if threshold < FINE:
        left, singular, right = np.linalg.svd(matrix, full_matrices=False)
        return left * np.maximum(singular - threshold, 0), right
    values, vectors = np.linalg.eigh(matrix @ matrix.T)
    kept = values > threshold**2
    vectors = vectors[:, kept]
    return vectors * (1 - threshold / np.sqrt(values[kept])), vectors.T @ matrix

"""Eigenvectors of the large eigenvalues of symmetric matrices that change little from one to the next."""

# SciPy is imported where needed, so that what does without it starts faster

import numpy as np

from consclust.ensemble import FloatArray
from consclust.numerics.eigen import ALL

FINER = 1e-3  # The basis goes on with eigenvalues down to this share of the least one that is wanted
PART = 0.3  # Largest basis, as a share of the rows, that is faster than all eigenvectors
ROUNDS = 5  # Most multiplications of a basis beyond the first
CONVERGED = 1e-13  # Length of a residual, relative to the largest eigenvalue


class LargeEigenvalues:
    """Finds the eigenvectors whose eigenvalues are above ``least`` times the largest, all in absolute value.

    Up to ``ALL`` rows all are computed. Above, the subspace of the last matrix is multiplied by the new one until the
    residuals vanish. It is taken only where what the matrix has beside it is too small for another such eigenvalue.
    """

    def __init__(self, least: float) -> None:
        self._least = least
        self._basis: FloatArray | None = None

    def find(self, matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return eigenvalues and vectors as columns: those above the least, and perhaps others."""
        values, vectors = self._from_basis(matrix) or np.linalg.eigh(matrix)
        kept = np.abs(values) > FINER * self._least * np.abs(values).max()
        small = len(matrix) > ALL and 0 < np.count_nonzero(kept) <= PART * len(matrix)
        self._basis = vectors[:, kept] if small else None
        return values, vectors

    def _from_basis(self, matrix: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Return those of the subspace of the basis; None if it does not converge or may lack one."""
        from scipy.linalg import qr

        if self._basis is None:
            return None
        square = np.einsum("ij,ij", matrix, matrix)
        basis = qr(matrix @ self._basis, mode="economic")[0]
        for _ in range(ROUNDS):
            image = matrix @ basis
            values, turned = np.linalg.eigh(basis.T @ image)
            vectors, image = basis @ turned, image @ turned
            residuals = ((image - vectors * values) ** 2).sum(axis=0)
            largest = np.abs(values).max()
            wanted = np.abs(values) > self._least * largest
            if residuals[wanted].max() <= (CONVERGED * largest) ** 2:
                beside = square - values @ values - 2 * residuals.sum()
                complete = beside <= (self._least * largest / 2) ** 2
                return (values, vectors) if complete else None
            basis = qr(image, mode="economic")[0]
        return None

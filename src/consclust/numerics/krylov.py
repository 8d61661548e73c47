"""The smallest eigenvalues of a large Laplacian, by block Krylov steps with its inverse (Golub, Underwood 1977)."""

# SciPy is imported where needed, so that what does without it starts faster

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from consclust.ensemble import FloatArray
from consclust.numerics import eigen

WIDTH = 8  # Columns of a block
MOST = 800  # Columns of a basis
CONVERGED = 1e-13  # Length of a residual, relative to the eigenvalue
SAME = 1e-8  # Relative difference of eigenvalues that count as equal
EPS = float(np.finfo(float).eps)

Operator = Callable[[FloatArray], FloatArray]


def smallest(matrix: FloatArray, null: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return what :func:`consclust.numerics.eigen.smallest` does, by block Krylov steps above ``eigen.ALL`` rows.

    Where they do not converge, or the vectors are not good to ten digits, it is left to that function.
    """
    others = count - null.shape[1]
    if len(matrix) > eigen.ALL and others > 0:
        with suppress(np.linalg.LinAlgError):
            values, vectors = _smallest_beside(matrix, null, others)
            values, vectors = np.append(np.zeros(null.shape[1]), values), np.hstack([null, vectors])
            if eigen.faithful(matrix, values, vectors):
                return values, vectors
    return eigen.smallest(matrix, null, count)


def _smallest_beside(matrix: FloatArray, null: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return the ``count`` smallest eigenvalues above zero, ascending, and vectors as columns."""
    from scipy.linalg import cho_factor, cho_solve

    raised = null @ (2 * matrix.diagonal().max() * null.T)
    raised += matrix
    factor = cho_factor(raised.T, overwrite_a=True, check_finite=False)
    span = dominant(lambda block: cho_solve(factor, block, check_finite=False), len(matrix), count)
    values, turned = np.linalg.eigh(span.T @ (matrix @ span))  # the inverse has lost digits of the larger ones
    return values, span @ turned


def dominant(operator: Operator, n: int, count: int) -> FloatArray:
    """Return the eigenvectors of the ``count`` largest eigenvalues of a positive definite operator, (n, count).

    The first block is random, so that an eigenvalue is found as often as it occurs, up to ``WIDTH`` times; a second
    projection keeps the basis orthonormal. Raises LinAlgError where one is found ``WIDTH`` times, which may be too few,
    and where ``MOST`` columns do not suffice.
    """
    from scipy.linalg import qr

    block = qr(np.random.default_rng(0).standard_normal((n, min(n, WIDTH))), mode="economic")[0]
    basis, projected = np.empty((n, 0)), np.empty((0, 0))
    while block.size and basis.shape[1] < MOST:
        known, basis = basis.shape[1], np.hstack([basis, block])
        beside = operator(block)
        along = basis.T @ beside
        beside -= basis @ along
        again = basis.T @ beside
        beside -= basis @ again
        along += again
        projected = np.block([[projected, along[:known]], [along[:known].T, along[known:]]])
        values, vectors = np.linalg.eigh(projected)
        values, vectors = values[-count:], vectors[:, -count:]
        residuals = np.linalg.norm(beside @ vectors[known:], axis=0)
        converged = residuals <= np.maximum(CONVERGED * values, 4 * EPS * values[-1])
        if len(values) == count and converged.all():
            if np.any(values[WIDTH - 1 :] - values[: 1 - WIDTH] <= SAME * values[WIDTH - 1 :]):
                break
            found: FloatArray = basis @ vectors
            return found
        block, triangle, _ = qr(beside, mode="economic", pivoting=True)
        block = block[:, np.abs(triangle.diagonal()) > EPS * values[-1]]
        block = qr(block - basis @ (basis.T @ block), mode="economic")[0]
    raise np.linalg.LinAlgError(f"block Krylov steps do not find {count} eigenvectors")

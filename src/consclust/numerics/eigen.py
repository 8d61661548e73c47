"""Some eigenvectors of a dense symmetric matrix."""

# SciPy is imported where needed, so that what does without it starts faster

from contextlib import suppress

import numpy as np

from consclust.ensemble import FloatArray

ALL = 1000  # Most rows of a matrix whose eigenvectors are all computed where some suffice
FAITHFUL = 1e-10  # Largest relative residual, and deviation from orthonormality, of eigenvectors that are accepted


def some_eigenvectors(matrix: FloatArray, first: int, last: int) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues first..last of a symmetric matrix, ascending from number 0, and vectors as columns.

    LAPACK finds the vectors of some eigenvalues by inverse iteration. That may fail for an eigenvalue that occurs many
    times, as zero does for a graph of many components, and does not always report it; then all are computed.
    """
    from scipy.linalg import eigh

    values: FloatArray
    vectors: FloatArray
    try:
        values, vectors = eigh(matrix, subset_by_index=(first, last), driver="evx")
        if faithful(matrix, values, vectors):
            return values, vectors
    except np.linalg.LinAlgError:
        pass
    values, vectors = eigh(matrix, driver="evd")
    return values[first : last + 1], vectors[:, first : last + 1]


def smallest(matrix: FloatArray, null: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return the ``count`` smallest eigenvalues of a positive semidefinite matrix, ascending, and vectors as columns.

    ``null``, (n, c), is an orthonormal basis of what the matrix takes to zero. With more than ``ALL`` rows the others
    are found by Lanczos steps with the inverse, where that succeeds.
    """
    from scipy.sparse.linalg import ArpackError

    others = count - null.shape[1]
    if len(matrix) > ALL and others > 0:
        with suppress(np.linalg.LinAlgError, ArpackError):
            values, vectors = _smallest_beside(null, matrix, others)
            values, vectors = np.append(np.zeros(null.shape[1]), values), np.hstack([null, vectors])
            if faithful(matrix, values, vectors):
                return values, vectors
    return some_eigenvectors(matrix, 0, count - 1)


def _smallest_beside(null: FloatArray, matrix: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return the ``count`` smallest eigenvalues above zero, ascending, and vectors as columns.

    Lanczos steps may miss one of several equal eigenvalues. With those that are found raised, and the largest of them
    subtracted from all, the matrix has a Cholesky factor if and only if no smaller one is left; otherwise LinAlgError.
    """
    from scipy.linalg import cho_factor, cho_solve
    from scipy.sparse.linalg import LinearOperator, eigsh

    high = 2 * matrix.diagonal().max()
    raised = matrix + high * (null @ null.T)
    factor = cho_factor(raised.T, check_finite=False)
    inverse = LinearOperator(matrix.shape, lambda vector: cho_solve(factor, vector, check_finite=False), dtype=float)
    start = np.random.default_rng(0).standard_normal(len(matrix))
    values, vectors = eigsh(raised, count, sigma=0, OPinv=inverse, v0=start)
    values, vectors = values[np.argsort(values)], vectors[:, np.argsort(values)]
    raised += high * (vectors @ vectors.T)
    raised.flat[:: len(raised) + 1] -= (1 - FAITHFUL) * values[-1]
    cho_factor(raised.T, overwrite_a=True, check_finite=False)
    return values, vectors


def leading(matrix: FloatArray, count: int) -> FloatArray:
    """Return the eigenvectors of the largest eigenvalues of a symmetric matrix as columns, the largest first.

    All are computed up to ``ALL`` rows: iterations and random restarts may turn last bits into other labels, the two
    solvers differ in these, and the accepted results were computed so.
    """
    n = len(matrix)
    if n <= ALL:
        return np.linalg.eigh(matrix)[1][:, ::-1][:, :count]
    return some_eigenvectors(matrix, n - count, n - 1)[1][:, ::-1]


def faithful(matrix: FloatArray, values: FloatArray, vectors: FloatArray) -> bool:
    """Return whether the columns are orthonormal and eigenvectors to ten digits."""
    residual = np.linalg.norm(matrix @ vectors - vectors * values)
    skew = np.abs(vectors.T @ vectors - np.eye(len(values))).max()
    return bool(residual <= FAITHFUL * np.linalg.norm(matrix) and skew <= FAITHFUL)

"""Some eigenvectors of a dense symmetric matrix."""

import numpy as np

from concord.ensemble import FloatArray

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

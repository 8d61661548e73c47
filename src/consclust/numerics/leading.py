"""The leading eigenvectors of a large graph, by block Krylov steps with an inverse."""

# SciPy is imported where needed, so that what does without it starts faster

from contextlib import suppress

import numpy as np

from consclust.ensemble import FloatArray
from consclust.numerics import eigen
from consclust.numerics.krylov import dominant

ABOVE = 1e-4  # What is added to the largest eigenvalue of a graph, so that there is an inverse


def leading(graph: FloatArray, count: int) -> FloatArray:
    """Return the eigenvectors of the largest eigenvalues of D^-1/2 W D^-1/2, which are at most 1, the largest first.

    Up to ``eigen.ALL`` rows, and where the steps do not converge or the vectors are not good to ten digits, it is left
    to :func:`consclust.numerics.eigen.leading`.
    """
    if len(graph) > eigen.ALL:
        with suppress(np.linalg.LinAlgError):
            values, vectors = _by_inverse(graph, count)
            if eigen.faithful(graph, values, vectors):
                return vectors[:, ::-1]
    return eigen.leading(graph, count)


def _by_inverse(graph: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues, ascending, and vectors as columns."""
    from scipy.linalg import cho_factor, cho_solve

    lowered = -graph
    lowered.flat[:: len(graph) + 1] += 1 + ABOVE
    factor = cho_factor(lowered.T, overwrite_a=True, check_finite=False)
    span = dominant(lambda block: cho_solve(factor, block, check_finite=False), len(graph), count)
    values, turned = np.linalg.eigh(span.T @ (graph @ span))  # the inverse has lost digits of all but the largest
    return values, span @ turned

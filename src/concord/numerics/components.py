"""Similarities driven towards a graph with a wanted number of connected components (SPCE, TRCE).

A graph has c components if and only if c eigenvalues of its Laplacian are zero. The objects' Laplacian has eigenvectors
that are equal on objects with one profile, those of the (n', n') matrix, and differences between objects with one
profile, whose eigenvalue is the row sum of that profile.
"""

from collections.abc import Callable

import numpy as np

from concord.ensemble import Ensemble, FloatArray, IntArray
from concord.numerics.eigen import some_eigenvectors

TOO_FEW = 1e-9  # Sum of the c smallest eigenvalues above which there are too few components
TOO_MANY = 1e-11  # Sum of the c + 1 smallest eigenvalues below which there are too many
CLOSE = 1e-9  # Eigenvalues that differ by less count as equal


class SplitProfileError(Exception):
    """An eigenvector among the c differs between the objects of some profiles, whose numbers are ``profiles``."""

    def __init__(self, profiles: IntArray) -> None:
        super().__init__(f"{len(profiles)} profiles do not suffice for their objects")
        self.profiles = profiles


def solved(solve: Callable[[Ensemble], FloatArray], ensemble: Ensemble) -> tuple[FloatArray, IntArray]:
    """Return the similarity that ``solve`` learns on the profiles, and each object's row.

    Where some profiles do not suffice it is learnt anew, with a row for each of their objects.
    """
    try:
        return solve(ensemble), ensemble.membership
    except SplitProfileError as error:
        profiles = error.profiles
    # The error holds the matrices of this attempt: they are free now that its handler has ended
    return solved(solve, ensemble.unmerged(profiles))


def component_labels(similarity: FloatArray) -> IntArray:
    """Return the connected component of each row in the graph of the positive similarities."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    labels: IntArray = connected_components(csr_array(similarity > 0), directed=False)[1].astype(np.int64)
    return labels


class Separation:
    """The embedding F, the Laplacian's c bottom eigenvectors, and the weight of the term that pulls S to it.

    ``distances``, (n', n'), are those between the rows of F, squared; ``reached`` is whether the last graph had c
    components, by its eigenvalues. Raises SplitProfileError if F is not a function of the profiles.
    """

    def __init__(self, similarity: FloatArray, weights: IntArray, n_components: int) -> None:
        self._weights = weights
        self._wanted = n_components
        self.weight = 1.0
        self.reached = False
        _, self.distances = bottom(similarity, weights, n_components)

    def update(self, similarity: FloatArray) -> None:
        """Take F of a new graph and double the weight; with too many components keep F and halve it."""
        values, distances = bottom(similarity, self._weights, self._wanted)
        too_few = values[: self._wanted].sum() > TOO_FEW
        too_many = not too_few and len(values) > self._wanted and values.sum() < TOO_MANY
        self.reached = not (too_few or too_many)
        if too_many:
            self.weight /= 2
            return
        self.distances = distances
        if too_few:
            self.weight *= 2


def bottom(similarity: FloatArray, weights: IntArray, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    """Return the c + 1 smallest eigenvalues (c if c = n') of the objects' Laplacian and F's squared distances."""
    from scipy.spatial.distance import cdist

    root = np.sqrt(weights)
    degree = similarity @ weights
    laplacian = np.diag(degree) - similarity * np.outer(root, root)
    last = min(n_vectors, len(weights) - 1)
    values, vectors = some_eigenvectors(laplacian, 0, last)
    split = np.flatnonzero((weights > 1) & (degree <= values[n_vectors - 1] + CLOSE))
    if split.size > 0:
        raise SplitProfileError(split)
    rows = vectors[:, :n_vectors] / root[:, None]
    return values, cdist(rows, rows, "sqeuclidean")

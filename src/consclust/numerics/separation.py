"""Similarities driven towards a graph with a wanted number of connected components (SPCE, TRCE).

A graph has c components if and only if c eigenvalues of its Laplacian are zero. The objects' Laplacian has eigenvectors
that are equal on objects with one profile, those of the (n', n') matrix, and differences between objects with one
profile, whose eigenvalue is the row sum of that profile.
"""

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.components import SplitProfileError, component_labels
from consclust.numerics.krylov import smallest

TOO_FEW = 1e-9  # Sum of the c smallest eigenvalues above which there are too few components
TOO_MANY = 1e-11  # Sum of the c + 1 smallest eigenvalues below which there are too many
CLOSE = 1e-9  # Eigenvalues that differ by less count as equal


class Separation:
    """The embedding F, the Laplacian's c bottom eigenvectors, and the weight of the term that pulls S to it.

    ``embedding``, (n', c), has a row of F for each profile; ``reached`` is whether the last graph had c components, by
    its eigenvalues. Raises SplitProfileError if F is not a function of the profiles.
    """

    def __init__(self, similarity: FloatArray, weights: IntArray, n_components: int) -> None:
        self._weights = weights
        self._wanted = n_components
        self.weight = 1.0
        self.reached = False
        _, self.embedding = bottom(similarity, weights, n_components, component_labels(similarity))

    def update(self, similarity: FloatArray) -> None:
        """Take F of a new graph and double the weight; with too many components keep F and halve it."""
        components = component_labels(similarity)
        if components.max() < self._wanted:
            values, embedding = bottom(similarity, self._weights, self._wanted, components)
            too_few = values[: self._wanted].sum() > TOO_FEW
            if too_few or len(values) == self._wanted or values.sum() >= TOO_MANY:
                self.embedding, self.reached = embedding, not too_few
                self.weight *= 2 if too_few else 1
                return
        self.reached = False
        self.weight /= 2


def bottom(
    similarity: FloatArray, weights: IntArray, n_vectors: int, components: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the c + 1 smallest eigenvalues (c if c = n') of the objects' Laplacian, and F over the profiles, (n', c).

    ``components``, (n',), are those of the graph: the Laplacian takes the weights of each of them to zero.
    """
    root = np.sqrt(weights)
    degree = similarity @ weights
    laplacian = np.outer(root, root)
    laplacian *= similarity
    np.subtract(0, laplacian, out=laplacian)
    laplacian.flat[:: len(laplacian) + 1] += degree
    null = root[:, None] * np.equal.outer(components, np.arange(components.max() + 1))
    values, vectors = smallest(laplacian, null / np.linalg.norm(null, axis=0), min(n_vectors + 1, len(weights)))
    split = np.flatnonzero((weights > 1) & (degree <= values[n_vectors - 1] + CLOSE))
    if split.size > 0:
        raise SplitProfileError(split)
    return values, vectors[:, :n_vectors] / root[:, None]

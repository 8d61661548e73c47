"""The graph of cosines of many rows."""

import numpy as np

from consclust.ensemble import FloatArray
from consclust.numerics import spectral
from consclust.numerics.eigen import ALL


def cosine_graph(vectors: FloatArray, singular: FloatArray) -> FloatArray:
    """Return what :func:`consclust.numerics.spectral.cosine_graph` does; above ``ALL`` rows by squares of squares.

    They take a tenth of the time of NumPy's fourth powers, from which they differ in the last bits.
    """
    if len(vectors) <= ALL:
        return spectral.cosine_graph(vectors, singular)
    kept = singular > spectral.KEPT * singular.max()
    rows = vectors[:, kept] * np.sqrt(singular[kept])
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), spectral.TINY)
    graph: FloatArray = rows @ rows.T
    graph *= graph
    graph *= graph
    return graph

"""Graphs of METIS from dense matrices."""

import numpy as np

from consclust.numerics.partition import Graph, graph_of_rows


def dense_graph(weights: np.ndarray) -> Graph:
    """Return the graph of a symmetric weight matrix; zeros and the diagonal are no edges."""
    beside = weights.copy()
    np.fill_diagonal(beside, 0)
    return graph_of_rows([(slice(None), beside)], len(weights), np.count_nonzero(beside))

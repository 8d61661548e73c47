"""Tcut on sparse links, against dense ones."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consclust.numerics.tcut import tcut_embedding, tcut_labels


@pytest.mark.parametrize("empty", [False, True])
def test_sparse_links_are_as_dense_ones(empty):
    rng = np.random.default_rng(0)
    links = rng.random((40, 7)) * (rng.random((40, 7)) < 0.4)
    links[:, 0] += 0.1
    weights = rng.integers(1, 5, size=40)
    if empty:
        links[3] = 0
    values, rows = tcut_embedding(links, weights, 3)
    sparse_values, sparse_rows = tcut_embedding(csr_array(links), weights, 3)
    assert sparse_values == pytest.approx(values, abs=1e-12)
    assert sparse_rows @ sparse_rows.T == pytest.approx(rows @ rows.T, abs=1e-12)
    dense, sparse = (tcut_labels(each, weights, 3, 4, np.random.default_rng(1)) for each in (links, csr_array(links)))
    assert np.array_equal(dense[0], sparse[0])
    assert sparse[1] == pytest.approx(dense[1], abs=1e-10)


@pytest.mark.parametrize("k", [1, 3, 6])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("n_nodes", "m"), [(12, 5), (7, 15), (7, 25)])
def test_embedding_is_that_of_the_whole_bipartite_graph_of_the_objects(k, n_nodes, m, sparse):
    """Rows of the leading eigenvectors of its random walk, each column times the root of its eigenvalue."""
    rng = np.random.default_rng(3)
    links, weights = rng.random((n_nodes, m)), rng.integers(1, 4, size=n_nodes)
    n = weights.sum()
    objects = np.repeat(np.arange(n_nodes), weights)
    graph = np.zeros((n + m, n + m))
    graph[:n, n:] = links[objects]
    graph += graph.T
    root = 1 / np.sqrt(graph.sum(axis=1))
    values, vectors = np.linalg.eigh(graph * np.outer(root, root))
    largest = values[::-1][: min(k, m)]
    expected = root[:n, None] * vectors[:n, ::-1][:, : min(k, m)] * largest
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found, rows = tcut_embedding(csr_array(links) if sparse else links, weights, k)
    assert found == pytest.approx(largest**2, abs=1e-12)
    assert (rows @ rows.T)[np.ix_(objects, objects)] == pytest.approx(expected @ expected.T, abs=1e-8)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("m", [8, 20])
def test_more_clusters_than_the_links_have_rank_and_a_node_without_links(m, sparse):
    """Both sides give the same embedding: what belongs to eigenvalues of zero is zero."""
    links = np.zeros((6, m))
    links[:3, :4] = 1.0
    links[3:5, 4:] = 2.0
    weights = np.array([1, 2, 1, 3, 1, 2])
    given = csr_array(links) if sparse else links
    values, rows = tcut_embedding(given, weights, 4)
    assert values == pytest.approx([1, 1, 0, 0], abs=1e-12)
    together = np.zeros((6, 6))
    together[:3, :3] = together[3:5, 3:5] = 1.0
    assert rows @ rows.T == pytest.approx(together, abs=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("m", [8, 25])
def test_a_node_without_links_has_a_row_of_zeros(m, sparse):
    """Divided by its degree, which is zero, its rounding errors would be far from zero."""
    rng = np.random.default_rng(0)
    for k in (3, 5):
        for _ in range(20):
            links = rng.random((5, m)) * (rng.random((5, m)) < 0.8)
            links[2] = 0.0
            _, rows = tcut_embedding(csr_array(links) if sparse else links, rng.integers(1, 5, size=5), k)
            assert not rows[2].any()

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

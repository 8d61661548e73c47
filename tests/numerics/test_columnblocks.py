"""Products in blocks of columns are those of the whole matrices, wherever the matrix is not zero."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consclust.numerics import columnblocks
from consclust.numerics.columnblocks import ColumnBlocks, grouped


def sparse(n: int, groups: int, seed: int) -> np.ndarray:
    """Return a symmetric matrix with ones on the diagonal that is zero between most groups."""
    rng = np.random.default_rng(seed)
    group = rng.integers(groups, size=n)
    there = (np.abs(group[:, None] - group) <= 1) & (rng.random((n, n)) < 0.8)
    matrix = np.where(there | there.T, rng.random((n, n)), 0.0)
    return np.maximum(matrix, matrix.T) + np.eye(n)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 90), st.integers(1, 12), st.integers(0, 99))
def test_products_are_those_of_the_whole_matrices(n, groups, seed):
    matrix = sparse(n, groups, seed)
    factors = np.random.default_rng(seed).normal(size=(2, n, n))
    blocks = ColumnBlocks(matrix)
    values = np.zeros((2, blocks.places.size))
    parts = zip(blocks.views(values), blocks.beside(factors), blocks.cut(matrix), strict=True)
    for view, part, entries in parts:
        np.matmul(part, entries, out=view)
    at = np.flatnonzero(matrix.ravel()[blocks.places])
    assert sorted(blocks.places[at]) == np.flatnonzero(matrix).tolist()
    expected = (factors @ matrix).reshape(2, -1)[:, blocks.places[at]]
    np.testing.assert_allclose(values[:, at], expected, rtol=0, atol=1e-12 * n)


def test_blocks_take_less_work_where_much_is_zero(monkeypatch):
    monkeypatch.setattr(columnblocks, "WIDTH", 8)
    matrix = sparse(96, 12, 0)
    blocks = ColumnBlocks(matrix)
    sizes = [
        (*block.shape, part.shape[-1]) for block, part in zip(blocks.cut(matrix), blocks.beside(matrix), strict=True)
    ]
    assert len(sizes) == columnblocks.MOST
    assert all(rows == beside for rows, _, beside in sizes)
    assert sum(rows**2 * columns for rows, columns, _ in sizes) < columnblocks.WORTH * 96**3


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_matrix_with_few_zeros_is_one_block(share):
    random = np.random.default_rng(0).random((80, 80))
    matrix = np.where(np.minimum(random, random.T) < share / 2, 0.0, 1.0)
    (block,) = ColumnBlocks(matrix).cut(matrix)
    assert block is matrix


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(1, 9), st.integers(1, 20), st.integers(0, 99))
def test_every_column_is_in_one_block_with_all_its_rows(n, groups, width, seed):
    there = sparse(n, groups, seed) != 0
    found = grouped(there, width)
    assert sorted(np.concatenate([columns for _, columns in found])) == list(range(n))
    for rows, columns in found:
        assert len(columns) <= width
        assert rows.tolist() == np.flatnonzero(there[:, columns].any(axis=1)).tolist()

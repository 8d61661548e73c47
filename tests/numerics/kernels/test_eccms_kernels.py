"""The kernels of EC-CMS against the plain formulas."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from consclust.ensemble import Ensemble
from consclust.methods.eccms import Inverse
from consclust.numerics.kernels import eccms_kernels as kernels
from consclust.similarity import over_objects


def lower_triangle(size, rng):
    """Sparse L with a positive diagonal."""
    dense = np.tril(rng.normal(size=(size, size)) * (rng.random((size, size)) < 0.3), -1)
    return dense + np.diag(rng.uniform(1, 2, size))


def panels(matrix):
    """A matrix with its border, (n + 1, n), as panels."""
    n = matrix.shape[1]
    count = -(-n // kernels.COLUMNS)
    whole = np.zeros((count * kernels.COLUMNS + 1, count * kernels.COLUMNS), dtype=matrix.dtype)
    whole[:n, :n], whole[-1, :n] = matrix[:-1], matrix[-1]
    return np.stack(np.hsplit(whole, count))


def bordered(cut, n):
    """The matrix that panels hold; asserts that the rest is zero."""
    whole = np.hstack(list(cut))
    assert not whole[n:-1].any()
    assert not whole[:, n:].any()
    return np.vstack([whole[:n, :n], whole[-1, :n]])


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(st.sampled_from([1, 5, 30, kernels.COLUMNS, kernels.COLUMNS + 1, 2 * kernels.COLUMNS + 9]), st.integers(0, 99))
def test_solves_with_a_cholesky_factor(size, seed):
    rng = np.random.default_rng(seed)
    lower, given_x = lower_triangle(size, rng), rng.normal(size=(size + 1, size))
    lower[:, : size // 2] *= 0.1  # well conditioned
    lower += np.eye(size)
    below = csr_array(np.tril(lower, -1))
    x = panels(given_x)
    kernels.solve(arrays(below), arrays(csr_array(below.T)), 1 / lower.diagonal(), x)
    found = bordered(x, size)
    expected = np.linalg.solve(lower @ lower.T, given_x[:-1])
    assert found[:-1] == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
    assert (found[-1] == given_x[-1]).all()


def plain_iteration(penalties, root, locked, a, c, v, y, target):
    """What ``advance`` does, on whole matrices; F of the border is not made symmetric."""
    lambda_, gamma1, gamma2 = penalties
    scale = np.vstack([np.outer(root, root), root])

    def clipped(matrix):
        symmetric = np.vstack([(matrix[:-1] + matrix[:-1].T) / 2, matrix[-1:]])
        return np.clip(symmetric, 0, scale)

    f_before, e_before = clipped(v), np.where(locked, 0, y / lambda_)
    u_before = v - f_before
    f = clipped(c + u_before)
    u = u_before + c - f
    e = np.where(locked, 0, (gamma1 * (a - c) + y) / (lambda_ + gamma1))
    multiplier = y + gamma1 * (a - c - e)
    share = np.ones_like(a)
    np.fill_diagonal(share[:-1], 1 - 1 / root**2)
    free = lambda_ * (e - e_before)
    changes = [c - target, f - f_before, u - u_before, free, multiplier - y]
    values = [c, f, u, lambda_ * e, multiplier]
    squares = [(share * matrix**2).sum() for matrix in changes + values]
    return c + u_before, multiplier, gamma1 * (a - e) + multiplier + gamma2 * (f - u), squares


def arrays(matrix):
    matrix.sort_indices()
    return matrix.indptr, matrix.indices, matrix.data


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(
    size=st.sampled_from([1, 2, 7, 30, kernels.COLUMNS, kernels.COLUMNS + 1, 2 * kernels.COLUMNS + 3]),
    penalties=st.sampled_from([(0.4, 1.0, 1.0), (0.01, 0.5, 3.0), (10.0, 1.0, 1.0)]),
    share_locked=st.sampled_from([0.0, 0.2, 1.0]),
    seed=st.integers(0, 99),
)
def test_an_iteration_is_that_of_whole_matrices(size, penalties, share_locked, seed):
    rng = np.random.default_rng(seed)
    root = np.sqrt(rng.integers(1, 5, size))
    shape = size + 1, size
    a, c, v, y, target = rng.normal(0.3, 0.7, (5, *shape))
    locked = rng.random(shape) < share_locked
    locked[-1] = False
    y_free = np.where(locked, y, penalties[0] * rng.normal(size=shape))
    expected = plain_iteration(penalties, root, locked, a, c, v, y_free, target)
    cut = [panels(matrix) for matrix in (locked, a, c, v, y_free, target)]
    completed = np.append(root, np.ones(cut[0].shape[1] - 1 - size))
    squares = kernels.advance(penalties, completed, *cut)
    assert squares == pytest.approx(expected[3], rel=1e-9, abs=1e-12)
    for found, wanted in zip(cut[3:], expected[:3], strict=True):
        assert bordered(found, size) == pytest.approx(wanted, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 20), st.floats(0.1, 5), st.integers(0, 99))
def test_the_inverse_is_that_of_the_objects_matrix(n_profiles, gamma, seed):
    rng = np.random.default_rng(seed)
    labels = np.column_stack([np.arange(n_profiles), rng.integers(0, 3, n_profiles)])
    labels = labels[np.concatenate([np.arange(n_profiles), rng.integers(0, n_profiles, 10)])]
    ensemble = Ensemble(labels)
    confident = rng.random((n_profiles, n_profiles)) * (rng.random((n_profiles, n_profiles)) < 0.3)
    confident = np.maximum(confident, confident.T)
    pairs = over_objects(ensemble, confident, 0.0)
    system = 2 * (np.diag(pairs.sum(axis=1)) - pairs) + gamma * np.eye(len(pairs))
    block, own = rng.normal(size=(n_profiles, n_profiles)), rng.normal(size=n_profiles)
    expected = np.linalg.solve(system, spread(ensemble, block, own))
    root = np.sqrt(ensemble.weights)
    inverse = Inverse(confident, ensemble.weights, gamma)
    cut = inverse.panels(block * np.outer(root, root), own * root)
    inverse.apply(cut)
    found, found_own = inverse.matrix(cut)
    assert spread(ensemble, found / np.outer(root, root), found_own / root) == pytest.approx(expected, abs=1e-9)


def spread(ensemble, block, own):
    """Matrix over objects, with each object's entry with itself."""
    matrix = ensemble.expand(block)
    np.fill_diagonal(matrix, own[ensemble.membership])
    return matrix

"""The compiled loops of PEACE and BCE against the plain formulas."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import psi, xlogy

from consclust.methods.bce import Model, Words, e_step
from consclust.numerics.kernels import bce_kernels as bce
from consclust.numerics.kernels import pair_kernels as pairs


def drawn(seed, n, k, most=6):
    """Counts with diagonal 0, and memberships of which some are 0."""
    rng = np.random.default_rng(seed)
    observed = rng.integers(most + 1, size=(n, n))
    observed = np.triu(observed, 1) + np.triu(observed, 1).T
    together = np.triu(rng.integers(observed + 1), 1)
    together += together.T
    y = rng.dirichlet(np.ones(k), n) * (rng.random((n, k)) < 0.8) + 1e-3
    y /= y.sum(axis=1, keepdims=True)
    return together.astype(np.int8), (observed - together).astype(np.int8), y


def literal(together, apart, share):
    return np.triu(xlogy(together, share) + xlogy(apart, np.maximum(1 - share, 0)), 1)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 150), k=st.integers(1, 5), first=st.integers(0, 3))
def test_rise_is_that_of_the_log_likelihood(seed, n, k, first):
    together, apart, y = drawn(seed, n, k)
    if k == 1:
        apart[:] = 0
    new = np.random.default_rng(seed + 1).dirichlet(np.ones(k), n)
    old, share = y @ y.T, new @ new.T
    rows, first = slice(first, first + 4), min(first, n - 1)
    part = [literal(together, apart, a)[rows].sum() for a in (old, share)]
    tile = share[rows, first:]
    assert pairs.rise(together, apart, None, tile, first) == pytest.approx(part[1], rel=1e-12, abs=1e-12)
    found = pairs.rise(together, apart, old[rows, first:], tile, first)
    assert found == pytest.approx(part[1] - part[0], rel=1e-12, abs=1e-10)


def test_rise_leaves_the_domain():
    one, none, share = np.array([[0, 1], [1, 0]]), np.zeros((2, 2), dtype=int), np.array([[1.0, 0.0], [0.0, 1.0]])
    assert pairs.rise(one, none, None, share, 0) == -np.inf
    assert pairs.rise(none, one, None, 1 - share, 0) == -np.inf
    assert pairs.rise(none, one, None, share, 0) == 0


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1.0, 100.0])
def test_logarithms_are_within_a_unit_of_the_last_place(scale):
    values = np.exp(np.random.default_rng(0).normal(size=10_001) * scale)
    values[:3] = 1.0, np.sqrt(0.5), 2.0
    expected, exponents = np.log(values), np.empty(len(values))
    pairs.logarithms(values, exponents)
    assert (np.abs(values - expected) <= np.spacing(np.abs(expected))).all()


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 200), k=st.integers(2, 5))
def test_any_sweep_raises_the_likelihood_and_spares_what_is_below_the_gap(seed, n, k):
    assert_a_sweep_raises_the_likelihood_and_spares_what_is_below_the_gap(*drawn(seed, n, k))


@pytest.mark.parametrize("seed", range(3))
def test_a_sweep_raises_the_likelihood_and_spares_what_is_below_the_gap(seed):
    together, apart, y = drawn(seed, 40, 4)
    columns = y.T.copy()
    pairs.sweep(together, apart, columns, np.zeros(40), 1e-4, 30, 1e-10)
    assert (columns == 0).any(), "a membership of 0 with a small slope is no gap"
    assert_a_sweep_raises_the_likelihood_and_spares_what_is_below_the_gap(together, apart, columns.T.copy())


def assert_a_sweep_raises_the_likelihood_and_spares_what_is_below_the_gap(together, apart, y):
    n = len(y)
    share = y @ y.T
    weights, curvature = np.empty((2, n, n))
    pairs.derivatives(together, apart, share, weights, curvature, np.inf)
    assert weights == pytest.approx(together / share - apart / (1 - share), rel=1e-13)
    assert curvature == pytest.approx(together / share**2 + apart / (1 - share) ** 2, rel=1e-12)
    g = weights @ y
    gaps = g.max(axis=1) - np.where(y > 0, g, np.inf).min(axis=1)
    columns = y.T.copy()
    assert pairs.sweep(together, apart, columns, gaps * (1 + 1e-9) + 1e-9, 1e-4, 30, 1e-10) == 0
    assert np.array_equal(columns.T, y)
    rise = pairs.sweep(together, apart, columns, np.zeros(n), 1e-4, 30, 1e-10)
    after, before = (literal(together, apart, z @ z.T).sum() for z in (columns.T, y))
    assert rise >= 0
    assert rise == pytest.approx(after - before, rel=1e-9, abs=1e-11 * abs(before))
    assert columns.min() >= 0
    assert columns.sum(axis=0) == pytest.approx(np.ones(n), abs=1e-12)


def test_a_sweep_of_one_cluster_changes_nothing():
    together, _, _ = drawn(0, 10, 2)
    columns = np.ones((1, 10))
    assert pairs.sweep(together, np.zeros_like(together), columns, np.zeros(10), 1e-4, 30, 1e-10) == 0
    assert (columns == 1).all()


def test_steps_raise_the_likelihood_and_keep_the_gradient():
    together, apart, y = drawn(1, 20, 3)
    columns, gains = y.T.copy(), np.zeros(6)
    weights, unused = np.empty((2, 20, 20))
    pairs.derivatives(together, apart, y @ y.T, weights, unused, np.inf)
    g = (weights @ y).T.copy()
    assert pairs.steps(together, apart, columns, g, 1e-6, gains) == (6, False)
    share = columns.T @ columns
    rise = literal(together, apart, share).sum() - literal(together, apart, y @ y.T).sum()
    assert gains.min() > 0
    assert gains.sum() == pytest.approx(rise, rel=1e-9)
    pairs.derivatives(together, apart, share, weights, unused, np.inf)
    assert g == pytest.approx(columns @ weights, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("longest", "expected"), [(1.0, 1.0), (1.1, 1.1), (1.5, 1.1)])
def test_a_line_search_ends_at_the_maximum_or_at_the_longest_step(longest, expected):
    """3 log a + log(1 - a) is largest at a = 3/4, which 0.2 + step / 2 reaches after 1.1."""
    row = np.array([3]), np.array([1]), np.array([0.2]), np.array([0.5])
    assert pairs.line_search(*row, longest) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("n", [1, 127, 128, 300])
def test_the_inner_product_of_lanes(n):
    one, other = np.random.default_rng(n).normal(size=(2, n))
    assert pairs._dot(one, other) == pytest.approx(one @ other, rel=1e-12, abs=1e-12)


def test_weights_are_narrowed_to_single_precision():
    weights = np.array([[1 / 3, -1e40, np.inf], [-0.0, 1e30, -7.0]])
    narrowed = np.empty(weights.shape, np.float32)
    pairs.narrow(weights, 1e30, narrowed)
    assert np.array_equal(narrowed, np.float32([[1 / 3, -1e30, 1e30], [0, 1e30, -7]]))


def test_digamma():
    x = np.r_[10.0 ** np.linspace(-6, 8, 500), np.linspace(0.5, 12, 500)]
    assert np.array([bce.digamma(value) for value in x]) == pytest.approx(psi(x), rel=4e-15, abs=4e-15)


def literal_e_step(words, model, tol, most):
    """Sweeps of one profile after the other with arrays; -1 in ``words`` is a missing label."""
    phis, gammas, alpha, k = [], [], model.alpha, len(model.alpha)
    for row in words:
        seen = row < len(model.beta)
        phi = np.where(seen[:, None], 1 / k, 0.0) * np.ones(k)
        gamma = alpha + phi.sum(axis=0)
        for _ in range(most):
            new = np.zeros_like(phi)
            new[seen] = model.beta[row[seen]] * np.exp(psi(gamma) - psi(gamma.sum()))
            new[seen] /= new[seen].sum(axis=1, keepdims=True)
            new_gamma = alpha + new.sum(axis=0)
            still = np.abs(new - phi).sum() <= tol * phi.sum() and np.abs(new_gamma - gamma).sum() <= tol * gamma.sum()
            phi, gamma = new, new_gamma
            if still:
                break
        phis.append(phi)
        gammas.append(gamma)
    return np.array(phis), np.array(gammas)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 4), m=st.integers(1, 5), most=st.integers(1, 40))
def test_e_step_is_that_of_the_formula(seed, k, m, most):
    rng = np.random.default_rng(seed)
    profiles = rng.integers(-1, 3, size=(12, m))
    data = Words.among(profiles, np.ones(12), np.full(m, 3))
    model = Model(rng.random(k) + 0.05, data.normalised(rng.random((3 * m, k)) + 0.01))
    phi, gamma = literal_e_step(data.words, model, 0.01, most)
    posterior = e_step(data, model, 0.01, most)
    assert posterior.phi == pytest.approx(phi, abs=1e-11)
    assert posterior.gamma == pytest.approx(gamma, abs=1e-11)

"""The kernels of RCE against the plain formulas."""

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
from consclust.ensemble import Ensemble
from consclust.methods.rce import REFRESH, SHARE, Products, Spectrum
from consclust.numerics import columnblocks
from consclust.numerics.columnblocks import ColumnBlocks
from consclust.numerics.kernels import rce_kernels as kernels
from dense_rce import State, a_step, connective_matrices, e_step, objective

lambdas = st.sampled_from([0.0, 1e-4, 0.3, 1.0, 7.0, 1e4])
label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(2, 9), st.integers(1, 5)), elements=st.integers(0, 3))


def consensus(shape, seed, pinned):
    """A consensus matrix, nearly symmetric, with entries that are exactly 0 or 1 in symmetric places."""
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random(shape)) + np.triu(rng.random(shape), 1).T
    values = np.clip((half + half.T) / 2 + 1e-3 * rng.random(shape), 1e-3, 1 - 1e-3)
    ends = np.triu(rng.random(shape))
    ends = np.maximum(ends, ends.T)
    values[ends < pinned / 2] = 0.0
    values[ends > 1 - pinned / 2] = 1.0
    return values


@settings(max_examples=40, deadline=None)
@given(label_matrices, lambdas, st.integers(0, 99))
def test_the_e_step_is_that_of_every_connective_matrix(labels, lambda1, seed):
    ensemble = Ensemble(labels)
    connective = connective_matrices(labels)
    a = consensus((len(labels), len(labels)), seed, 0.0)
    weights = np.ones(len(labels), dtype=np.int64)
    cleaned = e_step(a, connective, lambda1)
    wanted = (np.log1p(-cleaned) - np.log(cleaned)).sum(axis=0)
    wanted_value = objective(State(a, cleaned), connective, lambda1, 0.0)
    observed = np.full(a.shape, float(labels.shape[1]))
    hard = partial(kernels.hard_errors, ensemble.expand(ensemble.counts), observed, lambda1, weights)
    for step in (hard, partial(kernels.soft_errors, connective, lambda1)):
        cost = np.full(a.shape, np.nan)
        constant = step(a, cost)
        assert cost == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        value = constant + kernels.divergence(a, cost, observed, weights)
        assert value == pytest.approx(wanted_value, rel=1e-9, abs=1e-9)


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(label_matrices, lambdas, st.integers(0, 99))
def test_weights_missing_labels_and_pinned_entries_count_as_over_the_objects(labels, lambda1, seed):
    rng = np.random.default_rng(seed)
    labels = labels[rng.integers(len(labels), size=2 * len(labels))]
    labels[:, 1:][rng.random(labels[:, 1:].shape) < 0.2] = -1
    labels = labels[:, (labels >= 0).any(axis=0)]
    found = []
    for ensemble in (Ensemble(labels), Ensemble(labels).unmerged()):
        a = ensemble.coassociation.copy()
        cost = np.empty_like(a)
        constant = kernels.hard_errors(ensemble.counts, ensemble.observed, lambda1, ensemble.weights, a, cost)
        found.append(
            (constant + kernels.divergence(a, cost, ensemble.observed, ensemble.weights), ensemble.expand(cost))
        )
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-11, abs=1e-11)
    assert found[0][1] == pytest.approx(found[1][1])
    assert np.isfinite(found[0][0])
    assert np.isfinite(found[0][1]).all()


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([1, 2, 5, 8, 9, 12]), st.integers(1, 30), st.sampled_from([0.0, 0.5]), st.integers(0, 99))
def test_an_a_step_is_that_of_the_literal_algorithm(size, m, pinned, seed):
    rng = np.random.default_rng(seed)
    a, cost, pull = (
        consensus((size, size), seed, pinned),
        5 * rng.normal(size=(size, size)),
        rng.normal(size=(size, size)),
    )
    wanted = a_step(a, cost, m, pull)
    products = np.stack([np.maximum(pull, 0) @ a, np.maximum(-pull, 0) @ a])
    found, change = a.copy(), np.zeros(a.shape, dtype=np.float32)
    places = np.flatnonzero((a > 0) & (a < 1))
    fixed = places, places, cost.ravel()[places], np.full(places.size, float(m)), products.reshape(2, -1)
    largest = kernels.a_step(*fixed, 0.0, found.ravel(), change.ravel())
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert change == pytest.approx(found - a, rel=1e-6, abs=1e-30)
    assert largest == np.abs(found - a).max()
    boxed = a.copy()
    kernels.a_step(*fixed, 0.1, boxed.ravel(), change.ravel())
    free = (a > 0) & (a < 1)
    assert boxed[free].min(initial=0.1) >= 0.1
    assert boxed[free].max(initial=0.9) <= 0.9
    assert np.array_equal(boxed[~free], a[~free])


@pytest.mark.parametrize("compiled", [True, False])
def test_logarithms_of_nothing(compiled):
    """Also in plain Python, whose logarithm of 0 is an error."""
    log = kernels.weighted_log if compiled else getattr(kernels.weighted_log, "py_func", kernels.weighted_log)
    assert log(2.0, 0.0) == -np.inf
    assert log(0.0, 0.0) == 0
    assert log(2.0, np.e) == pytest.approx(2)


def test_an_entry_that_reaches_an_end_stays_there():
    a, places, ones = np.array([0.0, 1.0, 0.5]), np.arange(3), np.ones(3)
    kernels.a_step(places, places, ones, ones, np.ones((2, 3)), 0.0, a, np.zeros(3, dtype=np.float32))
    assert a[:2].tolist() == [0, 1]
    assert 0 < a[2] < 1


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 40), st.integers(0, 99), st.sampled_from([1.0, 1e-4, 1e-6]))
def test_products_in_single_precision_keep_within_what_is_allowed(size, seed, move):
    rng = np.random.default_rng(seed)
    parts, matrix, allowed = np.abs(rng.normal(size=(2, size, size))), rng.random((size, size)), 1e-9
    products = Products(parts, ColumnBlocks(matrix), allowed)
    values = products.values.reshape(parts.shape)
    products.update(matrix, None)
    assert np.array_equal(values, parts @ matrix)
    exact = []
    for step in range(1, 31):
        after = matrix + move * rng.normal(size=matrix.shape)
        lost = products._lost
        products.update(after, (after - matrix).astype(np.float32).ravel())
        matrix = after
        assert np.abs(values - parts @ matrix).sum(axis=0).max() <= allowed + 1e-12
        exact.append(np.array_equal(values, parts @ matrix))
        assert exact[-1] or step % REFRESH or lost <= SHARE * allowed
    if move != 1e-4:  # there some lengths are allowed, and some are not
        assert all(exact) == (move == 1.0)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(20, 60), st.integers(0, 99), st.sampled_from([1.0, 1e-4, 1e-6]))
def test_products_in_blocks_keep_within_what_is_allowed(monkeypatch, size, seed, move):
    monkeypatch.setattr(columnblocks, "WIDTH", 4)
    rng = np.random.default_rng(seed)
    group = np.arange(size) % 4
    there = group[:, None] == group
    parts, matrix, allowed = np.abs(rng.normal(size=(2, size, size))), rng.random((size, size)) * there, 1e-9
    blocks = ColumnBlocks(matrix)
    assert len(blocks.cut(matrix)) > 1
    products, here = Products(parts, blocks, allowed), there.ravel()[blocks.places]
    products.update(matrix, None)
    by_moves = []
    for _ in range(30):
        away = products.values - (parts @ matrix).reshape(2, -1)[:, blocks.places]
        assert np.abs(away * here).sum(axis=0).max() <= allowed + 1e-12
        after = matrix + move * rng.normal(size=matrix.shape) * there
        products.update(after, (after - matrix).astype(np.float32).ravel()[blocks.places])
        matrix = after
        by_moves.append(products._lost > 0)
    if move != 1e-4:
        assert any(by_moves) == (move < 1)


@pytest.mark.parametrize("loss", [0.0, np.inf])
def test_eigenvalues_and_singular_values_give_one_pull(loss):
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 4, 12).astype(float)
    matrix = rng.random((12, 12))
    spectrum = Spectrum(weights, 1e-3, True, True, loss)
    spectrum.update(matrix)
    membership = np.repeat(np.arange(12), weights.astype(int))
    left, singular, _ = np.linalg.svd(matrix[np.ix_(membership, membership)])
    pull = 0.7 * (left / np.sqrt(singular**2 + 1e-3)) @ left.T
    parts = spectrum.pull(0.7)
    objects = matrix[np.ix_(membership, membership)]
    for part, wanted in zip(parts, (np.maximum(pull, 0), np.maximum(-pull, 0)), strict=True):
        assert (part @ matrix)[np.ix_(membership, membership)] == pytest.approx(wanted @ objects, abs=1e-8)
    assert spectrum.norm == pytest.approx(np.sqrt(singular**2 + 1e-3).sum(), rel=1e-9)

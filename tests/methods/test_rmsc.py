"""RMSC against LibADMM's runs and the literal algorithm over objects."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consclust.ensemble import Ensemble
from consclust.methods import RMSC
from consclust.methods.rmsc import Lagrangian, Views, chain_similarity, stationary
from consclust.testing import l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "rmsc.json").read_text())


def views(labels):
    """Transition matrices over objects and where they say something, shape (m, n, n)."""
    joined = (labels.T[:, :, None] == labels.T[:, None, :]) & (labels.T >= 0)[:, :, None]
    known = (labels.T >= 0)[:, :, None] & (labels.T >= 0)[:, None, :]
    return joined / np.maximum(joined.sum(axis=2, keepdims=True), 1), known


def simplex_rows(matrix):
    descending = -np.sort(-matrix, axis=1)
    theta = (np.cumsum(descending, axis=1) - 1) / np.arange(1, matrix.shape[1] + 1)
    last = (descending > theta).sum(axis=1) - 1
    return np.maximum(matrix - theta[np.arange(len(matrix)), last][:, None], 0)


def literal(labels, lambda1, order):
    """Algorithm 1 with all m dense matrices; yields P, P - Q and what must be small."""
    given_, known = views(labels)
    m, n, _ = given_.shape
    p, q, z = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    e, y = np.zeros_like(given_), np.zeros_like(given_)
    mu = 1e-3
    while True:
        before = p, q, e
        for step in {"authors": "PQE", "libadmm": "QEP"}[order]:
            if step == "P":
                pulls = np.where(known, given_ - e - y / mu, p)
                p = simplex_rows((q - z / mu + pulls.sum(axis=0)) / (m + 1))
            elif step == "Q":
                left, singular, right = np.linalg.svd(p + z / mu)
                q = (left * np.maximum(singular - 1 / mu, 0)) @ right
            else:
                target = given_ - p - y / mu
                e = np.where(known, np.sign(target) * np.maximum(np.abs(target) - lambda1 / mu, 0), 0)
        residual = np.where(known, p + e - given_, 0)
        y, z, mu = y + mu * residual, z + mu * (p - q), min(1.9 * mu, 1e10)
        small = np.abs(residual).sum(axis=2).max()
        if order == "libadmm":
            changes = [new - old for new, old in zip((p, q, e), before, strict=True)]
            small = max(np.abs(d).max() for d in (residual, p - q, *changes))
        yield p, p - q, small


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda c: str(c["lambda"]))
def test_transition_matrix_is_that_of_libadmm(case):
    rmsc = RMSC(3, case["lambda"], case["mu0"], case["rho"], tol=case["tol"], order="libadmm", random_state=0)
    rmsc.fit(l30())
    assert np.abs(rmsc.consensus_matrix() - np.array(case["P"])).max() < 1e-11
    assert rmsc.n_iter_ == case["iter"]
    assert rmsc.converged_
    assert rmsc.objective_ == pytest.approx(case["obj"], abs=1e-8)


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda c: str(c["lambda"]))
def test_slow_schedule_reaches_the_optimum_of_libadmm(case):
    slow = {"mu": case["mu0_slow"], "rho": case["rho_slow"], "max_iter": 500, "n_init": 1}
    rmsc = RMSC(3, case["lambda"], tol=case["tol"], order="libadmm", random_state=0, **slow).fit(l30())
    assert np.abs(rmsc.consensus_matrix() - np.array(case["P_slow"])).max() < 1e-10
    assert rmsc.n_iter_ == case["iter_slow"]
    assert rmsc.objective_ == pytest.approx(case["obj_slow"], abs=1e-6)


def test_default_is_the_authors_program():
    oracle = ORACLE["authors_order_random_E"]
    rmsc = RMSC(3, random_state=0).fit(l30())
    p = rmsc.consensus_matrix()
    assert np.trace(p) == pytest.approx(oracle["trace"], abs=oracle["tolerance"])
    similarity = chain_similarity(p, np.ones(30))
    degree = similarity.sum(axis=1)
    symmetric = similarity / np.sqrt(np.outer(degree, degree))
    assert np.linalg.norm(symmetric) == pytest.approx(oracle["fro_of_symmetrised_P"], abs=oracle["tolerance"])
    assert rmsc.objective_ == pytest.approx(3.187, abs=5e-4)


label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(2, 8), st.integers(1, 4)), elements=st.integers(0, 2))
lambdas = st.sampled_from([1e-4, 5e-3, 0.1, 2.0])
orders = st.sampled_from(["authors", "libadmm"])


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(labels=label_matrices, lambda1=lambdas, order=orders, seed=st.integers(0, 9))
def test_profiles_give_what_the_literal_algorithm_gives(labels, lambda1, order, seed):
    rng = np.random.default_rng(seed)
    labels = labels[rng.integers(len(labels), size=2 * len(labels))]
    labels[:, 1:][rng.random(labels[:, 1:].shape) < 0.2] = -1
    ensemble = Ensemble(labels[:, (labels >= 0).any(axis=0)])
    weights = ensemble.weights.astype(float)
    lagrangian = Lagrangian(Views(ensemble, lambda1), weights, 1e-3)
    for p, _, small in islice(literal(ensemble.labels, lambda1, order), 18):
        assert getattr(lagrangian, order)() == pytest.approx(small, rel=1e-7, abs=1e-9)
        assert ensemble.expand(lagrangian.p) == pytest.approx(p, abs=1e-9)
        lagrangian.mu *= 1.9


@pytest.mark.parametrize("order", ["authors", "libadmm"])
@pytest.mark.parametrize("missing", [False, True])
def test_stops_where_the_programs_stop(order, missing):
    labels = l30()[np.random.default_rng(1).integers(20, size=36)]
    if missing:
        labels[np.arange(36) % 7 == 0, 6] = -1
    rmsc = RMSC(3, order=order, random_state=0).fit(labels)
    states = enumerate(literal(labels, 0.005, order), start=1)
    iterations, (p, gap, _) = next(state for state in states if state[1][2] < 1e-7)
    assert rmsc.n_iter_ == iterations
    assert rmsc.converged_
    assert rmsc.consensus_matrix() == pytest.approx(p, abs=1e-10)
    assert np.abs(gap).max() < 1e-3
    short = RMSC(3, order=order, max_iter=iterations - 1, random_state=0).fit(labels)
    assert (short.n_iter_, short.converged_) == (iterations - 1, False)


@pytest.mark.parametrize("lambda1", [0.001, 0.1])
def test_rows_are_distributions(lambda1):
    labels = l30()[np.random.default_rng(1).integers(20, size=36)]
    rows = RMSC(3, lambda1, random_state=0).fit(labels).consensus_matrix()
    assert rows.min() >= 0
    assert rows.sum(axis=1) == pytest.approx(np.ones(36), abs=1e-10)


def test_one_clustering_and_large_lambda_is_its_transition_matrix():
    labels = np.array([[0], [1], [1], [2], [2], [2], [0], [2]])
    transition, _ = views(labels)
    assert RMSC(3, 10.0).fit(labels).consensus_matrix() == pytest.approx(transition[0], abs=1e-7)


def test_objective_counts_every_pair_of_objects():
    labels = l30()[np.random.default_rng(1).integers(20, size=36)]
    labels[:9, 2] = -1
    rmsc = RMSC(3, 0.02, random_state=0).fit(labels)
    p = rmsc.consensus_matrix()
    transition, known = views(labels)
    errors = np.abs(transition - p)[known].sum()
    nuclear = np.linalg.svd(p, compute_uv=False).sum()
    assert rmsc.objective_ == pytest.approx(nuclear + 0.02 * errors, abs=1e-6)


def test_stationary_distribution_is_the_limit_of_the_power_iteration():
    labels = l30()[np.random.default_rng(1).integers(20, size=36)]
    ensemble = Ensemble(labels)
    rmsc = RMSC(3, random_state=0).fit(ensemble)
    rows = rmsc.consensus_matrix()
    pi = np.full(36, 1 / 36)
    for _ in range(3000):
        pi = (1 - 1e-6) * pi @ rows + 1e-6 / 36
    found = stationary(rmsc.profile_matrix_, ensemble.weights.astype(float))[ensemble.membership]
    assert found == pytest.approx(pi, abs=1e-10)


def test_blocks_have_a_stationary_distribution():
    blocks = np.zeros((5, 5))
    blocks[:2, :2], blocks[2:, 2:] = 1 / 2, 1 / 3
    assert stationary(blocks, np.ones(5)) == pytest.approx(np.full(5, 0.2), abs=1e-9)
    leaving = np.array([[0.0, 1.0], [0.0, 1.0]])
    assert stationary(leaving, np.ones(2)) == pytest.approx([5e-7, 1 - 5e-7], rel=1e-6)


def test_spectral_step_is_that_of_the_markov_chain():
    p = RMSC(3, random_state=0).fit(l30()).consensus_matrix()
    similarity = chain_similarity(p, np.ones(30))
    pi = similarity.sum(axis=1)
    assert pi == pytest.approx(stationary(p, np.ones(30)), abs=1e-12)
    assert pi.sum() == pytest.approx(1, abs=1e-9)
    root = np.sqrt(pi)
    b = (root[:, None] * p / root + (root[:, None] * p / root).T) / 2
    assert similarity / np.outer(root, root) == pytest.approx(b, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("lambda1", 0), ("lambda1", "1"), ("mu", 0), ("rho", 1), ("tol", -1), ("max_iter", 0), ("n_init", 0)],
        *[("order", "paper"), ("assign_labels", "rows")],
    ],
)
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"RMSC: {name} = "):
        RMSC(2, **{name: value}).fit(l30())

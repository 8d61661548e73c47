"""GWCA against the specification's runs, its exact example, and the literal descent over objects."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consclust.ensemble import Ensemble
from consclust.methods import GWCA, KC
from consclust.methods.gwca import PHI, Aggregation, Euclidean
from consclust.testing import l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "gwca.json").read_text())
HAND = np.array(ORACLE["hand"]["labels"])
EPSILON = 1e-3

BREGMAN = {
    "euclid": (lambda x: x**2 / 2, lambda y: y, lambda z: z),
    "exp": (np.exp, np.exp, np.log),
    "kl": (lambda x: x * np.log(x) - x, np.log, np.exp),
    "logistic": (
        lambda x: x * np.log(x) + (1 - x) * np.log(1 - x),
        lambda y: np.log(y / (1 - y)),
        lambda z: 1 / (1 + np.exp(-z)),
    ),
}
"""phi, its derivative, and the inverse of that."""


def smoothed(labels, phi):
    """Connective matrices over objects, shape (m, n, n)."""
    joined = (labels.T[:, :, None] == labels.T[:, None, :]).astype(float)
    low, high = {"kl": (EPSILON, 1), "logistic": (EPSILON, 1 - EPSILON)}.get(phi, (0, 1))
    return np.clip(joined, low, high)


def divergence(phi, x, y, known):
    """D(x || y) by its definition, scaled up from the known pairs."""
    f, slope, _ = BREGMAN[phi]
    gaps = f(x) - f(y) - slope(y) * (x - y)
    return gaps[known].sum() * known.size / known.sum()


def literal(labels, phi, tau, rounds):
    """Block coordinate descent as the specification words it; w, M and J after every half step."""
    from scipy.optimize import minimize

    known = (labels.T >= 0)[:, :, None] & (labels.T >= 0)[:, None, :]
    a = smoothed(labels, phi)
    _, slope, inverse = BREGMAN[phi]
    m = len(a)
    w = np.full(m, 1 / m)
    path, lambda_ = [], None
    for _ in range(rounds):
        matrix = inverse(np.tensordot(w, slope(a) * known, 1) / np.tensordot(w, known, 1))
        r = np.array([divergence(phi, matrix, a[i], known[i]) for i in range(m)])
        lambda_ = tau * r.mean() if lambda_ is None else lambda_
        path.append(w @ r + lambda_ * w @ w)
        best = minimize(
            lambda v, c=r / lambda_: v @ c + v @ v,
            w,
            jac=lambda v, c=r / lambda_: c + 2 * v,
            bounds=[(0, 1)] * m,
            constraints={"type": "eq", "fun": lambda v: v.sum() - 1, "jac": lambda v: np.ones(m)},
            options={"ftol": 1e-15, "maxiter": 500},
        )
        w = best.x
        path.append(w @ r + lambda_ * w @ w)
    return w, matrix, np.array(path)


@pytest.mark.parametrize("number", range(8))
def test_weights_and_consensus_are_the_oracles(number):
    case = ORACLE["cases"][number]
    tau = (1.0, 5.0)[number % 2]
    gwca = GWCA(3, case["phi"], tau, epsilon=case["clip_eps"] or EPSILON, random_state=0).fit(l30())
    assert gwca.converged_
    assert gwca.lambda_ == pytest.approx(case["lambda"], rel=1e-13)
    assert gwca.objective_path_[0] == pytest.approx(case["J_first"], rel=1e-13)
    assert gwca.objective_path_[-1] == pytest.approx(case["J_last"], rel=1e-13)
    assert gwca.weights_ == pytest.approx(case["w"], abs=1e-7), "both ended when no weight moved by 1e-8"
    assert gwca.divergences_ == pytest.approx(case["r"], rel=1e-6)
    assert gwca.consensus_matrix()[0] == pytest.approx(case["M_row0"], abs=1e-7)


@pytest.mark.parametrize("phi", list(PHI))
def test_divergences_at_equal_weights_are_the_oracles(phi):
    aggregation = Aggregation(Ensemble(l30()), PHI[phi], EPSILON)
    r = aggregation.divergences(aggregation.consensus(np.full(8, 1 / 8)))
    assert r == pytest.approx(ORACLE["r_uniform"][phi], rel=1e-12)


@pytest.mark.parametrize(
    ("lambda_", "w", "objective"),
    [
        *[(case["lambda"], case["w"], case["J"]) for case in ORACLE["hand"]["cases"]],
        *[(3.0, [0.4, 0.4, 0.2], None), (2.0, [0.5, 0.5, 0.0], 1.0)],
    ],
)
def test_exact_example_of_the_specification(lambda_, w, objective):
    start = Aggregation(Ensemble(HAND), PHI["euclid"], EPSILON)
    mean = start.divergences(start.consensus(np.full(3, 1 / 3))).mean()
    gwca = GWCA(1, tau=lambda_ / mean, max_iter=5000).fit(HAND)
    accuracy = 1e-3 if lambda_ == 2 else 1e-6  # the descent crawls where the third weight just vanishes
    assert gwca.weights_ == pytest.approx(w, abs=accuracy)
    if objective:
        assert gwca.objective_path_[-1] == pytest.approx(objective, abs=1e-5)
    matrix = gwca.consensus_matrix()
    assert matrix[0, 1] == pytest.approx(1 - w[2], abs=2 * accuracy)
    assert matrix[1, 2] == pytest.approx(w[2], abs=2 * accuracy)


label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(2, 9), st.integers(2, 4)), elements=st.integers(0, 2))


@settings(max_examples=40, deadline=None)
@given(labels=label_matrices, phi=st.sampled_from(list(PHI)), tau=st.sampled_from([0.5, 2.0, 20.0]))
def test_descends_on_the_simplex(labels, phi, tau):
    gwca = GWCA(1, phi, tau).fit(labels)
    path = gwca.objective_path_
    assert len(path) == 2 * gwca.n_iter_
    assert (np.diff(path) <= 1e-12 * (1 + np.abs(path[:-1]))).all()
    assert gwca.weights_.min() >= 0
    assert gwca.weights_.sum() == pytest.approx(1, abs=1e-12)
    assert gwca.profile_matrix_ == pytest.approx(gwca.profile_matrix_.T, abs=1e-14)


@pytest.mark.parametrize("phi", list(PHI))
@pytest.mark.parametrize("missing", [False, True])
def test_profiles_give_what_the_literal_descent_gives(phi, missing):
    labels = l30()[np.random.default_rng(2).integers(9, 22, size=25)][:, :5]
    if missing:
        labels[np.arange(25) % 6 == 0, 4] = -1
        labels[labels[:, 2] == 1, 3] = -1
    assert Ensemble(labels).n_profiles < 15
    gwca = GWCA(2, phi, 1.5, epsilon=EPSILON, max_iter=4).fit(Ensemble(labels, missing="ignored"))
    w, _, path = literal(labels, phi, 1.5, 4)
    assert gwca.n_iter_ == 4
    assert gwca.objective_path_ == pytest.approx(path, rel=1e-7)
    assert gwca.weights_ == pytest.approx(w, abs=1e-5)
    assert len(set(np.round(w, 3))) > 2


@pytest.mark.parametrize("phi", list(PHI))
def test_consensus_is_the_best_for_its_weights(phi):
    labels = l30()[::3]
    gwca = GWCA(2, phi, 2.0, epsilon=EPSILON).fit(labels)
    matrix, a, known = gwca.consensus_matrix(), smoothed(labels, phi), np.ones((10, 10), dtype=bool)

    def value(x):
        return sum(w * divergence(phi, x, y, known) for w, y in zip(gwca.weights_, a, strict=True))

    inside = np.where(matrix > 0.5, -1, 1) * 1e-4
    for p in range(10):
        step = np.zeros((10, 10))
        step[p, (p + 3) % 10] = inside[p, (p + 3) % 10]
        assert value(matrix + step) > value(matrix)
        if 1e-3 < matrix[p, (p + 3) % 10] < 1 - 1e-3:
            assert value(matrix - step) > value(matrix)


def test_lambda_rules_how_many_clusterings_count():
    assert GWCA(3, tau=0.25).fit(l30()).weights_ == pytest.approx(np.eye(8)[0], abs=1e-9)
    assert GWCA(3, tau=5.0).fit(l30()).weights_.argmin() == 1, "the noise clustering"
    assert GWCA(3, tau=20.0).fit(l30()).weights_[:3] == pytest.approx([0.137, 0.109, 0.127], abs=5e-4)
    ensemble = Ensemble(l30())
    equal = GWCA(3, tau=1e12).fit(ensemble)
    assert equal.weights_ == pytest.approx(np.full(8, 1 / 8), abs=1e-9)
    assert equal.profile_matrix_ == pytest.approx(ensemble.coassociation, abs=1e-9)


def test_a_clustering_of_few_objects_gains_no_weight_by_that():
    truth = np.arange(40) % 2
    part = np.where(np.arange(40) < 8, np.arange(40) // 2 % 2, -1)
    labels = np.column_stack([truth, truth, truth, part])
    assert GWCA(2, tau=2.0).fit(labels).weights_.argmin() == 3


def test_equal_clusterings_keep_equal_weights():
    gwca = GWCA(2).fit(np.repeat([[0], [1], [1]], 3, axis=1))
    assert gwca.lambda_ == 0
    assert gwca.weights_ == pytest.approx(np.full(3, 1 / 3))


def test_kmeans_on_the_rows_is_kc_when_weights_are_equal():
    labels = l30()[np.random.default_rng(0).integers(20, size=60)]
    rows = GWCA(3, tau=1e12, assign_labels="rows", n_init=6, random_state=4).fit(labels)
    assert np.array_equal(rows.restart_labels_, KC(3, n_init=6, random_state=4).fit(labels).restart_labels_)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("phi", "cosine"), ("tau", 0), ("tau", np.inf), ("epsilon", 0), ("epsilon", 0.5), ("epsilon", "0.1")],
        *[("max_iter", 0), ("assign_labels", "hungarian"), ("n_init", 0)],
    ],
)
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"GWCA: {name} = "):
        GWCA(2, **{name: value}).fit(HAND)


def many_profiles(seed=0, n=200):
    """An ensemble with more than twice as many profiles as clusters, some with several objects."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(3, size=n)
    columns = [np.where(rng.random(n) < 0.5 + i / 12, classes, rng.integers(3 + i % 2, size=n)) for i in range(6)]
    return Ensemble(np.column_stack(columns)[rng.integers(n, size=3 * n)])


@pytest.mark.parametrize("seed", range(4))
def test_divergences_from_the_clusters_are_those_of_the_matrices(seed):
    ensemble = many_profiles(seed)
    w = np.random.default_rng(seed).dirichlet(np.ones(6))
    expected = Aggregation(ensemble, PHI["euclid"], EPSILON).least_divergences(w)
    assert Euclidean(ensemble).least_divergences(w) == pytest.approx(expected, rel=1e-12)
    same = Ensemble(np.repeat(ensemble.labels[:, :1], 3, axis=1))
    assert not Euclidean(same).least_divergences(np.full(3, 1 / 3)).any()


@pytest.mark.parametrize("assign_labels", ["discretize", "kmeans", "rows"])
def test_without_the_matrix_as_with_it(assign_labels, monkeypatch):
    ensemble = many_profiles()
    assert ensemble.is_tall
    gwca = GWCA(3, tau=5.0, assign_labels=assign_labels, random_state=0).fit(ensemble)
    assert "coassociation" not in vars(ensemble)
    assert "profile_matrix_" not in vars(gwca)
    monkeypatch.setattr(Ensemble, "is_tall", False)
    dense = GWCA(3, tau=5.0, assign_labels=assign_labels, random_state=0).fit(ensemble)
    assert gwca.weights_.min() > 0, "else there would be profiles with equal rows, and ties"
    assert gwca.weights_ == pytest.approx(dense.weights_, abs=1e-12)
    assert gwca.divergences_ == pytest.approx(dense.divergences_, rel=1e-12)
    assert gwca.objective_path_ == pytest.approx(dense.objective_path_, rel=1e-12)
    assert gwca.profile_matrix_ == pytest.approx(dense.profile_matrix_, abs=1e-14)
    assert np.array_equal(gwca.restart_labels_, dense.restart_labels_)


def test_the_matrix_is_that_of_the_last_fit():
    first, second = many_profiles(0), many_profiles(1)
    gwca = GWCA(3, tau=0.7, random_state=0).fit(first)
    before = gwca.profile_matrix_
    after = gwca.fit(second).profile_matrix_
    assert np.array_equal(after, GWCA(3, tau=0.7, random_state=0).fit(second).profile_matrix_)
    assert before.shape == (first.n_profiles,) * 2
    assert not hasattr(GWCA(3), "profile_matrix_")

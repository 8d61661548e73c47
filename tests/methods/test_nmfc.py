"""NMFC against the specification's runs and the literal updates over objects."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import KC, NMFC
from consclust.methods.nmfc import Factorization, Product, kmeans_start
from consclust.numerics.numbering import renumber
from consclust.testing import L30_CLASSES, l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "nmfc.json").read_text())
M = np.array(ORACLE["M"])
SIX = [[1, 1, 2], [1, 1, 2], [1, 2, 2], [2, 2, 1], [2, 2, 1], [2, 1, 1]]


def left_over(similarity, q, s):
    return ((similarity - q @ s @ q.T) ** 2).sum()


def literal(similarity, q, s, updates):
    """The updates of Ding et al. over objects, as published."""
    for _ in range(updates):
        q = q * np.sqrt((similarity @ q @ s) / (q @ q.T @ similarity @ q @ s))
        s = s * np.sqrt((q.T @ similarity @ q) / (q.T @ q @ s @ q.T @ q))
    return q, s


def updated(q, s, updates):
    fit = Factorization(M, np.array(q), np.array(s))
    for _ in range(updates):
        fit.update()
    return fit


def labels_of(fit):
    return fit.run(0, 0.0).memberships.argmax(axis=1).tolist()


def duplicated(seed):
    return l30()[np.random.default_rng(seed).integers(14, size=40)]


def test_the_oracles_matrix_is_the_coassociation_matrix():
    ensemble = Ensemble(l30())
    assert ensemble.expand(ensemble.coassociation) == pytest.approx(M, abs=1e-15)


@pytest.mark.parametrize("updates", [1, 10, 50, 200, 500])
def test_objective_from_the_fixed_start_is_the_oracles(updates):
    start = ORACLE["fixed_init"]
    fit = updated(start["Q0"], start["S0"], updates)
    assert fit.objective == pytest.approx(start["obj"][str(updates)], abs=1e-9)
    assert fit.objective == pytest.approx(left_over(M, fit.q, fit.s), abs=1e-9)


def test_factors_from_the_fixed_start_are_the_oracles():
    start = ORACLE["fixed_init"]
    fit = updated(start["Q0"], start["S0"], 200)
    assert fit.q == pytest.approx(np.array(start["Q200"]), abs=1e-11)
    assert fit.s == pytest.approx(np.array(start["S200"]), abs=1e-10)
    assert labels_of(fit) == start["labels200"]
    last = updated(start["Q0"], start["S0"], 500)
    assert np.linalg.norm(last.q.T @ last.q - np.eye(3)) == pytest.approx(0.171, abs=5e-4)


def test_objective_from_the_kmeans_start_is_the_oracles():
    labels = np.array(ORACLE["kmeans_init"]["kmeans_labels"])
    fit = updated(*kmeans_start(M, labels, np.ones(30), 3), 500)
    assert fit.objective == pytest.approx(ORACLE["kmeans_init"]["obj500"], abs=1e-9)


def test_random_start_of_the_public_package_ends_where_it_does():
    oracle = ORACLE["clusterensembles_seed0"]
    state = np.random.RandomState(0)
    fit = updated(state.rand(30, 3), np.diag(state.rand(3)), 200)
    assert fit.objective == pytest.approx(oracle["obj200"], abs=1e-7), "the package adds 1e-8 to denominators"
    assert labels_of(fit) == oracle["labels"]
    assert np.array_equal(fit.s, np.diag(fit.s.diagonal())), "a diagonal S stays diagonal"


@pytest.mark.parametrize("missing", [False, True])
def test_profiles_give_what_the_objects_give(missing):
    labels = duplicated(3)
    if missing:
        labels[labels[:, 3] == 1, 5] = -1
    ensemble = Ensemble(labels, missing="ignored")
    assert ensemble.n_profiles < 20
    nmfc = NMFC(3, n_init=4, max_iter=60, tol=0, random_state=0).fit(ensemble)
    similarity = ensemble.expand(ensemble.coassociation)
    root = np.sqrt(ensemble.weights)
    starts = nmfc._starts(ensemble, ensemble.coassociation * np.outer(root, root))
    objectives = []
    for (q, s), found in zip(starts, nmfc.restart_labels_, strict=False):
        rows = (q / root[:, None])[ensemble.membership]
        assert rows.T @ rows == pytest.approx(q.T @ q, abs=1e-12)
        assert s == pytest.approx(rows.T @ similarity @ rows, abs=1e-12)
        assert sorted(set(np.round(rows[:, 0] / rows[:, 0].min(), 9))) == pytest.approx([1, 6]), "0.2 and 1.2"
        rows, s = literal(similarity, rows, s, 60)
        objectives.append(left_over(similarity, rows, s))
        assert adjusted_rand_score(np.argmax(rows * np.sqrt(s.diagonal()), axis=1), found) == 1
    assert nmfc.objective_ == pytest.approx(min(objectives), abs=1e-8)
    assert nmfc.chosen_ == int(np.argmin(np.round(objectives, 8)))


def test_starts_are_those_of_kc():
    rng = np.random.default_rng(0)
    labels = np.repeat(rng.integers(3, size=(20, 4)), rng.integers(1, 30, size=20), axis=0)
    ensemble = Ensemble(labels)
    starts = NMFC(4, n_init=8, random_state=5)._starts(ensemble, ensemble.coassociation)
    rows = [(q / np.sqrt(ensemble.weights)[:, None])[ensemble.membership] for q, _ in starts]
    found = np.stack([np.argmax(row / row.min(axis=0), axis=1) for row in rows])
    kc = KC(4, n_init=8, random_state=5).fit(labels)
    assert np.array_equal(renumber(found), kc.restart_labels_)


def test_equal_clusterings_are_a_fixed_point():
    indicator = np.eye(3)[[0, 0, 0, 0, 1, 1, 2]]
    sizes = indicator.sum(axis=0)
    fit = Factorization(indicator @ indicator.T, indicator / np.sqrt(sizes), np.diag(sizes))
    assert fit.objective == pytest.approx(0, abs=1e-12)
    for _ in range(30):
        fit.update()
    assert fit.q == pytest.approx(indicator / np.sqrt(sizes), abs=1e-9)
    assert fit.s == pytest.approx(np.diag(sizes), abs=1e-9)


@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_hand_example_and_classes(init):
    nmfc = NMFC(2, init=init, random_state=0).fit(SIX)
    assert adjusted_rand_score([0, 0, 0, 1, 1, 1], nmfc.labels_) == 1
    assert nmfc.objective_ < 16 / 9, "the best hard clustering has 16/9"
    assert adjusted_rand_score(L30_CLASSES, NMFC(3, init=init, random_state=0).fit_predict(l30())) == 1


def test_objective_of_any_factors_is_what_is_left_over():
    rng = np.random.default_rng(0)
    q, s = rng.random((30, 4)), rng.random((4, 4))
    assert Factorization(M, q, s).objective == pytest.approx(left_over(M, q, s), rel=1e-12)


def test_stops_when_the_objective_settles():
    start = ORACLE["fixed_init"]
    run = Factorization(M, np.array(start["Q0"]), np.array(start["S0"])).run(2000, 1e-4)
    assert run.converged
    path = [updated(start["Q0"], start["S0"], n).objective for n in range(len(run.path) + 1)]
    assert run.path == path[1:]
    changes = np.abs(np.diff(path)) / path[1:]
    assert changes[-1] <= 1e-4
    assert (changes[:-1] > 1e-4).all()
    short = NMFC(3, max_iter=2, random_state=0).fit(l30())
    assert (short.n_iter_, short.converged_) == (2, False)
    assert NMFC(3, max_iter=2000, random_state=0).fit(l30()).converged_


@pytest.mark.parametrize(
    ("name", "value"), [("init", "svd"), ("max_iter", 0), ("tol", -1e-9), ("tol", np.nan), ("n_init", 0)]
)
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"NMFC: {name} = "):
        NMFC(2, **{name: value}).fit(SIX)


def test_product_of_the_indicator_is_the_similarity(monkeypatch):
    rng = np.random.default_rng(0)
    classes = rng.integers(3, size=200)
    columns = [np.where(rng.random(200) < 0.6, classes, rng.integers(4, size=200)) for _ in range(6)]
    ensemble = Ensemble(np.column_stack(columns)[rng.integers(200, size=500)])
    assert ensemble.is_tall
    root = np.sqrt(ensemble.weights)
    similarity, product = ensemble.coassociation * np.outer(root, root), Product(ensemble)
    q = rng.random((ensemble.n_profiles, 3))
    assert product @ q == pytest.approx(similarity @ q, abs=1e-12)
    assert product.squared_norm == pytest.approx((similarity**2).sum(), rel=1e-13)
    nmfc = NMFC(3, random_state=0).fit(ensemble)
    monkeypatch.setattr(Ensemble, "is_tall", False)
    dense = NMFC(3, random_state=0).fit(ensemble)
    assert np.array_equal(nmfc.restart_labels_, dense.restart_labels_)
    assert nmfc.objective_ == pytest.approx(dense.objective_, rel=1e-10)
    assert nmfc.n_iter_ == dense.n_iter_

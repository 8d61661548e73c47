"""EC-CMS against the authors' program, the optimum of its model and the literal algorithm over objects."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.io import loadmat
from sklearn.metrics import adjusted_rand_score

from consclust.testing import l30

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from consclust import similarity
from consclust.ensemble import Ensemble
from consclust.methods import EAC, ECCMS, LWEA
from consclust_studies.stages.stored_ensembles import drawn
from dense_eccms import enhance

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "eccms.json").read_text())


def members(mirror, pool):
    """Label matrix (n, 100) and classes of a pool of the authors."""
    content = loadmat(mirror / f"files/eccms_pools/{pool}.mat")
    return content["members"].astype(int), content["gt"].ravel()


def assert_is_that_of_the_authors_program(labels, case):
    eccms = ECCMS(case["K"], case["alpha"], case["lambda_"]).fit(labels)
    matrix = eccms.consensus_matrix()
    assert np.abs(matrix[case["i"], case["j"]] - case["v"]).max() < 1e-12
    assert np.abs(matrix.sum(axis=1) - case["rowsum"]).max() < 1e-10
    assert eccms.n_iter_ == case["iterations"]
    assert eccms.converged_
    assert adjusted_rand_score(case["clusters"], eccms.labels_) == 1


@pytest.mark.parametrize("case", ORACLE["small"], ids=lambda case: case["name"])
def test_small_ensembles(case):
    assert_is_that_of_the_authors_program(np.array(case["labels"]), case)


@pytest.mark.mirror
@pytest.mark.parametrize("case", ORACLE["pools"], ids=lambda case: f"{case['pool']}-{case['columns'][0]}")
def test_blocks_of_the_authors_pools(mirror, case):
    labels, _ = members(mirror, case["pool"])
    assert_is_that_of_the_authors_program(labels[:, slice(*case["columns"])], case)


@pytest.mark.mirror
@pytest.mark.parametrize("pool", ORACLE["protocol"])
def test_draw_by_draw_it_is_the_authors_program(mirror, pool):
    protocol = ORACLE["protocol"][pool]
    labels, classes = members(mirror, pool)
    draws = drawn(100, 20, len(protocol["ari"]), 1)
    ensembles = [Ensemble(labels[:, draw]) for draw in draws]
    fits = [ECCMS(protocol["K"], protocol["alpha"], protocol["lambda_"]).fit(e) for e in ensembles]
    assert [fit.n_iter_ for fit in fits] == protocol["iterations"]
    for fitted, name in ((fits, "ari"), ([LWEA(protocol["K"]).fit(e) for e in ensembles], "lwea_ari")):
        scores = [adjusted_rand_score(classes, fit.labels_) for fit in fitted]
        assert scores == pytest.approx(protocol[name], abs=1e-12), name


@pytest.mark.parametrize("case", ORACLE["edge"], ids=lambda case: case["name"])
def test_edge_cases(case):
    eccms = ECCMS(case["K"], case["alpha"], case["lambda_"]).fit(case["labels"])
    assert np.abs(eccms.consensus_matrix() - case["C"]).max() < 1e-12
    assert eccms.n_iter_ == case["iterations"]
    assert eccms.converged_ == (case["iterations"] < 100)
    assert adjusted_rand_score(case["clusters"], eccms.labels_) == 1


@pytest.mark.parametrize("case", ORACLE["optimum"], ids=lambda case: case["mode"])
def test_small_tolerance_reaches_the_optimum(case):
    ensemble = Ensemble(ORACLE["small"][0]["labels"])
    free = case["mode"] == "noPsi"
    eccms = ECCMS(4, case["alpha"], case["lambda_"], high_confidence=not free, tol=1e-10, max_iter=10_000)
    matrix = eccms.fit(ensemble).consensus_matrix()
    assert eccms.converged_
    assert np.abs(matrix[case["i"], case["j"]] - case["v"]).max() < 1e-8
    assert np.abs(matrix - matrix.T).max() < 1e-8
    similarity, confident = over_objects(ensemble, "lwca"), confident_over_objects(ensemble, case["alpha"])
    laplacian = np.diag(confident.sum(axis=1)) - confident
    objective = np.trace(matrix.T @ laplacian @ matrix) + case["lambda_"] / 2 * np.sum((similarity - matrix) ** 2)
    assert objective == pytest.approx(case["objective"], rel=1e-7)
    assert (np.abs(matrix - similarity)[confident > 0].max() < 1e-8) == (not free)


def over_objects(ensemble, name):
    return similarity.over_objects(ensemble, getattr(similarity, name)(ensemble))


def confident_over_objects(ensemble, alpha):
    return similarity.over_objects(ensemble, similarity.hc(ensemble, alpha), 0.0)


label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(2, 8), st.integers(2, 5)), elements=st.integers(0, 2))


@settings(max_examples=20, deadline=None)
@given(
    labels=label_matrices,
    similarity=st.sampled_from(["lwca", "co_occurrence", "pts"]),
    alpha=st.sampled_from([0.3, 0.6, 0.8]),
    lambda_=st.sampled_from([0.01, 0.4, 10.0]),
    gammas=st.sampled_from([(1.0, 1.0), (0.5, 3.0)]),
    lock=st.booleans(),
    seed=st.integers(0, 9),
)
def test_profiles_give_what_the_literal_algorithm_gives(labels, similarity, alpha, lambda_, gammas, lock, seed):
    rng = np.random.default_rng(seed)
    labels = labels[rng.integers(len(labels), size=2 * len(labels))]
    labels[:, 1:][rng.random(labels[:, 1:].shape) < 0.2] = -1
    ensemble = Ensemble(labels[:, (labels >= 0).any(axis=0)])
    own = {"gamma1": gammas[0], "gamma2": gammas[1], "tol": 0.0, "max_iter": 12}
    eccms = ECCMS(1, alpha, lambda_, similarity, high_confidence=lock, **own).fit(ensemble)
    confident = confident_over_objects(ensemble, alpha)
    dense = enhance(over_objects(ensemble, similarity), confident, lambda_, *gammas, tol=0.0, max_iter=12, lock=lock)
    assert eccms.consensus_matrix() == pytest.approx(dense.c, abs=1e-10)


@pytest.mark.parametrize("gammas", [(1.0, 1.0), (0.5, 3.0)])
def test_stops_by_the_change_over_objects(gammas):
    labels = l30()[np.random.default_rng(1).integers(20, size=36)]
    ensemble = Ensemble(labels)
    inputs = over_objects(ensemble, "lwca"), confident_over_objects(ensemble, 0.7), 0.1, *gammas
    eccms = ECCMS(3, 0.7, 0.1, gamma1=gammas[0], gamma2=gammas[1]).fit(labels)
    assert eccms.change_path_[0] == np.inf
    for iteration in range(2, eccms.n_iter_ + 1):
        change = enhance(*inputs, max_iter=iteration, tol=0).change
        assert eccms.change_path_[iteration - 1] == pytest.approx(change, rel=1e-8)
        assert (change < 1e-2) == (iteration == eccms.n_iter_)


@pytest.mark.parametrize(("similarity", "linked"), [("lwca", LWEA), ("co_occurrence", EAC)])
def test_without_laplacian_or_confident_pairs_it_is_average_linkage(similarity, linked):
    ensemble = Ensemble(ORACLE["small"][0]["labels"])
    expected = linked(6).fit_predict(ensemble)
    without = ECCMS(6, similarity=similarity, laplacian=False).fit(ensemble)
    assert np.array_equal(without.labels_, expected)
    assert np.array_equal(without.consensus_matrix(), over_objects(ensemble, similarity))
    none_confident = ECCMS(6, alpha=1.01, similarity=similarity).fit(ensemble)
    assert adjusted_rand_score(expected, none_confident.labels_) == 1


def test_linkage_reads_below_the_diagonal(monkeypatch):
    enhanced = np.array([[1.0, 0.0, 0.0], [0.9, 1.0, 0.0], [0.1, 0.8, 1.0]])
    monkeypatch.setattr(ECCMS, "_enhanced", lambda *_: (enhanced, np.ones(3)))
    assert ECCMS(2).fit([[0], [1], [2]]).labels_.tolist() == [0, 0, 1]
    enhanced[[1, 2], [0, 1]] = 0.2, 0.8
    assert ECCMS(2).fit([[0], [1], [2]]).labels_.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("alpha", 0), ("lambda_", -1), ("gamma1", 0), ("gamma2", "1"), ("tol", -1), ("max_iter", 0)],
        *[("similarity", "eac"), ("laplacian", 1), ("high_confidence", None)],
    ],
)
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"ECCMS: {name} = "):
        ECCMS(2, **{name: value}).fit(l30())

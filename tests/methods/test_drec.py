"""DREC against the authors' program and the linear systems it solves."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import DREC
from consclust.numerics.spectral import cosine_graph
from consclust.testing import l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "drec.json").read_text())


def lexicographic(labels):
    """Order of the ensemble's profiles by the labels as given: the authors' order of the columns of Z."""
    _, first = np.unique(labels, axis=0, return_index=True)
    return Ensemble(labels).membership[first]


def assert_is_that_of_the_authors_program(labels, case, tolerance):
    drec = DREC(case["K"], case["lambda"], n_init=1, random_state=0).fit(labels)
    assert drec.objective_path_ == pytest.approx(case["obj"], rel=tolerance)
    order = lexicographic(labels)
    z = drec.profile_matrix_[np.ix_(order, order)]
    assert np.abs(z[case["i"], case["j"]] - case["v"]).max() < tolerance
    assert np.linalg.norm(z) == pytest.approx(case["fro"], rel=tolerance)
    left, singular, _ = np.linalg.svd(z)
    graph = cosine_graph(left, singular)
    assert np.abs(graph[case["L"]["i"], case["L"]["j"]] - case["L"]["v"]).max() < 100 * tolerance


def cases(name):
    """Cases with their tolerances: a small lambda is ill-conditioned."""
    return [(case, 1e-3 if case["lambda"] < 1 else 1e-9) for case in ORACLE["cases"] if case["input"] == name]


@pytest.mark.parametrize(("case", "tolerance"), cases("small"))
def test_small_ensemble(case, tolerance):
    assert_is_that_of_the_authors_program(np.array(ORACLE["small"]), case, tolerance)


@pytest.mark.mirror
@pytest.mark.parametrize(("case", "tolerance"), cases("Ecoli_c1-20"))
def test_block_of_the_ecoli_pool(mirror, case, tolerance):
    content = loadmat(mirror / "files/eccms_pools/Ecoli.mat")
    labels = content["members"].astype(int)[:, :20]
    assert_is_that_of_the_authors_program(labels, case, tolerance)
    if case["lambda"] >= 1:
        drec = DREC(case["K"], case["lambda"], n_init=30, random_state=0).fit(labels)
        score = adjusted_rand_score(content["gt"].ravel(), drec.labels_)
        assert score == pytest.approx(np.mean(case["ari"]), abs=0.05)


@pytest.mark.parametrize("lambda_", [0.5, 20.0])
def test_each_round_solves_its_linear_systems(lambda_):
    labels = l30()
    labels[::4, 2] = -1
    ensemble = Ensemble(labels, missing="ignored")
    x = ensemble.indicator.T
    weight = np.ones(ensemble.n_profiles)
    objectives = []
    for rounds in (1, 2, 3):
        z = np.column_stack(
            [
                np.linalg.solve(x.T @ x + lambda_ / d * np.eye(len(weight)), x.T @ column)
                for d, column in zip(weight, x.T, strict=True)
            ]
        )
        drec = DREC(3, lambda_, max_iter=rounds, n_init=1, random_state=0).fit(ensemble)
        assert drec.profile_matrix_ == pytest.approx(z, abs=1e-10)
        error = np.linalg.norm(x - x @ z, axis=0)
        objectives.append(error.sum() + lambda_ * (z**2).sum())
        weight = 1 / (2 * error)
    assert drec.objective_path_ == pytest.approx(objectives, rel=1e-10)
    assert not drec.converged_
    assert DREC(3, lambda_, max_iter=100, n_init=1, random_state=0).fit(ensemble).converged_


@pytest.mark.parametrize(("name", "value"), [("lambda_", 0), ("max_iter", 0), ("n_init", 0)])
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"DREC: {name} = "):
        DREC(2, **{name: value}).fit(l30())

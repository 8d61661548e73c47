"""Baum-Eagon against the specification's reference numbers."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import PEACE, BaumEagon
from consclust.methods.baumeagon import LeastSquares, grown
from consclust.testing import l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "peace_be.json").read_text())
START = np.array(ORACLE["Y0"]).T


def squares(labels, diagonal):
    return LeastSquares(Ensemble(labels, missing="ignored"), diagonal)


@pytest.mark.long
@pytest.mark.parametrize("diagonal", [True, False])
def test_objective_is_the_oracles_along_the_way(diagonal):
    oracle, fit = ORACLE[f"be_diag_{diagonal}"], squares(l30(), diagonal)
    first = grown(START, fit.at(START)[1], fit.constant).T
    assert np.abs(first - oracle["Y_after_1"]).max() < 1e-13
    run = BaumEagon(3, diagonal=diagonal, tol=0, max_iter=19_999, accelerate=False).descend(fit, START)
    before = [fit.at(START)[0], *run.path]  # objective before update 1, 2, ..
    for update, value in oracle["obj"].items():
        assert before[int(update) - 1] == pytest.approx(value, abs=1e-9)
    assert np.diff(before).max() <= 1e-10
    assert run.memberships.argmax(axis=1).tolist() == oracle["labels20000"]


@pytest.mark.parametrize("diagonal", [True, False])
def test_accelerated_reaches_the_oracles_minimum_in_fewer_updates(diagonal):
    oracle = ORACLE[f"be_diag_{diagonal}"]
    run = BaumEagon(3, diagonal=diagonal, tol=1e-8).descend(squares(l30(), diagonal), START)
    assert run.converged
    assert len(run.path) < 5_000
    assert run.objective == pytest.approx(oracle["obj"]["20000"], abs=2e-5)
    assert run.memberships.argmax(axis=1).tolist() == oracle["labels20000"]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 15),
    k=st.integers(1, 4),
    diagonal=st.booleans(),
    accelerate=st.booleans(),
)
@example(seed=42, n=2, k=1, diagonal=False, accelerate=False)  # no pair is together: nothing grows
def test_objective_never_rises(seed, n, k, diagonal, accelerate):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=(n, 5))
    labels[1:, 1:][rng.random((n - 1, 4)) < 0.3] = -1
    fit, start = squares(labels, diagonal), rng.dirichlet(np.ones(k), n)
    run = BaumEagon(k, diagonal=diagonal, accelerate=accelerate, max_iter=150).descend(fit, start)
    path = [fit.at(start)[0], *run.path]
    assert np.diff(path).max(initial=0) <= 1e-12 * n**2
    assert run.memberships.min() >= 0
    assert run.memberships.sum(axis=1) == pytest.approx(np.ones(n), abs=1e-12)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("missing", [True, False])
def test_objective_and_gradient_are_those_of_the_formula(diagonal, missing):
    """With repeated profiles; where labels are missing the matrix is dense."""
    labels = l30()[np.r_[:20, :10]]
    if missing:
        labels[np.arange(30), np.arange(30) % 8] = -1
    ensemble, fit = Ensemble(labels, missing="ignored"), squares(labels, diagonal)
    similarity = ensemble.expand(ensemble.coassociation)

    def literal(y):
        missed = similarity - y @ y.T
        return ((missed if diagonal else missed - np.diag(missed.diagonal())) ** 2).sum()

    objective, pull = fit.at(START)
    assert objective == pytest.approx(literal(START), rel=1e-12)
    missed = similarity - START @ START.T
    np.fill_diagonal(missed, missed.diagonal() * diagonal)
    assert pull == pytest.approx(missed @ START, abs=1e-12)
    for i, k in ((0, 0), (11, 2), (29, 1)):
        shifted = np.zeros_like(START)
        shifted[i, k] = 1e-6
        slope = (literal(START + shifted) - literal(START - shifted)) / 2e-6
        assert slope == pytest.approx(-4 * pull[i, k], rel=1e-6, abs=1e-6)


def test_clusterings_that_agree_are_fitted_exactly():
    truth = np.repeat([0, 1, 2], [5, 4, 3])
    fit, crisp = squares(truth[:, None], True), np.eye(3)[truth]
    objective, pull = fit.at(crisp)
    assert objective == 0
    assert np.array_equal(grown(crisp, pull, fit.constant), crisp)
    method = BaumEagon(3, random_state=0).fit(truth[:, None])
    assert method.objective_ == pytest.approx(0, abs=1e-3)
    assert adjusted_rand_score(truth, method.labels_) == 1


def test_follows_a_permutation_of_the_objects():
    order = np.random.default_rng(4).permutation(30)
    method = BaumEagon(3, max_iter=60)
    here = method.descend(squares(l30(), True), START)
    there = method.descend(squares(l30()[order], True), START[order])
    assert there.memberships == pytest.approx(here.memberships[order], abs=1e-9)


@pytest.mark.long
def test_chosen_is_the_start_with_the_lowest_objective():
    labels = np.random.default_rng(3).integers(4, size=(40, 10))
    method = BaumEagon(4, n_init=5, random_state=0).fit(labels)
    singles = np.random.default_rng(0)
    objectives = [BaumEagon(4, n_init=1, random_state=singles).fit(labels).objective_ for _ in range(5)]
    assert method.objective_ == min(objectives)
    assert method.chosen_ == int(np.argmin(objectives))
    assert method.restart_labels_.shape == (5, 40)
    assert method.memberships_.shape == (40, 4)
    assert len(method.objective_path_) == method.n_iter_
    assert method.objective_path_[-1] == method.objective_


def test_a_membership_that_shrinks_stays_a_normal_number_and_can_grow_again():
    y, pull = np.full((1, 2), 0.5), np.array([[1.0, -1.0]])
    for _ in range(2000):
        y = grown(y, pull, 2.0)
    assert np.array_equal(y[:, 0], [1.0])
    assert y[0, 1] ** 2 >= np.finfo(float).tiny
    for _ in range(2000):
        y = grown(y, -pull, 2.0)
    assert np.array_equal(y[:, 1], [1.0])


@pytest.mark.parametrize("method", [PEACE, BaumEagon])
def test_says_that_clusterings_of_one_cluster_may_merge_clusters(method):
    labels = np.repeat([0, 1, 2], 6)[:, None] + np.zeros((18, 3), dtype=int)
    constant = np.zeros((18, 2), dtype=int)
    fit = method(3, random_state=0).fit
    assert fit(labels).note_ == ""
    assert "2 base clusterings of one cluster may merge clusters" in fit(np.hstack([labels, constant])).note_
    assert method(1, random_state=0).fit(constant).note_ == ""


def test_says_when_it_did_not_converge():
    assert not BaumEagon(3, n_init=2, max_iter=5, random_state=0).fit(l30()).converged_
    assert BaumEagon(3, n_init=2, random_state=0).fit(l30()).converged_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_init": 0}, "n_init = 0"),
        ({"diagonal": 1}, "diagonal = 1: must be True or False"),
        ({"tol": -1.0}, "tol = -1.0"),
        ({"max_iter": 0}, "max_iter = 0"),
        ({"accelerate": "yes"}, "accelerate = 'yes': must be True or False"),
    ],
)
def test_refuses_parameters_out_of_range(parameters, message):
    with pytest.raises(ValueError, match=message):
        BaumEagon(2, **parameters).fit(l30())

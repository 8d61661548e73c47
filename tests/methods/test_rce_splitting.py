"""RCE's objective minimised to a certified gap: ``solver="splitting"``."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consclust.ensemble import Ensemble
from consclust.methods import RCE
from consclust.methods.rce import read_gap
from consclust.testing import L30_CLASSES, l30
from consclust_studies.code.fingerprint import Fingerprints
from rce_by_cones import solve_by_cones

L30 = l30()
SMALL = np.array(
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, -1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [1, 2, 1], [1, 2, 1], [2, 2, 2]]
)
label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(3, 12), st.integers(1, 5)), elements=st.integers(0, 3))
lambdas = st.sampled_from([0.0, 1e-4, 1e-2, 0.3, 1.0, 7.0, 1e2, 1e4])


def fit(labels, *parameters, **keywords):
    return RCE(1, *parameters, solver="splitting", random_state=0, **keywords).fit(labels)


@pytest.mark.long
@pytest.mark.parametrize(
    ("lambda1", "lambda2", "boundary"),
    [(0.01, 0.01, "pin"), (0.01, 10.0, "pin"), (0.1, 1.0, "box"), (1.0, 1.0, "pin"), (10.0, 10.0, "box")],
)
def test_the_minimum_is_that_of_another_solver(lambda1, lambda2, boundary):
    minimum, matrix = solve_by_cones(SMALL, lambda1, lambda2, 1e-3, boundary)
    rce = fit(SMALL, lambda1, lambda2, boundary=boundary, tol=1e-9, max_iter=20_000)
    assert rce.converged_
    assert rce.objective_ == pytest.approx(minimum, rel=1e-7)
    assert rce.bound_ == pytest.approx(minimum, rel=1e-7)
    assert np.abs(rce.consensus_matrix() - matrix).max() < 5e-3


@pytest.mark.parametrize("boundary", ["pin", "box"])
def test_algorithm_1_comes_to_the_same_matrix(boundary):
    """At (1, 1), where it converges; the authors' 20 rounds are not enough."""
    optimum = fit(L30, 1.0, 1.0, tol=1e-10, boundary=boundary)
    mm = RCE(1, 1.0, 1.0, order="paper", max_outer=600, boundary=boundary).fit(L30)
    assert np.abs(optimum.profile_matrix_ - mm.profile_matrix_).max() < 1e-3
    assert mm.objective_ == pytest.approx(optimum.objective_, rel=1e-6)
    few = RCE(1, 1.0, 1.0, order="paper", max_outer=20, boundary=boundary).fit(L30)
    assert few.objective_ > optimum.objective_ * (1 + 1e-6)


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(label_matrices, lambdas, lambdas, st.sampled_from(["pin", "box"]))
def test_every_fit_reaches_the_gap_or_says_that_it_does_not(labels, lambda1, lambda2, boundary):
    rce = fit(labels, lambda1, lambda2, boundary=boundary, max_iter=300)
    assert rce.converged_ == (rce.duality_gap_ <= 1e-6)
    assert ("gap" in rce.note_) == (not rce.converged_)
    assert rce.duality_gap_ >= -1e-12
    assert (np.diff(rce.duality_gap_path_) <= 0).all()
    assert (np.diff(rce.objective_path_) <= 0).all()
    assert len(rce.objective_path_) == len(rce.duality_gap_path_)
    assert rce.objective_ == rce.objective_path_[-1] == rce.best_objective_
    share = Ensemble(labels).coassociation
    fixed = (share == 0) | (share == 1)
    matrix = rce.profile_matrix_
    assert np.array_equal(matrix, matrix.T)
    if boundary == "pin":
        assert np.array_equal(matrix[fixed], share[fixed])
        assert 0 <= matrix.min() <= matrix.max() <= 1
    else:
        assert 1e-6 <= matrix.min() <= matrix.max() <= 1 - 1e-6
    mm = RCE(1, lambda1, lambda2, boundary=boundary, certify=True, max_outer=3, max_inner=3).fit(labels)
    assert mm.best_objective_ >= rce.bound_ - 1e-12 * (1 + abs(rce.bound_))


def test_the_objective_is_that_of_the_matrix():
    """What the certificate of Algorithm 1 says of the same matrix, by one step that does not move it."""
    rce = fit(L30, 0.3, 0.2)
    ensemble = Ensemble(L30)
    again = RCE(1, 0.3, 0.2)._problem(ensemble)
    entries = again.take_entries(rce.profile_matrix_)
    eigenvalues = again.decompose(again.fill_matrix(entries)).eigenvalues
    assert again.compute_objective(entries, eigenvalues) == pytest.approx(rce.objective_, rel=1e-13)


def test_repeated_objects_change_only_the_weights():
    rows = np.random.default_rng(0).integers(30, size=80)
    profiles = fit(L30[rows], 0.1, 1.0, tol=1e-9)
    objects = fit(Ensemble(L30[rows]).unmerged(), 0.1, 1.0, tol=1e-9)
    assert profiles.profile_matrix_.shape[0] < objects.profile_matrix_.shape[0]
    assert profiles.objective_ == pytest.approx(objects.objective_, rel=1e-8)
    assert np.abs(profiles.consensus_matrix() - objects.consensus_matrix()).max() < 1e-2


def test_a_fit_that_stops_early_gives_its_gap():
    rce = fit(L30, 1e-2, 1.0, max_iter=3)
    assert not rce.converged_
    assert rce.n_iter_ == 3
    assert f"{rce.duality_gap_:.1e}" in rce.note_
    assert "max_iter" in rce.note_
    assert read_gap(rce.note_) == pytest.approx(rce.duality_gap_, rel=0.06)
    assert fit(L30, 1e-2, 1.0, tol=1e-2).n_iter_ < fit(L30, 1e-2, 1.0, tol=1e-5).n_iter_


def test_a_warm_start_saves_iterations_and_finds_the_same():
    rce = RCE(3, 0.1, 1.0, solver="splitting", warm_start=True, random_state=0).fit(L30)
    warm = rce.set_params(lambda2=1.1).fit(L30)
    cold = RCE(3, 0.1, 1.1, solver="splitting", random_state=0).fit(L30)
    assert warm.n_iter_ < cold.n_iter_
    assert warm.converged_
    assert warm.objective_ == pytest.approx(cold.objective_, rel=2e-6)
    assert warm.set_params(lambda2=1.1).fit(L30).n_iter_ == 1
    # another number of profiles begins anew
    assert warm.fit(L30[:20]).objective_ == fit(L30[:20], 0.1, 1.1).objective_
    assert len(pickle.dumps(cold)) < len(pickle.dumps(warm))


def test_classes_are_found():
    found = RCE(3, 1.0, 1.0, solver="splitting", random_state=0).fit(L30).labels_
    assert len(set(zip(L30_CLASSES.tolist(), found.tolist(), strict=True))) == 3


@pytest.mark.parametrize(
    "given",
    [
        {"solver": "splitting", "order": "paper"},
        {"solver": "splitting", "max_outer": 5},
        {"solver": "splitting", "max_inner": 5},
        {"solver": "splitting", "inner_tol": 1e-3},
        {"warm_start": True},
        {"solver": "admm"},
    ],
)
def test_parameters_of_the_other_solver_are_refused(given):
    name = list(given)[-1]
    with pytest.raises(ValueError, match=f"RCE: {name} = "):
        RCE(2, **given).fit(L30)


def test_splitting_is_for_labels_alone():
    with pytest.raises(ValueError, match="solver = 'splitting'"):
        RCE(2, solver="splitting").fit_connective([np.eye(3)])


def test_fits_of_algorithm_1_do_not_depend_on_the_code_of_splitting():
    fingerprints = Fingerprints()
    name = "consclust.methods.rce.RCE"
    entries = "consclust_studies.stages.consensus.fit_subsets", name
    modules = [
        {module for module, _ in fingerprints.functions(*entries, parameters={name: {"solver": (solver,)}})}
        for solver in ("mm", "splitting")
    ]
    of_splitting = {"consclust.numerics.splitting", "consclust.numerics.rceproblem"}
    assert not of_splitting & modules[0]
    assert of_splitting <= modules[1]

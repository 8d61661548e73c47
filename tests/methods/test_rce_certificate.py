"""How far RCE's objective is from its minimum at most: ``certify``."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consclust.ensemble import Ensemble
from consclust.methods import RCE
from consclust.methods.rce import read_gap
from consclust_studies.code.fingerprint import Fingerprints
from rce_by_cones import solve_by_cones

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "rce_octave.json").read_text())
L30 = np.array(ORACLE["inputs"]["L30"]["labels"])
SMALL = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, -1], [1, 1, 0], [1, 1, 1], [1, 2, 1], [1, 2, 1]])

label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(3, 12), st.integers(1, 5)), elements=st.integers(0, 3))
lambdas = st.sampled_from([0.0, 1e-4, 1e-2, 0.3, 1.0, 1.0001, 7.0, 1e2, 1e4])


def fit(labels, *parameters, **keywords):
    return RCE(1, *parameters, certify=True, random_state=0, **keywords).fit(labels)


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(label_matrices, lambdas, lambdas, st.sampled_from(["pin", "box"]), st.sampled_from(["authors", "paper"]))
def test_the_gap_is_never_negative_and_never_grows(labels, lambda1, lambda2, boundary, order):
    rce = fit(labels, lambda1, lambda2, boundary=boundary, order=order, max_outer=4, max_inner=3)
    gaps = rce.duality_gap_path_
    assert len(gaps) == rce.n_iter_
    assert (np.diff(gaps) <= 0).all()
    assert rce.duality_gap_ == gaps[-1]
    assert -1e-12 <= gaps[-1] <= 1
    assert rce.bound_ <= rce.best_objective_ + 1e-12 * (1 + abs(rce.best_objective_))
    assert rce.best_objective_ <= rce.objective_path_.min() + 1e-11 * (1 + abs(rce.objective_))


@pytest.mark.parametrize("boundary", ["pin", "box"])
@pytest.mark.parametrize("order", ["authors", "paper"])
def test_a_certificate_changes_no_fit(boundary, order):
    keywords = {"boundary": boundary, "order": order, "n_init": 3, "random_state": 0}
    plain = RCE(3, 0.1, 1.0, **keywords).fit(L30)
    certified = RCE(3, 0.1, 1.0, certify=True, **keywords).fit(L30)
    assert np.array_equal(plain.profile_matrix_, certified.profile_matrix_)
    assert np.array_equal(plain.restart_labels_, certified.restart_labels_)
    assert np.array_equal(plain.objective_path_, certified.objective_path_)
    assert not hasattr(plain, "duality_gap_")
    assert plain.note_ == ""


@pytest.mark.parametrize("parameters", [(0.01, 0.1), (10.0, 1.0)])
def test_the_note_of_a_certified_fit_gives_its_gap(parameters):
    rce = fit(L30, *parameters)
    assert read_gap(rce.note_) == pytest.approx(rce.duality_gap_, rel=0.06, abs=1e-12)
    assert read_gap(f"fewer clusters than the 3 requested; {rce.note_}") == read_gap(rce.note_)


def test_other_notes_give_no_gap():
    assert read_gap("") is None
    assert read_gap("the objective rose in a round") is None


@pytest.mark.long
@pytest.mark.parametrize("boundary", ["pin", "box"])
def test_many_rounds_reach_the_optimum_and_few_do_not(boundary):
    few = fit(L30, 1.0, 1.0, order="paper", max_outer=5, boundary=boundary)
    many = fit(L30, 1.0, 1.0, order="paper", max_outer=400, boundary=boundary)
    assert few.duality_gap_ > 1e-4
    assert abs(many.duality_gap_) < 1e-5
    assert few.bound_ < many.bound_
    assert few.best_objective_ > many.best_objective_
    assert few.duality_gap_ >= (few.best_objective_ - many.best_objective_) / few.best_objective_


@pytest.mark.long
def test_entries_that_algorithm_1_moves_to_an_end_keep_it_from_the_optimum():
    """In the authors' order; the paper's order comes near the optimum, whose entries are all inside."""
    stuck = fit(L30, 100.0, 100.0, max_outer=60)
    share = Ensemble(L30).coassociation
    assert ((stuck.profile_matrix_ == 1) & (share < 1)).any()
    optimum = fit(L30, 100.0, 100.0, order="paper", max_outer=1000)
    assert optimum.duality_gap_ < 1e-3
    assert stuck.duality_gap_ > 0.05
    assert stuck.best_objective_ > 1.001 * optimum.best_objective_


@pytest.mark.long
@pytest.mark.parametrize(
    ("lambda1", "lambda2", "boundary"), [(0.1, 0.03, "box"), (0.3, 0.1, "pin"), (1.0, 1.0, "pin"), (10.0, 0.1, "box")]
)
def test_the_minimum_of_another_solver_is_between_bound_and_objective(lambda1, lambda2, boundary):
    minimum, _ = solve_by_cones(SMALL, lambda1, lambda2, 1e-3, boundary)
    rce = fit(SMALL, lambda1, lambda2, boundary=boundary, order="paper", max_outer=300)
    rounding = 1e-7 * minimum
    assert rce.bound_ - rounding <= minimum <= rce.best_objective_ + rounding
    assert rce.duality_gap_ < 0.1, "the bound must say something here"


def test_the_bound_is_for_labels_alone():
    with pytest.raises(ValueError, match="certify = True"):
        RCE(2, certify=True).fit_connective([np.eye(3)])


def test_a_fitted_method_holds_no_matrices_of_the_certificate():
    sizes = [len(pickle.dumps(RCE(3, certify=certify, random_state=0).fit(L30))) for certify in (False, True)]
    assert sizes[1] < sizes[0] + 2000


@pytest.mark.long
def test_only_fits_that_certify_depend_on_the_code_of_the_certificate():
    fingerprints = Fingerprints()
    name = "consclust.methods.rce.RCE"
    entries = "consclust_studies.stages.consensus.fit_subsets", name
    modules = [
        {module for module, _ in fingerprints.functions(*entries, parameters={name: {"certify": (certify,)}})}
        for certify in (False, True)
    ]
    of_certificate = {"consclust.numerics.rceproblem", "consclust.numerics.kernels.rce_pair_kernels"}
    assert not of_certificate & modules[0]
    assert of_certificate <= modules[1]

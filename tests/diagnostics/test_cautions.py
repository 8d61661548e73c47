"""What is reported of a consensus: clusters of one object, and a cheap method that agrees clearly more."""

import numpy as np
import pytest

from consclust.diagnostics import agreement_with, bootstrap_stability, compare_methods
from consclust.diagnostics.cautions import describe_single_objects, find_closer_method
from consclust.diagnostics.trust import remarks
from consclust.ensemble import Ensemble
from consclust.methods import EAC, MCLA, RCE, Voting
from consclust.testing import l30


@pytest.fixture(scope="module")
def labels():
    """Nine clusterings of 60 objects in three classes, a tenth of the labels at random, and a far object."""
    rng = np.random.default_rng(0)
    noise = rng.random((60, 9)) < 0.1
    labels = np.where(noise, rng.integers(0, 3, (60, 9)), np.arange(60)[:, None] % 3)
    labels[59] = 3
    return labels


def test_clusters_of_a_single_object_are_counted():
    assert describe_single_objects(np.array([0, 0, 1, 2, 2])) == "1 cluster of a single object"
    assert describe_single_objects(np.array([0, 1, 1, 2])) == "2 clusters of a single object"
    assert describe_single_objects(np.array([0, 0, 1, 1])) == ""
    assert describe_single_objects(np.array([0, 0, -1])) == "", "a missing label is no cluster"


def test_a_table_of_methods_names_them_too(labels):
    (found,) = compare_methods(labels, {"EAC": EAC(4)}, draws=0, folds=2)
    assert (np.bincount(found.labels) == 1).sum() == 1
    assert "1 cluster of a single object" in found.note


def test_a_method_that_agrees_clearly_more_is_named_with_both_numbers(labels):
    ensemble = Ensemble(labels)
    poor = EAC(3, linkage="single").fit(labels)
    agreement = agreement_with(ensemble, poor.labels_)
    best = agreement_with(ensemble, MCLA(3, random_state=0).fit(labels).labels_)
    assert best.mean() > agreement.mean() + 0.2
    said = find_closer_method(ensemble, agreement, poor, [MCLA(3, random_state=0)])
    assert said.startswith("MCLA agrees clearly more")
    assert f"{best.mean():.3f}" in said
    assert f"EAC {agreement.mean():.3f}" in said


def test_a_small_difference_or_one_of_few_clusterings_is_not_clear(labels):
    ensemble = Ensemble(labels)
    others = [MCLA(3, random_state=0), Voting(3, random_state=0)]
    best = agreement_with(ensemble, others[0].fit(labels).labels_)
    assert find_closer_method(ensemble, best, EAC(3), others) == ""
    assert find_closer_method(ensemble, best - 0.04, EAC(3), others) == ""
    assert find_closer_method(ensemble, best - 0.06, EAC(3), others) != ""
    few = best.copy()
    few[:4] -= 0.9
    assert (best > few).mean() < 0.5
    assert best.mean() > few.mean() + 0.3
    assert find_closer_method(ensemble, few, EAC(3), others[:1]) == ""


def test_a_method_without_an_answer_is_not_closer():
    agreed = np.tile(np.arange(12)[:, None] % 2, 4)
    assert find_closer_method(Ensemble(agreed), np.zeros(4), EAC(3), [MCLA(3, random_state=0)]) == ""


def test_a_fixed_number_of_rounds_is_no_remark_and_a_missed_tolerance_is():
    fixed = RCE(3, max_outer=2, max_inner=2, random_state=0).fit(l30())
    assert not fixed.converged_
    assert remarks(fixed) == ""
    wanted = RCE(3, max_outer=2, max_inner=2, tol=1e-12, random_state=0).fit(l30())
    assert not wanted.converged_
    assert "stopped before it converged" in remarks(wanted)


def test_the_stability_of_a_sample_is_that_of_the_clusters_of_all_objects(labels):
    reference = EAC(4).fit_predict(labels)
    some = np.append(np.arange(0, 58, 2), 59)
    found = bootstrap_stability(labels[some], EAC(4), draws=5, reference=reference[some])
    np.testing.assert_array_equal(found.labels, reference[some])
    assert found.share.mean() > 0.9
    wrong = bootstrap_stability(labels[some], EAC(4), draws=5, reference=np.arange(30) // 10)
    assert wrong.share.mean() < 0.6

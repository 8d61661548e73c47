"""WEAC against the authors' program."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from consclust.crowd import weighted_coassociation
from consclust.ensemble import Ensemble
from consclust.methods import EAC, WEAC
from consclust.similarity import co_occurrence, over_objects
from consclust.testing import l30
from oracle_cases import read_cases

CASES = read_cases("weac_gpmgla")
TREES = [(name, how) for name, case in CASES.items() for how in case["trees"]]


@pytest.mark.parametrize(("name", "how"), TREES)
def test_trees_and_clusters_are_those_of_the_authors_program(name, how):
    case, tree = CASES[name], CASES[name]["trees"][how]
    weac = WEAC(case["k"], linkage=how).fit(case["labels"])
    ensemble = Ensemble(case["labels"])
    distances = 1 - over_objects(ensemble, weighted_coassociation(ensemble, weac.influence_))
    heights = np.sort(linkage(squareform(distances, checks=False), how)[:, 2])
    assert heights == pytest.approx(np.array(tree["heights_sorted"]), abs=1e-10)
    if "partition" in tree:
        assert adjusted_rand_score(tree["partition"], weac.labels_) == 1
    assert weac.labels_.max() + 1 == case["k"]


def test_clusters_that_do_not_tie_are_the_same_in_any_order_of_the_objects():
    case = CASES["e3"]
    for how, tree in case["trees"].items():
        for seed in range(3):
            found = WEAC(case["k"], linkage=how, object_order="random", random_state=seed).fit_predict(case["labels"])
            assert adjusted_rand_score(tree["partition"], found) == 1


def test_the_order_decides_between_ties():
    """Complete linkage merges many groups at distance 1."""
    case = CASES["e2"]
    orders = [WEAC(case["k"], linkage="complete", object_order="random", random_state=seed) for seed in range(20)]
    assert len({tuple(method.fit_predict(case["labels"])) for method in orders}) > 1


def test_without_influence_it_is_evidence_accumulation():
    """Single linkage, cut between two heights: there ties do not matter."""
    ensemble = Ensemble(CASES["e3"]["labels"])
    distances = 1 - over_objects(ensemble, co_occurrence(ensemble))
    heights = linkage(squareform(distances, checks=False), "single")[:, 2]
    cuts = ensemble.n_objects - 1 - np.flatnonzero(np.diff(heights) > 1e-9)
    assert len(cuts) > 3
    for k in cuts:
        expected = EAC(k, linkage="single").fit_predict(ensemble)
        assert np.array_equal(expected, WEAC(k, beta=0, linkage="single").fit_predict(ensemble))


def test_a_bad_clustering_counts_less():
    """Four clusterings of noise outvote three good ones unless agreement counts."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 30)
    labels = np.column_stack([*[truth] * 3, *rng.integers(2, size=(4, 60))])
    weac = WEAC(2, beta=8.0).fit(labels)
    assert weac.influence_[:3] == pytest.approx(1)
    assert weac.influence_[3:].max() < 1e-3
    assert adjusted_rand_score(truth, weac.labels_) == 1


@pytest.mark.parametrize("value", [-0.1, "2", None])
def test_refuses_parameters(value):
    with pytest.raises(ValueError, match="WEAC: beta = "):
        WEAC(2, beta=value).fit(l30())

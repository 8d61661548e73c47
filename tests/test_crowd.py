"""Crowd agreement and the co-association matrix that it weighs: the authors' program, and plain loops."""

import numpy as np
import pytest

from consclust.crowd import crowd_agreement, share_information, weighted_coassociation
from consclust.ensemble import Ensemble
from consclust.scores import nmi
from consclust.similarity import co_occurrence, over_objects
from consclust.testing import l30
from oracle_cases import assert_is_matrix, read_cases

CASES = read_cases("weac_gpmgla")


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def with_gaps():
    """30 objects, 12 of them twice, every sixth label missing; the last clustering is constant."""
    labels = np.column_stack([l30(), np.zeros(30, dtype=int)])
    labels = labels[np.concatenate([np.arange(30), np.arange(12)])]
    labels[np.random.default_rng(0).random(labels.shape) < 1 / 6] = -1
    return labels


def test_agreement_is_that_of_the_authors_program(case):
    ensemble = Ensemble(case["labels"])
    share, _ = share_information(ensemble)
    pairs = np.triu_indices(case["m"], 1)
    assert share[pairs] == pytest.approx(np.array(case["nmi_pairs_upper"]), abs=1e-10)
    assert crowd_agreement(ensemble, 1) == pytest.approx(np.array(case["ncai"]), abs=1e-10)
    assert crowd_agreement(ensemble) == pytest.approx(np.array(case["ncai"]) ** 2, abs=1e-10)


def test_weighted_matrix_is_that_of_the_authors_program(case):
    ensemble = Ensemble(case["labels"])
    matrix = weighted_coassociation(ensemble, crowd_agreement(ensemble))
    assert_is_matrix(over_objects(ensemble, matrix), case["weighted_coassociation"])


def test_information_is_over_the_objects_that_both_clusterings_contain():
    labels = with_gaps()
    share, is_known = share_information(Ensemble(labels))
    assert is_known.all()
    for i in range(labels.shape[1]):
        for j in range(labels.shape[1]):
            both = (labels[:, i] >= 0) & (labels[:, j] >= 0)
            expected = nmi(labels[both, i], labels[both, j])
            if len({*labels[both, i]}) > 1 or len({*labels[both, j]}) > 1:
                assert share[i, j] == pytest.approx(expected, abs=1e-12)
            else:
                assert share[i, j] == 0


def test_a_clustering_that_shares_no_object_has_the_mean_agreement():
    """The first three clusterings agree by 1, 1/2 and 1/2 on average; the last has objects of its own."""
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    labels = np.full((8, 4), -1)
    labels[:4, :3] = np.column_stack([a, a, b])
    labels[4:, 3] = b
    assert crowd_agreement(Ensemble(labels), 1) == pytest.approx([1, 1, 0, 2 / 3])


@pytest.mark.parametrize(
    "labels",
    [[[0], [1], [1]], [[0, 0], [0, 1], [1, 0], [1, 1]], [[0, 0], [0, 0]], [[0, -1], [1, -1], [-1, 0], [-1, 1]]],
    ids=["one clustering", "no agreement", "one cluster each", "no common object"],
)
def test_all_count_the_same_where_none_agrees_with_any(labels):
    assert (crowd_agreement(Ensemble(labels)) == 1).all()


def test_a_constant_clustering_does_not_count():
    """Also not by rounding of its entropy."""
    labels = np.column_stack([l30(), np.zeros(30, dtype=int)])
    assert crowd_agreement(Ensemble(labels))[-1] == 0


def test_equal_weights_give_the_coassociation_matrix():
    ensemble = Ensemble(l30())
    assert weighted_coassociation(ensemble, np.full(8, 0.3)) == pytest.approx(co_occurrence(ensemble), abs=1e-12)


@pytest.mark.parametrize("missing", ["expected", "ignored"])
def test_sums_are_over_the_clusterings_that_contain_both(missing):
    ensemble = Ensemble(with_gaps(), missing)
    influence = np.linspace(0.2, 1, 9)
    found = weighted_coassociation(ensemble, influence)
    rows = ensemble.expected_indicator.toarray()
    parts = np.split(rows, np.cumsum(ensemble.n_clusters)[:-1], axis=1)
    joined, counted = np.zeros(found.shape), np.zeros(found.shape)
    for weight, part in zip(influence, parts, strict=True):
        known = part.sum(axis=1) > 0
        joined += weight * part @ part.T
        counted += weight * np.outer(known, known)
    assert (counted > 0).all()
    assert found == pytest.approx(joined / counted, abs=1e-12)


@pytest.mark.parametrize("missing", ["expected", "ignored"])
def test_a_pair_that_nothing_counts_for(missing):
    """Objects 0, 1 and 2 are in other clusterings than 3 and 4; of the six known pairs three are joined, by weight."""
    labels = [[0, -1], [0, -1], [1, -1], [-1, 0], [-1, 0]]
    ensemble = Ensemble(labels, missing)
    matrix = over_objects(ensemble, weighted_coassociation(ensemble, np.array([1.0, 3.0])))
    known = [(0, 1, 1.0), (0, 2, 0.0), (1, 2, 0.0), (3, 4, 3.0)]
    mean = sum(joined for *_, joined in known) / (1 + 1 + 1 + 3)
    assert matrix[0, 1] == matrix[3, 4] == 1
    assert matrix[0, 2] == matrix[1, 2] == 0
    assert matrix[0, 3] == pytest.approx(mean if missing == "expected" else 0.0)

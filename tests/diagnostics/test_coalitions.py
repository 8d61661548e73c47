"""Groups of base clusterings that agree within and not between, on planted ensembles."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consclust.diagnostics import coalitions, describe_coalitions, list_coalitions
from consclust.diagnostics.coalitions import _agree
from consclust.ensemble import Ensemble
from consclust.ensembles import spoil

N = 120


def planted(m, noise=0.2, k=4, seed=0):
    """Return m base clusterings that agree on one partition, (N, m)."""
    rng = np.random.default_rng(seed)
    truth = np.arange(N) % k
    return np.where(rng.random((N, m)) < noise, rng.integers(k, size=(N, m)), truth[:, None])


def random(m, k=4, seed=1):
    return np.random.default_rng(seed).integers(k, size=(N, m))


def permuted(labels, seed=2):
    """Return the same base clusterings of other objects: they agree with each other alone."""
    return labels[np.random.default_rng(seed).permutation(len(labels))]


def test_two_planted_coalitions_are_found_with_their_members():
    order = np.random.default_rng(3).permutation(20)
    labels = np.column_stack([planted(12), permuted(planted(8, seed=4))])[:, order]
    found = coalitions(labels)
    assert found.found
    assert found.score > 0.95
    assert [set(group) for group in found.groups] == [set(np.flatnonzero(order < 12)), set(np.flatnonzero(order >= 12))]
    assert found.agreement.shape == (2, 2)
    assert min(found.agreement.diagonal()) > 0.3
    assert abs(found.agreement[0, 1]) < 0.05


def test_three_coalitions_beside_random_members_are_found():
    labels = np.column_stack([planted(7), permuted(planted(6, seed=5)), permuted(planted(5, seed=6), 7), random(4)])
    found = coalitions(labels)
    assert [group.tolist() for group in found.groups] == [list(range(7)), list(range(7, 13)), list(range(13, 18))]


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_random_members_are_no_coalition(share):
    for seed in range(5):
        labels = spoil(planted(30, seed=seed), "random-members", share, seed).labels
        assert not coalitions(labels).found


def test_members_with_other_numbers_of_clusters_are_no_coalition():
    rng = np.random.default_rng(0)
    coarse = planted(10, noise=0.1)
    fine = planted(10, noise=0.1, seed=9) + 4 * rng.integers(5, size=(N, 10))
    labels = np.column_stack([coarse, fine])
    # by the ARI alone they would be: it is small between few and many clusters
    between = np.mean([adjusted_rand_score(labels[:, i], labels[:, j]) for i in range(10) for j in range(10, 20)])
    within = np.mean([adjusted_rand_score(labels[:, 0], labels[:, j]) for j in range(1, 10)])
    assert between < 0.5 * within
    assert not coalitions(labels).found


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8])
def test_an_injected_coalition_is_found_and_its_members_are_named(share):
    spoiled = spoil(planted(20), "coalition", share, 1)
    found = coalitions(spoiled.labels)
    assert found.found
    assert {frozenset(group.tolist()) for group in found.groups} == {
        frozenset(np.flatnonzero(spoiled.members).tolist()),
        frozenset(np.flatnonzero(~spoiled.members).tolist()),
    }


def test_members_of_one_cluster_are_left_out():
    labels = np.column_stack([planted(6), np.zeros((N, 6), dtype=int)])
    found = coalitions(labels)
    assert not found.found
    assert found.score < 0.3


def test_missing_labels_do_not_hide_a_coalition():
    labels = np.column_stack([planted(10), permuted(planted(8, seed=4))])
    found = coalitions(spoil(labels, "missing", 0.4).labels)
    assert [len(group) for group in found.groups] == [10, 8]


def restricted(first, second):
    """Return four clusterings of some objects and four of others, all of one partition of 60 in three classes."""
    labels = np.repeat(np.arange(3), 20)[:, None].repeat(8, axis=1)
    labels[~np.isin(np.arange(60), first), :4] = -1
    labels[~np.isin(np.arange(60), second), 4:] = -1
    return labels


@pytest.mark.parametrize(
    ("first", "second"),
    [(range(30), range(29, 60)), (range(40), range(20, 60)), (range(30), range(30, 60))],
    ids=["one common object", "one common class", "no common object"],
)
def test_members_that_cannot_be_compared_are_no_coalitions(first, second):
    found = coalitions(restricted(first, second))
    assert not found.found
    assert found.score < 0.3


def test_three_objects_say_nothing():
    labels = np.column_stack([[0, 0, 1]] * 3 + [[0, 1, 1]] * 3)
    assert not coalitions(labels).found
    assert coalitions(np.repeat(labels, 20, axis=0)).found


def test_what_cannot_be_compared_does_not_hide_a_coalition():
    first = planted(10)
    second = permuted(planted(8, seed=4))
    first[:40, :3] = -1
    second[30:, :3] = -1  # none of their objects is in the first three
    found = coalitions(np.column_stack([first, second]))
    assert [group.tolist() for group in found.groups] == [list(range(10)), list(range(10, 18))]
    assert np.isfinite(found.agreement).all()


def test_too_few_members_have_no_score():
    found = coalitions(np.column_stack([planted(2), permuted(planted(2, seed=4))]))
    assert not found.found
    assert np.isnan(found.score)
    assert "at least 6" in describe_coalitions(found)


def test_the_order_of_objects_and_members_and_names_of_clusters_do_not_count():
    labels = np.column_stack([planted(9), permuted(planted(6, seed=4)), random(3)])
    rng = np.random.default_rng(0)
    others = 7 - labels[rng.permutation(N)]
    assert coalitions(others).score == pytest.approx(coalitions(labels).score)
    assert coalitions(labels[:, ::-1]).groups[0].tolist() == list(range(9, 18))


def test_the_deviation_by_chance_is_that_of_permuted_labels():
    rng = np.random.default_rng(0)
    sizes = ([30, 50, 40], [60, 25, 20, 15])
    one, other = (np.repeat(np.arange(len(each)), each) for each in sizes)
    drawn = []
    for _ in range(300):
        labels = np.column_stack([one, rng.permutation(other)])
        found = _agree(Ensemble(labels))
        drawn.append(found.values[0, 1])
    assert found.deviations[0, 1] == pytest.approx(np.std(drawn), rel=0.15)
    assert np.mean(drawn) == pytest.approx(0, abs=3 * np.std(drawn) / np.sqrt(300))


def test_the_agreement_is_one_for_a_refinement():
    coarse = np.arange(N) // 60
    fine = np.arange(N) // 10
    assert _agree(Ensemble(np.column_stack([coarse, fine]))).values[0, 1] == pytest.approx(1)


def test_rows_and_sentence_say_what_was_found():
    found = coalitions(np.column_stack([planted(6), permuted(planted(4, seed=4))]))
    rows = list_coalitions(found, [f"c{i}" for i in range(10)])
    assert [row["size"] for row in rows] == [6, 4]
    assert rows[1]["clusterings"] == "c6, c7, c8, c9"
    assert rows[0]["within"] == pytest.approx(found.agreement[0, 0])
    assert rows[0]["between"] == rows[1]["between"] == pytest.approx(found.agreement[0, 1])
    assert "2 groups" in describe_coalitions(found)
    none = coalitions(planted(10))
    assert "no coalitions" in describe_coalitions(none)
    assert list_coalitions(none, ["c"] * 10) == []

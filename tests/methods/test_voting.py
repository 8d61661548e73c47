"""Voting against recorded results, and against information and votes that are counted directly."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import xlogy

from consclust.ensemble import Ensemble
from consclust.errors import MissingLabelsWarning
from consclust.methods import Voting
from consclust.methods.voting import (
    Ballots,
    assign_all,
    assign_one_to_one,
    count_adaptive,
    count_fixed,
    count_majority,
    merge,
    normalise,
    order_by_entropy,
)
from consclust.testing import l30

CASES = json.loads((Path(__file__).parent.parent / "oracles" / "voting.json").read_text())["cases"]
CUMULATIVE = [case for case in CASES if "cumulative" in case]


class Case:
    """A recorded case, without what is expected for missing labels."""

    def __init__(self, record):
        self.record = record
        self.ensemble = Ensemble(np.array(record["labels"]), missing="ignored")
        self.ballots = Ballots.make(self.ensemble)
        self.order = order_by_entropy(self.ensemble, record["k"], np.arange(self.ensemble.n_clusterings))

    def over_objects(self, votes):
        """Return votes of the profiles for those of the objects, clusters of the reference as they were given."""
        given = np.argsort(self.ensemble.cluster_names[self.order[0]])
        return votes[self.ensemble.membership][:, given]


def make_ids(record):
    return record["name"]


@pytest.fixture(params=CUMULATIVE, ids=make_ids)
def case(request):
    return Case(request.param)


def close(found, expected):
    return found == pytest.approx(np.array(expected), abs=1e-10)


def test_cumulative_votes_are_the_recorded(case):
    oracle = case.record["cumulative"]
    assert case.order.tolist() == oracle["order_0based"]
    fixed = count_fixed(case.ballots, case.order) / case.ensemble.n_clusterings
    assert close(case.over_objects(fixed), oracle["fixed_reference"]["distribution"])
    adaptive = count_adaptive(case.ballots, case.order, normalise)
    assert close(case.over_objects(adaptive), oracle["adaptive"]["distribution"])
    one_to_one = oracle["adaptive_one_to_one"]
    if one_to_one["all_assignments_unique"]:
        found = count_adaptive(case.ballots, case.order, assign_one_to_one)
        assert close(case.over_objects(found), one_to_one["distribution"])


def test_merging_is_the_recorded(case):
    oracle = case.record["cumulative"]["merging"]
    votes = case.over_objects(count_adaptive(case.ballots, case.order, normalise))
    merging = merge(votes, np.ones(case.record["n"]), case.record["k"])
    assert [sorted(group) for group in merging.groups] == oracle["groups"]
    assert close(merging.losses, [step["loss"] for step in oracle["merges"]])
    assert close(merging.memberships, oracle["membership"])
    voting = Voting(case.record["k"], variant="adaptive").fit(case.ensemble)
    assert voting.labels_.tolist() == oracle["partition"]
    assert close(voting.losses_, merging.losses)
    assert voting.order_.tolist() == case.record["cumulative"]["order_0based"]


@pytest.mark.parametrize("record", CASES, ids=make_ids)
def test_votes_of_a_majority_are_the_recorded_where_no_assignment_is_a_tie(record):
    case, oracle = Case(record), record["majority"]
    unique = [number for number, found in enumerate(oracle["maps"]) if found["unique"]]
    chosen = case.ensemble.subset(unique)
    labels = np.empty(chosen.n_profiles, dtype=np.int64)
    labels[chosen.membership] = oracle["reference"]
    given = np.array(record["labels"])
    expected = np.zeros((record["n"], record["k"]))
    for number in unique:
        known = np.flatnonzero(given[:, number] > 0)
        expected[known, np.array(oracle["maps"][number]["map"])[given[known, number] - 1]] += 1
    if len(unique) == record["m"]:
        assert close(expected, oracle["votes"])
    by_object = chosen.unmerged()
    of_object = np.empty(record["n"], dtype=np.int64)
    of_object[by_object.membership] = oracle["reference"]
    assert close(count_majority(Ballots.make(by_object), of_object)[by_object.membership], expected)


def test_majority_is_the_recorded(case):
    oracle = case.record["majority"]
    if case.record["name"] != "labels_30x8":  # an assignment that is not unique decides there
        found = Voting(case.record["k"]).fit(case.ensemble).labels_
        assert np.array_equal(found, Ensemble(np.array(oracle["assignment"])[:, None]).labels[:, 0])


def find_mutual_information(memberships, weights):
    joint = memberships * (weights / weights.sum())[:, None]
    entropies = [-xlogy(part, part).sum() for part in (joint, joint.sum(axis=0), joint.sum(axis=1))]
    return entropies[1] + entropies[2] - entropies[0]


def test_losses_add_up_to_the_mutual_information_that_is_lost():
    rng = np.random.default_rng(0)
    memberships, weights = rng.dirichlet(np.ones(7), 20), rng.integers(1, 5, 20).astype(float)
    merging = merge(memberships, weights, 3)
    assert len(merging.losses) == 4
    lost = find_mutual_information(memberships, weights) - find_mutual_information(merging.memberships, weights)
    assert sum(merging.losses) == pytest.approx(lost, abs=1e-12)
    assert sorted(column for group in merging.groups for column in group) == list(range(7))


def test_first_merging_is_that_of_the_least_loss():
    rng = np.random.default_rng(1)
    memberships, weights = rng.dirichlet(np.ones(5), 12), np.ones(12)
    before = find_mutual_information(memberships, weights)
    losses = []
    for left in range(5):
        for right in range(left + 1, 5):
            joined = np.delete(memberships, right, axis=1)
            joined[:, left] += memberships[:, right]
            losses.append(before - find_mutual_information(joined, weights))
    assert merge(memberships, weights, 4).losses == pytest.approx([min(losses)], abs=1e-12)


@pytest.mark.parametrize("variant", ["majority", "adaptive", "fixed", "one-to-one"])
@pytest.mark.parametrize("missing", ["expected", "ignored"])
def test_profiles_stand_for_their_objects(variant, missing):
    labels = np.random.default_rng(0).integers(0, 3, size=(70, 4))
    labels[::9, 1] = -1
    ensemble = Ensemble(labels, missing)
    assert ensemble.n_profiles < 60
    merged, apart = (Voting(3, variant=variant).fit(each) for each in (ensemble, ensemble.unmerged()))
    assert merged.memberships_ == pytest.approx(apart.memberships_, abs=1e-10)
    assert np.array_equal(merged.labels_, apart.labels_)


def test_reference_has_enough_clusters():
    """The clustering of two equal clusters has the greatest entropy, but too few clusters."""
    labels = np.column_stack([np.arange(20) % 2, np.r_[np.zeros(18, dtype=int), 1, 2]])
    assert Voting(2).fit(labels).reference_ == 0
    voting = Voting(3).fit(labels)
    assert voting.reference_ == 1
    assert voting.order_.tolist() == [1, 0]
    few = Voting(4).fit(labels)
    assert few.reference_ == 1
    assert "fewer clusters" in few.note_
    assert few.memberships_.shape == (20, 4)


def test_order_of_equal_entropies_is_drawn():
    labels = np.column_stack([np.arange(12) % 3, np.arange(12) // 4, np.zeros(12, dtype=int)])
    orders = set()
    for seed in range(20):
        voting = Voting(3, object_order="random", random_state=seed).fit(labels)
        orders.add(tuple(voting.order_))
    assert orders == {(0, 1, 2), (1, 0, 2)}
    assert Voting(3, random_state=5).fit(labels).order_.tolist() == [0, 1, 2]


def test_an_ignored_label_casts_no_vote():
    """The last object has only votes of the second clustering, which follows the first for it."""
    labels = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [-1, 1]])
    memberships = Voting(2, variant="adaptive").fit(Ensemble(labels, "ignored")).memberships_
    assert close(memberships, [[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])


def test_an_object_without_a_vote_has_the_mean_of_the_others():
    """No object has labels of both clusterings, so that the one that is not the reference cannot be relabelled."""
    ensemble = Ensemble([[0, -1], [0, -1], [1, -1], [-1, 0], [-1, 1]], missing="ignored")
    with pytest.warns(MissingLabelsWarning):
        memberships = Voting(2, variant="adaptive").fit(ensemble).memberships_
    assert close(memberships, [[0.5, 0.5]] * 3 + [[1, 0], [0, 1]])


def test_clusters_left_over_join_their_greatest_overlap_or_cast_no_vote():
    overlaps = np.array([[9.0, 0], [4, 3], [1, 2]])
    assert assign_one_to_one(overlaps).tolist() == [[1, 0], [0, 1], [0, 0]]
    assert assign_all(overlaps).tolist() == [[1, 0], [0, 1], [0, 1]]


@pytest.mark.parametrize(("name", "value"), [("variant", "cumulative"), ("object_order", "sorted")])
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"Voting: {name} = "):
        Voting(2, **{name: value}).fit(l30())

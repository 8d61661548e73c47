"""SEC against a recorded run of a public program, and the identities of its cost."""

import json
from pathlib import Path

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.methods import SEC
from consclust.methods.sec import descend, points_of
from consclust.numerics.numbering import renumber
from consclust.numerics.points import draw_any, draw_spread
from consclust.testing import l30

CASES = json.loads((Path(__file__).parent.parent / "oracles" / "sec.json").read_text())["cases"]


@pytest.fixture(params=CASES, ids=lambda case: case["name"])
def case(request):
    return request.param


def close(found, expected):
    return found == pytest.approx(np.array(expected), abs=1e-10)


def test_descent_is_that_of_the_program(case):
    """Of missing labels nothing enters a sum."""
    expected = case.get("missing_as_zero", case)
    ensemble = Ensemble(np.array(case["labels"]), missing="ignored")
    points = points_of(ensemble)
    member = ensemble.membership
    descent = descend(points, member[case["start_objects_0based"]], 300)
    assert close(descent.path, expected["objective_by_iteration"])
    assert renumber(descent.labels[member]).tolist() == expected["partition"]
    assert descent.converged
    assert close(points.constant, expected["constant"])
    assert close(points.constant - descent.path[-1], expected["association"])
    if "weights" in case:
        assert points.weights[member].tolist() == case["weights"]


def dense_association(rows, labels):
    """Return the sum over the clusters of (similarities within) / (degrees), from the matrix of the objects."""
    similarity = rows @ rows.T
    within = [labels == cluster for cluster in range(labels.max() + 1)]
    return sum(similarity[np.ix_(here, here)].sum() / similarity[here].sum() for here in within)


@pytest.mark.parametrize("missing", ["expected", "ignored"])
def test_cost_and_association_are_those_of_the_matrix_of_the_objects(missing):
    labels = np.random.default_rng(3).integers(0, 3, size=(40, 5))
    labels[::3, 1] = -1
    ensemble = Ensemble(np.vstack([labels, labels[:11]]), missing)
    sec = SEC(4, random_state=1).fit(ensemble)
    rows = ensemble.expected_indicator.toarray()[ensemble.membership]
    weights = rows @ rows.sum(axis=0)
    points = rows / weights[:, None]
    cost = 0.0
    for cluster in range(4):
        here = sec.labels_ == cluster
        centre = np.average(points[here], axis=0, weights=weights[here])
        cost += (weights[here] * ((points[here] - centre) ** 2).sum(axis=1)).sum()
    assert sec.inertia_ == pytest.approx(cost, abs=1e-10)
    assert sec.association_ == pytest.approx(dense_association(rows, sec.labels_), abs=1e-10)
    assert sec.inertia_path_[-1] == sec.inertia_
    assert (np.diff(sec.inertia_path_) < 0).all()


def test_profiles_stand_for_their_objects():
    labels = np.random.default_rng(0).integers(0, 3, size=(60, 3))
    ensemble = Ensemble(labels)
    assert ensemble.n_profiles < 30
    merged, apart = points_of(ensemble), points_of(ensemble.unmerged())
    starts = np.array([0, 7, 20])
    objects = [int(np.flatnonzero(ensemble.membership == profile)[0]) for profile in starts]
    place = ensemble.unmerged().membership
    left = descend(merged, starts, 300)
    right = descend(apart, place[objects], 300)
    assert left.path == pytest.approx(right.path, abs=1e-12)
    assert np.array_equal(left.labels[ensemble.membership], right.labels[place])


def test_an_empty_cluster_takes_the_farthest_object():
    """Two starts at the same point: without it one cluster would remain."""
    points = points_of(Ensemble([[0, 0], [0, 1], [1, 2], [1, 2], [2, 2]]))
    descent = descend(points, np.array([0, 0, 0]), 300)
    assert set(descent.labels) == {0, 1, 2}
    assert descent.converged


def test_equal_points_of_different_profiles_end():
    """The missing labels are certain to be those of the others: two points for three profiles."""
    labels = np.array([[0, 0], [0, 0], [0, -1], [1, 1], [1, 1]])
    sec = SEC(3, random_state=0).fit(labels)
    assert sec.converged_
    assert sec.labels_.tolist() == [0, 0, 0, 1, 1]
    assert "fewer clusters" in sec.note_


@pytest.mark.parametrize("draw", [draw_any, draw_spread])
def test_starts_are_different_objects(draw):
    points = points_of(Ensemble(l30()))
    for seed in range(20):
        drawn = draw(points, 20, np.random.default_rng(seed))
        assert len(set(drawn.tolist())) == 20


def test_a_profile_of_many_objects_is_drawn_often():
    points = points_of(Ensemble(np.repeat([[0, 0], [0, 1], [1, 0]], [98, 1, 1], axis=0)))
    heaviest = int(np.argmax(points.counts))
    for draw in (draw_any, draw_spread):
        firsts = [draw(points, 1, np.random.default_rng(seed))[0] for seed in range(30)]
        assert firsts.count(heaviest) >= 26


def test_spread_starts_of_many_profiles_are_those_of_a_sample(monkeypatch):
    monkeypatch.setattr("consclust.numerics.points.SAMPLE", 8)
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(4), 40))
    noise = np.random.default_rng(1).integers(0, 9, size=(160, 1))
    points = points_of(Ensemble(np.column_stack([labels, labels, labels, noise])))
    assert len(points.counts) > 8
    for seed in range(5):
        starts = draw_spread(points, 3, np.random.default_rng(seed))
        assert len(set(points.indicator[starts][:, :4].toarray().argmax(axis=1))) == 3
        drawn = draw_spread(points, 12, np.random.default_rng(seed))
        assert len(set(drawn.tolist())) == 12


def test_rounds_are_limited():
    sec = SEC(5, init="random", n_init=3, max_iter=1, random_state=0).fit(
        np.random.default_rng(0).integers(0, 4, (90, 9))
    )
    assert sec.n_iter_ == len(sec.inertia_path_) == 1
    assert not sec.converged_


@pytest.mark.parametrize(("name", "value"), [("init", "k-means"), ("n_init", 0), ("max_iter", 0)])
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"SEC: {name} = "):
        SEC(2, **{name: value}).fit(l30())

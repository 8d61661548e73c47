"""Profiles as weighted points, and the labels of each cluster, against dense arrays."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consclust.ensemble import Ensemble
from consclust.numerics.points import LabelTable, Points, draw_any, draw_spread

LABELS = np.array([[0, 0], [0, 0], [0, 1], [1, 2], [1, -1]])


def make_points():
    """Return points of some profiles, their dense rows, and their weights."""
    ensemble = Ensemble(np.random.default_rng(0).integers(0, 4, size=(30, 3)))
    weights = np.random.default_rng(1).random(ensemble.n_profiles) + 0.5
    points = Points.make(ensemble.sparse_indicator, ensemble.weights, weights)
    return points, ensemble.indicator / weights[:, None], weights


def test_distances_are_those_of_dense_rows():
    points, rows, weights = make_points()
    centres = np.random.default_rng(2).random((rows.shape[1], 5))
    expected = weights[:, None] * ((rows[:, None, :] - centres.T) ** 2).sum(axis=2)
    assert points.distances(centres) == pytest.approx(expected, abs=1e-12)
    labels, least = points.assign(centres)
    assert np.array_equal(labels, expected.argmin(axis=1))
    assert least == pytest.approx(expected.min(axis=1), abs=1e-12)
    assert points.constant == pytest.approx(points.counts @ (weights * (rows**2).sum(axis=1)), abs=1e-12)


def test_a_point_is_at_distance_0_of_itself():
    """Exactly: rounding would make it the farthest of its cluster."""
    points, rows, _ = make_points()
    own = points.rows(np.arange(len(rows)))
    assert own == pytest.approx(rows.T, abs=1e-15)
    assert (np.diag(points.distances(own)) == 0).all()
    assert (points.assign(own).least == 0).all()
    assert (points.distances(own)[~np.eye(len(rows), dtype=bool)] > 0).all()


def test_a_part_has_the_points_of_some_profiles():
    points, rows, weights = make_points()
    chosen = np.array([1, 4, 9])
    part = points.part(chosen)
    centre = rows[[7]].T
    assert part.distances(centre) == pytest.approx(points.distances(centre)[chosen], abs=1e-15)
    assert np.array_equal(part.weights, weights[chosen])
    assert np.array_equal(part.counts, points.counts[chosen])


def test_shares_are_among_the_objects_that_have_a_label():
    table = LabelTable.make(Ensemble(LABELS))
    assert table.shares() == pytest.approx([3 / 5, 2 / 5, 2 / 4, 1 / 4, 1 / 4])
    assert table.total(np.arange(10.0).reshape(5, 2)).tolist() == [[2, 4], [18, 21]]
    assert table.repeat(np.array([[1.0], [2.0]])).ravel().tolist() == [1, 1, 2, 2, 2]


def test_a_cluster_without_a_label_of_a_clustering_has_the_shares_of_all():
    table = LabelTable.make(Ensemble(LABELS))
    counts = np.array([[3.0, 0], [0, 1], [2, 0], [1, 0], [0, 0]])
    expected = [[1, 0], [0, 1], [2 / 3, 0.5], [1 / 3, 0.25], [0, 0.25]]
    assert table.distributions(counts) == pytest.approx(np.array(expected))


def test_points_of_a_table_are_the_rows_of_its_indicator():
    ensemble = Ensemble(LABELS)
    for indicator in (None, ensemble.expected_indicator):
        table = LabelTable.make(ensemble, indicator)
        rows = table.indicator.toarray()
        assert table.points().rows(np.arange(4)) == pytest.approx(rows.T)
        assert table.points().counts.tolist() == ensemble.weights.tolist()


def equal_points(counts):
    """Points in one place, with so many objects each."""
    return Points.make(csr_array(np.ones((len(counts), 2))), np.array(counts, dtype=float), np.ones(len(counts)))


@pytest.mark.parametrize("draw", [draw_any, draw_spread])
def test_start_profiles_are_drawn_in_proportion_to_their_objects(draw):
    rng = np.random.default_rng(0)
    drawn = [draw(equal_points([1, 8, 1]), 1, rng)[0] for _ in range(500)]
    assert np.bincount(drawn) / 500 == pytest.approx([0.1, 0.8, 0.1], abs=0.05)


@pytest.mark.parametrize("draw", [draw_any, draw_spread])
def test_start_profiles_differ_even_where_all_are_in_one_place(draw):
    for seed in range(20):
        drawn = draw(equal_points([9, 1, 1, 9, 1]), 5, np.random.default_rng(seed))
        assert sorted(drawn) == [0, 1, 2, 3, 4]

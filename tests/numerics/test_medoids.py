"""PAM against costs computed anew for every swap."""

import itertools

import numpy as np
import pytest

from consclust.numerics.medoids import _swap_changes, find_medoids


def distances_of(seed, n):
    """Distances of points on a plane."""
    points = np.random.default_rng(seed).random((n, 2))
    return np.linalg.norm(points[:, None] - points, axis=2)


def cost(distances, medoids):
    return distances[:, list(medoids)].min(axis=1).sum()


@pytest.mark.parametrize("k", [1, 2, 4])
def test_changes_are_those_of_the_cost(k):
    distances = distances_of(k, 12)
    medoids = np.arange(k) * 3
    changes = _swap_changes(distances, medoids)
    for place, item in itertools.product(range(k), range(12)):
        swapped = [*medoids[:place], item, *medoids[place + 1 :]]
        expected = np.inf if item in medoids else cost(distances, swapped) - cost(distances, medoids)
        assert changes[place, item] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_no_swap_improves_the_medoids(seed):
    distances = distances_of(seed, 20)
    found = find_medoids(distances, 4)
    assert len({*found.items.tolist()}) == 4
    assert found.costs == sorted(found.costs, reverse=True)
    assert found.costs[-1] == pytest.approx(cost(distances, found.items))
    for place, item in itertools.product(range(4), range(20)):
        swapped = [*found.items[:place], item, *found.items[place + 1 :]]
        assert cost(distances, swapped) >= found.costs[-1] - 1e-10


def test_the_start_takes_what_lowers_the_cost_most():
    """Points 0, 1, 2, 10, 11 on a line: the middle one of all, then the middle of the right group, or one of two."""
    points = np.array([0.0, 1, 2, 10, 11])
    distances = np.abs(points[:, None] - points)
    assert find_medoids(distances, 1).items.tolist() == [2]
    found = find_medoids(distances, 2)
    assert found.costs == [pytest.approx(4), pytest.approx(3)]
    assert found.items.tolist() == [1, 3]


def test_of_equal_items_the_first_are_medoids():
    """Also where sums differ by rounding."""
    distances = np.ones((4, 4)) - np.eye(4)
    distances[2, 3] -= 1e-13
    assert find_medoids(distances, 2).items.tolist() == [0, 1]


def test_all_items_are_medoids():
    found = find_medoids(distances_of(0, 5), 5)
    assert sorted(found.items.tolist()) == [0, 1, 2, 3, 4]
    assert found.costs == [0]

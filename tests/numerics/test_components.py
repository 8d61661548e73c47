"""What SPCE and TRCE share, against the matrices over objects."""

import numpy as np
import pytest

from concord.ensemble import Ensemble
from concord.numerics.components import Separation, SplitProfileError, bottom, component_labels, solved

WEIGHTS = np.array([3, 1, 2, 1, 4])
MEMBERSHIP = np.repeat(np.arange(5), WEIGHTS)


def blocks(*sizes):
    return np.equal.outer(*[np.repeat(np.arange(len(sizes)), sizes)] * 2).astype(float)


def test_bottom_is_that_of_the_objects_laplacian():
    random = np.random.default_rng(2).random((5, 5)) * 0.3
    similarity = (random + random.T) / 2 + np.eye(5)
    values, distances = bottom(similarity, WEIGHTS, 2)
    full = similarity[np.ix_(MEMBERSHIP, MEMBERSHIP)]
    expected, vectors = np.linalg.eigh(np.diag(full.sum(axis=1)) - full)
    assert values == pytest.approx(expected[:3], abs=1e-12)
    f = vectors[:, :2]
    between = ((f[:, None] - f) ** 2).sum(axis=2)
    assert distances[np.ix_(MEMBERSHIP, MEMBERSHIP)] == pytest.approx(between, abs=1e-12)


def test_bottom_refuses_eigenvectors_that_tell_equal_objects_apart():
    apart = np.eye(3) + np.diag([0.9, 0.9], 1) + np.diag([0.9, 0.9], -1)
    full = apart[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    _, vectors = np.linalg.eigh(np.diag(full.sum(axis=1)) - full)
    assert abs(vectors[0, 2] - vectors[1, 2]) > 1
    weights = np.array([2, 1, 1])
    bottom(apart, weights, 2)
    with pytest.raises(SplitProfileError) as split:
        bottom(apart, weights, 3)
    assert split.value.profiles.tolist() == [0]
    values, _ = bottom(full, np.ones(4, dtype=np.int64), 3)
    assert len(values) == 4


def test_profiles_that_do_not_suffice_give_way_to_their_objects():
    ensemble = Ensemble([[0, 0], [0, 0], [1, 0], [2, 2], [2, 2]])
    sizes = []

    def solve(given):
        sizes.append(given.n_profiles)
        if given.n_profiles == 3:
            raise SplitProfileError(np.array([0]))
        assert given.weights.tolist() == [1, 2, 1, 1]
        return given.coassociation

    similarity, membership = solved(solve, ensemble)
    assert sizes == [3, 4]
    assert similarity[np.ix_(membership, membership)] == pytest.approx(ensemble.expand(ensemble.coassociation))
    assert membership[3] == membership[4]
    assert ensemble.n_profiles == 3
    assert solved(lambda given: given.coassociation, ensemble)[0].shape == (3, 3)


def test_one_profile_by_its_objects_gives_what_all_objects_give():
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 2, 2]])
    whole, some = Ensemble(labels).unmerged(), Ensemble(labels).unmerged([0])
    assert some.n_profiles == 5
    found = []
    for ensemble in (whole, some):
        first = ensemble.profiles[:, 0]
        similarity = 0.3 * ensemble.coassociation + 0.7 * np.equal.outer(first, first)
        values, distances = bottom(similarity, ensemble.weights, 2)
        found.append((values, ensemble.expand(distances)))
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-12)
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-12)


def test_weight_follows_the_number_of_components():
    once = np.ones(6, dtype=np.int64)
    separation = Separation(blocks(6), once, 2)
    separation.update(blocks(3, 3))
    assert (separation.weight, separation.reached) == (1, True)
    reached = separation.distances
    separation.update(blocks(2, 2, 2))
    assert (separation.weight, separation.reached) == (0.5, False)
    assert separation.distances is reached, "the embedding of too many components is not taken"
    separation.update(blocks(6))
    assert (separation.weight, separation.reached) == (1, False)
    assert separation.distances is not reached


def test_labels_are_components():
    assert component_labels(blocks(2, 3, 1)).tolist() == [0, 0, 1, 1, 1, 2]

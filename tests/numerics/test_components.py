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
    with pytest.raises(SplitProfileError):
        bottom(apart, weights, 3)
    values, _ = bottom(full, np.ones(4, dtype=np.int64), 3)
    assert len(values) == 4


def test_where_profiles_do_not_suffice_the_objects_are_taken():
    ensemble = Ensemble([[0, 0], [0, 0], [1, 0]])

    def solve(given):
        if given.n_profiles < 3:
            raise SplitProfileError
        assert given.weights.tolist() == [1, 1, 1]
        return given.coassociation

    similarity, membership = solved(solve, ensemble)
    assert membership.tolist() == [0, 1, 2]
    assert similarity.tolist() == [[1, 1, 0.5], [1, 1, 0.5], [0.5, 0.5, 1]]
    assert ensemble.n_profiles == 2
    assert solved(lambda given: given.coassociation, ensemble)[0].shape == (2, 2)


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

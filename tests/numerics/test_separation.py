"""What drives SPCE and TRCE towards K components, against the matrices over objects."""

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.numerics import eigen, separation
from consclust.numerics.components import SplitProfileError, component_labels
from consclust.numerics.krylov import smallest
from consclust.numerics.separation import Separation, bottom

WEIGHTS = np.array([3, 1, 2, 1, 4])
MEMBERSHIP = np.repeat(np.arange(5), WEIGHTS)


def blocks(*sizes):
    return np.equal.outer(*[np.repeat(np.arange(len(sizes)), sizes)] * 2).astype(float)


def bottom_of(similarity, weights, n_vectors):
    """Return the eigenvalues, and the squared distances between the rows of F."""
    values, rows = bottom(similarity, weights, n_vectors, component_labels(similarity))
    return values, squared_distances(rows)


def squared_distances(rows):
    return ((rows[:, None] - rows) ** 2).sum(axis=2)


@pytest.mark.parametrize("all_up_to", [1, 1000])
def test_bottom_is_that_of_the_objects_laplacian(monkeypatch, all_up_to):
    monkeypatch.setattr(eigen, "ALL", all_up_to)
    random = np.random.default_rng(2).random((5, 5)) * 0.3
    similarity = (random + random.T) / 2 + np.eye(5)
    values, distances = bottom_of(similarity, WEIGHTS, 2)
    full = similarity[np.ix_(MEMBERSHIP, MEMBERSHIP)]
    expected, vectors = np.linalg.eigh(np.diag(full.sum(axis=1)) - full)
    assert values == pytest.approx(expected[:3], abs=1e-12)
    between = squared_distances(vectors[:, :2])
    assert distances[np.ix_(MEMBERSHIP, MEMBERSHIP)] == pytest.approx(between, abs=1e-12)


def test_bottom_refuses_eigenvectors_that_tell_equal_objects_apart():
    apart = np.eye(3) + np.diag([0.9, 0.9], 1) + np.diag([0.9, 0.9], -1)
    full = apart[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    _, vectors = np.linalg.eigh(np.diag(full.sum(axis=1)) - full)
    assert abs(vectors[0, 2] - vectors[1, 2]) > 1
    weights = np.array([2, 1, 1])
    bottom_of(apart, weights, 2)
    with pytest.raises(SplitProfileError) as split:
        bottom_of(apart, weights, 3)
    assert split.value.profiles.tolist() == [0]
    values, _ = bottom_of(full, np.ones(4, dtype=np.int64), 3)
    assert len(values) == 4


def test_one_profile_by_its_objects_gives_what_all_objects_give():
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 2, 2]])
    whole, some = Ensemble(labels).unmerged(), Ensemble(labels).unmerged([0])
    assert some.n_profiles == 5
    found = []
    for ensemble in (whole, some):
        first = ensemble.profiles[:, 0]
        similarity = 0.3 * ensemble.coassociation + 0.7 * np.equal.outer(first, first)
        values, distances = bottom_of(similarity, ensemble.weights, 2)
        found.append((values, ensemble.expand(distances)))
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-12)
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-12)


def test_the_embedding_of_a_graph_with_components_tells_them_apart(monkeypatch):
    similarity = blocks(2, 3)
    weights = np.array([1, 4, 2, 1, 1])
    expected = np.array([[0, 1 / 5 + 1 / 4], [1 / 5 + 1 / 4, 0]])[np.ix_([0, 0, 1, 1, 1], [0, 0, 1, 1, 1])]
    for all_up_to in (1, 1000):
        monkeypatch.setattr(eigen, "ALL", all_up_to)
        values, distances = bottom_of(similarity, weights, 2)
        assert values == pytest.approx([0, 0, 4], abs=1e-12)
        assert distances == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("sizes", [(5,), (2, 3), (2, 2, 1)])
def test_the_solver_is_given_the_null_space_a_vector_for_each_component(monkeypatch, sizes):
    given = []

    def noting(laplacian, null, count):
        given.append((laplacian, null))
        return smallest(laplacian, null, count)

    monkeypatch.setattr(separation, "smallest", noting)
    bottom_of(blocks(*sizes), WEIGHTS, len(sizes))
    ((laplacian, null),) = given
    assert np.abs(laplacian @ null).max() < 1e-12
    assert null.T @ null == pytest.approx(np.eye(len(sizes)), abs=1e-12)


def test_weight_follows_the_number_of_components():
    once = np.ones(6, dtype=np.int64)
    separation = Separation(blocks(6), once, 2)
    separation.update(blocks(3, 3))
    assert (separation.weight, separation.reached) == (1, True)
    reached = separation.embedding
    separation.update(blocks(2, 2, 2))
    assert (separation.weight, separation.reached) == (0.5, False)
    assert separation.embedding is reached, "the embedding of too many components is not taken"
    separation.update(blocks(6))
    assert (separation.weight, separation.reached) == (1, False)
    assert separation.embedding is not reached

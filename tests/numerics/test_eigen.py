"""Some eigenvectors against all of them, also where LAPACK's inverse iteration fails."""

import numpy as np
import pytest

from consclust.numerics import eigen
from consclust.numerics.eigen import leading, smallest, some_eigenvectors

SYMMETRIC = np.random.default_rng(4).random((6, 6))
SYMMETRIC += SYMMETRIC.T


def assert_is_the_span_of(vectors, expected):
    assert np.abs(vectors.T @ expected) == pytest.approx(np.eye(expected.shape[1]), abs=1e-12)


@pytest.mark.parametrize(("first", "last"), [(0, 2), (3, 5), (0, 5)])
def test_some_are_those_among_all(first, last):
    values, vectors = np.linalg.eigh(SYMMETRIC)
    some = some_eigenvectors(SYMMETRIC, first, last)
    assert some[0] == pytest.approx(values[first : last + 1], abs=1e-12)
    assert_is_the_span_of(some[1], vectors[:, first : last + 1])


@pytest.mark.parametrize(("all_up_to", "unused"), [(5, "numpy.linalg.eigh"), (6, "scipy.linalg.eigh")])
def test_leading_ones_come_first(monkeypatch, all_up_to, unused):
    expected = np.linalg.eigh(SYMMETRIC)[1][:, [5, 4]]
    monkeypatch.setattr(eigen, "ALL", all_up_to)
    monkeypatch.setattr(unused, None)
    assert_is_the_span_of(leading(SYMMETRIC, 2), expected)


def not_converged(values, vectors):
    raise np.linalg.LinAlgError("1 eigenvectors failed to converge.")


def no_eigenvector(values, vectors):
    return values, np.roll(vectors, 1, axis=0)


def one_vector_twice(values, vectors):
    return values[[0, 0, 2]], vectors[:, [0, 0, 2]]


@pytest.mark.parametrize("failure", [not_converged, no_eigenvector, one_vector_twice])
def test_where_some_are_wrong_all_are_computed(monkeypatch, failure):
    values, vectors = np.linalg.eigh(SYMMETRIC)

    def failing(matrix, subset_by_index=None, driver=None):
        return (values, vectors) if subset_by_index is None else failure(values[:3], vectors[:, :3])

    monkeypatch.setattr("scipy.linalg.eigh", failing)
    some = some_eigenvectors(SYMMETRIC, 0, 2)
    assert some[0] == pytest.approx(values[:3], abs=1e-12)
    assert_is_the_span_of(some[1], vectors[:, :3])


def graph_laplacian(*sizes):
    """Return the Laplacian of rings of these sizes, with random weights, and an orthonormal basis of its null space."""
    random = np.random.default_rng(8)
    n = sum(sizes)
    similarity, null, first = np.zeros((n, n)), np.zeros((n, len(sizes))), 0
    for number, size in enumerate(sizes):
        ring = first + np.arange(size)
        similarity[ring, np.roll(ring, 1)] = 1 + number + random.random(size)
        null[ring, number] = 1 / np.sqrt(size)
        first += size
    similarity += similarity.T
    return np.diag(similarity.sum(axis=1)) - similarity, null


@pytest.mark.parametrize("sizes", [(40,), (12, 18), (9, 9, 9)])
@pytest.mark.parametrize("count", [4, 5])
def test_the_smallest_of_a_large_matrix_are_those_of_all(monkeypatch, sizes, count):
    matrix, null = graph_laplacian(*sizes)
    monkeypatch.setattr(eigen, "ALL", 10)
    monkeypatch.setattr(eigen, "some_eigenvectors", None)
    values, vectors = np.linalg.eigh(matrix)
    found = smallest(matrix, null, count)
    assert found[0] == pytest.approx(values[:count], abs=1e-12)
    assert found[1] @ found[1].T == pytest.approx(vectors[:, :count] @ vectors[:, :count].T, abs=1e-10)


def test_a_smallest_one_that_lanczos_steps_miss_is_noticed(monkeypatch):
    from scipy.sparse.linalg import eigsh

    matrix, null = graph_laplacian(30)
    values, _ = np.linalg.eigh(matrix)

    def missing_one(raised, count, **options):
        found, vectors = eigsh(raised, count + 1, **options)
        kept = np.argsort(found) != 1
        return found[kept], vectors[:, kept]

    monkeypatch.setattr(eigen, "ALL", 10)
    monkeypatch.setattr("scipy.sparse.linalg.eigsh", missing_one)
    assert smallest(matrix, null, 4)[0] == pytest.approx(values[:4], abs=1e-12)


def test_eigenvalues_that_occur_many_times(monkeypatch):
    monkeypatch.setattr(eigen, "ALL", 10)
    complete = 25 * np.eye(25) - np.ones((25, 25))
    values, vectors = smallest(complete, np.full((25, 1), 0.2), 6)
    assert values == pytest.approx([0, 25, 25, 25, 25, 25], abs=1e-10)
    assert complete @ vectors == pytest.approx(vectors * values, abs=1e-9)
    assert vectors.T @ vectors == pytest.approx(np.eye(6), abs=1e-10)

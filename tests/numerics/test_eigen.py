"""Some eigenvectors against all of them, also where LAPACK's inverse iteration fails."""

import numpy as np
import pytest

from concord.numerics import eigen
from concord.numerics.eigen import leading, some_eigenvectors

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


@pytest.mark.parametrize("all_up_to", [5, 6])
def test_leading_ones_come_first(monkeypatch, all_up_to):
    monkeypatch.setattr(eigen, "ALL", all_up_to)
    assert_is_the_span_of(leading(SYMMETRIC, 2), np.linalg.eigh(SYMMETRIC)[1][:, [5, 4]])


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

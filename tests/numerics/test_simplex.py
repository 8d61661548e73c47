"""Projections against the definition, and one against the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consclust.numerics.simplex import project, project_rows


@pytest.mark.parametrize(
    ("v", "expected"),
    [((0.5, 0.2, -0.1), (19 / 30, 1 / 3, 1 / 30)), ((2, 1, 0), (1, 0, 0)), ((7, 7, 7, 7), (0.25,) * 4)],
)
def test_projection_on_the_simplex(v, expected):
    assert project(np.array(v, dtype=float)) == pytest.approx(expected, abs=1e-14)


def simplex_rows(matrix):
    descending = -np.sort(-matrix, axis=1)
    theta = (np.cumsum(descending, axis=1) - 1) / np.arange(1, matrix.shape[1] + 1)
    last = (descending > theta).sum(axis=1) - 1
    return np.maximum(matrix - theta[np.arange(len(matrix)), last][:, None], 0)


@settings(max_examples=50, deadline=None)
@given(
    matrix=hnp.arrays(np.float64, (3, 4), elements=st.floats(-3, 3)),
    weights=st.lists(st.integers(1, 4), min_size=4, max_size=4),
)
def test_weighted_projection_is_that_of_the_repeated_columns(matrix, weights):
    repeated = simplex_rows(np.repeat(matrix, weights, axis=1))
    projected = project_rows(matrix, np.array(weights, dtype=float))
    assert np.repeat(projected, weights, axis=1) == pytest.approx(repeated, abs=1e-12)


def test_projection_of_the_specification():
    given_ = np.array([[0.5, 0.2, -0.1], [2, 1, 0], [5, 5, 5]])
    expected = np.array([[19 / 30, 1 / 3, 1 / 30], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])
    assert project_rows(given_, np.ones(3)) == pytest.approx(expected, abs=1e-14)


def test_projected_rows_count_objects():
    random = np.random.default_rng(3)
    weights, matrix = np.array([3, 1, 2, 5]), random.normal(size=(4, 4))
    projected = project_rows(matrix, weights)
    assert projected @ weights == pytest.approx(np.ones(4), abs=1e-12)
    shift = (matrix - projected).max(axis=1, where=projected > 0, initial=-np.inf)[:, None]
    assert projected == pytest.approx(np.maximum(matrix - shift, 0), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), scale=st.sampled_from([1e-6, 1.0, 1e6]), ties=st.booleans())
def test_rows_without_sorting_are_those_with_sorting(seed, n, scale, ties):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(4, n)) * scale
    if ties:
        matrix = np.round(matrix / scale) * scale
    assert project_rows(matrix, np.ones(n)) == pytest.approx(simplex_rows(matrix), abs=1e-12 * max(scale, 1))


def test_entries_beside_which_1_is_lost_to_rounding_are_no_error():
    """The shift is as large as the entries, and none is above it."""
    projected = project_rows(np.array([[1e17, 1e17], [1e17, 0.0]]), np.ones(2))
    assert ((projected >= 0) & (projected <= 1)).all()

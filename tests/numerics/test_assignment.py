"""Profiles assigned by tables, against dense sums."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from consclust.numerics.assignment import assign_profiles, fill_empty_clusters, sum_by_cluster


@pytest.mark.parametrize("n_clusters", [1, 3, 8, 9])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_labels_and_sums_are_those_of_dense_matrices(n_clusters, index):
    rng = np.random.default_rng(0)
    dense = rng.random((50, 13)) * (rng.random((50, 13)) < 0.5)
    rows = csr_array(dense)
    rows = csr_array((rows.data, rows.indices.astype(index), rows.indptr.astype(index)), shape=rows.shape)
    table, offsets, factors = rng.normal(size=(13, n_clusters)), rng.normal(size=n_clusters), rng.random(50)
    labels, least = assign_profiles(rows, table, offsets, factors)
    scores = dense @ table + np.outer(factors, offsets)
    assert np.array_equal(labels, scores.argmin(axis=1))
    assert least == pytest.approx(scores.min(axis=1), abs=1e-12)
    plain = assign_profiles(rows, table)
    assert np.array_equal(plain.labels, (dense @ table).argmin(axis=1))
    weights = rng.random(50)
    expected = dense.T @ (np.eye(n_clusters)[labels] * weights[:, None])
    assert sum_by_cluster(rows, weights, labels, n_clusters) == pytest.approx(expected, abs=1e-12)


def test_of_equal_scores_the_first_cluster_wins():
    rows = csr_array(np.eye(2))
    assert assign_profiles(rows, np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]])).labels.tolist() == [0, 1]


def test_positive_scores_do_not_lose_against_columns_that_fill_the_table():
    assert assign_profiles(csr_array(np.eye(2)), np.array([[5.0, 4.0, 6.0], [3.0, 9.0, 7.0]])).least.tolist() == [4, 3]


def test_empty_clusters_take_the_farthest_profiles():
    labels = np.array([0, 0, 0, 2])
    assert fill_empty_clusters(labels, np.array([1.0, 3.0, 2.0, 0.5]), 5).tolist() == [0, 1, 3, 2]
    assert fill_empty_clusters(labels, np.array([0.0, 3.0, 0.0, 0.0]), 5).tolist() == [0, 1, 0, 2]
    assert fill_empty_clusters(np.array([1, 0]), np.array([5.0, 5.0]), 2).tolist() == [1, 0]

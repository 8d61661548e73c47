"""K-means in the space of the clusters, against scikit-learn's on the rows of the dense matrix."""

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.numerics.clusterspace import Lloyd, coassociation_kmeans, mean_kmeans
from consclust.numerics.kernels import clusterspace_kernels as kernels
from consclust.numerics.restarts import kmeans_restarts


def tall(seed, n=300):
    """Labels of an ensemble with more profiles than clusters, some with several objects."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(5, size=n)
    columns = [np.where(rng.random(n) < 0.6, classes % (3 + i), rng.integers(3 + i, size=n)) for i in range(5)]
    return Ensemble(np.column_stack(columns)[rng.integers(n, size=2 * n)])


@pytest.mark.long
@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_is_kmeans_on_the_dense_rows(k):
    equal = []
    for seed in range(20):
        ensemble = tall(seed)
        assert ensemble.is_tall
        shares = np.random.default_rng(seed).dirichlet(np.ones(5))
        matrix = (ensemble.indicator * np.repeat(shares, ensemble.n_clusters)) @ ensemble.indicator.T
        rows = matrix * np.sqrt(ensemble.weights)
        expected, inertia = kmeans_restarts(rows, ensemble.weights, k, 3, np.random.default_rng(seed))
        labels, costs = mean_kmeans(ensemble, shares, k, 3, np.random.default_rng(seed))
        same = (labels == expected).all(axis=1)
        assert costs[same] == pytest.approx(inertia[same], rel=1e-10)
        equal += same.tolist()
    assert sum(equal) >= 59, "of 60; a profile may be equally near to two of the profiles to start from"


@pytest.mark.parametrize("seed", range(3))
def test_coassociation_matrix_by_either_way(seed, monkeypatch):
    ensemble = tall(seed)
    labels, inertia = coassociation_kmeans(ensemble, 4, 5, np.random.default_rng(seed))
    monkeypatch.setattr(Ensemble, "is_tall", False)
    expected, same = coassociation_kmeans(ensemble, 4, 5, np.random.default_rng(seed))
    assert np.array_equal(labels, expected)
    assert inertia == pytest.approx(same, rel=1e-10)


def test_missing_labels_are_left_to_the_dense_rows():
    labels = np.random.default_rng(0).integers(-1, 3, size=(60, 4))
    ensemble = Ensemble(labels[(labels >= 0).any(axis=1)])
    rows = ensemble.expected_coassociation * np.sqrt(ensemble.weights)
    expected = kmeans_restarts(rows, ensemble.weights, 3, 2, np.random.default_rng(0))
    found = coassociation_kmeans(ensemble, 3, 2, np.random.default_rng(0))
    for ours, theirs in zip(found, expected, strict=True):
        assert np.array_equal(ours, theirs)


def test_an_empty_cluster_takes_the_farthest_profile():
    ensemble = tall(0)
    lloyd, z = Lloyd(ensemble, np.full(5, 0.2)), ensemble.indicator
    n, w = z.shape[0], ensemble.weights.astype(float)
    labels = np.where(np.arange(n) % 2, 0, 2)
    sums = np.stack([w[labels == c] @ z[labels == c] for c in range(4)])
    sizes = np.array([w[labels == c].sum() for c in range(4)])
    centres = np.random.default_rng(0).random((4, z.shape[1]))
    rows = (z @ (z.T / 5)) * np.sqrt(w)
    dense = centres @ (z.T / 5) * np.sqrt(w)
    first, second = np.argsort(((rows - dense[labels]) ** 2).sum(axis=1))[:-3:-1]
    found = lloyd._means(centres, centres @ lloyd._gram, labels, sums, sizes)
    assert {tuple(row) for row in found[[1, 3]]} == {tuple(z[first]), tuple(z[second])}
    for c in (0, 2):
        kept = (labels == c) & ~np.isin(np.arange(n), (first, second))
        assert found[c] == pytest.approx(w[kept] @ z[kept] / w[kept].sum(), abs=1e-12)
    assert sizes.tolist() == [w[labels == 0].sum(), 0, w[labels == 2].sum(), 0], "the arguments stay"


def test_profiles_go_to_the_nearest_centre_and_are_counted():
    rng = np.random.default_rng(0)
    n, m, k = 30, 6, 3
    columns = (np.arange(m) * 2 + rng.integers(2, size=(n, m))).astype(np.uint32)
    table, offsets, weights = rng.random((2 * m, k)), rng.random(k), rng.integers(1, 4, n).astype(float)
    indicator = np.zeros((n, 2 * m))
    np.put_along_axis(indicator, columns.astype(int), 1.0, axis=1)
    labels, bounds = np.zeros(n, dtype=np.int64), np.full((n, 2), [np.inf, -np.inf])
    sums, sizes = np.zeros((k, 2 * m)), np.zeros(k)
    sums[0], sizes[0] = weights @ indicator, weights.sum()
    moved = kernels.reassign(columns, table, offsets, np.ones(n), weights, np.zeros(k), bounds, labels, sums, sizes)
    expected = (offsets + indicator @ table).argmin(axis=1)
    assert np.array_equal(labels, expected)
    assert moved == np.count_nonzero(expected) > 0
    chosen = np.equal.outer(np.arange(k), expected) * weights
    assert np.array_equal(sums, chosen @ indicator)
    assert np.array_equal(sizes, chosen.sum(axis=1))


@pytest.mark.parametrize(
    ("score", "expected"),
    [([2.0, 1.0, 1.0, 3.0], (1, 1.0)), ([1.0, 3.0, 2.0], (0, 2.0)), ([3.0, 2.0, 1.0], (2, 2.0)), ([5.0], (0, np.inf))],
)
def test_the_first_of_the_least_and_the_second_least(score, expected):
    assert kernels.find_two_least(np.array(score)) == expected

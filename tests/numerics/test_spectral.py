"""Spectral embeddings and their assignment against literal programs."""

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.methods import ECPCS, GWCA, RCE, SpectralConsensus
from consclust.numerics import spectral
from consclust.numerics.restarts import kmeans_centres, kmeans_restarts
from consclust.numerics.spectral import (
    cosine_graph,
    discretize,
    embedding,
    find_rotations,
    leading_eigenvectors,
    mean_embedding,
    scale_to_unit_length,
    spectral_labels,
)
from consclust.testing import l30


def by_kmeans(rows, weights, n_init, rng):
    return kmeans_restarts(rows, weights, rows.shape[1], n_init, rng)


def test_embedding_of_profiles_is_that_of_the_objects():
    labels = l30()[np.random.default_rng(1).integers(15, size=50)]
    ensemble = Ensemble(labels)
    rows = embedding(ensemble.coassociation, ensemble.weights, 3)[ensemble.membership]
    similarity = ensemble.expand(ensemble.coassociation)
    degree = similarity.sum(axis=1)
    values, vectors = np.linalg.eigh(similarity / np.sqrt(np.outer(degree, degree)))
    top = vectors[:, -3:]
    top = top / np.linalg.norm(top, axis=1, keepdims=True)
    assert values[-3] - values[-4] > 1e-3, "the three leading eigenvectors are well defined"
    assert rows @ rows.T == pytest.approx(top @ top.T, abs=1e-9)


def test_lanczos_and_dense_leading_eigenvectors_are_alike():
    ensemble = Ensemble(np.random.default_rng(3).integers(4, size=(80, 5)))
    similarity = ensemble.coassociation**4
    every = np.linalg.eigvalsh(similarity)
    assert every[-4] - every[-5] > 1e-3, "the four leading eigenvectors are well defined"
    size = len(similarity)
    dense, lanczos = (leading_eigenvectors(similarity, 4, limit) for limit in (size, size - 1))
    assert not np.array_equal(dense, lanczos), "they are two solvers"
    assert similarity @ lanczos == pytest.approx(lanczos * every[:-5:-1], abs=1e-9)
    assert abs(dense.T @ lanczos) == pytest.approx(np.eye(4), abs=1e-9)


def test_eigenvectors_are_those_of_the_normalised_matrix():
    """Its eigenvalues are at most 1, which a solver may rely on."""
    ensemble = Ensemble(l30()[:, :5])
    degree = ensemble.coassociation @ ensemble.weights
    root = np.sqrt(ensemble.weights / degree)
    given = []
    rows = embedding(
        ensemble.coassociation,
        ensemble.weights,
        3,
        lambda matrix, count: given.append(matrix) or leading_eigenvectors(matrix, count),
    )
    assert given[0] == pytest.approx(ensemble.coassociation * np.outer(root, root), abs=1e-14)
    assert np.linalg.eigvalsh(given[0])[-1] == pytest.approx(1)
    assert np.array_equal(rows, embedding(ensemble.coassociation, ensemble.weights, 3))


@pytest.mark.parametrize(("assign_labels", "assign"), [("kmeans", by_kmeans), ("discretize", discretize)])
def test_labels_are_assigned_as_wanted(assign_labels, assign):
    ensemble = Ensemble(l30()[:, :5])
    found = spectral_labels(ensemble.coassociation, ensemble.weights, 3, assign_labels, 2, np.random.default_rng(0))
    rows = embedding(ensemble.coassociation, ensemble.weights, 3)
    expected = assign(rows, ensemble.weights, 2, np.random.default_rng(0))
    for ours, theirs in zip(found, expected, strict=True):
        assert np.array_equal(ours, theirs)


def literal_discretisation(rows, first, rounds=20):
    """Yu and Shi's program, one start, on objects."""
    n, k = rows.shape
    rotation = np.zeros((k, k))
    rotation[:, 0] = rows[first]
    overlap = np.zeros(n)
    for j in range(1, k):
        overlap += np.abs(rows @ rotation[:, j - 1])
        rotation[:, j] = rows[overlap.argmin()]
    last = 0.0
    for iteration in range(1, rounds + 2):
        labels = (rows @ rotation).argmax(axis=1)
        u, s, vt = np.linalg.svd(np.eye(k)[labels].T @ rows)
        value = 2 * (n - s.sum())
        if abs(value - last) < np.finfo(float).eps or iteration > rounds:
            return labels, value
        last = value
        rotation = vt.T @ u.T
    raise AssertionError("unreachable")


def test_discretisation_is_that_of_the_program():
    ensemble = Ensemble(l30()[:, :5])
    rows = embedding(ensemble.coassociation, ensemble.weights, 4)
    first = np.random.default_rng(0).choice(len(rows), size=6, p=ensemble.weights / ensemble.weights.sum())
    labels, costs = discretize(rows, ensemble.weights, 6, np.random.default_rng(0))
    for start in range(6):
        profile = int(first[start])
        object_ = int(np.flatnonzero(ensemble.membership == profile)[0])
        expected, value = literal_discretisation(rows[ensemble.membership], object_)
        assert np.array_equal(labels[start][ensemble.membership], expected)
        assert costs[start] == pytest.approx(value, abs=1e-10)


def test_discretisation_ends_after_the_rounds_of_the_program():
    """Random rows have no clusters, and their labels still change after twenty rounds."""
    rows = np.random.default_rng(0).normal(size=(400, 8))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    weights = np.ones(400, dtype=np.int64)
    first = np.random.default_rng(0).choice(400, size=6, p=weights / 400)
    labels, _ = discretize(rows, weights, 6, np.random.default_rng(0))
    by_rounds = {n: [literal_discretisation(rows, int(row), n)[0] for row in first] for n in (19, 20, 21)}
    assert np.array_equal(labels, by_rounds[20])
    assert not np.array_equal(by_rounds[19], by_rounds[20])
    assert not np.array_equal(by_rounds[21], by_rounds[20])


@pytest.mark.parametrize(("share", "kept"), [(0.9e-4, 2), (1.1e-4, 3)])
def test_graph_keeps_singular_values_above_a_ten_thousandth_of_the_largest(share, kept):
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 3)))[0]
    singular = np.array([2.0, 1.0, 2.0 * share])
    rows = vectors[:, :kept] * np.sqrt(singular[:kept])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert cosine_graph(vectors, singular) == pytest.approx((rows @ rows.T) ** 4, abs=1e-12)


def test_graph_leaves_out_small_singular_values():
    matrix = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 1e-6]])
    left, singular, _ = np.linalg.svd(matrix)
    assert singular[2] < 1e-4 * singular[0]
    x = left[:, :2] * np.sqrt(singular[:2])
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    assert cosine_graph(left, singular) == pytest.approx((x @ x.T) ** 4, abs=1e-12)


def many_profiles(seed, n=150):
    """Labels of four classes by six clusterings of 3 to 6 clusters, some objects alike: more profiles than clusters."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(4, size=n)
    columns = [(classes + np.where(rng.random(n) < 0.4, rng.integers(6, size=n), 0)) % (3 + i % 4) for i in range(6)]
    return np.column_stack(columns)[rng.integers(n, size=2 * n)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3, 4])
def test_gram_matrix_gives_the_dense_embedding(seed, k):
    ensemble = Ensemble(many_profiles(seed))
    assert ensemble.is_tall
    assert ensemble.weights.max() > 1
    shares = np.random.default_rng(seed).dirichlet(np.ones(6))
    shares[1], shares[0] = 0.0, shares[0] + shares[1]
    matrix = (ensemble.indicator * np.repeat(shares, ensemble.n_clusters)) @ ensemble.indicator.T
    rows = mean_embedding(ensemble, shares, k, lambda: pytest.fail("the dense matrix is not needed"))
    dense = embedding(matrix, ensemble.weights, k)
    assert rows @ rows.T == pytest.approx(dense @ dense.T, abs=1e-12)


def test_rounding_noise_is_judged_in_rows_of_eigenvectors(monkeypatch):
    """The rows that are scaled, times the factors beside them, are those of eigenvectors of length 1."""
    seen = []

    def keep(rows, factors):
        seen.append(rows * factors[:, None])
        scale_to_unit_length(rows, factors)

    monkeypatch.setattr(spectral, "scale_to_unit_length", keep)
    ensemble = Ensemble(many_profiles(1))
    mean_embedding(ensemble, np.full(6, 1 / 6), 3, lambda: pytest.fail("the dense matrix is not needed"))
    embedding(ensemble.coassociation, ensemble.weights, 3)
    for vectors in seen:
        assert vectors.T @ vectors == pytest.approx(np.eye(3), abs=1e-10)
    assert len(seen) == 2


def test_dense_embedding_where_the_gram_matrix_has_none():
    labels = many_profiles(0)
    with_gaps = np.column_stack([labels[:, 0], np.where(labels[:, 1:] == 2, -1, labels[:, 1:])])
    for ensemble in (Ensemble(labels[:20]), Ensemble(with_gaps)):
        assert not ensemble.is_tall
        rows = mean_embedding(ensemble, np.full(6, 1 / 6), 3, lambda e=ensemble: e.coassociation)
        assert np.array_equal(rows, embedding(ensemble.coassociation, ensemble.weights, 3))
    ensemble = Ensemble(labels)
    rank = np.linalg.matrix_rank(ensemble.indicator)
    rows = mean_embedding(ensemble, np.full(6, 1 / 6), rank + 1, lambda: ensemble.coassociation)
    assert np.array_equal(rows, embedding(ensemble.coassociation, ensemble.weights, rank + 1))


@pytest.mark.parametrize(("share", "is_dense"), [(1e-6, False), (1e-10, True)])
def test_dense_embedding_where_an_eigenvalue_is_below_1e_8(share, is_dense):
    """The least eigenvalues that are not 0 are those of a clustering with a small share."""
    ensemble = Ensemble(many_profiles(0))
    shares = np.array([*[(1 - share) / 5] * 5, share])
    rank = np.linalg.matrix_rank(ensemble.indicator)
    asked = []
    mean_embedding(ensemble, shares, rank, lambda: asked.append(True) or ensemble.coassociation)
    assert bool(asked) is is_dense


def test_rotation_by_blocks_of_rows_gives_the_same(monkeypatch):
    ensemble = Ensemble(many_profiles(1))
    rows = embedding(ensemble.coassociation, ensemble.weights, 4)
    labels, costs = discretize(rows, ensemble.weights, 8, np.random.default_rng(0))
    monkeypatch.setattr(spectral, "BLOCK", 7)
    by_blocks, same = discretize(rows, ensemble.weights, 8, np.random.default_rng(0))
    assert np.array_equal(by_blocks, labels)
    assert same == pytest.approx(costs, abs=1e-10)


def agreed_groups(sizes, n_clusterings=6):
    """Clusterings that agree on groups; each group is a component of every graph of the objects."""
    return np.tile(np.repeat(np.arange(len(sizes)), sizes)[:, None], n_clusterings)


def separate_groups(n_groups, n=800, seed=0):
    """Ten clusterings of groups that no clustering joins, each divided at random into three; many profiles."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % n_groups
    labels = 3 * groups[:, None] + rng.integers(3, size=(n, 10))
    return labels[rng.permutation(n)]


@pytest.mark.parametrize("sizes", [(4, 5, 6), (1, 2, 3), (5, 5, 5, 5), (9, 1, 2, 4, 3)])
@pytest.mark.parametrize(
    "method",
    [
        lambda k: SpectralConsensus(k, random_state=0),
        lambda k: GWCA(k, random_state=0),
        lambda k: RCE(k, random_state=0),
        lambda k: ECPCS(k, variant="MC", random_state=0),
    ],
    ids=["SpectralConsensus", "GWCA", "RCE", "ECPCS"],
)
def test_fewer_clusters_than_agreed_groups_leave_none_empty(method, sizes):
    """Of equal eigenvalues LAPACK returns the vectors of some groups; the rows of the others are 0."""
    for k in range(2, len(sizes) + 1):
        for row in method(k).fit(agreed_groups(sizes)).restart_labels_:
            assert len(np.unique(row)) == k


@pytest.mark.parametrize("k", [2, 3, 5])
def test_groups_that_are_in_no_leading_eigenvector_have_rows_of_zeros(k):
    labels = separate_groups(8)
    ensemble = Ensemble(labels)
    assert ensemble.is_tall
    groups = labels[:, 0] // 3
    for rows in (
        embedding(ensemble.coassociation, ensemble.weights, k),
        mean_embedding(ensemble, np.full(10, 0.1), k, lambda: pytest.fail("the dense matrix is not needed")),
    ):
        is_zero = ~rows.any(axis=1)
        assert np.linalg.norm(rows[~is_zero], axis=1) == pytest.approx(1)
        assert len(np.unique(np.column_stack([groups, is_zero[ensemble.membership]]), axis=0)) == 8
        found, _ = discretize(rows, ensemble.weights, 6, np.random.default_rng(0))
        assert all(len(np.unique(start)) == k for start in found)


def test_rotation_starts_from_no_row_of_zeros():
    """With rows of zeros it is the program on the other rows, whichever of these is drawn first."""
    rng = np.random.default_rng(2)
    given = np.repeat(np.eye(4), 5, axis=0) + rng.normal(scale=0.1, size=(20, 4))
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    place = np.sort(rng.choice(50, size=20, replace=False))
    rows = np.zeros((50, 4))
    rows[place] = given
    labels, _ = discretize(rows, np.ones(50, dtype=np.int64), 40, np.random.default_rng(0))
    possible = {tuple(literal_discretisation(given, first)[0]) for first in range(20)}
    assert {tuple(start[place]) for start in labels} <= possible
    assert all(len(np.unique(start)) == 4 for start in labels)


def test_rows_of_rounding_noise_become_zero():
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [0.9e-13, 0.0], [0.0, -1.1e-13], [0.6e-13, 0.0], [0.0, 1.5e-13]])
    factors = np.array([1.0, 1.0, 1.0, 1.0, 2.0, 0.5])
    scale_to_unit_length(rows, factors)
    expected = [[0.6, 0.8], [0.0, 0.0], [0.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 0.0]]
    assert rows == pytest.approx(np.array(expected))


def noisy_rows(n=400, k=4):
    rng = np.random.default_rng(8)
    rows = np.eye(k)[rng.integers(k, size=n)] + 0.7 * rng.standard_normal((n, k))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), rng.integers(1, 5, size=n)


def test_labels_of_a_rotation_are_the_places_of_the_greatest_entries():
    rows, weights = noisy_rows()
    labels, costs, rotations = find_rotations(rows, weights, 6, np.random.default_rng(2))
    as_before, costs_before = discretize(rows, weights, 6, np.random.default_rng(2))
    assert np.array_equal(labels, as_before)
    assert np.array_equal(costs, costs_before)
    assert np.array_equal((rows @ rotations).argmax(axis=2), labels)


def test_labels_of_kmeans_are_the_nearest_centres():
    rows, weights = noisy_rows()
    labels, inertia, centres = kmeans_centres(rows, weights, 4, 5, np.random.default_rng(2), "k-means++")
    as_before, inertia_before = kmeans_restarts(rows, weights, 4, 5, np.random.default_rng(2), "k-means++")
    assert np.array_equal(labels, as_before)
    assert np.array_equal(inertia, inertia_before)
    distances = ((rows[None, :, None] - centres[:, None]) ** 2).sum(axis=3)
    assert np.array_equal(distances.argmin(axis=2), labels)

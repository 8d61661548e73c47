"""Stability of the consensus, against definitions over all pairs of objects and against R."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import silhouette_samples

from consclust import diagnostics
from consclust.diagnostics import (
    cluster_consensus,
    consensus_silhouette,
    consensus_values,
    cophenetic_correlation,
    delta_area,
    item_consensus,
    track_items,
)
from consclust.ensemble import Ensemble

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "diagnostics.json").read_text())
BY_K = ORACLE["ConsensusClusterPlus"]
EXACT = {"rtol": 1e-12, "atol": 1e-12}


@st.composite
def label_matrices(draw, missing=None):
    """Label matrices of 2 to 7 objects in 1 to 4 clusterings, some with missing labels, none without any."""
    shape = draw(st.tuples(st.integers(2, 7), st.integers(1, 4)))
    absent = draw(st.booleans()) if missing is None else missing
    labels = draw(hnp.arrays(np.int64, shape, elements=st.integers(-1 if absent else 0, 2)))
    labels[(labels < 0).all(axis=1), 0] = 0
    labels[0, (labels < 0).all(axis=0)] = 0
    return labels


def consensus_matrix(labels):
    """M by its definition, pair by pair."""
    n = len(labels)
    matrix = np.eye(n)
    for i, j in combinations(range(n), 2):
        both = (labels[i] >= 0) & (labels[j] >= 0)
        matrix[i, j] = matrix[j, i] = (labels[i] == labels[j])[both].mean() if both.any() else np.nan
    return matrix


def mean_of(values):
    """Mean of what is no NaN; NaN without any."""
    known = np.asarray(values)[~np.isnan(values)]
    return known.mean() if known.size else np.nan


def as_floats(values):
    return np.array([np.nan if value is None else value for value in np.ravel(values)]).reshape(np.shape(values))


@settings(max_examples=60, deadline=None)
@given(label_matrices())
def test_distribution_of_the_values_counts_every_pair(labels) -> None:
    values = squareform(consensus_matrix(labels), checks=False)
    found = consensus_values(labels)
    assert found.exact
    assert found.pairs.sum() == len(values)
    np.testing.assert_allclose(found.unseen, np.isnan(values).mean(), **EXACT)
    values = values[~np.isnan(values)]
    if len(values) == 0:
        assert np.isnan([found.area(), found.pac(), found.stable(), *found.cdf([0, 1])]).all()
        return
    at = np.linspace(0, 1, 13)
    np.testing.assert_allclose(found.cdf(at), [(values <= x).mean() for x in at], **EXACT)
    np.testing.assert_allclose(found.area(), 1 - values.mean(), **EXACT)
    np.testing.assert_allclose(found.pac(0.2, 0.7), ((values > 0.2) & (values <= 0.7)).mean(), **EXACT)
    np.testing.assert_allclose(found.stable(), np.isin(values, [0, 1]).mean(), **EXACT)
    np.testing.assert_allclose(found.stable(0.3), ((values <= 0.3) | (values >= 0.7)).mean(), **EXACT)


@settings(max_examples=60, deadline=None)
@given(label_matrices())
def test_pairs_are_counted_by_the_clusterings_that_join_and_contain_them(labels) -> None:
    found = consensus_values(labels)
    table = dict(zip(zip(found.joined.tolist(), found.containing.tolist(), strict=True), found.pairs, strict=True))
    expected: dict[tuple[int, int], int] = {}
    for i, j in combinations(labels, 2):
        both = (i >= 0) & (j >= 0)
        key = int((i == j)[both].sum()), int(both.sum())
        expected[key] = expected.get(key, 0) + 1
    assert table == expected


def test_blocks_and_samples_find_the_distribution(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((300, 9)) < 0.2, rng.integers(-1, 4, (300, 9)), np.arange(300)[:, None] % 4)
    exact = consensus_values(labels)
    monkeypatch.setattr("consclust.diagnostics.pairs.AT_ONCE", 1000)
    blocks = consensus_values(labels)
    np.testing.assert_array_equal(blocks.pairs, exact.pairs)
    sample = consensus_values(labels, most_pairs=0, sample=20_000, random_state=1)
    assert (exact.half_width(), sample.exact, sample.pairs.sum()) == (0, False, 20_000)
    at = np.linspace(0, 1, 101)
    apart = np.abs(sample.cdf(at) - exact.cdf(at)).max()
    assert 0 < apart <= sample.half_width(0.999) < 0.02


def test_area_in_bins_counts_to_their_upper_edges() -> None:
    labels = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1]])  # values 2/3, 1/3, 2/3
    found = consensus_values(labels)
    assert found.area(bins=3) == pytest.approx((1 / 3 + 1 + 1) / 3)
    assert found.area(bins=1) == 1


@settings(max_examples=60, deadline=None)
@given(label_matrices(), st.integers(1, 3))
def test_item_and_cluster_consensus_are_means_over_pairs(labels, n_clusters) -> None:
    matrix, clusters = consensus_matrix(labels), np.arange(len(labels)) % n_clusters
    items = item_consensus(labels, clusters)
    n_clusters = items.shape[1]
    for i in range(len(labels)):
        for c in range(n_clusters):
            others = [j for j in range(len(labels)) if clusters[j] == c and j != i]
            np.testing.assert_allclose(items[i, c], mean_of(matrix[i, others]), **EXACT)
    expected = []
    for c in range(n_clusters):
        members = np.flatnonzero(clusters == c)
        expected.append(mean_of([mean_of([matrix[i, j] for j in members if j != i]) for i in members]))
    np.testing.assert_allclose(cluster_consensus(items, clusters), expected, **EXACT)
    if 2 <= n_clusters < len(labels) and not np.isnan(matrix).any():
        silhouette = silhouette_samples(1 - matrix, clusters, metric="precomputed")
        np.testing.assert_allclose(consensus_silhouette(items, clusters), silhouette, atol=1e-9)


def test_sampled_item_consensus_is_near_the_exact_one() -> None:
    rng = np.random.default_rng(3)
    labels, clusters = rng.integers(-1, 3, (400, 8)), np.arange(400) % 3
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    exact = item_consensus(labels, clusters)
    np.testing.assert_allclose(item_consensus(labels, clusters, most_pairs=0, sample=400), exact, **EXACT)
    sample = item_consensus(labels, clusters, most_pairs=0, sample=100)
    apart = np.abs(sample - exact)
    assert 0 < apart.max() < diagnostics.half_width(100, 1 - 1e-5)


@settings(max_examples=60, deadline=None)
@example(np.array([[-1, 0], [0, -1], [0, 0], [0, 0]]))
@given(label_matrices())
def test_cophenetic_correlation_is_one_of_the_trees_that_ties_allow(labels) -> None:
    """It is SciPy's wherever no two merges of different profiles tie; an unseen pair has the mean distance."""
    distances = 1 - consensus_matrix(labels)
    unseen = np.isnan(distances)
    distances[unseen] = np.nan_to_num(mean_of(squareform(distances, checks=False)))
    condensed = squareform(distances, checks=False)
    tree = linkage(condensed, "average")
    found = cophenetic_correlation(labels)
    of_one_profile, apart = (labels[:, None] == labels).all(axis=2), condensed[condensed > 0]
    without_ties = len(np.unique(apart.round(9))) == len(apart) and (distances[~of_one_profile] > 0).all()
    if condensed.std() < 1e-9:
        assert np.isnan(found)
    elif without_ties:
        heights = cophenet(tree)
        if len(np.unique(tree[:, 2][tree[:, 2] > 0].round(9))) == (tree[:, 2] > 0).sum():
            assert found == pytest.approx(np.corrcoef(condensed, heights)[0, 1], abs=1e-9)
    if not np.isnan(found):
        assert found <= 1 + 1e-12


def test_cophenetic_correlation_of_profiles_with_many_objects() -> None:
    profiles = np.array(ORACLE["untied"]["labels"])
    labels = profiles[np.random.default_rng(5).integers(0, 10, 80)]
    condensed = squareform(1 - consensus_matrix(labels), checks=False)
    expected = np.corrcoef(condensed, cophenet(linkage(condensed, "average")))[0, 1]
    assert cophenetic_correlation(labels) == pytest.approx(expected, abs=1e-12)
    assert cophenetic_correlation(labels, most_profiles=9) != pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("oracle", BY_K, ids=lambda oracle: f"k={oracle['k']}")
def test_numbers_are_those_of_consensus_cluster_plus(oracle) -> None:
    labels, clusters = np.array(oracle["labels"]), np.array(oracle["consensus"])
    ensemble = Ensemble(labels)
    matrix = ensemble.expand(ensemble.coassociation)
    np.testing.assert_allclose(matrix, oracle["consensus_matrix"], **EXACT)
    values = consensus_values(ensemble)
    np.testing.assert_allclose(values.area(bins=100), oracle["area_100"], **EXACT)
    np.testing.assert_allclose(values.pac(), oracle["pac"], **EXACT)
    np.testing.assert_allclose(values.cdf([0, 0.25, 0.5, 0.75, 0.999]), oracle["cdf"], **EXACT)
    items = item_consensus(ensemble, clusters)
    np.testing.assert_allclose(items, as_floats(oracle["item_consensus"]), **EXACT)
    np.testing.assert_allclose(cluster_consensus(items, clusters), as_floats(oracle["cluster_consensus"]), **EXACT)
    np.testing.assert_allclose(consensus_silhouette(items, clusters), oracle["silhouette"], **EXACT)


def test_cophenetic_correlation_is_that_of_r() -> None:
    oracle = ORACLE["untied"]
    np.testing.assert_allclose(cophenetic_correlation(np.array(oracle["labels"])), oracle["cophenetic"], **EXACT)


def test_delta_area_is_that_of_consensus_cluster_plus() -> None:
    areas = [consensus_values(np.array(oracle["labels"])).area(bins=100) for oracle in BY_K]
    np.testing.assert_allclose(delta_area(areas), ORACLE["delta_area_100"], **EXACT)


def test_clusters_keep_their_names_over_k() -> None:
    two, three = np.array([0, 0, 0, 1, 1, 1]), np.array([2, 2, 2, 0, 0, 1])
    found = track_items([two, three, two, three])
    assert found.names.tolist() == [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 3]]
    np.testing.assert_allclose(found.moved, [np.nan, 1 / 6, 1 / 6, 1 / 6])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: consensus_values([[0]]), "at least two objects"),
        (lambda: cophenetic_correlation([[0]]), "at least two objects"),
        (lambda: consensus_values(np.eye(3, dtype=int)).pac(0.9, 0.1), "lower must be less"),
        (lambda: consensus_values(np.eye(3, dtype=int)).area(0), "at least 1"),
        (lambda: consensus_values(np.eye(3, dtype=int)).stable(0.5), "tolerance"),
        (lambda: item_consensus(np.eye(3, dtype=int), [0, 1]), "shape"),
        (lambda: item_consensus(np.eye(3, dtype=int), [0, 1, -1]), "missing"),
        (lambda: consensus_silhouette(np.ones((3, 1)), [0, 0, 0]), "two clusters"),
        (lambda: track_items([]), "no labeling"),
        (lambda: diagnostics.half_width(10, 1.0), "confidence"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()

"""CSPA against ClusterPack's integer graph and METIS' cut of it."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from consclust.ensemble import Ensemble
from consclust.errors import ConsensusFailure
from consclust.methods import CSPA
from consclust.methods.cspa import coassociation_graph
from consclust.numerics.partition import cut, scaled_integers, vertices_of
from consclust.testing import l30
from graphs import dense_graph

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "clusterpack.json").read_text())


def graph_of(labels, size=1):
    ensemble = Ensemble(labels)
    return coassociation_graph(ensemble, vertices_of(ensemble.membership, size))


def matrix(graph):
    dense = np.zeros((graph.n_vertices, graph.n_vertices), dtype=np.int64)
    dense[np.repeat(np.arange(graph.n_vertices), np.diff(graph.starts)), graph.neighbours] = graph.weights
    return dense


def test_l30_is_the_oracles_matrix():
    assert np.array_equal(Ensemble(l30()).labels, Ensemble(ORACLE["labels"]).labels)


def test_graph_is_clusterpacks():
    graph = matrix(graph_of(l30()))
    assert np.array_equal(graph, ORACLE["cspa"]["int_graph"])
    assert graph.sum() == ORACLE["cspa"]["int_sum"] == 99999900


def test_partition_is_that_of_metis():
    cspa = CSPA(3).fit(l30())
    assert cspa.cut_ == ORACLE["cspa"]["pymetis_cut"] == 19288838
    assert cspa.labels_.tolist() == ORACLE["cspa"]["pymetis_labels"]
    anmi = np.mean([normalized_mutual_info_score(c, cspa.labels_, average_method="geometric") for c in l30().T])
    assert anmi == pytest.approx(ORACLE["cspa"]["anmi"], abs=1e-12)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_graph_over_profiles_is_that_of_the_objects(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, size=(12, 3))[rng.integers(12, size=20)]
    labels[rng.random(labels.shape) < 0.2] = -1
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    together = sum((c[:, None] == c) & (c[:, None] >= 0) for c in labels.T).astype(float)
    np.fill_diagonal(together, 0)
    expected = scaled_integers(together, together.sum())
    graph = graph_of(labels)
    assert np.array_equal(matrix(graph), expected)
    assert all(np.array_equal(a, b) for a, b in zip(graph, dense_graph(expected), strict=True))


def test_cut_does_not_depend_on_the_names_of_clusters():
    assert CSPA(3).fit(40 - 5 * l30()).cut_ == CSPA(3).fit(l30()).cut_


@pytest.mark.parametrize(("n", "k"), [(30, 4), (31, 2), (103, 5), (200, 9)])
def test_clusters_have_nearly_equal_sizes(n, k):
    rng = np.random.default_rng(n)
    truth = np.sort(rng.integers(k, size=n) * rng.integers(2, size=n))  # half of the objects in class 0
    labels = np.stack([np.where(rng.random(n) < 0.2, rng.integers(k, size=n), truth) for _ in range(9)], 1)
    cspa = CSPA(k).fit(labels)
    sizes = np.bincount(cspa.labels_, minlength=k)
    assert np.abs(sizes - n / k).max() <= max(2, 0.2 * n / k), "class 0 is half of the objects"
    chance = rng.permutation(cspa.labels_)
    assert cspa.cut_ < cut(graph_of(labels), chance)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_edges_of_vertices_are_sums_over_their_objects(seed, size):
    """So a cut that keeps the objects of a vertex together weighs the same in both graphs."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, size=(6, 3))[rng.integers(6, size=30)]
    ensemble = Ensemble(labels)
    vertices = vertices_of(ensemble.membership, size)
    together = ensemble.expand(ensemble.counts)
    belongs = vertices.of_object[:, None] == np.arange(len(vertices.sizes))
    expected = belongs.T.astype(int) @ together @ belongs
    np.fill_diagonal(expected, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("consclust.numerics.partition.SCALE", 1)  # the counts stay as they are
        assert np.array_equal(matrix(coassociation_graph(ensemble, vertices)), expected)


def test_no_edge_is_lost_where_clusterpacks_scaling_loses_it(monkeypatch):
    """Edges of 1 and of 8: with too small a sum to scale to the former are rounded to 0."""
    scale = 2 * l30().size
    monkeypatch.setattr("consclust.numerics.partition.SCALE", scale)
    ensemble = Ensemble(l30())
    counts = ensemble.expand(ensemble.counts)
    np.fill_diagonal(counts, 0)
    assert (np.floor(counts * scale / counts.sum() + 0.5)[counts == 1] == 0).all()
    assert np.array_equal(matrix(graph_of(l30())), counts)
    monkeypatch.setattr("consclust.numerics.partition.MOST", scale)
    fewer = matrix(graph_of(l30()))
    assert np.array_equal(fewer > 0, counts > 0)
    assert np.abs(fewer - counts * scale / counts.sum())[counts > 0].max() <= 1


@pytest.mark.long
def test_a_hundred_thousand_objects():
    """300 profiles; all pairs of objects in a graph would be 10^10 edges, and ClusterPack's scaling would keep none."""
    rng = np.random.default_rng(0)
    classes = np.arange(300) % 4
    profiles = np.stack([np.where(rng.random(300) < 0.15, rng.integers(4, size=300), classes) for _ in range(10)], 1)
    rows = rng.permutation(np.arange(100_000) % 300)
    cspa = CSPA(4).fit(profiles[rows])
    assert adjusted_rand_score(classes[rows], cspa.labels_) > 0.95
    assert np.bincount(cspa.labels_) == pytest.approx(25_000, rel=0.02)
    assert cspa.cut_ > 0


def test_more_edges_than_metis_can_count_are_refused(monkeypatch):
    monkeypatch.setattr("consclust.methods.cspa.degrees", lambda ensemble, vertices: np.array([2**31]))
    with pytest.raises(ConsensusFailure, match="CSPA: 2147483648 edges"):
        CSPA(3).fit(l30())

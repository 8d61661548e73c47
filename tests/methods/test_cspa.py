"""CSPA against ClusterPack's integer graph and METIS' cut of it."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from concord.ensemble import Ensemble
from concord.methods import CSPA
from concord.methods.cspa import coassociation_graph
from concord.numerics.partition import cut, dense_graph, scaled_integers
from concord.testing import l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "clusterpack.json").read_text())


def matrix(graph):
    dense = np.zeros((graph.n_vertices, graph.n_vertices), dtype=np.int64)
    dense[np.repeat(np.arange(graph.n_vertices), np.diff(graph.starts)), graph.neighbours] = graph.weights
    return dense


def test_l30_is_the_oracles_matrix():
    assert np.array_equal(Ensemble(l30()).labels, Ensemble(ORACLE["labels"]).labels)


def test_graph_is_clusterpacks():
    graph = matrix(coassociation_graph(Ensemble(l30())))
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
    graph = coassociation_graph(Ensemble(labels))
    assert np.array_equal(matrix(graph), expected)
    assert all(np.array_equal(a, b) for a, b in zip(graph, dense_graph(expected), strict=True))


def test_cut_does_not_depend_on_the_names_of_clusters():
    assert CSPA(3).fit(l30() * -5 + 3).cut_ == CSPA(3).fit(l30()).cut_


@pytest.mark.parametrize(("n", "k"), [(30, 4), (31, 2), (103, 5), (200, 9)])
def test_clusters_have_nearly_equal_sizes(n, k):
    rng = np.random.default_rng(n)
    truth = np.sort(rng.integers(k, size=n) * rng.integers(2, size=n))  # half of the objects in class 0
    labels = np.stack([np.where(rng.random(n) < 0.2, rng.integers(k, size=n), truth) for _ in range(9)], 1)
    cspa = CSPA(k).fit(labels)
    sizes = np.bincount(cspa.labels_, minlength=k)
    assert np.abs(sizes - n / k).max() <= max(2, 0.2 * n / k), "class 0 is half of the objects"
    chance = rng.permutation(cspa.labels_)
    assert cspa.cut_ < cut(coassociation_graph(Ensemble(labels)), chance)

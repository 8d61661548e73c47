"""MCLA against ClusterPack's meta-graph, METIS' cut of it, and what the specification says of its weights."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import MCLA
from consclust.numerics.partition import cut, partition_graph, scaled_integers
from consclust.similarity import collapse, jaccard
from consclust.testing import l30
from graphs import dense_graph

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "clusterpack.json").read_text())
META = ORACLE["mcla"]
SIZES = np.array(ORACLE["hgpa"]["hyperedge_sizes"])
L30 = Ensemble(l30())


def oracles_order():
    """Column of our indicator for each cluster of the oracle, which has them by name."""
    labels, column = np.array(ORACLE["labels"]), []
    offsets = np.concatenate([[0], np.cumsum(L30.n_clusters)[:-1]])
    for raw, recoded, offset in zip(labels.T, L30.labels.T, offsets, strict=True):
        column += [offset + recoded[raw == name][0] for name in np.unique(raw)]
    return np.array(column)


def test_jaccard_and_meta_graph_are_clusterpacks():
    index = jaccard(L30)
    here = np.ix_(oracles_order(), oracles_order())
    expected = np.array(META["jaccard"])
    np.fill_diagonal(expected, 0)
    assert index[here] == pytest.approx(expected, abs=1e-15)
    assert np.array_equal(scaled_integers(index, index.sum())[here], META["int_graph"])


def test_vertex_weights_are_clusterpacks():
    assert scaled_integers(SIZES, SIZES.sum()).tolist() == META["vertex_weights_ints"]


def test_collapse_is_clusterpacks():
    indicator = L30.indicator[L30.membership][:, oracles_order()]
    association = collapse(indicator, np.array(META["fixed_meta"]) - 1, 3)
    expected = np.array(META["fixed_meta_assoc"]).T
    assert association == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("key", "weights"),
    [
        ("ints_vertex_weights", np.array(META["vertex_weights_ints"])),
        ("size_vertex_weights", SIZES),
        ("unit_vertex_weights", None),
    ],
)
def test_partition_is_that_of_metis(key, weights):
    expected = META["pymetis"][key]
    graph = dense_graph(np.array(META["int_graph"]))
    meta = partition_graph(graph, 3, weights)
    assert meta.tolist() == expected["meta"]
    assert cut(graph, meta) == expected["cut"]
    association = collapse(L30.indicator[L30.membership][:, oracles_order()], meta, 3)
    assert association[0] == pytest.approx(expected["assoc_row0"], abs=1e-15)
    assert association.argmax(axis=1).tolist() == expected["labels_lowest_index_tie"]


@pytest.mark.parametrize(("vertex_weight", "key"), [("size", "ints_vertex_weights"), ("unit", "unit_vertex_weights")])
def test_method_cuts_as_the_oracle(vertex_weight, key):
    """METIS sees the clusters in the order of their first objects, the oracle by name: parts may differ."""
    mcla = MCLA(3, vertex_weight=vertex_weight).fit(l30())
    expected = META["pymetis"][key]
    assert mcla.cut_ == pytest.approx(expected["cut"], rel=0.03)
    assert adjusted_rand_score(expected["labels_lowest_index_tie"], mcla.labels_) > 0.8


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_associations_share_out_the_labels(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, size=(15, 5))[rng.integers(15, size=25)]
    labels[rng.random(labels.shape) < 0.2] = -1
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    k = int(rng.integers(1, min(5, Ensemble(labels).n_profiles) + 1))
    ensemble = Ensemble(labels, missing="ignored")
    mcla = MCLA(k).fit(ensemble)
    members = np.bincount(mcla.meta_labels_, minlength=k)
    assert mcla.association_.shape == (25, k)
    assert mcla.association_.min() >= 0
    assert mcla.association_.max() <= 1
    assert mcla.association_ @ members == pytest.approx((labels >= 0).sum(axis=1))
    own = mcla.association_[np.arange(25), mcla.labels_]
    assert np.array_equal(own, mcla.association_.max(axis=1))
    table = ensemble.indicator[ensemble.membership] @ np.eye(k)[mcla.meta_labels_]
    assert mcla.association_ == pytest.approx(table / np.maximum(members, 1))


def test_more_meta_clusters_than_clusters():
    mcla = MCLA(28).fit(l30())
    assert len(mcla.meta_labels_) == 25
    assert mcla.labels_.max() < 25


PATTERNS = [(80, 10, 10), (50, 50), (60, 40), (90, 10), (60, 30, 10), (12, 2, 1), (70, 15, 10, 5)]


@pytest.mark.parametrize("sizes", PATTERNS)
def test_unit_weights_recover_what_all_clusterings_agree_on(sizes):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    mcla = MCLA(len(sizes), vertex_weight="unit").fit(np.column_stack([truth] * 10))
    assert mcla.cut_ == 0
    assert adjusted_rand_score(truth, mcla.labels_) == 1


def test_size_weights_cut_a_clique_of_unequal_classes():
    """The specification's counter-example to ClusterPack's weights, with its cut."""
    truth = np.repeat([0, 1, 2], [80, 10, 10])
    mcla = MCLA(3).fit(np.column_stack([truth] * 10))
    assert mcla.cut_ == 10740730
    assert mcla.labels_.max() == 1, "one meta-cluster wins no object"


@pytest.mark.parametrize("sizes", [(50, 50), (60, 40), (90, 10)])
def test_size_weights_recover_two_classes(sizes):
    """Not 60/30/10: there it depends on the order of METIS' vertices (right for 6 of 8 relabellings)."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    mcla = MCLA(len(sizes)).fit(np.column_stack([truth] * 10))
    assert adjusted_rand_score(truth, mcla.labels_) == 1


def test_refuses_unknown_weights():
    with pytest.raises(ValueError, match="MCLA: vertex_weight = 'ints'"):
        MCLA(2, vertex_weight="ints").fit(l30())


def test_more_meta_clusters_may_leave_more_clusters_and_it_says_so():
    mcla = MCLA(n_clusters=2, n_meta_clusters=5).fit(L30)
    assert mcla.free_number
    assert mcla.labels_.max() >= 2
    assert "meta-clusters" in mcla.note_
    assert not MCLA(n_clusters=5, n_meta_clusters=5).fit(L30).own_note_


def test_fewer_meta_clusters_leave_fewer_clusters():
    two = MCLA(n_clusters=3, n_meta_clusters=2).fit(L30)
    assert np.array_equal(two.labels_, MCLA(n_clusters=2).fit(L30).labels_)
    assert two.association_.shape == (30, 2)

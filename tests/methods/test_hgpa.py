"""HGPA against ClusterPack's hypergraph and the reference partitions of Mt-KaHyPar."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import HGPA
from consclust.methods.hgpa import equivalent_imbalance, hypergraph_of
from consclust.numerics.partition import Hypergraph, cut_weight, km1, partition_hypergraph, scaled_integers, vertices_of
from consclust.testing import l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "clusterpack.json").read_text())
HGPA_ORACLE = ORACLE["hgpa"]


def oracles_nets():
    """Hyperedges in the oracle's order, by the clusters' names."""
    labels = np.array(ORACLE["labels"])
    return [np.flatnonzero(c == name) for c in labels.T for name in np.unique(c)]


@pytest.mark.parametrize("hyperedge_weight", ["unit", "size"])
def test_hypergraph_is_clusterpacks(hyperedge_weight):
    hypergraph = hypergraph_of(Ensemble(l30()), hyperedge_weight)
    assert hypergraph.n_vertices == 30
    assert sorted(map(tuple, hypergraph.nets)) == sorted(map(tuple, oracles_nets()))
    sizes = [len(net) for net in hypergraph.nets]
    assert sum(sizes) == 240
    assert sorted(sizes) == sorted(HGPA_ORACLE["hyperedge_sizes"])
    assert hypergraph.weights.tolist() == (sizes if hyperedge_weight == "size" else [1] * 25)


def test_sizes_are_clusterpacks_weights_but_for_a_common_factor():
    factor = int(scaled_integers(1, 240))
    assert factor == HGPA_ORACLE["entry_scale"]
    weights = factor * np.array(HGPA_ORACLE["hyperedge_sizes"])
    assert weights.tolist() == HGPA_ORACLE["clusterpack_hyperedge_weights"]


@pytest.mark.parametrize("key", sorted(HGPA_ORACLE["mtkahypar"]))
def test_partition_is_the_oracles(key):
    weight, preset = key.split("_", 1)
    expected = HGPA_ORACLE["mtkahypar"][key]
    nets = oracles_nets()
    weights = np.array([len(net) if weight == "size" else 1 for net in nets])
    hypergraph = Hypergraph(30, nets, weights)
    made = partition_hypergraph(hypergraph, 3, expected["eps"], preset)
    assert made.tolist() == expected["labels"]
    assert km1(hypergraph, made) == expected["km1"]
    hgpa = HGPA(3, hyperedge_weight=weight, imbalance=expected["eps"], preset=preset.lower(), n_init=1)
    assert hgpa.fit(l30()).km1_ == expected["km1"]
    assert (np.bincount(hgpa.labels_) <= (1 + expected["eps"]) * 10).all()


def test_imbalance_is_that_of_bisections_between_45_and_55():
    for k, epsilon in ((1, 0), (2, 0.1), (3, 0.163), (4, 0.21), (8, 0.331), (10, 0.372), (20, 0.51)):
        assert equivalent_imbalance(k) == pytest.approx(epsilon, abs=1e-3)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_no_cluster_is_larger_than_the_imbalance_allows(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(12, 40)), int(rng.integers(2, 6))
    labels = np.column_stack([np.arange(n), rng.integers(1, 5, size=(n, 4)) * rng.integers(2, size=(n, 1))])
    for imbalance in (None, 0.02):
        sizes = np.bincount(HGPA(k, imbalance=imbalance, n_init=1).fit_predict(labels))
        epsilon = equivalent_imbalance(k) if imbalance is None else imbalance
        assert sizes.max() <= (1 + epsilon) * np.ceil(n / k)


def test_missing_labels_are_in_no_hyperedge():
    labels = l30()
    labels[np.arange(30), np.arange(30) % 8] = -1
    nets = hypergraph_of(Ensemble(labels), "unit").nets
    assert sum(len(net) for net in nets) == 210
    names = [c == name for c in labels.T for name in np.unique(c) if name >= 0]
    assert sorted(map(tuple, nets)) == sorted(tuple(np.flatnonzero(name)) for name in names)


def test_keeps_the_best_of_its_orders_and_starts_from_the_given_one():
    hypergraph = hypergraph_of(Ensemble(l30()), "unit")
    hgpa = HGPA(3, random_state=0, n_init=10).fit(l30())
    costs = [km1(hypergraph, labels) for labels in hgpa.restart_labels_]
    assert len(costs) == 10
    assert hgpa.km1_ == min(costs) == costs[hgpa.chosen_] == 29 < max(costs)
    given_order = HGPA(3, n_init=1).fit(l30())
    assert np.array_equal(given_order.labels_, hgpa.restart_labels_[0])
    again = HGPA(3, random_state=0, n_init=10).fit(l30())
    assert np.array_equal(again.restart_labels_, hgpa.restart_labels_)


def test_km1_in_size_counts_objects():
    """Two clusters of 20 objects, one of 4 across them, and singletons, which no cut touches."""
    large = np.repeat([0, 1], [20, 20])
    across = np.where((np.arange(40) >= 18) & (np.arange(40) < 22), 0, -1)
    ensemble = Ensemble(np.column_stack([large, np.arange(40), across]))
    unit, size = hypergraph_of(ensemble, "unit"), hypergraph_of(ensemble, "size")
    assert (km1(unit, large), km1(size, large)) == (1, 4)
    odd = np.tile([0, 1], 20)
    assert (km1(unit, odd), km1(size, odd)) == (3, 44)


@pytest.mark.parametrize("hyperedge_weight", ["unit", "size"])
def test_finds_equal_classes_that_the_clusterings_agree_on(hyperedge_weight):
    truth = np.repeat(np.arange(4), 9)
    hgpa = HGPA(4, hyperedge_weight=hyperedge_weight, random_state=0).fit(np.column_stack([truth] * 3))
    assert adjusted_rand_score(truth, hgpa.labels_) == 1
    assert hgpa.km1_ == 0


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("hyperedge_weight", "ints"), ("imbalance", 0), ("imbalance", "0.1"), ("preset", "default"), ("n_init", 0)],
)
def test_refuses_parameters_out_of_range(parameter, value):
    with pytest.raises(ValueError, match=f"HGPA: {parameter} = "):
        HGPA(2, **{parameter: value}).fit(l30())


@pytest.mark.parametrize("hyperedge_weight", ["unit", "size"])
def test_vertices_of_several_objects_keep_km1(hyperedge_weight):
    labels = np.repeat(l30(), np.arange(30) % 7 + 1, axis=0)
    ensemble = Ensemble(labels)
    vertices = vertices_of(ensemble.membership, 3)
    parts = np.random.default_rng(0).integers(3, size=len(vertices.sizes))
    grouped = hypergraph_of(ensemble, hyperedge_weight, vertices)
    assert len(labels) == grouped.vertex_weights.sum() > grouped.n_vertices
    assert km1(grouped, parts) == km1(hypergraph_of(ensemble, hyperedge_weight), parts[vertices.of_object])
    hgpa = HGPA(3, hyperedge_weight=hyperedge_weight, random_state=0).fit(labels)
    assert hgpa.km1_ == km1(hypergraph_of(ensemble, hyperedge_weight), hgpa.labels_)


@pytest.mark.parametrize("imbalance", [0.01, 0.1, None])
def test_profiles_of_most_objects_are_divided_as_balance_requires(imbalance):
    """Two profiles have nine tenths of the objects, so that each must go to several of five clusters."""
    labels = np.repeat(l30()[:12], [800, 1000, *[20] * 10], axis=0)
    sizes = np.bincount(HGPA(5, imbalance=imbalance, n_init=1).fit_predict(labels))
    assert sizes.max() <= (1 + (imbalance or equivalent_imbalance(5))) * 400


def test_a_hundred_thousand_objects_are_few_vertices():
    """The cut is at least as good as that into the classes."""
    truth, labels = hundred_thousand()
    hgpa = HGPA(4, n_init=1).fit(labels)
    assert 0 < hgpa.km1_ <= km1(hypergraph_of(Ensemble(labels), "unit"), truth)
    assert np.bincount(hgpa.labels_).max() <= (1 + equivalent_imbalance(4)) * 25_000


def hundred_thousand():
    """Four equal classes in one of a thousand places each; six clusterings of the places, each a tenth wrong."""
    rng = np.random.default_rng(0)
    truth = np.arange(1000) % 4
    places = [np.where(rng.random(1000) < 0.1, rng.integers(4, size=1000), truth) for _ in range(6)]
    return np.tile(truth, 100), np.tile(np.column_stack(places), (100, 1))


def test_recursive_bisection_of_objects_finds_the_agreed_groups_and_counts_what_it_cuts() -> None:
    truth = np.random.default_rng(0).permutation(np.arange(40) % 4)
    labels = np.column_stack([truth, (truth + 1) % 4, truth // 2])
    found = HGPA(4, random_state=0, partition="recursive").fit(labels)
    assert adjusted_rand_score(truth, found.labels_) == 1
    assert (found.cut_, found.km1_) == (2, 2)  # the two clusters of the last clustering, each in two


def test_the_chosen_start_cuts_the_least_weight() -> None:
    ensemble = Ensemble(np.random.default_rng(1).integers(0, 3, (60, 6)))
    found = HGPA(3, random_state=0, partition="recursive", n_init=4).fit(ensemble)
    hypergraph = hypergraph_of(ensemble, "unit")
    cuts = [cut_weight(hypergraph, labels) for labels in found.restart_labels_]
    assert found.cut_ == min(cuts) == cuts[found.chosen_]


def test_an_imbalance_goes_with_the_direct_partition_alone() -> None:
    with pytest.raises(ValueError, match="imbalance"):
        HGPA(2, partition="recursive", imbalance=0.2).fit([[0], [1]])

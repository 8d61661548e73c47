"""Partitions by METIS and Mt-KaHyPar, and their costs."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from consclust.methods import CSPA, HGPA, MCLA
from consclust.numerics import partition
from consclust.numerics.partition import (
    Hypergraph,
    cut,
    edge_weights,
    graph_of_rows,
    km1,
    partition_graph,
    partition_hypergraph,
    reordered,
    scaled_integers,
    vertices_of,
)
from consclust.testing import l30
from graphs import dense_graph

seeds = st.integers(0, 2**32 - 1)


def random_weights(rng, n):
    """Symmetric whole weights, about half of them 0, with a diagonal that must not count."""
    upper = np.triu(rng.integers(0, 9, size=(n, n)) * rng.integers(0, 2, size=(n, n)))
    return upper + upper.T


def random_hypergraph(rng, n):
    nets = [np.sort(rng.permutation(n)[: rng.integers(1, n + 1)]) for _ in range(rng.integers(1, 9))]
    return Hypergraph(n, nets, rng.integers(1, 9, size=len(nets)))


def chain_of_cliques(sizes):
    """Cliques of weight 10, each joined to the next by one edge of weight 1."""
    block = np.repeat(np.arange(len(sizes)), sizes)
    weights = 10 * (block[:, None] == block)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    for a, b in pairwise(first):
        weights[a, b] = weights[b, a] = 1
    return weights, block


def test_scaling_rounds_halves_up_and_bears_a_sum_of_zero():
    assert scaled_integers([0, 1, 3, 5], 2e8).tolist() == [0, 1, 2, 3]
    assert scaled_integers([1, 1, 1], 3).tolist() == [33333333] * 3
    assert scaled_integers(np.zeros((2, 2)), 0).tolist() == [[0, 0], [0, 0]]


def test_edges_are_clusterpacks_until_the_least_would_be_lost():
    counts = np.array([0, 1, 2, 20])
    assert edge_weights(counts, 2e8).tolist() == scaled_integers(counts, 2e8).tolist() == [0, 1, 1, 10]
    assert scaled_integers(counts, 2e8 + 2).tolist() == [0, 0, 1, 10]
    assert edge_weights(counts, 2e8 + 2).tolist() == edge_weights(counts, 1e9).tolist() == [0, 1, 2, 20]
    assert edge_weights(counts, 4e9).tolist() == [0, 1, 1, 5]
    assert edge_weights(counts, 0).tolist() == [0, 0, 0, 0]


@given(seeds, st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_vertices_are_as_large_as_they_may_be_and_of_one_profile(seed, size):
    rng = np.random.default_rng(seed)
    membership = np.unique(rng.integers(5, size=20), return_inverse=True)[1]
    vertices = vertices_of(membership, size)
    assert np.array_equal(vertices.profiles[vertices.of_object], membership)
    assert np.array_equal(np.bincount(vertices.of_object), vertices.sizes)
    assert len(vertices.sizes) == sum(-(-weight // size) for weight in np.bincount(membership))
    assert vertices.sizes.max() <= size
    assert np.array_equal(
        np.unique(vertices.of_object, return_index=True)[1],
        sorted(np.flatnonzero(vertices.of_object == v)[0] for v in range(len(vertices.sizes))),
    )
    if size == 1:
        assert np.array_equal(vertices.of_object, np.arange(20))
        assert vertices.weights is None


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_cut_is_the_weight_between_parts(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    weights, parts = random_weights(rng, n), rng.integers(3, size=n)
    graph = dense_graph(weights)
    assert cut(graph, parts) == sum(weights[a, b] for a in range(n) for b in range(a) if parts[a] != parts[b])
    assert (graph.weights > 0).all()
    assert all(v not in graph.row(v)[0] for v in range(n))


@given(seeds, st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_a_graph_is_the_same_from_any_blocks_of_rows(seed, size):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    weights = random_weights(rng, n)
    np.fill_diagonal(weights, 0)
    blocks = ((slice(first, first + size), weights[first : first + size]) for first in range(0, n, size))
    for part, expected in zip(graph_of_rows(blocks, n, weights.size), dense_graph(weights), strict=True):
        assert part.tolist() == expected.tolist()


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_km1_counts_parts_beyond_the_first_in_any_order_of_the_vertices(seed):
    rng = np.random.default_rng(seed)
    hypergraph = random_hypergraph(rng, 10)
    parts, order = rng.integers(4, size=10), rng.permutation(10)
    expected = sum(
        w * (len({parts[v] for v in net}) - 1) for net, w in zip(hypergraph.nets, hypergraph.weights, strict=True)
    )
    assert km1(hypergraph, parts) == expected
    renamed = reordered(hypergraph, order)
    assert km1(renamed, parts[order]) == expected
    assert [sorted(order[net].tolist()) for net in renamed.nets] == [net.tolist() for net in hypergraph.nets]


@pytest.mark.parametrize("n_parts", [1, 2, 3, 4])
def test_partitioners_find_cliques_and_print_nothing(n_parts, capfd):
    weights, block = chain_of_cliques([7] * n_parts)
    shuffled = np.random.default_rng(1).permutation(len(block))
    graph = dense_graph(weights[np.ix_(shuffled, shuffled)])
    nets = [np.flatnonzero(block[shuffled] == b) for b in range(n_parts)]
    hypergraph = Hypergraph(len(block), nets, np.ones(n_parts, dtype=np.int64))
    parts = partition_graph(graph, n_parts)
    assert adjusted_rand_score(block[shuffled], parts) == 1
    assert cut(graph, parts) == n_parts - 1, "the edges that join the cliques"
    for _ in range(2):  # a second initialisation would make it print
        found = partition_hypergraph(hypergraph, n_parts, 0.1, "DETERMINISTIC")
        assert adjusted_rand_score(block[shuffled], found) == 1
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
def test_the_fast_preset_is_mtkahypars_but_for_the_runs(monkeypatch):
    """So a preset that changes with a version of Mt-KaHyPar does not go unseen."""
    rng = np.random.default_rng(0)
    labels = rng.integers(8, size=(1500, 15)) + rng.integers(2, size=(1500, 1))
    nets = [np.flatnonzero(column == label) for column in labels.T for label in range(9)]
    hypergraph = Hypergraph(1500, nets, rng.integers(1, 9, size=len(nets)))

    expected = partition_hypergraph(hypergraph, 3, 0.05, "DETERMINISTIC")
    assert not np.array_equal(partition_hypergraph(hypergraph, 3, 0.05, "DETERMINISTIC_FAST"), expected)
    monkeypatch.setattr(partition, "FAST", partition.FAST.replace("i-runs=5", "i-runs=20"))
    assert np.array_equal(partition_hypergraph(hypergraph, 3, 0.05, "DETERMINISTIC_FAST"), expected)


@pytest.mark.parametrize(("module", "method"), [("pymetis", CSPA), ("pymetis", MCLA), ("mtkahypar", HGPA)])
def test_an_absent_partitioner_is_an_import_error(module, method, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=module):
        method(3).fit(l30())


PROGRAM = """
import numpy as np
from consclust_studies.stages.consensus import measure_peak_mib
from consclust.methods import CSPA
rng = np.random.default_rng(0)
truth = rng.integers(3, size=2000)
wrong, noise = rng.random((2000, 20)) < 0.3, rng.integers(3, size=(2000, 20))
labels = np.where(wrong, noise, truth[:, None])
CSPA(10).fit(labels)
print(measure_peak_mib() / 1024)
"""


@pytest.mark.long
def test_two_thousand_objects_take_less_than_half_a_gibibyte():
    """Three clusters to a clustering: practically all pairs are edges. CSPA, whose graph is the largest."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert 0.1 < float(done.stdout) < 0.5

"""Partitions, their costs, and the spectral bisection that stands in for METIS and Mt-KaHyPar."""

import os
import subprocess
import sys
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score
from test_contract import L30_CLASSES, l30

from concord.methods import CSPA, HGPA, MCLA, partition
from concord.methods.partition import (
    Hypergraph,
    bisect_graph,
    bisect_hypergraph,
    cut,
    dense_graph,
    km1,
    partition_graph,
    partition_hypergraph,
    reordered,
    scaled_integers,
    spectral_order,
    split,
)

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


@pytest.fixture
def _no_partitioners(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    monkeypatch.setitem(sys.modules, "mtkahypar", None)


def test_scaling_rounds_halves_up_and_bears_a_sum_of_zero():
    assert scaled_integers([0, 1, 3, 5], 2e8).tolist() == [0, 1, 2, 3]
    assert scaled_integers([1, 1, 1], 3).tolist() == [33333333] * 3
    assert scaled_integers(np.zeros((2, 2)), 0).tolist() == [[0, 0], [0, 0]]


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


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_km1_counts_parts_beyond_the_first_in_any_order_of_the_vertices(seed):
    rng = np.random.default_rng(seed)
    hypergraph = random_hypergraph(rng, 10)
    parts, order = rng.integers(4, size=10), rng.permutation(10)
    expected = sum(
        w * (len({parts[v] for v in net}) - 1)
        for net, w in zip(hypergraph.nets, hypergraph.weights, strict=True)
    )
    assert km1(hypergraph, parts) == expected
    renamed = reordered(hypergraph, order)
    assert km1(renamed, parts[order]) == expected
    assert [sorted(order[net].tolist()) for net in renamed.nets] == [net.tolist() for net in hypergraph.nets]


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_costs_of_the_splits_of_a_line_are_cuts(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    line = rng.permutation(n)[: rng.integers(2, n + 1)]
    weights, hypergraph = random_weights(rng, n), random_hypergraph(rng, n)
    cuts = partition._cuts(dense_graph(weights), line)
    net_cuts = partition._net_cuts(hypergraph, line)
    assert len(cuts) == len(net_cuts) == len(line) - 1
    for at in range(1, len(line)):
        left, right = line[:at], line[at:]
        assert cuts[at - 1] == weights[np.ix_(left, right)].sum()
        assert net_cuts[at - 1] == sum(
            w
            for net, w in zip(hypergraph.nets, hypergraph.weights, strict=True)
            if set(net) & set(left) and set(net) & set(right)
        )


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_a_split_is_the_cheapest_that_balances(seed):
    rng = np.random.default_rng(seed)
    n_parts = int(rng.integers(2, 6))
    n = int(rng.integers(n_parts + 1, 20))
    left = n_parts // 2
    weights, costs = rng.integers(1, 9, size=n), rng.integers(0, 9, size=n - 1)
    at = split(weights, costs, left, n_parts, 0.1)
    share = np.array([left, n_parts - left]) / n_parts * weights.sum()

    def sides(i):
        return np.array([weights[:i].sum(), weights[i:].sum()])

    legal = [i for i in range(1, n) if i >= left and n - i >= n_parts - left]
    nearest = min(abs(sides(i)[0] - share[0]) for i in legal)
    fair = [
        i
        for i in legal
        if (sides(i) <= 1.1 * share + 1e-9).all() or abs(sides(i)[0] - share[0]) <= nearest + 1e-9
    ]
    assert at in fair
    assert costs[at - 1] == min(costs[i - 1] for i in fair)


def test_spectral_order_keeps_components_and_clusters_together():
    weights, block = chain_of_cliques([4, 3, 5])
    apart = np.zeros((14, 14), dtype=int)
    apart[2:, 2:] = weights  # two lone vertices before it
    order = spectral_order(csr_array(apart))
    assert sorted(order[12:].tolist()) == [0, 1], "the largest component first"
    along = block[order[:12] - 2]
    assert (np.diff(along) != 0).sum() == 2, "every clique is one run"


@pytest.mark.parametrize("n_parts", [2, 3, 4])
def test_bisection_finds_cliques(n_parts):
    weights, block = chain_of_cliques([7] * n_parts)
    shuffled = np.random.default_rng(1).permutation(len(block))
    graph = dense_graph(weights[np.ix_(shuffled, shuffled)])
    unit = np.ones(len(block), dtype=np.int64)
    parts = bisect_graph(graph, n_parts, unit, 1e-3)
    assert adjusted_rand_score(block[shuffled], parts) == 1
    metis = partition_graph(graph, n_parts)
    assert metis.partitioner == "pymetis"
    assert cut(graph, parts) == cut(graph, metis.parts)


def test_bisection_chooses_the_end_for_the_smaller_part():
    """A third of the vertices may be cut off a path at either end; only one end is cheap."""
    chain = np.array([9, 9, 9, 9, 9, 1, 9, 9])
    for weights in (chain, chain[::-1]):
        path = np.diag(weights, 1) + np.diag(weights, -1)
        parts = bisect_graph(dense_graph(path), 3, np.ones(9, dtype=np.int64), 1e-3)
        assert sorted(np.bincount(parts)) == [3, 3, 3]
        assert cut(dense_graph(path), parts) == 10


def test_bisection_balances_the_weights_of_the_vertices():
    path = np.diag(np.full(5, 3), 1) + np.diag(np.full(5, 3), -1)
    parts = bisect_graph(dense_graph(path), 2, np.array([5, 1, 1, 1, 1, 1]), 1e-3)
    assert (parts == parts[0]).tolist() == [True] + [False] * 5


def test_lanczos_and_dense_eigenvectors_cut_alike(monkeypatch):
    weights, block = chain_of_cliques([15, 17, 16, 14])
    shuffled = np.random.default_rng(2).permutation(len(block))
    weights, block = weights[np.ix_(shuffled, shuffled)], block[shuffled]
    unit = np.ones(len(block), dtype=np.int64)
    dense = bisect_graph(dense_graph(weights), 4, unit, 0.15)
    monkeypatch.setattr(partition, "DENSE", 10)
    assert adjusted_rand_score(dense, bisect_graph(dense_graph(weights), 4, unit, 0.15)) == 1
    assert adjusted_rand_score(block, dense) == 1


def test_lanczos_finds_the_second_eigenvector():
    weights, _ = chain_of_cliques([15, 17, 16, 14])
    degree = weights.sum(axis=1)
    normalized = weights / np.sqrt(np.outer(degree, degree))
    second = np.linalg.eigh(normalized)[1][:, -2]
    assert abs(second @ partition._lanczos(csr_array(normalized))) == pytest.approx(1, abs=1e-9)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_bisection_fills_every_part_and_keeps_the_balance(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    n_parts = int(rng.integers(1, n + 1))
    graph = dense_graph(random_weights(rng, n))
    sizes = np.bincount(bisect_graph(graph, n_parts, np.ones(n, dtype=np.int64), 1e-3), minlength=n_parts)
    assert sizes.max() - sizes.min() <= 1 + np.log2(n_parts)
    assert sizes.min() >= 1
    hypergraph = random_hypergraph(rng, n)
    sizes = np.bincount(bisect_hypergraph(hypergraph, n_parts, 0.2), minlength=n_parts)
    assert len(sizes) == n_parts
    assert sizes.min() >= 1


def test_imbalance_is_that_of_the_whole_not_of_each_bisection():
    rng = np.random.default_rng(0)
    for _ in range(5):
        block = np.sort(rng.integers(8, size=240) * rng.integers(2, size=240))
        nets = [np.flatnonzero(block == b) for b in range(8)]
        nets += [rng.permutation(240)[:3] for _ in range(100)]
        hypergraph = Hypergraph(240, nets, np.ones(len(nets), dtype=np.int64))
        assert np.bincount(bisect_hypergraph(hypergraph, 8, 0.331)).max() <= 1.331 * 30


def test_bisection_leaves_parts_empty_where_vertices_are_too_few():
    graph = dense_graph(np.ones((3, 3), dtype=int))
    assert sorted(bisect_graph(graph, 5, np.ones(3, dtype=np.int64), 1e-3)) == [0, 1, 2]


def test_partitioners_are_silent_where_they_are(capfd):
    graph = dense_graph(chain_of_cliques([4, 4])[0])
    hypergraph = random_hypergraph(np.random.default_rng(0), 12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert partition_graph(graph, 2).partitioner == "pymetis"
        for _ in range(2):  # a second initialisation would make it print
            assert partition_hypergraph(hypergraph, 2, 0.1, "DETERMINISTIC").partitioner == "mtkahypar"
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("_no_partitioners")
def test_the_stand_in_says_so_also_for_one_part():
    graph = dense_graph(chain_of_cliques([4, 4])[0])
    hypergraph = random_hypergraph(np.random.default_rng(0), 12)
    for n_parts in (1, 2):
        with pytest.warns(RuntimeWarning, match="METIS .*pymetis.* spectral bisection stands in"):
            assert partition_graph(graph, n_parts).partitioner == "spectral bisection"
        with pytest.warns(RuntimeWarning, match=r"Mt-KaHyPar .*mtkahypar.* spectral bisection stands in"):
            made = partition_hypergraph(hypergraph, n_parts, 0.1, "DETERMINISTIC")
        assert made.partitioner == "spectral bisection"
        assert set(made.parts) == set(range(n_parts))


@pytest.mark.usefixtures("_no_partitioners")
@pytest.mark.parametrize("method", [CSPA, HGPA, MCLA])
class TestMethodsWithoutPartitioners:
    def test_announce_it(self, method):
        with pytest.warns(RuntimeWarning, match="spectral bisection"):
            fitted = method(3).fit(l30())
        assert fitted.partitioner_ == "spectral bisection"
        assert fitted.restart_labels_.shape == (1, 30)
        assert adjusted_rand_score(L30_CLASSES, fitted.labels_) > 0.5

    @pytest.mark.filterwarnings("ignore:.*spectral bisection")
    @pytest.mark.parametrize("n_clusters", [1, 2, 5, 28])
    def test_label_every_object(self, method, n_clusters):
        labels = l30()
        labels[np.arange(30), np.arange(30) % 8] = -1
        for matrix in (l30(), labels):
            found = method(n_clusters).fit_predict(matrix)
            assert sorted(set(found.tolist())) == list(range(found.max() + 1))
            assert found.max() < n_clusters

    @pytest.mark.filterwarnings("ignore:.*spectral bisection")
    @pytest.mark.parametrize("size", [1, 5])
    def test_recover_identical_clusterings(self, method, size):
        truth = np.repeat(np.arange(3), size)
        found = method(3).fit_predict(np.column_stack([truth, 7 - truth, 2 * truth]))
        assert adjusted_rand_score(truth, found) == 1


PROGRAM = """
import sys, resource, numpy as np
if sys.argv[1] == "hidden":
    sys.modules["pymetis"] = sys.modules["mtkahypar"] = None
from concord.methods import registry
rng = np.random.default_rng(0)
n, k, n_clusters = map(int, sys.argv[3:])
truth = rng.integers(k, size=n)
labels = np.stack([np.where(rng.random(n) < 0.3, rng.integers(k, size=n), truth) for _ in range(20)], axis=1)
fitted = registry.load(sys.argv[2])(n_clusters).fit(labels)
print(fitted.partitioner_, fitted.labels_.tolist())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, file=sys.stderr)
"""


def run(threads, *arguments):
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


@pytest.mark.parametrize("method", ["CSPA", "HGPA", "MCLA"])
def test_the_stand_in_does_not_depend_on_threads(method):
    answers = {run(threads, "hidden", method, 700, 6, 5).stdout for threads in ("1", "2")}
    assert len(answers) == 1
    assert answers.pop().startswith("spectral bisection")


@pytest.mark.parametrize("partitioners", ["there", "hidden"])
def test_four_thousand_objects_take_less_than_a_gibibyte(partitioners):
    """Three clusters to a clustering: practically all pairs are edges. CSPA, whose graph is the largest."""
    gibibytes = float(run("1", partitioners, "CSPA", 4000, 3, 10).stderr)
    assert 0.1 < gibibytes < 1

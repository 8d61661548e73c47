"""Recursive bisection drops what it cuts, and keeps the sides in balance."""

import numpy as np
import pytest

from consclust.numerics.bisection import bisect_recursively
from consclust.numerics.partition import Hypergraph

PRESET = "DETERMINISTIC_FAST"


def hypergraph(n, nets, weights=None, vertex_weights=None):
    arrays = [np.array(net) for net in nets]
    return Hypergraph(n, arrays, np.array(weights or [1] * len(nets)), vertex_weights)


def random_nets(n, count, seed):
    rng = np.random.default_rng(seed)
    return [np.sort(rng.choice(n, size=rng.integers(2, n // 2), replace=False)) for _ in range(count)]


@pytest.mark.parametrize("n_parts", [1, 2, 3, 5, 8])
def test_groups_without_a_common_hyperedge_are_the_parts(n_parts) -> None:
    group = np.arange(12 * n_parts) % n_parts
    nets = [np.flatnonzero(group == g)[start : start + 8] for g in range(n_parts) for start in (0, 2, 4)]
    found = bisect_recursively(hypergraph(len(group), nets), n_parts, 0.05, PRESET)
    assert found.cut == 0
    assert len(np.unique(found.parts)) == n_parts
    assert all(len(np.unique(found.parts[group == g])) == 1 for g in range(n_parts))


@pytest.mark.parametrize("n_parts", [2, 3, 4, 7])
def test_the_cut_is_the_weight_of_the_hyperedges_in_several_parts(n_parts) -> None:
    nets = random_nets(40, 25, n_parts)
    weights = list(range(1, 26))
    found = bisect_recursively(hypergraph(40, nets, weights), n_parts, 0.05, PRESET)
    several = [len(np.unique(found.parts[net])) > 1 for net in nets]
    assert found.cut == np.array(weights)[several].sum()


@pytest.mark.parametrize(("n_parts", "n"), [(2, 41), (3, 60), (4, 64), (5, 100)])
def test_no_part_is_larger_than_bisections_of_45_to_55_allow(n_parts, n) -> None:
    found = bisect_recursively(hypergraph(n, random_nets(n, 30, n)), n_parts, 0.05, PRESET)
    sizes = np.bincount(found.parts, minlength=n_parts)
    assert sizes.min() > 0
    # a side has at most .05 more of what is cut than its share; one object more is rounding
    assert sizes.max() <= n / n_parts * 1.1 ** np.ceil(np.log2(n_parts)) * 1.1 + 1


def test_a_side_without_vertices_is_not_cut(monkeypatch) -> None:
    """One vertex for five parts leaves sides that have none."""
    seen = []

    def cut(side, left_share, slack, preset):
        seen.append(side.n_vertices)
        return np.zeros(side.n_vertices, dtype=bool)

    monkeypatch.setattr("consclust.numerics.bisection._bisect", cut)
    found = bisect_recursively(hypergraph(1, [[0]]), 5, 0.05, PRESET)
    assert (list(found.parts), found.cut, set(seen)) == ([0], 0, {1})


def test_a_hyperedge_that_was_cut_counts_no_more() -> None:
    """The first bisection must cut the long hyperedge; those after it see the pairs alone."""
    pairs = [[i, i + 1] for i in range(0, 16, 2)]
    everything = [list(range(16))]
    found = bisect_recursively(hypergraph(16, pairs + everything, [1] * 8 + [1000]), 4, 0.05, PRESET)
    assert found.cut == 1000
    assert all(found.parts[a] == found.parts[b] for a, b in pairs)


def test_weights_of_vertices_are_in_balance() -> None:
    vertex_weights = np.array([8, 1, 1, 1, 1, 1, 1, 1, 1])
    found = bisect_recursively(hypergraph(9, [[0, 1], [2, 3, 4]], vertex_weights=vertex_weights), 2, 0.05, PRESET)
    assert sorted(np.bincount(found.parts, weights=vertex_weights)) == [8, 8]


def test_more_parts_than_vertices_leave_some_empty() -> None:
    found = bisect_recursively(hypergraph(3, [[0, 1]]), 5, 0.05, PRESET)
    assert len(np.unique(found.parts)) == 3

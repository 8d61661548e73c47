"""The leading eigenvectors of a large graph against all of them."""

import numpy as np
import pytest

from consclust.numerics import eigen
from consclust.numerics.leading import leading


def normalized_graph(n, clusters, between):
    """Return D^-1/2 W D^-1/2 of a random graph with clusters."""
    random = np.random.default_rng(5)
    same = np.equal.outer(*[np.arange(n) % clusters] * 2)
    graph = random.random((n, n)) * np.where(same, 1, between)
    graph += graph.T
    root = 1 / np.sqrt(graph.sum(axis=1))
    return graph * np.outer(root, root)


@pytest.mark.parametrize("clusters", [1, 3, 6])
@pytest.mark.parametrize("between", [0.01, 0.5])
def test_they_are_those_among_all(monkeypatch, clusters, between):
    monkeypatch.setattr(eigen, "ALL", 10)
    monkeypatch.setattr(eigen, "leading", None)
    graph = normalized_graph(60, clusters, between)
    expected = np.linalg.eigh(graph)[1][:, ::-1][:, :4]
    assert np.abs(leading(graph, 4).T @ expected) == pytest.approx(np.eye(4), abs=1e-9)


@pytest.mark.parametrize("components", [3, 8, 20])
def test_the_largest_one_may_occur_often(monkeypatch, components):
    monkeypatch.setattr(eigen, "ALL", 10)
    graph = normalized_graph(60, components, 0)
    vectors = leading(graph, components)
    values, every = np.linalg.eigh(graph)
    assert values[-components:] == pytest.approx(1, abs=1e-12)
    assert vectors @ vectors.T == pytest.approx(every[:, -components:] @ every[:, -components:].T, abs=1e-9)


def test_a_matrix_with_a_larger_eigenvalue_is_left_to_others(monkeypatch):
    monkeypatch.setattr(eigen, "ALL", 10)
    graph = 3 * normalized_graph(40, 2, 0.3)
    expected = np.linalg.eigh(graph)[1][:, ::-1][:, :2]
    assert np.abs(leading(graph, 2).T @ expected) == pytest.approx(np.eye(2), abs=1e-9)

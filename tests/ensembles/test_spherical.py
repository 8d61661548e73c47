"""Base clusterings by spherical k-means, beside a plain reference."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris

from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from consclust.ensembles.spherical import lloyd, spherical_ensemble

IRIS = load_iris().data
NAMES = ("study", "iris")


def make(features=IRIS, seed=1, names=NAMES, **changes):
    protocol = KMeansProtocol(**{"n_clusters": 3, "runs": 6, "max_iter": 100} | changes)
    return spherical_ensemble(features, protocol, seed, names)


def unit(X):
    length = np.linalg.norm(X, axis=-1, keepdims=True)
    return X / np.where(length > 0, length, 1)


def reference(X, centres, max_iter):
    """The same, object by object."""
    labels, before, clusters = None, None, range(len(centres))
    for _ in range(max_iter):
        cosine = [[float(np.dot(x, centre)) for centre in centres] for x in X]
        labels = [row.index(max(row)) for row in cosine]
        if labels == before:
            break
        before, moved = labels, list(labels)
        far = sorted((i for i in range(len(X)) if X[i].any()), key=lambda i: cosine[i][labels[i]])
        for c, i in zip((c for c in clusters if c not in labels), far, strict=False):
            moved[i] = c
        sums = [sum((x for x, label in zip(X, moved, strict=True) if label == c), 0 * X[0]) for c in clusters]
        centres = [unit(total) for total in sums]
    return labels


def objective(X, labels):
    return sum(np.linalg.norm(X[labels == c].sum(axis=0)) for c in set(labels.tolist()))


@st.composite
def rows_and_centres(draw, zeros=0.3, least=1):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 25)), draw(st.integers(least, 6))
    X = unit(rng.normal(size=(n, d)) * (rng.random((n, d)) >= zeros))
    return X, X[rng.choice(n, draw(st.integers(1, n)), replace=False)]


@settings(max_examples=100, deadline=None)
@given(rows_and_centres(zeros=0.0, least=2), st.integers(1, 8))
def test_equal_the_plain_reference(found, max_iter):
    X, centres = found
    assert lloyd(X, centres, max_iter).tolist() == reference(X, centres, max_iter)


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(rows_and_centres())
def test_the_objective_never_falls(found):
    X, centres = found
    values = [objective(X, lloyd(X, centres, steps)) for steps in range(1, 12)]
    assert all(after >= before - 1e-9 for before, after in pairwise(values))


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["random", "k-means++"]))
def test_lengths_of_rows_do_not_matter(seed, init):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4))
    factors = 2.0 ** rng.integers(-8, 9, (30, 1))  # powers of 2 leave the last bits alone
    assert_array_equal(make(X, init=init), make(X * factors, init=init))


def test_every_run_is_a_fixed_point():
    X = unit(IRIS)
    for labels in make().T:
        centres = unit(np.stack([X[labels == c].sum(axis=0) for c in range(3)]))
        assert_array_equal((X @ centres.T).argmax(axis=1), labels)


def test_it_is_not_the_k_means_of_the_rows():
    protocol = KMeansProtocol(3, 6, 100)
    assert not np.array_equal(make(), kmeans_ensemble(IRIS, protocol, 1, NAMES))
    angles = np.repeat([0.1, 1.4], 20)[:, None]
    X = np.hstack([np.cos(angles), np.sin(angles)]) * np.linspace(1, 50, 40)[:, None]
    for labels in make(X, n_clusters=2).T:
        assert len(set(labels[:20])) == len(set(labels[20:])) == 1
        assert labels[0] != labels[20]


def test_sparse_features_stay_sparse_and_give_the_same_clusterings(monkeypatch):
    random = np.random.default_rng(0)
    counts = random.poisson(0.3, size=(60, 40)) * random.uniform(0.5, 1.5, size=(60, 40))  # no two distances are equal
    dense = make(counts, runs=3)
    for name in ("toarray", "todense"):
        densify = getattr(sparse.csr_array, name)

        def only_centres(self, *arguments, densify=densify, **keywords):
            assert self.shape[0] == 3, "the features were densified"
            return densify(self, *arguments, **keywords)

        monkeypatch.setattr(sparse.csr_array, name, only_centres)
    assert_array_equal(make(sparse.csr_array(counts), runs=3), dense)


def test_an_empty_cluster_takes_the_row_that_is_least_similar_to_its_centre():
    angles = np.array([0.0, 0.1, 0.2, 1.5])
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    labels = lloyd(X, np.stack([X[0], X[0]]), 100)
    assert labels[3] not in labels[:3]
    assert len(set(labels[:3])) == 1


def test_rows_of_zeros_are_no_centres():
    X = np.vstack([np.zeros((3, 2)), np.eye(2), np.eye(2)])
    labels = lloyd(X, X[[3, 3]], 100)
    assert labels[3] == labels[5] != labels[4] == labels[6]


def test_the_stream_belongs_to_seed_study_and_case_and_more_runs_change_no_earlier_one():
    once = {"n_clusters": 9, "max_iter": 1}
    assert_array_equal(make(runs=9, **once)[:, :6], make(runs=6, **once))
    for other in (make(seed=2, **once), make(names=("s", "iris"), **once), make(names=("study", "x"), **once)):
        assert not np.array_equal(make(**once), other)


def test_numbers_of_clusters():
    assert (make(n_clusters=(2, 5)).max(axis=0) + 1).tolist() == [2, 5] * 3
    k = make(IRIS[::2], runs=60, n_clusters="random-fine", max_iter=1).max(axis=0) + 1
    assert set(k.tolist()) == {5, 6, 7, 8}


def test_a_share_of_the_features_is_drawn_for_each_run():
    """The classes differ in the direction of one feature only, so a run has them just if that is among its own."""
    features = np.random.default_rng(0).normal(size=(60, 4))
    features[:, 2] = np.repeat([-1e3, 1e3], 30)

    def right(runs):
        return sum(len(set(run[:30])) == len(set(run[30:])) == 1 for run in runs.T.tolist())

    assert right(make(features, n_clusters=2)) == 6
    assert 8 <= right(make(features, runs=40, n_clusters=2, feature_share=0.5)) <= 32


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_first_centres_are_rows(init):
    labels = make(np.eye(5), n_clusters=5, init=init)
    assert all(sorted(run) == [0, 1, 2, 3, 4] for run in labels.T.tolist())

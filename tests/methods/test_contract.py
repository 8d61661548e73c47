"""What holds for every registered method; a new method is tested by being there."""

import contextlib
import inspect
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from concord import methods
from concord.ensemble import Ensemble, as_ensemble
from concord.errors import ConsensusFailure
from concord.methods import registry

METHODS = sorted(registry.available())
FED = [method for method in METHODS if registry.needs_features(method, {})]
L30_CLASSES = np.repeat(np.arange(3), 10)


def l30():
    """The 30 x 8 matrix of the specification: eight views of three classes, the second of them noise."""
    k = (3, 3, 3, 3, 3, 4, 4, 2)
    y = L30_CLASSES

    def label(p, j):
        if (7 * p + 11 * j + 3 * p * j) % 10 < 2:
            return (p + 2 * j) % k[j]
        if k[j] == 3:
            return (y[p] + j) % 3
        return (y[p] + int(y[p] == 2 and p % 2 == 1) + j) % 4 if k[j] == 4 else int(y[p] != 0)

    return np.array([[label(p, j) for j in range(8)] for p in range(30)])


def make(name, n_clusters, **parameters):
    known = registry.available()[name]
    if "random_state" in known:
        parameters.setdefault("random_state", 0)
    return registry.load(name)(n_clusters=n_clusters, **parameters)


def features_of(labels):
    """Features that show the clusters of the first clustering, whatever these are called."""
    first = as_ensemble(labels).labels[:, 0]
    ripple = 0.1 * np.sin(np.outer(np.arange(1, len(first) + 1), [3, 7]))
    return np.column_stack([*(first == cluster for cluster in range(-1, first.max() + 1)), ripple])


def fit(method, labels):
    return method.fit(labels, features_of(labels))


def fit_predict(method, labels):
    return method.fit_predict(labels, features_of(labels))


@pytest.fixture(params=METHODS)
def name(request):
    return request.param


def test_registry_agrees_with_the_classes(name):
    cls = getattr(methods, name)
    assert tuple(inspect.signature(cls).parameters) == registry.available()[name]
    assert cls.__doc__
    documented = cls.__doc__
    assert all(parameter in documented for parameter in registry.available()[name]), (
        "every parameter is documented"
    )
    assert name in dir(methods)


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 28])
def test_labels_are_integers_from_zero(name, n_clusters):
    method = fit(make(name, n_clusters), l30())
    labels = method.labels_
    assert labels.shape == (30,)
    assert labels.dtype.kind == "i"
    assert sorted(set(labels.tolist())) == list(range(labels.max() + 1))
    if method.free_number:
        assert bool(method.note_) == (labels.max() + 1 != n_clusters)
        return
    assert labels.max() < n_clusters
    if n_clusters == 1:
        assert not labels.any()


def test_finds_the_classes_of_l30(name):
    assert adjusted_rand_score(L30_CLASSES, fit_predict(make(name, 3), l30())) > 0.5


@pytest.mark.parametrize("sizes", [(5, 5, 5), (12, 2, 1), (1, 1, 1)])
def test_identical_clusterings_recover_themselves(name, sizes):
    if registry.load(name).balanced and len(set(sizes)) > 1:
        pytest.skip("forces clusters of nearly equal size")
    truth = np.repeat(np.arange(len(sizes)), sizes)
    labels = fit_predict(make(name, len(sizes)), np.column_stack([truth, 7 - truth, 2 * truth]))
    assert adjusted_rand_score(truth, labels) == 1


def test_one_clustering_recovers_itself(name):
    if name == "BCE":
        pytest.skip("one clustering does not identify its model; see the docstring")
    truth = np.array([0, 1, 1, 2, 2, 0])
    assert adjusted_rand_score(truth, fit_predict(make(name, 3), truth[:, None])) == 1


def test_one_cluster_only(name):
    assert fit_predict(make(name, 1), np.zeros((6, 3), dtype=int)).tolist() == [0] * 6
    with pytest.raises(ConsensusFailure, match="only 1 groups"):
        make(name, 2).fit(np.zeros((6, 3), dtype=int))


def test_one_object(name):
    assert fit_predict(make(name, 1), [[3, 4]]).tolist() == [0]


def test_more_clusters_than_profiles(name):
    with pytest.raises(ConsensusFailure, match=r"n_clusters = 29 .* only 28 groups"):
        make(name, 29).fit(l30())


def test_missing_labels_give_labels_for_every_object(name):
    labels = l30()
    labels[np.arange(30), np.arange(30) % 8] = -1
    found = fit_predict(make(name, 3), labels)
    assert found.min() == 0
    assert adjusted_rand_score(L30_CLASSES, found) > 0.4


def test_takes_lists_frames_and_ensembles_and_leaves_them_alone(name):
    labels = l30()
    before = labels.copy()
    expected = fit_predict(make(name, 3), labels)
    assert np.array_equal(labels, before)
    frame = pd.DataFrame(before)
    for same in (before.tolist(), frame, Ensemble(before), before.astype(float)):
        assert np.array_equal(fit_predict(make(name, 3), same), expected)
    assert np.array_equal(frame.to_numpy(), before)


def test_ignores_the_names_of_clusters(name):
    labels = l30()
    renamed = labels * -13 - 2 - np.arange(8)
    assert np.array_equal(fit_predict(make(name, 3), renamed), fit_predict(make(name, 3), labels))


def test_follows_the_objects_in_score(name):
    """Ties may break otherwise in another order of the objects, so it is the score that must hold."""
    labels = l30()
    order = np.random.default_rng(5).permutation(30)
    here = adjusted_rand_score(L30_CLASSES, fit_predict(make(name, 3), labels))
    there = adjusted_rand_score(L30_CLASSES[order], fit_predict(make(name, 3), labels[order]))
    assert there == pytest.approx(here, abs=0.25)


PROGRAM = """
import sys, numpy as np
from concord.methods import registry
given = np.load(sys.argv[1])
for name in map(str.strip, sys.stdin):
    seeded = {"random_state": 3} if "random_state" in registry.available()[name] else {}
    try:
        method = registry.load(name)(n_clusters=3, **seeded)
        answer = method.fit(given["labels"], given["features"]).restart_labels_.tolist()
    except Exception as broken:
        answer = repr(broken)
    print(answer, flush=True)
"""


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """Two processes, on one thread and on two, that fit each method whose name they read."""
    file = tmp_path_factory.mktemp("others") / "given.npz"
    np.savez(file, labels=l30(), features=features_of(l30()))
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, file],
                    env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for threads in ("1", "2")
        ]


def test_same_seed_same_labels_in_other_processes_and_threads(name, others):
    for process in others:
        print(name, file=process.stdin, flush=True)
    seeded = {"random_state": 3} if "random_state" in registry.available()[name] else {}
    here = fit(make(name, 3, **seeded), l30()).restart_labels_.tolist()
    assert [process.stdout.readline().strip() for process in others] == [str(here)] * 2


def test_keeps_the_conventions_of_estimators(name):
    method = make(name, 3)
    assert set(method.get_params()) == set(registry.available()[name])
    copy = clone(method)
    assert copy is not method
    assert copy.get_params() == method.get_params()
    assert copy.set_params(n_clusters=2).n_clusters == 2
    with pytest.raises(ValueError, match="no parameter 'n_cluster'"):
        copy.set_params(n_cluster=2)
    assert fit(method, l30()) is method
    assert np.array_equal(pickle.loads(pickle.dumps(method)).labels_, method.labels_)
    assert f"{name}(n_clusters=3" in repr(method)
    assert isinstance(method.n_iter_, int)
    assert isinstance(method.converged_, bool)
    assert np.array_equal(method.restart_labels_[method.chosen_], method.labels_)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[np.nan, 1.0], [0.0, 1.0]], "NaN"),
        (np.zeros((0, 3), dtype=int), "at least one"),
        ([0, 1, 1], "n objects x m clusterings"),
        ([["x", "y"]], "integers"),
    ],
)
def test_refuses_what_is_no_label_matrix(name, labels, message):
    with pytest.raises(ValueError, match=message):
        make(name, 1).fit(labels)


@pytest.mark.parametrize("n_clusters", [0, -1, 2.0, True, "3", None])
def test_refuses_a_number_of_clusters_that_is_none(name, n_clusters):
    with pytest.raises(ValueError, match="n_clusters = "):
        make(name, n_clusters).fit(l30())


@pytest.mark.parametrize("name", FED)
@pytest.mark.parametrize(
    ("features", "message"),
    [
        (None, r"fit\(labels, features\)"),
        (np.zeros((29, 2)), r"30 objects x d features.*\(29, 2\)"),
        (np.zeros(30), r"30 objects x d features.*\(30,\)"),
        (np.zeros((30, 0)), "d >= 1"),
        (np.full((30, 2), np.nan), "NaN"),
        (np.full((30, 2), "red"), "must be numbers"),
    ],
)
def test_a_method_that_needs_features_refuses_what_are_none(name, features, message):
    with pytest.raises(ValueError, match=rf"^{name}.*{message}"):
        make(name, 3).fit(l30(), features)


def test_registry_tells_whether_features_are_needed(name):
    assert registry.needs_features(name, {}) == make(name, 3).uses_features()

"""Base clusterings for a person: the rules of the studies, any clusterers, the same answer for any n_jobs."""

import importlib

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consclust import ensembles
from consclust.ensembles import generate
from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from consclust.methods import KC
from consclust.seeds import generator

X = load_iris().data
SMALL = X[::5]  # 30 objects


def test_the_functions_are_public_beside_the_modules_of_the_workflow():
    importlib.import_module("consclust.ensembles.kmeans")
    assert ensembles.kmeans is generate.kmeans


def test_a_run_is_that_of_the_studies_code():
    found = ensembles.kmeans(X, runs=3, n_clusters=4, random_state=7).given
    for run in range(3):
        expected = kmeans_ensemble(X, KMeansProtocol(4, 1, 100), 7, ("k-means", str(run)))
        assert np.array_equal(found[:, [run]], expected)


@pytest.mark.long
def test_rules_are_taken_in_turn():
    found = ensembles.kmeans(X, runs=7, n_clusters=("sqrt", 3, 2)).n_clusters
    assert found.tolist() == [12, 3, 2, 12, 3, 2, 12]
    drawn = ensembles.kmeans(X, runs=30, n_clusters="random", max_iter=1).n_clusters
    assert (drawn.min(), drawn.max()) == (2, 12)
    fine = ensembles.kmeans(X, runs=30, n_clusters="random-fine", max_iter=1).n_clusters
    assert (fine.min(), fine.max()) == (7, 12)


@pytest.mark.parametrize("algorithm", ["kmeans", "minibatch", "spherical"])
def test_more_runs_change_no_earlier_one(algorithm):
    few, more = (ensembles.kmeans(SMALL, runs, "random", algorithm=algorithm).given for runs in (3, 5))
    assert np.array_equal(few, more[:, :3])
    assert not np.array_equal(more[:, 3], more[:, 4])


def test_algorithms_differ_and_sparse_features_give_the_same_groups():
    lloyd, batches, cosine = (
        ensembles.kmeans(X, 4, 3, algorithm=algorithm).labels for algorithm in ("kmeans", "minibatch", "spherical")
    )
    assert not np.array_equal(lloyd, batches)
    assert not np.array_equal(lloyd, cosine)
    assert np.array_equal(ensembles.kmeans(csr_array(X), 4, 3, algorithm="spherical").labels, cosine)


def test_fractions_leave_objects_out_and_every_object_has_a_label():
    half = ensembles.kmeans(SMALL, 4, 3, object_fraction=0.5)
    assert ((half.given == -1).sum(axis=0)[:3] == 15).all()
    few = ensembles.from_estimators([KMeans(2)], SMALL, runs=3, object_fraction=0.2)
    assert (few.given != -1).sum(axis=0).tolist()[:2] == [6, 6]
    assert (few.given != -1).any(axis=1).all()
    one = np.column_stack([np.repeat([0.0, 9.0], 15), np.tile([0.0, 9.0], 15)])
    halves = ensembles.kmeans(one, 8, 2, feature_fraction=0.5).given
    assert {int((column == column[0]).sum()) for column in halves.T} == {15}  # each cuts one of the two features


@pytest.mark.long
def test_processes_change_nothing():
    clusterers = [KMeans(3), GaussianMixture(3), DBSCAN(eps=1.0)]
    for make in (
        lambda n_jobs: ensembles.kmeans(SMALL, 3, "random", object_fraction=0.8, n_jobs=n_jobs),
        lambda n_jobs: ensembles.from_estimators(clusterers, SMALL, feature_fraction=0.5, n_jobs=n_jobs),
    ):
        assert np.array_equal(make(1).given, make(2).given)


def test_seeds():
    def made(seed):
        return ensembles.from_estimators([KMeans(4, n_init=1, init="random")], X, runs=3, random_state=seed).given

    assert np.array_equal(made(1), made(1))
    assert not np.array_equal(made(1), made(2))
    assert not np.array_equal(made(None), made(None))
    assert np.array_equal(made(np.random.default_rng(1)), made(np.random.default_rng(1)))
    assert made(np.random.RandomState(1)).shape == (150, 3)
    columns = made(1)
    assert len({column.tobytes() for column in columns.T}) > 1, "every run has another seed"


def test_a_clusterer_depends_neither_on_the_others_nor_on_its_place():
    first, second, third = KMeans(5, n_init=1), KMeans(7, n_init=1), AgglomerativeClustering(4)
    alone = ensembles.from_estimators([("b", second)], X).given[:, 0]
    together = ensembles.from_estimators([("a", first), third, ("b", second)], X).given
    assert np.array_equal(together[:, 2], alone)
    assert np.array_equal(together[:, 1], third.fit_predict(X))
    assert "labels_" not in vars(first), "the clusterers that are given stay unfitted"
    twice = ensembles.from_estimators([KMeans(9, n_init=1), KMeans(9, n_init=1)], X).given
    assert not np.array_equal(twice[:, 0], twice[:, 1])


def test_the_seeds_inside_a_pipeline_are_set():
    pipeline = make_pipeline(StandardScaler(), KMeans(4, n_init=1, init="random"))
    a, b = (ensembles.from_estimators([pipeline], X, runs=2).given for _ in range(2))
    assert np.array_equal(a, b)


def test_noise_is_missing():
    found = ensembles.from_estimators([DBSCAN(), KMeans(3)], X)
    assert np.array_equal(found.given[:, 0] == -1, DBSCAN().fit_predict(X) == -1)
    assert KC(n_clusters=3, random_state=0).fit_predict(found).shape == (150,)


def test_objects_left_out_are_predicted_when_asked():
    options = {"runs": 2, "object_fraction": 0.6, "random_state": 4}
    missing = ensembles.from_estimators([("k", KMeans(3))], X, **options).given
    predicted = ensembles.from_estimators([("k", KMeans(3))], X, left_out="predict", **options).given
    inside = missing != -1
    assert inside.sum(axis=0)[0] == 90
    assert (predicted != -1).all()
    assert np.array_equal(predicted[inside], missing[inside])
    seed = int(generator(4, "k", 0).integers(2**32))
    kmeans = KMeans(3, random_state=seed).fit(X[inside[:, 0]])
    assert np.array_equal(predicted[:, 0], kmeans.predict(X))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ensembles.kmeans(X, n_clusters="sqr"), 'did you mean "sqrt"'),
        (lambda: ensembles.kmeans(X, n_clusters=()), "n_clusters is empty"),
        (lambda: ensembles.kmeans(X, n_clusters=[2, 151]), "n_clusters = 151: must be from 1 .* 150"),
        (lambda: ensembles.kmeans(X, n_clusters=2.5), "n_clusters = 2.5: must be"),
        (lambda: ensembles.kmeans(X[:3], n_clusters="random"), "there is none; give a number"),
        (lambda: ensembles.kmeans(X, algorithm="lloyd"), "algorithm = 'lloyd': choose from"),
        (lambda: ensembles.kmeans(X, init="kmeans++"), 'did you mean "k-means'),
        (lambda: ensembles.kmeans(X, runs=0), "runs = 0: must be at least 1"),
        (lambda: ensembles.kmeans(X, object_fraction=0), "object_fraction = 0: must be in"),
        (lambda: ensembles.kmeans(X, feature_fraction=1.1), "feature_fraction = 1.1: must be in"),
        (lambda: ensembles.kmeans(X[0]), "Expected 2D array"),
        (lambda: ensembles.kmeans(1e150 * X), "beyond 1e"),
        (lambda: ensembles.kmeans(X, random_state=-1), "random_state = -1"),
        (lambda: ensembles.from_estimators([], X), "estimators is empty"),
        (lambda: ensembles.from_estimators([StandardScaler()], X), "StandardScaler 0 has no fit_predict"),
        (lambda: ensembles.from_estimators([("a", KMeans(2)), ("a", KMeans(3))], X), "two are named 'a'"),
        (lambda: ensembles.from_estimators(DBSCAN(eps=1e-9), X), "150 such.*other parameters"),
        (
            lambda: ensembles.from_estimators(DBSCAN(), X, runs=2, object_fraction=0.5, left_out="predict"),
            "DBSCAN 0 has no predict",
        ),
        (lambda: ensembles.from_estimators(KMeans(2), X, left_out="drop"), "left_out = 'drop'"),
    ],
)
def test_what_has_no_meaning_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()

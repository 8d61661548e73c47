"""From features to consensus labels by one estimator: scikit-learn's contract, what it is made of, unseen objects."""

import pickle

import numpy as np
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from consclust import ensembles
from consclust.clustering import EnsembleClustering
from consclust.errors import ConsensusFailure, InputError
from consclust.inference import base_labels
from consclust.methods import BCE, EAC, LWEA, SSCE
from consclust.scores import ari

X, Y = make_blobs([20, 30, 40], 3, cluster_std=1.0, random_state=1)
UNSEEN = X[::3] + 0.1


@pytest.mark.long
def test_keeps_the_conventions_of_scikit_learn():
    check_estimator(EnsembleClustering(3, runs=3), on_skip=None)


def test_it_is_the_consensus_of_the_base_clusterings():
    found = EnsembleClustering(3, base_clusters=("sqrt", 4), runs=6, random_state=5).fit(X)
    expected = ensembles.kmeans(X, 6, ("sqrt", 4), random_state=5)
    assert np.array_equal(found.ensemble_.given, expected.given)
    assert np.array_equal(found.labels_, LWEA(3, random_state=5).fit_predict(expected))
    assert (type(found.consensus_), found.n_features_in_) == (LWEA, 3)
    assert ari(Y, found.labels_) > 0.9


def test_base_clusterings_by_names_of_algorithms():
    for base in ("gmm", ["kmeans", "agglomerative"]):
        found = EnsembleClustering(3, base=base, base_clusters=(3, 5), runs=4, random_state=5).fit(X)
        expected = ensembles.from_algorithms(X, base, 4, (3, 5), random_state=5)
        assert np.array_equal(found.ensemble_.given, expected.given)


def test_other_base_clusterings_on_parts_of_the_data():
    base = [("k", KMeans(4, n_init=1)), DBSCAN(eps=2.0)]
    options = {"runs": 3, "object_fraction": 0.8, "feature_fraction": 0.7, "random_state": 2}
    found = EnsembleClustering(3, base=base, **options).fit(X)
    expected = ensembles.from_estimators(base, X, **options)
    assert np.array_equal(found.ensemble_.given, expected.given)
    assert found.ensemble_.has_missing
    assert ari(Y, found.predict(X)) > 0.9


def test_the_number_of_clusters_is_the_methods_own_unless_given():
    def number(*args, **options):
        return EnsembleClustering(*args, runs=3, **options).fit(X).consensus_.n_clusters

    own = LWEA(5, theta=0.7)
    assert [number(), number(consensus=own), number(4, consensus=own)] == [8, 5, 4]
    assert (own.n_clusters, own.random_state) == (5, None), "the method that is given is copied"
    assert EnsembleClustering(2, consensus=own, runs=3).fit(X).consensus_.theta == 0.7


def test_parameters_inside_of_it_are_reached():
    made = EnsembleClustering(base=KMeans(4), consensus=EAC(3))
    made.set_params(base__n_clusters=6, consensus__linkage="single", n_clusters=2)
    assert (made.base.n_clusters, made.consensus.linkage) == (6, "single")
    copy = clone(made)
    assert copy.get_params()["consensus__linkage"] == "single"
    assert copy.consensus is not made.consensus


def test_the_seed_decides_and_processes_do_not():
    def labels(seed, **options):
        made = EnsembleClustering(3, consensus="KC", runs=4, random_state=seed, **options)
        return made.fit(X).ensemble_.given, made.labels_

    with parallel_config("threading"):  # processes are tested with the ensembles
        divided = labels(1, n_jobs=2)
    for here, there in zip(labels(1), divided, strict=True):
        assert np.array_equal(here, there)
    assert not np.array_equal(labels(1)[0], labels(2)[0])
    assert not np.array_equal(labels(None)[0], labels(None)[0])


def test_unseen_objects_get_the_cluster_of_the_nearest_centroid():
    found = EnsembleClustering(3).fit(X)
    centres = np.array([X[found.labels_ == cluster].mean(axis=0) for cluster in range(3)])
    expected = ((UNSEEN[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert np.array_equal(found.predict(UNSEEN), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(found)).predict(UNSEEN), expected)


def test_a_method_that_predicts_decides_itself():
    bce = EnsembleClustering(3, consensus=BCE(3, n_init=2)).fit(X)
    there = base_labels(X, bce.ensemble_.given, UNSEEN)
    assert np.array_equal(bce.predict(UNSEEN), bce.consensus_.predict(there))
    ssce = EnsembleClustering(3, consensus=SSCE(3)).fit(X)
    assert np.array_equal(ssce.predict(UNSEEN), ssce.consensus_.predict(UNSEEN))
    for found in (bce, ssce):
        assert ari(Y[::3], found.predict(UNSEEN)) > 0.6


def test_sparse_features_are_those_of_the_same_matrix():
    sparse, dense = (EnsembleClustering(3, runs=5).fit(features) for features in (csr_array(X), X))
    assert ari(sparse.labels_, dense.labels_) == 1
    assert ari(sparse.predict(csr_array(UNSEEN)), dense.predict(UNSEEN)) == 1


def test_score_is_high_for_the_right_number_and_needs_no_classes():
    found = {k: EnsembleClustering(k).fit(X[::2]).score(X[1::2]) for k in (2, 3, 6)}
    assert 1 >= found[3] > max(found[2], found[6])
    assert found[6] >= -1
    with pytest.raises(ValueError, match="at least two clusters"):
        EnsembleClustering(1).fit(X).score(X)


@pytest.mark.long
def test_in_a_pipeline_and_a_grid_search():
    pipeline = make_pipeline(StandardScaler(), EnsembleClustering(consensus=EAC(2), runs=10))
    grid = {
        "ensembleclustering__n_clusters": [2, 3, 6],
        "ensembleclustering__consensus__linkage": ["single", "average"],
    }
    by_own = GridSearchCV(pipeline, grid, cv=2).fit(X)
    by_classes = GridSearchCV(pipeline, grid, cv=2, scoring="adjusted_rand_score").fit(X, Y)
    for search in (by_own, by_classes):
        assert search.best_params_["ensembleclustering__n_clusters"] == 3
        assert ari(Y, search.predict(X)) > 0.9


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        (EnsembleClustering(consensus="LWAE"), InputError, 'did you mean "LWEA"'),
        (EnsembleClustering(0), ValueError, "n_clusters = 0"),
        (EnsembleClustering(80, base_clusters=2, runs=2), ConsensusFailure, "n_clusters = 80"),
        (EnsembleClustering(runs=0), ValueError, "runs = 0"),
        (EnsembleClustering(base=StandardScaler()), ValueError, "no fit_predict"),
    ],
)
def test_what_has_no_meaning_is_refused(estimator, error, message):
    with pytest.raises(error, match=message):
        estimator.fit(X)


def test_not_fitted():
    for use in (EnsembleClustering().predict, EnsembleClustering().score):
        with pytest.raises(NotFittedError):
            use(X)

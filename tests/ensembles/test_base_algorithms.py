"""Base clusterings by a choice of algorithms."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_iris

from consclust import ensembles
from consclust.ensembles.algorithms import ALGORITHMS
from consclust.ensembles.pam import PAM
from consclust.numerics.numbering import renumber
from consclust.scores import ari

SMALL = load_iris().data[::5]  # 30 objects
CLASSES = load_iris().target[::5]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_algorithm_finds_groups_that_lie_apart(algorithm):
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2], 15)
    X = rng.normal(scale=0.1, size=(45, 2)) + np.array([[0, 0], [10, 0], [0, 10]])[classes]
    found = ensembles.from_algorithms(X, algorithm, 3, 3, object_fraction=0.9)
    scores = [ari(classes[column >= 0], column[column >= 0]) for column in found.labels.T]
    assert max(scores) == 1  # of k-means from random centres not every run


def test_agglomerative_takes_linkage_distance_and_numbers_in_turn():
    found = ensembles.from_algorithms(SMALL, "agglomerative", 3, (2, 3, 5), linkage="complete", metric="correlation")
    for column, k in zip(found.labels.T, (2, 3, 5), strict=True):
        expected = AgglomerativeClustering(k, linkage="complete", metric="correlation").fit_predict(SMALL)
        np.testing.assert_array_equal(column, renumber(expected))


def test_algorithms_take_turns_and_each_takes_the_numbers():
    found = ensembles.from_algorithms(SMALL, ["pam", "agglomerative"], 4, (2, 4))
    assert found.n_clusters.tolist() == [2, 2, 4, 4]
    for run, name in enumerate(["pam", "agglomerative", "pam", "agglomerative"]):
        alone = ensembles.from_algorithms(SMALL, name, 2, (2, 4))
        np.testing.assert_array_equal(found.labels[:, run], alone.labels[:, run // 2])


def test_more_runs_and_more_processes_change_no_run():
    options = {"n_clusters": "random", "object_fraction": 0.8, "feature_fraction": 0.5}
    few = ensembles.from_algorithms(SMALL, ["kmeans", "gmm"], 3, **options).given
    more = ensembles.from_algorithms(SMALL, ["kmeans", "gmm"], 6, **options).given
    np.testing.assert_array_equal(few[:, :2], more[:, :2])  # the last run also takes what is in no other
    assert not np.array_equal(
        few, ensembles.from_algorithms(SMALL, ["kmeans", "gmm"], 3, random_state=1, **options).given
    )


def test_scaling_gives_the_clusters_of_scaled_features():
    scaled = (SMALL - SMALL.mean(axis=0)) / SMALL.std(axis=0)
    one = ensembles.from_algorithms(SMALL * [1, 100, 1, 1], "pam", 2, (2, 3), scale=True)
    np.testing.assert_array_equal(one.labels, ensembles.from_algorithms(scaled, "pam", 2, (2, 3)).labels)
    assert not np.array_equal(one.labels, ensembles.from_algorithms(SMALL * [1, 100, 1, 1], "pam", 2, (2, 3)).labels)


def test_pam_cannot_be_improved_by_a_swap():
    found = PAM(3, "manhattan").fit(SMALL)
    distances = cdist(SMALL, SMALL, "cityblock")

    def cost(medoids):
        return distances[:, medoids].min(axis=1).sum()

    np.testing.assert_array_equal(found.labels_, distances[:, found.medoids_].argmin(axis=1))
    for place in range(3):
        for item in range(len(SMALL)):
            swapped = found.medoids_.copy()
            swapped[place] = item
            assert cost(swapped) >= cost(found.medoids_) - 1e-9


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"algorithms": "agglomerate"}, "algorithms.*agglomerative"),
        ({"algorithms": []}, "algorithms is empty"),
        ({"algorithms": "pam", "metric": "hamming"}, "metric"),
        ({"algorithms": "agglomerative", "linkage": "ward", "metric": "cosine"}, "ward"),
        ({"algorithms": "pam", "n_clusters": 3}, "all 4 runs are the same"),
        ({"n_clusters": 31}, "n_clusters = 31"),
    ],
)
def test_what_has_no_meaning_is_refused(given, what):
    with pytest.raises(ValueError, match=what):
        ensembles.from_algorithms(SMALL, runs=4, **given)


def test_runs_that_repeat_are_named_and_resampled_ones_do_not_repeat():
    with pytest.warns(UserWarning, match="2 of 4 runs repeat"):
        ensembles.from_algorithms(SMALL, "pam", 4, (2, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ensembles.from_algorithms(SMALL, "pam", 4, 3, object_fraction=0.7).labels
    assert len(np.unique(found, axis=1).T) == 4


@pytest.mark.parametrize("algorithm", ensembles.algorithms.ALGORITHMS)
@pytest.mark.parametrize(("factor", "what"), [(1e200, "overflow"), (1e-200, "vanish")])
def test_features_whose_squares_are_no_numbers_are_refused(algorithm, factor, what):
    with pytest.raises(ValueError, match=what):
        ensembles.from_algorithms(SMALL * factor, algorithm, 2, (2, 3))
    scaled = ensembles.from_algorithms(SMALL * factor, algorithm, 2, (2, 3), scale=True)
    assert scaled.n_clusters.tolist() == [2, 3]


def test_pam_refuses_distances_that_are_no_numbers():
    constant = np.vstack([SMALL[:9], np.ones(SMALL.shape[1])])
    with pytest.raises(ValueError, match="no finite correlation distance"):
        ensembles.from_algorithms(constant, "pam", 2, (2, 3), metric="correlation")


def test_spectral_clustering_needs_fewer_clusters_than_objects():
    with pytest.raises(ValueError, match="9 clusters of 9 objects"):
        ensembles.from_algorithms(SMALL[:9], "spectral", 2, 9)

"""Labels of unseen objects: nearest centroids, base labels."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestCentroid

from consclust.inference import base_labels, centroids, nearest_centroid

CENTRES = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])


def blobs(n, seed):
    rng = np.random.default_rng(seed)
    classes = np.arange(n) % 3
    return CENTRES[classes] + rng.normal(size=(n, 2)), classes


def test_centroids_are_the_means_of_the_labelled():
    codes, centres = centroids([[0, 1], [2, 3], [9, 9], [5, 5]], [7, 7, -1, 4])
    assert codes.tolist() == [4, 7]
    assert centres.tolist() == [[5, 5], [1, 2]]


def test_nearest_centroid_is_that_of_scikit_learn():
    features, classes = blobs(60, 0)
    unseen = np.random.default_rng(1).uniform(-5, 15, (200, 2))
    named = np.array([8, 3, 5])[classes]
    expected = NearestCentroid().fit(features, named).predict(unseen)
    assert np.array_equal(nearest_centroid(features, named, unseen), expected)


@pytest.mark.parametrize("how", ["assign", "kmeans-on-test"])
def test_base_labels_come_in_the_naming_of_each_clustering(how):
    features, classes = blobs(60, 0)
    unseen, truth = blobs(31, 1)
    names = np.array([[0, 1, 2], [2, 0, 1], [5, -3, 40]])
    labels = names[:, classes].T
    labels[4, 1] = -1
    found = base_labels(features, labels, unseen, how, random_state=3)
    assert np.array_equal(found, names[:, truth].T)


def test_assigned_labels_are_those_that_kmeans_predicts():
    features, _ = blobs(90, 0)
    unseen = np.random.default_rng(1).uniform(-5, 15, (200, 2))
    fits = [KMeans(k, n_init=1, tol=0, random_state=k).fit(features) for k in (2, 3, 5)]
    labels = np.column_stack([fit.labels_ for fit in fits])
    expected = np.column_stack([fit.predict(unseen) for fit in fits])
    assert np.array_equal(base_labels(features, labels, unseen), expected)


def test_kmeans_on_test_is_seeded_and_matches_one_to_one():
    """All unseen objects lie in one class: each base cluster gets some of them all the same."""
    features, classes = blobs(60, 0)
    unseen = np.random.default_rng(2).normal(size=(40, 2))
    labels = np.column_stack([classes, classes])
    found = base_labels(features, labels, unseen, "kmeans-on-test", random_state=5)
    assert np.array_equal(found, base_labels(features, labels, unseen, "kmeans-on-test", random_state=5))
    assert [sorted(set(column)) for column in found.T] == [[0, 1, 2]] * 2
    assert not base_labels(features, labels, unseen).any()


def test_kmeans_runs_once_for_each_clustering(monkeypatch):
    features, classes = blobs(60, 0)
    runs = []
    fit = KMeans.fit
    monkeypatch.setattr(KMeans, "fit", lambda *given, **named: runs.append(1) or fit(*given, **named))
    base_labels(features, np.column_stack([classes, classes]), features, "kmeans-on-test", random_state=0)
    assert len(runs) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: nearest_centroid(x, [0, 1], x), r"labels have shape \(2,\), but there are 3 objects"),
        (lambda x: nearest_centroid(x, [-1, -1, -1], x), "no object has a label"),
        (lambda x: nearest_centroid(x, [0, 0, 1], x[:, :1]), r"unseen must be .* x 2 features.* \(3, 1\)"),
        (lambda x: nearest_centroid(x + np.inf, [0, 0, 1], x), "features hold NaN or infinity"),
        (lambda x: base_labels(x, [0, 0, 1], x), "matrix of n objects x m clusterings"),
        (lambda x: base_labels(x, [[0], [1], [2]], x, "guess"), "how = 'guess': must be 'assign' or"),
        (lambda x: base_labels(x, [[0], [1], [2]], x[:2], "kmeans-on-test"), "2 distinct unseen .* for 3 clusters"),
        (lambda x: base_labels(x, [[0], [1], [2]], x[[0, 1, 1]], "kmeans-on-test"), "2 distinct unseen .* 3 clusters"),
    ],
)
def test_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.arange(6.0).reshape(3, 2))


def test_of_equally_near_centroids_that_of_the_smallest_label_is_taken():
    assert nearest_centroid([[2.0], [0.0]], [3, 5], [[1.0]]).tolist() == [3]
    assert nearest_centroid([[0.0], [2.0]], [5, 3], [[1.0]]).tolist() == [3]


def test_clusters_of_unseen_objects_are_matched_by_squared_distances():
    """One cluster lies on the first centroid; its match with the second has the lesser sum of squares, 26 of 32.

    There are as many distinct unseen objects as clusters, which is enough.
    """
    unseen = np.repeat([[0.0, 0.0], [-1.0, 4.0]], 2, axis=0)
    found = base_labels([[0.0, 0.0], [3.0, 0.0]], [[7], [9]], unseen, "kmeans-on-test", random_state=0)
    assert found.ravel().tolist() == [9, 9, 7, 7]
    assert base_labels([[0.0, 0.0], [3.0, 0.0]], [[7], [9]], unseen).ravel().tolist() == [7, 7, 7, 7]

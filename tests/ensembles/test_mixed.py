"""Base clusterings by several algorithms on some of the objects; what is drawn for them."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from consclust.ensemble import MISSING, Ensemble
from consclust.ensembles.draws import number_of_clusters, subsamples
from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from consclust.ensembles.mixed import ALGORITHMS, MixedProtocol, merged, mixed_ensemble, similarity
from consclust_studies.stages import stored_ensembles as store

IRIS = load_iris().data
NAMES = ("study", "iris")


def make(features=IRIS, seed=1, names=NAMES, subset_size=6, **changes):
    protocol = MixedProtocol(**{"n_clusters": 3, "runs": 12, "max_iter": 100, "object_share": 0.9} | changes)
    members = store.split(protocol.runs, subset_size)
    return mixed_ensemble(features, protocol, members, seed, names)


def test_a_tenth_of_the_objects_has_no_label_in_each_run_and_every_object_has_one_in_each_subset():
    labels = make()
    assert ((labels == MISSING).sum(axis=0) == 15).all()
    assert Ensemble(labels).has_missing
    for subset in (labels[:, :6], labels[:, 6:]):
        assert (subset != MISSING).any(axis=1).all()
        assert (subset == MISSING).any()


def test_every_algorithm_gives_k_clusters_and_takes_the_numbers_in_turn():
    labels = make(n_clusters=(2, 5), object_share=1.0)
    k = [len(np.unique(run)) for run in labels.T]
    assert k == [2] * len(ALGORITHMS) + [5] * len(ALGORITHMS)


def test_the_stream_belongs_to_seed_study_and_case():
    reference = make()
    assert np.array_equal(reference, make())
    assert np.array_equal(reference[:, :6], make(runs=6))
    for other in (make(seed=2), make(names=("study", "x"))):
        assert not np.array_equal(reference == MISSING, other == MISSING)


@pytest.mark.parametrize(("share", "size"), [(0.9, 2), (0.5, 2), (0.3, 2), (0.9, 1)])
def test_no_subset_leaves_an_object_out_however_small_it_is(share, size):
    members = store.split(8, size)
    present = subsamples(200, 8, share, members, 0, NAMES)
    for subset in members:
        assert present[:, subset].any(axis=1).all()
        assert present[:, subset[0]].mean() == (share if size > 1 else 1)


def test_drawn_subsets_share_runs_and_still_leave_no_object_out():
    members = store.drawn(12, 2, 20, seed=1)
    present = subsamples(200, 12, 0.9, members, 0, NAMES)
    assert all(present[:, subset].any(axis=1).all() for subset in members)
    assert not present.all(axis=0).any()


def brute_force(X, k, linkage_name):
    """Merge the two clusters of the smallest distance by its definition."""
    clusters = [[i] for i in range(len(X))]
    distance = {
        "single": lambda a, b: cdist(X[a], X[b]).min(),
        "average": lambda a, b: cdist(X[a], X[b]).mean(),
        "centroid": lambda a, b: np.linalg.norm(X[a].mean(axis=0) - X[b].mean(axis=0)),
        "ward": lambda a, b: (
            np.linalg.norm(X[a].mean(axis=0) - X[b].mean(axis=0)) ** 2 * len(a) * len(b) / (len(a) + len(b))
        ),
    }[linkage_name]
    while len(clusters) > k:
        pairs = [(i, j) for i in range(len(clusters)) for j in range(i)]
        i, j = min(pairs, key=lambda pair: distance(clusters[pair[0]], clusters[pair[1]]))
        clusters[j] += clusters.pop(i)
    return {frozenset(cluster) for cluster in clusters}


@pytest.mark.parametrize("name", ["single", "average", "centroid", "ward"])
def test_linkages_by_their_definition(name):
    X = np.random.default_rng(0).normal(size=(14, 2))
    for k in (1, 4, 14):
        labels = merged(X, k, name)
        assert {frozenset(np.flatnonzero(labels == c)) for c in set(labels)} == brute_force(X, k, name)


def test_centroids_that_come_nearer_are_cut_in_the_order_of_the_merges():
    """In an equilateral triangle the third corner is nearer to the middle of an edge than to its ends."""
    X = np.array([[0, 0], [1, 0], [0.5, 0.9], [9, 9]])
    heights = linkage(X, "centroid")[:, 2]
    assert heights[1] < heights[0]
    assert [len(set(merged(X, k, "centroid").tolist())) for k in (1, 2, 3, 4)] == [1, 2, 3, 4]


def test_the_similarity_has_a_width_where_objects_are_equal():
    assert np.isfinite(similarity(np.zeros((20, 2)))).all()
    similar = similarity(np.repeat(IRIS[:30], 9, axis=0))
    assert similar[0, 1] == 1
    assert 0 < similar[0, 9] < 1


def test_numbers_of_clusters():
    rng = np.random.default_rng(0)
    assert [number_of_clusters((3, 5, 9), turn, 100, rng) for turn in range(4)] == [3, 5, 9, 3]
    assert number_of_clusters(4, 7, 100, rng) == 4
    fine = {number_of_clusters("random-fine", 0, 1041, rng) for _ in range(500)}
    assert fine == set(range(17, 33))  # sqrt(1041) = 32.3
    assert min(number_of_clusters("random", 0, 1041, rng) for _ in range(500)) == 2


def test_minibatches_are_another_k_means_with_streams_of_the_same_names():
    protocol = {"n_clusters": (3, 4), "runs": 4, "max_iter": 100}
    whole, batches = (
        kmeans_ensemble(IRIS, KMeansProtocol(**protocol, minibatch=how), 1, NAMES) for how in (False, True)
    )
    assert whole.max(axis=0).tolist() == [2, 3, 2, 3]
    assert not np.array_equal(whole, batches)
    again = kmeans_ensemble(IRIS, KMeansProtocol(**protocol, minibatch=True), 1, NAMES)
    assert np.array_equal(batches, again)

"""LWEA and ECPCS-HC: the tree over profiles gives the labels of average link on the matrix over objects."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from consclust.ensemble import Ensemble
from consclust.methods import ECPCS, LWEA
from consclust.numerics.linkage import cut, twins_are_nearest
from consclust.numerics.numbering import renumber
from consclust.similarity import ecpcs, lwca, over_objects

SIMILARITY = {LWEA: lwca, ECPCS: ecpcs}


def ensemble_of(seed, missing):
    """Up to 40 objects with up to 15 profiles, of which most are repeated."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(5, size=(15, 6))[rng.integers(15, size=40)]
    labels[rng.random(labels.shape) < missing] = -1
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    return Ensemble(labels)


def has_ties(similarity, weights):
    """Whether two pairs of clusters of different profiles are ever equally near, by the literal average link."""
    distances, weights = 1 - similarity, weights.astype(float)
    while len(weights) > 2:
        upper = np.sort(distances[np.triu_indices(len(weights), 1)])
        if upper[1] - upper[0] < 1e-9:
            return True
        np.fill_diagonal(distances, np.inf)
        x, y = np.unravel_index(distances.argmin(), distances.shape)
        rows = (weights[x] * distances[x] + weights[y] * distances[y]) / (weights[x] + weights[y])
        distances[x] = distances[:, x] = rows
        weights[x] += weights[y]
        distances, weights = np.delete(np.delete(distances, y, 0), y, 1), np.delete(weights, y)
    return False


def assert_is_average_link_over_objects(method, ensemble):
    """For all numbers of clusters between two heights, where no merges tie but those of objects with one profile."""
    similarity = SIMILARITY[method](ensemble)
    if has_ties(similarity, ensemble.weights):
        return
    tree = linkage(squareform(1 - over_objects(ensemble, similarity), checks=False), "average")
    for k in ensemble.n_objects - np.flatnonzero(np.diff(tree[:, 2], append=np.inf) > 1e-9) - 1:
        if k <= ensemble.n_profiles:
            assert np.array_equal(method(k).fit_predict(ensemble), renumber(cut(tree, k)))


@pytest.mark.long
@pytest.mark.parametrize("method", [LWEA, ECPCS])
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3]))
@settings(max_examples=40, deadline=None)
def test_labels_are_those_of_average_link_over_the_objects(method, seed, missing):
    assert_is_average_link_over_objects(method, ensemble_of(seed, missing))


def test_missing_labels_may_make_others_more_similar_than_objects_with_one_profile():
    """Then the tree is built over the objects: here in all but a few of these ensembles."""
    found = [ensemble_of(seed, 0.3) for seed in range(20)]
    nearest = [twins_are_nearest(lwca(ensemble), ensemble.weights) for ensemble in found]
    assert nearest.count(False) > 0
    complete = [ensemble_of(seed, 0.0) for seed in range(20)]
    assert all(twins_are_nearest(lwca(e), e.weights) and twins_are_nearest(ecpcs(e), e.weights) for e in complete)


@pytest.mark.parametrize("method", [LWEA, ECPCS])
def test_a_hundred_thousand_objects(method):
    """A tree over the objects would need 75 GiB. Every object 5,000 times leaves the clusters of the profiles."""
    few = ensemble_of(3, 0.0)
    profiles = few.profiles
    many = np.tile(profiles, (-(-100_000 // len(profiles)), 1))
    labels = method(4).fit_predict(many)
    assert labels.shape == (len(many),)
    assert len(set(labels.tolist())) == 4
    assert np.array_equal(
        labels.reshape(-1, len(profiles)), np.tile(labels[: len(profiles)], (len(many) // len(profiles), 1))
    )

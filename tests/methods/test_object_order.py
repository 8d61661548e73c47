"""Methods whose answer depends on the order of the objects: given, or drawn from the seed."""

from copy import copy

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consclust import methods
from consclust.ensemble import Ensemble
from consclust.methods import CSPA, EAC, LCE, MCLA, PTA, SDGCA
from consclust.numerics.partition import cut, scaled_integers
from consclust.similarity import jaccard, pts
from graphs import dense_graph

ORDERED = [name for name in methods.names() if methods.load(name).order_dependent]


def noisy(n=60, k=3, m=4, noise=0.4, seed=0):
    """Clusterings of k classes, some labels at random: many ties."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random((n, m)) < noise, rng.integers(0, k, (n, m)), np.arange(n)[:, None] % k)


def halves(n_groups=4, size=6):
    """Groups on which four clusterings agree; two of them part each into the same two halves."""
    group = np.repeat(np.arange(n_groups), 2 * size)
    half = 2 * group + np.arange(len(group)) % 2
    return group, np.column_stack([group, group, half, half])


def test_they_and_no_others_take_an_order():
    takes = [name for name in methods.names() if "object_order" in methods.load(name).parameters()]
    assert takes == ORDERED
    assert {"CSPA", "EAC", "HGPA", "MCLA", "PTA"} <= set(ORDERED)


@pytest.mark.parametrize("name", ORDERED)
def test_a_random_order_leaves_agreed_groups_as_they_are(name):
    truth = np.random.default_rng(1).permutation(np.arange(30) % 3)
    labels = np.column_stack([truth, (truth + 1) % 3, 2 - truth])
    expected = methods.make(name, 3, {}, 0).fit_predict(labels)
    for seed in range(4):
        found = methods.make(name, 3, {"object_order": "random"}, seed).fit_predict(labels)
        assert np.array_equal(found, expected)
    assert adjusted_rand_score(truth, expected) == 1


@pytest.mark.parametrize("name", ["CSPA", "EAC", "MCLA"])
def test_other_seeds_are_other_orders(name):
    found = [methods.make(name, 3, {"object_order": "random"}, seed).fit_predict(noisy()) for seed in range(8)]
    assert len({tuple(labels) for labels in found}) > 1
    again = methods.make(name, 3, {"object_order": "random"}, 3).fit_predict(noisy())
    assert np.array_equal(again, found[3])
    given = [methods.make(name, 3, {}, seed).fit_predict(noisy()) for seed in range(8)]
    assert len({tuple(labels) for labels in given}) == 1


def sdgca_ties():
    """Eight objects on which SDGCA has equal entries that matter: the ninth draw of one generator."""
    rng = np.random.default_rng(11)
    return [rng.integers(3, size=(8, 3)) for _ in range(9)][-1]


@pytest.mark.parametrize(
    ("method", "labels"),
    [
        (LCE(3), [[1, 1, 2], [1, 2, 2], [1, 0, 1], [1, 1, 0], [2, 1, 1], [1, 2, 0], [1, 2, 2], [1, 0, 2]]),
        (SDGCA(2), sdgca_ties()),
    ],
    ids=["LCE", "SDGCA"],
)
def test_ties_of_a_few_objects_depend_on_the_order_as_is_declared(method, labels):
    labels = np.array(labels)
    given = method.fit_predict(labels)
    orders = [np.random.default_rng(seed).permutation(8) for seed in range(10)]
    permuted = [adjusted_rand_score(given[order], method.fit_predict(labels[order])) for order in orders]
    assert min(permuted) < 1
    assert type(method).order_dependent
    drawn = copy(method).set_params(object_order="random")
    found = [drawn.set_params(random_state=seed).fit_predict(labels) for seed in range(10)]
    assert len({tuple(clusters) for clusters in found}) > 1
    assert np.array_equal(method.set_params(random_state=7).fit_predict(labels), given)


@pytest.mark.parametrize("method", [CSPA(3), EAC(3), EAC(3, linkage="complete"), EAC(3, linkage="single")], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_a_random_order_is_that_of_the_objects_in_this_order(method, seed):
    order = np.random.default_rng(seed).permutation(60)
    expected = np.empty(60, dtype=int)
    expected[order] = method.set_params(object_order="given").fit_predict(noisy()[order])
    found = method.set_params(object_order="random", random_state=seed).fit_predict(noisy())
    assert adjusted_rand_score(expected, found) == 1


def test_a_random_order_of_many_objects_is_one_of_their_profiles(monkeypatch):
    monkeypatch.setattr("consclust.methods.eac.MOST_OBJECTS", 59)
    eac = EAC(3, linkage="single", object_order="random")
    found = [eac.set_params(random_state=seed).fit_predict(noisy()) for seed in range(8)]
    assert len({tuple(labels) for labels in found}) > 1
    profile = Ensemble(noisy()).membership
    for labels in found:
        assert len(np.unique(labels)) == 3
        assert len(np.unique(np.column_stack([profile, labels]), axis=0)) == profile.max() + 1
    lifetime = EAC(3, linkage="single", criterion="lifetime").fit_predict(noisy())
    for seed in range(3):
        eac.set_params(criterion="lifetime", random_state=seed)
        assert np.array_equal(eac.fit_predict(noisy()), lifetime), "it does not depend on the order"


def test_what_mcla_keeps_of_base_clusters_is_in_their_own_order():
    ensemble = Ensemble(noisy())
    index = jaccard(ensemble)
    graph = dense_graph(scaled_integers(index, float(index.sum())))
    for seed in range(3):
        mcla = MCLA(3, object_order="random", random_state=seed).fit(ensemble)
        assert mcla.cut_ == cut(graph, mcla.meta_labels_)
        belongs = mcla.meta_labels_[:, None] == np.arange(3)
        shares = (ensemble.indicator @ belongs / belongs.sum(axis=0))[ensemble.membership]
        assert mcla.association_ == pytest.approx(shares)


def test_walks_with_loops_keep_groups_of_two_profiles_together():
    """Without, two profiles that are each other's neighbour are never at the same place."""
    group, labels = halves()
    without = PTA(4).fit(labels)
    assert adjusted_rand_score(group, without.labels_) < 1
    assert "loops=True" in without.note_
    mended = PTA(4, loops=True).fit(labels)
    assert adjusted_rand_score(group, mended.labels_) == 1
    assert mended.note_ == ""


@pytest.mark.parametrize(("labels", "k"), [(noisy(), 3), (halves()[1], 1), (halves()[1], 8)])
def test_a_walk_over_many_profiles_or_without_a_choice_needs_no_note(labels, k):
    assert Ensemble(labels).n_profiles > 16 or k in (1, Ensemble(labels).n_profiles)
    assert PTA(k).fit(labels).note_ == ""


def test_loops_are_steps_to_objects_with_the_same_profile():
    """Three profiles of one, two and one objects; the walk has one neighbour and one step."""
    ensemble = Ensemble([[0, 0], [0, 1], [0, 1], [1, 1]])
    walk = np.array([[1, 1, 0], [0.5, 2, 0.5], [0, 1, 1]])
    walk /= walk.sum(axis=1, keepdims=True)
    lengths = np.linalg.norm(walk, axis=1)
    assert pts(ensemble, loops=True) == pytest.approx(walk @ walk.T / np.outer(lengths, lengths))

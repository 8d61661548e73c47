"""EAC against the specification's reference numbers."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import EAC
from consclust.testing import l30

EAC_ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "eac.json").read_text())
SIX = [[1, 1, 2], [1, 1, 2], [1, 2, 2], [2, 2, 1], [2, 2, 1], [2, 1, 1]]


def test_l30_is_the_oracles_matrix():
    assert np.array_equal(Ensemble(l30()).labels, Ensemble(EAC_ORACLE["labels"]).labels)


@pytest.mark.parametrize("kind", ["single", "average"])
def test_eac_merges_at_the_oracles_heights(kind):
    distance = Ensemble(l30()).expand(1 - Ensemble(l30()).coassociation)
    heights = linkage(distance[np.triu_indices(30, 1)], kind)[:, 2]
    assert np.sort(heights) == pytest.approx(EAC_ORACLE["eac"][kind]["scipy_heights_sorted"], abs=1e-12)


@pytest.mark.parametrize("kind", ["single", "average", "complete"])
@pytest.mark.parametrize("k", [1, 2, 3, 7, 28])
def test_eac_gives_exactly_k_clusters_also_under_ties(kind, k):
    assert len(set(EAC(k, linkage=kind).fit_predict(l30()).tolist())) == k


def test_eac_average_is_the_oracles_cut():
    expected = EAC_ORACLE["eac"]["average"]["cut_tree3"]
    assert adjusted_rand_score(expected, EAC(3).fit_predict(l30())) == 1


def test_eac_single_link_clusters_are_unions_of_components():
    """Single linkage cut into k: objects joined by a path of co-association above the cut stay together."""
    ensemble = Ensemble(l30())
    labels = EAC(5, linkage="single").fit_predict(l30())
    coassociation = ensemble.expand(ensemble.coassociation)
    across = coassociation[labels[:, None] != labels[None, :]].max()
    strong = coassociation > across + 1e-12
    assert (labels[:, None] == labels[None, :])[strong].all()


def test_eac_single_link_below_a_threshold_is_the_components_above_it():
    ensemble = Ensemble(l30())
    coassociation = ensemble.expand(ensemble.coassociation)
    seen = set()
    for threshold in range(9):
        n_components, components = connected_components(coassociation >= 1 - threshold / 8)
        labels = EAC(n_components, linkage="single").fit_predict(l30())
        assert adjusted_rand_score(components, labels) == 1
        seen.add(n_components)
    assert seen == {28, 12, 8, 2, 1}


@pytest.mark.parametrize("kind", ["single", "average"])
def test_eac_by_lifetime_finds_the_oracles_number(kind):
    eac = EAC(3, linkage=kind, criterion="lifetime").fit(l30())
    number = EAC_ORACLE["eac"][kind]["lifetime_K"]
    assert len(set(eac.labels_.tolist())) == number
    assert bool(eac.note_) == (number != 3)
    assert np.array_equal(eac.labels_, EAC(number, linkage=kind).fit_predict(l30()))


def test_eac_by_lifetime_takes_the_cut_that_no_order_of_the_objects_changes():
    order = np.random.default_rng(3).permutation(30)
    eac = EAC(3, linkage="single", criterion="lifetime")
    assert adjusted_rand_score(eac.fit_predict(l30())[order], eac.fit_predict(l30()[order])) == 1


@pytest.mark.parametrize(("sizes", "number"), [((4, 3, 2), 3), ((1, 1, 1), 3), ((6,), 1), ((2,), 1), ((1,), 1)])
def test_eac_by_lifetime_recovers_clusterings_that_agree(sizes, number):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    labels = EAC(1, criterion="lifetime").fit_predict(np.column_stack([truth, truth]))
    assert len(set(labels.tolist())) == number


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"linkage": "ward"}, "EAC: linkage = 'ward'"), ({"criterion": "gap"}, "EAC: criterion = 'gap'")],
)
def test_eac_refuses_unknown_words(parameters, message):
    with pytest.raises(ValueError, match=message):
        EAC(2, **parameters).fit(SIX)


@pytest.mark.parametrize("kind", ["single", "average", "complete"])
def test_eac_over_profiles_beyond_a_number_of_objects(kind, monkeypatch):
    """The same heights up to ties, which fall on objects with one profile; single linkage has no more freedom."""
    labels = np.repeat(l30(), np.arange(30) % 4 + 1, axis=0)
    over_objects = EAC(5, linkage=kind).fit(labels)
    lifetime = EAC(5, linkage=kind, criterion="lifetime").fit(labels)
    monkeypatch.setattr("consclust.methods.eac.MOST_OBJECTS", len(labels) - 1)
    over_profiles = EAC(5, linkage=kind).fit(labels)
    assert over_objects.note_ == ""
    assert "tied" in over_profiles.note_
    assert len(set(over_profiles.labels_.tolist())) == 5
    profile = Ensemble(labels).membership
    assert all(len(set(over_profiles.labels_[profile == p].tolist())) == 1 for p in range(profile.max() + 1))
    if kind == "single":
        again = EAC(5, linkage=kind, criterion="lifetime").fit(labels)
        assert np.array_equal(again.labels_, lifetime.labels_)
        assert "lifetime" in again.note_
        assert "tied" in again.note_


def test_eac_takes_a_hundred_thousand_objects():
    labels = np.tile(l30(), (3_400, 1))
    assert len(set(EAC(3).fit_predict(labels).tolist())) == 3

"""KC, EAC and SpectralConsensus against the specification's reference numbers."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score
from test_contract import L30_CLASSES, l30

from concord.ensemble import Ensemble
from concord.methods import EAC, KC, SpectralConsensus
from concord.methods.hierarchy import longest_lived
from concord.methods.spectral import discretize, embedding, leading_eigenvectors

EAC_ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "eac.json").read_text())
SIX = [[1, 1, 2], [1, 1, 2], [1, 2, 2], [2, 2, 1], [2, 2, 1], [2, 1, 1]]


def test_l30_is_the_oracles_matrix():
    assert np.array_equal(Ensemble(l30()).labels, Ensemble(EAC_ORACLE["labels"]).labels)


def test_kc_reaches_the_known_inertia():
    assert KC(2, n_init=50, random_state=0).fit(SIX).inertia_ == pytest.approx(8 / 9, abs=1e-12)
    assert KC(2, n_init=50, random_state=0).fit(SIX).labels_.tolist() in (
        [0, 0, 0, 1, 1, 1],
        [1, 1, 1, 0, 0, 0],
    )
    assert KC(3, n_init=200, random_state=0).fit(l30()).inertia_ == pytest.approx(16.444491792929, abs=1e-9)


def test_kc_on_profiles_has_the_inertia_of_the_objects():
    labels = l30()[np.random.default_rng(0).integers(12, size=40)]
    kc = KC(3, random_state=0).fit(labels)
    rows = Ensemble(labels).expand(Ensemble(labels).coassociation)
    centres = np.stack([rows[kc.labels_ == c].mean(axis=0) for c in range(3)])
    assert kc.inertia_ == pytest.approx(((rows - centres[kc.labels_]) ** 2).sum(), rel=1e-10)
    assert KC(3, random_state=0).fit(np.repeat([[0], [1], [2]], 4, axis=0)).inertia_ == pytest.approx(0)


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


@pytest.mark.parametrize(
    ("sizes", "number"), [((4, 3, 2), 3), ((1, 1, 1), 3), ((6,), 1), ((2,), 1), ((1,), 1)]
)
def test_eac_by_lifetime_recovers_clusterings_that_agree(sizes, number):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    labels = EAC(1, criterion="lifetime").fit_predict(np.column_stack([truth, truth]))
    assert len(set(labels.tolist())) == number


def test_lifetimes_tie_up_to_rounding():
    """Steps of 1/20 are not equal in floating point; the first of them is the first all the same."""
    heights = np.arange(1, 20) / 20
    assert len(set(np.diff(heights).tolist())) > 1
    assert longest_lived(heights) == 19


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"linkage": "ward"}, "EAC: linkage = 'ward'"), ({"criterion": "gap"}, "EAC: criterion = 'gap'")],
)
def test_eac_refuses_unknown_words(parameters, message):
    with pytest.raises(ValueError, match=message):
        EAC(2, **parameters).fit(SIX)


def test_embedding_of_profiles_is_that_of_the_objects():
    labels = l30()[np.random.default_rng(1).integers(15, size=50)]
    ensemble = Ensemble(labels)
    rows = embedding(ensemble.coassociation, ensemble.weights, 3)[ensemble.membership]
    similarity = ensemble.expand(ensemble.coassociation)
    degree = similarity.sum(axis=1)
    values, vectors = np.linalg.eigh(similarity / np.sqrt(np.outer(degree, degree)))
    top = vectors[:, -3:]
    top = top / np.linalg.norm(top, axis=1, keepdims=True)
    assert values[-3] - values[-4] > 1e-3, "the three leading eigenvectors are well defined"
    assert rows @ rows.T == pytest.approx(top @ top.T, abs=1e-9)


def test_lanczos_and_dense_leading_eigenvectors_are_alike():
    ensemble = Ensemble(np.random.default_rng(3).integers(4, size=(80, 5)))
    similarity = ensemble.coassociation**4
    every = np.linalg.eigvalsh(similarity)
    assert every[-4] - every[-5] > 1e-3, "the four leading eigenvectors are well defined"
    size = len(similarity)
    dense, lanczos = (leading_eigenvectors(similarity, 4, limit) for limit in (size, size - 1))
    assert not np.array_equal(dense, lanczos), "they are two solvers"
    assert similarity @ lanczos == pytest.approx(lanczos * every[:-5:-1], abs=1e-9)
    assert abs(dense.T @ lanczos) == pytest.approx(np.eye(4), abs=1e-9)


def literal_discretisation(rows, first, rounds=20):
    """Yu and Shi's program, one start, on objects."""
    n, k = rows.shape
    rotation = np.zeros((k, k))
    rotation[:, 0] = rows[first]
    overlap = np.zeros(n)
    for j in range(1, k):
        overlap += np.abs(rows @ rotation[:, j - 1])
        rotation[:, j] = rows[overlap.argmin()]
    last = 0.0
    for iteration in range(1, rounds + 2):
        labels = (rows @ rotation).argmax(axis=1)
        u, s, vt = np.linalg.svd(np.eye(k)[labels].T @ rows)
        value = 2 * (n - s.sum())
        if abs(value - last) < np.finfo(float).eps or iteration > rounds:
            return labels, value
        last = value
        rotation = vt.T @ u.T
    raise AssertionError("unreachable")


def test_discretisation_is_that_of_the_program():
    ensemble = Ensemble(l30()[:, :5])
    rows = embedding(ensemble.coassociation, ensemble.weights, 4)
    first = np.random.default_rng(0).choice(len(rows), size=6, p=ensemble.weights / ensemble.weights.sum())
    labels, costs = discretize(rows, ensemble.weights, 6, np.random.default_rng(0))
    for start in range(6):
        profile = int(first[start])
        object_ = int(np.flatnonzero(ensemble.membership == profile)[0])
        expected, value = literal_discretisation(rows[ensemble.membership], object_)
        assert np.array_equal(labels[start][ensemble.membership], expected)
        assert costs[start] == pytest.approx(value, abs=1e-10)


@pytest.mark.parametrize("assign_labels", ["discretize", "kmeans"])
def test_spectral_consensus_finds_the_classes(assign_labels):
    labels = SpectralConsensus(3, assign_labels=assign_labels, random_state=0).fit_predict(l30())
    assert adjusted_rand_score(L30_CLASSES, labels) > 0.85, "object 13 alone sits between two classes"

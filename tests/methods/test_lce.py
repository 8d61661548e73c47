"""LCE against the authors' package and the literal algorithms over objects."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import EAC, LCE
from consclust.methods.lce import compare_neighbours, connect_triples, step_simrank
from consclust.numerics.linkage import cut
from consclust.similarity import co_occurrence
from consclust.testing import l30
from oracle_cases import assert_is_matrix, order_by_label, read_cases

CASES = read_cases("lce")
NAMES = {"cts": "cts", "asrs": "asrs", "srs": "srs_R5"}
TREES = {"cts": "cts", "asrs": "asrs", "srs": "srs5"}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def test_similarities_of_clusters_are_those_of_the_authors_package(case):
    labels, ensemble = np.array(case["labels"]), Ensemble(case["labels"])
    order = order_by_label(labels, ensemble)
    for name, similarity in (("wct", connect_triples(ensemble)), ("asrs_cluster", compare_neighbours(ensemble))):
        assert similarity[order[0], order] == pytest.approx(np.array(case[f"{name}_row0"]), abs=1e-10)
        assert similarity.sum() == pytest.approx(case[f"{name}_sum"], rel=1e-10)
        assert np.array_equal(similarity, similarity.T)


@pytest.mark.parametrize("similarity", NAMES)
def test_matrices_and_trees_are_those_of_the_authors_package(case, similarity):
    lce = LCE(n_clusters=case["k"], similarity=similarity, decay=case["dc"])
    matrix = lce.fit(case["labels"]).consensus_matrix()
    assert_is_matrix(matrix, case[NAMES[similarity]])
    for how, tree in case["trees"][TREES[similarity]].items():
        heights = np.sort(linkage(squareform(1 - matrix, checks=False), how)[:, 2])
        assert heights == pytest.approx(np.array(tree["heights_sorted"]), abs=1e-10)
        found = lce.set_params(linkage=how).fit_predict(case["labels"])
        assert adjusted_rand_score(tree["partition"], found) == 1


@pytest.mark.parametrize("n_steps", [1, 2])
def test_steps_of_simrank_are_those_of_the_authors_package(case, n_steps):
    matrix = LCE(n_clusters=2, similarity="srs", n_steps=n_steps).fit(case["labels"]).consensus_matrix()
    assert_is_matrix(matrix, case[f"srs_R{n_steps + 1}"])


def with_gaps():
    """40 objects, 10 of them twice, every sixth label missing."""
    labels = l30()[np.concatenate([np.arange(30), np.arange(10)])][:, :6]
    labels[np.random.default_rng(1).random(labels.shape) < 1 / 6] = -1
    return labels


def literal_index(z, clusterings):
    """Return the Jaccard index of the columns of an indicator matrix over objects; 0 within a clustering."""
    common = z.T @ z
    common[np.equal.outer(clusterings, clusterings)] = 0
    sizes = z.sum(axis=0)
    index = common / (sizes[:, None] + sizes - common)
    return index


def literal_cts(z, clusterings, decay, _):
    index = literal_index(z, clusterings)
    k = len(index)
    triples = np.zeros((k, k))
    for a in range(k):
        for b in range(k):
            if a != b and clusterings[a] == clusterings[b]:
                triples[a, b] = np.minimum(index[a], index[b]).sum()
    within = decay * triples / triples.max() + np.eye(k)
    known = np.array([[row[clusterings == j].sum() for j in range(clusterings.max() + 1)] for row in z]) > 0
    return z @ within @ z.T / (known.astype(float) @ known.T)


def literal_asrs(z, clusterings, decay, _):
    index = literal_index(z, clusterings)
    k = len(index)
    similarity = np.zeros((k, k))
    for a in range(k):
        for b in range(k):
            count = (index[a] > 0).sum() * (index[b] > 0).sum()
            if a != b and count:
                similarity[a, b] = (index[a] * index[b]).sum() / count
    similarity /= similarity.max()
    counted = np.where(similarity > 1 - 1e-12, 1, decay * similarity)
    np.fill_diagonal(counted, 1)
    shares = z / z.sum(axis=1, keepdims=True)
    return shares @ counted @ shares.T


def literal_srs(z, _, decay, n_steps):
    objects, clusters = np.eye(len(z)), np.eye(z.shape[1])
    shares, members = z / z.sum(axis=1, keepdims=True), z.T / z.sum(axis=0)[:, None]
    for _ in range(n_steps):
        objects, clusters = decay * shares @ clusters @ shares.T, decay * members @ objects @ members.T
        np.fill_diagonal(objects, 1)
        np.fill_diagonal(clusters, 1)
    return objects


LITERAL = {"cts": literal_cts, "asrs": literal_asrs, "srs": literal_srs}


@pytest.mark.parametrize("similarity", LITERAL)
@pytest.mark.parametrize("missing", ["expected", "ignored", "none"])
def test_gives_what_the_literal_algorithm_over_objects_gives(similarity, missing):
    labels = with_gaps()
    ensemble = Ensemble(np.abs(labels)) if missing == "none" else Ensemble(labels, missing)
    assert ensemble.n_profiles < 40 - 4
    z = ensemble.expected_indicator.toarray()[ensemble.membership]
    clusterings = np.repeat(np.arange(6), ensemble.n_clusters)
    expected = LITERAL[similarity](z, clusterings, 0.7, 3)
    np.fill_diagonal(expected, 1)
    lce = LCE(n_clusters=4, similarity=similarity, decay=0.7, n_steps=3).fit(ensemble)
    assert lce.consensus_matrix() == pytest.approx(expected, abs=1e-12)
    if missing == "none":  # with missing labels other pairs tie at distance 0, and their order decides
        tree = linkage(squareform(1 - expected, checks=False), "average")
        assert np.diff(tree[-5:, 2]).min() > 1e-9
        assert adjusted_rand_score(cut(tree, 4), lce.labels_) == 1


def test_simrank_keeps_similarities_of_clusters_symmetric():
    for step in step_simrank(Ensemble(with_gaps()), 0.8, 3):
        assert step.of_clusters == pytest.approx(step.of_clusters.T, abs=1e-14)
        assert (step.of_clusters.diagonal() == 1).all()
        assert step.of_clusters.max() == 1


def test_objects_with_one_profile_may_be_parted():
    """SimRank compares clusters of different clusterings, in which both objects are alike but not equal."""
    labels = CASES["e2"]["labels"]
    ensemble = Ensemble(labels)
    twins = ensemble.weights > 1
    assert twins.any()
    for similarity, most in (("cts", 1.0), ("asrs", 0.7), ("srs", 0.7)):
        diagonal = LCE(n_clusters=4, similarity=similarity).fit(labels).profile_matrix_.diagonal()
        assert diagonal[twins].max() <= most
        assert (similarity == "cts") == (diagonal[twins].min() == 1)


def test_with_hardly_any_links_it_is_evidence_accumulation():
    ensemble = Ensemble(l30())
    lce = LCE(n_clusters=3, decay=1e-12).fit(ensemble)
    assert lce.profile_matrix_ == pytest.approx(co_occurrence(ensemble), abs=1e-11)
    assert adjusted_rand_score(EAC(3).fit_predict(ensemble), lce.labels_) == 1


@pytest.mark.parametrize("similarity", LITERAL)
def test_one_clustering_and_equal_ones(similarity):
    truth = np.array([0, 1, 1, 2, 2, 0])
    for labels in (truth[:, None], np.column_stack([truth, truth, truth])):
        found = LCE(n_clusters=3, similarity=similarity).fit_predict(labels)
        assert np.array_equal(found, truth)


@pytest.mark.parametrize("similarity", LITERAL)
def test_the_order_of_objects_and_clusterings_changes_rounding_only(similarity):
    labels = l30()
    matrix = LCE(n_clusters=3, similarity=similarity).fit(labels).consensus_matrix()
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(30), rng.permutation(8)
    permuted = LCE(n_clusters=3, similarity=similarity).fit(labels[np.ix_(rows, columns)]).consensus_matrix()
    assert permuted == pytest.approx(matrix[np.ix_(rows, rows)], abs=1e-13)


@pytest.mark.parametrize(
    ("name", "value"), [("decay", 0), ("decay", 1.1), ("similarity", "wtq"), ("linkage", "ward"), ("n_steps", 0)]
)
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"LCE: {name} = "):
        LCE(n_clusters=2, **{name: value}).fit(l30())

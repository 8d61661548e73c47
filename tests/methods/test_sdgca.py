"""SDGCA against the authors' program and the literal algorithm over objects."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import EAC, SDGCA
from consclust.methods.sdgca import (
    Laplacian,
    border,
    find_cannot_links,
    find_must_links,
    spread_links,
    weigh_clusters,
    weigh_coassociation,
)
from consclust.similarity import co_occurrence, ecpcs
from consclust.testing import l30
from oracle_cases import assert_is_matrix, order_by_label, read_cases

CASES = read_cases("sdgca")
RUNS = [(name, number) for name, case in CASES.items() for number in range(len(case["runs"]))]
TOLERANCE = 1e-9


def over_objects(ensemble, bordered):
    """Return the matrix over the objects of a bordered one."""
    matrix = ensemble.expand(bordered[:-1])
    np.fill_diagonal(matrix, bordered[-1][ensemble.membership])
    return matrix


@pytest.mark.parametrize("name", CASES)
def test_cannot_links_are_those_of_the_authors_program(name):
    case = CASES[name]
    ensemble = Ensemble(case["labels"])
    found = over_objects(ensemble, find_cannot_links(ensemble))
    assert (found > 0).sum() == case["cannot_links"]
    if "upper" in case["CL"]:
        assert_is_matrix(found, case["CL"], TOLERANCE)
    apart = over_objects(ensemble, border(1 - ecpcs(ensemble), ensemble.weights, 0.0))
    assert_is_matrix(apart, case["dissimilarity_before_threshold"], TOLERANCE)


@pytest.mark.parametrize(("name", "number"), RUNS)
def test_every_step_is_that_of_the_authors_program(name, number):
    case, run = CASES[name], CASES[name]["runs"][number]
    ensemble = Ensemble(case["labels"])
    order = order_by_label(np.array(case["labels"]), ensemble)
    neci = np.array(run["neci"])
    assert weigh_clusters(ensemble, run["lambda"])[order] == pytest.approx(neci / neci.max(), abs=1e-10)
    weighted = weigh_coassociation(ensemble, run["lambda"])
    assert_is_matrix(over_objects(ensemble, weighted), run["nwca"], TOLERANCE)
    together = border(co_occurrence(ensemble), ensemble.weights, 1.0)
    cannot = find_cannot_links(ensemble)
    must = find_must_links(weighted, together, run["theta"])
    must[cannot > 0] = 0
    assert (over_objects(ensemble, must) > 0).sum() == run["must_links"]
    assert_is_matrix(over_objects(ensemble, must), run["ml"], TOLERANCE)
    rounds = list(spread_links(must, cannot, Laplacian(together, ensemble.weights, run["eta"]), run["iterations"]))
    for after, state in (("1", rounds[0]), ("10", rounds[9]), ("stop", rounds[-1])):
        assert_is_matrix(over_objects(ensemble, state.similarity), run["S_after"][after], TOLERANCE)
        assert_is_matrix(over_objects(ensemble, state.dissimilarity), run["D_after"][after], TOLERANCE)
    assert rounds[-1].residuals == pytest.approx(np.array(run["residuals_at_stop"]), abs=1e-10)


@pytest.mark.parametrize(("name", "number"), RUNS)
def test_matrix_and_clusters_are_those_of_the_authors_program(name, number):
    case, run = CASES[name], CASES[name]["runs"][number]
    sdgca = SDGCA(case["k"], run["lambda"], run["eta"], run["theta"]).fit(case["labels"])
    assert sdgca.n_iter_ == len(sdgca.residual_path_) == run["iterations"]
    assert sdgca.converged_
    if "W" in run:
        assert_is_matrix(sdgca.consensus_matrix(), run["W"], TOLERANCE)
    assert adjusted_rand_score(run["average_linkage"]["partition"], sdgca.labels_) == 1
    distances = 1 - sdgca.consensus_matrix()
    heights = np.sort(linkage(squareform(distances, checks=False), "average")[:, 2])
    assert heights == pytest.approx(np.array(run["average_linkage"]["heights_sorted"]), abs=1e-8)


def literal(a, n, cannot, parameters, rounds):
    """Return W over objects after so many rounds, from the co-association matrix, N and the cannot-links."""
    _, eta, theta = parameters
    size = len(a)
    x = np.where(a >= theta, n, 0)
    x = x - x.min()
    must = 0.2 * x / x.max() + 0.8
    must[(x == 0) | (cannot > 0)] = 0
    edges = np.where(a >= eta, a, 0)
    laplacian = np.diag(edges.sum(axis=1)) - edges
    s = d = f = g = y = z = np.zeros((size, size))
    mu = 1.0

    def meet(target, links):
        target = np.where(links > 0, links, np.clip(target, 0, 1))
        return (target + target.T) / 2

    for _ in range(rounds):
        inverse = np.linalg.inv(2 * laplacian + 2 * mu * np.eye(size))
        s = (2 * mu * f - d.T - y) @ inverse
        f = meet(s + y / (2 * mu), must)
        d = (2 * mu * g - s.T - z) @ inverse
        g = meet(d + z / (2 * mu), cannot)
        y = y + mu * (s - f)
        z = z + mu * (d - g)
        mu = min(1.1 * mu, 1e6)
    s, d = np.clip(s, 0, 1), np.clip(d, 0, 1)
    s, d = (s + s.T) / 2, (d + d.T) / 2
    w = np.where(s >= d, 1 - (1 - s + d) * (1 - n), (1 + s - d) * n)
    w = np.clip(w, 0, 1)
    return np.maximum(w, w.T)


@pytest.mark.parametrize("missing", ["none", "expected", "ignored"])
@pytest.mark.parametrize("rounds", [1, 12, 40])
def test_gives_what_the_literal_algorithm_over_objects_gives(missing, rounds):
    """Case e4, which has cannot-links, with twenty of its objects twice."""
    rng = np.random.default_rng(0)
    labels = np.array(CASES["e4"]["labels"])[np.concatenate([np.arange(48), np.arange(20)])]
    if missing != "none":
        labels[rng.random(labels.shape) < 0.1] = -1
    ensemble = Ensemble(labels, "ignored" if missing == "ignored" else "expected")
    assert ensemble.n_profiles < 68
    parameters = (0.3, 0.6, 0.5)
    a = over_objects(ensemble, border(co_occurrence(ensemble), ensemble.weights, 1.0))
    n = over_objects(ensemble, weigh_coassociation(ensemble, parameters[0]))
    cannot = over_objects(ensemble, find_cannot_links(ensemble))
    assert cannot.any()
    sdgca = SDGCA(4, *parameters, max_iter=rounds, tol=0).fit(ensemble)
    assert sdgca.n_iter_ == rounds
    assert not sdgca.converged_
    assert sdgca.consensus_matrix() == pytest.approx(literal(a, n, cannot, parameters, rounds), abs=1e-10)


def test_norms_are_over_the_objects():
    rng = np.random.default_rng(1)
    weights = np.array([1, 3, 2])
    bordered = border(rng.random((3, 3)), weights, 0.5)
    laplacian = Laplacian(bordered, weights, 0.1)
    objects = np.repeat(np.arange(3), weights)
    matrix = bordered[:-1][np.ix_(objects, objects)]
    np.fill_diagonal(matrix, 0.5)
    assert laplacian.norm(bordered) == pytest.approx(np.linalg.norm(matrix))


def test_without_a_graph_the_weighted_matrix_is_clustered():
    """With a large lambda every cluster counts the same, and N is the co-association matrix."""
    ensemble = Ensemble(CASES["e3"]["labels"])
    sdgca = SDGCA(5, eta=1.01).fit(ensemble)
    expected = over_objects(ensemble, weigh_coassociation(ensemble, 0.09))
    assert np.array_equal(sdgca.consensus_matrix(), expected)
    assert (sdgca.n_iter_, sdgca.converged_) == (1, True)
    plain = SDGCA(5, lambda_=1e12, eta=1.01).fit(ensemble)
    assert plain.profile_matrix_ == pytest.approx(co_occurrence(ensemble), abs=1e-10)
    assert adjusted_rand_score(plain.labels_, EAC(5).fit_predict(ensemble)) > 0.9


def test_with_no_pair_linked_only_objects_with_themselves_are():
    ensemble = Ensemble(l30())
    must = find_must_links(
        weigh_coassociation(ensemble, 0.09), border(co_occurrence(ensemble), ensemble.weights, 1.0), 1.0
    )
    over = over_objects(ensemble, must)
    same = ensemble.membership[:, None] == ensemble.membership
    assert (over[~same] == 0).all()
    assert (over.diagonal() == 1).all()
    assert not find_must_links(np.ones((3, 2)), np.ones((3, 2)), 1.5).any()


def test_a_clustering_of_one_cluster_weighs_nothing():
    labels = np.column_stack([l30(), np.zeros(30, dtype=int)])
    weights = weigh_clusters(Ensemble(labels), 0.09)
    assert weights[-1] == 0
    assert weights[:-1] == pytest.approx(weigh_clusters(Ensemble(l30()), 0.09 * 9 / 8))
    assert (weigh_clusters(Ensemble(np.zeros((4, 2), dtype=int)), 0.09) == 1).all()


def test_a_small_lambda_leaves_weights():
    """Of clusters that all others divide, whose exponentials would all be 0."""
    weights = weigh_clusters(Ensemble(l30()), 1e-9)
    assert weights.max() == 1
    assert SDGCA(3, lambda_=1e-9).fit(l30()).labels_.max() == 2


@pytest.mark.parametrize(
    ("name", "value"), [("lambda_", 0), ("eta", -1), ("theta", None), ("tol", -1), ("max_iter", 0)]
)
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"SDGCA: {name} = "):
        SDGCA(2, **{name: value}).fit(l30())

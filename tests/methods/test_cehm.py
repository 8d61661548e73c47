"""CEHM against the authors' program and the literal algorithm over objects."""

from math import ceil, isqrt

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import CEHM
from consclust.methods.cehm import Assigned, choose_nearest, grow, order_base_clusters, start_from
from consclust.numerics.medoids import find_medoids
from consclust.similarity import jaccard
from consclust.testing import l30
from oracle_cases import assert_is_matrix, order_by_label, read_cases

CASES = read_cases("cehm")


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def over_objects(ensemble, state):
    """Return the cluster of each object, -1 if it is open."""
    seen = dict.fromkeys(range(ensemble.n_profiles), 0)
    clusters = []
    for profile in ensemble.membership:
        belongs = seen[profile] < state.counts[profile]
        clusters.append(int(state.clusters[profile]) if belongs else -1)
        seen[profile] += 1
    return clusters


def follow(ensemble, medoids, k):
    """Return the clusters of the objects at the start and after each round that changes any, and the refinements."""
    states = [start_from(ensemble, medoids)]
    states.extend(grow(ensemble, states[0], k, np.arange(ensemble.n_objects)))
    path = [over_objects(ensemble, state) for state in states]
    state = states[-1]
    for rounds in range(1, 20):
        refined = choose_nearest(ensemble, state, k)[0]
        if np.array_equal(refined, state.clusters):
            return path, rounds
        state = Assigned(refined, ensemble.weights)
        path.append(over_objects(ensemble, state))
    raise AssertionError("the refinement does not end")


def test_medoids_are_those_of_the_reference(case):
    labels, ensemble = np.array(case["labels"]), Ensemble(case["labels"])
    order = order_by_label(labels, ensemble)
    distances = 1 - jaccard(ensemble)[np.ix_(order, order)]
    np.fill_diagonal(distances, 0)
    assert_is_matrix(distances, {"diagonal": 0.0} | case["jaccard_distance"])
    found = find_medoids(distances, case["k"])
    assert found.items.tolist() == case["medoids_0based"]
    assert found.costs == pytest.approx(case["cost_after_build_and_each_swap"], abs=1e-10)


@pytest.mark.parametrize("start", ["medoids", "smallest clusters"])
def test_every_round_is_that_of_the_authors_program(case, start):
    run = case if start == "medoids" else case["from_the_k_smallest_clusters"]
    labels, ensemble = np.array(case["labels"]), Ensemble(case["labels"])
    medoids = order_by_label(labels, ensemble)[run["medoids_0based"]]
    path, refinements = follow(ensemble, medoids, case["k"])
    assert path == run["assignment_by_round"]
    assert refinements == run["refinement_rounds"]
    assert path[0].count(-1) == case["n"] - run["objects_assigned_at_start"]
    if run["confidence_of_first_round"]:
        margins = choose_nearest(ensemble, start_from(ensemble, medoids), case["k"])[1]
        expected = -np.array(run["confidence_of_first_round"])
        assert margins[ensemble.membership] == pytest.approx(expected, abs=1e-9)


def test_clusters_are_those_of_the_authors_program(case):
    cehm = CEHM(n_clusters=case["k"]).fit(case["labels"])
    assert adjusted_rand_score(case["partition"], cehm.labels_) == 1
    assert cehm.converged_
    for seed in range(4):
        found = CEHM(n_clusters=case["k"], object_order="random", random_state=seed).fit_predict(case["labels"])
        assert adjusted_rand_score(case["partition"], found) == 1


def literal(z, medoids, k):
    """Return the clusters by loops over objects and clusters; z is the indicator matrix of the objects."""
    n = len(z)
    contains = z[:, medoids] > 0
    cluster = np.where(contains.sum(axis=1) == 1, contains.argmax(axis=1), -1)
    n_assigned = (cluster >= 0).sum()
    step = max(isqrt(n), ceil((n - n_assigned) / k))

    def affinities():
        shares = [z[cluster == q].sum(axis=0) / z.sum(axis=0) for q in range(k)]
        return np.array([[sum(row * share) for share in shares] for row in z])

    while n_assigned < n:
        n_assigned = min(n_assigned + step, n)
        affinity = affinities().round(9)
        ranked = np.sort(affinity, axis=1)
        surest = sorted(range(n), key=lambda i: (-round(ranked[i, -1] - ranked[i, -2], 9), i))
        cluster = np.full(n, -1)
        for i in surest[:n_assigned]:
            cluster[i] = affinity[i].argmax()
    while True:
        refined = affinities().round(9).argmax(axis=1)
        if (refined == cluster).all():
            return cluster
        cluster = refined


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_gives_what_the_literal_algorithm_over_objects_gives(missing, seed):
    rng = np.random.default_rng(seed)
    labels = l30()[:24]
    if missing:
        labels[:, 1:][rng.random((24, 7)) < 0.2] = -1
    ensemble = Ensemble(labels[rng.integers(24, size=45)], "ignored")
    assert ensemble.n_profiles < 45 - 3
    medoids = rng.permutation(int(ensemble.n_clusters.sum()))[:3]
    path, _ = follow(ensemble, medoids, 3)
    assert path[-1] == literal(ensemble.indicator[ensemble.membership], medoids, 3).tolist()


def test_a_missing_label_counts_as_the_most_probable_one():
    labels = l30()
    labels[np.arange(30), np.arange(30) % 8] = -1
    ensemble = Ensemble(labels)
    cehm = CEHM(n_clusters=3).fit(ensemble)
    completed = CEHM(n_clusters=3).fit(ensemble.completed())
    assert np.array_equal(cehm.labels_, completed.labels_)
    assert np.array_equal(cehm.medoids_, completed.medoids_)


def test_growth_takes_the_first_of_equal_objects():
    """Two objects in one medoid, six equal ones in none; of these three are taken, in a drawn order too."""
    labels = [[0, 0], [1, 1], [2, 2], [2, 2], [2, 2], [2, 2], [2, 2], [2, 2]]
    ensemble = Ensemble(labels)
    state = start_from(ensemble, np.array([0, 1]))
    assert over_objects(ensemble, state) == [0, 1, -1, -1, -1, -1, -1, -1]
    first = next(grow(ensemble, state, 2, np.arange(8)))
    assert over_objects(ensemble, first) == [0, 1, 0, 0, 0, -1, -1, -1]
    four = Ensemble([[0, 0], [1, 1], [2, 2], [3, 3]])
    some = Assigned(np.array([0, 1, -1, -1]), np.array([1, 1, 0, 0]))
    assert next(grow(four, some, 2, np.arange(4))).counts.tolist() == [1, 1, 1, 1]
    many = Ensemble.from_profiles(four.profiles, [1, 1, 4, 4])
    backwards = next(grow(many, some, 2, np.arange(10)[::-1]))
    assert backwards.counts.tolist() == [1, 1, 0, 4], "of profiles that are as sure the first in the order"


def test_base_clusters_follow_the_first_objects():
    ensemble = Ensemble([[0, 0], [1, 0], [2, 1]])
    assert order_base_clusters(ensemble, np.arange(3)).tolist() == [0, 1, 2, 3, 4]
    assert order_base_clusters(ensemble, np.array([2, 0, 1])).tolist() == [2, 0, 1, 4, 3]


def test_medoids_are_in_the_order_of_the_labels():
    truth = np.array([2, 0, 0, 1, 1, 2])
    labels = np.column_stack([truth, truth, truth])
    cehm = CEHM(n_clusters=3).fit(labels)
    members = Ensemble(labels).labels
    assert np.array_equal(members[:, 0], cehm.labels_)
    assert cehm.medoids_.tolist() == [[0, 2], [0, 0], [0, 1]]


def test_the_refinement_ends_at_its_limit():
    """Case e3 takes two rounds; one changes labels, but does not show that the next would change none."""
    case = CASES["e3"]
    limited = CEHM(n_clusters=5, max_iter=1).fit(case["labels"])
    assert not limited.converged_
    assert adjusted_rand_score(case["partition"], limited.labels_) == 1
    assert CEHM(n_clusters=5, max_iter=2).fit(case["labels"]).converged_


def test_fewer_base_clusters_than_clusters_are_noted():
    """Six base clusters, nine profiles."""
    labels = np.stack(np.meshgrid(range(3), range(3)), axis=-1).reshape(-1, 2)
    cehm = CEHM(n_clusters=8).fit(labels)
    assert cehm.labels_.max() < 6
    assert len(cehm.medoids_) == 6
    assert "8" in cehm.note_


@pytest.mark.parametrize("value", [0, 1.5, None])
def test_refuses_parameters(value):
    with pytest.raises(ValueError, match="CEHM: max_iter = "):
        CEHM(n_clusters=2, max_iter=value).fit(l30())

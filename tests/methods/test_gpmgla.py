"""GP-MGLA against the authors' program."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consclust.crowd import crowd_agreement
from consclust.ensemble import Ensemble
from consclust.methods import GPMGLA
from consclust.methods.gpmgla import link_clusters
from consclust.numerics.farthest import find_far_rows, kmeans_from_far_rows
from consclust.numerics.tcut import tcut_embedding
from consclust.testing import l30
from oracle_cases import assert_is_matrix, order_by_label, read_cases

CASES = read_cases("weac_gpmgla")


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def test_links_of_clusters_are_those_of_the_authors_program(case):
    labels, ensemble = np.array(case["labels"]), Ensemble(case["labels"])
    influence = np.repeat(crowd_agreement(ensemble, case["beta"]), ensemble.n_clusters)
    order = order_by_label(labels, ensemble)
    assert_is_matrix(link_clusters(ensemble, influence)[np.ix_(order, order)], case["sact"])


def test_embedding_and_clusters_are_those_of_the_authors_program(case):
    ensemble, expected = Ensemble(case["labels"]), case["gp_mgla"]
    method = GPMGLA(case["k"], alpha=case["alpha"], beta=case["beta"]).fit(ensemble)
    links, weights = method._links(ensemble)
    values, _ = tcut_embedding(links, weights, case["k"] + 1)
    assert values == pytest.approx(np.array(expected["eigenvalues"]), abs=1e-10)
    rows = tcut_embedding(links, weights, case["k"])[1][ensemble.membership]
    embedding = np.array(expected["embedding"])
    assert rows @ rows.T == pytest.approx(embedding @ embedding.T, abs=1e-10)
    assert find_far_rows(rows, case["k"]).tolist() == expected["start_objects_0based"]
    assert method.inertia_ == pytest.approx(expected["inertia"], abs=1e-10)
    assert adjusted_rand_score(expected["partition"], method.labels_) == 1


def test_clusters_of_the_cases_do_not_depend_on_the_order_of_the_objects(case):
    for seed in range(5):
        method = GPMGLA(case["k"], object_order="random", random_state=seed)
        assert adjusted_rand_score(case["gp_mgla"]["partition"], method.fit_predict(case["labels"])) == 1


def test_a_random_order_is_that_of_the_objects_in_this_order():
    rng = np.random.default_rng(4)
    labels = rng.integers(4, size=(60, 6))
    starts = set()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(60)
        expected = np.empty(60, dtype=int)
        expected[order] = GPMGLA(6).fit_predict(labels[order])
        found = GPMGLA(6, object_order="random", random_state=seed).fit_predict(labels)
        assert adjusted_rand_score(expected, found) == 1
        starts.add(tuple(found))
    assert len(starts) > 1, "in noise the start decides"


def literal_links(ensemble, influence):
    """Return SACT by loops over sets of objects."""
    members = [
        (influence[j], {*np.flatnonzero(column == cluster)})
        for j, column in enumerate(ensemble.labels.T)
        for cluster in range(ensemble.n_clusters[j])
    ]

    def index(a, b):
        return len(a & b) / len(a | b)

    strength = np.array(
        [[sum(w * min(index(a, c), index(b, c)) for w, c in members) for _, a in members] for _, b in members]
    )
    strength /= strength.max()
    np.fill_diagonal(strength, 1)
    return strength


def test_links_are_those_of_plain_loops():
    ensemble = Ensemble(l30()[:, :5])
    influence = np.array([1.0, 0.1, 0.7, 0.4, 0.9])
    found = link_clusters(ensemble, np.repeat(influence, ensemble.n_clusters))
    assert found == pytest.approx(literal_links(ensemble, influence), abs=1e-12)


def test_starts_are_far_from_each_other_and_the_first_of_equally_far_ones():
    rows = np.array([[0.0, 0], [3, 0], [0, 3], [3, 0], [0, 0]])
    assert find_far_rows(rows, 2).tolist() == [0, 1]
    assert find_far_rows(rows, 5).tolist() == [0, 1, 2]


def test_rows_count_as_often_as_they_are_weighted():
    rows = np.array([[0.0], [1.0], [4.0], [5.0], [9.0]])
    weights = np.array([1, 5, 1, 1, 2])
    labels, inertia, _ = kmeans_from_far_rows(rows, weights, 3)
    repeated, same_inertia, _ = kmeans_from_far_rows(np.repeat(rows, weights, axis=0), np.ones(10), 3)
    assert np.array_equal(np.repeat(labels, weights), repeated)
    assert inertia == pytest.approx(same_inertia)
    assert inertia == pytest.approx(5 / 6 + 0.5)


def test_fewer_different_rows_than_clusters_leave_clusters_empty():
    labels, inertia, _ = kmeans_from_far_rows(np.array([[0.0], [1], [0], [1]]), np.ones(4), 3)
    assert sorted({*labels}) == [0, 1]
    assert inertia == 0


@pytest.mark.parametrize(("name", "value"), [("alpha", 0), ("alpha", "1"), ("beta", -1.0)])
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"GPMGLA: {name} = "):
        GPMGLA(2, **{name: value}).fit(l30())

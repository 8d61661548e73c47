"""KCC against recorded runs of the authors' package, and the utilities by their definition."""

import json
from pathlib import Path

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.methods import KCC
from consclust.methods.kcc import Problem, count_starts, descend
from consclust.numerics.numbering import renumber
from consclust.testing import l30

CASES = json.loads((Path(__file__).parent.parent / "oracles" / "kcc.json").read_text())["cases"]
UTILITIES = ["U_c", "U_H", "U_cos", "U_Lp"]
PHI = {
    "U_c": lambda v: (v**2).sum(),
    "U_H": lambda v: sum(x * np.log2(x) for x in v if x > 0),
    "U_cos": lambda v: (v**2).sum() ** 0.5,
    "U_Lp": lambda v: (v**5).sum() ** 0.2,
}


@pytest.fixture(params=CASES, ids=lambda case: case["name"])
def case(request):
    return request.param


def shares(labels):
    return np.unique(labels, return_counts=True)[1] / len(labels)


def find_utility(name, given, found, normalized):
    """Return the utility of a clustering by its definition, clustering by clustering and cluster by cluster."""
    phi, total = PHI[name], 0.0
    for column in given.T:
        known = column >= 0
        labels, clusters = column[known], found[known]
        overall = shares(labels)
        names = np.unique(labels)
        gain = -phi(overall)
        for cluster in np.unique(clusters):
            inside = labels[clusters == cluster]
            gain += len(inside) / len(labels) * phi((inside[:, None] == names).mean(axis=0))
        weight = 1 / abs(phi(overall)) if normalized else 1.0
        total += weight * known.mean() * gain
    return total


@pytest.mark.parametrize("weights", ["std", "norm"])
@pytest.mark.parametrize("utility", UTILITIES)
def test_runs_are_those_of_the_authors_package(case, utility, weights):
    oracle = case["results"][f"{utility}_{weights}"]
    ensemble = Ensemble(np.array(case["labels"]))
    member = ensemble.membership
    problem = Problem.make(ensemble, utility, weights == "norm", 5.0)
    assert problem.omega == pytest.approx(np.array(oracle["weights"]), rel=1e-12)
    starts = count_starts(problem.table, member[oracle["start_objects_0based"]])
    descent = descend(problem, starts, 1e-5, 40)
    assert descent.path == pytest.approx(oracle["objective_by_iteration"], rel=1e-10)
    assert descent.converged
    assert np.array_equal(renumber(descent.labels[member]), renumber(np.array(oracle["partition"])))
    assert problem.find_utility(descent.labels, case["k"]) == pytest.approx(oracle["utility"], rel=1e-10)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("utility", UTILITIES)
def test_utility_is_that_of_the_definition(utility, normalized):
    """Also with missing labels, and for profiles of several objects."""
    labels = l30()
    labels[::4, 3] = -1
    labels = np.vstack([labels, labels[:7]])
    kcc = KCC(3, utility=utility, normalized=normalized, random_state=0).fit(labels)
    assert kcc.utility_ == pytest.approx(find_utility(utility, labels, kcc.labels_, normalized), abs=1e-9)
    assert kcc.cost_path_[-1] == kcc.cost_
    assert (np.diff(kcc.cost_path_) < 0).all()


def test_cost_and_category_utility_have_a_constant_sum():
    """For the centres of the clusters that it ends with: the last cost, as no label changes then."""
    labels = np.array(CASES[4]["labels"])
    kcc = KCC(4, utility="U_c", tol=0.0, random_state=0).fit(labels)
    ensemble = Ensemble(labels)
    constant = sum(
        (column >= 0).mean() * (1 - (shares(column[column >= 0]) ** 2).sum()) for column in ensemble.labels.T
    )
    assert kcc.cost_ / 60 + kcc.utility_ == pytest.approx(constant, abs=1e-10)


def test_entropy_starts_where_category_utility_ends(case):
    """Alone most of its runs end where they start, as an unseen label costs 52 bits."""
    labels = np.array(case["labels"])
    costs = {}
    for init in ("spread", "random"):
        runs = [KCC(case["k"], init=init, n_init=1, random_state=seed).fit(labels) for seed in range(12)]
        costs[init] = np.mean([kcc.cost_ for kcc in runs])
    assert costs["spread"] < 0.95 * costs["random"]


def test_an_unseen_label_costs_52_bits():
    problem = Problem.make(Ensemble([[0, 0], [0, 0], [1, 1]]), "U_H", False, 5.0)
    starts = count_starts(problem.table, np.array([int(problem.table.weights.argmax())]))
    assert descend(problem, starts, 0.0, 1).path == pytest.approx([104.0])


def test_a_start_without_a_label_has_the_shares_of_all():
    """One object of four lacks the second label, of which three others have 0, 0 and 1."""
    ensemble = Ensemble([[0, 0], [0, 0], [0, 1], [0, -1]])
    problem = Problem.make(ensemble, "U_c", False, 5.0)
    missing = ensemble.membership[3]
    path = descend(problem, count_starts(problem.table, np.array([missing])), 0.0, 1).path
    square = (2 / 3) ** 2 + (1 / 3) ** 2
    assert path == pytest.approx([2 * (1 + square - 4 / 3) + (1 + square - 2 / 3)])


def test_an_empty_cluster_takes_the_farthest_object():
    ensemble = Ensemble([[0, 0], [0, 0], [1, 1], [1, 2]])
    problem = Problem.make(ensemble, "U_c", False, 5.0)
    starts = count_starts(problem.table, np.zeros(3, dtype=np.int64))
    descent = descend(problem, starts, 0.0, 50)
    assert set(descent.labels) == {0, 1, 2}
    assert descent.path[-1] == 0


def test_clusterings_of_one_cluster_have_no_utility():
    labels = l30()
    with_constant = np.column_stack([labels, np.zeros(30, dtype=int)])
    for normalized in (False, True):
        left, right = (KCC(3, normalized=normalized, random_state=0).fit(each) for each in (labels, with_constant))
        assert left.utility_ == pytest.approx(right.utility_, abs=1e-12)
        assert np.array_equal(left.labels_, right.labels_)


def test_rounds_are_limited():
    kcc = KCC(5, utility="U_c", init="random", max_iter=1, random_state=0)
    kcc.fit(np.random.default_rng(0).integers(0, 4, (90, 9)))
    assert kcc.n_iter_ == len(kcc.cost_path_) == 1
    assert not kcc.converged_


@pytest.mark.parametrize(
    ("name", "value"),
    [("utility", "U_h"), ("init", "kmeans"), ("p", 1.0), ("p", 21), ("tol", -1.0), ("normalized", 1), ("max_iter", 0)],
)
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"KCC: {name} = "):
        KCC(2, **{name: value}).fit(l30())

"""IVC and IPVC against recorded runs, and against distances that are counted object by object."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from consclust.ensemble import Ensemble
from consclust.methods import IVC
from consclust.methods.ivc import descend, distances_from_modes
from consclust.numerics.points import LabelTable
from consclust.testing import l30

CASES = json.loads((Path(__file__).parent.parent / "oracles" / "voting.json").read_text())["cases"]


def table_of_objects(labels):
    """Return the labels 1.. of every object, -1 for none, with columns in their order, which decides between ties."""
    sizes = labels.max(axis=0)
    firsts = np.cumsum(sizes) - sizes
    rows, columns = np.nonzero(labels > 0)
    indicator = np.zeros((len(labels), sizes.sum()))
    indicator[rows, firsts[columns] + labels[rows, columns] - 1] = 1
    return LabelTable(csr_array(indicator), np.ones(len(labels)), firsts)


@pytest.mark.parametrize("variant", ["IVC", "IPVC"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_rounds_are_the_recorded(case, variant):
    """Of e2 a cluster becomes empty with IVC, and the cost of e2_missing rises with IPVC."""
    oracle = case[variant.lower()]
    table = table_of_objects(np.array(case["labels"]))
    for n_rounds in range(1, len(oracle["assignment_by_round"]) + 1):
        descent = descend(table, np.array(case["start"]), case["k"], variant, n_rounds)
        assert descent.labels.tolist() == oracle["assignment_by_round"][n_rounds - 1]
    assert descent.path == pytest.approx(oracle["disagreement_by_round"], abs=1e-9)
    assert descent.converged
    assert len(set(descent.labels)) == oracle["clusters_in_the_result"]


def count_disagreements(labels, found, variant):
    """Return the distances of all objects from their clusters, object by object."""
    total = 0.0
    for row, cluster in zip(labels, found, strict=True):
        members = labels[found == cluster]
        for label, column in zip(row, members.T, strict=True):
            known = column[column >= 0]
            if label < 0:
                continue
            if variant == "IPVC":
                total += (known != label).mean()
            else:
                values, counts = np.unique(known, return_counts=True)
                total += label != values[counts.argmax()]
    return total


@pytest.mark.parametrize("variant", ["IVC", "IPVC"])
def test_cost_is_the_number_of_disagreements(variant):
    labels = l30()
    labels[::4, 3] = -1
    labels = Ensemble(np.vstack([labels, labels[:7]])).labels
    ivc = IVC(3, variant=variant, random_state=0).fit(Ensemble(labels, missing="ignored"))
    assert ivc.cost_ == pytest.approx(count_disagreements(labels, ivc.labels_, variant), abs=1e-9)
    assert ivc.cost_path_[-1] == ivc.cost_
    assert ivc.converged_


def test_expected_labels_add_their_probabilities():
    """The label that is missing is 0 with probability 2 / 3, by the clusters that hold the object elsewhere."""
    labels = np.array([[0, 0], [0, 0], [0, 1], [0, -1]])
    expected = IVC(1).fit(labels)
    ignored = IVC(1).fit(Ensemble(labels, missing="ignored"))
    assert ignored.cost_ == 1
    assert expected.cost_ == pytest.approx(1 + 1 / 3)


def test_of_equally_frequent_labels_the_first_is_taken():
    table = LabelTable(csr_array(np.zeros((1, 5))), np.ones(1), np.array([0, 3]))
    counts = np.array([[1.0, 0, 2], [3, 0, 2], [3, 0, 1], [4, 0, 5], [4, 0, 6]])
    expected = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1], [1, 0, 0]])
    assert np.array_equal(distances_from_modes(table, counts), expected)


def test_profiles_move_as_their_objects():
    labels = np.random.default_rng(0).integers(0, 3, size=(80, 3))
    ensemble = Ensemble(labels)
    apart = ensemble.unmerged()
    start = np.random.default_rng(1).integers(3, size=ensemble.n_profiles)
    spread = np.empty(80, dtype=np.int64)
    spread[apart.membership] = start[ensemble.membership]
    for variant in ("IVC", "IPVC"):
        merged = descend(LabelTable.make(ensemble), start, 3, variant, 50)
        each = descend(LabelTable.make(apart), spread, 3, variant, 50)
        assert np.array_equal(merged.labels[ensemble.membership], each.labels[apart.membership])
        assert merged.path == pytest.approx(each.path, abs=1e-9)


def test_random_starts_may_leave_a_cluster_empty_and_note_it():
    labels = np.repeat([[0, 0, 0], [1, 1, 1]], 15, axis=0) + np.eye(30, 3, dtype=int)
    notes = [IVC(4, init="random", n_init=1, random_state=seed).fit(labels).note_ for seed in range(10)]
    assert any("fewer clusters" in note for note in notes)
    assert IVC(4, random_state=0).fit(labels).labels_.max() == 3


def test_rounds_are_limited():
    ivc = IVC(5, init="random", max_iter=1, random_state=0).fit(np.random.default_rng(0).integers(0, 4, (90, 9)))
    assert ivc.n_iter_ == len(ivc.cost_path_) == 1
    assert not ivc.converged_


@pytest.mark.parametrize(("name", "value"), [("variant", "ivc"), ("init", "kmeans"), ("n_init", 0), ("max_iter", 0)])
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"IVC: {name} = "):
        IVC(2, **{name: value}).fit(l30())

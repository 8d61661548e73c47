"""Base clusterings by algorithm: the share of the largest cluster, and a consensus with and without some of them."""

import numpy as np
import pytest

from consclust.ensemble import MISSING
from consclust_studies.stages import stored_ensembles as store
from small import planned, source_of
from studies.peace.exhibits.algorithms import Algorithms

CLASSES = np.repeat([0, 1], 12)
KEYS = {"kind": "algorithms", "id": "a", "title": "A", "cases": ["iris"], "method": "EAC", "metric": "ACC"}
MIXED = {"id": "iris", "dataset": "iris", "preprocessing": [], "ensemble": "mixed", "title": "Iris"}
STUDY = planned(cases=[MIXED, "wine"], ensemble={"runs": 12, "subset_size": 12})


@pytest.fixture
def source():
    """Every algorithm finds the classes, but for single and centroid linkage, with one cluster of all but an object."""
    labels = np.tile(CLASSES[:, None], (1, 12))
    chained = np.zeros(24, dtype=int)
    chained[0] = 1
    labels[:, [0, 3, 6, 9]] = chained[:, None]
    labels[5, 1] = MISSING
    source = source_of(STUDY)
    # the runs of the subset are not in their order: the algorithm follows the number of the run
    source.__dict__["stored"] = {"iris": store.StoredEnsemble(labels, CLASSES, np.arange(12)[None, ::-1])}.__getitem__
    return source


def test_each_algorithm_is_measured_by_its_own_runs(source) -> None:
    shown = Algorithms(**KEYS, left_out=["single", "centroid"]).build(source)
    rows = shown.frame.set_index("of")
    assert rows.loc["single", ["clusterings", "largest", "score"]].tolist() == pytest.approx([2, 23 / 24, 13 / 24])
    assert rows.loc["ward", ["clusterings", "largest", "score"]].tolist() == [2, 0.5, 1]
    assert rows.loc["average", "largest"] == pytest.approx((12 / 23 + 0.5) / 2), "without the object that has no label"
    assert rows.loc["EAC of all but single and centroid", ["clusterings", "score"]].tolist() == [8, 1]
    assert rows.loc["EAC of all", "clusterings"] == 12


def test_the_consensus_is_of_the_kept_base_clusterings(source) -> None:
    found = Algorithms(**KEYS, left_out=["average", "ward", "kmeans", "spectral"]).build(source).frame
    row = found.set_index("of").loc["EAC of all but average, ward, kmeans and spectral"]
    assert (row["clusterings"], row["score"]) == (4, 13 / 24)


def test_an_ensemble_of_one_algorithm_is_a_mistake() -> None:
    assert list(Algorithms(**KEYS, left_out=["single"]).mistakes(STUDY)) == []
    (found,) = Algorithms(**{**KEYS, "cases": ["wine"]}, left_out=["single"]).mistakes(STUDY)
    assert found[0] == "cases"

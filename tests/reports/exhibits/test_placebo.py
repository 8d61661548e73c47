"""The gain of a placebo is the best of its restarts less their mean, on the classes."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from small import STUDY, planned, scores_of, source_of

from concord.reports.exhibits.base import Shown
from concord.reports.exhibits.placebo import Placebo

CLASSES = np.repeat([0, 1], 50)
WRONG = np.array([[10, 20, 30], [20, 30, 40], [5, 15, 25]])
"""Objects in the wrong cluster: subset, restart."""
MANY = {"id": "KC-many", "of": "KC", "method": "KC", "parameters": {"n_init": 3}, "why": "placebo", "cases": ["iris"]}
GRID = {(0.1, 0.1): 0.5, (0.1, 1.0): 0.6, (1.0, 0.1): 0.7, (1.0, 1.0): 0.4}
EXHIBIT = Placebo(kind="placebo", id="placebo", title="Placebo", method="RCE", placebo="KC-many")


def block(subset: int, failed: bool = False) -> SimpleNamespace:
    labels = np.array([[np.where(np.arange(100) < wrong, 1, CLASSES) for wrong in WRONG[subset]]])
    return SimpleNamespace(
        subsets=[subset], labels=labels[None], chosen=np.array([[1]]), answered=np.array([[not failed]])
    )


def show(monkeypatch: pytest.MonkeyPatch, failed: int | None = None) -> Shown:
    study = planned(metrics=["ACC"], reported=["ACC"], variants={"methods": [MANY]})
    scores = scores_of(study)
    mine = scores["method"] == "RCE"
    points = [json.loads(point) for point in scores.loc[mine, "parameters"]]
    values = [GRID[point["lambda1"], point["lambda2"]] for point in points]
    scores.loc[mine, "value"] = np.array(values) + (scores.loc[mine, "subset"] - 1) * 0.1
    scores.loc[scores["restart"] == "chosen", "value"] = 0.99
    source = source_of(study, scores=scores)
    monkeypatch.setattr(type(source), "stored", lambda self, case: SimpleNamespace(classes=CLASSES))
    blocks = [block(subset, failed == subset) for subset in range(3)]
    monkeypatch.setattr(type(source), "blocks", lambda self, case, method: blocks)
    return EXHIBIT.build(source)


def test_both_gains_stand_beside_each_other(monkeypatch) -> None:
    shown = show(monkeypatch)
    (row,) = shown.frame.to_dict("records")
    assert (row["case"], row["n"]) == ("iris", 3)
    assert [row["mean"], row["default"], row["best"], row["gain"]] == pytest.approx([0.55, 0.4, 0.7, 0.15])
    right = 1 - WRONG / 100
    theirs = [right.mean(), right[:, 1].mean(), right.max(axis=1).mean()]
    assert [row["placebo_mean"], row["placebo_default"], row["placebo_best"]] == pytest.approx(theirs)
    assert row["placebo_gain"] == pytest.approx(theirs[2] - theirs[0])
    assert row["ahead"] == pytest.approx(0.7 - theirs[2])
    assert shown.blocks[0].rows[0][0].text == "Iris"


def test_subsets_without_an_answer_of_the_placebo_are_left_out_of_both(monkeypatch) -> None:
    (row,) = show(monkeypatch, failed=2).frame.to_dict("records")
    assert row["n"] == 2
    assert row["best"] == pytest.approx(0.65)
    assert row["placebo_best"] == pytest.approx(0.85)


def test_it_reads_the_labels_of_the_cases_with_both() -> None:
    needs = EXHIBIT.needs(planned(variants={"methods": [MANY]}))
    assert needs.labels == (("iris", "KC-many"),)
    assert needs.ensembles == ("iris",)


@pytest.mark.parametrize(
    ("method", "placebo", "key"),
    [("KC", "KC-many", "method"), ("RCE", "RCE", "placebo"), ("RCE", "KC-many", None), ("RCE", "EAC", "placebo")],
)
def test_mistakes(method, placebo, key) -> None:
    cases = [{**STUDY["cases"][0], "without": ["EAC"]}, {**STUDY["cases"][1], "without": ["RCE"]}]
    study = planned(cases=cases, variants={"methods": [MANY]})
    exhibit = EXHIBIT.model_copy(update={"method": method, "placebo": placebo})
    assert [where for where, _ in exhibit.mistakes(study)] == ([key] if key else [])

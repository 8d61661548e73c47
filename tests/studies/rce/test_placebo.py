"""The gain of a placebo is the best of its restarts less their mean, on the classes."""

from types import SimpleNamespace

import numpy as np
import pytest

from consclust.report.blocks import Shown
from consclust_studies.config.paper import Claim
from small import STUDY, planned, source_of
from studies.rce.exhibits.placebo import Placebo

CLASSES = np.repeat([0, 1], 50)
WRONG = np.array([[10, 20, 30], [20, 30, 40], [5, 15, 25]])
"""Objects in the wrong cluster: subset, restart."""
MANY = {"id": "KC-many", "of": "KC", "method": "KC", "parameters": {"n_init": 3}, "why": "placebo", "cases": ["iris"]}
EXHIBIT = Placebo(kind="placebo", id="placebo", title="Placebo", method="RCE", placebo="KC-many")


POINTS = np.array([[[30, 40, 48], [40, 50, 45]], [[20, 45, 45], [35, 25, 40]], [[10, 30, 30], [25, 15, 35]]])
"""Of RCE: subset, grid point, restart."""


def labelled(wrong: np.ndarray) -> np.ndarray:
    return np.where(np.arange(100) < wrong[..., None], 1, CLASSES)


def block(subset: int, failed: int | None, method: str) -> SimpleNamespace:
    labels = labelled(WRONG[subset][None] if method == "KC-many" else POINTS[subset])
    answered = np.full((1, len(labels)), method != "KC-many" or failed != subset)
    return SimpleNamespace(
        subsets=[subset], labels=labels[None], chosen=np.full((1, len(labels)), 1), answered=answered
    )


def show(monkeypatch: pytest.MonkeyPatch, failed: int | None = None, worst: bool = True) -> Shown:
    rce = {"method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}}
    source = source_of(planned(methods=["KC", rce], metrics=["ACC"], reported=["ACC"], variants={"methods": [MANY]}))
    monkeypatch.setattr(type(source), "stored", lambda self, case: SimpleNamespace(classes=CLASSES))
    blocks = {name: [block(subset, failed, name) for subset in range(3)] for name in ("RCE", "KC-many")}
    blocks["RCE"][0].answered[0, 0] = worst
    monkeypatch.setattr(type(source), "blocks", lambda self, case, method: blocks[method])
    return EXHIBIT.build(source)


def test_both_choose_among_single_runs(monkeypatch) -> None:
    shown = show(monkeypatch)
    (row,) = shown.frame.to_dict("records")
    assert (row["case"], row["n"]) == ("iris", 3)
    grid = 1 - POINTS / 100
    ours = [grid.mean(), grid[:, 1].mean(), grid.max(axis=1).mean()]
    assert [row["mean"], row["default"], row["best"]] == pytest.approx(ours)
    assert row["best"] > grid.mean(axis=2).max(axis=1).mean()  # which is of means over restarts
    right = 1 - WRONG / 100
    theirs = [right.mean(), right[:, 1].mean(), right.max(axis=1).mean()]
    assert [row["placebo_mean"], row["placebo_default"], row["placebo_best"]] == pytest.approx(theirs)
    assert (row["gain"], row["placebo_gain"]) == pytest.approx((ours[2] - ours[0], theirs[2] - theirs[0]))
    assert row["ahead"] == pytest.approx(ours[2] - theirs[2])
    assert shown.blocks[0].rows[0][0].text == "Iris"


def test_a_grid_point_without_an_answer_is_left_out(monkeypatch) -> None:
    (row,) = show(monkeypatch, worst=False).frame.to_dict("records")
    grid = 1 - POINTS / 100
    assert (row["n"], row["best"]) == (
        3,
        pytest.approx(np.mean([grid[0, 1].mean(), *grid[1:].max(axis=1).mean(axis=1)])),
    )


def test_subsets_without_an_answer_of_the_placebo_are_left_out_of_both(monkeypatch) -> None:
    (row,) = show(monkeypatch, failed=2).frame.to_dict("records")
    assert row["n"] == 2
    assert row["best"] == pytest.approx((1 - POINTS[:2] / 100).max(axis=1).mean())
    assert row["placebo_best"] == pytest.approx(0.85)


def test_it_reads_the_labels_of_the_cases_with_both() -> None:
    needs = EXHIBIT.needs(planned(variants={"methods": [MANY]}))
    assert needs.labels == (("iris", "RCE"), ("iris", "KC-many"))
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


def test_data_sets_on_which_the_method_is_ahead_are_counted(monkeypatch) -> None:
    shown = show(monkeypatch)
    ahead = shown.frame["ahead"].tolist()
    source = source_of(planned(methods=["KC"], metrics=["ACC"], reported=["ACC"]))
    claim = Claim(text="-", check="best", method="RCE", metric="ACC")
    monkeypatch.setattr(Placebo, "_cases", lambda self, study: ["one"])
    for value, holds in ((ahead[0], ahead[0] > 0), (0.01, True), (-0.01, False), (1e-14, False)):
        row = ("a", "A", "ACC", 3, *[0.5] * 7, 0.5, value)
        monkeypatch.setattr(
            Placebo, "_rows", lambda self, source, case, row=row: [row, ("a", "A", "NMI", *row[3:-1], 1.0)]
        )
        found = EXHIBIT.count_for_claim("ahead", claim, source)
        assert found.holds == (holds,)
        assert found.unit == "data sets"

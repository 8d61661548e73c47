"""The tables of random starts are what the starts score, beside the published values."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from consclust.report.blocks import Shown
from consclust.scores import accuracy, pairwise_f, score_all
from consclust_studies.config.published_tables import STATISTICS, Published
from consclust_studies.results.source import Source
from small import planned, source_of
from studies.peace.exhibits.starts import Definitions, Starts

CLASSES = np.repeat([0, 1, 2], 8)
METHODS = [
    {"id": "One", "method": "KC"},
    {"id": "Two", "method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}},
    "EAC",
]
PUBLISHED = Published(
    scores={("iris", "ACC", method): 0.5 for method in ("One", "Two")},
    starts={
        ("iris", "ACC", "One"): {"selected": 0.4, "mean": 0.45, "std": 0.02},
        ("iris", "ACC", "Two"): {"selected": 0.99, "std": 0.01},
    },
)


def starts_of(case: str, method: str) -> np.ndarray:
    """Labels of shape (subsets, points, starts, objects)."""
    rng = np.random.default_rng([ord(c) for c in case + method])
    return rng.integers(0, 3, (2, 2 if method == "Two" else 1, 4, 24)).astype(np.int16)


def blocks(case: str, method: str, failed: bool = False) -> list[SimpleNamespace]:
    """Two subsets, one a block; of the last start of Two on wine there is none on subset 1."""
    labels = starts_of(case, method)
    if (case, method) == ("wine", "Two"):
        labels[1, :, 3] = -1
    points = labels.shape[1]
    return [
        SimpleNamespace(
            labels=labels[subset : subset + 1],
            chosen=np.full((1, points), subset + 1),
            failed=np.full((1, points), failed and case == "wine"),
        )
        for subset in (0, 1)
    ]


def source_with(monkeypatch: pytest.MonkeyPatch, failed: bool = False, published: Published = PUBLISHED) -> Source:
    study = planned(methods=METHODS, metrics=["ACC", "F", "F-class", "F-purity", "F-macro"], reported=["ACC"])
    source = source_of(study, published=published)
    monkeypatch.setattr(type(source), "stored", lambda self, case: SimpleNamespace(classes=CLASSES))
    monkeypatch.setattr(type(source), "blocks", lambda self, case, method: blocks(case, method, failed))
    return source


def show(monkeypatch: pytest.MonkeyPatch, failed: bool = False, **more: Any) -> Shown:
    return exhibit(**more).build(source_with(monkeypatch, failed))


def exhibit(**more: Any) -> Starts:
    given = {"id": "starts", "kind": "starts", "title": "Starts", "methods": ["One", "Two"], **more}
    return Starts.model_validate(given)


def test_statistics_are_those_of_the_starts_at_the_default_point(monkeypatch):
    frame = show(monkeypatch, metrics=["ACC", "F"]).frame
    assert len(frame) == 8
    row = frame.set_index(["case", "metric", "method"]).loc["wine", "F", "Two"]
    labels = starts_of("wine", "Two")[:, 1]
    scores = [
        [pairwise_f(CLASSES, start) for start in labels[0]],
        [pairwise_f(CLASSES, start) for start in labels[1][:3]],
    ]
    assert row["starts"] == 3.5
    assert row["selected"] == pytest.approx((scores[0][1] + scores[1][2]) / 2)
    assert row["mean"] == pytest.approx(np.mean([np.mean(one) for one in scores]))
    assert row["std"] == pytest.approx(np.mean([np.std(one, ddof=1) for one in scores]))
    assert row["max"] == pytest.approx(np.mean([max(one) for one in scores]))
    assert row["min"] == pytest.approx(np.mean([min(one) for one in scores]))
    assert np.isnan(row["published_mean"])


def test_the_published_values_stand_beside_them(monkeypatch):
    shown = show(monkeypatch)
    one = shown.frame.set_index(["case", "metric", "method"]).loc["iris", "ACC", "One"]
    labels = starts_of("iris", "One")[:, 0]
    selected = np.mean([accuracy(CLASSES, labels[0, 1]), accuracy(CLASSES, labels[1, 2])])
    assert one["difference"] == pytest.approx(selected - 0.4)
    assert (one["published_mean"], one["published_std"]) == (0.45, 0.02)
    first, *_, last = shown.blocks[0].rows
    assert [cell.below for cell in first[3:5]] == [".400", ".450"]
    assert not any(cell.below for cell in last), "nothing is published for wine"
    assert (one["numbers"], shown.frame.set_index(["case", "method"]).loc[("wine", "One"), "numbers"]) == (3, 0)
    assert one["away"] == pytest.approx(
        np.mean([abs(one[s] - one[f"published_{s}"]) for s in ("selected", "mean", "std")])
    )


def test_cases_may_be_chosen(monkeypatch):
    assert set(show(monkeypatch, cases=["wine"]).frame["case"]) == {"wine"}
    assert exhibit(cases=["wine"]).needs(planned(methods=METHODS)).ensembles == ("wine",)


def test_a_row_for_each_method_counts_deviations_and_what_lies_within_ours(monkeypatch):
    shown = show(monkeypatch)
    frame, summary = shown.frame, shown.blocks[-1]
    wide = frame.pivot(index="case", columns="method", values="std")
    one, two = ([cell.text for cell in row] for row in summary.rows)
    assert one[:2] == ["ACC", "One"]
    assert one[2:4] == [f"{(wide['One'] > wide['Two']).sum()} of 2", "1 of 1"]
    assert two[2:4] == [f"{(wide['Two'] > wide['One']).sum()} of 2", "0 of 1"]
    mine = frame.set_index(["case", "method"]).loc["iris", "One"]
    assert one[4] == f"{int(mine['min'] <= 0.4 <= mine['max'])} of 1"
    assert two[4] == "0 of 1"


def test_a_failed_subset_has_no_starts(monkeypatch):
    frame = show(monkeypatch, failed=True).frame.set_index("case")
    assert frame.loc["wine", "starts"].isna().all()
    assert frame.loc["iris", "starts"].notna().all()


def test_it_needs_the_labels_of_the_methods_where_they_run():
    cases = [{"dataset": "iris", "without": ["Two"]}, "wine"]
    needs = exhibit().needs(planned(methods=METHODS, cases=cases))
    assert needs.labels == (("iris", "One"), ("wine", "One"), ("wine", "Two"))
    assert needs.ensembles == ("iris", "wine")


def test_methods_are_required():
    with pytest.raises(ValidationError, match="methods"):
        exhibit(methods=[])


def definitions(monkeypatch: pytest.MonkeyPatch, starts: dict[tuple[str, str, str], dict[str, float]]) -> Shown:
    published = Published(scores=dict.fromkeys(starts, 0.5), starts=starts)
    keys = {"id": "f1", "kind": "f1_definitions", "title": "F1", "methods": ["One", "Two"], "metric": "F-purity"}
    given = {**keys, "definitions": ["F", "F-class", "F-purity", "F-macro"]}
    return Definitions.model_validate(given).build(source_with(monkeypatch, published=published))


def test_the_definition_nearest_to_the_published_values_is_found(monkeypatch):
    """The published values are ours under one definition, in every statistic but one that is missing."""
    for true in ("F", "F-class", "F-purity", "F-macro"):
        ours = show(monkeypatch, metrics=[true]).frame.set_index(["case", "method"])
        known = {(case, "F-purity", method): dict(row[list(STATISTICS)]) for (case, method), row in ours.iterrows()}
        del known["wine", "F-purity", "Two"]["std"]
        frame = definitions(monkeypatch, known).frame.set_index("definition")
        assert frame["numbers"].tolist() == [19] * 4
        assert frame["away"].idxmin() == frame["selected_away"].idxmin() == true
        assert frame.loc[true, "away"] == pytest.approx(0)
        assert frame["pairs"].tolist() == [0] * 4, "no accuracy is published"


def test_the_difference_is_a_mean_over_the_statistics(monkeypatch):
    labels = starts_of("iris", "One")[:, 0]
    frame = definitions(monkeypatch, {("iris", "F-purity", "One"): {"selected": 0.9, "max": 0.95}}).frame
    for name, row in frame.set_index("definition").iterrows():
        scores = np.array([[score_all(CLASSES, start, [name])[name] for start in subset] for subset in labels])
        away = [abs(0.9 - (scores[0, 1] + scores[1, 2]) / 2), abs(0.95 - scores.max(axis=1).mean())]
        assert row["away"] == pytest.approx(np.mean(away))
        assert row["selected_away"] == pytest.approx(away[0])


def test_an_f1_that_the_published_accuracy_excludes_is_impossible(monkeypatch):
    """The accuracy is the largest that rounds to the published one: F-purity is (1 + .4005) / 2 at most."""
    values = {"One": 0.7007, "Two": 0.7009}
    starts = {("iris", "F-purity", method): {"selected": value} for method, value in values.items()}
    starts |= {("iris", "ACC", method): {"selected": 0.4} for method in values}
    frame = definitions(monkeypatch, starts).frame.set_index("definition")
    assert frame["pairs"].tolist() == [2] * 4
    assert frame["impossible"].tolist() == [0, 0, 1, 0]
    assert frame.loc["F-purity", "which"].startswith("Two on Iris")

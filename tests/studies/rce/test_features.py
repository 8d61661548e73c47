"""The rule takes features by the published scores of the base clusterings alone."""

from types import SimpleNamespace

import numpy as np
import pytest

from consclust.report.blocks import Shown
from consclust.scores import accuracy
from consclust_studies.config.published_tables import Published
from small import planned, source_of
from studies.rce.exhibits.features import Features

EXHIBIT = Features(kind="features")
CLASSES = np.repeat([0, 1], 50)
WRONG = {"iris": (20, 24), "iris_z": (10, 14), "iris_zu": (9, 14), "wine": (20, 24)}
"""Objects in the wrong cluster, in turn over the runs."""


def variant(name: str, case: str = "iris", **more: object) -> dict[str, object]:
    return {"id": name, "dataset": case, "of": case, "why": "unknown", "methods": ["KC"], **more}


def show(monkeypatch: pytest.MonkeyPatch, accuracy_of_base: float, *cases: dict[str, object]) -> Shown:
    study = planned(metrics=["ACC"], reported=["ACC"], variants={"cases": cases})
    published = Published(scores={(name, "ACC", "K-means"): accuracy_of_base for name in ("iris", "wine")})
    source = source_of(study, published=published)
    monkeypatch.setattr(type(source), "stored", lambda self, case: stored(case))
    return EXHIBIT.build(source)


def stored(case: str) -> SimpleNamespace:
    """Twelve runs in three subsets."""
    labels = np.array([CLASSES] * 12).T
    for run, wrong in enumerate(WRONG[case] * 6):
        labels[:wrong, run] = 1
    return SimpleNamespace(classes=CLASSES, labels=labels, members=np.arange(12).reshape(3, 4))


Z = variant("iris_z", preprocessing=["zscore"])
BOTH = variant("iris_zu", preprocessing=["zscore", "unit_norm"])


def test_means_and_distances_in_standard_errors(monkeypatch) -> None:
    row = show(monkeypatch, 0.87, Z).frame.set_index("candidate").loc["iris_z"]
    scores = [accuracy(CLASSES, run) for run in stored("iris_z").labels.T]
    error = np.std(scores, ddof=1) / np.sqrt(12)
    assert row["ACC"] == pytest.approx(0.88)
    assert row["ACC_difference"] == pytest.approx(0.01)
    assert row["ACC_errors"] == pytest.approx(0.01 / error)
    assert row["distance"] == pytest.approx(0.01 / error)
    assert row["features"] == "zscore"


@pytest.mark.parametrize(
    ("published", "chosen"), [(0.88, "iris_z"), (0.885, "iris_z"), (0.79, "iris"), (0.95, "iris"), (0.6, "iris")]
)
def test_the_fewest_steps_of_those_that_fit_or_of_all(monkeypatch, published, chosen) -> None:
    frame = show(monkeypatch, published, BOTH, Z).frame
    assert frame.loc[frame["chosen"], "candidate"].tolist() == [chosen]
    assert frame.loc[frame["own"], "candidate"].tolist() == ["iris"]


def test_only_candidates_of_features_are_compared(monkeypatch) -> None:
    other = variant("iris_pp", init="k-means++", preprocessing=["zscore"])
    frame = show(monkeypatch, 0.88, Z, other, variant("iris_again", preprocessing=[])).frame
    assert frame["candidate"].tolist() == ["iris", "iris_z"]
    study = planned(variants={"cases": [Z, other]})
    assert EXHIBIT.needs(study).ensembles == ("iris", "iris_z")


def test_the_tables_name_what_rule_and_study_take(monkeypatch) -> None:
    summary, iris = show(monkeypatch, 0.88, Z).blocks
    assert [cell.text for cell in summary.rows[0]][:4] == ["Iris", "2", "1", "zscore"]
    assert [row[-1].text for row in iris.rows] == ["study", "rule"]


def test_no_published_scores_leave_nothing_to_compare(monkeypatch) -> None:
    study = planned(metrics=["ACC"], reported=["ACC"], variants={"cases": [Z]})
    shown = EXHIBIT.build(source_of(study))
    assert shown.frame.empty

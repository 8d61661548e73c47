"""A published F1 is compared with the largest that the published accuracy allows."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from small import planned, source_of

from concord.config.published import Published
from concord.reports.exhibits.base import Shown
from concord.reports.exhibits.starts import F1Bounds

PUBLISHED = Published(
    scores={("iris", "ACC", "KC"): 0.4},
    starts={
        ("iris", "ACC", "KC"): {"selected": 0.4},
        ("iris", "F", "KC"): {"selected": 0.9},
        ("iris", "ACC", "EAC"): {"selected": 0.6},
        ("iris", "F", "EAC"): {"selected": 0.6},
        ("wine", "F", "EAC"): {"selected": 0.6},
    },
)


@pytest.fixture
def shown(monkeypatch) -> Shown:
    source = source_of(planned(), published=PUBLISHED)
    classes = np.repeat([0, 1, 2], 8)
    monkeypatch.setattr(type(source), "stored", lambda self, case: SimpleNamespace(classes=classes))
    return exhibit().build(source)


def exhibit(**more: Any) -> F1Bounds:
    given = {"id": "bounds", "kind": "f1_bounds", "title": "Bounds", "methods": ["KC", "EAC"], **more}
    return F1Bounds.model_validate(given)


def test_an_impossible_f1_is_found_and_one_without_an_accuracy_is_left_out(shown):
    known = shown.frame[["case", "method", "published_F", "possible"]].to_numpy().tolist()
    assert known == [["iris", "KC", 0.9, False], ["iris", "EAC", 0.6, True]]


def test_the_accuracy_is_the_largest_that_rounds_to_the_published_one(shown):
    assert shown.frame["purity"].iloc[0] == pytest.approx((1 + 0.4005) / 2)
    assert shown.frame["weighted"].iloc[1] == pytest.approx((2 + 0.6005) / 3)


def test_the_table_marks_the_impossible_one(shown):
    (table,) = shown.blocks
    assert [(row[1].text, row[-1].text, row[-1].bold) for row in table.rows] == [
        ("KC", "no", True),
        ("EAC", "yes", False),
    ]


def test_it_needs_the_classes():
    assert exhibit().needs(planned()).ensembles == ("iris", "wine")

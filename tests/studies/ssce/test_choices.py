"""Scores on variants of a case: a row for each, and which of them a claim counts."""

import pandas as pd
import pytest

from consclust_studies.config.paper import Claim
from consclust_studies.stages.selection import select
from small import planned, scores_of, source_of
from studies.ssce.exhibits.choices import Choices

NAMES = ("first", "second", "all")
VARIANT = {"dataset": "iris", "of": "iris", "preprocessing": [], "why": "features", "methods": ["KC", "EAC", "RCE"]}
STUDY = planned(variants={"cases": [{**VARIANT, "id": name, "title": f"Iris, {name}"} for name in NAMES]})
KEYS = {"kind": "choices", "id": "c", "title": "C", "metric": "ACC", "methods": ["KC", "EAC"], "counted": NAMES[:2]}
MEANS = {"first": {"KC": 0.4, "EAC": 0.7}, "second": {"KC": 0.7, "EAC": 0.7}, "all": {"KC": 0.1, "EAC": 0.9}}


@pytest.fixture
def source():
    parts = [select(one, scores_of(one, means=MEANS[one.cases[0].id])) for one in STUDY.split_variants()]
    return source_of(STUDY, variants=pd.concat(parts))


def count(source, question: str, within: float, **changes):
    keys = {"text": "It.", "check": "counted", "by": {"exhibit": "c", "question": question}, "within": within}
    claim = Claim.model_validate({**keys, "method": "KC", "against": ["EAC"]})
    return Choices(**{**KEYS, "beside": ["all"], **changes}).count_for_claim(question, claim, source).holds


def test_each_variant_has_a_row_with_its_own_means(source) -> None:
    shown = Choices(**KEYS, beside=["all"]).build(source)
    (table,) = shown.blocks
    assert [row[0].text for row in table.rows] == ["Iris, first", "Iris, second", "Iris, all"]
    means = shown.frame.set_index(["case", "method"])["mean"]
    assert {key: round(value, 1) for key, value in means.items()} == {
        (case, method): mean for case, of in MEANS.items() for method, mean in of.items()
    }


def test_claims_count_the_variants_that_they_speak_of(source) -> None:
    assert count(source, "fails", 0.1) == (True, False)
    assert count(source, "fails", 0.5) == (False, False)
    assert count(source, "comparable", 0.1) == (False, True)


def test_alternatives_count_where_the_question_is_whether_it_holds_anywhere(source) -> None:
    one = {"counted": ["first"], "alternatives": ["second"]}
    assert count(source, "fails", 0.1, **one) == (True,)
    assert count(source, "fails_anywhere", 0.1, **one) == (True, False)
    assert count(source, "comparable_anywhere", 0.1, **one) == (False, True)
    shown = Choices(**{**KEYS, **one}).build(source)
    assert [row[0].text for row in shown.blocks[0].rows] == ["Iris, first", "Iris, second"]


def test_a_variant_that_is_not_in_the_study_is_a_mistake() -> None:
    assert list(Choices(**KEYS).mistakes(STUDY)) == []
    assert [key for key, _ in Choices(**KEYS).mistakes(planned())] == ["counted", "counted"]

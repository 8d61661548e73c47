"""Which part of the report standard exhibits belong to where a study does not list them."""

import pytest

from consclust_studies.config.exhibit_kinds import engine_kinds
from consclust_studies.exhibits.scores import Scores
from consclust_studies.plan.load import add_standard_exhibits
from small import planned

CLAIM = {"text": "KC is best.", "check": "best", "method": "KC", "metric": "ACC"}
KINDS = engine_kinds().values()


def test_what_stands_before_a_studys_own_exhibits_is_of_the_paper_and_the_rest_an_appendix() -> None:
    added = add_standard_exhibits(planned(published=["table2"], claims=[CLAIM])).exhibits
    places = {exhibit.kind: type(exhibit).place for exhibit in added}
    paper = {exhibit.kind for exhibit in added if exhibit.part == "paper"}
    assert paper == {kind for kind, place in places.items() if place < 0}
    assert {"scores", "claims", "datasets"} <= paper
    assert {exhibit.part for exhibit in added if exhibit.kind not in paper} == {"appendix"}
    assert {"agreement", "runtime"} <= {exhibit.kind for exhibit in added} - paper


def test_the_main_table_stands_beside_others_of_its_kind_and_other_standard_ones_once() -> None:
    listed = [{"kind": "scores", "id": "few", "title": "Few"}, {"kind": "runtime", "id": "seconds"}]
    exhibits = add_standard_exhibits(planned(exhibits=listed)).exhibits
    assert [exhibit.id for exhibit in exhibits if exhibit.kind == "scores"] == ["table2", "few"]
    assert [exhibit.id for exhibit in exhibits if exhibit.kind == "runtime"] == ["seconds"]


def test_what_a_study_lists_is_of_the_paper_unless_it_says_otherwise() -> None:
    listed = {"kind": "scores", "id": "table3", "title": "Table 3"}
    assert Scores.model_validate(listed).part == "paper"
    assert Scores.model_validate({**listed, "part": "beyond"}).part == "beyond"
    with pytest.raises(ValueError, match="part"):
        Scores.model_validate({**listed, "part": "x"})


def test_every_chapter_of_a_kind_is_one_that_a_report_has() -> None:
    from consclust_studies.document.document import APPENDICES, PAPER

    assert {cls.chapter for cls in KINDS} <= {*PAPER, *APPENDICES}

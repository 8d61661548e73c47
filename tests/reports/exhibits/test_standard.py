"""Which part of the report standard exhibits belong to where a study does not list them."""

import pytest

from consclust_studies.exhibits import KINDS, standard
from consclust_studies.exhibits.scores import Scores


def test_what_stands_before_a_studys_own_exhibits_is_of_the_paper_and_the_rest_an_appendix() -> None:
    places = {exhibit.kind: type(exhibit).place for exhibit in standard()}
    paper = {exhibit.kind for exhibit in standard() if exhibit.part == "paper"}
    assert paper == {kind for kind, place in places.items() if place < 0}
    assert {"scores", "claims", "datasets"} <= paper
    assert {exhibit.part for exhibit in standard() if exhibit.kind not in paper} == {"appendix"}


def test_what_a_study_lists_is_of_the_paper_unless_it_says_otherwise() -> None:
    listed = {"kind": "scores", "id": "table3", "title": "Table 3"}
    assert Scores.model_validate(listed).part == "paper"
    assert Scores.model_validate({**listed, "part": "beyond"}).part == "beyond"
    with pytest.raises(ValueError, match="part"):
        Scores.model_validate({**listed, "part": "x"})


def test_every_chapter_of_a_kind_is_one_that_a_report_has() -> None:
    from consclust_studies.document.document import APPENDICES, PAPER

    assert {cls.chapter for cls in KINDS} <= {*PAPER, *APPENDICES}

"""Which part of the report standard exhibits belong to where a study does not list them."""

import re
from pathlib import Path

import pytest

from consclust_studies.exhibits import KINDS, standard
from consclust_studies.exhibits.base import Exhibit
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


def test_the_guide_names_the_keys_of_every_kind() -> None:
    guide = (Path(__file__).parents[3] / "config/README.md").read_text(encoding="utf-8")
    rows = {
        kind: {*re.findall("`([a-z_]+)`", keys)} for kind, keys in re.findall(r"^\| `(\w+)` \|.*\|(.*)\|$", guide, re.M)
    }
    common = {*Exhibit.model_fields, "kind", "id", "title"}
    own = {cls.model_fields["kind"].annotation.__args__[0]: {*cls.model_fields} - common for cls in KINDS}
    assert {kind: rows.get(kind) for kind in own} == own

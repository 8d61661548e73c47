import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from consclust.report import markup
from consclust.report.blocks import Cell, Table, Text
from consclust.report.items import heading, number_items, paragraph, table
from consclust.report.markup import fragment, orders, page
from consclust.report.wording import DASH, MINUS
from consclust_studies.document.discussion import make_discussion_items

SVG = (
    '<?xml version="1.0"?>\n<!DOCTYPE svg SYSTEM "http://www.w3.org/x.dtd">\n<svg xmlns="http://www.w3.org/2000/svg">'
    '<metadata>x</metadata><defs><path id="m1"/></defs><use href="#m1" clip-path="url(#m1)"/></svg>'
)
ELSEWHERE = r"""(?:src|href)\s*=\s*["']?(?!["']?(?:#|data:))|@import|url\(\s*["']?http|<(?:link|iframe)"""
"""What would make a browser read something else than the page."""


class Balanced(HTMLParser):
    """Checks that every element is closed, and keeps the text outside scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.said = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data if self.open and self.open[-1] not in ("script", "style") else ""


def content(**changes):
    cells = table(("Claim", "Verdict"), [["a < b", "reproduced"]], "Caption & more.")
    cells["rows"][0][0].update(bold=True, mark="a", below="below")
    cells.update(notes=(("a", "A note."),))
    pictures = [{"type": "picture", "file": f"{name}.svg", "caption": "C.", "width": 1, "height": 1} for name in "xy"]
    (points,) = make_discussion_items("- *one* < `two`\n- three", {}, "", False)
    notes = [{**paragraph("Of the PDF."), "only": "pdf"}, {**paragraph("Of the page."), "only": "html"}]
    items = [heading("Section"), paragraph("Text."), cells, *pictures, points, heading("Below", 3), *notes]
    return {
        **{"title": "T <i>", "study": "s", "version": "1", "relation": "After", "paper": "P", "restricted": ""},
        **{"kind": "study", "abstract": "A.", "tones": {"reproduced": "good"}, "references": ["A work."]},
        "chapters": [
            {"title": "Results", "number": "1", "items": number_items(items, "1")},
            {"title": "Data", "number": "A", "items": number_items(items, "A")},
        ],
        **changes,
    }


@pytest.fixture
def pictures(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "x.svg", tmp_path / "y.svg"]
    for path in paths:
        path.write_text(SVG)
    return paths


def test_the_page_is_balanced_escaped_and_needs_no_other_file(pictures: list[Path]) -> None:
    made = page(content(), pictures)
    parser = Balanced()
    parser.feed(made)
    assert all(label in parser.said for label in ("Table 1.1.", "Figure 1.2.", "Table A.1."))
    assert parser.open == []
    assert len(made) < 2_000_000, "of at most 5 MB, the rest is for pictures"
    assert "a &lt; b" in made
    assert "<em>one</em> &lt; <code>two</code>" in re.sub(r"(?<=>)\n|\n(?=<)", "", made)
    assert "<title>T &lt;i&gt;</title>" in made
    assert '<span class="good">reproduced</span>' in made
    assert not re.search(ELSEWHERE, made)
    assert "dtd" not in re.sub(r"base64,[\w+/=]+", "", made)
    assert "Of the page." in parser.said
    assert "Of the PDF." not in parser.said


@pytest.mark.parametrize("wrong", ['<script src="http://x/a.js">', "<img src=a.png>", '<link href="#">', "@import 'x'"])
def test_what_would_be_read_from_elsewhere_is_found(wrong: str) -> None:
    assert re.search(ELSEWHERE, wrong)


def test_identifiers_of_two_pictures_differ(pictures: list[Path]) -> None:
    made = page(content(chapters=content()["chapters"][:1]), pictures)
    ids = re.findall(r'\bid="([^"]+)"', made)
    assert len(ids) == len(set(ids))
    assert {"x-m1", "y-m1"} <= set(ids)
    assert set(re.findall(r'<a href="#([^"]+)"', made)) <= set(ids)


def test_a_large_picture_becomes_pixels(pictures: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    Image.new("RGB", (3 * markup.PIXELS, 30), "red").save(pictures[1].with_suffix(".png"))
    pictures[1].write_text(SVG + " " * 100)
    monkeypatch.setattr(markup, "DRAWN_IN_FULL", len(SVG))
    made = page(content(), pictures)
    assert "x-m1" in made
    assert "y-m1" not in made
    assert made.count('src="data:image/webp;base64,') == 2  # it stands in both chapters


def test_a_restricted_run_is_labelled(pictures: list[Path]) -> None:
    assert 'class="restricted"' not in page(content(), pictures)
    assert '<p class="restricted">Only iris.</p>' in page(content(restricted="Only iris."), pictures)


def test_columns_of_numbers_are_sorted_by_these() -> None:
    texts = [
        ["1", ".5 ± .1", f"{MINUS}.2", "350 ms", "<.001", "x"],
        ["2", DASH, "+.1", "1.5 s", ".25", "4"],
        ["3", ".75 ± .2", "", "2 h", "11\N{EN DASH}15", "5"],
    ]
    rows = [[{"text": word} for word in row] for row in texts]
    assert orders(rows, 1) == [
        [None, "0.5", "-0.2", "0.35", "0.001", None],
        [None, "", "0.1", "1.5", "0.25", None],
        [None, "0.75", "", "7200", "11", None],
    ]
    assert orders([], 1) == []


def test_the_page_of_an_exhibit_has_its_tables_alone() -> None:
    made = fragment(
        "x", "X <i>", "About & x.", (Table(title="A", header=("B",), rows=((Cell(text="<c>"),),)), Text(text="End."))
    )
    parser = Balanced()
    parser.feed(made)
    assert parser.open == []
    assert [word in parser.said for word in ("X <i>", "About & x.", "A.", "B", "<c>", "End.")] == [True] * 6
    assert not re.search(ELSEWHERE + "|<script", made)

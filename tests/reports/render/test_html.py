import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from concord.reports.document import heading, paragraph, table
from concord.reports.document.discussion import discussion_items
from concord.reports.render.text import page

SVG = (
    '<?xml version="1.0"?>\n<!DOCTYPE svg SYSTEM "http://www.w3.org/x.dtd">\n<svg xmlns="http://www.w3.org/2000/svg">'
    '<metadata>x</metadata><defs><path id="m1"/></defs><use href="#m1" clip-path="url(#m1)"/></svg>'
)


class Balanced(HTMLParser):
    """Checks that every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def content(**changes):
    cells = table(("Claim", "Verdict"), [["a < b", "reproduced"]], "Caption & more.")
    cells["rows"][0][0].update(bold=True, mark="a", below="below")
    cells.update(notes=(("a", "A note."),))
    pictures = [{"type": "picture", "file": f"{name}.svg", "caption": "C.", "width": 1, "height": 1} for name in "xy"]
    (points,) = discussion_items("- *one* < `two`\n- three", {}, "", False)
    items = [heading("Section"), paragraph("Text."), cells, *pictures, points]
    return {
        **{"title": "T <i>", "study": "s", "version": "1", "relation": "After", "paper": "P", "restricted": ""},
        **{"abstract": "A.", "tones": {"reproduced": "good"}, "references": ["A work."]},
        "chapters": [{"title": "Results", "items": items}],
        **changes,
    }


@pytest.fixture
def pictures(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "x.svg", tmp_path / "y.svg"]
    for path in paths:
        path.write_text(SVG)
    return paths


def test_the_page_is_balanced_escaped_and_needs_no_other_file(pictures: list[Path]) -> None:
    text = page(content(), pictures)
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    assert "a &lt; b" in text
    assert "<em>one</em> &lt; <code>two</code>" in re.sub(r"(?<=>)\n|\n(?=<)", "", text)
    assert "<title>T &lt;i&gt;</title>" in text
    assert '<span class="good">reproduced</span>' in text
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "dtd" not in text


def test_identifiers_of_two_pictures_differ(pictures: list[Path]) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page(content(), pictures))
    assert len(ids) == len(set(ids))
    assert {"x-m1", "y-m1"} <= set(ids)


def test_a_restricted_run_is_labelled(pictures: list[Path]) -> None:
    assert 'class="restricted"' not in page(content(), pictures)
    assert '<p class="restricted">Only iris.</p>' in page(content(restricted="Only iris."), pictures)

from pathlib import Path
from typing import Any

import pytest

from concord.reports.document import heading, paragraph, table
from concord.reports.document.discussion import discussion_items
from concord.reports.render.typst import groups, write_pdf

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"><path d="M0 0L72 36" stroke="black"/></svg>'
TALL = [["word"] * 3] * 90


def picture(width: float, height: float) -> dict[str, Any]:
    return {"type": "picture", "width": width, "height": height, "caption": "A line.", "file": "figure1.svg"}


def said(*items: dict[str, Any], **changes: Any) -> dict[str, Any]:
    title = {"title": "T", "study": "s", "version": "1", "relation": "After", "paper": "", "restricted": ""}
    rest = {"abstract": "A #b *c* $d$ @e.", "tones": {"reproduced": "good"}, "references": ["A work."]}
    return {**title, **rest, "chapters": [{"title": "Results", "items": list(items)}], **changes}


def only(item: dict[str, Any]) -> dict[str, Any]:
    (group,) = groups([{"title": "Results", "items": [item]}])
    return {**group["items"][1], "group": group["wide"]}


def test_a_narrow_table_is_upright_and_a_wide_one_in_landscape() -> None:
    narrow, wide = (only(table(("x",) * n, [[".436 ± .012"] * n])) for n in (5, 14))
    assert (narrow["wide"], narrow["group"], narrow["size"]) == (False, False, 9.0)
    assert (wide["wide"], wide["group"]) == (True, True)
    assert wide["size"] >= 8
    assert only(table(("x",) * 30, [[".436 ± .012"] * 30]))["size"] < 8


def test_sentences_break_into_lines_and_numbers_do_not() -> None:
    found = only(table(("Claim", "n"), [["a sentence of words " * 8, "12"]]))
    assert found["columns"][0] > 0
    assert found["columns"][1] is None
    assert not found["wide"]


def test_only_long_tables_break_across_pages() -> None:
    assert not only(table(("a",), [["x"]] * 24))["long"]
    assert only(table(("a",), [["x"]] * 25))["long"]


def test_a_section_with_a_wide_table_lies_with_its_heading() -> None:
    wide = table(("x",) * 14, [[".436 ± .012"] * 14])
    items = [heading("One"), paragraph("p"), heading("Two"), wide, heading("Three"), paragraph("q")]
    found = groups([{"title": "Results", "items": items}])
    assert [group["wide"] for group in found] == [False, True, False]
    assert [item["type"] for item in found[0]["items"]] == ["heading", "heading", "paragraph"]
    assert found[1]["items"][0]["text"] == "Two"


def test_a_picture_keeps_its_size_or_shrinks_to_the_page() -> None:
    small, tall, broad = (only(picture(*size)) for size in ((3, 2), (3, 20), (16, 4)))
    assert (small["width"], small["height"], small["wide"]) == (216, 144, False)
    assert tall["height"] == pytest.approx(600)
    assert broad["wide"]
    assert broad["width"] / broad["height"] == pytest.approx(4)


def test_the_pdf_is_the_same_bytes_again(tmp_path: Path) -> None:
    figure = tmp_path / "figure1.svg"
    figure.write_text(SVG)
    marked = table(("A", "B", "C"), TALL, "Long.")
    marked["rows"][0][0].update(bold=True, mark="a", below="reproduced")
    marked.update(title="ACC", notes=(("a", "A #note_"),), rules=(3,))
    lists = discussion_items("A `b_#` *c*\nd **e**.\n\n- one\n  1. *two*\n- three", {}, "", False)
    wide = table(("x",) * 14, [[".436 ± .012"] * 14])
    content = said(heading("H"), marked, picture(1, 0.5), *lists, wide, restricted="Only x.", paper="P. [1]")
    for name in ("1.pdf", "2.pdf"):
        write_pdf(content, [figure], tmp_path / name)
    assert (tmp_path / "1.pdf").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "1.pdf").read_bytes() == (tmp_path / "2.pdf").read_bytes()

from pathlib import Path
from typing import Any

import pytest

from consclust.report.items import heading, number_items, paragraph, table
from consclust.report.typst_pdf import BLOCK, LINES, groups, write_pdf
from consclust_studies.document.discussion import make_discussion_items

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt"><path d="M0 0L72 36" stroke="black"/></svg>'
TALL = [["word"] * 3] * 90


def picture(width: float, height: float) -> dict[str, Any]:
    return {"type": "picture", "width": width, "height": height, "caption": "A line.", "file": "figure1.svg"}


def chapter(*items: dict[str, Any]) -> dict[str, Any]:
    return {"title": "Results", "number": "1", "items": number_items(items, "1")}


def said(*items: dict[str, Any], **changes: Any) -> dict[str, Any]:
    title = {"title": "T", "study": "s", "version": "1", "relation": "After", "paper": "", "restricted": ""}
    rest = {"kind": "study", "abstract": "A #b *c* $d$ @e.", "tones": {"reproduced": "good"}, "references": ["A work."]}
    return {**title, **rest, "chapters": [chapter(*items)], **changes}


def laid_out(*items: dict[str, Any]) -> list[dict[str, Any]]:
    (group,) = groups([chapter(*items)])
    return [{**item, "group": group["wide"]} for item in group["items"][1:]]


def only(item: dict[str, Any]) -> dict[str, Any]:
    (found,) = laid_out(item)
    return found


def test_a_table_with_many_columns_stands_in_parts_that_begin_with_its_first_column() -> None:
    header = ["Method", *(f"c{n}" for n in range(14))]
    wide = table(header, [["KC", *[".436 ± .012"] * 14]] * 3, "Caption.", left=1)
    wide.update(title="ACC", notes=(("a", "Note."),))
    first, second = laid_out(wide)
    assert [first["header"], second["header"]] == [header[:8], ["Method", *header[8:]]]
    assert all(len(row) == 8 for part in (first, second) for row in part["rows"])
    assert [(part["label"], part["title"], part["caption"], len(part["notes"])) for part in (first, second)] == [
        ("Table 1.1", "ACC", "Caption.", 0),
        ("", "", "", 1),
    ]
    assert not first["group"]
    narrow = only(table(("x",) * 5, [[".436 ± .012"] * 5]))
    assert not narrow["wide"]
    assert first["size"] == second["size"] == narrow["size"], "all tables have one size"


def test_columns_of_text_that_no_part_can_hold_lie_in_landscape() -> None:
    found = only(table(("x",) * 14, [[".436 ± .012"] * 14]))
    assert (found["wide"], found["group"], found["size"] >= 8) == (True, True, True)
    assert only(table(("x",) * 30, [[".436 ± .012"] * 30]))["size"] < 8


def test_a_table_of_an_appendix_is_cut_to_a_page_and_says_where_the_rest_is() -> None:
    long = {**table(("a", "b"), [["x", "1"]] * 90), "file": "grids.svg"}
    found = only({**long, "whole": False})
    assert len(found["rows"]) == LINES
    assert found["rest"] == f"{90 - LINES} further rows: report.html, grids.csv."
    assert (len(only(long)["rows"]), only(long)["rest"]) == (90, "")
    wide = {**table(["a", *["b"] * 14], [["x", *[".436 ± .012"] * 14]] * 90, left=1), "file": "x.svg", "whole": False}
    assert [len(part["rows"]) for part in laid_out(wide)] == [LINES // 2] * 2


def test_what_is_only_of_the_page_is_not_set() -> None:
    assert laid_out({**paragraph("x"), "only": "html"}, {**paragraph("y"), "only": "pdf"})[0]["text"] == "y"


def test_a_section_names_the_tables_that_only_the_page_has() -> None:
    first, second, third, fourth = (table(("a",), [[word]]) for word in "abcd")
    on_page = {"only": "html"}
    items = [heading("One"), first, second | on_page, third | on_page, heading("Two"), paragraph("p"), fourth | on_page]
    kept = [item.get("text") or item["label"] for item in laid_out(*items)]
    assert kept == [
        "One", "Table 1.1", "Only in report.html: Tables 1.2 to 1.3.", "Two", "p", "Only in report.html: Table 1.4."
    ]  # fmt: skip


def test_sentences_break_into_lines_and_numbers_do_not() -> None:
    found = only(table(("Claim", "n"), [["a sentence of words " * 8, "12"]]))
    assert found["columns"][0] > 0
    assert found["columns"][1] is None
    assert not found["wide"]


def test_sentences_take_shorter_lines_before_their_table_lies_in_landscape() -> None:
    """An upright page holds 114 characters of this size; lines of sentences have 26, or 20 where that is enough."""
    sentence = "a sentence of words " * 8
    assert not only(table(("x",) * 4, [[sentence] * 4]))["wide"]
    assert not only(table(("x",) * 5, [[sentence] * 5]))["wide"]
    assert only(table(("x",) * 6, [[sentence] * 6]))["wide"]
    long_words = only(table(("x",) * 5, [["pneumonoultramicroscopicsilico " * 8] * 5]))
    assert long_words["wide"], "words are not divided"


def test_only_long_tables_break_across_pages() -> None:
    assert not only(table(("a",), [["x"]] * BLOCK))["long"]
    assert only(table(("a",), [["x"]] * (BLOCK + 1)))["long"]


def test_a_section_with_a_wide_table_lies_with_its_heading() -> None:
    wide = table(("x",) * 14, [[".436 ± .012"] * 14])  # all of its columns are of text
    items = [heading("One"), paragraph("p"), heading("Two"), wide, heading("Three"), paragraph("q")]
    found = groups([chapter(*items)])
    assert [group["wide"] for group in found] == [False, True, False]
    assert [item["type"] for item in found[0]["items"]] == ["heading", "heading", "paragraph"]
    assert found[1]["items"][0]["text"] == "Two"


def test_a_picture_keeps_its_size_or_shrinks_to_the_page() -> None:
    small, tall, broad = (laid_out(picture(*size))[0] for size in ((3, 2), (3, 20), (16, 4)))
    assert (small["width"], small["height"], small["wide"]) == (216, 144, False)
    assert tall["height"] == pytest.approx(600)
    assert broad["wide"]
    assert broad["width"] / broad["height"] == pytest.approx(4)


def test_a_section_of_pictures_alone_says_where_they_are() -> None:
    items = [heading("One"), picture(3, 2), picture(3, 2), heading("Two"), picture(3, 2), paragraph("p")]
    kept = [item["text"] for item in laid_out(*items) if item["type"] != "picture"]
    assert kept == ["One", "See Figure 1.1 and Figure 1.2.", "Two", "p"]


def test_the_pdf_is_the_same_bytes_again(tmp_path: Path) -> None:
    figure = tmp_path / "figure1.svg"
    figure.write_text(SVG)
    marked = table(("A", "B", "C"), TALL, "Long.")
    marked["rows"][0][0].update(bold=True, mark="a", below="reproduced")
    marked.update(title="ACC", notes=(("a", "A #note_"),), rules=(3,))
    lists = make_discussion_items("A `b_#` *c*\nd **e**.\n\n- one\n  1. *two*\n- three", {}, "", False)
    wide = table(("x",) * 14, [[".436 ± .012"] * 14])
    content = said(heading("H"), marked, picture(1, 0.5), *lists, wide, restricted="Only x.", paper="P. [1]")
    for name in ("1.pdf", "2.pdf"):
        write_pdf(content, [figure], tmp_path / name)
    assert (tmp_path / "1.pdf").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "1.pdf").read_bytes() == (tmp_path / "2.pdf").read_bytes()

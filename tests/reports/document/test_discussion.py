import numpy as np
import pandas as pd
import pytest

from consclust.errors import InputError
from consclust.report.wording import DASH, MINUS
from consclust_studies.document.discussion import LEFT_OUT, make_discussion_items

TABLE = pd.DataFrame(
    {
        "case": ["yale", "yale", "orl"],
        "row": ["RCE (default)", "KC", "KC"],
        "mean": [0.4364, 0.4, np.nan],
        "difference": [-0.012, 0.0, 0.1],
        "n": [10, 10, 9],
        "note": ["a_b *c*", "", ""],
    }
)


def items(text: str, restricted: bool = False):
    return make_discussion_items(text, {"table2": TABLE}, "discussion.md", restricted)


def words(item) -> str:
    return item["text"] + "".join(map(words, item.get("children", ())))


def filled(placeholder: str) -> str:
    (item,) = items(f"x {{{{{placeholder}}}}} y")
    return words(item).removeprefix("x ").removesuffix(" y")


@pytest.mark.parametrize(
    ("placeholder", "expected"),
    [
        ('table2 case=yale row="RCE (default)" mean', ".436"),
        ('table2 case=yale\n row="RCE (default)" difference:+', f"{MINUS}.012"),
        ("table2 case=orl n", "9"),
        ("table2 case=orl difference:.1g", "0.1"),
        ("table2 case=orl mean", DASH),
        ("table2 mean=0.4364 note", "a_b *c*"),
    ],
)
def test_a_placeholder_becomes_its_number(placeholder: str, expected: str) -> None:
    assert filled(placeholder) == expected


@pytest.mark.parametrize(
    ("placeholder", "message"),
    [
        ("table2 case=yale mean", "2 rows match; add conditions"),
        ("table2 case=iris mean", "0 rows match; correct the conditions"),
        ("table2 case=orl men", "no column 'men'; did you mean \"mean\"?"),
        ("table2 cases=orl mean", "no column 'cases'"),
        ("table3 case=orl mean", "no exhibit 'table3'; did you mean \"table2\"?"),
        ("table2", "write an exhibit"),
        ('table2 row="KC mean', "write an exhibit"),
        ("table2 case=orl difference:q", "'q' is not a format"),
        ("table2 case=orl note:+", "'\\+' is not a format"),
    ],
)
def test_a_placeholder_without_exactly_one_value_is_a_mistake(placeholder: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"discussion\.md: \{{\{{table.*\}}\}}: .*{message}"):
        filled(placeholder)


@pytest.mark.parametrize("absent", ["table2 case=iris mean", "figure1 case=yale mean"])
def test_sections_with_what_a_restricted_run_does_not_have_are_left_out(absent: str) -> None:
    text = f"First.\n\n## A\n\n- one\n- two {{{{{absent}}}}}\n\n## B\n\n{{{{table2 case=orl n}}}} subsets.\n\n### C\n\n"
    text += f"Words.\n\n{{{{{absent}}}}}\n\n## D\n\n### E\n\n{{{{{absent}}}}}\n\n## F\n\n### G\n\nLast.\n"
    found = [words(item) for item in items(text, restricted=True)]
    assert found == ["First.", "B", "9 subsets.", "F", "G", "Last.", LEFT_OUT]


def test_a_discussion_without_any_complete_section_is_a_sentence() -> None:
    found = items("Text {{table2 case=iris mean}}\n\n## A\n\n{{table2 case=iris mean}}", restricted=True)
    assert [words(item) for item in found] == [LEFT_OUT]


def test_a_restricted_run_that_has_everything_leaves_nothing_out() -> None:
    assert [words(item) for item in items("## A\n\n{{table2 case=orl n}}\n\n## B", restricted=True)] == ["A", "9", "B"]


def test_a_restricted_run_still_refuses_two_rows() -> None:
    with pytest.raises(InputError, match="2 rows match"):
        items("{{table2 case=yale mean}}", restricted=True)


def test_markdown_becomes_items() -> None:
    text = "# Why\n\nA *b* **c** `d_e`\nnext.\n\n- one\n- **two**\n\n1. first\n   - inner\n\n"
    text += "| A | B |\n|---|---|\n| x | y *z* |\n"
    heading, paragraph, bullets, steps, table = items(text)
    assert (heading["text"], heading["level"]) == ("Why", 2)
    assert [(n["tag"], words(n)) for n in paragraph["children"][0]["children"] if n["tag"]] == [
        ("em", "b"),
        ("strong", "c"),
        ("code", "d_e"),
    ]
    assert words(paragraph) == "A b c d_e next."
    assert (bullets["tag"], [(n["tag"], words(n)) for n in bullets["children"]]) == (
        "ul",
        [("li", "one"), ("li", "two")],
    )
    assert (steps["tag"], [n["tag"] for n in steps["children"][0]["children"]]) == ("ol", ["", "ul"])
    assert table["header"] == ("A", "B")
    assert [cell["text"] for cell in table["rows"][0]] == ["x", "y z"]


@pytest.mark.parametrize(
    ("text", "kind"), [("a\n\n> b", "blockquote"), ("a\n\n[b](c)", "link"), ("a\n\n- > b", "blockquote")]
)
def test_markdown_that_cannot_be_set_is_refused_with_its_line(text: str, kind: str) -> None:
    with pytest.raises(InputError, match=rf"discussion\.md: line 3: {kind} is not supported; use"):
        items(text)

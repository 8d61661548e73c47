import pytest

from consclust.report.blocks import Cell, Table, Text
from consclust.report.markup import in_markdown, markdown

TABLE = Table(
    title="ACC",
    header=("Data set", "a_b", "x|y"),
    rows=((Cell(text="iris"), Cell(text=".9", bold=True, mark="*", below=".8"), Cell(text="")),),
    notes=(("*", "a <note>"),),
)


def test_a_table_has_its_title_aligned_columns_and_escaped_cells() -> None:
    text = markdown("table2", "Table_2", "A *caption*\nin two lines.", (TABLE, Text(text="End.")))
    assert text.splitlines() == [
        "# Table\\_2",
        "",
        "A \\*caption\\* in two lines.",
        "",
        "**ACC**",
        "",
        "| Data set | a\\_b | x\\|y |",
        "| :--- | ---: | ---: |",
        "| iris | **.9**<sup>\\*</sup><br>.8 |  |",
        "",
        "<sup>\\*</sup> a \\<note>",
        "",
        "End.",
    ]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("[x](https://a.b)", r"[x\](https://a.b)"),
        ("![](https://a.b/pixel)", r"![\](https://a.b/pixel)"),
        ("[x][y], [y]: https://a.b", r"[x\][y], [y\]: https://a.b"),
        ("a footnote [5] in (0, 1]", "a footnote [5] in (0, 1]"),
        ("$x^2$", r"\$x^2\$"),
        ("&lt;b&gt; and R&D", r"\&lt;b\&gt; and R&D"),
    ],
)
def test_a_text_makes_no_link_picture_formula_or_entity(text: str, escaped: str) -> None:
    assert in_markdown(text) == escaped

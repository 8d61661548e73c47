import pandas as pd

from concord.reports.exhibits.base import Cell, Shown, Table, Text
from concord.reports.render.text import markdown

TABLE = Table(
    title="ACC",
    header=("Data set", "a_b", "x|y"),
    rows=((Cell(text="iris"), Cell(text=".9", bold=True, mark="*", below=".8"), Cell(text="")),),
    notes=(("*", "a <note>"),),
)


def test_a_table_has_its_title_aligned_columns_and_escaped_cells() -> None:
    text = markdown("Table_2", Shown(pd.DataFrame(), (TABLE, Text(text="End.")), "A *caption*\nin two lines."))
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

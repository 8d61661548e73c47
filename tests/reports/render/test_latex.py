import pandas as pd
import pytest

from concord.findings.values import DASH, MINUS
from concord.reports.exhibits.base import Cell, Shown, Table, Text
from concord.reports.render.text import in_latex, latex


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50 % of a_b & #1", r"50 \% of a\_b \& \#1"),
        ("\\{x}~^$", r"\textbackslash{}\{x\}\textasciitilde{}\textasciicircum{}\$"),
        (f".5 ± .1, {MINUS}.2", r".5 $\pm$ .1, $-$.2"),
        ("λ₁₂ ∈ 10⁻⁴", r"$\lambda$$_{12}$ $\in$ 10$^{-4}$"),
        (f"{DASH} und ü", "-- und ü"),
    ],
)
def test_special_characters_and_symbols(text: str, expected: str) -> None:
    assert in_latex(text) == expected


def test_each_table_is_labelled_and_the_first_has_the_caption() -> None:
    cells = (Cell(text="x"), Cell(text=".9", bold=True, mark="a", below=".8"))
    tables = [
        Table(title=title, header=("A", "B"), rows=(cells, cells), rules=(1,), notes=(("a", "5 %"),))
        for title in ("ACC", "NMI")
    ]
    text = latex("table2", "Table 2", Shown(pd.DataFrame(), (*tables, Text(text="A & B")), "Said once."))
    assert r"\caption{Table 2. ACC. Said once.}\label{tab:table2}" in text
    assert r"\caption{Table 2. NMI.}\label{tab:table2-2}" in text
    assert r"\begin{tabular}{lr}" in text
    assert r"x & \shortstack{\textbf{.9}\textsuperscript{a}\\{\scriptsize .8}} \\" in text
    assert text.count(r"\midrule") == 4
    assert r"\textsuperscript{a} 5 \%" in text
    assert text.endswith("A \\& B\n")


def test_sentences_in_cells_break_into_lines() -> None:
    table = Table(title="", header=("A", "B"), rows=((Cell(text="a word " * 9), Cell(text="1")),))
    assert r"\begin{tabular}{p{0.3\linewidth}r}" in latex("x", "X", Shown(pd.DataFrame(), (table,)))

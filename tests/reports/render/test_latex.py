import re

import pytest

from consclust.report.blocks import Cell, Picture, Table, Text
from consclust.report.markup import in_latex, latex
from consclust.report.wording import DASH, MINUS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50 % of a_b & #1", r"50 \% of a\_b \& \#1"),
        ("\\{x}~^$", r"\textbackslash{}\{x\}\textasciitilde{}\textasciicircum{}\$"),
        (f".5 ± .1, {MINUS}.2", r".5 $\pm$ .1, $-$.2"),
        ("λ₁₂ ∈ 10⁻⁴", r"$\lambda$$_{12}$ $\in$ 10$^{-4}$"),
        (f"{DASH} und ü", "-- und ü"),
        ("[1] x", "{[}1] x"),
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
    text = latex("table2", "Table 2", "Said once.", (*tables, Text(text="A & B")))
    assert r"\caption{Table 2. ACC. Said once.}\label{tab:table2}" in text
    assert r"\caption{Table 2. NMI.}\label{tab:table2-2}" in text
    assert r"\begin{tabular}{lr}" in text
    assert r"x & \shortstack{\textbf{.9}\textsuperscript{a}\\{\scriptsize .8}} \\" in text
    assert text.count(r"\midrule") == 4
    assert r"\textsuperscript{a} 5 \%" in text
    assert text.endswith("A \\& B\n")


def test_a_table_of_the_exhibits_own_title_has_it_once() -> None:
    table = Table(title="Data sets", header=("A",), rows=((Cell(text="x"),),))
    assert r"\caption{Data sets. Of the study.}" in latex("table1", "Data sets", "Of the study.", (table,))


def test_sentences_in_cells_break_into_lines() -> None:
    table = Table(title="", header=("A", "B"), rows=((Cell(text="a word " * 9), Cell(text="1")),))
    assert r"\begin{tabular}{p{0.3\linewidth}r}" in latex("x", "X", "", (table,))


def mistakes(text: str) -> list[str]:
    """What keeps LaTeX from compiling: environments and braces that do not match, rows of another length, symbols."""
    found, open_ = [], list[str]()
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            open_.append(name)
        elif not open_ or open_.pop() != name:
            found.append(f"end of {name}")
    bare = re.sub(r"\\[\\{}&%$#_]", "", text)
    found += [f"{name} is open" for name in open_] + ["braces"] * (bare.count("{") != bare.count("}"))
    for columns, body in re.findall(
        r"\\begin\{(?:tabular|longtable)\}\{([^\n]*)\}\n(.*?)\\bottomrule", text, re.DOTALL
    ):
        n = len(re.findall("[lrp]", re.sub(r"\{[^}]*\}", "", columns)))
        rows = re.findall(r"^(?!\\caption)(.*) \\\\$", body, re.MULTILINE)
        found += [row for row in rows if len(re.split(r"(?<!\\)&", row)) != n]
    return found + re.findall(r"[^\x00-\xff]", text)


def table(rows: int) -> Table:
    texts = "50 % & λ₁", "[1] “a” [2]", f"{MINUS}.5 ± .1 → 10⁻⁴"
    cells = tuple(
        Cell(text=text, bold=bold, mark="†", below="x_y") for text, bold in zip(texts, (0, 1, 0), strict=True)
    )
    return Table(title="A & B", header=("A_b", "τ", "|Δ|"), rows=(cells,) * rows, rules=(0, 1), notes=(("†", "5 %"),))


@pytest.mark.parametrize("rows", [1, 90])
def test_what_is_written_has_the_form_that_latex_takes(rows: int) -> None:
    blocks = (table(rows), Text(text="{x} \\ $5"), Picture(width=3, height=2), table(2))
    text = latex("figure1", "Figure_1", "About λ₁ & more", blocks)
    assert mistakes(text) == []
    assert text.count(r"\begin{longtable}") == (rows == 90)
    assert r"\includegraphics[width=\linewidth]{figure1}" in text
    assert text.count("About") == 1


@pytest.mark.parametrize("wrong", [r"\begin{table}", "{", r"\end{table}", "▲"])
def test_the_check_of_the_form_finds_mistakes(wrong: str) -> None:
    assert mistakes(latex("x", "X", "", (table(2),)) + wrong)


def test_an_exhibit_without_tables_says_its_caption() -> None:
    assert latex("x", "X", "Nothing failed.", ()).splitlines()[1] == "X. Nothing failed."

"""Exhibits as LaTeX: a table of the package booktabs for every table."""

import re
import unicodedata

from concord.reports.exhibits.base import Shown, Table
from concord.reports.render.template import filled

SENTENCE = 40
"""Cells with more characters than these break into lines."""
SPECIAL = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "…": r"\dots{}"},
    **{
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "\N{NO-BREAK SPACE}": "~",
        "\N{EN DASH}": "--",
        "\N{EM DASH}": "---",
    },
}
SYMBOLS = {
    **{letter: f"\\{unicodedata.name(letter).split()[-1].lower()}" for letter in "αβγδεηθμπρστ"},
    **{"λ": r"\lambda", "±": r"\pm", "≤": r"\leq", "≥": r"\geq", "∈": r"\in", "√": r"\surd", "≈": r"\approx"},
    **{"\N{MINUS SIGN}": "-", "\N{MULTIPLICATION SIGN}": r"\times", "\N{PRIME}": "'", "·": r"\cdot"},
}
PLAIN = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "01234567890123456789-")


def latex(exhibit_id: str, title: str, shown: Shown) -> str:
    r"""Return an exhibit as LaTeX for a document that loads ``booktabs``.

    Tables are labelled ``tab:<exhibit_id>``, ``tab:<exhibit_id>-2``, ...; the first one carries the caption.
    """
    blocks, n = [], 0
    for block in shown.blocks:
        more = {}
        if isinstance(block, Table):
            n += 1
            headline = [title, block.title, shown.caption if n == 1 else ""]
            caption = " ".join(text if text.endswith(".") else f"{text}." for text in headline if text)
            columns = "".join(_column(block, c) for c in range(len(block.header)))
            more = {"caption": caption, "columns": columns, "label": exhibit_id + (f"-{n}" if n > 1 else "")}
        blocks.append({**block.model_dump(), **more})
    return filled("table.tex", escaped, blocks=blocks)


def escaped(text: str) -> str:
    """Return text with LaTeX's special characters escaped and symbols as mathematics."""
    text = "".join(SPECIAL.get(character, character) for character in text)
    text = re.sub("[₀-₉]+", lambda match: f"$_{{{match.group().translate(PLAIN)}}}$", text)
    text = re.sub("[⁻⁰¹²³⁴-⁹]+", lambda match: f"$^{{{match.group().translate(PLAIN)}}}$", text)
    return "".join(f"${SYMBOLS[c]}$" if c in SYMBOLS else c for c in text)


def _column(table: Table, c: int) -> str:
    if any(len(row[c].text) > SENTENCE for row in table.rows):
        return r"p{0.3\linewidth}"
    return "l" if c < table.left else "r"

"""Exhibits as Markdown and LaTeX, and the report as one HTML page: templates filled in by Jinja."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from concord.findings.values import GREEK
from concord.reports.exhibits.base import Shown, Table

SENTENCE = 40
"""Cells of LaTeX tables with more characters than these break into lines."""
TEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "…": r"\dots{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}"},
    **{"\N{NO-BREAK SPACE}": "~", "\N{EN DASH}": "--", "\N{EM DASH}": "---"},
}
MATHS = dict(zip("αβγδεηθλμρστ", (f"\\{word}" for word in GREEK), strict=True)) | {
    **{"π": r"\pi", "±": r"\pm", "≤": r"\leq", "≥": r"\geq", "∈": r"\in", "√": r"\surd", "≈": r"\approx"},
    **{"\N{MINUS SIGN}": "-", "\N{MULTIPLICATION SIGN}": r"\times", "\N{PRIME}": "'", "·": r"\cdot"},
}
DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "01234567890123456789-")


def markdown(title: str, shown: Shown) -> str:
    """Return an exhibit as GitHub-flavoured Markdown; the second line of a cell follows a ``<br>``."""
    return _filled("table.md", in_markdown, title=title, caption=shown.caption, blocks=shown.blocks)


def in_markdown(text: str) -> str:
    """Escape what Markdown takes for markup, and draw lines together."""
    return " ".join(re.sub(r"([\\`*_|<])", r"\\\1", text).split())


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
            columns = "".join(_alignment(block, c) for c in range(len(block.header)))
            more = {"caption": caption, "columns": columns, "label": exhibit_id + (f"-{n}" if n > 1 else "")}
        blocks.append({**block.model_dump(), **more})
    return _filled("table.tex", in_latex, blocks=blocks)


def in_latex(text: str) -> str:
    """Return text with LaTeX's special characters escaped and symbols as mathematics."""
    text = "".join(TEX.get(character, character) for character in text)
    text = re.sub("[₀-₉]+", lambda match: f"$_{{{match.group().translate(DIGITS)}}}$", text)
    text = re.sub("[⁻⁰¹²³⁴-⁹]+", lambda match: f"$^{{{match.group().translate(DIGITS)}}}$", text)
    return "".join(f"${MATHS[character]}$" if character in MATHS else character for character in text)


def page(content: Mapping[str, Any], pictures: Sequence[Path]) -> str:
    """Return the report as a page that needs no other file and no network: the SVG files become part of it.

    ``content`` is as :func:`concord.reports.document.document.content` returns it.
    """
    return _filled("page.html", d=content, pictures={path.name: _inline(path) for path in pictures})


def _alignment(table: Table, c: int) -> str:
    if any(len(row[c].text) > SENTENCE for row in table.rows):
        return r"p{0.3\linewidth}"
    return "l" if c < table.left else "r"


def _inline(path: Path) -> str:
    """Return an SVG file as an element whose identifiers are its own among all pictures of the page."""
    svg = path.read_text(encoding="utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{path.stem}-", svg)


def _filled(template: str, escape: Callable[[str], str] | None = None, **values: Any) -> str:
    """Return a template with values filled in, every text escaped; without ``escape`` as HTML, with Jinja's marks."""
    text = (resources.files("concord.reports") / "templates" / template).read_text(encoding="utf-8")
    options: dict[str, Any] = {"autoescape": True}
    if escape:
        marks = {"block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<"}
        options = {**marks, "variable_end_string": ">>", "finalize": partial(_escaped, escape)}
    environment = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, **options)
    return environment.from_string(text).render(raw=Markup, **values)


def _escaped(escape: Callable[[str], str], value: Any) -> Any:
    """Escape a text, but not what the template calls raw."""
    return escape(value) if type(value) is str else value

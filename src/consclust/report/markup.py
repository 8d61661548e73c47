"""Exhibits as Markdown, LaTeX and HTML, and the report as one HTML page: templates filled in by Jinja."""

# Pillow is imported where needed, so that what does without it starts faster

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from consclust.report.blocks import Block, Table, Text
from consclust.report.wording import DASH, GREEK, MINUS

SENTENCE = 40
"""Cells of LaTeX tables with more characters than these break into lines."""
PAGE_ROWS = 40
"""Rows of a LaTeX table; a longer one breaks across pages."""
DRAWN_IN_FULL = 150_000
"""Bytes of a picture that the page has as SVG; of a larger one it has the pixels."""
PIXELS = 1400
"""Width of such a picture."""
UNITS = {"ms": 1e-3, "h": 3600.0}
"""Factors of units that differ within a column."""
TEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "…": r"\dots{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "[": "{[}",  # else it is taken for an option of the line break before it
    "\N{NO-BREAK SPACE}": "~",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "“": "``",
    "”": "''",
}
"""How characters are written in LaTeX."""
MATHS = dict(zip("αβγδεηθλμρστ", (f"\\{word}" for word in GREEK), strict=True)) | {
    "π": r"\pi",
    "±": r"\pm",
    "≤": r"\leq",
    "≥": r"\geq",
    "∈": r"\in",
    "√": r"\surd",
    "≈": r"\approx",
    "→": r"\rightarrow",
    "\N{DAGGER}": r"\dagger",
    "Δ": r"\Delta",
    "\N{MINUS SIGN}": "-",
    "\N{MULTIPLICATION SIGN}": r"\times",
    "\N{PRIME}": "'",
    "·": r"\cdot",
}
"""Symbols in LaTeX's mathematics."""
DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "01234567890123456789-")


def markdown(exhibit_id: str, title: str, caption: str, blocks: Sequence[Block]) -> str:
    """Return an exhibit as GitHub-flavoured Markdown; the second line of a cell follows a ``<br>``."""
    return _fill("table.md", in_markdown, title=title, caption=caption, blocks=blocks)


def in_markdown(text: str) -> str:
    """Escape what Markdown takes for markup, links, mathematics and entities among it, and draw lines together."""
    # a bracket alone is no link
    return " ".join(re.sub(r"([\\`*_|<$]|\](?=[(\[:])|&(?=#?\w+;))", r"\\\1", text).split())


def latex(exhibit_id: str, title: str, caption: str, blocks: Sequence[Block]) -> str:
    r"""Return an exhibit as LaTeX for a document that loads ``booktabs``, ``longtable`` and ``graphicx``.

    Tables are labelled ``tab:<exhibit_id>``, ``tab:<exhibit_id>-2``, ..., a picture ``fig:<exhibit_id>``; the first of
    all carries the caption. Without any the caption is a paragraph.
    """
    items: list[dict[str, Any]] = []
    n_tables = 0
    remaining = caption  # which the first table or picture takes
    for block in blocks:
        item = block.model_dump()
        if not isinstance(block, Text):
            item["caption"] = _join_sentences(title, block.title if isinstance(block, Table) else "", remaining)
            remaining = ""
        if isinstance(block, Table):
            n_tables += 1
            item["columns"] = "".join(_alignment(block, c) for c in range(len(block.header)))
            item["label"] = exhibit_id if n_tables == 1 else f"{exhibit_id}-{n_tables}"
            item["long"] = len(block.rows) > PAGE_ROWS
        items.append(item)
    has_caption = any(not isinstance(block, Text) for block in blocks)
    alone = "" if has_caption else f"{title}. {caption}"
    return _fill("table.tex", in_latex, blocks=items, file=exhibit_id, alone=alone)


def _join_sentences(*texts: str) -> str:
    """Join texts that are not empty, each with a full stop, and once where two are equal."""
    return " ".join(text if text.endswith(".") else f"{text}." for text in dict.fromkeys(texts) if text)


def in_latex(text: str) -> str:
    """Return text with LaTeX's special characters escaped and symbols as mathematics."""
    text = "".join(TEX.get(character, character) for character in text)
    text = re.sub("[₀-₉]+", lambda match: f"$_{{{match.group().translate(DIGITS)}}}$", text)
    text = re.sub("[⁻⁰¹²³⁴-⁹]+", lambda match: f"$^{{{match.group().translate(DIGITS)}}}$", text)
    return "".join(f"${MATHS[character]}$" if character in MATHS else character for character in text)


def fragment(exhibit_id: str, title: str, caption: str, blocks: Sequence[Block]) -> str:
    """Return an exhibit of tables as a small HTML page, for Snakemake's report."""
    items = [{"label": "", **block.model_dump()} for block in blocks]
    return _fill("table.html", title=title, caption=caption, blocks=items)


def page(content: Mapping[str, Any], pictures: Sequence[Path]) -> str:
    """Return the report as a page that needs no other file and no network.

    ``content`` is plain data, as the template names it; ``pictures`` are SVG files, which have a PNG file beside them.
    The tables are sorted and filtered by the DataTables of itables.
    """
    bundle = resources.files("itables") / "html"
    script = b64encode((bundle / "dt_bundle.js").read_bytes()).decode("ascii")
    sheet = (bundle / "dt_bundle.css").read_text(encoding="utf-8")
    shown = {path.name: _inline(path) for path in pictures}
    return _fill("page.html", d=content, pictures=shown, script=script, sheet=sheet)


def orders(rows: Sequence[Sequence[Mapping[str, Any]]], left: int) -> list[list[str | None]]:
    """Return by what each cell of a table is sorted: a number in columns that have nothing else; None: its text."""
    columns = [[_number(cell["text"]) for cell in column] for column in zip(*rows, strict=True)]
    sorted_by = []
    for c, column in enumerate(columns):
        is_numeric = c >= left and None not in column
        sorted_by.append(column if is_numeric else [None for _ in rows])
    return [list(row) for row in zip(*sorted_by, strict=True)]


def _number(text: str) -> str | None:
    """Return the number with which a cell begins, in common units; "" for no value, None for a word."""
    if text in ("", DASH):
        return ""
    match = re.match(
        r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?: (ms|h)\b|(?![\w.]))", text.replace(MINUS, "-").lstrip("<")
    )
    return f"{float(match[1]) * UNITS.get(match[2], 1):g}" if match else None


def _alignment(table: Table, c: int) -> str:
    if any(len(row[c].text) > SENTENCE for row in table.rows):
        return r"p{0.3\linewidth}"
    return "l" if c < table.left else "r"


def _inline(path: Path) -> str:
    """Return a picture as an element: an SVG with identifiers of its own on the page, or the pixels of a large one."""
    svg = path.read_text(encoding="utf-8")
    if len(svg) > DRAWN_IN_FULL:
        return f'<img alt="" src="data:image/webp;base64,{_pixels(path.with_suffix(".png"))}">'
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{path.stem}-", svg)


def _pixels(path: Path) -> str:
    """Return a PNG file as WebP, in base64."""
    from PIL import Image

    with Image.open(path) as picture, BytesIO() as out:
        height = round(picture.height * PIXELS / picture.width)
        small = picture.convert("RGB")
        if picture.width > PIXELS:
            small = small.resize((PIXELS, height), Image.Resampling.LANCZOS)
        small.save(out, "WEBP", quality=88)
        return b64encode(out.getvalue()).decode("ascii")


def _template(name: str) -> str:
    return (resources.files("consclust.report") / "templates" / name).read_text(encoding="utf-8")


def _fill(template: str, escape: Callable[[str], str] | None = None, **values: Any) -> str:
    """Return a template with values filled in, every text escaped; without ``escape`` as HTML, with Jinja's marks."""
    return _environment(escape).get_template(template).render(**values)


@cache
def _environment(escape: Callable[[str], str] | None) -> Environment:
    """Return what compiles the templates, each of them once."""
    options: dict[str, Any] = {"autoescape": True}
    if escape:  # the braces of Jinja's usual marks are LaTeX's own
        options = {
            "block_start_string": "<%",
            "block_end_string": "%>",
            "variable_start_string": "<<",
            "variable_end_string": ">>",
            "finalize": partial(_escape_text, escape),
        }
    environment = Environment(  # nosec B701
        loader=FunctionLoader(_template), trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, **options
    )
    environment.globals |= {"raw": Markup, "orders": orders}
    return environment


def _escape_text(escape: Callable[[str], str], value: Any) -> Any:
    """Escape a text, but not what the template calls raw."""
    return escape(value) if type(value) is str else value

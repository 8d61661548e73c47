"""The PDF: the content as JSON beside the template, compiled by typst, offline and without system fonts."""

import json
import math
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any

import typst

from consclust.files import written_whole
from consclust.report.items import heading
from consclust.report.wording import count

Column = tuple[float, float | None, float | None]
"""Width in characters, share of the free width if its cells flow, width of a header that must break."""

TIMESTAMP = 0
"""Date in the PDF's metadata: with any other than a fixed one the same content gives other bytes."""

UPRIGHT, FLAT = (470, 600), (762, 400)
"""Width and height for tables and pictures on a page in points, upright and in landscape."""
SMALLEST, LARGEST, LEAST = 8.0, 9.0, 4.0
"""Type size of tables in points; smaller only where the columns of text alone do not fit a landscape page."""
CHARACTER, PADDING = 0.48, 6.0
"""Mean width of a character in units of the type size, and space between columns in points."""
FLOWING = 28
"""Cells with more characters than these break into lines."""
LINES = 52
"""Lines of a table on a page."""
STACKED = 4
"""Parts of a table with many columns that stand one below the other at most; a wider one lies in landscape."""


def write_pdf(content: Mapping[str, Any], pictures: Sequence[Path], out: Path) -> None:
    """Set the content of a report, plain data, with the SVG files that it names."""
    with tempfile.TemporaryDirectory() as name:
        folder, template = Path(name), resources.files("consclust.report") / "templates" / "report.typ"
        (folder / "report.typ").write_bytes(template.read_bytes())
        data = {**content, "groups": groups(content["chapters"])}
        (folder / "document.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        for picture in pictures:
            shutil.copyfile(picture, folder / picture.name)
        with written_whole(out) as pdf:
            typst.compile(folder / "report.typ", pdf, root=folder, ignore_system_fonts=True, timestamp=TIMESTAMP)


def groups(chapters: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the items of all chapters in groups that share pages, upright or in landscape.

    A section (a heading with what follows it) lies in landscape if one of its tables or pictures does.
    """
    sections: list[list[dict[str, Any]]] = []
    for chapter in chapters:
        title = {**heading(chapter["title"], 1), "number": chapter["number"]}
        for n, item in enumerate([title, *(item for item in chapter["items"] if item.get("only") != "html")]):
            if n == 0 or (n > 1 and item["type"] == "heading"):
                sections.append([])
            layout = {"table": _tables, "picture": _picture}.get(item["type"])
            sections[-1] += layout(item) if layout else [{**item, "wide": False}]
    wide = groupby(sections, lambda section: any(item["wide"] for item in section))
    return [{"wide": lies, "items": [item for section in part for item in section]} for lies, part in wide]


def _tables(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a table, cut to a page unless it is whole, in as many parts below each other as its columns need."""
    rows = table["rows"]
    columns = list(map(_column, table["header"], zip(*rows, strict=True)))
    lines = [_lines(row, columns) for row in rows]
    wide, size, parts = _split(columns, min(max(1, table["left"]), len(columns) - 1))
    most = math.inf if table["whole"] else LINES / len(parts)
    kept = sum(sum(lines[: n + 1]) <= most for n in range(len(rows)))
    flowing = any(share for _, share, _ in columns)
    layout = {"wide": wide, "size": size, "airy": flowing, "long": sum(lines[:kept]) > (12 if flowing else 24)}
    made = []
    for n, part in enumerate(parts):
        cells = {"header": [table["header"][c] for c in part], "rows": [[row[c] for c in part] for row in rows[:kept]]}
        cells |= {"columns": [columns[c][1] for c in part], "heads": [columns[c][2] for c in part]}
        first = {} if n == 0 else {"title": "", "caption": ""}
        last = {"rest": _rest(table, len(rows) - kept)} if n == len(parts) - 1 else {"rest": "", "notes": ()}
        made.append({**table, **layout, **cells, **first, **last})
    return made


def _rest(table: Mapping[str, Any], n: int) -> str:
    """Say where the rows are that the PDF does not set."""
    return f"{count(n, 'further row')}: report.html, {Path(table['file']).stem}.csv." if n else ""


def _lines(row: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> float:
    """Return the number of lines that a row takes."""
    flowing = [len(cell["text"]) / width for cell, (width, share, _) in zip(row, columns, strict=True) if share]
    below = any(cell["below"] for cell in row)
    return max([1.0 + below * 0.8, *map(math.ceil, flowing)])


def _split(columns: Sequence[Column], left: int) -> tuple[bool, float, list[list[int]]]:
    """Return whether a table lies in landscape, its type size, and the columns of each of its parts.

    Every part begins with the first ``left`` columns.
    """
    others = range(left, len(columns))
    for wide, most in ((False, STACKED), (True, len(others))):
        for n in range(1, most + 1):
            share = math.ceil(len(others) / n)
            parts = [[*range(left), *others[k : k + share]] for k in range(0, len(others), share)]
            size = min(_size([columns[c] for c in part], FLAT[0] if wide else UPRIGHT[0]) for part in parts)
            if size >= SMALLEST:
                return wide, min(size, LARGEST), parts
    everything = list(range(len(columns)))
    return True, max(LEAST, _size(columns, FLAT[0])), [everything]


def _size(columns: Sequence[Column], width: float) -> float:
    """Return the largest type size at which columns fit a width."""
    return round((width - PADDING * len(columns)) / (sum(chars for chars, _, _ in columns) * CHARACTER), 2)


def _column(header: str, cells: Sequence[Mapping[str, Any]]) -> Column:
    """Return width in characters, share of the free width if its cells flow, and width of a header that must break."""
    lengths = [max(len(cell["text"]) + len(cell["mark"]) / 2, 0.85 * len(cell["below"])) for cell in cells]
    words = [len(word) for cell in cells for word in cell["text"].split()]
    title = max((len(word) for word in re.split(r"\s|(?<=[a-z])(?=[A-Z])", header)), default=0)
    if max(lengths) > FLOWING:
        return max(title, *words, FLOWING - 8), round(math.sqrt(sum(lengths) / len(lengths)), 2), None
    width, broken = max(title, 2, *lengths), max(title, 10, *lengths)
    if len(header) <= broken:
        return max(width, len(header)), None, None
    return 1.1 * broken + 0.6, None, round(1.1 * CHARACTER * broken + 0.3, 2)


def _picture(picture: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return orientation and size in points of a picture: as large as it was drawn, if that fits."""
    width, height = 72 * picture["width"], 72 * picture["height"]
    upright, flat = (min(1.0, space[0] / width, space[1] / height) for space in (UPRIGHT, FLAT))
    wide = upright < 0.75 and flat > upright
    scale = flat if wide else upright
    return [{**picture, "wide": wide, "width": scale * width, "height": scale * height}]

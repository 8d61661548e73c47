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

from concord.files import written_whole
from concord.reports.document import heading

TIMESTAMP = 0
"""Date in the PDF's metadata: with any other than a fixed one the same content gives other bytes."""

UPRIGHT, FLAT = (470, 600), (762, 400)
"""Width and height for tables and pictures on a page in points, upright and in landscape."""
SMALLEST, LARGEST = 8.0, 9.0
"""Type size of tables in points; smaller only where a table does not fit a landscape page."""
CHARACTER, PADDING = 0.48, 6.0
"""Mean width of a character in units of the type size, and space between columns in points."""
FLOWING = 28
"""Cells with more characters than these break into lines."""


def write_pdf(content: Mapping[str, Any], pictures: Sequence[Path], out: Path) -> None:
    """Set what :func:`concord.reports.document.document.content` returns, with the SVG files that it names."""
    with tempfile.TemporaryDirectory() as name:
        folder, template = Path(name), resources.files("concord.reports") / "templates" / "report.typ"
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
        for n, item in enumerate([heading(chapter["title"], 1), *chapter["items"]]):
            if n == 0 or (n > 1 and item["type"] == "heading"):
                sections.append([])
            layout = {"table": _table, "picture": _picture}.get(item["type"])
            sections[-1].append({**item, "wide": False, **(layout(item) if layout else {})})
    wide = groupby(sections, lambda section: any(item["wide"] for item in section))
    return [{"wide": lies, "items": [item for section in part for item in section]} for lies, part in wide]


def _table(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return orientation, type size and columns of a table, from the characters in its cells."""
    rows = table["rows"]
    widths, parts, heads = zip(*map(_column, table["header"], zip(*rows, strict=True)), strict=True)
    spare, needed = PADDING * len(parts), sum(widths) * CHARACTER
    upright, flat = ((width - spare) / needed for width, _ in (UPRIGHT, FLAT))
    wide, flowing = upright < SMALLEST, any(parts)
    size = round(min(LARGEST, max(4.0, flat if wide else upright)), 2)
    long = len(rows) + sum(any(cell["below"] for cell in row) for row in rows) > (12 if flowing else 24)
    return {"wide": wide, "size": size, "columns": parts, "heads": heads, "airy": flowing, "long": long}


def _column(header: str, cells: Sequence[Mapping[str, Any]]) -> tuple[float, float | None, float | None]:
    """Return width in characters, share of the free width if its cells flow, and width of a header that must break."""
    lengths = [max(len(cell["text"]) + len(cell["mark"]) / 2, 0.85 * len(cell["below"])) for cell in cells]
    words = [len(word) for cell in cells for word in cell["text"].split()]
    title = max((len(word) for word in re.split(r"\s|(?<=[a-z])(?=[A-Z])", header)), default=0)
    if max(lengths) > FLOWING:
        return max(title, *words, FLOWING - 8), round(math.sqrt(sum(lengths) / len(lengths)), 2), None
    width = max(title, 2, *lengths)
    narrow = max(width, 10)
    return width, None, round(1.1 * CHARACTER * narrow + 0.3, 2) if len(header) > narrow else None


def _picture(picture: Mapping[str, Any]) -> dict[str, Any]:
    """Return orientation and size in points of a picture: as large as it was drawn, if that fits."""
    width, height = 72 * picture["width"], 72 * picture["height"]
    upright, flat = (min(1.0, space[0] / width, space[1] / height) for space in (UPRIGHT, FLAT))
    wide = upright < 0.75 and flat > upright
    scale = flat if wide else upright
    return {"wide": wide, "width": scale * width, "height": scale * height}

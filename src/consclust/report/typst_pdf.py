"""The PDF: the content as JSON beside the template, compiled by typst, offline and without system fonts."""

import json
import math
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from importlib import resources
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, NamedTuple

import typst

from consclust.files import written_whole
from consclust.report.items import heading
from consclust.report.wording import count


class Column(NamedTuple):
    """The space that a column takes."""

    characters: float
    """Width in characters."""
    share: float | None
    """Share of the free width, if its cells flow."""
    header_width: float | None
    """Width of a header that must break."""
    least: float
    """The fewest characters of a line, where a table would else lie in landscape."""

    def narrow(self) -> "Column":
        """Return the column with as narrow lines as its cells allow."""
        return self._replace(characters=self.least)


class Space(NamedTuple):
    """Space for tables and pictures on a page, in points."""

    width: float
    height: float


class Layout(NamedTuple):
    """How a table is set."""

    wide: bool
    """Whether it lies in landscape."""
    size: float
    """Type size in points."""
    parts: list[list[int]]
    """The columns of each of its parts, which stand one below the other."""


TIMESTAMP = 0
"""Date in the PDF's metadata: with any other than a fixed one the same content gives other bytes."""

UPRIGHT = Space(470, 600)
FLAT = Space(762, 400)
"""In landscape."""
SIZE = 8.0
"""Type size of tables in points."""
LEAST = 4.0
"""Type size where the columns do not even fit a landscape page."""
CHARACTER = 0.48
"""Mean width of a character in units of the type size."""
PADDING = 6.0
"""Space between columns in points."""
FLOWING = 34
"""Cells with more characters than these break into lines."""
WIDE_LINES, SHORT_LINES = FLOWING - 8, FLOWING - 14
"""Characters of a line of cells that flow, and of one in a table that else would lie in landscape."""
LINES = 52
"""Lines of a table on a page."""
BLOCK = 20
"""Rows of a table that no page divides."""
FLOWING_BLOCK = 12
"""Lines of one whose cells flow."""
STACKED = 4
"""Parts of a table with many columns that stand one below the other at most; a wider one lies in landscape."""


def write_pdf(content: Mapping[str, Any], pictures: Sequence[Path], out: Path) -> None:
    """Set the content of a report, plain data, with the SVG files that it names."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        template = resources.files("consclust.report") / "templates" / "report.typ"
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
    sections = [_lay_out(section) for chapter in chapters for section in _sections(chapter)]
    wide = groupby(sections, lambda section: any(item["wide"] for item in section))
    return [{"wide": lies, "items": [item for section in part for item in section]} for lies, part in wide]


def _sections(chapter: Mapping[str, Any]) -> list[list[Mapping[str, Any]]]:
    """Return the items of a chapter that the PDF has, by headings; its title and a first heading share a section.

    The last line of a section names the tables and pictures that only the page has. A section of pictures alone has a
    line that names them, as they float to another place.
    """
    title = {**heading(chapter["title"], 1), "number": chapter["number"]}
    sections: list[list[Mapping[str, Any]]] = [[title]]
    for n, item in enumerate(chapter["items"]):
        if n > 0 and item["type"] == "heading":
            sections.append([])
        sections[-1].append(item)
    kept = [[*filter(_is_in_pdf, section), *_name_what_the_page_has(section)] for section in sections]
    return [[*section, *_name_floating_pictures(section)] for section in kept]


def _name_floating_pictures(section: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return a line that names the pictures of a section which has nothing else but headings."""
    labels = [item["label"] for item in section if item["type"] == "picture"]
    if any(item["type"] not in ("heading", "picture") for item in section):
        return []
    return [{"type": "line", "text": f"See {' and '.join(labels)}."}] if labels else []


def _is_in_pdf(item: Mapping[str, Any]) -> bool:
    return item.get("only") != "html"


def _name_what_the_page_has(section: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return a line that names what a section of the page has and the PDF has not, if anything."""
    labels = [item["label"] for item in section if not _is_in_pdf(item) and "label" in item]
    if not labels:
        return []
    word, first = labels[0].split(" ")
    last = labels[-1].split(" ")[1]
    named = labels[0] if len(labels) == 1 else f"{word}s {first} to {last}"
    return [{"type": "line", "text": f"Only in report.html: {named}."}]


def _lay_out(section: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the items of a section with their layout; a table may become several."""
    made: list[dict[str, Any]] = []
    for item in section:
        if item["type"] == "table":
            made += _lay_out_table(item)
        elif item["type"] == "picture":
            made.append(_lay_out_picture(item))
        else:
            made.append({**item, "wide": False})
    return made


def _lay_out_table(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a table, cut to a page unless it is whole, in as many parts below each other as its columns need."""
    rows = table["rows"]
    columns = [_measure(words, cells) for words, cells in zip(table["header"], zip(*rows, strict=True), strict=True)]
    left = min(max(1, table["left"]), len(columns) - 1)
    layout = _split(columns, left)
    if layout.wide:
        narrow = [column.narrow() for column in columns]
        upright = _split(narrow, left)
        if not upright.wide:
            columns, layout = narrow, upright
    lines = [_count_lines(row, columns) for row in rows]
    most = math.inf if table["whole"] else LINES / len(layout.parts)
    kept = sum(total <= most for total in accumulate(lines))
    flows = any(column.share for column in columns)
    look = {
        "wide": layout.wide,
        "size": layout.size,
        "airy": flows,
        "long": sum(lines[:kept]) > FLOWING_BLOCK if flows else kept > BLOCK,
        "rest": "",
    }
    made = [{**table, **look, **_take_columns(table, columns, part, kept)} for part in layout.parts]
    for later in made[1:]:
        later |= {"label": "", "title": "", "caption": ""}
    for earlier in made[:-1]:
        earlier["notes"] = ()
    made[-1]["rest"] = _rest(table, len(rows) - kept)
    return made


def _take_columns(
    table: Mapping[str, Any], columns: Sequence[Column], part: Sequence[int], kept: int
) -> dict[str, Any]:
    """Return some columns of a table and its first rows."""
    return {
        "header": [table["header"][c] for c in part],
        "rows": [[row[c] for c in part] for row in table["rows"][:kept]],
        "columns": [columns[c].share for c in part],
        "heads": [columns[c].header_width for c in part],
    }


def _rest(table: Mapping[str, Any], n: int) -> str:
    """Say where the rows are that the PDF does not set."""
    return f"{count(n, 'further row')}: report.html, {Path(table['file']).stem}.csv." if n else ""


def _count_lines(row: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> float:
    """Return the number of lines that a row takes."""
    flowing = [len(cell["text"]) / column.characters for cell, column in zip(row, columns, strict=True) if column.share]
    least = 1.8 if any(cell["below"] for cell in row) else 1.0  # a second line is in smaller type
    return max([least, *map(math.ceil, flowing)])


def _split(columns: Sequence[Column], left: int) -> Layout:
    """Return the layout of a table: upright if that is possible, and in few parts.

    Every part begins with the first ``left`` columns.
    """
    others = range(left, len(columns))
    for page, most in ((UPRIGHT, STACKED), (FLAT, len(others))):
        for n in range(1, most + 1):
            share = math.ceil(len(others) / n)
            parts = [[*range(left), *others[k : k + share]] for k in range(0, len(others), share)]
            size = min(_fit_size([columns[c] for c in part], page.width) for part in parts)
            if size >= SIZE:
                return Layout(page is FLAT, SIZE, parts)
    everything = list(range(len(columns)))
    return Layout(True, max(LEAST, _fit_size(columns, FLAT.width)), [everything])


def _fit_size(columns: Sequence[Column], width: float) -> float:
    """Return the largest type size at which columns fit a width."""
    characters = sum(column.characters for column in columns)
    return round((width - PADDING * len(columns)) / (characters * CHARACTER), 2)


def _measure(header: str, cells: Sequence[Mapping[str, Any]]) -> Column:
    """Return the space that a column takes."""
    lengths = [max(len(cell["text"]) + len(cell["mark"]) / 2, 0.85 * len(cell["below"])) for cell in cells]
    words = [len(word) for cell in cells for word in cell["text"].split()]
    title = max((len(word) for word in re.split(r"\s|(?<=[a-z])(?=[A-Z])", header)), default=0)
    if max(lengths) > FLOWING:
        root_mean = math.sqrt(sum(lengths) / len(lengths))
        longest = max(title, *words)
        return Column(max(longest, WIDE_LINES), round(root_mean, 2), None, max(longest, SHORT_LINES))
    width = max(title, 2, *lengths)
    broken = max(title, 10, *lengths)
    if len(header) <= broken:
        whole = max(width, len(header))
        return Column(whole, None, None, whole)
    characters = 1.1 * broken + 0.6
    return Column(characters, None, round(1.1 * CHARACTER * broken + 0.3, 2), characters)


def _lay_out_picture(picture: Mapping[str, Any]) -> dict[str, Any]:
    """Return orientation and size in points of a picture: as large as it was drawn, if that fits."""
    width = 72 * picture["width"]
    height = 72 * picture["height"]
    upright, flat = (min(1.0, page.width / width, page.height / height) for page in (UPRIGHT, FLAT))
    wide = upright < 0.75 and flat > upright
    scale = flat if wide else upright
    return {**picture, "wide": wide, "width": scale * width, "height": scale * height}

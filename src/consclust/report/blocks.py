"""What a report shows, as plain data: tables, pictures and paragraphs. Renderers only lay them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Literal

from consclust.report.wording import DASH, number, score, signed
from consclust.validation import Strict

if TYPE_CHECKING:
    from pandas import DataFrame

Chapter = Literal["Coverage", "Claims", "Data", "Results", "Agreement with the published values", "Runtime"]
Part = Literal["paper", "appendix", "beyond"]

FORMS = {"difference": signed, "change": signed, "difference_se": lambda value: number(value, "+.1f")}
HEADINGS = {
    "dataset": "Data set",
    "tau": "Kendall's τ",
    "away": "Mean |difference|",
    "difference_se": "Standard errors",
    "percentile_1": "1%",
    "percentile_99": "99%",
    "mean": "Ours",
}
"""How columns with these names are written, and what they are called, in every table."""


ACROSS = 120
"""Characters that fit side by side on a page."""
GAP = 2
"""Characters between two columns."""


class Cell(Strict):
    """A cell of a table."""

    text: str
    below: str = ""
    """A second line, in smaller type."""
    bold: bool = False
    mark: str = ""
    """Marks of footnotes."""


class Table(Strict):
    """A table, ready to be set: the renderers only lay it out."""

    type: Literal["table"] = "table"
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    left: int = 1
    """So many columns, from the first, are aligned left; the others right."""
    rules: tuple[int, ...] = ()
    """Rows that a thin rule precedes, counted from 0."""
    notes: tuple[tuple[str, str], ...] = ()
    """Mark and text of each footnote."""
    whole: bool = False
    """Whether the PDF has all rows in an appendix too, where other tables end with the page."""
    in_pdf: bool = True
    """Whether it stands in the PDF; the page has all tables."""


class Picture(Strict):
    """A picture; its file is ``<id of the exhibit>.svg``."""

    type: Literal["picture"] = "picture"
    width: float
    """Inches."""
    height: float


class Text(Strict):
    """A paragraph."""

    type: Literal["text"] = "text"
    text: str


Block = Table | Picture | Text


class Footnotes(dict[str, str]):
    """Footnotes of a table: the mark of each text; equal texts share a mark."""

    def mark(self, note: object) -> str:
        """Return the mark of a note, a new one if needed; empty for no note."""
        new = ascii_lowercase[len(self)] if len(self) < len(ascii_lowercase) else f"{len(self)}"
        return self.setdefault(note, new) if isinstance(note, str) and note else ""

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """Mark and text of each footnote."""
        return tuple((mark, text) for text, mark in self.items())


def listed(
    title: str,
    frame: DataFrame,
    columns: str | Mapping[str, str],
    left: int = 1,
    footnotes: Footnotes | None = None,
    forms: Mapping[str, Callable[[Any], str]] | None = None,
) -> Table:
    """Return a table with the rows of a frame.

    ``columns`` has the column of each heading; or is "Heading: column, column", where a column without a heading has
    that of :data:`HEADINGS` or its own name. A column without any value is left out. ``forms`` says how a column is
    written, by its name; others are written as in :data:`FORMS`, floats as scores, cells as they are.
    """
    named = _parse_columns(columns) if isinstance(columns, str) else columns
    known = {heading: column for heading, column in named.items() if frame.empty or frame[column].notna().any()}
    special = FORMS | dict(forms or {})
    cells = [_write_column(frame[column], special.get(column)) for column in known.values()]
    notes = (footnotes or Footnotes()).notes
    return Table(title=title, header=tuple(known), rows=tuple(zip(*cells, strict=True)), left=left, notes=notes)


def _parse_columns(text: str) -> dict[str, str]:
    """Return the column of each heading of "Heading: column, column"."""
    columns = {}
    for word in text.split(", "):
        heading, _, column = word.rpartition(": ")
        columns[heading or _make_heading(column)] = column
    return columns


def _make_heading(column: str) -> str:
    return HEADINGS.get(column, f"{column[0].upper()}{column[1:]}".replace("_", " "))


def _write_column(values: Any, form: Callable[[Any], str] | None) -> list[Cell]:
    """Return the cells of a column: in a form, or as it is usual for its type."""
    write = form or (score if values.dtype.kind == "f" else str)
    return [value if isinstance(value, Cell) else Cell(text=write(value)) for value in values]


def crossed(
    title: str, frame: DataFrame, by: str, cell: Callable[[Any], Cell], footnotes: Footnotes | None = None
) -> Table:
    """Return a table of data sets by the values of a column.

    The values are columns if a page has room for all of them side by side. Otherwise they are rows, so that a table
    which must be divided is divided by data sets, and the methods of each part stand in one block. ``frame`` has the
    columns case, dataset and ``by``; ``cell`` makes a cell from a row; a dash stands for no row.
    """
    cells = {(row.case, getattr(row, by)): cell(row) for row in frame.itertuples()}
    cases = dict(zip(frame["case"], frame["dataset"], strict=True))
    rows = frame[by].unique()
    empty = Cell(text=DASH)
    if _estimate_characters(cells, [str(row) for row in rows]) + max(map(len, cases.values()), default=0) > ACROSS:
        header = ("Method", *cases.values())
        body = [(Cell(text=row), *(cells.get((case, row), empty) for case in cases)) for row in rows]
    else:
        header = ("Data set", *rows)
        body = [(Cell(text=name), *(cells.get((case, row), empty) for row in rows)) for case, name in cases.items()]
    return Table(title=title, header=header, rows=tuple(body), notes=(footnotes or Footnotes()).notes)


def _estimate_characters(cells: Mapping[tuple[Any, Any], Cell], headings: Sequence[str]) -> int:
    """Return the characters of a line with a column for each heading: its widest cell, or the longest word above."""
    widths = []
    for heading in headings:
        own = [len(cell.text) for (_, value), cell in cells.items() if value == heading]
        widths.append(max([0, *own, *map(len, heading.split())]) + GAP)
    return sum(widths)


def leave_out_of_pdf(table: Table) -> Table:
    """Return a table that the page alone has."""
    return table.model_copy(update={"in_pdf": False})


def filled(*blocks: Table | Text) -> tuple[Table | Text, ...]:
    """Return the blocks without tables that have no rows."""
    return tuple(block for block in blocks if isinstance(block, Text) or block.rows)


@dataclass(frozen=True)
class Shown:
    """What an exhibit shows."""

    frame: DataFrame  # the numbers behind it, one tidy table; becomes <id>.csv
    blocks: tuple[Table | Text, ...] = ()  # in order; the picture follows them
    caption: str = ""  # stands once, with the first table or the picture
    picture: Any = None  # a matplotlib figure; only of an exhibit that is drawn
    abstract: str = ""  # sentences for the abstract of the report

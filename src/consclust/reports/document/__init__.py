"""What a report says, as plain data: a title page and chapters of items.

An item is a mapping with a ``type``: "heading" (level, text), "paragraph" (text), "table"
(:class:`~consclust.reports.exhibits.base.Table` and a caption), "picture" (file, caption, width and height in
inches), or "markup" (a node of a discussion: tag, text, children). One with ``only`` is of the PDF ("pdf") or of the page
("html") alone.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from consclust.reports.exhibits.base import Cell, Table

Item = dict[str, Any]

PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
"""What a discussion has in the place of a value; begins with the id of an exhibit."""


def heading(text: str, level: int = 2) -> Item:
    """Return a heading; the chapters have level 1."""
    return {"type": "heading", "level": level, "text": text}


def paragraph(*sentences: str) -> Item:
    """Return a paragraph of sentences; empty ones are left out."""
    return {"type": "paragraph", "text": " ".join(filter(None, sentences))}


def table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", left: int | None = None) -> Item:
    """Return a table of plain text whose first ``left`` columns, or all, are aligned left."""
    cells = tuple(tuple(Cell(text=word) for word in row) for row in rows)
    made = Table(title="", header=tuple(header), rows=cells, left=len(header) if left is None else left)
    return {**made.model_dump(), "caption": caption, "whole": True}

"""What a report says, as plain data: a title page and chapters of items.

An item is a mapping with a ``type``: "heading" (level, text), "paragraph" (text), "table"
(:class:`~consclust.report.blocks.Table` and a caption), "picture" (file, caption, width and height in
inches), or "markup" (a node of a discussion: tag, text, children). One with ``only`` is of the PDF ("pdf") or of the
page ("html") alone.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from consclust.report.blocks import Block, Cell, Table, Text

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


def block_items(name: str, title: str, caption: str, blocks: Sequence[Block], *, whole: bool = False) -> list[Item]:
    """Return the blocks of an exhibit; the first table or picture carries the caption.

    ``name`` is that of its files. No title of a table repeats the heading ``title``, and no table is without rows.
    Tables that are to stand there ``whole`` have all rows in the PDF.
    """
    items: list[Item] = []
    for block in blocks:
        if isinstance(block, Text):
            items.append(paragraph(block.text))
            continue
        if isinstance(block, Table) and not block.rows:
            continue
        item = {**block.model_dump(mode="json"), "caption": caption, "file": f"{name}.svg"}
        if item.get("title") == title:
            item["title"] = ""
        if isinstance(block, Table):
            item["whole"] = block.whole or whole
        items.append(item)
        caption = ""
    return [*items, paragraph(caption)] if caption else items

"""What a report says, as plain data: a title page and chapters of items.

An item is a mapping with a ``type``: "heading" (level, text), "paragraph" (text), "table"
(:class:`~consclust.report.blocks.Table` and a caption), "picture" (file, caption, width and height in
inches), or "markup" (a node of a discussion: tag, text, children). One with ``only`` is of the PDF ("pdf") or of the
page ("html") alone. Tables and pictures have a ``label``, such as "Table 2.1", by which they are cited.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from consclust.report.blocks import Block, Cell, Table, Text

Item = dict[str, Any]

NUMBERED = {"table": "Table", "picture": "Figure"}
"""Types of items that have a number, and what they are called."""

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
    Tables that are to stand there ``whole`` have all rows in the PDF, and those that are not ``in_pdf`` none: what
    carries the caption then is the first that the PDF has, if any.
    """
    items: list[Item] = []
    for block in blocks:
        if isinstance(block, Text):
            items.append(paragraph(block.text))
        elif not isinstance(block, Table):
            items.append({**block.model_dump(mode="json"), "caption": "", "file": f"{name}.svg"})
        elif block.rows:
            items.append(_make_table_item(block, name, title, whole))
    carriers = [item for item in items if item["type"] in NUMBERED]
    if not caption:
        return items
    if not carriers:
        return [*items, paragraph(caption)]
    first = next((item for item in carriers if item.get("only") != "html"), carriers[0])
    first["caption"] = caption
    return items


def _make_table_item(block: Table, name: str, title: str, whole: bool) -> Item:
    item = {**block.model_dump(mode="json"), "caption": "", "file": f"{name}.svg"}
    item["title"] = "" if block.title == title else block.title
    item["whole"] = block.whole or whole
    return item if block.in_pdf else item | {"only": "html"}


def number_items(items: Iterable[Item], chapter: str) -> list[Item]:
    """Return the items of a chapter; its tables and pictures have labels, such as "Table 2.1" and "Figure 2.1".

    The page has the same numbers as the PDF, where those of the tables that it leaves out are not used.
    """
    counts = dict.fromkeys(NUMBERED, 0)
    numbered = []
    for item in items:
        if item["type"] in counts:
            counts[item["type"]] += 1
            item = item | {"label": f"{NUMBERED[item['type']]} {chapter}.{counts[item['type']]}"}
        numbered.append(item)
    return numbered

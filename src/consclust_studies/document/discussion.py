"""The discussion that a person writes for a study, ``discussion.md``; its numbers come from the exhibits.

It is CommonMark: headings, paragraphs, lists, emphasis, code and pipe tables. A placeholder such as
``{{table2 case=yale metric=ACC row="RCE (default)" mean}}`` names an exhibit, conditions on columns of its
numbers that leave one row, and the column whose value stands there: as a score, with ``mean:+`` as a signed
difference, with ``p:.2g`` in that format; a text or a whole number as it is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from consclust.errors import InputError
from consclust.report.items import PLACEHOLDER, Item, heading, table
from consclust.report.wording import number, score, signed
from consclust.validation import did_you_mean

if TYPE_CHECKING:
    from pandas import DataFrame

PLAIN = {"inline", "text", "softbreak", "hardbreak"}
TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
SET = (
    {"heading", "paragraph", "bullet_list", "ordered_list", "list_item", "em", "strong", "code_inline"} | PLAIN | TABLE
)
"""Types of nodes that a report can set."""
ABSENT = "n/a (not in this run)"


def discussion_items(text: str, frames: Mapping[str, DataFrame], file: str, restricted: bool) -> list[Item]:
    """Return the items of a discussion, with ``frames`` of the numbers of each exhibit; ``file`` is for messages.

    :class:`InputError` for a placeholder that does not name exactly one value (none may be there if the run is
    ``restricted``), and for Markdown that a report cannot set.
    """
    filled = PLACEHOLDER.sub(partial(_value, frames, file, restricted), text)
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return [_item(node, file) for node in SyntaxTreeNode(parser.parse(filled)).children]


def _value(frames: Mapping[str, DataFrame], file: str, restricted: bool, match: re.Match[str]) -> str:
    where = f"{file}: {' '.join(match.group().split())}"
    try:
        exhibit, *conditions, last = shlex.split(match.group(1))
    except ValueError:
        raise InputError(f"{where}: write an exhibit, column=value ..., and a column") from None
    if exhibit not in frames:
        if restricted:
            return ABSENT
        raise InputError(f"{where}: no exhibit {exhibit!r}; {did_you_mean(exhibit, list(frames))}")
    rows = frames[exhibit]
    column, _, form = last.partition(":")
    pairs = [condition.partition("=")[::2] for condition in conditions]
    if unknown := [name for name, _ in (*pairs, (column, "")) if name not in rows]:
        raise InputError(f"{where}: {exhibit} has no column {unknown[0]!r}; {did_you_mean(unknown[0], list(rows))}")
    for name, value in pairs:
        rows = rows[rows[name].astype(str) == value]
    if len(rows) != 1:
        if rows.empty and restricted:
            return ABSENT
        remedy = "correct the conditions" if rows.empty else "add conditions that leave one"
        raise InputError(f"{where}: {len(rows)} rows match; {remedy}")
    try:
        return _written(rows[column].iloc[0], form)
    except ValueError:
        remedy = f"use {column}, {column}:+ or {column}:.2g"
        raise InputError(f"{where}: {form!r} is not a format of this value; {remedy}") from None


def _written(value: Any, form: str) -> str:
    if not isinstance(value, float):
        return re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", f"{value:{form}}")
    if form == "+":
        return signed(value)
    return number(value, form) if form else score(value)


def _item(node: SyntaxTreeNode, file: str) -> Item:
    for inner in node.walk():
        if inner.type not in SET:
            line = (inner.map or node.map or (0,))[0] + 1
            remedy = "use headings, paragraphs, lists, emphasis, code and pipe tables"
            raise InputError(f"{file}: line {line}: {inner.type} is not supported; {remedy}")
    if node.type == "heading":
        return heading(_text(node), max(2, int(node.tag[1:])))
    if node.type == "table":
        header, *rows = ([_text(cell) for cell in row.children] for part in node.children for row in part.children)
        return table(header, rows, left=1)
    return _markup(node)


def _markup(node: SyntaxTreeNode) -> Item:
    """Return a node as plain data, with its HTML tag; text has none."""
    tag = "" if node.hidden or node.type in PLAIN else node.tag
    return {"type": "markup", "tag": tag, "text": _own(node), "children": list(map(_markup, node.children))}


def _text(node: SyntaxTreeNode) -> str:
    return "".join(map(_own, node.walk()))


def _own(node: SyntaxTreeNode) -> str:
    return "" if node.children else " " if node.type.endswith("break") else node.content

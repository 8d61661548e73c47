"""The discussion that a person writes for a study, ``discussion.md``; its numbers come from the exhibits.

It is CommonMark: headings, paragraphs, lists, emphasis, code and pipe tables. A placeholder such as
``{{table2 case=yale metric=ACC row="RCE (default)" mean}}`` names an exhibit, conditions on columns of its
numbers that leave one row, and the column whose value stands there: as a score, with ``mean:+`` as a signed
difference, with ``p:.2g`` in that format; a text or a whole number as it is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from consclust.errors import InputError
from consclust.report.items import PLACEHOLDER, Item, heading, paragraph, table
from consclust.report.wording import number, score, signed
from consclust.validation import did_you_mean

if TYPE_CHECKING:
    from pandas import DataFrame

PLAIN = {"inline", "text", "softbreak", "hardbreak"}
TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
MARKUP = {"heading", "paragraph", "bullet_list", "ordered_list", "list_item", "em", "strong", "code_inline"}
SET = MARKUP | PLAIN | TABLE
"""Types of nodes that a report can set."""
ABSENT = "\N{REPLACEMENT CHARACTER}"
"""Stands for a value that a restricted run does not have, until what needs it is left out."""
LEFT_OUT = "The sections of the discussion that need results of the whole study are left out."


def make_discussion_items(text: str, frames: Mapping[str, DataFrame], file: str, restricted: bool) -> list[Item]:
    """Return the items of a discussion, with ``frames`` of the numbers of each exhibit; ``file`` is for messages.

    A section with a value that a ``restricted`` run does not have is left out, and a sentence at the end says so.
    :class:`InputError` for any other placeholder that does not name exactly one value, and for Markdown that a report
    cannot set.
    """
    filled = PLACEHOLDER.sub(partial(_fill_placeholder, frames, file, restricted), text)
    # HTML is taken as text: the PDF could not set it
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    nodes = SyntaxTreeNode(parser.parse(filled)).children
    if ABSENT not in filled:
        return [_make_item(node, file) for node in nodes]
    kept = _drop_incomplete_sections(nodes)
    return [*(_make_item(node, file) for node in kept), paragraph(LEFT_OUT)]


def _drop_incomplete_sections(nodes: Sequence[SyntaxTreeNode]) -> list[SyntaxTreeNode]:
    """Return the nodes without the sections that have an absent value, and without headings that then stand alone.

    A section is what stands below one heading up to the next one; what stands above the first heading is one too.
    """
    sections: list[list[SyntaxTreeNode]] = [[]]
    for node in nodes:
        if node.type == "heading":
            sections.append([])
        sections[-1].append(node)
    whole = [section for section in sections if section and not any(ABSENT in _join_text(node) for node in section)]
    kept: list[SyntaxTreeNode] = []
    for section, following in zip_longest(whole, whole[1:]):
        is_heading_alone = len(section) == 1 and section[0].type == "heading"
        has_subsection = following is not None and following[0].tag > section[0].tag
        if not is_heading_alone or has_subsection:
            kept += section
    return kept


class Placeholder(NamedTuple):
    """A value of an exhibit."""

    exhibit: str
    conditions: list[tuple[str, str]]
    """Columns, and what stands there in the row."""
    column: str
    form: str


def _fill_placeholder(frames: Mapping[str, DataFrame], file: str, restricted: bool, match: re.Match[str]) -> str:
    where = f"{file}: {' '.join(match.group().split())}"
    placeholder = _parse_placeholder(match.group(1), where)
    exhibit = placeholder.exhibit
    if exhibit not in frames:
        if restricted:
            return ABSENT
        raise InputError(f"{where}: no exhibit {exhibit!r}; {did_you_mean(exhibit, list(frames))}")
    rows = _find_rows(placeholder, frames[exhibit], where)
    if rows.empty and restricted:
        return ABSENT
    if len(rows) != 1:
        remedy = "correct the conditions" if rows.empty else "add conditions that leave one"
        raise InputError(f"{where}: {len(rows)} rows match; {remedy}")
    column = placeholder.column
    try:
        return _write_value(rows[column].iloc[0], placeholder.form)
    except ValueError:
        remedy = f"use {column}, {column}:+ or {column}:.2g"
        raise InputError(f"{where}: {placeholder.form!r} is not a format of this value; {remedy}") from None


def _parse_placeholder(words: str, where: str) -> Placeholder:
    try:
        exhibit, *conditions, last = shlex.split(words)
    except ValueError:  # a quote is open, or there are fewer than two words
        raise InputError(f"{where}: write an exhibit, column=value ..., and a column") from None
    pairs = []
    for condition in conditions:
        name, _, value = condition.partition("=")
        pairs.append((name, value))
    column, _, form = last.partition(":")
    return Placeholder(exhibit, pairs, column, form)


def _find_rows(placeholder: Placeholder, frame: DataFrame, where: str) -> DataFrame:
    """Return the rows that the conditions leave; :class:`InputError` for a column that is not there."""
    for name in (*(name for name, _ in placeholder.conditions), placeholder.column):
        if name not in frame:
            remedy = did_you_mean(name, list(frame))
            raise InputError(f"{where}: {placeholder.exhibit} has no column {name!r}; {remedy}")
    rows = frame
    for name, value in placeholder.conditions:
        rows = rows[rows[name].astype(str) == value]
    return rows


def _write_value(value: Any, form: str) -> str:
    if not isinstance(value, float):
        # a text must not become markup
        return re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", f"{value:{form}}")
    if form == "+":
        return signed(value)
    return number(value, form) if form else score(value)


def _make_item(node: SyntaxTreeNode, file: str) -> Item:
    for inner in node.walk():
        if inner.type not in SET:
            line = (inner.map or node.map or (0,))[0] + 1
            remedy = "use headings, paragraphs, lists, emphasis, code and pipe tables"
            raise InputError(f"{file}: line {line}: {inner.type} is not supported; {remedy}")
    if node.type == "heading":
        # level 1 is the title of the chapter
        return heading(_join_text(node), max(2, int(node.tag[1:])))
    if node.type == "table":
        lines = [line for part in node.children for line in part.children]  # of the head, then of the body
        header, *rows = ([_join_text(cell) for cell in line.children] for line in lines)
        return table(header, rows, left=1)
    return _make_markup(node)


def _make_markup(node: SyntaxTreeNode) -> Item:
    """Return a node as plain data, with its HTML tag; text has none."""
    # a paragraph in a tight list is hidden
    tag = "" if node.hidden or node.type in PLAIN else node.tag
    return {
        "type": "markup",
        "tag": tag,
        "text": _take_own_text(node),
        "children": [_make_markup(child) for child in node.children],
    }


def _join_text(node: SyntaxTreeNode) -> str:
    return "".join(map(_take_own_text, node.walk()))


def _take_own_text(node: SyntaxTreeNode) -> str:
    """Return the text of a node without children; a break is a space."""
    if node.children:
        return ""
    return " " if node.type.endswith("break") else node.content

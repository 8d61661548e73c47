"""Exhibits as Markdown: a heading, the caption, every table with its footnotes."""

from concord.reports.exhibits.base import Shown
from concord.reports.render.template import filled


def markdown(title: str, shown: Shown) -> str:
    """Return an exhibit as GitHub-flavoured Markdown; the second line of a cell follows a ``<br>``."""
    return filled("table.md", escaped, title=title, caption=shown.caption, blocks=shown.blocks)


def escaped(text: str) -> str:
    """Escape what Markdown takes for markup, and draw lines together."""
    for character in "\\`*_|<":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())

"""The report as one HTML page that needs no other file and no network."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from concord.reports.render.template import filled


def page(content: Mapping[str, Any], pictures: Sequence[Path]) -> str:
    """Return the page.

    Parameters
    ----------
    content : as :func:`concord.reports.document.document.content` returns it.
    pictures : the SVG files that it names; they become part of the page.
    """
    return filled("page.html", d=content, pictures={path.name: _inline(path) for path in pictures})


def _inline(path: Path) -> str:
    """Return an SVG file as an element whose identifiers are its own among all pictures of the page."""
    svg = path.read_text(encoding="utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{path.stem}-", svg)

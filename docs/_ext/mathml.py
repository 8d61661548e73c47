"""Equations as MathML, which browsers show without a script and without a network."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)


def visit_math(writer: HTML5Translator, node: nodes.math) -> None:
    """Write an equation inside a line."""
    writer.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def visit_math_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write an equation of its own, with the link to it if it has a label."""
    anchor = f' id="{node["ids"][0]}"' if node["ids"] else ""
    writer.body.append(f'<div class="math"{anchor}>{_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def _mathml(node: nodes.Element, as_block: bool) -> str:
    try:
        equation = tex2mathml(_known_commands(node.astext().strip()), as_block=as_block)
        # Chromium draws a stretchy bar with a subscript too low.
        return equation.replace("<mo>‖</mo>", '<mo stretchy="false">‖</mo>')
    except MathError as error:
        LOGGER.warning("%s: %s", node.astext(), error, location=node)
        return f"<code>{node.astext()}</code>"


def _known_commands(text: str) -> str:
    """Return an equation without commands that docutils does not know: numbers of equations, and dots."""
    return re.sub(r"\\tag\{(\w+)\}", r"\\qquad (\1)", text).replace(r"\dots", r"\ldots")


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it the renderer ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

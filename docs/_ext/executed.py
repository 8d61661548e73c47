"""The Python blocks of some pages are run when the page is read, and what they print is shown below them."""

import contextlib
import io
import tempfile
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class Outputs(SphinxTransform):
    """Run the blocks of a page one after the other, in a folder that is removed afterwards."""

    default_priority = 400

    def apply(self) -> None:
        """Add the outputs."""
        if self.env.docname not in self.config.executed_pages:
            return
        namespace: dict[str, Any] = {"__name__": "__main__"}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for block in list(self.document.findall(nodes.literal_block)):
                if block.get("language") == "python":
                    printed = run(block.astext(), namespace)
                    if printed:
                        output = nodes.literal_block(printed, printed, language="text", classes=["output"])
                        block.parent.insert(block.parent.index(block) + 1, output)


def run(code: str, namespace: dict[str, Any]) -> str:
    """Return what a block prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<page>", "exec"), namespace)
    return printed.getvalue()


def setup(app: Sphinx) -> dict[str, bool]:
    """Take the pages from ``executed_pages``."""
    app.add_config_value("executed_pages", [], "env")
    app.add_transform(Outputs)
    return {"parallel_read_safe": True}

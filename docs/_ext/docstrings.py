"""The paper of a method as the section References of its docstring, from the class attribute that reports cite."""

from typing import Any

from sphinx.application import Sphinx


def add_reference(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Add the section before numpydoc reads the docstring, unless that has one with several papers."""
    has_section = "References" in (line.strip() for line in lines)
    if what == "class" and not has_section and (reference := vars(obj).get("reference")):
        lines += ["", "References", "----------", reference]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect it."""
    app.connect("autodoc-process-docstring", add_reference, priority=100)
    return {"parallel_read_safe": True}

"""Templates of exhibits and pages, filled in by Jinja."""

from collections.abc import Callable
from functools import partial
from importlib import resources
from typing import Any


def filled(template: str, escape: Callable[[str], str] | None = None, **values: Any) -> str:
    """Return a template of this stage with values filled in.

    Parameters
    ----------
    template : name of the file; in HTML, Jinja's own marks stand around expressions, in others << and >>.
    escape : what is done to every text; that of HTML if absent.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    text = (resources.files("concord.reports") / "templates" / template).read_text(encoding="utf-8")
    options: dict[str, Any] = {"autoescape": True}
    if escape:
        marks = {"block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "<<"}
        options = {**marks, "variable_end_string": ">>", "finalize": partial(_escaped, escape)}
    environment = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, **options)
    return environment.from_string(text).render(raw=Markup, **values)


def _escaped(escape: Callable[[str], str], value: Any) -> Any:
    """Escape a text, but not what the template calls raw."""
    return escape(value) if type(value) is str else value

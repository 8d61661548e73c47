"""What a light installation leaves out comes with an extra: ``pip install "consclust[plot]"``."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from consclust.errors import InputError

NAME = "consclust"


class ExtraNeeded(InputError, ModuleNotFoundError):
    """A package is not installed; the message names it and the extra that brings it."""


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Raise :class:`ExtraNeeded` for a package that an import in the block, or in the decorated function, lacks.

    >>> from consclust.extras import needs
    >>> with needs("plot"):
    ...     import pandas
    """
    try:
        yield
    except ExtraNeeded:
        raise
    except ModuleNotFoundError as error:
        raise ExtraNeeded(f"{error}; {write_install_command(extra)}", name=error.name) from None


def write_install_command(extra: str) -> str:
    """Return the command that installs this package with an extra, from where it was installed."""
    return f'pip install "{NAME}[{extra}]{_find_origin()}"'


@cache
def _find_origin() -> str:
    """Return what follows the name in a requirement: " @ " and an address; "" if it was installed by its name.

    A package that was installed from a folder or a repository need not be known by its name to any registry.
    """
    try:
        text = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:  # run from its folder
        return f" @ {Path(__file__).resolve().parents[2].as_uri()}"
    if text is None:
        return ""
    origin: dict[str, Any] = json.loads(text)
    if "vcs_info" not in origin:
        return f" @ {origin['url']}"
    vcs = origin["vcs_info"]
    return f" @ {vcs['vcs']}+{origin['url']}@{vcs['commit_id']}"

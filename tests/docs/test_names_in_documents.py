"""The names of code in documents are there: a renamed function is renamed in the guided tours, too."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"`(consclust(?:_studies)?(?:\.\w+)+)(?:\(\))?`")
WRITTEN_BY_HAND = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if not {"api", "_build"} & {*page.parts}),
]


def is_there(name: str) -> bool:
    """Whether a dotted name leads to a module or something in it."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@pytest.mark.parametrize("page", WRITTEN_BY_HAND, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_name_of_code_is_there(page):
    names = set(NAME.findall(page.read_text(encoding="utf-8")))
    assert [name for name in sorted(names) if not is_there(name)] == []


def test_a_name_that_is_gone_is_found():
    assert is_there("consclust.methods.rce.RCE")
    assert not is_there("consclust.methods.rce.rce")
    assert not is_there("consclust.no_such_module")

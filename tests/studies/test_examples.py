"""The examples in the docstrings of the code of single studies, which is in no package that pytest looks into."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.glob("studies/*/exhibits/*.py")
)


def test_there_is_such_code():
    assert len(MODULES) > 10


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0

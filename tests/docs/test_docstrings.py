"""The docstrings of what the API reference lists: numpydoc finds the parameters, and each method has an example."""

import importlib
import inspect
import re
from pathlib import Path

import pytest
from numpydoc.docscrape import get_doc_object

from consclust import methods

API = (Path(__file__).parents[2] / "docs/api.rst").read_text(encoding="utf-8")
MODULES = re.findall(r"^   (consclust\.[a-z.]+)$", API, re.MULTILINE)


def members(name):
    """Classes, with their methods, and functions of a module."""
    module = importlib.import_module(name)
    own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == name and key[0] != "_"]
    for key in getattr(module, "__all__", own):
        value = getattr(module, key)
        if inspect.isfunction(value):
            yield key, value
        elif inspect.isclass(value) and not issubclass(value, Exception):
            if not inspect.isabstract(value):  # that documents what its subclasses have in common
                yield key, value
            yield from ((f"{key}.{n}", of) for n, of in vars(value).items() if inspect.isfunction(of) and n[0] != "_")


def parameters(obj):
    """Names of the section Parameters, and what numpydoc takes for their types."""
    section = get_doc_object(obj)["Parameters"]
    return {name.lstrip("*"): entry.type for entry in section for name in re.split(r",\s*", entry.name)}


@pytest.mark.parametrize("module", MODULES)
def test_parameters_are_those_of_the_signature(module):
    for name, obj in members(module):
        assert obj.__doc__, f"{name} has no docstring"
        documented, taken = parameters(obj), set(inspect.signature(obj).parameters)
        assert set(documented) <= taken, f"{module}.{name} documents {set(documented) - taken}"
        wordy = [key for key, of in documented.items() if re.search(r"[a-z\d)]\. [A-Z-]", of)]
        assert not wordy, f"{module}.{name}: a description of {wordy} stands on the line of the type"


@pytest.mark.parametrize("name", methods.names())
def test_methods_document_all_parameters_and_have_an_example(name):
    cls = methods.load(name)
    assert set(inspect.signature(cls).parameters) <= set(parameters(cls))
    assert any(f"{name}(" in line for line in get_doc_object(cls)["Examples"])

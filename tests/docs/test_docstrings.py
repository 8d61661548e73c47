"""The docstrings of what the API reference lists: numpydoc finds the parameters, and each method has an example."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest
from numpydoc.docscrape import get_doc_object

from consclust import methods
from consclust.methods.base import ConsensusMethod

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


def documented_defaults(obj):
    """What the docstring says of defaults, as values of Python."""
    found = {name: re.search(r"default (.+)$", of) for name, of in parameters(obj).items()}
    return {name: ast.literal_eval(said[1]) for name, said in found.items() if said}


@pytest.mark.parametrize("module", MODULES)
def test_documented_defaults_are_those_of_the_signature(module):
    for name, obj in members(module):
        taken = inspect.signature(obj).parameters
        for parameter, said in documented_defaults(obj).items():
            assert taken[parameter].default == said, f"{module}.{name}: {parameter}"


@pytest.mark.parametrize("name", methods.names())
def test_a_default_that_is_documented_once_for_all_methods_is_that_of_each(name):
    cls = methods.load(name)
    common = documented_defaults(ConsensusMethod)
    assert "n_init" in common
    own = documented_defaults(cls)
    taken = inspect.signature(cls).parameters
    for parameter in set(common) & set(taken) - set(own):
        assert taken[parameter].default == common[parameter], parameter

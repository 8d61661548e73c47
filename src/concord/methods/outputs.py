"""What a study's figures may name: matrices and paths of the methods, parameters of the similarities.

Matrices and paths are those whose shape a docstring gives: a wrong name is told before any job starts.
"""

import importlib
import inspect
import re

from concord.methods import registry

_ENTRY = re.compile(r"^(\w+) : ndarray, shape \((.+)\)$", flags=re.MULTILINE)
_GETTER = re.compile(r"Return .*over objects, shape \(n, n\)")
_PATH = re.compile(r"(?:\d+ )?n_iter_,(?: (\d+))?")


def matrices(method: str) -> list[str]:
    """Return getters of a matrix over objects, and attributes that are one over profiles."""
    described = inspect.getdoc(registry.load(method)) or ""
    functions = inspect.getmembers(registry.load(method), inspect.isfunction)
    given = [name for name, function in functions if _GETTER.match(function.__doc__ or "")]
    return given + [name for name, shape in _ENTRY.findall(described) if shape == "n', n'"]


def paths(method: str) -> dict[str, int]:
    """Return the attributes with a value, or a row of values, for each iteration: how many values by name."""
    described = inspect.getdoc(registry.load(method)) or ""
    found = [(name, _PATH.fullmatch(shape)) for name, shape in _ENTRY.findall(described)]
    return {name: int(match[1] or 1) for name, match in found if match}


def similarity_parameters(name: str) -> list[str]:
    """Return the parameters of a similarity of :mod:`concord.coassociation`; none for the classes."""
    if name == "classes":
        return []
    function = getattr(importlib.import_module("concord.coassociation"), name)
    return [word for word in inspect.signature(function).parameters if word != "ensemble"]

"""Which consensus methods there are: every class with a base ``ConsensusMethod`` in this folder.

Found by reading the source, not by importing it: a job imports its own method and nothing else, and a
new method is one new file.
"""

import ast
import importlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import InputError

if TYPE_CHECKING:
    from concord.methods.base import ConsensusMethod


@cache
def _classes() -> dict[str, tuple[str, ast.ClassDef]]:
    found: dict[str, tuple[str, ast.ClassDef]] = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8"), str(path)).body:
            if not isinstance(node, ast.ClassDef) or "ConsensusMethod" not in map(ast.unparse, node.bases):
                continue
            if not any(isinstance(n, ast.FunctionDef) and n.name == "__init__" for n in node.body):
                raise InputError(f"{path}: {node.name} needs an __init__ that names all of its parameters")
            if node.name in found:
                raise InputError(f"{path}: {node.name} is the method of {found[node.name][0]}; rename one")
            found[node.name] = (f"concord.methods.{path.stem}", node)
    return found


def available() -> dict[str, tuple[str, ...]]:
    """Return the constructor parameters of every method, by the method's name."""
    parameters = {}
    for name, (_, node) in _classes().items():
        init = next(n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__")
        arguments = [*init.args.args, *init.args.kwonlyargs]
        parameters[name] = tuple(argument.arg for argument in arguments if argument.arg != "self")
    return parameters


def needs_features(
    name: str, parameters: Mapping[str, Any], points: Iterable[Mapping[str, Any]] = ({},)
) -> bool:
    """Whether the method ``name`` needs the objects' features, with these parameters, at any grid point."""
    lines = (ast.unparse(line) for line in _classes()[name][1].body)
    if "needs_features = True" not in lines:
        return False
    method = load(name)
    return any(method(n_clusters=1, **{**parameters, **point}).uses_features() for point in points)


def module_of(name: str) -> str:
    """Return the module that holds the method ``name``."""
    return _classes()[name][0]


def predicts_from(name: str) -> str | None:
    """Return what ``predict`` of the method takes: "labels" or "features"; None if it has none."""
    _, node = _classes()[name]
    found = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "predict"]
    return found[0].args.args[1].arg if found else None


def load(name: str) -> "Callable[..., ConsensusMethod]":
    """Import and return the class of the method ``name``."""
    method: Callable[..., ConsensusMethod] = getattr(importlib.import_module(module_of(name)), name)
    return method


def check(name: str, parameters: Mapping[str, Any]) -> None:
    """Raise ValueError if the method ``name`` refuses these parameters."""
    load(name)(n_clusters=1, **parameters).check_parameters()

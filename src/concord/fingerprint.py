"""Content of the code behind a rule: what a rule takes as a param, so that editing it runs the rule again.

Snakemake does not see the modules that a ``shell:`` line imports. The fingerprint of a module covers every
``concord`` module that it imports, directly or not. Comments, docstrings and layout do not count, except in a
file named in ``whole``.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent


def fingerprint(*modules: str, whole: Iterable[str] = (), beside: Iterable[Path] = ()) -> str:
    """Return the digest of ``modules``, of what they import, and of the files ``beside`` them.

    Parameters
    ----------
    modules : names of modules, e.g. "concord.methods.run"
    whole : names of modules of which every byte counts.
    beside : other files, e.g. templates; every byte counts.
    """
    digest = hashlib.sha256()
    for module in sorted(_closure([*modules, *whole])):
        digest.update(module.encode())
        digest.update(_file(module).read_bytes() if module in whole else _meaning(_source(module)))
    for path in sorted(beside):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _file(module: str) -> Path:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _source(module: str) -> str:
    return _file(module).read_text(encoding="utf-8")


def _closure(modules: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += _imports(module)
    return found


def _imports(module: str) -> list[str]:
    names = [inner if _is_module(inner) else outer for inner, outer in _names(_source(module))]
    return [name for name in names if _is_module(name)]


@cache  # the rules take many fingerprints of the same files
def _names(source: str) -> list[tuple[str, str]]:
    """Return each imported name, and the module it is imported from unless it is one itself."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [(alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [(f"{node.module}.{alias.name}", node.module) for alias in node.names]
    return names


def _is_module(name: str) -> bool:
    return name.split(".")[0] == "concord" and _file(name).exists()


@cache
def _meaning(source: str) -> bytes:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                del body[0]
    return ast.dump(tree).encode()

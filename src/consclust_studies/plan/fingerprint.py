"""Digest of the code behind a job, which stands in its spec, so that editing the code runs the job again.

A digest covers the meaning of every module of the project that a module imports, directly or not. Comments, docstrings,
layout, the names of files, descriptions of settings, and what a method declares for reports and schedulers do not
count: none of them changes a result.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

from consclust_studies.code import Code
from consclust_studies.paths import STUDIES

SOURCE = Path(__file__).parents[2]
ROOTS = {"consclust": SOURCE, "consclust_studies": SOURCE, STUDIES: Path()}
"""The folder that holds each package of the project; the studies are in the folder in which a run is started."""
DECLARED = {"summary", "reference", "cost", "matrices", "paths"}
"""Class attributes that change no result: what a method declares for reports and schedulers."""


_OF_DATA = {"consclust.datasets.preprocessing.steps", "consclust.readers"}
CHOOSES = {
    **{f"consclust.datasets.{module}": _OF_DATA for module in ("prepared", "preprocessing", "registry")},
    "consclust_studies.stages.base_clusterings": {
        *(f"consclust.ensembles.{kind}" for kind in ("kmeans", "mixed", "spherical")),
        "consclust_studies.stages.ready_made",
    },
}
"""Modules, and what they choose from by a name in the job, whose fingerprint names what it chose: a new reader or step
runs no other job again."""


def fingerprint(code: Code) -> str:
    """Return the digest of the code behind a job."""
    if not code.entries:
        return ""
    modules = sorted({entry.rpartition(".")[0] for entry in code.entries})
    return fingerprint_of_modules(Path.cwd(), *modules)


fingerprint_of_loaded = fingerprint


@cache
def fingerprint_of_modules(project: Path, *modules: str) -> str:
    """Return the digest of ``modules``, by their full names, and of what they import, in the folder of a project."""
    meanings = sorted(_closure(modules).values())
    return hashlib.sha256("".join(meanings).encode()).hexdigest()[:16]


def _closure(modules: tuple[str, ...]) -> dict[str, str]:
    """Return the digests of modules and of what they import, directly or not, by name."""
    found: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found[module], imported = _meaning(_file(module))
            waiting += [name for name in imported if name not in CHOOSES.get(module, ())]
    return found


@cache
def _meaning(file: Path) -> tuple[str, list[str]]:
    """Return the digest of what a module means, by its file, and the modules of the project that it imports."""
    meaning = _Meaning()
    tree = meaning.visit(ast.parse(file.read_text(encoding="utf-8")))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), meaning.imported


def _file(module: str) -> Path:
    path = ROOTS[module.split(".")[0]].joinpath(*module.split(".")).absolute()
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _is_module(name: str) -> bool:
    return name.split(".")[0] in ROOTS and _file(name).exists()


class _Meaning(ast.NodeTransformer):
    """Removes whatever changes no result; imports of the package too, whose modules count by themselves."""

    def __init__(self) -> None:
        self.imported: list[str] = []

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Remove what only a type checker reads; keep what stands under its ``else``."""
        typing = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        node.body = [] if typing else node.body
        self.generic_visit(node)
        return node.orelse if typing else node

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        """Keep imports of other packages."""
        return self._outside(node, [alias.name for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        """Keep imports of other packages."""
        inner = [f"{node.module}.{alias.name}" for alias in node.names]
        return self._outside(node, [name if _is_module(name) else f"{node.module}" for name in inner])

    def _outside(self, node: ast.AST, names: list[str]) -> ast.AST | None:
        self.imported += [name for name in names if _is_module(name)]
        return None if names[0].split(".")[0] in ROOTS else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Remove docstrings, of attributes too."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Remove what a class only declares."""
        node.body = [line for line in node.body if _target(line) not in DECLARED]
        return self.generic_visit(node)

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """Remove the list of public names."""
        node.body = [line for line in node.body if _target(line) != "__all__"]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Remove descriptions of settings."""
        self.generic_visit(node)
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != "description"]
        return node


def _target(line: ast.stmt) -> str | None:
    """Return the name that a statement assigns to; None for any other statement."""
    target = line.targets[0] if isinstance(line, ast.Assign) else getattr(line, "target", None)
    return target.id if isinstance(target, ast.Name) else None

"""Modules and their definitions, read and never imported; what a name in a module stands for."""

import ast
import copy
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from consclust_studies.code.cleaning import is_message

ReadSource = Callable[[str, Path], str | None]
"""Text of a module, given its name and where its file should be; None: there is none."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPOUND = (ast.If, ast.Try, ast.With, ast.For, ast.While)
NOT_CODE = {"__all__"}


class External(NamedTuple):
    """Something of another package, by its whole name."""

    name: str


class ModuleName(NamedTuple):
    """A module of the packages that are read."""

    name: str


@dataclass(eq=False)
class Definition:
    """Something with a name in a module: a function, a class, a constant, or a member of a class.

    A name that several statements bind, such as the two branches of a ``try``, is a ``value`` of all of them.
    """

    module: "Module"
    name: str
    kind: Literal["function", "class", "value"]
    statements: list[ast.stmt]
    owner: "Definition | None" = None
    """The class of a member."""

    @property
    def function(self) -> Function:
        """The function of a definition that is one."""
        node = self.statements[0]
        assert isinstance(node, FUNCTIONS), self
        return node

    def __repr__(self) -> str:
        return f"{self.module.name}.{self.name}"


Target = Definition | ModuleName | External


@dataclass(eq=False)
class Module:
    """A module: its definitions, what it imports, and the statements that it runs for their effect."""

    name: str
    is_package: bool
    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    """What an import binds, by the name in the module: "consclust.ensemble:Ensemble", "numpy"."""
    stars: list[str] = field(default_factory=list)
    """Modules from which everything is imported."""
    loads: list[str] = field(default_factory=list)
    """Modules that an ``import`` loads, whatever name it binds."""
    effects: list[ast.stmt] = field(default_factory=list)
    has_walrus: bool = True
    """Whether there may be names that are bound within expressions."""

    @cached_property
    def effect(self) -> Definition:
        """All statements that are run for their effect, as one definition."""
        return Definition(self, "<effects>", "value", self.effects)

    @cached_property
    def imported_modules(self) -> list[str]:
        """What may be a module and is imported as a whole, so that what it does counts, and the packages around."""
        parts = self.name.split(".")
        around = [".".join(parts[:end]) for end in range(1, len(parts))]
        return [*around, *self.loads, *(bound.replace(":", ".") for bound in self.imports.values())]

    def absolute(self, node: ast.ImportFrom) -> str:
        """Return the module that an import names, also a relative one."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        kept = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*kept, *([node.module] if node.module else [])])


class Sources:
    """All modules of some packages.

    Parameters
    ----------
    roots : the folder of each package.
    read : gives the text of a module; by default that of its file.
    """

    def __init__(self, roots: Mapping[str, Path], read: ReadSource | None = None) -> None:
        self.roots = dict(roots)
        self._read = read or read_file
        self._modules: dict[str, Module | None] = {}
        self._named: dict[tuple[str, str], Target | None] = {}

    def module(self, name: str) -> Module | None:
        """Return a module by its name; None if the packages have no such module."""
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def _load(self, name: str) -> Module | None:
        root, *inner = name.split(".")
        if root not in self.roots:
            return None
        folder = self.roots[root].joinpath(*inner)
        package = folder / "__init__.py"
        text = self._read(name, package)
        if text is not None:
            return read_module(name, True, text)
        text = self._read(name, folder.with_suffix(".py")) if inner else None
        if text is not None:
            return read_module(name, False, text)
        # a folder without __init__.py is a package, too
        return Module(name, True) if folder.is_dir() else None

    def resolve(self, dotted: str) -> Target:
        """Return what a whole name such as "consclust.methods.rce.RCE._fit" stands for."""
        parts = dotted.split(".")
        for end in range(len(parts), 0, -1):
            if self.module(".".join(parts[:end])):
                target: Target = ModuleName(".".join(parts[:end]))
                for part in parts[end:]:
                    target = self.attribute(target, part)
                return target
        return External(dotted)

    def imported(self, bound: str) -> Target:
        """Return what an import binds: "consclust.ensemble:Ensemble" or "numpy"."""
        return self._imported(bound, frozenset())

    def attribute(self, target: Target, name: str) -> Target:
        """Return what an attribute of a module, of a class or of something external stands for."""
        if isinstance(target, ModuleName):
            return self.named(target.name, name) or External(f"{target.name}.{name}")
        if isinstance(target, Definition) and target.kind == "class":
            from consclust_studies.code.classes import find_own_members

            return find_own_members(target).get(name) or External(f"{target!r}.{name}")
        return External(f"{target.name if isinstance(target, External) else repr(target)}.{name}")

    def named(self, module_name: str, name: str) -> Target | None:
        """Return what a name in a module stands for; None for a builtin or an unknown name."""
        if (module_name, name) not in self._named:
            self._named[module_name, name] = self._find(module_name, name, frozenset())
        return self._named[module_name, name]

    def _find(self, module_name: str, name: str, seen: frozenset[tuple[str, str]]) -> Target | None:
        module = self.module(module_name)
        if module is None or (module_name, name) in seen:
            return None
        if name in module.definitions:
            return module.definitions[name]
        seen |= {(module_name, name)}
        if name in module.imports:
            return self._imported(module.imports[name], seen)
        if module.is_package and self.module(f"{module_name}.{name}"):
            return ModuleName(f"{module_name}.{name}")
        return self._from_stars(module, name, seen) or self._found_lazily(module, name, seen)

    def _imported(self, bound: str, seen: frozenset[tuple[str, str]]) -> Target:
        # a package may hold a function and a file of one name: the path of an import names files
        holder, _, name = bound.partition(":")
        dotted = f"{holder}.{name}" if name else holder
        if dotted.split(".")[0] not in self.roots:
            return External(dotted)
        if not name:
            return ModuleName(dotted)
        found = self._find(holder, name, seen)
        if found is None and self.module(dotted):
            return ModuleName(dotted)
        return found or External(dotted)

    def _from_stars(self, module: Module, name: str, seen: frozenset[tuple[str, str]]) -> Target | None:
        found = (self._find(star, name, seen) for star in module.stars if not name.startswith("_"))
        return next((target for target in found if target), None)

    def _found_lazily(self, module: Module, name: str, seen: frozenset[tuple[str, str]]) -> Target | None:
        """Return a name that the ``__getattr__`` of a package finds in one of the files of its folder."""
        if "__getattr__" not in module.definitions:
            return None
        for inner in self.list_module_names(module.name):
            found = self.module(inner)
            if found and name in found.definitions:
                return self._find(inner, name, seen)
        return None

    def list_module_names(self, package: str) -> Iterator[str]:
        """Yield the names of the modules in the folder of a package, sorted."""
        root, *inner = package.split(".")
        for path in sorted(self.roots[root].joinpath(*inner).glob("*.py")):
            if path.stem != "__init__":
                yield f"{package}.{path.stem}"


def read_file(name: str, path: Path) -> str | None:
    """Return the text of a file; None if there is no such file."""
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None


@lru_cache(maxsize=2048)
def read_module(name: str, is_package: bool, text: str) -> Module:
    """Return the definitions, imports and effects of a module; the same object for the same text."""
    module = Module(name, is_package, has_walrus=":=" in text)
    statements = list(_run_statements(ast.parse(text), module))
    for statement in statements:
        for bound in find_bound_names(statement):
            if bound not in NOT_CODE:
                bind(module.definitions, module, bound, statement)
    for statement in statements:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            module.effects += [Decoration(decorator, statement.name) for decorator in statement.decorator_list]
        elif not _keep_change(module, statement) and _has_effect(statement):
            module.effects.append(statement)
    return module


class Decoration(ast.Expr):
    """The call of a decorator, which may keep what it decorates in a table."""

    def __init__(self, decorator: ast.expr, name: str) -> None:
        self.decorator = copy.deepcopy(decorator)
        super().__init__(ast.Call(self.decorator, [ast.Name(name, ast.Load())], []))


def _keep_change(module: Module, statement: ast.stmt) -> bool:
    """Let a statement that changes a constant in place be a part of it; say whether it is one."""
    known = module.definitions.get(_touched(statement) or "")
    if known is None or known.kind != "value" or find_bound_names(statement):
        return False
    known.statements.append(statement)
    return True


def _has_effect(statement: ast.stmt) -> bool:
    """Whether a statement may do more than to bind names, and to say something."""
    if isinstance(statement, COMPOUND):
        return _acts(statement)
    return not find_bound_names(statement) and not isinstance(statement, ast.AnnAssign | ast.Pass)


def bind(
    definitions: dict[str, Definition], module: Module, name: str, statement: ast.stmt, owner: Definition | None = None
) -> None:
    """Keep that a statement binds a name in a module or, with an ``owner``, in a class."""
    known = definitions.get(name)
    if known:
        known.kind = "value"
        known.statements.append(statement)
        return
    qualified = f"{owner.name}.{name}" if owner else name
    definitions[name] = Definition(module, qualified, find_kind(statement), [statement], owner)


def find_kind(statement: ast.stmt) -> Literal["function", "class", "value"]:
    """Return the kind of what a single statement defines."""
    if isinstance(statement, FUNCTIONS):
        return "function"
    return "class" if isinstance(statement, ast.ClassDef) else "value"


def _run_statements(tree: ast.Module, module: Module) -> Iterator[ast.stmt]:
    """Yield the statements of a module that are run and do something; keep its imports, those for types too."""
    waiting = list(reversed(tree.body))
    typing: list[ast.stmt] = []
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.Import | ast.ImportFrom):
            _keep_import(statement, module)
        elif isinstance(statement, ast.If) and (branches := find_typing_branches(statement)):
            for_types, run = branches
            typing += for_types
            waiting += reversed(run)
        elif not (is_message(statement) or _is_main_guard(statement)):
            yield statement
    for statement in typing:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            _keep_import(statement, module)


def find_typing_branches(node: ast.If) -> tuple[list[ast.stmt], list[ast.stmt]] | None:
    """Return what of ``if TYPE_CHECKING`` a type checker reads, and what is run; None for any other test."""
    test = node.test
    body = node.body
    orelse = node.orelse
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, body, orelse = test.operand, orelse, body
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return (body, orelse) if name == "TYPE_CHECKING" else None


def _is_main_guard(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "'__main__'" in ast.unparse(statement.test)


def _keep_import(node: ast.Import | ast.ImportFrom, module: Module) -> None:
    if isinstance(node, ast.Import):
        module.loads += [alias.name for alias in node.names]
    for name, dotted in find_imported_names(node, module):
        if name == "*":
            module.stars.append(dotted)
        else:
            module.imports.setdefault(name, dotted)


def find_imported_names(node: ast.Import | ast.ImportFrom, module: Module) -> Iterator[tuple[str, str]]:
    """Yield each name that an import binds, and what it stands for; ("*", module) for a star."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            first = alias.name.split(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (first, first)
        elif alias.name == "*":
            yield "*", module.absolute(node)
        else:
            yield alias.asname or alias.name, f"{module.absolute(node)}:{alias.name}"


def find_bound_names(statement: ast.stmt) -> list[str]:
    """Return the names that a statement binds outside of functions and classes, each once, in order."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return []
    return list(dict.fromkeys(_stored(statement)))


def _stored(node: ast.AST) -> Iterator[str]:
    """Yield names that are stored in a node, but not inside of functions, classes and comprehensions."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
        return
    if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _stored(child)


def _touched(statement: ast.stmt) -> str | None:
    """Return the name of what a statement changes in place: ``TABLE`` of ``TABLE["x"] = f`` and ``TABLE.update(y)``."""
    node: ast.AST | None = None
    if isinstance(statement, ast.Assign):
        node = statement.targets[0]
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        node = statement.target
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        node = statement.value.func
        if isinstance(node, ast.Name):
            return None
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _acts(node: ast.AST) -> bool:
    """Whether a compound statement does more than to bind names: it calls, or stores into something."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return False
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return not is_message(node)
    if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
        return True
    return any(_acts(child) for child in ast.iter_child_nodes(node))


def standard_roots() -> dict[str, Path]:
    """Return the folders of the library and of the engine."""
    here = Path(__file__).parents[2]
    library = sys.modules.get("consclust")
    folder = Path(str(library.__file__)).parent if library and library.__file__ else here / "consclust"
    return {"consclust": folder, "consclust_studies": here / "consclust_studies"}

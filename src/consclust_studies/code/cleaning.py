"""A definition made ready: without messages and annotations, every local name unique within it."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from consclust_studies.code.modules import Definition

LOGGED = {"debug", "info", "warning", "warn", "error", "critical", "exception", "log"}
LOGGER = re.compile(r"_*(log|logger|logging|getLogger)", re.IGNORECASE)
"""What a logger is called."""
WRITTEN = {"click.echo", "click.secho", "sys.stderr.write", "sys.stdout.write", "tqdm.write", "warnings.warn"}
WRITES = {"print", "warn", "warn_explicit"}
UNIQUE = "\N{MIDDLE DOT}"
"""Stands between a local name and the number of its scope; no name in a source has it in front of a number."""

Scope = dict[str, str]
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def is_message(statement: ast.stmt) -> bool:
    """Whether a statement only says something: it logs, warns or prints, or is a text that stands alone."""
    if not isinstance(statement, ast.Expr):
        return False
    if isinstance(statement.value, ast.Constant):
        return True
    if not isinstance(statement.value, ast.Call):
        return False
    function = statement.value.func
    if isinstance(function, ast.Name):
        return function.id in WRITES
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in LOGGED and LOGGER.fullmatch(last_word(function.value)):
        return True
    return ast.unparse(function) in WRITTEN


def last_word(node: ast.expr) -> str:
    """Return the last name of an expression: ``log`` of ``self.log``, ``getLogger`` of ``logging.getLogger(x)``."""
    if isinstance(node, ast.Call):
        return last_word(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


@dataclass
class Prepared:
    """A definition made ready; its syntax tree was changed in place."""

    statements: list[ast.stmt]
    annotations: list[ast.expr] = field(default_factory=list)
    """All of them, in order; they say which classes objects may have."""
    types: dict[str, ast.expr] = field(default_factory=dict)
    """The annotation of a local name."""
    parameters: list[str] = field(default_factory=list)
    """The unique names of the parameters of a function, in order, with those of ``*args`` and ``**kwargs``."""
    imports: dict[str, list[ast.Import | ast.ImportFrom]] = field(default_factory=dict)
    """The statements that import a local name."""


def prepare(definition: "Definition") -> Prepared:
    """Make a definition ready, once."""
    known: Prepared | None = getattr(definition, "_prepared", None)
    if known is None:
        known = _Preparation(definition).done
        definition._prepared = known  # type: ignore[attr-defined]
    return known


class _Preparation:
    def __init__(self, definition: "Definition") -> None:
        self.done = Prepared(definition.statements)
        self._scopes = 0
        # only ``:=`` binds a name within an expression; few modules have it, and the search takes long
        self._in_expressions = definition.module.has_walrus
        for statement in definition.statements:
            if definition.kind == "class":
                self._prepare_header(statement)
            else:
                self._visit(statement, ())
        if definition.kind == "function":
            self.done.parameters = [argument.arg for argument in list_arguments(definition.function.args)]

    def _prepare_header(self, node: ast.stmt) -> None:
        """Prepare the bases, keywords and decorators of a class; its members are definitions by themselves."""
        assert isinstance(node, ast.ClassDef)
        for expression in (*node.bases, *node.decorator_list, *(keyword.value for keyword in node.keywords)):
            self._visit(expression, ())

    # ------------------------------------------------------------------ the walk

    def _visit(self, node: ast.AST, scopes: tuple[Scope, ...]) -> None:
        method = getattr(self, f"_visit_{type(node).__name__}", None)
        if method:
            method(node, scopes)
        else:
            self._visit_fields(node, scopes)

    def _visit_fields(self, node: ast.AST, scopes: tuple[Scope, ...]) -> None:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                if value and isinstance(value[0], ast.stmt):
                    value[:] = [statement for statement in value if not is_message(statement)]
                self._visit_all(value, scopes)
            elif isinstance(value, ast.AST):
                self._visit(value, scopes)
            elif name in ("name", "rest") and isinstance(value, str):
                setattr(node, name, _unique(value, scopes))

    def _visit_all(self, nodes: Iterable[Any], scopes: tuple[Scope, ...]) -> None:
        for node in nodes:
            if isinstance(node, ast.AST):
                self._visit(node, scopes)

    def _visit_Name(self, node: ast.Name, scopes: tuple[Scope, ...]) -> None:
        node.id = _unique(node.id, scopes)

    def _visit_Assert(self, node: ast.Assert, scopes: tuple[Scope, ...]) -> None:
        node.msg = None
        self._visit_fields(node, scopes)

    def _visit_AnnAssign(self, node: ast.AnnAssign, scopes: tuple[Scope, ...]) -> None:
        self.done.annotations.append(node.annotation)
        self._visit(node.target, scopes)
        if isinstance(node.target, ast.Name):
            self.done.types.setdefault(node.target.id, node.annotation)
        if node.value:
            self._visit(node.value, scopes)

    def _visit_Import(self, node: ast.Import | ast.ImportFrom, scopes: tuple[Scope, ...]) -> None:
        for alias in node.names:
            name = _unique(alias.asname or alias.name.split(".")[0], scopes)
            self.done.imports.setdefault(name, []).append(node)

    _visit_ImportFrom = _visit_Import  # noqa: N815 - named as the node

    # ------------------------------------------------------------------ scopes

    def _visit_FunctionDef(self, node: ast.FunctionDef, scopes: tuple[Scope, ...]) -> None:
        node.name = _unique(node.name, scopes)
        self._visit_all(node.decorator_list, scopes)
        self._take_annotations(node.args)
        if node.returns:
            self.done.annotations.append(node.returns)
        node.body = [statement for statement in node.body if not is_message(statement)]
        self._visit_scope(node.args, node.body, scopes)

    _visit_AsyncFunctionDef = _visit_FunctionDef  # noqa: N815 - named as the node

    def _visit_Lambda(self, node: ast.Lambda, scopes: tuple[Scope, ...]) -> None:
        self._visit_scope(node.args, [node.body], scopes)

    def _visit_scope(self, args: ast.arguments, body: list[Any], scopes: tuple[Scope, ...]) -> None:
        self._visit_all([*args.defaults, *args.kw_defaults], scopes)
        parameters = list_arguments(args)
        names = {argument.arg for argument in parameters}
        for statement in body:
            names |= set(_local_names(statement, self._in_expressions))
        names -= {name for statement in body for name in _outer_names(statement)}
        # names of a class body are not seen inside of its functions
        inner = (*(scope for scope in scopes if "" not in scope), self._scope(names))
        for argument in parameters:
            annotation = argument.annotation
            argument.arg = _unique(argument.arg, inner)
            if annotation:
                self.done.types[argument.arg] = annotation
        self._visit_all(body, inner)

    def _scope(self, names: Iterable[str]) -> Scope:
        self._scopes += 1
        return {name: f"{name}{UNIQUE}{self._scopes}" for name in names}

    def _take_annotations(self, args: ast.arguments) -> None:
        for argument in list_arguments(args):
            if argument.annotation:
                self.done.annotations.append(argument.annotation)

    def _visit_ClassDef(self, node: ast.ClassDef, scopes: tuple[Scope, ...]) -> None:
        node.name = _unique(node.name, scopes)
        self._visit_all([*node.bases, *node.keywords, *node.decorator_list], scopes)
        node.body = [statement for statement in node.body if not is_message(statement)]
        own = {name: name for statement in node.body for name in _local_names(statement, self._in_expressions)}
        self._visit_all(node.body, (*scopes, {"": "", **own}))

    def _visit_comprehension_scope(self, node: Any, scopes: tuple[Scope, ...]) -> None:
        generators: list[ast.comprehension] = node.generators
        self._visit(generators[0].iter, scopes)
        names = [name.id for generator in generators for name in _names_in(generator.target)]
        inner = (*scopes, self._scope(names))
        for number, generator in enumerate(generators):
            self._visit(generator.target, inner)
            if number:
                self._visit(generator.iter, inner)
            self._visit_all(generator.ifs, inner)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._visit_all(parts, inner)

    _visit_ListComp = _visit_SetComp = _visit_DictComp = _visit_GeneratorExp = _visit_comprehension_scope  # noqa: N815 - named as the node


def list_arguments(args: ast.arguments) -> list[ast.arg]:
    """Return all parameters: positional ones, then ``*args``, keywords and ``**kwargs``."""
    found = [*args.posonlyargs, *args.args]
    if args.vararg:
        found.append(args.vararg)
    found += args.kwonlyargs
    if args.kwarg:
        found.append(args.kwarg)
    return found


def plain(name: str) -> str:
    """Return a local name as it stands in the source."""
    return name.split(UNIQUE)[0]


def is_local(name: str) -> bool:
    """Whether a prepared name is that of something local."""
    return UNIQUE in name


def _unique(name: str, scopes: tuple[Scope, ...]) -> str:
    for scope in reversed(scopes):
        if name in scope:
            return scope[name]
    return name


def _names_in(target: ast.expr) -> Iterator[ast.Name]:
    return (node for node in ast.walk(target) if isinstance(node, ast.Name))


TARGETS = (ast.Name, ast.Tuple, ast.List, ast.Starred)


def _local_names(node: ast.AST, in_expressions: bool) -> Iterator[str]:
    """Yield the names that a node binds in the scope that it stands in."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    if isinstance(node, ast.Lambda) or (
        isinstance(node, ast.expr) and not isinstance(node, TARGETS) and not in_expressions
    ):
        return
    if isinstance(node, COMPREHENSIONS):
        # only ``:=`` binds a name outside of a comprehension
        walrus = (inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
        yield from (inner.target.id for inner in walrus)
        return
    yield from _names_bound_by(node)
    for child in ast.iter_child_nodes(node):
        yield from _local_names(child, in_expressions)


def _names_bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds by itself."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node.id
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)


def _outer_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that ``global`` and ``nonlocal`` take from outside."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
        for child in ast.iter_child_nodes(node):
            yield from _outer_names(child)

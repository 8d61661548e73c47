"""Syntax trees, without what is known of other definitions: statements as items, names that are bound, cases, texts."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeGuard

from consclust_studies.code.classes import list_decorator_words
from consclust_studies.code.constants import NOTHING, Values, joined
from consclust_studies.code.modules import FUNCTIONS, Definition, Target

Entries = dict[tuple[type, Any], ast.expr]
"""The entries of a dict, by type and value of the key."""
WORDS = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)


class Chosen(ast.expr):
    """Entries of a dict that is a constant of a module, in place of the dict and a key."""

    _fields = ("key",)

    def __init__(self, definitions: list[Definition], key: ast.expr | None) -> None:
        super().__init__()
        self.definitions = definitions
        self.key = key


class Element(ast.expr):
    """What a loop takes from an iterable, one after the other."""

    _fields = ("value",)

    def __init__(self, value: ast.expr) -> None:
        super().__init__()
        self.value = value


@dataclass
class Part:
    """A value, and the local names that it is bound to."""

    names: frozenset[str]
    value: ast.expr | None
    forced: bool = False
    """Whether it counts though nothing reads the names."""


@dataclass
class Item:
    """A statement and what it needs."""

    node: ast.stmt
    parts: list[Part] = field(default_factory=list)
    """Of an assignment."""
    needs: list[ast.AST] = field(default_factory=list)
    """What is read if the statement is kept; for a compound one this is its head."""
    forced: bool = False
    blocks: list[list["Item"]] = field(default_factory=list)
    defines: str = ""
    """Name of a local function or class."""


@cache
def parse_annotation(text: str) -> ast.expr:
    """Return an annotation that is written as a text; None, as a constant, for what is no expression."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return ast.Constant(None)


def list_parts(node: ast.AST) -> list[ast.AST]:
    """Return the nodes that a node consists of, without operators and contexts, which have no parts; found once."""
    found: list[ast.AST] | None = node.__dict__.get("_parts")
    if found is None:
        found = [child for child in ast.iter_child_nodes(node) if not isinstance(child, WORDS)]
        node._parts = found  # type: ignore[attr-defined]
    return found


def is_value(found: Target | None) -> TypeGuard[Definition]:
    """Whether a name stands for a constant of a module or of a class."""
    return isinstance(found, Definition) and found.kind == "value"


def read_entries(node: ast.AST) -> Entries | None:
    """Return the entries of a dict that is written out, or assigned, by type and value of the key."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
        node = node.value
    if not isinstance(node, ast.Dict):
        return None
    pairs = zip(node.keys, node.values, strict=True)
    found = {(type(key.value), key.value): value for key, value in pairs if isinstance(key, ast.Constant)}
    return found if len(found) == len(node.keys) else None


def find_bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield local names with what they are bound to; None where that is no expression of its own."""
    yield from _find_own_bindings(node)
    if not isinstance(node, ast.Import | ast.ImportFrom):
        for child in list_parts(node):
            yield from find_bindings(child)


def _find_own_bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(node, ast.Assign):
        yield from _assigned(node.targets, node.value)
    elif isinstance(node, ast.AnnAssign):
        yield from _assigned([node.target], node.value) if node.value else ()
    elif isinstance(node, ast.NamedExpr):
        yield node.target.id, node.value
    elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
        yield node.target.id, Element(node.iter)
    else:
        yield from ((name, None) for name in _otherwise_bound(node))


def _assigned(targets: list[ast.expr], value: ast.expr) -> Iterator[tuple[str, ast.expr | None]]:
    pairs = pair_names(targets, value)
    if pairs is None:
        yield from ((name, None) for target in targets for name in _stored_names(target))
    else:
        yield from ((name, element) for names, element in pairs for name in names)


def _otherwise_bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds to something that is not written as an expression."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor | ast.comprehension):
        yield from _stored_names(node.target)
    elif isinstance(node, ast.withitem) and node.optional_vars:
        yield from _stored_names(node.optional_vars)
    elif isinstance(node, ast.Delete):
        yield from (name.id for name in node.targets if isinstance(name, ast.Name))
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name


def _stored_names(target: ast.AST) -> Iterator[str]:
    return (n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del))


def pair_names(targets: list[ast.expr], value: ast.expr) -> list[tuple[list[str], ast.expr]] | None:
    """Return the names of an assignment with their values; None where a target is no name."""
    names = find_local_targets(targets)
    if names is not None:
        return [(names, value)]
    names = find_local_targets(getattr(targets[0], "elts", [])) if len(targets) == 1 else None
    values = _written_out(value)
    if not names or values is None or len(values) != len(names):
        return None
    return [([name], element) for name, element in zip(names, values, strict=True)]


def _written_out(node: ast.expr) -> list[ast.expr] | None:
    """Return the elements of a tuple or list that is written out."""
    if not isinstance(node, ast.Tuple | ast.List) or any(isinstance(each, ast.Starred) for each in node.elts):
        return None
    return node.elts


def unpack_names(targets: list[ast.expr], value: ast.expr) -> list[tuple[list[str], ast.expr]] | None:
    """Return the names that one value is unpacked into; None where a target is no name."""
    elements = [element for target in targets for element in getattr(target, "elts", [target])]
    names = find_local_targets(elements)
    return [(names, value)] if names and len(targets) == 1 else None


def find_local_targets(targets: list[ast.expr]) -> list[str] | None:
    """Return the names that are assigned to; None where a target is no name."""
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return names if len(names) == len(targets) else None


def read_columns(node: ast.For | ast.AsyncFor) -> list[tuple[str, ast.expr]] | None:
    """Return names and values of a loop over rows that are written out: ``for a, b in ((1, "x"), (2, "y"))``."""
    names = find_local_targets(getattr(node.target, "elts", []))
    rows = [_written_out(row) for row in _written_out(node.iter) or ()]
    cells = [row for row in rows if row is not None and len(row) == len(names or ())]
    if not names or not rows or len(cells) < len(rows):
        return None
    return [(name, ast.Tuple([row[i] for row in cells], ast.Load())) for i, name in enumerate(names)]


def list_blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks of a compound statement; none of any other."""
    if isinstance(node, ast.Try | ast.TryStar):
        return [node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody]
    if isinstance(node, ast.For | ast.AsyncFor):
        return [node.body, node.orelse]
    return [node.body] if isinstance(node, ast.With | ast.AsyncWith) else []


def is_finite(node: ast.expr) -> bool:
    """Whether to go through an iterable leaves no trace, as it may in a generator."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("range", "sorted", "list", "tuple")
    return isinstance(node, ast.Tuple | ast.List | ast.Dict | ast.Set | ast.Constant)


def free_values(items: list[Item]) -> None:
    """Let values before an exception count only where something reads them: the exception's message does not."""
    for item in items:
        for part in item.parts:
            part.forced = False
        if isinstance(item.node, ast.If):
            item.forced = False
            for block in item.blocks:
                free_values(block)


def never_returns(function: Definition) -> bool:
    """Whether a function says that it always raises."""
    returns = function.function.returns
    return returns is not None and ast.unparse(returns).rpartition(".")[2].strip("'\"") in ("NoReturn", "Never")


def is_of_class(function: Definition) -> bool:
    """Whether a method is called on the class: a class method or a static one."""
    return bool({"classmethod", "staticmethod"} & list_decorator_words(function.function))


def find_cases_taken(node: ast.Match, left: Values) -> Iterator[ast.match_case]:
    """Yield the cases that some of the values take."""
    for case in node.cases:
        matched = _matched(case, left)
        if matched is None or matched:
            yield case
        if left is not None and matched is not None:
            left -= matched
            if not left:
                return


def _matched(case: ast.match_case, left: Values) -> Values:
    """Return which of some values a case takes; None if that is not known."""
    if left is None or case.guard:
        return None
    return _matched_by(case.pattern, left)


def _matched_by(pattern: ast.pattern, left: frozenset[tuple[type, Any]]) -> Values:
    if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant):
        wanted = pattern.value.value
        return frozenset(value for value in left if value[1] == wanted)
    if isinstance(pattern, ast.MatchSingleton):
        return frozenset(value for value in left if value[1] is pattern.value)
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        return left
    if isinstance(pattern, ast.MatchOr):
        found: Values = NOTHING
        for inner in pattern.patterns:
            found = joined(found, _matched_by(inner, left))
        return found
    return None


def find_captures(pattern: ast.pattern) -> Iterator[str]:
    """Yield the names that a pattern binds."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name


def find_truth_of_text(node: ast.expr) -> ast.expr | None:
    """Return whether a text is empty, as True or False; None if it is no text, or may be either."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return ast.Constant(bool(node.value))
    if isinstance(node, ast.JoinedStr):
        filled = any(isinstance(part, ast.Constant) and part.value for part in node.values)
        return ast.Constant(True) if filled else None
    if isinstance(node, ast.IfExp):
        body, orelse = find_truth_of_text(node.body), find_truth_of_text(node.orelse)
        return ast.IfExp(node.test, body, orelse) if body and orelse else None
    return None


def find_tested(node: ast.AST, in_test: bool) -> list[ast.expr]:
    """Return the parts of an expression of which it only matters whether they are true."""
    if isinstance(node, ast.IfExp):
        return [node.test]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    return node.values if in_test and isinstance(node, ast.BoolOp) else []


def is_text(node: ast.expr) -> bool:
    """Whether an expression is a text that is written out."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def find_tests(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the conditions that choose between texts."""
    if isinstance(node, ast.IfExp):
        yield node.test
        yield from find_tests(node.body)
        yield from find_tests(node.orelse)

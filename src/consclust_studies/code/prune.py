"""What remains of a definition: branches that its values choose, statements that a result depends on.

Nothing is rewritten. A :class:`View` answers what a node is shown as, and which statements of a block are kept.
"""

import ast
import builtins
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from consclust_studies.code.classes import find_own_members, list_decorator_words
from consclust_studies.code.cleaning import LOGGED, is_local, plain, prepare
from consclust_studies.code.constants import (
    COMPARED,
    COMPUTED,
    CONVERTED,
    NEVER,
    NO,
    NOTHING,
    OPEN,
    UNKNOWN,
    YES,
    Values,
    computed,
    joined,
    truths,
    values_of,
)
from consclust_studies.code.environment import ANY, Environment, Members
from consclust_studies.code.modules import (
    FUNCTIONS,
    Decoration,
    Definition,
    External,
    ModuleName,
    Target,
    find_imported_names,
)
from consclust_studies.code.syntax import (
    Chosen,
    Element,
    Entries,
    Item,
    Part,
    find_bindings,
    find_captures,
    find_cases_taken,
    find_local_targets,
    find_tested,
    find_tests,
    find_truth_of_text,
    free_values,
    is_finite,
    is_of_class,
    is_text,
    is_value,
    list_blocks,
    list_parts,
    never_returns,
    pair_names,
    parse_annotation,
    read_columns,
    read_entries,
    unpack_names,
)

PURE_BUILTINS = {
    "abs", "all", "any", "ascii", "bool", "bytes", "dict", "divmod", "enumerate", "filter", "float", "format",
    "frozenset", "getattr", "hasattr", "id", "int", "isinstance", "issubclass", "len", "list", "map", "max", "min",
    "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "type", "zip",
}  # fmt: skip
PURE_METHODS = {
    "any", "all", "argmax", "argmin", "astype", "copy", "count", "endswith", "format", "get", "index", "item", "items",
    "join", "keys", "lower", "lstrip", "max", "mean", "min", "nonzero", "partition", "removeprefix", "removesuffix",
    "replace", "reshape", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "sum",
    "title", "tolist", "total_seconds", "upper", "values",
}  # fmt: skip
"""Methods of texts, containers and arrays that change nothing."""
PURE_PACKAGES = ("math.", "time.", "operator.", "itertools.")
PURE_OF_NUMPY = {
    "abs", "all", "any", "arange", "argmax", "argmin", "argsort", "argwhere", "array", "asarray", "bincount",
    "flatnonzero", "full", "isfinite", "isin", "isnan", "max", "mean", "min", "nonzero", "ones", "round", "shape",
    "size", "sort", "sum", "unique", "unravel_index", "zeros",
}  # fmt: skip
ATTRIBUTE_FUNCTIONS = {"getattr", "hasattr", "setattr", "delattr"}
"""Builtins that take the name of an attribute."""

ITEMS = (
    ((ast.If, ast.While), "_items_of_test"),
    ((ast.Match,), "_items_of_match"),
    ((ast.Assign, ast.AnnAssign, ast.AugAssign), "_items_of_assignment"),
    ((*FUNCTIONS, ast.ClassDef), "_items_of_local"),
    ((ast.Expr,), "_items_of_expression"),
    ((ast.Pass, ast.Delete, ast.Global, ast.Nonlocal), "_items_of_declaration"),
    ((ast.Import, ast.ImportFrom), "_items_of_import"),
)
"""What looks at each kind of statement; others are compound, or count as they are."""


class Callee(NamedTuple):
    """What a call may enter."""

    functions: tuple[Definition, ...]
    bound: bool = False
    """Whether the first parameter is the object."""
    by_name: bool = False
    """Whether the class of the object is not known."""
    fields: Definition | None = None
    """A dataclass or named tuple whose fields are given."""


class View:
    """A definition, as far as it counts in an environment."""

    def __init__(self, definition: Definition, environment: Environment) -> None:
        self.definition, self.environment = definition, environment
        self.sources = environment.sources
        self.prepared = prepare(definition)
        self.parameters = set(self.prepared.parameters)
        self._shown: dict[ast.AST, ast.AST] = {}
        self._values: dict[ast.AST, Values] = {}
        self._busy: set[str] = set()
        self._blocks: dict[int, list[Item]] = {}
        self.cases: dict[ast.Match, list[ast.match_case]] = {}
        """The cases of a ``match`` that some value takes."""
        self._reads: dict[tuple[ast.AST, bool], tuple[set[str], set[str]]] = {}
        self._unread: dict[ast.Call, set[ast.expr]] = {}
        self.decided: set[Definition] = set()
        """Functions whose value chooses a branch, so that no call of them may be left."""
        self.full: set[str] = set()
        """Local names whose values are read."""
        self.asked: set[str] = set()
        """Local names of which it is read whether they are empty."""

    # ------------------------------------------------------------------ names

    @cached_property
    def bindings(self) -> dict[str, list[ast.expr | None]]:
        """What each local name is bound to; None for what is no plain assignment."""
        known: dict[str, list[ast.expr | None]] | None = getattr(self.prepared, "_bindings", None)
        if known is None:
            known = {}
            for statement in self.prepared.statements:
                for name, value in find_bindings(statement):
                    known.setdefault(name, []).append(value)
            self.prepared._bindings = known  # type: ignore[attr-defined]
        return known

    def target(self, node: ast.AST) -> Target | None:
        """Return what a name with attributes stands for; None for local objects and what they have."""
        if isinstance(node, ast.Name):
            return self._target_of_name(node.id)
        if isinstance(node, ast.Attribute):
            holder = self.target(node.value)
            if isinstance(holder, ModuleName | External):
                return self.sources.attribute(holder, node.attr)
        return None

    def _target_of_name(self, name: str) -> Target | None:
        if is_local(name):
            imports = self.prepared.imports.get(name, [])
            if len(imports) == 1 and not self.bindings.get(name):
                return self._imported(imports[0], plain(name))
            return None
        owner = self.definition.owner
        if owner and self.definition.kind == "value" and name in find_own_members(owner):
            return find_own_members(owner)[name]
        return self.sources.named(self.definition.module.name, name)

    def _imported(self, node: ast.Import | ast.ImportFrom, name: str) -> Target | None:
        for bound, what in find_imported_names(node, self.definition.module):
            if bound == name:
                return self.sources.imported(what)
        return None

    def holder(self, node: ast.AST) -> Members:
        """Return whose members the attributes of an expression are."""
        owner = self.definition.owner
        if owner and isinstance(node, ast.Name) and self._is_self(node.id):
            return Members(owner)
        if owner and isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super":
            return Members(owner, "super")
        found = self.target(node)
        if isinstance(found, Definition) and found.kind == "class":
            return Members(found, "exact")
        return ANY

    def _is_self(self, name: str) -> bool:
        if self.definition.kind != "function" or not self.prepared.parameters:
            return False
        static = "staticmethod" in list_decorator_words(self.definition.function)
        return name == self.prepared.parameters[0] and not static and name not in self.bindings

    def _typed(self, node: ast.AST) -> Members | None:
        """Return the class of an expression by its annotation, which is trusted for values and for nothing else."""
        if not isinstance(node, ast.Name) or node.id not in self.prepared.types:
            return None
        annotation = self.prepared.types[node.id]
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = parse_annotation(annotation.value)
        if isinstance(annotation, ast.BinOp) and isinstance(annotation.right, ast.Constant):  # Class | None
            annotation = annotation.left
        found = self.target(annotation)
        return Members(found) if isinstance(found, Definition) and found.kind == "class" else None

    # ------------------------------------------------------------------ values

    def values(self, node: ast.AST) -> Values:
        """Return the values that an expression can have."""
        if node not in self._values:
            method = getattr(self, f"_values_of_{type(node).__name__}", None)
            self._values[node] = method(node) if method else UNKNOWN
        return self._values[node]

    def truths(self, node: ast.AST) -> frozenset[bool]:
        """Return whether an expression is true: YES, NO, OPEN or NEVER."""
        return truths(self.values(node))

    def _values_of_Constant(self, node: ast.Constant) -> Values:
        return values_of([node.value])

    def _values_of_Tuple(self, node: ast.Tuple | ast.List | ast.Set) -> Values:
        return computed(lambda *items: items, *map(self.values, node.elts)) if node.elts else values_of([()])

    _values_of_List = _values_of_Set = _values_of_Tuple  # noqa: N815 - named as the node

    def _values_of_Name(self, node: ast.Name) -> Values:
        name = node.id
        if not is_local(name):
            found = self.target(node)
            return self.environment.constant(found) if is_value(found) else UNKNOWN
        bound = self.bindings.get(name, [])
        if name in self._busy or not (bound or name in self.parameters):
            return UNKNOWN
        self._busy.add(name)  # ``x = x + 1`` reads x again: its value is unknown then
        values = self._values_of_parameter(name) if name in self.parameters else NOTHING
        for value in bound:
            values = joined(values, self.values(value) if value else UNKNOWN)
        self._busy.discard(name)
        return values

    def _values_of_parameter(self, name: str) -> Values:
        values = self.environment.parameter(self.definition, plain(name))
        if values is None and name in self.prepared.types:
            return self.environment.options(self.definition, self.prepared.types[name])
        return values

    def _values_of_Attribute(self, node: ast.Attribute) -> Values:
        found = self.target(node)
        if isinstance(found, Definition):
            return self.environment.constant(found) if is_value(found) else UNKNOWN
        members = self.holder(node.value)
        if members is ANY:
            members = self._typed(node.value) or ANY
        return UNKNOWN if members is ANY else self.environment.attribute(members, node.attr)

    def _values_of_Element(self, node: Element) -> Values:
        values = self.values(node.value)
        # constants that are written as a tuple, list or set are kept as tuples: see _values_of_Tuple
        if values is None or not all(kind is tuple for kind, _ in values):
            return UNKNOWN
        return values_of(element for _, elements in values for element in elements)

    def _values_of_NamedExpr(self, node: ast.NamedExpr) -> Values:
        return self.values(node.value)

    def _values_of_IfExp(self, node: ast.IfExp) -> Values:
        passed = self.truths(node.test)
        if passed == OPEN:
            return joined(self.values(node.body), self.values(node.orelse))
        return NOTHING if passed == NEVER else self.values(node.body if passed == YES else node.orelse)

    def _values_of_BoolOp(self, node: ast.BoolOp) -> Values:
        ends = isinstance(node.op, ast.Or)
        found: Values = NOTHING
        for operand in node.values[:-1]:
            values = self.values(operand)
            if values is None:
                return UNKNOWN
            found = joined(found, frozenset(value for value in values if bool(value[1]) == ends))
            if all(bool(value) == ends for _, value in values):
                return found
        return joined(found, self.values(node.values[-1]))

    def _values_of_UnaryOp(self, node: ast.UnaryOp) -> Values:
        if isinstance(node.op, ast.Not):
            passed = self.truths(node.operand)
            return UNKNOWN if passed == OPEN else values_of(not value for value in passed)
        return computed(lambda value: -value, self.values(node.operand)) if isinstance(node.op, ast.USub) else UNKNOWN

    def _values_of_Compare(self, node: ast.Compare) -> Values:
        if len(node.ops) > 1:
            return UNKNOWN
        return computed(COMPARED[type(node.ops[0])], self.values(node.left), self.values(node.comparators[0]))

    def _values_of_BinOp(self, node: ast.BinOp) -> Values:
        function = COMPUTED.get(type(node.op))
        return computed(function, self.values(node.left), self.values(node.right)) if function else UNKNOWN

    def _values_of_Call(self, node: ast.Call) -> Values:
        convert = CONVERTED.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if convert and len(node.args) == 1 and not node.keywords and self.target(node.func) is None:
            return computed(convert, self.values(node.args[0]))
        if not isinstance(node.func, ast.Attribute) or node.args or node.keywords:
            return UNKNOWN
        return self._values_returned(self.callee(node))

    def _values_returned(self, found: Callee | None) -> Values:
        if found is None or found.by_name or not found.functions:
            return UNKNOWN
        returned: Values = NOTHING
        for function in found.functions:
            returned = joined(returned, self.environment.returned(function))
        if returned is not None:
            self.decided |= set(found.functions)
        return returned

    def _values_of_Subscript(self, node: ast.Subscript) -> Values:
        shown = self.shown(node)
        if isinstance(shown, Chosen):
            found: Values = NOTHING
            for definition in shown.definitions:
                found = joined(found, self.environment.constant(definition))
            return found
        return UNKNOWN if shown is node or isinstance(shown, ast.Subscript) else self.values(shown)

    # ------------------------------------------------------------------ what an expression is shown as

    def shown(self, node: ast.AST) -> ast.AST:
        """Return what remains of an expression."""
        if not isinstance(node, ast.IfExp | ast.BoolOp | ast.Subscript):
            return node
        if node not in self._shown:
            self._shown[node] = node
            if isinstance(node, ast.IfExp):
                self._shown[node] = self._shown_choice(node)
            elif isinstance(node, ast.BoolOp):
                self._shown[node] = self._shown_operands(node)
            else:
                self._shown[node] = self._shown_entry(node)
        return self._shown[node]

    def _shown_choice(self, node: ast.IfExp) -> ast.AST:
        passed = self.truths(node.test)
        if passed == OPEN:
            return node
        return ast.Constant(None) if passed == NEVER else self.shown(node.body if passed == YES else node.orelse)

    def _shown_operands(self, node: ast.BoolOp) -> ast.AST:
        """Leave out operands that never decide, and those behind one that always does."""
        ends = YES if isinstance(node.op, ast.Or) else NO
        kept = []
        for number, operand in enumerate(node.values):
            passed = self.truths(operand)
            if passed in (OPEN, ends, NEVER) or number == len(node.values) - 1:
                kept.append(operand)
            if passed in (ends, NEVER):
                break
        if len(kept) == len(node.values):
            return node
        return self.shown(kept[0]) if len(kept) == 1 else ast.BoolOp(node.op, kept)

    def _shown_entry(self, node: ast.Subscript) -> ast.AST:
        """Return the entries of a dict that its keys choose."""
        constant = self._constant_dict(node.value)
        entries = read_entries(constant.statements[0] if constant else node.value) or {}
        wanted = self._wanted(node, entries)
        if not wanted:
            return node
        if constant:
            found = [self.environment.entry(constant, value) for _, value in wanted]
            return Chosen(found, node.slice if len(found) > 1 else None)
        if len(wanted) == 1:
            return self.shown(entries[wanted[0]])
        part = ast.Dict([ast.Constant(value) for _, value in wanted], [*map(entries.__getitem__, wanted)])
        return ast.Subscript(part, node.slice, ast.Load())

    def _wanted(self, node: ast.Subscript, entries: Entries) -> list[tuple[type, Any]]:
        """Return the keys with which a dict may be read; none where they are not known, or not all of them there."""
        keys = self.values(node.slice) if entries else None
        if keys is None or not keys <= entries.keys() or not isinstance(node.ctx, ast.Load):
            return []
        return [key for key in entries if key in keys]

    def _constant_dict(self, node: ast.expr) -> Definition | None:
        found = self.target(node)
        if not isinstance(found, Definition) or found.kind != "value" or len(found.statements) > 1:
            return None
        return None if self.environment.is_changed(found) else found

    # ------------------------------------------------------------------ calls

    def callee(self, node: ast.Call) -> Callee | None:
        """Return what a call may enter; None if nothing of the packages."""
        function = self.shown(node.func)
        found = self.target(function)
        if isinstance(found, Definition):
            if found.kind == "function":
                return Callee((found,))
            return self._constructor(found) if found.kind == "class" else None
        if found is None and isinstance(function, ast.Attribute):
            return self._method(function)
        owner = self.definition.owner
        is_class = isinstance(function, ast.Name) and owner is not None and self._is_self(function.id)
        return self._constructor(owner) if is_class and owner else None  # ``cls(...)``

    def _method(self, function: ast.Attribute) -> Callee:
        holder = self.holder(function.value)
        functions = tuple(d for d in self.environment.members(holder, function.attr) if d.kind == "function")
        if holder.how == "exact" and not any(map(is_of_class, functions)):
            return Callee(functions)  # Class.method(object, ...)
        return Callee(functions, True, holder is ANY)

    def _constructor(self, found: Definition) -> Callee:
        own = Members(found, "exact")
        functions = self.environment.members(own, "__init__")
        if functions:
            return Callee(tuple(d for d in functions if d.kind == "function"), True)
        return Callee((), fields=found)

    def given(self, node: ast.Call, function: Definition, bound: bool) -> Iterator[tuple[str, ast.expr]]:
        """Yield the parameters that a call gives, as they stand in the source, with the arguments."""
        args = function.function.args
        names = [argument.arg for argument in (*args.posonlyargs, *args.args)]
        if bound and "staticmethod" not in list_decorator_words(function.function):
            names = names[1:]
        for name, argument in zip(names, node.args, strict=False):
            if isinstance(argument, ast.Starred):
                break
            yield plain(name), argument
        for keyword in node.keywords:
            if keyword.arg:
                yield keyword.arg, keyword.value

    def is_spread(self, node: ast.Call) -> bool:
        """Whether a call gives arguments that are not written one by one."""
        starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        return starred or any(keyword.arg is None for keyword in node.keywords)

    def unread(self, node: ast.Call) -> set[ast.expr]:
        """Return the arguments of a call that nothing reads and that do nothing."""
        if node not in self._unread:
            self._unread[node] = self._find_unread(node)
        return self._unread[node]

    def _find_unread(self, node: ast.Call) -> set[ast.expr]:
        if self._is_message_of_exception(node):
            return {*node.args, *(keyword.value for keyword in node.keywords)}
        found = self.callee(node)
        if (
            found is None
            or found.by_name
            or self.is_spread(node)
            or any(map(self.environment.outside, found.functions))
        ):
            return set()
        given: set[ast.expr] = set()
        read: set[ast.expr] = set()
        for function in found.functions:
            for name, argument in self.given(node, function, found.bound):
                (read if self.environment.is_read(function, name) else given).add(argument)
        return set(filter(self.is_pure, given - read))

    def _is_message_of_exception(self, node: ast.Call) -> bool:
        """Whether a call is ``super().__init__(message)`` in a class of exceptions."""
        function, owner = node.func, self.definition.owner
        if owner is None or not isinstance(function, ast.Attribute) or function.attr != "__init__":
            return False
        return self.holder(function.value).how == "super" and self.environment.is_exception(owner)

    def keywords(self, node: ast.Call) -> list[ast.keyword]:
        """Return the keywords of a call; of one to another package without texts for people."""
        if not isinstance(self.target(node.func), External):
            return node.keywords
        return [keyword for keyword in node.keywords if keyword.arg != "description"]

    # ------------------------------------------------------------------ the walk

    def children(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what remains of the parts of a node, blocks of statements as they are kept."""
        if isinstance(node, ast.Call):
            unread = self.unread(node)
            yield self.shown(node.func)
            yield from (self.shown(argument) for argument in node.args if argument not in unread)
            yield from (self.shown(keyword.value) for keyword in self.keywords(node) if keyword.value not in unread)
        elif isinstance(node, ast.Raise):
            yield from self.raised(node)
        elif isinstance(node, Chosen):
            yield from [self.shown(node.key)] if node.key else []
        elif isinstance(node, ast.AnnAssign):
            yield from map(self.shown, [node.target, *([node.value] if node.value else [])])
        else:
            yield from map(self.shown, list_parts(node))

    def walk(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what remains of an expression, outer nodes first."""
        node = self.shown(node)
        yield node
        for child in self.children(node):
            yield from self.walk(child)

    def raised(self, node: ast.Raise) -> list[ast.AST]:
        """Return what counts of an exception: its class; its arguments too where the class is ours and keeps them."""
        if node.exc is None:
            return []
        if not isinstance(node.exc, ast.Call):
            return [self.shown(node.exc)]
        found = self.target(node.exc.func)
        keeps = isinstance(found, Definition) and found.kind == "class" and "__init__" in find_own_members(found)
        return [node.exc] if keeps else [self.shown(node.exc.func)]

    def is_pure(self, node: ast.AST) -> bool:
        """Whether an expression does nothing but to have a value."""
        for each in self.walk(node):
            if isinstance(each, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
                return False
            if isinstance(each, ast.Call) and not self._is_pure_call(each):
                return False
        return True

    def _is_pure_call(self, node: ast.Call) -> bool:
        function = self.shown(node.func)
        found = self.target(function)
        if isinstance(found, External):
            name = found.name
            in_numpy = name.startswith("numpy.") and name.removeprefix("numpy.") in PURE_OF_NUMPY
            return in_numpy or name.startswith(PURE_PACKAGES)
        if isinstance(found, Definition):
            return self._is_pure_definition(found)
        if isinstance(function, ast.Name):
            return function.id in PURE_BUILTINS and function.id in vars(builtins)
        if not isinstance(function, ast.Attribute):
            return False
        members = self.environment.members(self.holder(function.value), function.attr)
        if members:
            return not any(map(self.environment.has_effect, members))
        return function.attr in PURE_METHODS

    def _is_pure_definition(self, found: Definition) -> bool:
        if self.environment.outside(found) == "check":
            return True
        if self.environment.outside(found):
            return False
        return found.kind == "function" and not self.environment.has_effect(found)

    def refuses_alone(self, node: ast.expr) -> bool:
        """Whether a call that stands alone only refuses something, or says something, and so leaves no trace."""
        if not isinstance(node, ast.Call):
            return False
        function = self.shown(node.func)
        if isinstance(function, ast.Attribute) and function.attr in LOGGED and self._is_logger(function.value):
            return True
        found = self.target(function)
        if isinstance(found, External):
            return found.name in ("warnings.warn", "warnings.warn_explicit", "click.echo", "click.secho")
        own: tuple[Definition, ...] = (found,) if isinstance(found, Definition) else ()
        if not own and isinstance(function, ast.Attribute):
            own = self.environment.members(self.holder(function.value), function.attr)
        return bool(own) and all(self.environment.outside(each) == "check" for each in own)

    def _is_logger(self, node: ast.expr) -> bool:
        """Whether an expression is a logger, whatever it is called."""
        if isinstance(node, ast.Call):
            return self.target(node.func) == External("logging.getLogger")
        found = self.target(node)
        if isinstance(found, External):
            return found.name == "logging"
        if isinstance(found, Definition) and found.kind == "value":
            line = found.statements[0]
            made = line.value if isinstance(line, ast.Assign | ast.AnnAssign) else None
            maker = made.func if isinstance(made, ast.Call) else None
            return maker is not None and ast.unparse(maker).endswith("getLogger")
        bound = self.bindings.get(node.id, []) if isinstance(node, ast.Name) else []
        return bool(bound) and all(isinstance(value, ast.Call) and self._is_logger(value) for value in bound)

    # ------------------------------------------------------------------ statements

    def settle(self, blocks: Iterable[list[ast.stmt]], live: Iterable[str] = ()) -> None:
        """Find out what is kept of blocks of statements, given the names that are read elsewhere."""
        items = [item for block in blocks for item in self.items(block)]
        self.full |= set(live)
        # a statement that is kept reads names, whose assignments are kept for that, wherever they stand in a loop
        while self._mark(items):
            pass

    def items(self, block: list[ast.stmt]) -> list[Item]:
        """Return the statements of a block without branches that are not taken."""
        if id(block) not in self._blocks:
            found: list[Item] = []
            for statement in block:
                found += self._items_of(statement)
            # what leads up to an exception only makes its message, and that does not count
            if block and self._ends(block[-1]):
                free_values(found[:-1])
            self._blocks[id(block)] = found
        return self._blocks[id(block)]

    def _items_of(self, node: ast.stmt) -> list[Item]:
        for kinds, method in ITEMS:
            if isinstance(node, kinds):
                found: list[Item] = getattr(self, method)(node)
                return found
        blocks = list_blocks(node)
        return [self._item_of_compound(node, blocks) if blocks else Item(node, needs=[node], forced=True)]

    def _items_of_expression(self, node: ast.Expr) -> list[Item]:
        if isinstance(node, Decoration):
            return [Item(node, needs=[node.value], forced=True)] if self._registers(node.decorator) else []
        dropped = self.refuses_alone(node.value) or self._is_idle(node.value)
        return [] if dropped else [Item(node, needs=[node.value], forced=True)]

    def _is_idle(self, node: ast.expr) -> bool:
        """Whether an expression that stands alone does nothing: what an unknown object is called for is an effect."""
        calls = [self.callee(each) for each in self.walk(node) if isinstance(each, ast.Call)]
        return all(call is not None and call.functions for call in calls) and self.is_pure(node)

    def _items_of_declaration(self, node: ast.stmt) -> list[Item]:
        """Return ``del`` of a part of an object; that of a name frees memory, and the others only declare."""
        takes_out = isinstance(node, ast.Delete) and not all(isinstance(target, ast.Name) for target in node.targets)
        return [Item(node, needs=[node], forced=True)] if takes_out else []

    def _items_of_import(self, node: ast.Import | ast.ImportFrom) -> list[Item]:
        return [Item(node, forced=True)] if self._is_ambiguous(node) else []

    def _items_of_test(self, node: ast.If | ast.While) -> list[Item]:
        passed = self.truths(node.test)
        if passed == NEVER:
            return []
        # a ``while`` that is always true stays: its body runs more than once
        if passed == NO or (passed == YES and isinstance(node, ast.If)):
            return self.items(node.body if passed == YES else node.orelse)
        item = Item(node, needs=[node.test], blocks=[self.items(node.body), self.items(node.orelse)])
        item.forced = not self.is_pure(node.test)
        return [item]

    def _items_of_match(self, node: ast.Match) -> list[Item]:
        values = self.values(node.subject)
        kept = self.cases[node] = list(find_cases_taken(node, values))
        if len(kept) == 1 and values is not None and not kept[0].guard and not any(find_captures(kept[0].pattern)):
            return self.items(kept[0].body)
        item = Item(node, needs=[node.subject, *(case.guard for case in kept if case.guard)])
        item.blocks = [self.items(case.body) for case in kept]
        return [item] if kept else []

    def _items_of_assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[Item]:
        targets: list[ast.expr] = node.targets if isinstance(node, ast.Assign) else [node.target]
        if node.value is None:
            return []
        if isinstance(node, ast.AugAssign):
            names = find_local_targets(targets)
            if names is None or not is_text(node.value):
                return [Item(node, needs=[node], forced=True)]
            return [Item(node, parts=[Part(frozenset(names), node.value)])]
        pairs = pair_names(targets, node.value) or unpack_names(targets, node.value)
        if pairs is None:
            return [Item(node, needs=[node], forced=True)]
        parts = [Part(frozenset(names), value, not self.is_pure(value)) for names, value in pairs]
        return [Item(node, parts=parts)]

    def _items_of_local(self, node: ast.stmt) -> list[Item]:
        return [self._item_of_local(node)]

    def _item_of_local(self, node: ast.stmt) -> Item:
        """Return a local function or class; it counts where its name is read."""
        assert isinstance(node, (*FUNCTIONS, ast.ClassDef))
        item = Item(node, defines=node.name, blocks=[self.items(node.body)])
        item.needs = [*node.decorator_list]
        if isinstance(node, ast.ClassDef):
            item.needs += [*node.bases, *node.keywords]
        else:
            item.needs += [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
        item.forced = not all(map(self.is_pure, item.needs))
        return item

    def _registers(self, node: ast.expr) -> bool:
        """Whether a decorator keeps what it decorates: ``@TABLE.add``, ``@function.register``, ``@register("x")``."""
        function = node.func if isinstance(node, ast.Call) else node
        found = self.target(function)
        if isinstance(found, Definition):
            return found.kind == "function" and self.environment.changes(found)
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        return found is None and isinstance(self.target(root), Definition)

    def _is_ambiguous(self, node: ast.Import | ast.ImportFrom) -> bool:
        """Whether an import binds a name that is bound elsewhere, too, so that it is an assignment."""
        if self.definition.kind == "value" and not self.definition.owner:
            return True
        names = [name for name, nodes in self.prepared.imports.items() if node in nodes]
        return any(len(self.prepared.imports[name]) > 1 or self.bindings.get(name) for name in names)

    def _item_of_compound(self, node: ast.stmt, blocks: list[list[ast.stmt]]) -> Item:
        item = Item(node, blocks=[self.items(block) for block in blocks])
        item.needs = [
            child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt | ast.ExceptHandler)
        ]
        if isinstance(node, ast.Try):
            item.needs = [handler.type for handler in node.handlers if handler.type]
        elif isinstance(node, ast.For | ast.AsyncFor):
            columns = read_columns(node)
            if columns:
                item.parts = [Part(frozenset([name]), value, not self.is_pure(value)) for name, value in columns]
                item.needs = []
            else:
                item.needs = [node.iter, node.target]
                item.forced = not self.is_pure(node.iter) or not is_finite(node.iter)
        elif isinstance(node, ast.With | ast.AsyncWith):
            item.forced = True
        return item

    def _ends(self, node: ast.stmt) -> bool:
        """Whether a statement always raises."""
        if isinstance(node, ast.Raise):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found = self.callee(node.value)
            return bool(found and found.functions) and all(map(never_returns, found.functions if found else ()))
        if isinstance(node, ast.If) and node.orelse:
            return self._ends(node.body[-1]) and self._ends(node.orelse[-1])
        return False

    # ------------------------------------------------------------------ marks

    def _mark(self, items: list[Item]) -> bool:
        """Mark the names that kept statements read; return whether there were new ones."""
        before = len(self.full), len(self.asked)
        for item in items:
            if not self.is_kept(item):
                continue
            for need in item.needs:
                self._read(need, in_test=isinstance(item.node, ast.If | ast.While))
            for part in item.parts:
                if part.value is not None and self.is_needed(part):
                    self._read_value(part)
            for block in item.blocks:
                self._mark(block)
        return before != (len(self.full), len(self.asked))

    def _read_value(self, part: Part) -> None:
        assert part.value is not None
        text = self.as_truth(part)
        if text is None:
            self._read(part.value)
        else:
            for test in find_tests(part.value):
                self._read(test, in_test=True)

    def _read(self, node: ast.AST, in_test: bool = False) -> None:
        """Mark the names that an expression reads; of a name that is a test, only that it is one."""
        if (node, in_test) not in self._reads:
            full: set[str] = set()
            asked: set[str] = set()
            self._collect(node, in_test, full, asked)
            self._reads[node, in_test] = full, asked
        full, asked = self._reads[node, in_test]
        self.full |= full
        self.asked |= asked

    def _collect(self, node: ast.AST, in_test: bool, full: set[str], asked: set[str]) -> None:
        node = self.shown(node)
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Store):
                (asked if in_test else full).add(node.id)
            return
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            full.add(node.target.id)
        tests = find_tested(node, in_test)
        for child in self.children(node):
            self._collect(child, child in tests, full, asked)

    def is_outer(self, name: str) -> bool:
        """Whether a name is read outside: of a module only the one that is defined here, in a function all globals."""
        if is_local(name):
            return False
        return self.definition.kind == "function" or name == self.definition.name.rpartition(".")[2]

    def is_needed(self, part: Part) -> bool:
        """Whether a value counts: something reads it, or it does something."""
        return part.forced or any(map(self.is_outer, part.names)) or bool(part.names & (self.full | self.asked))

    def as_truth(self, part: Part) -> ast.expr | None:
        """Return True or False for a text of which only that is read; None for any other value."""
        if part.forced or part.names & self.full or any(map(self.is_outer, part.names)):
            return None
        return find_truth_of_text(part.value) if part.value else None

    def is_kept(self, item: Item) -> bool:
        """Whether a statement counts."""
        if item.defines:
            return item.forced or item.defines in self.full or self.is_outer(item.defines)
        if item.forced or any(map(self.is_needed, item.parts)):
            return True
        return any(self.is_kept(inner) for block in item.blocks for inner in block)

    def kept(self, block: list[ast.stmt]) -> list[Item]:
        """Return the statements of a block that count."""
        return [item for item in self.items(block) if self.is_kept(item)]

    def acts(self, items: list[Item]) -> bool:
        """Whether kept statements do more than to compute what is returned."""
        return any(self._acts(item) for item in items if self.is_kept(item))

    def _acts(self, item: Item) -> bool:
        node = item.node
        if item.defines:
            return False
        if isinstance(node, ast.Return):
            return node.value is not None and not self.is_pure(node.value)
        if isinstance(node, ast.Break | ast.Continue):
            return False
        if item.forced or any(part.forced for part in item.parts):
            return True
        outer = any(self.is_outer(name) for part in item.parts for name in part.names)
        return outer or any(self.acts(block) for block in item.blocks)

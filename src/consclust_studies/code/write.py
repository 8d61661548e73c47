"""What remains of a definition as text without names, and what it refers to.

Local names, parameters, attributes and definitions are numbered in the order in which they are first met, so that a
rename changes nothing and an exchange of two does. Names of other packages, texts and numbers stay as they are.
"""

import ast
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from consclust_studies.code.classes import Class
from consclust_studies.code.cleaning import is_local, plain
from consclust_studies.code.constants import Values
from consclust_studies.code.environment import Environment, Members
from consclust_studies.code.modules import Definition, External, Function, ModuleName
from consclust_studies.code.prune import ATTRIBUTE_FUNCTIONS, Callee, View
from consclust_studies.code.syntax import Chosen, Item, find_bindings, list_parts, parse_annotation

NAMES_OF_FIELDS = {
    "_fields", "_asdict", "asdict", "fields", "model_dump", "model_dump_json", "model_fields", "model_fields_set",
    "__annotations__", "__dataclass_fields__", "get_type_hints", "signature", "get_annotations",
}  # fmt: skip
"""What gives the names of fields as texts, so that a rename may change a result."""
NAMES_OF_ATTRIBUTES = {"__dict__", "vars", "dir"}
"""What gives the names of all attributes as texts."""
NAMES_OF_CODE = {"__name__", "__qualname__", "__module__", "__class__"}
"""What gives the names of definitions as texts."""
CHANGES = {"update", "setdefault", "append", "add", "extend", "insert", "clear", "register"}
"""Methods that change an object in place, so that a constant of a module is none; ``pop`` takes out what was there."""
EVERY = "*"
"""Stands for all attributes, where one is stored whose name is not known."""
REPLACES = {"replace", "_replace", "model_copy", "evolve"}
"""Functions that give fields of an object other values by name."""


MAKES_TEXT = {"str": {"__str__", "__format__"}, "format": {"__str__", "__format__"}, "repr": {"__repr__"}}
"""Special methods that builtins call to make a text."""


class Reference(NamedTuple):
    """Something that a text refers to in place of a name."""

    kind: Literal["definition", "member", "keyword", "all members", "all of module"]
    definition: Definition | None
    """A definition; of a keyword the function; of a member the class that :class:`Members` names."""
    name: str = ""
    how: str = ""

    @property
    def members(self) -> Members:
        """Whose members they are."""
        return Members(self.definition, self.how)


@dataclass
class Flow:
    """Values that a call gives to a function, or to the fields of a class."""

    to: Definition
    values: Mapping[str, Values]
    """By parameter; what is absent has its default."""
    open: bool = False
    """Whether further arguments are given that are not written one by one."""


@dataclass
class Reading:
    """A definition in an environment: its text, and what a result that depends on it depends on, too."""

    pieces: list[str | Reference] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    held: list[Definition] = field(default_factory=list)
    """Classes that annotations name: there may be objects of theirs."""
    given: set[Reference] = field(default_factory=set)
    """Members that are given away, not called here."""
    escaped: set[Definition] = field(default_factory=set)
    """Functions and classes that are given away, so that others call them."""
    decided: set[Definition] = field(default_factory=set)
    """Functions whose value chooses a branch, so that no call of them may be left in the text."""
    reads: set[str] = field(default_factory=set)
    """Parameters that are read."""
    effect: bool = False
    changed: set[Definition] = field(default_factory=set)
    """Constants of modules that are changed in place."""
    stored: set[str] = field(default_factory=set)
    """Attributes that are stored on objects other than ``self``, or given to ``replace``."""
    names_of_fields: bool = False
    """Whether the names of fields may become a result."""
    names_of_attributes: bool = False
    names_of_code: bool = False
    makes_text: set[str] = field(default_factory=set)
    """Special methods that turn an object into text, as far as texts are made."""

    @property
    def references(self) -> Iterator[Reference]:
        """Yield what the text refers to, in order."""
        return (piece for piece in self.pieces if isinstance(piece, Reference))

    @cached_property
    def blank(self) -> str:
        """Digest of the text without what it refers to: an order that no name decides."""
        text = "\0".join(piece if isinstance(piece, str) else piece.kind for piece in self.pieces)
        return hashlib.sha256(text.encode()).hexdigest()


class Writer:
    """Writes one definition."""

    def __init__(self, definition: Definition, environment: Environment) -> None:
        self.definition, self.environment = definition, environment
        self.view = View(definition, environment)
        self.reading = Reading()
        self._text: list[str] = []
        self._in_class_test = False
        self._numbers: dict[str, int] = {}

    # ------------------------------------------------------------------ units

    def function(self) -> Reading:
        """Return the reading of a function: decorators, the parameters that are read, the body."""
        node = self.definition.function
        self.view.settle([node.body])
        self._keep_annotations(self.view.prepared.annotations)
        self._signature(node)
        self._block(node.body)
        self.reading.effect = self.view.acts(self.view.items(node.body))
        self._finish()
        return self.reading

    def value(self) -> Reading:
        """Return the reading of statements of a module or of a class."""
        statements = self.definition.statements
        self.view.settle([statements])
        self._keep_annotations(self.view.prepared.annotations)
        self._block(statements)
        self._finish()
        return self.reading

    def header(self, own: Class) -> Reading:
        """Return the reading of a class without its members: decorators, bases, keywords."""
        self._say("class")
        for node in (*own.node.decorator_list, *own.node.bases):
            self._write(node)
        for keyword in own.node.keywords:
            self._say(keyword.arg or "**")
            self._write(keyword.value)
        self._keep_annotations(own.annotations)
        if own.is_named_tuple:
            for name in own.fields:
                self._refer(Reference("member", self.definition, name, "exact"))
        self._finish()
        return self.reading

    def _finish(self) -> None:
        self._flush()
        # only now: what is written may ask for values, and so decide branches
        names = self.view.full | self.view.asked
        self.reading.decided = self.view.decided
        self.reading.reads = {plain(name) for name in self.view.parameters if name in names}

    def _keep_annotations(self, annotations: list[ast.expr]) -> None:
        for annotation in annotations:
            for found in find_classes(annotation, self.view):
                if found not in self.reading.held:
                    self.reading.held.append(found)

    # ------------------------------------------------------------------ text

    def _say(self, *words: str) -> None:
        self._text += words

    def _flush(self) -> None:
        if self._text:
            self.reading.pieces.append(" ".join(self._text))
            self._text = []

    def _refer(self, reference: Reference) -> None:
        self._flush()
        self.reading.pieces.append(reference)

    def _local(self, name: str) -> None:
        self._say(f"v{self._numbers.setdefault(name, len(self._numbers))}")

    # ------------------------------------------------------------------ statements

    def _block(self, block: list[ast.stmt]) -> None:
        self._say("{")
        for item in self.view.kept(block):
            self._item(item)
        self._say("}")

    def _item(self, item: Item) -> None:
        node = item.node
        method = getattr(self, f"_item_{type(node).__name__}", None)
        if method:
            method(node, item)
        elif item.parts and not item.blocks:
            self._parts(node, item)
        else:
            self._write(node)

    def _parts(self, node: ast.stmt, item: Item) -> None:
        """Write the values of an assignment that count, then the names."""
        needed = [part for part in item.parts if self.view.is_needed(part)]
        self._say(type(node.op).__name__ if isinstance(node, ast.AugAssign) else "=")
        for part in needed:
            assert part.value is not None
            self._write(self.view.as_truth(part) or part.value)
        for part in needed:
            for name in _in_order(part.names, node):
                self._name(name)

    def _item_AnnAssign(self, node: ast.AnnAssign, item: Item) -> None:
        if item.parts:
            self._parts(node, item)
            return
        self._say("=")
        for part in (node.value, node.target):
            if part:
                self._write(part)

    def _item_Assign(self, node: ast.Assign, item: Item) -> None:
        if item.parts:
            self._parts(node, item)
            return
        self._say("=")
        for part in (node.value, *node.targets):
            self._write(part)

    def _item_If(self, node: ast.If | ast.While, item: Item) -> None:
        self._say(type(node).__name__)
        self._write(node.test)
        self._block(node.body)
        self._block(node.orelse)

    _item_While = _item_If  # noqa: N815 - named as the node

    def _item_For(self, node: ast.For | ast.AsyncFor, item: Item) -> None:
        self._say(type(node).__name__)
        if item.parts:
            self._parts(node, item)
        else:
            self._write(node.iter)
            self._write(node.target)
        self._block(node.body)
        self._block(node.orelse)

    _item_AsyncFor = _item_For  # noqa: N815 - named as the node

    def _item_Try(self, node: ast.Try, item: Item) -> None:
        self._say(type(node).__name__)
        self._block(node.body)
        for handler in node.handlers:
            self._say("except")
            if handler.type:
                self._write_class_test(handler.type)
            if handler.name and handler.name in self.view.full:
                self._name(handler.name)
            self._block(handler.body)
        self._block(node.orelse)
        self._block(node.finalbody)

    _item_TryStar = _item_Try  # noqa: N815 - named as the node

    def _item_With(self, node: ast.With | ast.AsyncWith, item: Item) -> None:
        self._say(type(node).__name__)
        for entered in node.items:
            self._write(entered.context_expr)
            if entered.optional_vars:
                self._write(entered.optional_vars)
        self._block(node.body)

    _item_AsyncWith = _item_With  # noqa: N815 - named as the node

    def _item_Match(self, node: ast.Match, item: Item) -> None:
        self._say("match")
        self._write(node.subject)
        for case in self.view.cases[node]:
            self._write(case.pattern)
            if case.guard:
                self._say("if")
                self._write(case.guard)
            self._block(case.body)

    def _item_FunctionDef(self, node: Function, item: Item) -> None:
        self._name(node.name)
        self._signature(node)
        self._block(node.body)

    _item_AsyncFunctionDef = _item_FunctionDef  # noqa: N815 - named as the node

    def _item_ClassDef(self, node: ast.ClassDef, item: Item) -> None:
        self._say("class")
        self._name(node.name)
        for part in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self._write(part)
        self._block(node.body)

    def _item_Import(self, node: ast.Import | ast.ImportFrom, item: Item) -> None:
        for name, nodes in self.view.prepared.imports.items():
            if node in nodes:
                self._say("import")
                self._name(name)
                self._target(self.view._imported(node, plain(name)))

    _item_ImportFrom = _item_Import  # noqa: N815 - named as the node

    def _signature(self, node: Function | ast.Lambda) -> None:
        """Write parameters and defaults; a parameter that nothing reads only as a place before others."""
        if not isinstance(node, ast.Lambda):
            self._say(type(node).__name__)
            for decorator in node.decorator_list:
                if not self._is_outside(decorator):
                    self._write(decorator)
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        defaults = [None] * (len(positional) - len(args.defaults)) + [*args.defaults]
        last = max((number for number, argument in enumerate(positional) if self._is_read(argument)), default=-1)
        for argument, default in zip(positional[: last + 1], defaults, strict=False):
            self._parameter(argument, default)
        for word, variable in (("*", args.vararg), ("**", args.kwarg)):
            if variable:
                self._say(word)
                self._local(variable.arg)
        for argument, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if self._is_read(argument):
                self._say("keyword")
                self._parameter(argument, default)

    def _is_outside(self, decorator: ast.expr) -> bool:
        """Whether a decorator never counts, so that what it decorates counts as if it stood alone."""
        found = self.view.target(decorator)
        return isinstance(found, Definition) and self.environment.outside(found) is not None

    def _is_read(self, argument: ast.arg) -> bool:
        return argument.arg in self.view.full or argument.arg in self.view.asked

    def _parameter(self, argument: ast.arg, default: ast.expr | None) -> None:
        if not self._is_read(argument):
            self._say("_")
            return
        self._local(argument.arg)
        own = argument.arg in self.view.parameters
        if default and not (own and not self.environment.uses_default(self.definition, plain(argument.arg))):
            self._say("=")
            self._write(default)

    # ------------------------------------------------------------------ expressions

    def _write(self, node: ast.AST) -> None:
        node = self.view.shown(node)
        method = getattr(self, f"_write_{type(node).__name__}", None)
        if method:
            method(node)
            return
        self._say(f"({type(node).__name__}")
        for name, value in ast.iter_fields(node):
            if name not in ("ctx", "type_comment", "kind"):
                self._field(value)
        self._say(")")

    def _field(self, value: Any) -> None:
        if isinstance(value, ast.AST):
            self._write(value)
        elif isinstance(value, list):
            self._say("[")
            for each in value:
                self._field(each)
            self._say("]")
        elif isinstance(value, str) and is_local(value):
            self._local(value)
        else:
            self._say(repr(value))

    def _write_Constant(self, node: ast.Constant) -> None:
        self._say(f"{type(node.value).__name__}:{node.value!r}")

    def _write_Name(self, node: ast.Name) -> None:
        self._name(node.id)

    def _name(self, name: str) -> None:
        found = self.view._target_of_name(name)
        if found is not None:
            self._target(found)
        elif is_local(name):
            self._local(name)
        else:
            self._keep_names(name)
            self.reading.makes_text |= MAKES_TEXT.get(name, set())
            self._say(name)

    def _target(self, found: Definition | External | ModuleName | None) -> None:
        if isinstance(found, Definition):
            if not self._in_class_test:
                self.reading.escaped.add(found)
            self._refer(Reference("definition", found))
        elif isinstance(found, External):
            holder, _, last = found.name.rpartition(".")
            self._keep_names(last)
            self._say(f"<{found.name}>")
            if holder.split(".")[0] in self.environment.sources.roots:
                self._all_of_module(holder)  # a name that is made while the module runs
        else:
            self._say("<module>")

    def _keep_names(self, name: str) -> None:
        """Keep whether something gives names as texts."""
        self.reading.names_of_fields |= name in NAMES_OF_FIELDS | NAMES_OF_ATTRIBUTES
        self.reading.names_of_attributes |= name in NAMES_OF_ATTRIBUTES
        self.reading.names_of_code |= name in NAMES_OF_CODE

    def _write_Attribute(self, node: ast.Attribute) -> None:
        found = self.view.target(node)
        if found is not None:
            self._target(found)
            return
        self._member(node, called=False)
        if isinstance(node.ctx, ast.Store | ast.Del):
            self._keep_store(node)

    def _member(self, node: ast.Attribute, called: bool) -> None:
        self._say("(.")
        self._write(node.value)
        self._attribute(node.value, node.attr, called)
        self._say(")")

    def _attribute(self, value: ast.AST, name: str, called: bool) -> None:
        self._keep_names(name)
        if isinstance(self.view.target(value), External):
            self._say(name)
        else:
            members = self.view.holder(value)
            reference = Reference("member", members.base, name, members.how)
            self._refer(reference)
            if not called:
                self.reading.given.add(reference)

    def _keep_store(self, node: ast.Attribute) -> None:
        if self.view.holder(node.value).base is None or self.definition.kind != "function":
            self.reading.stored.add(node.attr)

    def _write_Subscript(self, node: ast.Subscript) -> None:
        self._say("(at")
        self._write(node.value)
        self._write(node.slice)
        self._say(")")
        if isinstance(node.ctx, ast.Store | ast.Del):
            self._keep_change(node.value)

    def _keep_change(self, node: ast.AST) -> None:
        """Keep that an object is changed in place: a constant of a module, or the attributes of an object."""
        while isinstance(node, ast.Subscript):
            node = node.value
        word = node.attr if isinstance(node, ast.Attribute) else getattr(getattr(node, "func", None), "id", "")
        if word in ("__dict__", "vars"):
            self.reading.stored.add(EVERY)
        found = self.view.target(node)
        if isinstance(found, Definition):
            self.reading.changed.add(found)

    def _write_Chosen(self, node: Chosen) -> None:
        self._say("(chosen")
        if node.key:
            self._write(node.key)
        for definition in node.definitions:
            self._refer(Reference("definition", definition))
        self._say(")")

    def _write_Lambda(self, node: ast.Lambda) -> None:
        self._say("(lambda")
        self._signature(node)
        self._write(node.body)
        self._say(")")

    def _write_FormattedValue(self, node: ast.FormattedValue) -> None:
        self.reading.makes_text |= MAKES_TEXT["repr" if node.conversion == ord("r") else "str"]
        self._say(f"(formatted {node.conversion}")
        self._write(node.value)
        if node.format_spec:
            self._write(node.format_spec)
        self._say(")")

    def _write_Raise(self, node: ast.Raise) -> None:
        self._say("(raise")
        for part in self.view.raised(node):
            self._write(part)
        self._say(")")

    # ------------------------------------------------------------------ calls

    def _write_class_test(self, node: ast.AST) -> None:
        """Write a class that something is compared with, which makes no object."""
        self._in_class_test = True
        self._write(node)
        self._in_class_test = False

    def _write_Call(self, node: ast.Call) -> None:
        if self._is_attribute_function(node):
            return
        if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass") and len(node.args) == 2:
            self._say(f"({node.func.id}")
            self._write(node.args[0])
            self._write_class_test(node.args[1])
            self._say(")")
            return
        callee = self.view.callee(node)
        self._say("(call")
        self._called(node.func)
        if callee and callee.fields:
            self._fields(node, callee.fields)
        else:
            self._arguments(node, callee)
        self._say(")")
        if callee:
            self._keep_flows(node, callee)
        self._keep_replaced(node)

    def _called(self, node: ast.expr) -> None:
        """Write what is called; that gives it away to nobody else."""
        function = self.view.shown(node)
        found = self.view.target(function)
        if isinstance(found, Definition):
            self._refer(Reference("definition", found))
        elif found is None and isinstance(function, ast.Attribute):
            self._member(function, called=True)
        else:
            self._write(node)
        if isinstance(function, ast.Attribute) and function.attr in CHANGES:
            self._keep_change(function.value)

    def _arguments(self, node: ast.Call, callee: Callee | None) -> None:
        unread = self.view.unread(node)
        given = [argument for argument in node.args if argument not in unread]
        for argument in node.args:
            if argument not in unread:
                self._write(argument)
            elif any(other in given for other in node.args[node.args.index(argument) :]):
                self._say("_")  # keeps the places of those behind it
        for keyword in self.view.keywords(node):
            if keyword.value in unread:
                continue
            self._keyword(keyword.arg, callee)
            self._write(keyword.value)

    def _keyword(self, name: str | None, callee: Callee | None) -> None:
        functions = callee.functions if callee else ()
        if name is None:
            self._say("**")
        elif len(functions) == 1 and not self.environment.outside(functions[0]):
            self._refer(Reference("keyword", functions[0], name))
        else:
            self._say(f"{name}=")

    def _fields(self, node: ast.Call, definition: Definition) -> None:
        """Write the fields of a new object by name, in the order in which they are given."""
        names = self.environment.constructor(definition)
        if names is None or self.view.is_spread(node):
            for name in names or ():
                self._refer(Reference("member", definition, name, "exact"))
            self._arguments(node, None)
            return
        for name, argument in zip(names, node.args, strict=False):
            self._refer(Reference("member", definition, name, "exact"))
            self._write(argument)
        for keyword in node.keywords:
            self._refer(Reference("member", definition, keyword.arg or "", "exact"))
            self._write(keyword.value)

    def _keep_flows(self, node: ast.Call, callee: Callee) -> None:
        spread = self.view.is_spread(node)
        for function in callee.functions:
            given = dict(self.view.given(node, function, callee.bound))
            self.reading.flows.append(Flow(function, {n: self.view.values(a) for n, a in given.items()}, spread))
        if callee.fields:
            names = self.environment.constructor(callee.fields)
            pairs = dict(zip(names or (), node.args, strict=False))
            pairs |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            values = {name: self.view.values(argument) for name, argument in pairs.items()}
            self.reading.flows.append(Flow(callee.fields, values, spread or names is None))

    def _keep_replaced(self, node: ast.Call) -> None:
        word = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if word == "__setattr__":
            constants = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            self.reading.stored.add(str(constants[0]) if constants else EVERY)
        if plain(word) in REPLACES:
            self.reading.stored |= {keyword.arg or "" for keyword in node.keywords}

    def _is_attribute_function(self, node: ast.Call) -> bool:
        """Write ``getattr`` and the like as the attributes that they may take; say whether it is such a call."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in ATTRIBUTE_FUNCTIONS or len(node.args) < 2 or self.view.target(node.func) is not None:
            return False
        holder, attribute, *others = node.args
        self._say(f"({name}")
        self._write(holder)
        values = self.view.values(attribute)
        if values is not None:
            for value in sorted(str(value) for _, value in values):  # a set has no order of its own
                self._attribute_of(holder, value)
                self._keep_set(name, value)
            self._write_key(attribute, values)
        else:
            self._any_attribute_of(holder)
            self._write(attribute)
            self._keep_set(name, EVERY)
        for other in others:
            self._write(other)
        self._say(")")
        return True

    def _keep_set(self, function: str, attribute: str) -> None:
        if function in ("setattr", "delattr"):
            self.reading.stored.add(attribute)

    def _write_key(self, node: ast.expr, values: Values) -> None:
        """Write what chooses between several attributes."""
        if values is not None and len(values) > 1:
            self.reading.names_of_attributes = True
            self._write(node)

    def _attribute_of(self, holder: ast.expr, name: str) -> None:
        found = self.view.target(holder)
        if isinstance(found, ModuleName | External):
            self._target(self.environment.sources.attribute(found, name))
        else:
            self._attribute(holder, name, called=False)

    def _any_attribute_of(self, holder: ast.expr) -> None:
        found = self.view.target(holder)
        if isinstance(found, External):
            return
        self.reading.names_of_attributes = True
        if isinstance(found, ModuleName):
            self._all_of_module(found.name)
        else:
            members = self.view.holder(holder)
            self._refer(Reference("all members", members.base, "", members.how))

    def _all_of_module(self, name: str) -> None:
        module = self.environment.sources.module(name)
        for definition in module.definitions.values() if module else ():
            self.reading.escaped.add(definition)
            self._refer(Reference("all of module", definition))


def _in_order(names: frozenset[str], node: ast.stmt) -> list[str]:
    """Return the names that a statement binds to one value, in the order of the source."""
    if len(names) == 1:
        return [*names]
    return [name for name, _ in find_bindings(node) if name in names]


def find_classes(annotation: ast.expr, view: View) -> Iterator[Definition]:
    """Yield the classes that an annotation names, also through the aliases of a module.

    Not those of a discriminated union: the job chooses one of them, and names it.
    """
    waiting: list[tuple[ast.expr, View]] = [(annotation, view)]
    seen: set[Definition] = set()
    while waiting:
        node, here = waiting.pop()
        found = here.target(node)
        if isinstance(found, Definition) and found not in seen:
            seen.add(found)
            if found.kind == "class":
                yield found
            else:
                other = View(found, here.environment)
                waiting += [(value, other) for value in map(_find_value, found.statements) if value]
        elif found is None:
            waiting += [(part, here) for part in _parts_of_annotation(node)]


def _parts_of_annotation(node: ast.expr) -> list[ast.expr]:
    """Return the annotations within one, but not the words of a Literal, nor what a job chooses from."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [parse_annotation(node.value)]
    if _is_choice(node) or (isinstance(node, ast.Subscript) and _last(node.value) == "Literal"):
        return []
    return [part for part in list_parts(node) if isinstance(part, ast.expr)]


def _find_value(line: ast.stmt) -> ast.expr | None:
    return line.value if isinstance(line, ast.Assign | ast.AnnAssign) else None


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _is_choice(node: ast.expr) -> bool:
    """Whether an annotation is ``Annotated[A | B, Field(discriminator=...)]``."""
    if not isinstance(node, ast.Subscript) or _last(node.value) != "Annotated":
        return False
    calls = (call for call in ast.walk(node.slice) if isinstance(call, ast.Call))
    return any(keyword.arg == "discriminator" for call in calls for keyword in call.keywords)

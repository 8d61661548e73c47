"""Classes as they are written: bases, members, fields, and which of their methods other packages call."""

import ast
from collections.abc import Iterator
from functools import cache, cached_property

from consclust_studies.code.cleaning import plain
from consclust_studies.code.modules import (
    Definition,
    External,
    Function,
    Sources,
    Target,
    bind,
    find_bound_names,
    find_typing_branches,
)

KNOWN_BASES = {
    "object", "abc.ABC", "abc.ABCMeta", "typing.NamedTuple", "typing.Protocol", "typing.Generic", "typing.TypedDict",
    "enum.Enum", "enum.IntEnum", "enum.StrEnum", "pydantic.BaseModel", "pydantic.RootModel", "BaseException",
    "Exception", "dict", "list", "tuple", "set", "str", "int", "float",
}  # fmt: skip
"""Bases from other packages that call no method of a subclass by its name, but special ones."""
OF_PYDANTIC = {"field_validator", "model_validator", "field_serializer", "model_serializer", "computed_field"}
"""Decorators of methods that pydantic calls."""
HOOKS = {"model_post_init"}
DATACLASSES = {"dataclasses.dataclass", "pydantic.dataclasses.dataclass"}


def find_own_members(definition: Definition) -> dict[str, Definition]:
    """Return what the body of a class defines, by name; annotations without a value define nothing."""
    known: dict[str, Definition] | None = getattr(definition, "_members", None)
    if known is None:
        known = {}
        for statement in _run_in_body(_class_node(definition).body):
            for name in find_bound_names(statement):
                bind(known, definition.module, name, statement, definition)
        definition._members = known  # type: ignore[attr-defined]
    return known


def _class_node(definition: Definition) -> ast.ClassDef:
    node = definition.statements[0]
    assert isinstance(node, ast.ClassDef), definition
    return node


def _run_in_body(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.If) and (branches := find_typing_branches(statement)):
            yield from _run_in_body(branches[1])
        else:
            yield statement


class Class:
    """A class of the packages that are read."""

    def __init__(self, definition: Definition, sources: Sources) -> None:
        self.definition = definition
        self.node = _class_node(definition)
        self.members = find_own_members(definition)
        self._sources = sources

    def __repr__(self) -> str:
        return repr(self.definition)

    @cached_property
    def bases(self) -> list[Target]:
        """What the class is derived from, in order."""
        return [self._target(base) for base in self.node.bases]

    def _target(self, node: ast.expr) -> Target:
        while isinstance(node, ast.Subscript):  # Base[int]
            node = node.value
        return resolve_dotted(self._sources, self.definition, node) or External(ast.unparse(node))

    @cached_property
    def fields(self) -> dict[str, ast.AnnAssign]:
        """The names that the body annotates, in order, without class variables."""
        return {
            line.target.id: line
            for line in self.node.body
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and not is_class_variable(line)
        }

    @cached_property
    def annotations(self) -> list[ast.expr]:
        """The annotations of the body: what its objects hold."""
        return [line.annotation for line in self.node.body if isinstance(line, ast.AnnAssign)]

    @cached_property
    def is_dataclass(self) -> bool:
        """Whether the fields are the parameters of its constructor."""
        decorators = (node.func if isinstance(node, ast.Call) else node for node in self.node.decorator_list)
        found = {resolve_dotted(self._sources, self.definition, node) for node in decorators}
        return bool(found & {External(name) for name in DATACLASSES})

    @cached_property
    def is_named_tuple(self) -> bool:
        """Whether it is a named tuple."""
        return External("typing.NamedTuple") in self.bases

    @cached_property
    def has_keyword_only(self) -> bool:
        """Whether some fields are given by name only."""
        words = {keyword.arg for node in ast.walk(self.node) if isinstance(node, ast.Call) for keyword in node.keywords}
        names = {node.id for each in self.annotations for node in ast.walk(each) if isinstance(node, ast.Name)}
        return "kw_only" in words or "KW_ONLY" in names

    @cached_property
    def abstract(self) -> set[str]:
        """The methods that a subclass must define."""
        return {name for name, member in self.members.items() if _is_abstract(member)}

    @cached_property
    def stores(self) -> dict[str, list[ast.AST]]:
        """The attributes that its methods store on ``self``, with the statements."""
        found: dict[str, list[ast.AST]] = {}
        for node in ast.walk(self.node):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                found.setdefault(node.attr, []).append(node)
        return found

    @cached_property
    def kept(self) -> set[str]:
        """The parameters that its own constructor stores under their names, as they are."""
        maker = self.members.get("__init__")
        if maker is None or maker.kind != "function":
            return set()
        names = {argument.arg for argument in maker.function.args.args}
        lines = (node for node in ast.walk(maker.function) if isinstance(node, ast.Assign) and keeps(node, names))
        return {plain(line.value.id) for line in lines if isinstance(line.value, ast.Name)}

    @cached_property
    def called_from_outside(self) -> list[Definition]:
        """Members that other packages call by name, because they know the base."""
        outside = [base.name for base in self.bases if isinstance(base, External)]
        functions = [member for member in self.members.values() if member.kind == "function"]
        if any(name not in KNOWN_BASES and not name.endswith(("Error", "Warning")) for name in outside):
            return functions
        return [member for member in functions if _is_hook(member)]


def keeps(line: ast.Assign, names: set[str]) -> bool:
    """Whether a line stores a parameter with one of these names as an attribute of the same name."""
    (target, *others) = line.targets
    return (
        not others
        and isinstance(target, ast.Attribute)
        and isinstance(line.value, ast.Name)
        and line.value.id in names
        and plain(line.value.id) == target.attr
    )


def resolve_dotted(sources: Sources, definition: Definition, node: ast.expr) -> Target | None:
    """Return what a name with attributes stands for in the module of a definition; None for any other expression."""
    if isinstance(node, ast.Name):
        return sources.named(definition.module.name, node.id) or External(node.id)
    if isinstance(node, ast.Attribute):
        holder = resolve_dotted(sources, definition, node.value)
        return sources.attribute(holder, node.attr) if holder else None
    return None


def is_class_variable(line: ast.AnnAssign) -> bool:
    """Whether an annotation says that a name is one of the class, and no field."""
    return "ClassVar" in ast.unparse(line.annotation)


def _is_abstract(member: Definition) -> bool:
    return member.kind == "function" and any("abstract" in word for word in list_decorator_words(member.function))


@cache
def list_decorator_words(function: Function) -> frozenset[str]:
    """Return the decorators of a function as they are written, without arguments."""
    nodes = (node.func if isinstance(node, ast.Call) else node for node in function.decorator_list)
    return frozenset(ast.unparse(node) for node in nodes)


def decorators(definition: Definition) -> frozenset[str]:
    """Return the last words of the decorators of a function: "cached_property" of ``functools.cached_property``."""
    return frozenset(word.rpartition(".")[2] for word in list_decorator_words(definition.function))


def _is_hook(member: Definition) -> bool:
    """Whether pydantic calls a method that may change a value; one that only refuses values computes no result."""
    if member.name.rpartition(".")[2] in HOOKS:
        return True
    words = {word.rpartition(".")[2] for word in list_decorator_words(member.function)}
    return bool(words & OF_PYDANTIC) and not only_refuses(member.function)


def only_refuses(function: Function) -> bool:
    """Whether a function returns one of its parameters as it is, or nothing, and stores nothing."""
    parameters = {plain(argument.arg) for argument in (*function.args.posonlyargs, *function.args.args)}
    return not any(_changes(node, parameters) for node in ast.walk(function))


def _changes(node: ast.AST, parameters: set[str]) -> bool:
    """Whether a node returns something else than a parameter, or stores something."""
    if isinstance(node, ast.Return):
        return node.value is not None and not _is_name_of(node.value, parameters)
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Store) and plain(node.id) in parameters
    if isinstance(node, ast.Attribute | ast.Subscript):
        return isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("__setattr__")


def _is_name_of(node: ast.expr, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and plain(node.id) in names


class Classes:
    """All classes of some sources, each read once, and their method resolution orders."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: dict[Definition, Class] = {}
        self._orders: dict[Definition, list[Definition]] = {}
        self._tables: dict[Definition, dict[str, Definition]] = {}
        self._constructors: dict[Definition, list[str] | None] = {}

    def read(self, definition: Definition) -> Class:
        """Return the class of a definition that is one."""
        if definition not in self._known:
            self._known[definition] = Class(definition, self._sources)
        return self._known[definition]

    def order(self, definition: Definition) -> list[Definition]:
        """Return a class and its bases among those that are read, as Python searches them for an attribute."""
        if definition not in self._orders:
            self._orders[definition] = [definition]  # of a class that is derived from itself, by mistake
            bases = [
                base for base in self.read(definition).bases if isinstance(base, Definition) and base.kind == "class"
            ]
            self._orders[definition] = [definition, *_merged([*map(self.order, bases), bases])]
        return self._orders[definition]

    def find(self, definition: Definition, name: str, after: Definition | None = None) -> Definition | None:
        """Return the member that a class has under a name; with ``after`` the one that ``super()`` finds there."""
        if after is None:
            return self._table(definition).get(name)
        order = self.order(definition)
        behind = order[order.index(after) + 1 :] if after in order else []
        return next((self.read(each).members[name] for each in behind if name in self.read(each).members), None)

    def is_field(self, definition: Definition, name: str) -> bool:
        """Whether a class or one of its bases annotates a name, which is no class variable."""
        return any(name in self.read(each).fields for each in self.order(definition))

    def is_kept(self, definition: Definition, name: str) -> bool:
        """Whether the constructor of a class or of one of its bases stores a parameter under its name, as it is."""
        return any(name in self.read(each).kept for each in self.order(definition))

    def count_stores(self, definition: Definition, name: str) -> int:
        """Return in how many places a class and its bases store an attribute."""
        return sum(len(self.read(each).stores.get(name, ())) for each in self.order(definition))

    def list_members(self, definition: Definition) -> list[str]:
        """Return the names of all members of a class and its bases."""
        return [*self._table(definition)]

    def _table(self, definition: Definition) -> dict[str, Definition]:
        """Return all members of a class and its bases, by name."""
        if definition not in self._tables:
            table: dict[str, Definition] = {}
            for each in reversed(self.order(definition)):
                table.update(self.read(each).members)
            self._tables[definition] = table
        return self._tables[definition]

    def is_abstract(self, definition: Definition) -> bool:
        """Whether a class has no objects of its own, because methods are not defined."""
        names = {name for each in self.order(definition) for name in self.read(each).abstract}
        return any(_is_abstract(self._table(definition)[name]) for name in names)

    def is_exception(self, definition: Definition) -> bool:
        """Whether a class is one of exceptions."""
        every = (base for each in self.order(definition) for base in self.read(each).bases)
        outside = (base.name for base in every if isinstance(base, External))
        return any(name.endswith(("Error", "Exception", "Warning")) for name in outside)

    def names(self, definition: Definition) -> set[str]:
        """Return the attributes that a class and its bases define, annotate or store."""
        every = [self.read(each) for each in self.order(definition)]
        return {name for each in every for name in (*each.members, *each.fields, *each.stores)}

    def constructor(self, definition: Definition) -> list[str] | None:
        """Return the fields that the constructor of a dataclass or named tuple takes, in order.

        None for a class with another constructor, and where some fields can be given by name only.
        """
        if definition not in self._constructors:
            self._constructors[definition] = self._constructor(definition)
        return self._constructors[definition]

    def _constructor(self, definition: Definition) -> list[str] | None:
        own = self.read(definition)
        found: dict[str, None] = {}
        for each in reversed(self.order(definition)):
            read = self.read(each)
            if {"__init__", "__new__"} & read.members.keys() or read.has_keyword_only:
                return None
            found.update(dict.fromkeys(read.fields))
        return list(found) if own.is_dataclass or own.is_named_tuple else None


def is_class(target: Target) -> bool:
    """Whether something is a class of the packages that are read."""
    return isinstance(target, Definition) and target.kind == "class"


def _merged(waiting: list[list[Definition]]) -> list[Definition]:
    """Merge orders as Python does (C3); where that has no answer, take the classes as they come."""
    merged: list[Definition] = []
    while waiting := [one for one in waiting if one]:
        heads = [one[0] for one in waiting if not any(one[0] in other[1:] for other in waiting)]
        chosen = heads[0] if heads else waiting[0][0]
        merged.append(chosen)
        waiting = [[each for each in one if each is not chosen] for one in waiting]
    return merged

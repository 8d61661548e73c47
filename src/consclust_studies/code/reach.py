"""All definitions that a job enters, from its entry points with its parameters, and the digest of them.

What is reached depends on values, values on what is reached. So both grow from nothing, in turn, until neither does:
first no branch is taken, no argument read and no class in use, and whatever is found out can only add to that.
"""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from consclust_studies.code.classes import Classes, decorators, is_class_variable, keeps
from consclust_studies.code.cleaning import plain, prepare
from consclust_studies.code.constants import NOTHING, UNKNOWN, Values, joined, values_of
from consclust_studies.code.environment import Members
from consclust_studies.code.modules import Definition, External, Module, Sources, Target
from consclust_studies.code.outside import find_kind_of_outside
from consclust_studies.code.prune import View
from consclust_studies.code.write import EVERY, Flow, Reading, Reference, Writer, find_classes

Slot = tuple[Any, ...]
Given = Mapping[Definition, Mapping[str, Values]]
"""The values of the parameters of some classes."""

ALWAYS_GIVEN = {"n_clusters", "random_state"}
"""Parameters of a method that every job gives, whatever its spec says."""
TRANSPARENT = {
    "staticmethod", "classmethod", "property", "cached_property", "abstractmethod", "cache", "lru_cache", "override",
    "contextmanager", "wraps", "final", "hand_streams_on",
}  # fmt: skip
"""Decorators that hand on the arguments as they are."""
TEXTS = {"__str__", "__repr__", "__format__"}
SPECIAL_WORDS = """
    init new post_init call getitem setitem delitem contains len iter next reversed missing length_hint
    eq ne lt le gt ge hash bool enter exit aenter aexit aiter anext await getattr getattribute setattr delattr
    get set delete set_name init_subclass class_getitem index int float complex round trunc floor ceil
    neg pos abs invert array array_ufunc array_function array_priority copy deepcopy reduce getstate setstate
    instancecheck subclasscheck del bytes fspath dir
"""
OPERATORS = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"
SPECIAL = {f"__{word}__" for word in SPECIAL_WORDS.split()} | {
    f"__{side}{word}__" for side in ("", "r", "i") for word in OPERATORS.split()
}
"""Methods that Python calls by itself."""


class Code:
    """What is known of some sources whatever is asked: their classes, and readings of definitions to use again."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.classes = Classes(sources)
        self.readings: dict[Definition, list[tuple[dict[Slot, Any], Reading]]] = {}
        self._entries: dict[tuple[Definition, Any], Definition] = {}
        self._outside: dict[Definition, str | None] = {}

    def outside(self, definition: Definition) -> str | None:
        """Return why a definition never counts, by its own name or by that of a method that it overrides."""
        if definition not in self._outside:
            self._outside[definition] = find_kind_of_outside(definition) or self._overridden(definition)
        return self._outside[definition]

    def _overridden(self, definition: Definition) -> str | None:
        if definition.owner is None:
            return None
        name = definition.name.rpartition(".")[2]
        for base in self.classes.order(definition.owner)[1:]:
            member = self.classes.read(base).members.get(name)
            if member and (found := find_kind_of_outside(member)):
                return found
        return None

    def entry(self, constant: Definition, key: Any) -> Definition:
        """Return an entry of a dict as a definition of its own."""
        line = constant.statements[0]
        assert isinstance(line, ast.Assign | ast.AnnAssign)
        assert isinstance(line.value, ast.Dict)
        pairs = zip(line.value.keys, line.value.values, strict=True)
        value = next(
            v for k, v in pairs if isinstance(k, ast.Constant) and (k.value, type(k.value)) == (key, type(key))
        )
        return self.expression(constant, f"[{key!r}]", value)

    def default(self, function: Definition, name: str) -> Definition | None:
        """Return the default of a parameter as a definition of its own; None if it has none."""
        found = read_defaults(function).get(name)
        return self.expression(function, f"({name})", found) if found is not None else None

    def expression(self, of: Definition, name: str, value: ast.expr) -> Definition:
        """Return an expression within a definition as one of its own."""
        if (of, name) not in self._entries:
            line = ast.Assign([ast.Name("<value>", ast.Store())], copy.deepcopy(value))
            self._entries[of, name] = Definition(of.module, f"{of.name}{name}.<value>", "value", [line])
        return self._entries[of, name]


def read_defaults(function: Definition) -> dict[str, ast.expr]:
    """Return the defaults of the parameters of a function, by their names in the source."""
    args = function.function.args
    positional = [*args.posonlyargs, *args.args]
    given = zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True)
    found = {plain(argument.arg): default for argument, default in given}
    for argument, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        if default is not None:
            found[plain(argument.arg)] = default
    return found


class Reach:
    """What a job enters. It is also the environment in which each definition is read."""

    def __init__(self, code: Code, entries: Iterable[Definition], parameters: Given) -> None:
        self.code = code
        self.sources = code.sources
        self.classes = code.classes
        self.entries = list(entries)
        self.parameters = dict(parameters)
        self.readings: dict[Definition, Reading] = {}
        self.live: dict[Definition, None] = {}
        """Classes whose objects there may be, in the order in which they were met."""
        self._receiving: dict[Definition, int] = {}
        """Those whose attributes are followed, with their number in the order in which they were met."""
        self._receiving_of: dict[Definition, dict[Definition, None]] = {}
        """The same by each class that they are or that they are derived from."""
        self._receiving_under: dict[str, set[Definition]] = {}
        """The same by the names of their members."""
        self._parametrised: set[Definition] = set()
        """Those among them that have parameters of the job."""
        self._values: dict[tuple[Definition, str], Values] = {}
        self._read: set[tuple[Definition, str]] = set()
        self._imported: dict[Module, None] = {}
        self._made: set[Definition] = set()
        """Classes with known parameters of which the code makes objects, too, with parameters of its own."""
        self._defaulted: set[tuple[Definition, str]] = set()
        self._effects: set[Definition] = set()
        self._escaped: set[Definition] = set()
        self._changed: set[Definition] = set()
        self._stored: set[str] = set()
        self._open: set[Slot] = set()
        """Values that nothing that was read gives: they come from elsewhere."""
        self._accessed: dict[tuple[Members, str], None] = {}
        self._texts: set[str] = set()
        self.names_of_fields = False
        """Whether the names of attributes may become a result."""
        self._waiting: dict[Definition, None] = {}
        self._stale: dict[Definition, None] = {}
        """What was read with answers that have changed since."""
        self._asked: dict[Definition, dict[Slot, Any]] = {}
        self._asking: list[dict[Slot, Any]] = []
        self._asked_by: dict[Slot, dict[Definition, None]] = {}
        self._constants: set[Definition] = set()
        for entry in self.entries:
            self._enter(entry)
        self._run()

    def _enter(self, entry: Definition) -> None:
        self._reach(entry)
        if entry.owner:
            self._use(entry.owner)
        if entry.kind == "class":
            self._use(entry)
        else:
            self._escape(entry)
            self._open_given_objects(entry)

    # ------------------------------------------------------------------ the repetition

    def _run(self) -> None:
        while self._waiting or self._stale or self._open_what_nothing_gives():
            while self._waiting or self._stale:
                # what is new first: it may say more about what is to be read again
                queue = self._waiting or self._stale
                definition = next(iter(queue))
                del queue[definition]
                self._take(definition, self._find_reading(definition))

    def _find_reading(self, definition: Definition) -> Reading:
        """Read a definition, unless it was read before with the same answers to what it asks."""
        known = self.code.readings.setdefault(definition, [])
        reading: Reading
        # another job may have read it in another environment; the latest is the likeliest to fit
        for asked, reading in reversed(known):
            if self._is_answered(asked):
                self._keep_asked(definition, asked)
                return reading
        self._asking.append({})
        reading = self._read_anew(definition)
        asked = self._asking.pop()
        known.append((asked, reading))
        self._keep_asked(definition, asked)
        return reading

    def _is_answered(self, asked: dict[Slot, Any]) -> bool:
        """Whether all that was asked has the same answers now."""
        return all(self._answer(slot) == answer for slot, answer in asked.items())

    def _read_anew(self, definition: Definition) -> Reading:
        writer: Writer = Writer(definition, self)
        if definition.kind == "function":
            return writer.function()
        if definition.kind == "class":
            return writer.header(self.classes.read(definition))
        return writer.value()

    def _keep_asked(self, definition: Definition, asked: dict[Slot, Any]) -> None:
        self._asked[definition] = asked
        for slot in asked:
            self._asked_by.setdefault(slot, {})[definition] = None
            if slot[0] in ("effect", "changes"):  # only a function that has been read can answer these
                self._reach(slot[1])

    def _changed_slot(self, *slots: Slot) -> None:
        """Read again what asked for something that has another answer now."""
        for slot in slots:
            for definition in self._asked_by.get(slot, ()):
                self._stale[definition] = None

    def _take(self, definition: Definition, reading: Reading) -> None:
        """Reach what a definition refers to, and keep what it says about others."""
        self.readings[definition] = reading
        bases = self.classes.read(definition).bases if definition.kind == "class" else []
        for reference in reading.references:
            if reference.kind == "definition" and reference.definition in bases:
                self._reach(reference.definition)  # there are no objects of it for that
            else:
                self._follow(reference)
        for held in reading.held:
            self._use(held)
        for function in reading.decided:
            self._reach(function)
        self._take_calls(reading)
        for name in reading.reads:
            if (definition, name) not in self._read:
                self._read.add((definition, name))
                self._changed_slot(("read", definition, name))
        self._keep_effects(definition, reading)
        self._keep_names(reading)

    def _take_calls(self, reading: Reading) -> None:
        for given in reading.escaped:
            self._escape(given)
            if given.kind == "class":
                self._make(given)
        for reference in reading.given:
            for member in self._found(reference.members, reference.name):
                self._escape(member)
        for flow in reading.flows:
            self._flow(flow)

    def _keep_effects(self, definition: Definition, reading: Reading) -> None:
        if reading.effect and definition not in self._effects:
            self._effects.add(definition)
            self._changed_slot(("effect", definition))
        if reading.changed:
            self._changed_slot(("changes", definition))
        for constant in reading.changed - self._changed:
            self._changed.add(constant)
            self._changed_slot(("changed", constant))
        if reading.stored - self._stored:
            self._stored |= reading.stored
            self._changed_slot(*(slot for slot in self._asked_by if slot[0] == "attribute"))

    def _keep_names(self, reading: Reading) -> None:
        if reading.names_of_fields and not self.names_of_fields:
            self.names_of_fields = True
            for each in dict.fromkeys(base for own in self.live for base in self.classes.order(own)):
                self._access_fields(each)
        if reading.makes_text - self._texts:
            self._texts |= reading.makes_text
            for each in list(self.live):
                self._reach_special(each)

    def _open_what_nothing_gives(self) -> bool:
        """Take values that nothing gives for unknown; return whether there were any."""
        # all that is reached has been read: what still has no value is given by nothing in the packages
        found = [
            slot
            for definition, asked in self._asked.items()
            for slot, answer in asked.items()
            if slot[0] in ("parameter", "attribute", "constant") and answer == NOTHING and self._answer(slot) == NOTHING
        ]
        self._open.update(found)
        self._changed_slot(*found)
        alone = [each for each in self.live if self.classes.is_abstract(each) and not self._receivers(Members(each))]
        for each in alone:
            self._receive(each)
        return bool(self._waiting or self._stale)

    # ------------------------------------------------------------------ reaching

    def _reach(self, definition: Target | None) -> None:
        """Read a definition that is a part of the job."""
        if not isinstance(definition, Definition) or self.outside(definition):
            return
        if definition in self._asked or definition in self._waiting:
            return
        self._waiting[definition] = None
        if definition.kind == "function" and decorators(definition) - TRANSPARENT:
            self._escape(definition)
        self._import(definition.module)
        self._reach(definition.owner)

    def _import(self, module: Module) -> None:
        """Reach what a module does when it is imported, and the modules that it imports as a whole."""
        if module in self._imported:
            return
        self._imported[module] = None
        if module.effects:
            self._reach(module.effect)
        for name in module.imported_modules:
            imported = self.sources.module(name)
            if imported:
                self._import(imported)

    def _follow(self, reference: Reference) -> None:
        definition = reference.definition
        if reference.kind == "member":
            self._access(reference.members, reference.name)
        elif reference.kind == "all members":
            for each in self._receivers(reference.members) or [*self.live]:
                for name in self._public(each):
                    self._access(Members(each), name)
        elif reference.kind in ("definition", "all of module") and definition:
            self._reach(definition)
            if definition.kind == "class":
                self._use(definition)

    def _public(self, definition: Definition) -> Iterator[str]:
        """Yield the members that a name that is not known may be; special ones are none."""
        for each in self.classes.order(definition):
            yield from (name for name in self.classes.read(each).members if not name.startswith("__"))

    def _use(self, definition: Definition) -> None:
        """Count with objects of a class."""
        if definition in self.live or self.outside(definition) or definition.kind != "class":
            return
        self.live[definition] = None
        for each in self.classes.order(definition):
            self._reach(each)
            if self.names_of_fields:
                self._access_fields(each)
        if not self.classes.is_abstract(definition):
            self._receive(definition)

    def _access_fields(self, definition: Definition) -> None:
        """Count with all fields of a class: something reads them by names that are not written."""
        for name in self.list_fields(definition):
            self._access(Members(definition, "exact"), name)

    def list_fields(self, definition: Definition) -> list[str]:
        """Return the fields that a class itself has, in order."""
        return [*self.classes.read(definition).fields]

    def list_all_fields(self, definition: Definition) -> list[str]:
        """Return the fields of a class and its bases, and the parameters of their constructors."""
        found: list[str] = []
        for each in self.classes.order(definition):
            found += self.list_fields(each)
            maker = self.classes.read(each).members.get("__init__")
            if maker and maker.kind == "function":
                found += map(plain, prepare(maker).parameters)
        return found

    def _receive(self, definition: Definition) -> None:
        """Let the attributes that are used be those of a class, too."""
        self._receiving.setdefault(definition, len(self._receiving))
        order = set(self.classes.order(definition))
        for each in order:
            self._receiving_of.setdefault(each, {})[definition] = None
        if order & self.parameters.keys():
            self._parametrised.add(definition)
        for name in self.classes.list_members(definition):
            self._receiving_under.setdefault(name, set()).add(definition)
        for members, name in list(self._accessed):
            if members.how != "exact" and (members.base is None or members.base in order):
                self._reach_members(members, name)
        self._reach_special(definition)
        stale = [slot for slot in self._asked_by if slot[0] in ("attribute", "members") and self._concerns(slot, order)]
        self._changed_slot(*stale)

    def _concerns(self, slot: Slot, order: set[Definition]) -> bool:
        members: Members = slot[1]
        return members.how != "exact" and (members.base is None or members.base in order)

    def _reach_special(self, definition: Definition) -> None:
        wanted = SPECIAL | self._texts
        for each in self.classes.order(definition):
            read = self.classes.read(each)
            for member in (*(read.members[name] for name in read.members if name in wanted), *read.called_from_outside):
                if not self._only_stores(definition, member):
                    self._reach(member)
                    self._escape(member)

    def _only_stores(self, definition: Definition, member: Definition) -> bool:
        """Whether a member is the constructor of a class with known parameters, and keeps them as they are."""
        known = any(each in self.parameters for each in self.classes.order(definition))
        return known and member.name.endswith(".__init__") and member.kind == "function" and only_stores(member)

    def _access(self, members: Members, name: str) -> None:
        if (members, name) not in self._accessed:
            self._accessed[members, name] = None
            self._reach_members(members, name)

    def _reach_members(self, members: Members, name: str) -> None:
        for member in self._counted(members, name):
            self._reach(member)
            if member.kind == "class":
                self._use(member)

    def _counted(self, members: Members, name: str) -> list[Definition]:
        """Return what an attribute may be and counts: not a default in whose place the spec has a value."""
        found: dict[Definition, None] = {}
        for each in self._search(members, name):
            member = self.classes.find(each, name, members.base if members.how == "super" else None)
            given = self._given_to(each)
            if given is not None and name in given:
                continue
            if member is None and given is not None:
                member = self._default_in_constructor(each, name)
            if member and not self.outside(member):
                found[member] = None
        return [*found]

    def _default_in_constructor(self, definition: Definition, name: str) -> Definition | None:
        maker = self.classes.find(definition, "__init__")
        if maker and maker.kind == "function":
            return self.code.default(maker, name)
        return None

    def _found(self, members: Members, name: str) -> list[Definition]:
        """Return what an attribute may be, also what does not count."""
        after = members.base if members.how == "super" else None
        found = (self.classes.find(each, name, after) for each in self._search(members, name))
        return [*dict.fromkeys(member for member in found if member)]

    def _search(self, members: Members, name: str) -> list[Definition]:
        """Return the receivers that may have an attribute, in the order in which they were met."""
        if members.base is not None:
            return self._receivers(members)
        # of an unknown class: hundreds receive, and few of them have it
        having = self._receiving_under.get(name, set()) | self._parametrised
        return sorted(having, key=self._receiving.__getitem__)

    def _receivers(self, members: Members) -> list[Definition]:
        if members.how == "exact":
            return [members.base] if members.base else []
        if members.base is None:
            return [*self._receiving]
        return [*self._receiving_of.get(members.base, ())]

    def _escape(self, definition: Definition) -> None:
        """Take the arguments of a function, and the fields of a class, for unknown."""
        if definition in self._escaped:
            return
        self._escaped.add(definition)
        concerned = [slot for slot in self._asked_by if slot[0] in ("parameter", "default") and slot[1] is definition]
        if definition.kind == "class":
            concerned = [slot for slot in self._asked_by if slot[0] == "attribute"]
        self._changed_slot(*concerned)

    def _open_given_objects(self, entry: Definition) -> None:
        """Take the fields of the objects that an entry point is given for unknown, and those that these hold."""
        waiting = [(annotation, entry) for annotation in prepare(entry).annotations]
        while waiting:
            annotation, where = waiting.pop()
            for found in find_classes(annotation, View(where, self)):
                if found not in self._escaped:
                    self._escape(found)
                    for each in self.classes.order(found):
                        waiting += [(inner, each) for inner in self.classes.read(each).annotations]

    # ------------------------------------------------------------------ values

    def _flow(self, flow: Flow) -> None:
        made = flow.to if flow.to.kind == "class" else flow.to.owner
        if made and (made is flow.to or flow.to.name.endswith(".__init__")):
            self._make(made)
        if flow.to.kind == "class":
            self._flow_to_fields(flow)
            return
        defaults = read_defaults(flow.to)
        for parameter in prepare(flow.to).parameters:
            name = plain(parameter)
            if name in flow.values:
                self._join(flow.to, name, flow.values[name])
            elif flow.open:
                self._use_default(flow.to, name)
                self._join(flow.to, name, UNKNOWN)
            elif name in defaults:
                self._use_default(flow.to, name)
                self._join(flow.to, name, self._find_value(self.code.default(flow.to, name)))

    def _make(self, definition: Definition) -> None:
        """Take the parameters of a class for unknown, as the code makes objects of it by itself."""
        if definition in self._made or self._given_to(definition) is None:
            return
        self._made.add(definition)
        for members, name in list(self._accessed):
            self._reach_members(members, name)
        self._reach_special(definition)
        self._changed_slot(*(slot for slot in self._asked_by if slot[0] == "attribute"))

    def _use_default(self, function: Definition, name: str) -> None:
        if (function, name) not in self._defaulted:
            self._defaulted.add((function, name))
            self._changed_slot(("default", function, name))

    def _flow_to_fields(self, flow: Flow) -> None:
        for name in self.classes.constructor(flow.to) or ():
            if name in flow.values:
                self._join(flow.to, name, flow.values[name])
            else:
                default = self.classes.find(flow.to, name)
                self._join(flow.to, name, UNKNOWN if flow.open else self._find_value(default))

    def _join(self, definition: Definition, name: str, values: Values) -> None:
        known = self._values.get((definition, name), NOTHING)
        both = joined(known, values)
        if both != known:
            self._values[definition, name] = both
            self._changed_slot(("parameter", definition, name))
            if definition.kind == "class":
                self._changed_slot(*(slot for slot in self._asked_by if slot[0] == "attribute" and slot[2] == name))

    def _find_value(self, definition: Definition | None) -> Values:
        """Return the values of a constant, of a module or a class, or of a default."""
        if definition is None or definition.kind != "value" or definition in self._constants:
            return UNKNOWN
        line = definition.statements[0]
        if len(definition.statements) > 1 or not isinstance(line, ast.Assign | ast.AnnAssign) or line.value is None:
            return UNKNOWN
        targets = line.targets if isinstance(line, ast.Assign) else [line.target]
        if not all(isinstance(target, ast.Name) for target in targets):
            return UNKNOWN
        self._constants.add(definition)  # a constant that names itself, by way of others, is unknown
        try:
            return View(definition, self).values(line.value)
        finally:
            self._constants.discard(definition)

    def _given_to(self, definition: Definition) -> Mapping[str, Values] | None:
        """Return the parameters that a job gives to objects of a class; None if they are not known."""
        if definition in self._made:
            return None
        for each in self.classes.order(definition):
            if each in self.parameters:
                return self.parameters[each]
        return None

    def _attribute_of(self, definition: Definition, name: str) -> Values:
        """Return the values of an attribute of the objects of one class."""
        given = self._given_to(definition)
        kept = self.classes.is_kept(definition, name)
        if self._is_stored(definition, name, kept and given is not None):
            return UNKNOWN
        is_field = self.classes.is_field(definition, name)
        if given is not None and (is_field or kept):
            if name in given:
                return given[name]
            return UNKNOWN if name in ALWAYS_GIVEN else self._default_value(definition, name)
        if is_field:
            return self._field_value(definition, name)
        return self._value_of_class(definition, name)

    def _value_of_class(self, definition: Definition, name: str) -> Values:
        """Return the values of an attribute that is the same for all objects of a class."""
        member = self.classes.find(definition, name)
        line = member.statements[0] if member else None
        if isinstance(line, ast.AnnAssign) and not is_class_variable(line):
            return UNKNOWN
        return self._find_value(member)

    def _is_stored(self, definition: Definition, name: str, by_constructor: bool) -> bool:
        """Whether an attribute may get other values than its constructor gives, which stores it once."""
        return self.classes.count_stores(definition, name) > by_constructor or bool({name, EVERY} & self._stored)

    def _default_value(self, definition: Definition, name: str) -> Values:
        member = self.classes.find(definition, name) or self._default_in_constructor(definition, name)
        return self._find_value(member)

    def _field_value(self, definition: Definition, name: str) -> Values:
        """Return what calls give to a field, where all objects are made by such calls."""
        if self.classes.constructor(definition) is None or definition in self._escaped:
            return self._options_of_field(definition, name)
        found = self._values.get((definition, name), NOTHING)
        return self._options_of_field(definition, name) if found is None else found

    def _options_of_field(self, definition: Definition, name: str) -> Values:
        for each in self.classes.order(definition):
            line = self.classes.read(each).fields.get(name)
            if line:
                return self.options(each, line.annotation)
        return UNKNOWN

    # ------------------------------------------------------------------ the environment

    def _ask(self, *slot: Any) -> Any:
        answer = self._answer(slot)
        if self._asking:
            self._asking[-1][slot] = answer
        return answer

    def _answer(self, slot: Slot) -> Any:
        return getattr(self, f"_answer_{slot[0]}")(slot)

    def _answer_parameter(self, slot: Slot) -> Values:
        _, function, name = slot
        args = function.function.args
        variable = {plain(argument.arg) for argument in (args.vararg, args.kwarg) if argument}
        is_self = function.owner is not None and name == plain(next(iter(prepare(function).parameters), ""))
        if function in self._escaped or slot in self._open or name in variable or is_self:
            return UNKNOWN
        return self._values.get((function, name), NOTHING)

    def _answer_attribute(self, slot: Slot) -> Values:
        _, members, name = slot
        if slot in self._open or members.how == "super":
            return UNKNOWN
        found: Values = NOTHING
        for each in self._receivers(members):
            found = joined(found, self._attribute_of(each, name))
            if members.how == "exact" and name in (self.classes.constructor(each) or ()):
                return UNKNOWN
        return found

    def _answer_constant(self, slot: Slot) -> Values:
        return UNKNOWN if slot in self._open or slot[1] in self._changed else self._find_value(slot[1])

    def _answer_read(self, slot: Slot) -> bool:
        _, function, name = slot
        if (function, name) in self._read or decorators(function) - TRANSPARENT:
            return True
        return name not in map(plain, prepare(function).parameters)

    def _answer_default(self, slot: Slot) -> bool:
        return slot[1] in self._escaped or slot[1:] in self._defaulted

    def _answer_effect(self, slot: Slot) -> bool:
        return slot[1] in self._effects

    def _answer_changes(self, slot: Slot) -> bool:
        return slot[1] in self.readings and bool(self.readings[slot[1]].changed)

    def _answer_changed(self, slot: Slot) -> bool:
        return slot[1] in self._changed

    def _answer_members(self, slot: Slot) -> frozenset[Definition]:
        return frozenset(self._found(slot[1], slot[2]))

    def parameter(self, function: Definition, name: str) -> Values:
        """Return the values that calls give to a parameter."""
        found: Values = self._ask("parameter", function, name)
        return found

    def attribute(self, members: Members, name: str) -> Values:
        """Return the values of an attribute."""
        found: Values = self._ask("attribute", members, name)
        return found

    def constant(self, definition: Definition) -> Values:
        """Return the values of a constant of a module."""
        found: Values = self._ask("constant", definition)
        return found

    def returned(self, function: Definition) -> Values:
        """Return the values of a function that does no more than to return one."""
        prepare(function)  # without its docstring
        body = function.function.body
        if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
            return UNKNOWN
        if function in self._constants or self.outside(function):
            return UNKNOWN
        self._constants.add(function)
        try:
            return View(function, self).values(body[0].value)
        finally:
            self._constants.discard(function)

    def options(self, definition: Definition, annotation: ast.expr) -> Values:
        """Return the values that an annotation allows, if it is a Literal; its options are constants."""
        view = View(definition, self)
        for _ in range(5):  # an alias of an alias
            if isinstance(annotation, ast.Subscript):
                if view.target(annotation.value) != External("typing.Literal"):
                    return UNKNOWN
                options = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
                constants = [option.value for option in options if isinstance(option, ast.Constant)]
                return values_of(constants) if len(constants) == len(options) else UNKNOWN
            found = view.target(annotation)
            line = found.statements[0] if isinstance(found, Definition) and found.kind == "value" else None
            if not isinstance(found, Definition) or not isinstance(line, ast.Assign):
                return UNKNOWN
            view, annotation = View(found, self), line.value
        return UNKNOWN

    def is_read(self, function: Definition, name: str) -> bool:
        """Whether a function reads a parameter."""
        return bool(self._ask("read", function, name))

    def uses_default(self, function: Definition, name: str) -> bool:
        """Whether some call leaves out a parameter."""
        return bool(self._ask("default", function, name))

    def has_effect(self, function: Definition) -> bool:
        """Whether a call of a function does more than to return something."""
        outside = self.outside(function)
        if outside or function.kind != "function":
            return outside == "handling"
        return bool(self._ask("effect", function))

    def changes(self, function: Definition) -> bool:
        """Whether a function changes constants of modules in place."""
        return not self.outside(function) and bool(self._ask("changes", function))

    def is_changed(self, constant: Definition) -> bool:
        """Whether a function changes a constant of a module in place."""
        return bool(self._ask("changed", constant))

    def members(self, members: Members, name: str) -> tuple[Definition, ...]:
        """Return what an attribute may be, among the classes that are in use."""
        return tuple(self._ask("members", members, name))

    def outside(self, definition: Definition) -> str | None:
        """Return why a definition never counts, if it does not."""
        return self.code.outside(definition)

    def is_exception(self, definition: Definition) -> bool:
        """Whether a class is one of exceptions."""
        return self.classes.is_exception(definition)

    def entry(self, constant: Definition, key: Any) -> Definition:
        """Return an entry of a dict that is a constant of a module, as a definition of its own."""
        return self.code.entry(constant, key)

    def constructor(self, definition: Definition) -> list[str] | None:
        """Return the fields that the constructor of a dataclass or named tuple takes, in order; None for others."""
        return self.classes.constructor(definition)


def only_stores(maker: Definition) -> bool:
    """Whether a constructor does no more than to keep its parameters under their names."""
    names = {argument.arg for argument in maker.function.args.args}
    for line in maker.function.body:
        if isinstance(line, ast.Expr) and ast.unparse(line.value).startswith("super().__init__("):
            continue
        if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
            continue
        if not (isinstance(line, ast.Assign) and keeps(line, names)):
            return False
    return True


def find_definition(code: Code, dotted: str) -> Definition:
    """Return the definition with a whole name; LookupError if there is none."""
    found = code.sources.resolve(dotted)
    if not isinstance(found, Definition):
        raise LookupError(f"{dotted}: no function and no class of {', '.join(code.sources.roots)}")
    return found

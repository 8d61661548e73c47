"""The digest of all definitions that a job enters, in an order that no name decides."""

import hashlib
from collections.abc import Iterable
from typing import Any

from consclust_studies.code.cleaning import plain, prepare
from consclust_studies.code.environment import Members
from consclust_studies.code.modules import Definition
from consclust_studies.code.reach import SPECIAL, TEXTS, Reach
from consclust_studies.code.write import Reading, Reference


class Digest:
    """The digest of what a job enters: definitions in the order in which they refer to each other, by number."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._hash = hashlib.sha256()
        self._numbers: dict[Any, int] = {}
        self._deep: dict[Definition, str] = {}
        self._members: set[tuple[Members, str]] = set()
        self.visited: dict[Definition, None] = {}
        self._waiting: list[Definition] = []
        readings = reach.readings.values()
        self._fields = (
            {name for each in reach.live for name in reach.list_all_fields(each)} if reach.names_of_fields else set()
        )
        self._names_of_attributes = any(reading.names_of_attributes for reading in readings)
        self._names_of_code = any(reading.names_of_code for reading in readings)
        self._known = {name for each in reach.live for name in reach.classes.names(each)}
        for entry in reach.entries:
            self._say(self._number(entry))
            self._visit(entry)
        self._visit_waiting()
        self._visit_special()
        self._visit_effects()
        self.text = self._hash.hexdigest()[:16]

    def _say(self, word: object) -> None:
        self._hash.update(f"{word}\0".encode())

    def _number(self, what: Any) -> str:
        return f"#{self._numbers.setdefault(what, len(self._numbers))}"

    def _visit(self, definition: Definition) -> None:
        if definition not in self.visited and definition in self._reach.readings:
            self.visited[definition] = None
            self._waiting.append(definition)

    def _visit_all(self, definitions: Iterable[Definition]) -> None:
        """Visit definitions in an order that does not depend on their names."""
        for definition in sorted(definitions, key=lambda each: (self._blank(each), repr(each))):
            self._visit(definition)
            if definition.owner:
                self._visit(definition.owner)

    def _blank(self, definition: Definition) -> str:
        """Return a digest of a definition and of what it refers to, without names."""
        if definition not in self._deep:
            reading = self._reach.readings.get(definition, Reading())
            near = (reference.definition for reference in reading.references if reference.kind == "definition")
            words = [self._reach.readings[each].blank for each in near if each in self._reach.readings]
            self._deep[definition] = hashlib.sha256("".join([reading.blank, *words]).encode()).hexdigest()
        return self._deep[definition]

    def _visit_waiting(self) -> None:
        while self._waiting:
            definition = self._waiting.pop(0)
            self._say(f"{definition.kind} {self._number(definition)}")
            if self._names_of_code:
                self._say(definition.name)
            for piece in self._reach.readings[definition].pieces:
                if isinstance(piece, str):
                    self._say(piece)
                else:
                    self._refer(piece)
            self._visit_all(self._reach.readings[definition].decided)
            if definition.kind == "class":
                self._visit_class(definition)

    def _visit_class(self, definition: Definition) -> None:
        """Visit what belongs to a class though nothing names it."""
        self._visit_all(self._special(definition))
        if self._reach.names_of_fields:
            for name in self._reach.list_fields(definition):
                self._refer(Reference("member", definition, name, "exact"))

    def _refer(self, reference: Reference) -> None:
        definition = reference.definition
        if reference.kind == "member":
            self._say(self._attribute(reference.name))
            self._visit_members(reference)
        elif reference.kind == "keyword":
            assert definition
            self._say(self._place(definition, reference.name))
        elif reference.kind == "all members":
            self._say("all members")
            for each in self._reach._receivers(reference.members):
                names = self._reach._public(each)
                self._visit_all(m for name in names for m in self._reach._counted(Members(each), name))
        elif definition:
            self._say(definition.name if reference.kind == "all of module" else self._number(definition))
            self._visit(definition)

    def _visit_members(self, reference: Reference) -> None:
        """Visit what an attribute may be; once, as there are no more of them later."""
        key = reference.members, reference.name
        if key not in self._members:
            self._members.add(key)
            self._visit_all(self._reach._counted(*key))

    def _attribute(self, name: str) -> str:
        """Return the number of an attribute of our classes; the name of any other."""
        if name.startswith("__") or name not in self._known or name in self._fields:
            return name
        if self._names_of_attributes and not name.startswith("_"):
            return name
        return self._number(name)

    def _place(self, function: Definition, name: str) -> str:
        """Return the place of a keyword among the parameters that a function reads."""
        reads = self._reach.readings[function].reads if function in self._reach.readings else set()
        read = [plain(parameter) for parameter in prepare(function).parameters if plain(parameter) in reads]
        return f"keyword {read.index(name)}" if name in read else name

    def _special(self, definition: Definition) -> list[Definition]:
        """Return the members of a class that Python or other packages call."""
        own = self._reach.classes.read(definition)
        wanted = SPECIAL | TEXTS
        named = [member for name, member in own.members.items() if name in wanted]
        return [member for member in (*named, *own.called_from_outside) if member in self._reach.readings]

    def _visit_special(self) -> None:
        """Visit what nothing names: special members of objects that come from elsewhere."""
        order = [each for own in self._reach.live for each in self._reach.classes.order(own)]
        self._visit_all(member for each in dict.fromkeys(order) for member in self._special(each))
        self._visit_waiting()

    def _visit_effects(self) -> None:
        """Visit what the modules do when they are imported, if they do anything."""
        readings = self._reach.readings
        effects = [module.effect for module in self._reach._imported if module.effects]
        self._visit_all(each for each in effects if each in readings and readings[each].pieces != ["{ }"])
        self._visit_waiting()

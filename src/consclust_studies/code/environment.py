"""What a definition is read with: whose members an attribute may be, and what is known of all other definitions."""

import ast
from typing import Any, NamedTuple, Protocol

from consclust_studies.code.constants import Values
from consclust_studies.code.modules import Definition, Sources


class Members(NamedTuple):
    """Whose members an attribute may be: those of a class and its subclasses, or of every class."""

    base: Definition | None
    """None: the class of the object is not known."""
    how: str = ""
    """"exact": of the class itself; "super": what follows it in the order of its subclasses."""


ANY = Members(None)


class Environment(Protocol):
    """What is known about everything else, so far; what was asked is kept with the answers."""

    sources: Sources

    def parameter(self, function: Definition, name: str) -> Values:
        """Return the values that calls give to a parameter."""

    def options(self, definition: Definition, annotation: ast.expr) -> Values:
        """Return the values that an annotation allows, if it is a Literal."""

    def attribute(self, members: Members, name: str) -> Values:
        """Return the values of an attribute."""

    def constant(self, definition: Definition) -> Values:
        """Return the values of a constant of a module."""

    def returned(self, function: Definition) -> Values:
        """Return the values of a function that does no more than to return one."""

    def is_read(self, function: Definition, name: str) -> bool:
        """Whether a function reads a parameter."""

    def uses_default(self, function: Definition, name: str) -> bool:
        """Whether some call leaves out a parameter."""

    def has_effect(self, function: Definition) -> bool:
        """Whether a call of a function does more than to return something."""

    def changes(self, function: Definition) -> bool:
        """Whether a function changes constants of modules in place."""

    def is_changed(self, constant: Definition) -> bool:
        """Whether a function changes a constant of a module in place."""

    def members(self, members: Members, name: str) -> tuple[Definition, ...]:
        """Return what an attribute may be, among the classes that are in use."""

    def outside(self, definition: Definition) -> str | None:
        """Return why a definition never counts, if it does not."""

    def constructor(self, definition: Definition) -> list[str] | None:
        """Return the fields that the constructor of a dataclass or named tuple takes, in order; None for others."""

    def is_exception(self, definition: Definition) -> bool:
        """Whether a class is one of exceptions."""

    def entry(self, constant: Definition, key: Any) -> Definition:
        """Return an entry of a dict that is a constant of a module, as a definition of its own."""

"""The code behind a job: where it begins, and which options of the methods it uses."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Code(NamedTuple):
    """The functions and classes that a job calls, by their full names, and the parameters of methods that it sets."""

    entries: tuple[str, ...]
    options: Mapping[str, Mapping[str, Sequence[Any]]] = {}
    """By the full name of a method's class: all values that a parameter has in the job."""


def merge_options(known: dict[str, tuple[Any, ...]], further: Mapping[str, Sequence[Any]]) -> None:
    """Add further values of parameters to those that are known."""
    for name, values in further.items():
        known[name] = (*known.get(name, ()), *values)

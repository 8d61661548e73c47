"""Sets of constants that an expression can be: enough to say which branch an option takes.

A set holds pairs of type and value, because 1, 1.0 and True are equal. ``UNKNOWN`` is any value; the empty set says
that no value has been seen yet.
"""

import ast
import operator
from collections.abc import Callable, Iterable
from itertools import product
from math import prod
from typing import Any

Values = frozenset[tuple[type, Any]] | None
UNKNOWN: Values = None
NOTHING: Values = frozenset()
YES = frozenset([True])
NO = frozenset([False])
OPEN = frozenset([True, False])
NEVER = frozenset[bool]()
"""Whether a test is passed: always, never, now and then; not known yet, as no value has been seen."""
MOST = 32
"""Values in a set; with more the value counts as unknown."""


class _Something:
    """What is given where it does not matter what: neither None nor empty."""

    def __repr__(self) -> str:
        return "SOMETHING"


SOMETHING = _Something()
"""Stands for a value that is no constant, such as a model, in the parameters of a job."""


def same(a: Any, b: Any) -> bool:
    """Whether one constant is the other, as ``is`` says of constants."""
    return a is b or (type(a) is type(b) and a == b)


COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: same, ast.IsNot: lambda a, b: not same(a, b),
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,  # codespell:ignore
}  # fmt: skip
IDENTITY = (COMPARED[ast.Is], COMPARED[ast.IsNot], bool)
COMPUTED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
CONVERTED: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float, "str": str, "len": len}


def values_of(given: Iterable[Any]) -> Values:
    """Return a set of constants; unknown if one of them is no constant."""
    found = set()
    for value in given:
        plain = frozen(value)
        try:
            found.add((type(plain), plain))
        except TypeError:
            return UNKNOWN
    return frozenset(found) if len(found) <= MOST else UNKNOWN


def frozen(value: Any) -> Any:
    """Return a list as a tuple, a set as a frozen one."""
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    return frozenset(value) if isinstance(value, set) else value


def joined(one: Values, other: Values) -> Values:
    """Return what is in either set."""
    if one is None or other is None or len(one | other) > MOST:
        return UNKNOWN
    return one | other


def truths(values: Values) -> frozenset[bool]:
    """Return whether values are true, false, or some this and some that; NEVER if there is no value yet."""
    return OPEN if values is None else frozenset(bool(value) for _, value in values)


def computed(function: Callable[..., Any], *operands: Values) -> Values:
    """Return the values of a function of some values; unknown if it fails for any."""
    if NOTHING in operands:
        return NOTHING
    known = [values for values in operands if values is not None]
    if len(known) < len(operands) or prod(map(len, known)) > MOST**2:
        return UNKNOWN
    if function not in IDENTITY and any((_Something, SOMETHING) in values for values in known):
        return UNKNOWN
    try:
        return values_of(function(*(value for _, value in chosen)) for chosen in product(*known))
    except Exception:  # a comparison of numbers with None, say: the code would fail, too
        return UNKNOWN

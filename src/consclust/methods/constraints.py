"""What a parameter of a method may be, in the way of scikit-learn's, whose import costs a CPU second."""

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import numpy as np


@dataclass(frozen=True)
class Interval:
    """Finite numbers of a kind between two ends; a bool is no number."""

    kind: type[int] | type[float]
    left: float
    right: float = math.inf
    closed: Literal["left", "right", "both", "neither"] = "left"

    def allows(self, value: Any) -> bool:
        """Whether the value is in the interval."""
        kinds = (int, np.integer) if self.kind is int else (int, float, np.integer, np.floating)
        if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value):
            return False
        above = value >= self.left if self.closed in ("left", "both") else value > self.left
        below = value <= self.right if self.closed in ("right", "both") else value < self.right
        return bool(above and below)

    def __str__(self) -> str:
        name = "an integer" if self.kind is int else "a number"
        if self.right == math.inf:
            return f"{name} {'>=' if self.closed in ('left', 'both') else '>'} {self.left:g}"
        opening = "[" if self.closed in ("left", "both") else "("
        closing = "]" if self.closed in ("right", "both") else ")"
        return f"{name} in {opening}{self.left:g}, {self.right:g}{closing}"


class Options:
    """One of some values, such as strings."""

    def __init__(self, *choices: Any) -> None:
        self.choices = choices

    def allows(self, value: Any) -> bool:
        """Whether the value is one of the choices, and of its type: 1 is not True."""
        return any(isinstance(value, type(choice)) and value == choice for choice in self.choices)

    def __str__(self) -> str:
        *most, last = map(repr, self.choices)
        return f"{', '.join(most)} or {last}" if most else last


Constraint = Interval | Options

COUNT = Interval(int, 1)
LEAST, MOST = 1e-12, 1e12  # Farther from 1 a method's sums lose all other terms, or overflow
NON_NEGATIVE = Interval(float, 0, MOST, "both")
POSITIVE = Interval(float, LEAST, MOST, "both")
FLAG = Options(True, False)


def read_annotation(annotation: Any) -> Options | None:
    """Return the options of a parameter that is a bool or a Literal; None for any other."""
    if annotation is bool:
        return FLAG
    return Options(*get_args(annotation)) if get_origin(annotation) is Literal else None

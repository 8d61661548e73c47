"""Preprocessing, each step a named function X -> X of features of shape (n, d). Inputs are never changed.

Dense features are ``ndarray``, sparse ones ``scipy.sparse.csr_array``; the kind is kept. A new step is a function in a
file of this folder and a line of ``steps.py``; it runs no job again that does not use it.
"""

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from consclust.datasets.preprocessing.steps import MODULES
from consclust.errors import InputError
from consclust.validation import did_you_mean

if TYPE_CHECKING:
    from consclust.readers.common import Features


def module_of(step: str) -> str:
    """Return the module of a step; InputError if there is no such step."""
    if step not in MODULES:
        raise InputError(f"{step!r}: no such preprocessing step; {did_you_mean(step, list(MODULES))}")
    return f"{__name__}.{MODULES[step]}"


def function(step: str) -> "Callable[[Features], Features]":
    """Return a step; InputError if there is no such step."""
    found: Callable[[Features], Features] = getattr(importlib.import_module(module_of(step)), step)
    return found


def apply(steps: tuple[str, ...], X: "Features") -> "Features":
    """Apply the named steps in order; InputError if there is no such step, or one refuses the features."""
    for step in steps:
        X = function(step)(X)
    return X

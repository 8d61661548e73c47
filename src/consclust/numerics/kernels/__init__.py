"""Compiled loops, with numba: one file for each family, imported where they are used and nowhere else.

A kernel is compiled at its first call and kept in ``__pycache__`` beside its file. Where that folder cannot be written
to, numba keeps it in the user's cache folder, or in the one that ``NUMBA_CACHE_DIR`` names; where there is none either,
each process compiles anew. No kernel uses threads or reorders sums: its results depend on its arguments alone. Without
numba, which comes with ``consclust[fast]``, the loops run as plain Python.
"""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

njit: Any = None
try:
    from numba import njit
except ImportError as error:  # also where it is installed, but made for an older NumPy
    slow = "the loops run as plain Python, which is much slower"
    is_absent = isinstance(error, ModuleNotFoundError)
    remedy = 'pip install "consclust[fast]"' if is_absent else "install a numba that fits the other packages"
    warnings.warn(f"{error}; {slow}; {remedy}", stacklevel=2)

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function at its first call, and keep the compiled code where there is a folder for it."""
    if njit is None:
        return function
    try:
        kernel: Function = njit(cache=True)(function)
    except RuntimeError:  # there is no folder that can be written to
        kernel = njit(function)
    return kernel


@compiled
def summed(values: npt.NDArray[np.float64]) -> float:
    """Return the sum of numbers one after the other; NumPy adds them in another order than numba."""
    total = 0.0
    for value in values:
        total += value
    return total

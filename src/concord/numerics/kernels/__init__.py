"""Compiled loops, with numba: one file for each family, imported where they are used and nowhere else.

A kernel is compiled at its first call and kept in ``__pycache__`` beside its file. Where that folder cannot be written
to, numba keeps it in the user's cache folder, or in the one that ``NUMBA_CACHE_DIR`` names; where there is none either,
each process compiles anew. No kernel uses threads or reorders sums: its results depend on its arguments alone.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function at its first call, and keep the compiled code where there is a folder for it."""
    compiler: Any = njit
    try:
        kernel: Function = compiler(cache=True)(function)
    except RuntimeError:  # there is no folder that can be written to
        kernel = compiler(function)
    return kernel

"""The code behind a job, found in the sources without running them.

===============  =====================================================================================================
``modules``      modules, their definitions, and what a name stands for
``classes``      bases, members and fields of classes
``outside``      the list of what never counts, by name
``cleaning``     a definition without messages and annotations, its local names unique
``constants``    sets of constants that an expression can be
``prune``        which branches and statements of a definition remain, given these values
``write``        what remains as a text without names
``reach``        all definitions that a job enters, by repetition until nothing changes
``fingerprint``  the digest of all of them
``job_code``     the digests of the jobs of this project, remembered from run to run
``loaded``       the sources that a process has loaded
===============  =====================================================================================================
"""

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

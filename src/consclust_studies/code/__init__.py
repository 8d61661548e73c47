"""The code behind a job, found in the sources without running them.

===============  =====================================================================================================
``modules``      modules, their definitions, and what a name stands for
``classes``      bases, members and fields of classes
``outside``      the list of what never counts, by name
``cleaning``     a definition without messages and annotations, its local names unique
``constants``    sets of constants that an expression can be
``syntax``       statements as items, names that are bound, the cases of a match
``environment``  what a definition is read with: what is known of all others
``prune``        which branches and statements of a definition remain, given these values
``write``        what remains as a text without names
``reach``        all definitions that a job enters, by repetition until nothing changes
``digests``      the digest of all of them
``fingerprint``  the digests of jobs in some sources
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
    parts: tuple["Code", ...] = ()
    """The code of jobs that this job does in one process; each has a fingerprint of its own."""


def full_name(named: Any) -> str:
    """Return the full name of a class, or of a function where it is defined."""
    return f"{named.__module__}.{named.__qualname__}"


def as_known(value: Any) -> Any:
    """Return a value of a spec as far as it decides which code runs: a constant, or that there is something."""
    from consclust_studies.code.constants import SOMETHING

    return value if value is None or isinstance(value, bool | int | float | str) else SOMETHING


def merge_options(known: dict[str, tuple[Any, ...]], further: Mapping[str, Sequence[Any]]) -> None:
    """Add further values of parameters to those that are known."""
    for name, values in further.items():
        known[name] = (*known.get(name, ()), *values)

"""Environment variables that the project reads, and those of its former name, which are refused."""

import os
from collections.abc import Mapping

from consclust.errors import InputError

PREFIX = "CONSCLUST_"
FORMER_PREFIX = "CONCORD_"
"""Of the variables until the project was renamed; other programs may have variables that begin so."""
READ = ("DATA_MIRROR", "CACHE", "COMMIT", "OWN_FILES")
"""What follows the prefix of the variables that are read."""


def refuse_former_names(environment: Mapping[str, str] = os.environ) -> None:
    """Raise :class:`InputError`, a line each, for variables under the former name: they would be passed over.

    >>> from consclust.environment import refuse_former_names
    >>> refuse_former_names({"CONCORD_DATA_MIRROR": "/data"})
    Traceback (most recent call last):
    consclust.errors.InputError: CONCORD_DATA_MIRROR: consclust reads CONSCLUST_DATA_MIRROR; rename the variable
    """
    former = [(f"{FORMER_PREFIX}{word}", f"{PREFIX}{word}") for word in READ]
    lines = [f"{old}: consclust reads {new}; rename the variable" for old, new in former if old in environment]
    if lines:
        raise InputError("\n".join(lines))

"""What a light installation leaves out comes with an extra: ``pip install "consclust[plot]"``."""

from collections.abc import Iterator
from contextlib import contextmanager

from consclust.errors import InputError


class ExtraNeeded(InputError, ModuleNotFoundError):
    """A package is not installed; the message names it and the extra that brings it."""


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Raise :class:`ExtraNeeded` for a package that an import in the block, or in the decorated function, lacks.

    >>> from consclust.extras import needs
    >>> with needs("plot"):
    ...     import pandas
    """
    try:
        yield
    except ExtraNeeded:
        raise
    except ModuleNotFoundError as error:
        raise ExtraNeeded(f'{error}; pip install "consclust[{extra}]"', name=error.name) from None

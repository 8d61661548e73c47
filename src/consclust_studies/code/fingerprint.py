"""Digest of the code behind a job, which stands in its spec, so that editing that code runs the job again.

It is made of the functions that the job enters with its parameters, wherever they stand and whatever they are called.
Messages, names, comments, layout, annotations and what :mod:`consclust_studies.code.outside` lists do not count;
neither does a branch that the parameters of the job do not take. :mod:`consclust_studies.code` says how they are
found.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from consclust_studies.code.constants import SOMETHING, Values, values_of
from consclust_studies.code.digests import Digest
from consclust_studies.code.modules import Definition, ReadSource, Sources, standard_roots
from consclust_studies.code.reach import Code, Reach, find_definition

Parameters = Mapping[str, Mapping[str, Iterable[Any]]]
"""By the whole name of a class, the values that a job gives to each of its parameters; the others have their default.

Of a class that is not named nothing is known. ``SOMETHING`` stands for a value that is no constant, and not empty.
"""
__all__ = ["SOMETHING", "Fingerprints", "Parameters"]


class Fingerprints:
    """The fingerprints of jobs in some sources.

    Parameters
    ----------
    roots : the folders of the packages whose code counts, by name; those of the library and the engine by default.
    read : gives the text of a module, by its name and its file; by default that of the file.
    """

    def __init__(self, roots: Mapping[str, Path] | None = None, read: ReadSource | None = None) -> None:
        self._code = Code(Sources(standard_roots() if roots is None else dict(roots), read))
        self._known: dict[Any, Digest] = {}

    def compute(self, *entries: str, parameters: Parameters | None = None) -> str:
        """Return the digest of what the entry points enter.

        Parameters
        ----------
        entries : functions and classes by their whole names: what the job calls, and what it finds by name.
        parameters : the values that the job gives to the parameters of classes.
        """
        return self._digest(entries, parameters or {}).text

    def functions(self, *entries: str, parameters: Parameters | None = None) -> set[tuple[str, str]]:
        """Return module and qualified name of the definitions that a digest is made of."""
        found = self._digest(entries, parameters or {}).visited
        return {(definition.module.name, definition.name) for definition in found}

    def _digest(self, entries: tuple[str, ...], parameters: Parameters) -> Digest:
        given = {name: {key: values_of(values) for key, values in own.items()} for name, own in parameters.items()}
        key = entries, frozenset((name, frozenset(own.items())) for name, own in given.items())
        if key not in self._known:
            named: dict[Definition, Mapping[str, Values]] = {
                find_definition(self._code, name): own for name, own in given.items()
            }
            found = [find_definition(self._code, entry) for entry in entries]
            self._known[key] = Digest(Reach(self._code, found, named))
        return self._known[key]

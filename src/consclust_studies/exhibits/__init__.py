"""What a report can show: a new kind is a class with a literal ``kind`` in a file of this folder."""

from collections.abc import Iterable
from typing import Literal, get_args, get_origin

from consclust.discovery import modules_of
from consclust.errors import InputError
from consclust_studies.exhibits.base import Exhibit

NO_KINDS = ("base", "exhibits_job", "stored", "study")
"""Files of this folder that hold no kind."""


def kinds_in(folders: Iterable[str]) -> dict[str, type[Exhibit]]:
    """Return the class of each kind; InputError, with the remedy, for a file that holds no valid kind."""
    found: dict[str, type[Exhibit]] = {}
    for module in modules_of(__name__, folders, but=NO_KINDS):
        for name, cls in vars(module).items():
            own = isinstance(cls, type) and cls.__module__ == module.__name__ and not name.startswith("_")
            if own and issubclass(cls, Exhibit):
                if problem := _problem(cls, found):
                    raise InputError(f"{module.__file__}: {name} {problem}")
                found.update((word, cls) for word in _words(cls))
    return found


def _words(cls: type[Exhibit]) -> tuple[str, ...]:
    key = cls.model_fields.get("kind")
    return get_args(key.annotation) if key and get_origin(key.annotation) is Literal else ()


def _problem(cls: type[Exhibit], others: dict[str, type[Exhibit]]) -> str:
    """Return what is wrong with a class, and the remedy; empty if it is a kind of exhibit."""
    if not (words := _words(cls)):
        return 'needs a literal kind; write kind: Literal["..."]'
    for word in (word for word in words if word in others):
        return f"has the kind {word!r} of {others[word].__module__}; choose another"
    for lacking in sorted(cls.__abstractmethods__):
        return f"needs a method {lacking}; write it"
    required = [name for name, key in cls.model_fields.items() if key.is_required() and name != "kind"]
    if required and cls.place is not None:
        return f"has a place among the standard exhibits, but no default of {required[0]}; write one"
    return ""


KINDS = tuple(dict.fromkeys(kinds_in(__path__).values()))
"""The classes of all kinds, by the names of their files."""


def standard() -> list[Exhibit]:
    """Return the exhibits that every report has, in their order, with their standard ids and titles."""
    classes = sorted((cls for cls in KINDS if cls.place is not None), key=lambda cls: (cls.place, cls.__name__))
    parts = ["paper" if (cls.place or 0) < 0 else "appendix" for cls in classes]
    chosen = zip(classes, parts, strict=True)
    return [cls.model_validate({"kind": _words(cls)[0], "part": part}) for cls, part in chosen]

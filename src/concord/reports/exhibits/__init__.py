"""What a report can show: a new kind is a class with a literal ``kind`` in a file of this folder."""

import importlib
import pkgutil
from typing import get_args

from concord.reports.exhibits.base import Exhibit


def _kinds() -> tuple[type[Exhibit], ...]:
    modules = sorted(found.name for found in pkgutil.iter_modules(__path__) if found.name != "base")
    members = [vars(importlib.import_module(f"{__name__}.{name}")).values() for name in modules]
    classes = [cls for found in members for cls in found if isinstance(cls, type) and issubclass(cls, Exhibit)]
    return tuple(dict.fromkeys(cls for cls in classes if "kind" in cls.__annotations__ and cls is not Exhibit))


KINDS = _kinds()
"""The classes of all kinds, by the names of their files."""


def standard() -> list[Exhibit]:
    """Return the exhibits that every report has, in their order, with their standard ids and titles."""
    classes = sorted((cls for cls in KINDS if cls.place is not None), key=lambda cls: (cls.place, cls.__name__))
    kinds = [get_args(cls.model_fields["kind"].annotation)[0] for cls in classes]
    parts = ["paper" if (cls.place or 0) < 0 else "appendix" for cls in classes]
    chosen = zip(classes, kinds, parts, strict=True)
    return [cls.model_validate({"kind": kind, "part": part}) for cls, kind, part in chosen]

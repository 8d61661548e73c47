"""Names in a configuration that refer to something else in it: what they may be, and one walker that checks them.

A field says by its type what it names, for example ``cases: tuple[CaseId, ...]``. The walker visits every field of a
model, checks the names, and calls ``faults`` of every model that has further rules.
"""

import types
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from concord.validation import did_you_mean


@dataclass(frozen=True)
class Ref:
    """Marks a string as the name of something: a data set, a case, a method."""

    to: str


DatasetId = Annotated[str, Ref("dataset")]
"""A data set of the registry."""
CaseId = Annotated[str, Ref("case")]
"""A case of the study."""
MethodId = Annotated[str, Ref("method")]
"""A method of the study."""
AnyMethodId = Annotated[str, Ref("method or variant")]
"""A method of the study, or a variant of one."""
RowId = Annotated[str, Ref("row")]
"""A method of the study, or its base clusterings."""
AnyRowId = Annotated[str, Ref("row or unseen row")]
"""A row of the main table, or of the table on unseen objects."""
MetricId = Annotated[str, Ref("metric")]
"""A metric that the study computes."""

Known = Mapping[str, Collection[str]]
"""What there is, by the word of :class:`Ref`."""


def mistakes(model: BaseModel, known: Known, context: Any, key: str = "") -> Iterator[str]:
    """Yield what is wrong with the names in a model, as "key = value: message".

    Parameters
    ----------
    model : a model of the configuration.
    known : names by the word of :class:`Ref`.
    context : handed to ``faults(context)`` of every model inside that has such a method; it yields pairs of a key
        and a message.
    key : where the model stands, for the messages.
    """
    for name, info in type(model).model_fields.items():
        annotation: Any = info.annotation
        for ref in info.metadata:
            annotation = Annotated[annotation, ref]
        yield from _visit(annotation, getattr(model, name), f"{key}.{name}".lstrip("."), known, context)
    if hasattr(model, "faults"):
        yield from (f"{key}.{where}".strip(".") + message for where, message in model.faults(context))


def _visit(annotation: Any, value: Any, key: str, known: Known, context: Any) -> Iterator[str]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(value, BaseModel):
        yield from mistakes(value, known, context, key)
    elif origin in (Union, types.UnionType):
        found = [list(_visit(kind, value, key, known, context)) for kind in _kinds(arguments, value)]
        yield from min(found, key=len, default=[])
    elif origin is Annotated:
        for ref in (extra for extra in arguments[1:] if isinstance(extra, Ref) and isinstance(value, str)):
            if value not in known[ref.to]:
                yield f"{key} = {value!r}: not known here; {did_you_mean(value, list(known[ref.to]))}"
        yield from _visit(arguments[0], value, key, known, context)
    elif isinstance(value, tuple) and arguments:
        if twice := [item for i, item in enumerate(value) if _is_word(arguments[0]) and item in value[:i]]:
            yield f"{key} = {list(value)}: {twice[0]} stands there twice; remove one"
        for i, item in enumerate(value):
            yield from _visit(arguments[0], item, f"{key}[{i}]", known, context)
    elif isinstance(value, dict) and arguments:
        for word, item in value.items():
            yield from _visit(arguments[0], word, key, known, context)
            yield from _visit(arguments[1], item, f"{key}.{word}", known, context)


def _kinds(alternatives: Sequence[Any], value: Any) -> list[Any]:
    """Return the alternatives of a union that a value may be: of a text, the names and the words it is among."""
    if isinstance(value, str):
        return [k for k in alternatives if get_origin(k) is Annotated or value in get_args(k)]
    return [kind for kind in alternatives if get_origin(kind) is type(value)]


def _is_word(annotation: Any) -> bool:
    """Whether an item of a list names something, or is one of some words."""
    refs = [extra for extra in get_args(annotation)[1:] if isinstance(extra, Ref)]
    return bool(refs) or get_origin(annotation) is Literal


def without(model: BaseModel, known: Known) -> BaseModel | None:
    """Return a model without the names that are not there; None if nothing of it is left.

    A list of names loses those that are not there. The model itself goes if it needs a name that is not there, or if
    a list that was not empty is.
    """
    update: dict[str, Any] = {}
    for name, info in type(model).model_fields.items():
        value = getattr(model, name)
        annotation: Any = info.annotation
        for ref in info.metadata:
            annotation = Annotated[annotation, ref]
        kept = _without(annotation, value, known)
        if (kept is None and value is not None) or (isinstance(value, tuple) and value and not kept):
            return None
        if kept != value:
            update[name] = kept
    return model.model_copy(update=update) if update else model


def _without(annotation: Any, value: Any, known: Known) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(value, BaseModel):
        return without(value, known)
    if origin in (Union, types.UnionType):
        found = [_without(kind, value, known) for kind in _kinds(arguments, value)]
        return next((kept for kept in found if kept is not None), None) if found else value
    if origin is Annotated:
        refs = [extra for extra in arguments[1:] if isinstance(extra, Ref) and isinstance(value, str)]
        return None if any(value not in known[ref.to] for ref in refs) else _without(arguments[0], value, known)
    if isinstance(value, tuple) and arguments:
        return tuple(item for item in (_without(arguments[0], item, known) for item in value) if item is not None)
    return value

"""Names in a configuration that refer to something else in it: what they may be, and one walker that checks them.

A field says by its type what it names, for example ``cases: tuple[CaseId, ...]``. The walker visits every field of a
model, checks the names, and calls a function with the further rules for every model inside.
"""

import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel

from consclust.validation import did_you_mean, short


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


Mistakes = Iterator[tuple[str, str]]
"""Pairs of a key inside what is mistaken and " = value: message"."""
Rules = Callable[[BaseModel], Iterable[tuple[str, str]]]
"""What is wrong with a model beyond its names, as :data:`Mistakes`."""


def mistakes(model: BaseModel, known: Known, rules: Rules, key: str = "") -> Iterator[str]:
    """Yield what is wrong with a model and those inside, as "key = value: message"; ``key`` is where it stands."""
    for name, annotation, value in _fields(model):
        yield from _visit(annotation, value, f"{key}.{name}".lstrip("."), known, rules)
    yield from (f"{key}.{where}".strip(".") + message for where, message in rules(model))


def unknown(key: str, words: Iterable[str], choices: Collection[str]) -> Mistakes:
    """Yield a mistake for each word that is no choice."""
    for word in words:
        if word not in choices:
            yield key, f" = {short(word)}: not known here; {did_you_mean(word, list(choices))}"


def _fields(model: BaseModel) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, annotation and value of each field; what it names is part of the annotation."""
    for name, info in type(model).model_fields.items():
        annotation: Any = info.annotation
        for ref in (extra for extra in info.metadata if isinstance(extra, Ref)):
            annotation = Annotated[annotation, ref]
        yield name, annotation, getattr(model, name)


def _visit(annotation: Any, value: Any, key: str, known: Known, rules: Rules) -> Iterator[str]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(value, BaseModel):
        yield from mistakes(value, known, rules, key)
    elif origin in (Union, types.UnionType):
        found = [list(_visit(kind, value, key, known, rules)) for kind in _kinds(arguments, value)]
        yield from min(found, key=len, default=[])
    elif origin is Annotated:
        for ref in (extra for extra in arguments[1:] if isinstance(extra, Ref) and isinstance(value, str)):
            if value not in known[ref.to]:
                yield f"{key} = {short(value)}: not known here; {did_you_mean(value, list(known[ref.to]))}"
        yield from _visit(arguments[0], value, key, known, rules)
    elif isinstance(value, tuple) and arguments:
        if twice := [item for i, item in enumerate(value) if _is_word(arguments[0]) and item in value[:i]]:
            yield f"{key} = {list(value)}: {twice[0]} stands there twice; remove one"
        for i, item in enumerate(value):
            yield from _visit(arguments[0], item, f"{key}[{i}]", known, rules)
    elif isinstance(value, dict) and arguments:
        for word, item in value.items():
            yield from _visit(arguments[0], word, key, known, rules)
            yield from _visit(arguments[1], item, f"{key}.{word}", known, rules)


def _kinds(alternatives: Sequence[Any], value: Any) -> list[Any]:
    """Return the alternatives of a union that a value may be: of a text, the names and the words it is among."""
    if isinstance(value, str):
        return [k for k in alternatives if get_origin(k) is Annotated or value in get_args(k)]
    return [kind for kind in alternatives if get_origin(kind) is type(value)]


def _is_word(annotation: Any) -> bool:
    """Whether an item of a list names something, or is one of some words."""
    refs = [extra for extra in get_args(annotation)[1:] if isinstance(extra, Ref)]
    return bool(refs) or get_origin(annotation) is Literal


M = TypeVar("M", bound=BaseModel)


def without(model: M, known: Known) -> M | None:
    """Return a model without the names that are not there; None if nothing of it is left.

    A list of names loses those that are not there. The model itself goes if it needs a name that is not there, or if
    a list that was not empty is.
    """
    update: dict[str, Any] = {}
    for name, annotation, value in _fields(model):
        kept = _kept(annotation, value, known)
        if (kept is None and value is not None) or (isinstance(value, tuple) and value and not kept):
            return None
        if kept != value:
            update[name] = kept
    return model.model_copy(update=update) if update else model


def _kept(annotation: Any, value: Any, known: Known) -> Any:
    """Return what is left of a value; None if nothing is."""
    if isinstance(value, BaseModel):
        return without(value, known)
    lists = [kind for kind in (annotation, *get_args(annotation)) if get_origin(kind) is tuple]
    if isinstance(value, tuple) and lists:
        items = (_kept(get_args(lists[0])[0], item, known) for item in value)
        return tuple(item for item in items if item is not None)
    return None if any(_visit(annotation, value, "", known, lambda model: ())) else value

"""Names in a configuration that refer to something else in it: what they may be, and one walker that checks them.

A field says by its type what it names, for example ``cases: tuple[CaseId, ...]``. The walker visits every field of a
model, checks the names, and calls a function with the further rules for every model inside.
"""

import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

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


def find_mistakes(model: BaseModel, known: Known, rules: Rules, key: str = "") -> Iterator[str]:
    """Yield what is wrong with a model and those inside, as "key = value: message"; ``key`` is where it stands."""
    yield from _Walker(known, rules).visit_model(model, key)


def find_unknown(key: str, words: Iterable[str], choices: Collection[str]) -> Mistakes:
    """Yield a mistake for each word that is no choice."""
    for word in words:
        if word not in choices:
            yield key, _describe_unknown(word, choices)


def _describe_unknown(word: str, choices: Collection[str]) -> str:
    return f" = {short(word)}: not known here; {did_you_mean(word, list(choices))}"


class _Field(NamedTuple):
    """A field of a model; what it names is part of the annotation."""

    name: str
    annotation: Any
    value: Any


def _list_fields(model: BaseModel) -> Iterator[_Field]:
    for name, info in type(model).model_fields.items():
        annotation: Any = info.annotation
        # pydantic takes the outermost Annotated apart, so its marks are put back
        for ref in _pick_refs(info.metadata):
            annotation = Annotated[annotation, ref]
        yield _Field(name, annotation, getattr(model, name))


def _pick_refs(extras: Iterable[Any]) -> list[Ref]:
    return [extra for extra in extras if isinstance(extra, Ref)]


@dataclass(frozen=True)
class _Walker:
    """Goes through a model with its annotations, and yields mistakes."""

    known: Known
    rules: Rules

    def visit_model(self, model: BaseModel, key: str) -> Iterator[str]:
        """Yield what is wrong with the fields of a model, and then with the whole of it."""
        for field in _list_fields(model):
            yield from self.visit(field.annotation, field.value, f"{key}.{field.name}".lstrip("."))
        for where, message in self.rules(model):
            yield f"{key}.{where}".strip(".") + message

    def visit(self, annotation: Any, value: Any, key: str) -> Iterator[str]:
        """Yield what is wrong with a value, by its annotation."""
        origin = get_origin(annotation)
        arguments = get_args(annotation)
        if isinstance(value, BaseModel):
            yield from self.visit_model(value, key)
        elif origin in (Union, types.UnionType):
            yield from self._visit_union(arguments, value, key)
        elif origin is Annotated:
            yield from self._check_name(arguments[1:], value, key)
            yield from self.visit(arguments[0], value, key)
        elif isinstance(value, tuple) and arguments:
            yield from self._visit_list(arguments[0], value, key)
        elif isinstance(value, dict) and arguments:
            for word, item in value.items():
                yield from self.visit(arguments[0], word, key)
                yield from self.visit(arguments[1], item, f"{key}.{word}")

    def _visit_union(self, alternatives: Sequence[Any], value: Any, key: str) -> Iterator[str]:
        """Yield the mistakes of the alternative that has the fewest: it is the one that was meant."""
        found = [list(self.visit(kind, value, key)) for kind in _pick_alternatives(alternatives, value)]
        yield from min(found, key=len, default=[])

    def _check_name(self, extras: Iterable[Any], value: Any, key: str) -> Iterator[str]:
        """Yield a name of something that is not there."""
        for ref in _pick_refs(extras):
            choices = self.known[ref.to]
            # a value that is no text is None, or an item of a list, which is visited by itself
            if isinstance(value, str) and value not in choices:
                yield key + _describe_unknown(value, choices)

    def _visit_list(self, annotation: Any, items: tuple[Any, ...], key: str) -> Iterator[str]:
        if _is_word(annotation):
            twice = [item for i, item in enumerate(items) if item in items[:i]]
            if twice:
                yield f"{key} = {list(items)}: {twice[0]} stands there twice; remove one"
        for i, item in enumerate(items):
            yield from self.visit(annotation, item, f"{key}[{i}]")


def _pick_alternatives(alternatives: Sequence[Any], value: Any) -> list[Any]:
    """Return the alternatives of a union that a value may be: of a text, the names and the words it is among."""
    if isinstance(value, str):
        return [kind for kind in alternatives if get_origin(kind) is Annotated or value in get_args(kind)]
    return [kind for kind in alternatives if get_origin(kind) is type(value)]


def _is_word(annotation: Any) -> bool:
    """Whether an item of a list names something, or is one of some words."""
    return bool(_pick_refs(get_args(annotation)[1:])) or get_origin(annotation) is Literal


def list_names(model: BaseModel) -> Iterator[tuple[str, str]]:
    """Yield every name in a model and those inside, each after the word of :class:`Ref` that it is marked with."""
    for field in _list_fields(model):
        yield from _find_names(field.annotation, field.value)


def _find_names(annotation: Any, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the names in a value, by its annotation."""
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if isinstance(value, BaseModel):
        yield from list_names(value)
    elif origin in (Union, types.UnionType):
        alternatives = _pick_alternatives(arguments, value)
        yield from dict.fromkeys(name for kind in alternatives for name in _find_names(kind, value))
    elif origin is Annotated:
        yield from ((ref.to, value) for ref in _pick_refs(arguments[1:]) if isinstance(value, str))
        yield from _find_names(arguments[0], value)
    elif isinstance(value, tuple) and arguments:
        for item in value:
            yield from _find_names(arguments[0], item)
    elif isinstance(value, dict) and arguments:
        for word, item in value.items():
            yield from _find_names(arguments[0], word)
            yield from _find_names(arguments[1], item)


M = TypeVar("M", bound=BaseModel)


def drop_unknown(model: M, known: Known) -> M | None:
    """Return a model without the names that are not there; None if nothing of it is left.

    A list of names loses those that are not there. The model itself goes if it needs a name that is not there, or if
    a list that was not empty is.
    """
    update: dict[str, Any] = {}
    for name, annotation, value in _list_fields(model):
        kept = _keep_known(annotation, value, known)
        is_gone = kept is None and value is not None
        is_emptied = isinstance(value, tuple) and value and not kept
        if is_gone or is_emptied:
            return None
        if kept != value:
            update[name] = kept
    return model.model_copy(update=update) if update else model


def _keep_known(annotation: Any, value: Any, known: Known) -> Any:
    """Return what is left of a value; None if nothing is."""
    if isinstance(value, BaseModel):
        return drop_unknown(value, known)
    # a list, or an optional one: list or None
    lists = [kind for kind in (annotation, *get_args(annotation)) if get_origin(kind) is tuple]
    if isinstance(value, tuple) and lists:
        items = [_keep_known(get_args(lists[0])[0], item, known) for item in value]
        return tuple(item for item in items if item is not None)
    # the rules of the whole study do not matter for what is left of it
    names_only = _Walker(known, rules=lambda model: ())
    return None if any(names_only.visit(annotation, value, "")) else value

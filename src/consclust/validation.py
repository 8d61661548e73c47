"""Typed configuration: a YAML file becomes a frozen model, or one line per mistake."""

import difflib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from consclust.errors import InputError


class Strict(BaseModel):
    """A frozen model that refuses unknown keys, and describes all of them in its JSON schema.

    A key without a description has that of a base class; one with a single word, which chooses the model among others,
    is described by the first line of the model's docstring.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the schema, with the descriptions of keys that the model has from elsewhere."""
        found = handler.resolve_ref_schema(handler(schema))
        for name, key in found.get("properties", {}).items():
            inherited = [base.model_fields[name].description for base in _models(cls) if name in base.model_fields]
            own = [_first_line(cls)] if "const" in key else []
            if text := next(filter(None, [key.get("description"), *own, *inherited]), None):
                key["description"] = text
        return found


def _models(cls: type[BaseModel]) -> Iterator[type[BaseModel]]:
    return (base for base in cls.__mro__ if issubclass(base, BaseModel))


def _first_line(cls: type) -> str:
    return (cls.__doc__ or "").strip().partition("\n")[0]


Model = TypeVar("Model", bound=BaseModel)


class _Loader(yaml.CSafeLoader):
    """YAML whose mappings have no key twice: the first of two values would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node."""
        keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for i, key in enumerate(keys):
            if key.value in {other.value for other in keys[:i]}:
                problem = f"the key {short(key.value)} stands there twice; remove one"
                raise yaml.constructor.ConstructorError(problem=problem, problem_mark=key.start_mark)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> Any:
    """Read a YAML file; :class:`InputError` names the file and the line of a mistake."""
    try:
        text = path.read_text(encoding="utf-8")
        _refuse_deep(text, path)
        return yaml.load(text, _Loader)  # nosec B506
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; correct its type and permissions") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" line {where.line + 1}," if where else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise InputError(f"{path}:{line} not valid YAML: {problem}") from None
    except ValueError as error:  # a date or a number that cannot be
        raise InputError(f"{path}: not valid YAML: {short(str(error))}; correct or quote the value") from None


def _refuse_deep(text: str, path: Path) -> None:
    """Refuse more levels than any file here can have; the loader, which is compiled, would overflow its stack."""
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise InputError(f"{path}: not valid YAML here: more than {DEEPEST} levels; shorten it")


MOST_VALUES = 10**6
DEEPEST = 50
"""Levels of a file."""
LONGEST_KEY = 100
LONGEST_TEXT = 10**4
"""Characters."""


def parse(model: type[Model], value: Any, file: Path | str, longest: int = LONGEST_TEXT) -> Model:
    """Turn ``value`` into ``model``; :class:`InputError` has a line for each mistake.

    ``longest`` is the number of characters that a text has at most.
    """
    _check_plain(value, file, longest)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        places: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
        for item in error.errors():
            if not _follows(item, error.errors()):
                places.setdefault(_place(value, item), []).append(item)
        lines = [_say(model, place, items, file) for place, items in places.items() if not _is_outdone(place, places)]
        raise InputError("\n".join(lines)) from None


def _check_plain(value: Any, file: Path | str, longest: int) -> None:
    """Refuse what no file of this project can mean, and what would end in a traceback or fill the memory."""
    for count, (key, item, depth) in enumerate(_walk(value, "", 0)):
        where = f"{file}: {key if len(key) <= 80 else key[:77] + '...'}"
        if count > MOST_VALUES or depth > DEEPEST:
            raise InputError(f"{where}: more than {MOST_VALUES:,} values, or {DEEPEST} levels; shorten it")
        if isinstance(item, str) and (problem := _find_problem(item, longest)):
            raise InputError(f"{where} = {short(item)}: {problem}")
        for name in item if isinstance(item, Mapping) else ():
            if problem := _find_problem(name, LONGEST_KEY):
                raise InputError(f"{where}: the key {short(name)}: {problem}")


def _walk(value: Any, key: str, depth: int) -> Iterator[tuple[str, Any, int]]:
    yield key, value, depth
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _walk(item, f"{key}.{name}".lstrip("."), depth + 1)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _walk(item, f"{key}[{i}]", depth + 1)


def _find_problem(text: Any, longest: int) -> str:
    """Say why something is no text that can be printed; empty if it is one."""
    if not isinstance(text, str):
        return "not text; write it in quotes"
    if len(text) > longest:
        return f"{len(text):,} characters; shorten it to {longest:,}"
    wrong = next((c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"), None)
    return f"the character U+{ord(wrong):04X} cannot be printed; remove it" if wrong else ""


def did_you_mean(word: str, choices: Sequence[str]) -> str:
    """Remedy for an unknown word: the nearest choice, or all of them, or that there is none."""
    if not choices:
        return "there is none"
    same = [choice for choice in choices if choice.lower() == word.lower()]  # "rce" for "RCE"
    near = difflib.get_close_matches(word, choices, n=1, cutoff=0.6) or same
    return f'did you mean "{near[0]}"?' if near else f"choose from {', '.join(sorted(choices))}"


def _follows(item: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]) -> bool:
    """Pydantic also calls a list too short when its only items are mistaken."""
    depth = len(item["loc"])
    inside = [e for e in errors if len(e["loc"]) > depth and e["loc"][:depth] == item["loc"]]
    return item["type"] == "too_short" and bool(inside)


def _place(value: Any, item: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return where a mistake stands in the file: Pydantic's location without the types of a union."""
    place: list[Any] = []
    parts = list(item["loc"])
    tagged = None  # the mapping whose kind was the part before
    for number, part in enumerate(parts):
        is_key = isinstance(value, Mapping) and part in value
        if is_key and tagged is not value and part in (value.get("kind"), value.get("format")):
            tagged = value  # it also has a key of that name
            continue
        is_missing = item["type"] == "missing" and number == len(parts) - 1
        if is_key or is_missing or isinstance(part, int):  # other parts name a type of a union
            place.append(part)
            value = value[part] if is_key or _has_item(value, part) else None
    return tuple(place)


def _has_item(value: Any, part: Any) -> bool:
    """Whether a value is a list that has an item of this number."""
    return isinstance(value, list | tuple) and isinstance(part, int) and part < len(value)


def _is_outdone(place: tuple[Any, ...], places: Mapping[tuple[Any, ...], Sequence[Mapping[str, Any]]]) -> bool:
    """Whether one alternative of a union fits so far that its mistake lies deeper."""
    deeper = any(other[: len(place)] == place for other in places if len(other) > len(place))
    return deeper and all(len(item["loc"]) > len(place) for item in places[place])


def _say(model: type[BaseModel], place: tuple[Any, ...], items: Sequence[Mapping[str, Any]], file: Path | str) -> str:
    """Return the line of the mistakes at one place: file, key, value, what is wrong, remedy."""
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")
    item = items[0]
    if item["type"] == "extra_forbidden":
        # an item of another kind may have a key of this name
        known = [name for name in _known_keys(model, place[:-1]) if name != place[-1]]
        remedy = did_you_mean(str(place[-1]), known)
        return f"{file}: {key} = {short(item['input'])}: unknown key; {remedy}"
    if item["type"] == "missing":
        return f"{file}: {key}: missing; add this key"
    if item["type"] == "union_tag_invalid":
        tag = item["ctx"]["tag"]
        known = [word.strip("'") for word in item["ctx"]["expected_tags"].split(", ")]
        key += f".{item['ctx']['discriminator']}".replace("'", "")
        return f"{file}: {key} = {short(tag)}: not known here; {did_you_mean(str(tag)[:80], known)}"
    if not place and item["input"] is None:
        return f"{file}: empty; write keys with their values"
    # a value that fits none of several types has a mistake for each of them
    first, *others = dict.fromkeys(_reword(item) for item in items)
    expected = [other.removeprefix("Input should be ") for other in others]
    message = " or ".join([first[:1].lower() + first[1:], *expected])
    return f"{file}: {key or 'the file'} = {short(item['input'])}: {message}"


def _reword(item: Mapping[str, Any]) -> str:
    """Return what Pydantic says of a mistake, without the names of our classes."""
    wrong = item["type"] == "model_type"
    return "Input should be keys with their values" if wrong else item["msg"].removeprefix("Value error, ")


def short(value: Any) -> str:
    """Return a value as a message shows it."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _known_keys(model: type[BaseModel], location: Sequence[Any]) -> list[str]:
    """Keys of the model at ``location``, found through its JSON schema."""
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    nodes = _alternatives(schema, definitions)
    for part in location:
        children = [child for node in nodes if (child := _child(node, part)) is not None]
        nodes = [leaf for child in children for leaf in _alternatives(child, definitions)]
    return sorted({key for node in nodes for key in node.get("properties", {})})


def _alternatives(node: dict[str, Any], definitions: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    if "$ref" in node:
        return _alternatives(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    inner = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    return [leaf for other in inner for leaf in _alternatives(other, definitions)] or [node]


def _child(node: dict[str, Any], part: Any) -> dict[str, Any] | None:
    inside = node.get("properties", {}).get(part, node.get("additionalProperties"))
    child = node.get("items") if isinstance(part, int) else inside
    return child if isinstance(child, dict) else None

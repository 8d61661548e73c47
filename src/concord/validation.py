"""Typed configuration: a YAML file becomes a frozen model, or one line per mistake."""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from concord.errors import InputError


class Strict(BaseModel):
    """A frozen model that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Model = TypeVar("Model", bound=BaseModel)


def read_yaml(path: Path) -> Any:
    """Read a YAML file; :class:`InputError` names the file and the line of a mistake."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" line {where.line + 1}," if where else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise InputError(f"{path}:{line} not valid YAML: {problem}") from None


def parse(model: type[Model], value: Any, file: Path | str) -> Model:
    """Turn ``value`` into ``model``; :class:`InputError` has a line for each mistake."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        roots = [item for item in error.errors() if not _follows(item, error.errors())]
        raise InputError("\n".join(_line(model, value, item, file) for item in roots)) from None


def did_you_mean(word: str, choices: Sequence[str]) -> str:
    """Remedy for an unknown word: the nearest choice, or all of them, or that there is none."""
    if not choices:
        return "there is none"
    near = difflib.get_close_matches(word, choices, n=1, cutoff=0.6)
    if not near:  # "rce" for "RCE"
        near = [choice for choice in choices if choice.lower() == word.lower()]
    return f'did you mean "{near[0]}"?' if near else f"choose from {', '.join(sorted(choices))}"


def _follows(item: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]) -> bool:
    """Pydantic also calls a list too short when its only items are mistaken."""
    depth = len(item["loc"])
    inside = [e for e in errors if len(e["loc"]) > depth and e["loc"][:depth] == item["loc"]]
    return item["type"] == "too_short" and bool(inside)


def _line(model: type[BaseModel], value: Any, item: Mapping[str, Any], file: Path | str) -> str:
    location = [part for part in item["loc"] if not _is_tag(part, value, item["loc"])]
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
    if item["type"] == "extra_forbidden":
        remedy = did_you_mean(str(location[-1]), _known_keys(model, location[:-1]))
        return f"{file}: {key} = {item['input']!r}: unknown key; {remedy}"
    if item["type"] == "missing":
        return f"{file}: {key}: missing; add this key"
    message = item["msg"].removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    return f"{file}: {key or 'the file'} = {_short(item['input'])}: {message}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _is_tag(part: Any, value: Any, location: Sequence[Any]) -> bool:
    """Pydantic puts the tag of a discriminated union into the location; the file has no such key."""
    for step in location[: list(location).index(part)]:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            continue
    return isinstance(value, Mapping) and part in value.values() and part not in value


def _known_keys(model: type[BaseModel], location: Sequence[Any]) -> list[str]:
    """Keys of the model at ``location``, found through its JSON schema."""
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    nodes = [schema]
    for part in [*location, None]:
        nodes = [definitions[n["$ref"].rsplit("/", 1)[1]] if "$ref" in n else n for n in _alternatives(nodes)]
        if part is None:
            break
        nodes = [child for n in nodes if (child := _child(n, part)) is not None]
    return sorted({key for node in nodes for key in node.get("properties", {})})


def _alternatives(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        leaf
        for node in nodes
        for leaf in _alternatives([*node.get("anyOf", ()), *node.get("oneOf", ())]) or [node]
    ]


def _child(node: dict[str, Any], part: Any) -> dict[str, Any] | None:
    if isinstance(part, int):
        child = node.get("items")
    else:
        child = node.get("properties", {}).get(part, node.get("additionalProperties"))
    return child if isinstance(child, dict) else None

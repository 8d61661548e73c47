"""The reference of the configuration, ``config/README.md``: tables from the JSON schemas, and text from a template.

A line ``{{Model}}`` of the template becomes the table of the keys of a model, by its name in the schemas, and
``{{Model but Other}}`` the table of those that another model has not. ``{{kinds of Model.key}}`` becomes two tables: of
the kinds that may stand at a key, by their docstrings, and of the keys that only some of them have. Below stand the
models that these keys hold, if the template has no table of them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from consclust_studies.config.exhibit_kinds import OF_STUDY

TEMPLATE = Path(__file__).parent / "configuration.md"
PLACEHOLDER = re.compile(r"^\{\{(?:kinds of (?P<holder>\w+)\.(?P<key>\w+)|(?P<model>\w+)(?: but (?P<other>\w+))?)\}\}$")
HEADING = re.compile(r"^#+ (.+)$")

LARGE = 10**6
"""A bound from which on it only keeps mistakes away, and is not worth a word."""
VALUE = {"boolean", "integer", "number", "string", "null"}
"""Types of the value of a parameter."""
HEAD = ("key", "value", "default", "description")

Schema = Mapping[str, Any]


class Noun(NamedTuple):
    """What a value is, one of it and several."""

    one: str
    many: str


def render(schemas: Mapping[str, Schema], template: str, **names: object) -> str:
    """Return the page.

    Parameters
    ----------
    schemas : JSON schemas of the files of the configuration.
    template : text with placeholders.
    names : what stands for ``{name}`` in the template.
    """
    for name, value in names.items():
        template = template.replace(f"{{{name}}}", str(value))
    page = Page(schemas, template)
    return "\n".join(page.lines())


class Page:
    """The page while it is made.

    Attributes
    ----------
    models : the schemas of all models, by name; of one that may be written as one word that of the mapping.
    anchors : where the table of a model stands on the page, by the name of the model.
    """

    def __init__(self, schemas: Mapping[str, Schema], template: str) -> None:
        self.template = template.splitlines()
        self.models: dict[str, Schema] = {}
        for schema in schemas.values():
            for name, model in {schema["title"]: schema, **schema.get("$defs", {})}.items():
                if "properties" in _mapping(model):
                    self.models[name] = _mapping(model)
        self.anchors = self._find_anchors()

    def _find_anchors(self) -> dict[str, str]:
        """Return the anchor of each table: the heading above its placeholder, or its own among those of the kinds."""
        anchors = self._find_placeholders()
        held = self._models_inside(self.models[name] for name in anchors)
        for name in held:
            if name not in anchors and (whole := self._find_with_all_keys(name, anchors)):
                anchors[name] = anchors[whole]
        return {name: _anchor(_words(name)) for name in held} | anchors

    def _find_placeholders(self) -> dict[str, str]:
        anchors: dict[str, str] = {}
        above = ""
        for line in self.template:
            if heading := HEADING.match(line):
                above = _anchor(heading[1])
            elif found := PLACEHOLDER.match(line):
                names = self._kinds(found).values() if found["holder"] else [found["model"]]
                anchors |= dict.fromkeys(names, above)
        return anchors

    def _find_with_all_keys(self, name: str, others: Iterable[str]) -> str | None:
        """Return one of other models that has all keys of a model, whose table serves both."""
        keys = self.models[name]["properties"].items()
        return next((other for other in others if keys <= self.models[other]["properties"].items()), None)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the page."""
        for line in self.template:
            found = PLACEHOLDER.match(line)
            if found is None:
                yield line
            elif found["holder"]:
                yield from self._describe_kinds(found)
            else:
                yield from self._describe_model(found["model"], found["other"])
        yield ""

    def _describe_model(self, name: str, other: str | None = None) -> Iterator[str]:
        known = self.models[other]["properties"] if other else {}
        keys = {key: schema for key, schema in self.models[name]["properties"].items() if key not in known}
        yield from _table(HEAD, (self._row(self.models[name], key) for key in keys))

    def _describe_kinds(self, found: re.Match[str]) -> Iterator[str]:
        kinds = {word: self.models[name] for word, name in self._kinds(found).items()}
        shared = set.intersection(*({*model["properties"]} for model in kinds.values()))
        tag = next(key for key in shared if all("const" in model["properties"][key] for model in kinds.values()))
        yield from self._describe_shared_keys(kinds, shared - {tag})
        yield from _describe_table_of_kinds(tag, kinds)
        yield from ["", "Keys that some of them have:", ""]
        rows = []
        for word, model in kinds.items():
            rows += [[f"`{word}`", *self._row(model, key)] for key in model["properties"] if key not in shared]
        yield from _table([tag, *HEAD], rows)
        for name in self._models_inside(kinds.values()):
            if self.anchors[name] == _anchor(_words(name)):
                yield from ["", f"#### {_words(name).capitalize()}", ""]
                yield from self._describe_model(name)

    def _describe_shared_keys(self, kinds: Mapping[str, Schema], shared: set[str]) -> Iterator[str]:
        if not shared:
            return
        some = next(iter(kinds.values()))
        rows = [_without_default(self._row(some, key), kinds, key) for key in some["properties"] if key in shared]
        yield from ["All of them have these keys:", ""]
        yield from _table(HEAD, rows)
        yield ""

    def _kinds(self, found: re.Match[str]) -> dict[str, str]:
        """Return the models that may stand at a key, by the word that chooses them, in alphabetical order."""
        nodes = [self.models[found["holder"]]["properties"][found["key"]]]
        while nodes:
            node = nodes.pop()
            if choice := node.get("discriminator"):
                return {word: _name(ref) for word, ref in sorted(choice["mapping"].items())}
            if names := self._find_names_of_kinds(node):
                return dict(sorted((word, name) for name in names for word in self._kind_words(name)))
            nodes += [*node.get("anyOf", ()), *([node["items"]] if "items" in node else ())]
        raise ValueError(f"{found[0]}: one model alone may stand there")

    def _find_names_of_kinds(self, schema: Schema) -> list[str]:
        """Return the models among which a kind chooses without a discriminator; empty of another schema."""
        names = [_name(one["$ref"]) for one in schema.get("anyOf", ()) if "$ref" in one]
        return names if len(names) > 1 and all(map(self._kind_words, names)) else []

    def _kind_words(self, name: str) -> list[str]:
        """Return the words that choose a model where no discriminator lists them."""
        kind = self.models[name]["properties"].get("kind", {})
        return [kind["const"]] if "const" in kind else list(kind.get("enum", ()))

    def _models_inside(self, schemas: Iterable[Schema]) -> list[str]:
        """Return the names of the models that others hold, directly or not."""
        found: dict[str, None] = {}
        waiting = list(schemas)
        while waiting:
            schema = waiting.pop(0)
            names = [_name(ref) for ref in re.findall(r'"\$ref": "([^"]+)"', json.dumps(schema.get("properties", {})))]
            waiting += [self.models[name] for name in names if name not in found]
            found |= dict.fromkeys(names)
        return list(found)

    def _row(self, model: Schema, key: str) -> list[str]:
        schema = model["properties"][key]
        default = "required" if key in model.get("required", ()) else _default(schema)
        return [f"`{key}`", self._noun(schema).one, default, _prose(schema["description"])]

    def _noun(self, schema: Schema) -> Noun:
        """Return in words what a value may be."""
        if "$ref" in schema:
            name = _name(schema["$ref"])
            return Noun(*(f"[{word}](#{self.anchors[name]})" for word in (_words(name), _plural(_words(name)))))
        if "discriminator" in schema:
            name = _name(schema["oneOf"][0]["$ref"])
            word = "reader" if schema["discriminator"]["propertyName"] == "format" else "exhibit"
            return Noun(*(f"[{noun}](#{self.anchors[name]})" for noun in (word, f"{word}s")))
        if names := self._find_names_of_kinds(schema):
            return Noun(f"[exhibit](#{self.anchors[names[0]]})", f"[exhibits](#{self.anchors[names[0]]})")
        if "anyOf" in schema:
            return self._describe_alternatives(schema["anyOf"])
        if words := [f"`{word}`" for word in _fixed(schema)]:
            return Noun(_either(words), _either(words))
        return {"array": self._list, "object": self._dictionary}.get(schema["type"], _plain)(schema)

    def _describe_alternatives(self, alternatives: Iterable[Schema]) -> Noun:
        several = [schema for schema in alternatives if schema.get("type") != "null"]
        if VALUE - {"null"} == {schema.get("type") for schema in several}:
            return Noun("value", "values")
        words = [f"`{word}`" for schema in several for word in _fixed(schema)]
        nouns = [self._noun(schema) for schema in several if not _fixed(schema)]
        one = [noun.one for noun in nouns]
        many = [noun.many for noun in nouns]
        return Noun(_either([*one, *words]), _either([*many, *words]))

    def _list(self, schema: Schema) -> Noun:
        if "prefixItems" in schema:
            kinds = {_plain({"type": item["type"]}).many for item in schema["prefixItems"]}
            text = f"{len(schema['prefixItems'])} {_either(sorted(kinds))}"
            return Noun(f"list of {text}", f"lists of {text}")
        items = self._noun(schema["items"]).many
        return Noun(f"list of {items}", f"lists of {items}")

    def _dictionary(self, schema: Schema) -> Noun:
        values = self._noun(schema["additionalProperties"]).many
        return Noun(f"mapping of names to {values}", f"mappings of names to {values}")


def _fixed(schema: Schema) -> list[str]:
    """Return the words that a value is one of; empty if it may be another."""
    return schema.get("enum") or ([schema["const"]] if "const" in schema else [])


def _plain(schema: Schema) -> Noun:
    """Return what a number, a text or a flag may be."""
    kind = schema["type"]
    if kind == "boolean":
        return Noun("true or false", "true or false")
    if kind == "string":
        return Noun("text", "texts")
    word = "whole number" if kind == "integer" else "number"
    bounds = _bounds(schema)
    return Noun(f"{word}{bounds}", f"{word}s{bounds}")


def _bounds(schema: Schema) -> str:
    """Return the bounds of a number, with a space before; empty without any that matter."""
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if high is None or high >= LARGE:
        return f" {'≥' if 'minimum' in schema else '>'} {low}" if low is not None else ""
    if low is None:
        return f" {'≤' if 'maximum' in schema else '<'} {high}"
    left = "[" if "minimum" in schema else "("
    right = "]" if "maximum" in schema else ")"
    return f" in {left}{low}, {high}{right}"


def _default(schema: Schema) -> str:
    """Return the default of a key as a file would have it; of a model "its own"."""
    if "$ref" in schema and schema.get("default") is not None:
        return "its defaults"
    if "default" in schema:
        return _yaml(schema["default"])
    return "`{}`" if schema.get("type") == "object" else "see the description"


def _yaml(value: object) -> str:
    """Return a value as a file would have it."""
    if value == "":
        return "empty"
    if isinstance(value, str) and re.fullmatch(r"[\w-]+", value):
        return f"`{value}`"
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _describe_table_of_kinds(tag: str, kinds: Mapping[str, Schema]) -> Iterator[str]:
    """Yield a table of the kinds; of exhibits with the id of a standard one, and the study that alone has it."""
    has_ids = all("id" in model["properties"] for model in kinds.values())
    of_studies = any(OF_STUDY in model for model in kinds.values())
    rows = []
    for word, model in kinds.items():
        rows.append([f"`{word}`", _prose(model["properties"][tag]["description"])])
        if has_ids:
            own = model["properties"]["id"].get("default")
            rows[-1].append(f"`{own}`" if own else "")
        if of_studies:
            study = model.get(OF_STUDY)
            rows[-1].append(f"`{study}`" if study else "")
    heads = [*(["id of the standard one"] if has_ids else []), *(["study that alone has it"] if of_studies else [])]
    yield from _table([tag, "what it is", *heads], rows)


def _without_default(row: list[str], kinds: Mapping[str, Schema], key: str) -> list[str]:
    """Return the row of a key that all kinds have, without a default where only some have one."""
    required = [key in model.get("required", ()) for model in kinds.values()]
    if any(required) and not all(required):
        row[2] = "required, unless it is a standard one"
    return row


def _mapping(model: Schema) -> Schema:
    """Return the schema of a mapping, also of an item that may be written as one word."""
    return next((each for each in model.get("anyOf", ()) if "properties" in each), model)


def _name(ref: str) -> str:
    return ref.rsplit("/", 1)[-1]


def _words(model: str) -> str:
    """Return the name of a model as words."""
    return NAMES.get(model) or re.sub(r"(?<!^)(?=[A-Z])", " ", model).lower()


NAMES = {
    "StudyCase": "case",
    "CaseVariant": "variant of a case",
    "MethodRun": "method",
    "MethodVariant": "variant of a method",
    "EnsembleProtocol": "ensemble",
    "DatasetSpec": "data set",
    "RawFile": "file",
    "FromArchive": "archive of file",
    "Generalisation": "unseen objects",
    "LedgerItem": "item",
    "ReadyMadeEnsemble": "ready-made ensemble",
}
"""What the page calls models whose own names are not what people say."""


def _plural(words: str) -> str:
    noun, of, rest = words.partition(" of ")
    if noun.endswith("s"):
        return words
    ending = "ies" if noun.endswith("y") else "ices" if noun.endswith("ix") else f"{noun[-1]}s"
    stem = noun[:-2] if noun.endswith("ix") else noun[:-1]
    return f"{stem}{ending}{of}{rest}"


def _either(words: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _anchor(heading: str) -> str:
    """Return the anchor of a heading, as code hosts and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _prose(text: str) -> str:
    """Return a description as Markdown: its first paragraph, with words of the configuration as code."""
    text = text.partition("\n\n")[0].replace("\n", " ").replace("``", "`")
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    text = re.sub(r"(?<!\w)'([\w.+-]+)'(?!\w)", r"`\1`", text)
    outside = [part if i % 2 else re.sub(r"([<*])", r"\\\1", part) for i, part in enumerate(text.split("`"))]
    return "`".join(outside).replace("|", r"\|")


def _table(heads: Iterable[str], rows: Iterable[list[str]]) -> Iterator[str]:
    heads = list(heads)
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"

"""ARFF, the format of Weka, with dense or sparse rows."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from concord.datasets.readers.common import Raw, at, canonical, class_name, malformed, short
from concord.datasets.readers.text import QUOTED, attribute, number, statements, unquoted

_VALUE = re.compile(rf"\s*({QUOTED}|[^\s,'\"{{}}](?:[^,'\"{{}}]*[^\s,'\"{{}}])?)\s*(,|$)")
_PAIR = re.compile(rf"\s*(\d{{1,9}})\s+({QUOTED}|[^\s,'\"{{}}]+)\s*(,|$)", re.ASCII)

_Values = tuple[str, ...]
"""Values of a nominal attribute; () for a numeric one."""


def read_arff(path: Path, *, class_attribute: str | None = None) -> Raw:
    """Read numeric features and a class, the attribute ``class_attribute`` or the last one."""
    lines = statements(path)
    attributes = _header(path, lines)
    target = _class_index(path, class_attribute, attributes)
    values = list(attributes.values())[target]
    rows = list(lines)
    is_sparse = all(text.startswith("{") for _, text in rows)
    # What a sparse row leaves out is 0, and of a nominal attribute the first value.
    default = values[0] if values else "0"
    classes: list[str] = []
    data: list[float] = []
    columns: list[int] = []
    starts = [0]
    for line, text in rows:
        with at(path, f"line {line}"):
            cells = (_sparse_row if is_sparse else _dense_row)(text, len(attributes))
            classes.append(_class(cells.pop(target, default), values))
            columns += [index - (index > target) for index in cells]
            data += [number(value, missing=("?",)) for value in cells.values()]
        starts.append(len(data))
    if not rows:
        malformed(path, "", "no data rows")
    stored = np.array(data, dtype=np.float64)
    shape = (len(rows), len(attributes) - 1)
    X = canonical(sparse.csr_array((stored, columns, starts), shape)) if is_sparse else stored.reshape(shape)
    return Raw(X, classes)


def _header(path: Path, lines: Iterator[tuple[int, str]]) -> dict[str, _Values]:
    """Consume the header, up to and with ``@data``."""
    attributes: dict[str, _Values] = {}
    for line, text in lines:
        keyword = text.split(None, 1)[0].lower()
        with at(path, f"line {line}"):
            if keyword == "@data" and len(attributes) > 1:
                return attributes
            if keyword == "@attribute":
                name, kind = attribute(text)
                if name in attributes:
                    raise ValueError(f"a second attribute {name!r}")
                attributes[name] = _values(name, kind)
            elif keyword != "@relation":
                raise ValueError(f"{short(text)} is no line of a header, after {len(attributes)} attributes")
    malformed(path, "", "no @data line")


def _values(name: str, kind: str) -> _Values:
    if kind.startswith("{") and kind.endswith("}"):
        return tuple(_split(kind[1:-1]))
    if re.match(r"(numeric|real|integer)\b", kind, re.IGNORECASE):  # a range may follow: integer [0, 8]
        return ()
    raise ValueError(f"attribute {name!r} has the type {short(kind)}, not numeric or {{...}}")


def _class_index(path: Path, name: str | None, attributes: dict[str, _Values]) -> int:
    """Index of the class attribute; all others must be numeric."""
    names = list(attributes)
    if name is None:
        name = names[-1]
    if name not in names:
        malformed(path, "", f"no attribute {name!r}", "correct reader.class_attribute in the registry")
    for other, values in attributes.items():
        if values and other != name:
            malformed(path, "", f"attribute {other!r} is nominal; only the class may be")
    return names.index(name)


def _class(value: str, values: _Values) -> str:
    if not values:
        return class_name(number(value))
    if value not in values:
        raise ValueError(f"class {short(value)} is not among those of the header")
    return value


def _dense_row(text: str, n_attributes: int) -> dict[int, str]:
    values = _split(text)
    if len(values) != n_attributes:
        raise ValueError(f"{len(values)} values for {n_attributes} attributes")
    return dict(enumerate(values))


def _sparse_row(text: str, n_attributes: int) -> dict[int, str]:
    """``{index value, ...}``."""
    if not text.endswith("}"):
        raise ValueError("the row has no closing brace")
    pairs: dict[int, str] = {}
    for match in _matches(_PAIR, text[1:-1]) if text[1:-1].strip() else ():
        index = int(match[1])
        if index >= n_attributes:
            raise ValueError(f"index {index} is beyond the {n_attributes} attributes")
        if index in pairs:
            raise ValueError(f"index {index} occurs twice")
        pairs[index] = unquoted(match[2])
    return pairs


def _split(text: str) -> list[str]:
    """Split at commas that are not quoted."""
    return [unquoted(match[1]) for match in _matches(_VALUE, text)]


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Match items, each up to a comma or the end (its last group), until ``text`` is used up."""
    start, separator = 0, ","
    while separator:
        match = pattern.match(text, start)
        if not match:
            raise ValueError(f"{short(text[start:])} is no value, or no pair of index and value")
        yield match
        start, separator = match.end(), match[match.re.groups]

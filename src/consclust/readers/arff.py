"""ARFF, the format of Weka, with dense or sparse rows; KEEL, which is like it."""

# NumPy and SciPy are imported where needed, so that what does without them starts faster

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from consclust.plurals import count
from consclust.readers.common import AnyReader, Raw, at, canonical, class_name, lines, malformed, number, short
from consclust.readers.table import columns as table_columns

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""

_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"]+(?=[\s{{]))\s*(\S.*)", re.IGNORECASE)
_VALUE = re.compile(rf"\s*({_QUOTED}|[^\s,'\"{{}}](?:[^,'\"{{}}]*[^\s,'\"{{}}])?)\s*(,|$)")
_PAIR = re.compile(rf"\s*(\d{{1,9}})\s+({_QUOTED}|[^\s,'\"{{}}]+)\s*(,|$)", re.ASCII)

Values = tuple[str, ...]
"""Values of a nominal attribute; () for a numeric one."""


class ArffReader(AnyReader):
    """ARFF, dense or sparse rows."""

    format: Literal["arff"]
    class_attribute: str | None = Field(None, description="name of the class attribute; null: the last attribute")

    def read(self, *paths: Path) -> Raw:
        """Read numeric features and the class."""
        import numpy as np
        from scipy import sparse

        path = paths[0]
        lines = statements(path)
        attributes = read_header(path, lines)
        target = self._find_class_attribute(path, attributes)
        place = list(attributes).index(target)
        values = attributes[target]
        rows = list(lines)
        if not rows:
            malformed(path, "", "no data rows")
        is_sparse = all(text.startswith("{") for _, text in rows)
        default = values[0] if values else "0"  # what a sparse row leaves out is 0, or the first nominal value
        classes: list[str] = []
        # the features of all rows one after the other, with their columns and where each row begins, as in a csr_array
        data: list[float] = []
        columns: list[int] = []
        starts = [0]
        for line, text in rows:
            with at(path, f"line {line}"):
                cells = read_row(text, len(attributes), is_sparse)
                classes.append(read_class(cells.pop(place, default), values))
                columns += [index - (index > place) for index in cells]
                data += [number(value, missing=("?",)) for value in cells.values()]
            starts.append(len(data))
        stored = np.array(data, dtype=np.float64)
        shape = len(rows), len(attributes) - 1
        X = canonical(sparse.csr_array((stored, columns, starts), shape)) if is_sparse else stored.reshape(shape)
        return Raw(X, classes)

    def _find_class_attribute(self, path: Path, attributes: Mapping[str, Values]) -> str:
        """Return the name of the class attribute, the only one that may be nominal."""
        target = self.class_attribute or list(attributes)[-1]
        if target not in attributes:
            malformed(path, "", f"no attribute {target!r}", "correct reader.class_attribute in the registry")
        for other, values in attributes.items():
            if values and other != target:
                malformed(path, "", f"attribute {other!r} is nominal; only the class may be")
        return target


class KeelReader(AnyReader):
    """KEEL ``.dat``; the class is the attribute of ``@outputs``, else the last column."""

    format: Literal["keel"]

    def read(self, *paths: Path) -> Raw:
        """Read the header, if there is one, and the rows."""
        path = paths[0]
        names, outputs, rows = _read_keel(path)
        if outputs and (len(outputs) != 1 or outputs[0] not in names):
            malformed(path, "@outputs", f"{short(', '.join(outputs))} is not one of the attributes")
        class_column = names.index(outputs[0]) if outputs else -1
        return table_columns(path, iter(rows), class_column, (), ("?", "<null>"), len(names))


def _read_keel(path: Path) -> tuple[list[str], list[str], list[tuple[int, list[str]]]]:
    """Return the names of the attributes, those of ``@outputs``, and the rows with the numbers of their lines."""
    names: list[str] = []
    outputs: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    for line, text in statements(path):
        with at(path, f"line {line}"):
            if not text.startswith("@"):
                rows.append((line, [cell.strip() for cell in text.split(",")]))
            elif rows:
                raise ValueError(f"{short(text)} after the first row of data")
            elif text.lower().startswith("@attribute"):
                names.append(_attribute(text)[0])
            elif text.lower().startswith("@output"):
                outputs = [name.strip() for name in text.partition(" ")[2].split(",")]
    return names, outputs, rows


def read_row(text: str, n_attributes: int, is_sparse: bool) -> dict[int, str]:
    """Return the values of a row by the numbers of their attributes; ValueError if a dense row does not hold all."""
    if is_sparse:
        return _sparse_row(text, n_attributes)
    cells = dict(enumerate(_split(text)))
    if len(cells) != n_attributes:
        raise ValueError(f"{count(len(cells), 'value')} for {count(n_attributes, 'attribute')}")
    return cells


def read_class(name: str, values: Values) -> str:
    """Return the name of a class, among the nominal ``values`` if there are any, or as a whole number."""
    if not values:
        return class_name(number(name))
    if name not in values:
        raise ValueError(f"class {short(name)} is not among those of the header")
    return name


def read_header(path: Path, lines: Iterator[tuple[int, str]]) -> dict[str, Values]:
    """Consume the header, up to and with ``@data``."""
    attributes: dict[str, Values] = {}
    for line, text in lines:
        keyword = text.split(None, 1)[0].lower()
        with at(path, f"line {line}"):
            if keyword == "@data" and len(attributes) > 1:
                return attributes
            if keyword == "@attribute":
                name, kind = _attribute(text)
                if name in attributes:
                    raise ValueError(f"a second attribute {name!r}")
                attributes[name] = _values(name, kind)
            elif keyword != "@relation":
                raise ValueError(f"{short(text)} is no line of a header, after {count(len(attributes), 'attribute')}")
    malformed(path, "", "no @data line")


def _values(name: str, kind: str) -> Values:
    if kind.startswith("{") and kind.endswith("}"):
        return tuple(_split(kind[1:-1]))
    if re.match(r"(numeric|real|integer)\b", kind, re.IGNORECASE):  # a range may follow: integer [0, 8]
        return ()
    raise ValueError(f"attribute {name!r} has the type {short(kind)}, not numeric or {{...}}")


def _sparse_row(text: str, n_attributes: int) -> dict[int, str]:
    """``{index value, ...}``."""
    if not text.endswith("}"):
        raise ValueError("the row has no closing brace")
    pairs: dict[int, str] = {}
    for match in _matches(_PAIR, text[1:-1]) if text[1:-1].strip() else ():
        index = int(match[1])
        if index >= n_attributes:
            raise ValueError(f"index {index} is beyond the {count(n_attributes, 'attribute')}")
        if index in pairs:
            raise ValueError(f"index {index} occurs twice")
        pairs[index] = _unquoted(match[2])
    return pairs


def _split(text: str) -> list[str]:
    """Split at commas that are not quoted."""
    return [_unquoted(match[1]) for match in _matches(_VALUE, text)]


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Match items, each up to a comma or the end (its last group), until ``text`` is used up."""
    start, separator = 0, ","
    while separator:
        match = pattern.match(text, start)
        if not match:
            raise ValueError(f"{short(text[start:])} is no value, or no pair of index and value")
        yield match
        start, separator = match.end(), match[match.re.groups]


def statements(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of ARFF and KEEL that are neither empty nor comments."""
    for line, text in lines(path):
        text = text.strip()
        if text and not text.startswith("%"):
            yield line, text


def _attribute(text: str) -> tuple[str, str]:
    """Name and type that an ``@attribute`` declares, or ValueError."""
    match = _ATTRIBUTE.fullmatch(text)
    if not match:
        raise ValueError(f"{short(text)} is no attribute with name and type")
    return _unquoted(match[1]), match[2].strip()


def _unquoted(text: str) -> str:
    """Remove quotes and backslashes, if ``text`` is quoted."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[0] in "'\"" else text

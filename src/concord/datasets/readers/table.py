"""Tables of text: UCI ``.data`` and CSV, KEEL ``.dat``."""

import csv
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from concord.datasets.readers.common import Raw, at, malformed, one_line, short
from concord.datasets.readers.text import attribute, lines, number, statements

_Rows = Iterator[tuple[int, list[str]]]
"""Number of the line, cells."""


def read_table(
    *paths: Path,
    class_column: int,
    class_indicators: int | None,
    last: int | None,
    drop: Sequence[int],
    delimiter: str | None,
    header: bool,
    missing: str,
    codes: Mapping[str, float] = MappingProxyType({}),
) -> Raw:
    """Read tables; the fields of :class:`concord.datasets.registry.TableReader` say how."""
    parts = []
    for path in paths:
        rows = split_rows(path, delimiter)
        if header:
            next(rows, None)
        if class_indicators:
            rows = _named(path, rows, class_indicators)
        if last:
            rows = iter(deque(rows, maxlen=last))
        parts.append(_columns(path, rows, class_column, drop, (missing,), codes=codes))
        if parts[-1].X.shape[1] != parts[0].X.shape[1]:
            features = [part.X.shape[1] for part in parts]
            malformed(path, "", f"{features[-1]} features, but {features[0]} in {paths[0]}")
    return Raw(np.vstack([part.X for part in parts]), [name for part in parts for name in part.classes])


def _named(path: Path, rows: _Rows, n_classes: int) -> _Rows:
    """Put the number of the class, from 1, in place of its indicators, the last columns."""
    for line, row in rows:
        indicators = row[-n_classes:]
        if sorted(indicators) != ["0"] * (n_classes - 1) + ["1"]:
            malformed(path, f"line {line}", f"{short(' '.join(indicators))} names no class: one 1, else 0")
        yield line, [*row[:-n_classes], str(indicators.index("1") + 1)]


def read_keel(path: Path) -> Raw:
    """Read a KEEL file; the class is the attribute of ``@outputs``, else the last column."""
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
                names.append(attribute(text)[0])
            elif text.lower().startswith("@output"):
                outputs = [name.strip() for name in text.partition(" ")[2].split(",")]
    if outputs and (len(outputs) != 1 or outputs[0] not in names):
        malformed(path, "@outputs", f"{short(', '.join(outputs))} is not one of the attributes")
    class_column = names.index(outputs[0]) if outputs else -1
    return _columns(path, iter(rows), class_column, (), ("?", "<null>"), len(names))


def split_rows(path: Path, delimiter: str | None) -> _Rows:
    """Rows that are not empty; without a delimiter, white space separates what may stand in quotes."""
    if delimiter is None:
        yield from ((line, text.strip().strip('"').split()) for line, text in lines(path) if text.strip())
        return
    rows = csv.reader((text + "\n" for _, text in lines(path)), delimiter=delimiter, strict=True)
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                yield rows.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        malformed(path, f"line {rows.line_num}", f"not readable: {one_line(error)}")


def _columns(
    path: Path,
    rows: _Rows,
    class_column: int,
    drop: Sequence[int],
    missing: Sequence[str],
    width: int = 0,
    codes: Mapping[str, float] = MappingProxyType({}),
) -> Raw:
    """Features and classes of rows of one width (0: that of the first row)."""
    wanted: list[int] = []
    features: list[list[float]] = []
    classes: list[str] = []
    for line, row in rows:
        with at(path, f"line {line}"):
            width = width or len(row)
            if len(row) != width:
                raise ValueError(f"{len(row)} columns, but {width} in the header or first row")
            wanted = wanted or _wanted(width, [class_column, *drop])
            name = row[class_column]
            if not name or name in missing:
                raise ValueError(f"the class is missing ({short(name)})")
            classes.append(name)
            features.append([_number(row[i], missing, codes) for i in wanted])
    if not features:
        malformed(path, "", "no data rows")
    return Raw(np.array(features, dtype=np.float64), classes)


def _number(cell: str, missing: Sequence[str], codes: Mapping[str, float]) -> float:
    return codes[cell] if cell in codes else number(cell, missing)


def _wanted(width: int, unwanted: Sequence[int]) -> list[int]:
    """Columns that are features."""
    for column in unwanted:
        if not -width <= column < width:
            raise ValueError(f"no column {column} among {width}")
    wanted = sorted(set(range(width)) - {column % width for column in unwanted})
    if not wanted:
        raise ValueError(f"no feature is left of {width} columns")
    return wanted

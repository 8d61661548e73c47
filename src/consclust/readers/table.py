"""Tables of text: UCI ``.data`` and CSV."""

# NumPy is imported where needed, so that what does without it starts faster

import csv
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from consclust.plurals import count
from consclust.readers.common import DAMAGED, AnyReader, Raw, Size, at, lines, malformed, number, one_line, short

_Rows = Iterator[tuple[int, list[str]]]
"""Number of the line, cells."""


class TableReader(AnyReader):
    """A table of text as in the UCI repository: ``.data`` or CSV, also the only file of a ``.zip``.

    Several files are read one after the other.
    """

    several: ClassVar[bool] = True
    format: Literal["table"]
    class_column: int = Field(-1, description="column with the class, counted from 0; negative: from the end")
    class_indicators: Annotated[int, Field(ge=2)] | None = Field(
        None,
        description="number of columns, the last ones, that hold 1 for the class and 0 else, in place of class_column; "
        "null: there is a class_column",
    )
    last: Size | None = Field(None, description="number of rows, the last ones of each file; null: all rows")
    drop: tuple[int, ...] = Field(
        (), description="columns that are no features, such as an identifier, counted as class_column"
    )
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        ",", description="character between two columns; null: white space"
    )
    header: bool = Field(False, description="whether the first row has the names of the columns")
    missing: str = Field("?", description="marker of a missing value")
    codes: dict[str, float] = Field(default_factory=dict, description="numbers in place of words, such as {y: 1, n: 0}")

    def read(self, *paths: Path) -> Raw:
        """Read the tables."""
        import numpy as np

        parts = [self._part(path) for path in paths]
        widths = [part.X.shape[1] for part in parts]
        for path, width in zip(paths, widths, strict=True):
            if width != widths[0]:
                malformed(path, "", f"{count(width, 'feature')}, but {widths[0]} in {paths[0]}")
        return Raw(np.vstack([part.X for part in parts]), [name for part in parts for name in part.classes])

    def _part(self, path: Path) -> Raw:
        rows = split_rows(path, self.delimiter)
        if self.header:
            next(rows, None)
        if self.class_indicators:
            rows = _named(path, rows, self.class_indicators)
        if self.last:
            rows = iter(deque(rows, maxlen=self.last))
        return columns(path, rows, self.class_column, self.drop, (self.missing,), codes=self.codes)


def _named(path: Path, rows: _Rows, n_classes: int) -> _Rows:
    """Put the number of the class, from 1, in place of its indicators, the last columns."""
    for line, row in rows:
        indicators = row[-n_classes:]
        if sorted(indicators) != ["0"] * (n_classes - 1) + ["1"]:
            malformed(path, f"line {line}", f"{short(' '.join(indicators))} names no class: one 1, else 0")
        yield line, [*row[:-n_classes], str(indicators.index("1") + 1)]


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


def columns(
    path: Path,
    rows: _Rows,
    class_column: int,
    drop: Sequence[int],
    missing: Sequence[str],
    width: int = 0,
    codes: Mapping[str, float] | None = None,
) -> Raw:
    """Features and classes of rows of one width (0: that of the first row)."""
    import numpy as np

    wanted: list[int] = []
    features: list[list[float]] = []
    classes: list[str] = []
    for line, row in rows:
        with at(path, f"line {line}"):
            width = width or len(row)
            if len(row) != width:
                raise ValueError(f"{count(len(row), 'column')}, but {width} in the header or first row")
            wanted = wanted or _wanted(width, [class_column, *drop])
            name = row[class_column]
            if not name or name in missing:
                raise ValueError(f"the class is missing ({short(name)})")
            classes.append(name)
            features.append([_feature(path, line, row, i, missing, codes) for i in wanted])
    if not features:
        malformed(path, "", "no data rows")
    return Raw(np.array(features, dtype=np.float64), classes)


def _feature(
    path: Path, line: int, row: list[str], column: int, missing: Sequence[str], codes: Mapping[str, float] | None
) -> float:
    """Return the number in a cell; ``codes`` is None for a format that has none."""
    if codes and row[column] in codes:
        return codes[row[column]]
    try:
        return number(row[column], missing)
    except ValueError as mistake:
        remedy = (
            "complete or correct it, or name the column in drop, or the word in codes, of the reader in the registry"
        )
        where = f"line {line}, column {column} (from 0)"
        malformed(path, where, str(mistake), DAMAGED if codes is None else remedy)


def _wanted(width: int, unwanted: Sequence[int]) -> list[int]:
    """Columns that are features."""
    for column in unwanted:
        if not -width <= column < width:
            raise ValueError(f"no column {column} among {width}")
    wanted = sorted(set(range(width)) - {column % width for column in unwanted})
    if not wanted:
        raise ValueError(f"no feature is left of {count(width, 'column')}")
    return wanted

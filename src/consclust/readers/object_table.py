"""A file of labels or features as columns of numbers or text, with the objects in rows."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from consclust.ensemble import IntArray
from consclust.errors import InputError
from consclust.readers.layout import Remedies

Flags = npt.NDArray[np.bool_]

ABSENT = frozenset(("", "na", "nan", "n/a", "#n/a", "<na>", "none", "null"))  # in lower case
POINT = "."  # before the decimals of a number
MOST_NAMED = 5  # columns in a message
PLAIN = frozenset("0123456789+-.eE")  # float() also takes "1_2" and the digits of other scripts


def parse_number(cell: str) -> float | None:
    """Return the number of a cell, a plain decimal one such as -1.5e3; None if it is none."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if PLAIN.issuperset(cell.strip()) else None


def _to_float(text: str) -> float | None:
    """Return the number of a text, which may be infinite; None if it is none."""
    try:
        return float(text)
    except ValueError:
        return None


def write_point(cell: str, decimal: str) -> str:
    """Return a number with a point before its decimals; other cells as they are.

    >>> write_point("-1,5", ","), write_point("1,2,3", ","), write_point("a,b", ",")
    ('-1.5', '1,2,3', 'a,b')
    """
    with_point = cell.replace(decimal, POINT) if cell.count(decimal) == 1 else cell
    return with_point if is_number(with_point) else cell


def is_number(cell: str) -> bool:
    """Whether a cell is a plain decimal number."""
    return parse_number(cell) is not None


def is_absent(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.lower() in ABSENT


def shorten(cell: Any) -> str:
    """Return a cell as a message shows it."""
    text = str(cell)
    return repr(text if len(text) <= 40 else text[:37] + "...")


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """Numbers, of which NaN is missing."""

    values: npt.NDArray[Any]
    """Booleans, integers or floating-point numbers, shape (n,)."""

    def __len__(self) -> int:
        return len(self.values)

    def cell(self, row: int) -> Any:
        """Return the value of an object."""
        return self.values[row]

    def to_ids(self) -> npt.NDArray[Any]:
        """Return the values as ids, shape (n,)."""
        return self.values

    def to_numbers(self) -> npt.NDArray[Any]:
        """Return the numbers, shape (n,)."""
        return self.values

    def find_word(self) -> int | None:
        """Return the first row whose cell is neither a number nor absent: there is none."""
        return None

    def are_absent(self) -> Flags:
        """Return where there is no value, shape (n,)."""
        absent: Flags = np.zeros(len(self.values), dtype=bool)
        return np.isnan(self.values) if self.values.dtype.kind == "f" else absent

    def are_unlabelled(self, missing: int) -> Flags:
        """Return where there is no value, or the label that stands for none, shape (n,)."""
        unlabelled: Flags = self.are_absent() | (self.values == missing)
        return unlabelled

    def count_distinct(self) -> int:
        """Return the number of different values."""
        return len(np.unique(self.values))

    def without_codes(self, codes: Collection[str], missing: int) -> "NumberColumn":
        """Return the column with no value where it has one of some numbers: NaN, or ``missing`` among integers."""
        numbers = [number for number in map(_to_float, codes) if number is not None]
        coded = np.isin(self.values, numbers)
        if not coded.any():
            return self
        if self.values.dtype.kind == "f":
            return NumberColumn(np.where(coded, np.nan, self.values))
        return NumberColumn(np.where(coded, missing, self.values.astype(np.int64)))


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Text, by its different cells: a label matrix of 10^7 cells has only a few."""

    cells: list[str]
    """The different cells."""
    places: npt.NDArray[np.int32]
    """Which of them each object has, shape (n,)."""

    @classmethod
    def make(cls, cells: Sequence[str]) -> Self:
        """Return the column of some cells."""
        place = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
        return cls(list(place), np.fromiter(map(place.__getitem__, cells), dtype=np.int32, count=len(cells)))

    @classmethod
    def from_codes(cls, codes: npt.NDArray[np.int32], cells: Sequence[str]) -> Self:
        """Return the column of cells that are given by their places in a list of different cells."""
        occurs = np.zeros(len(cells), dtype=bool)
        occurs[codes] = True
        used = np.flatnonzero(occurs)
        places = np.zeros(len(cells), dtype=np.int32)
        places[used] = np.arange(len(used))
        return cls([cells[code] for code in used.tolist()], places[codes])

    def __len__(self) -> int:
        return len(self.places)

    def cell(self, row: int) -> str:
        """Return the cell of an object."""
        return self.cells[int(self.places[row])]

    def to_ids(self) -> npt.NDArray[np.str_]:
        """Return the cells as ids, shape (n,)."""
        return np.array(self.cells, dtype=str)[self.places]

    @cached_property
    def _absent(self) -> Flags:
        flags = zip(self.cells, self._numeric.tolist(), strict=True)
        return np.array([not numeric and is_absent(cell) for cell, numeric in flags], dtype=bool)

    @cached_property
    def _values(self) -> npt.NDArray[np.float64]:
        """Numbers of the different cells; NaN for those that are none."""
        return np.array([parse_number(cell) for cell in self.cells], dtype=np.float64)

    @cached_property
    def _numeric(self) -> Flags:
        return ~np.isnan(self._values)

    def to_numbers(self) -> npt.NDArray[np.float64]:
        """Return the numbers, NaN where there is none, shape (n,); there must be no word."""
        return self._values[self.places]

    def find_word(self) -> int | None:
        """Return the first row whose cell is neither a number nor absent; None if there is none."""
        known = (self._absent | self._numeric)[self.places]
        return None if known.all() else int(np.argmin(known))

    def find_number(self, missing: int) -> int | None:
        """Return the first row whose cell is a number other than the label that stands for none."""
        found = self._numeric[self.places] & ~self.are_unlabelled(missing)
        return int(np.argmax(found)) if found.any() else None

    def are_absent(self) -> Flags:
        """Return where there is no value, shape (n,)."""
        absent: Flags = self._absent[self.places]
        return absent

    def are_unlabelled(self, missing: int) -> Flags:
        """Return where there is no value, or the label that stands for none, shape (n,)."""
        marked = np.array([cell == str(missing) for cell in self.cells], dtype=bool)
        unlabelled: Flags = (self._absent | marked)[self.places]
        return unlabelled

    def holds(self, cell: str) -> bool:
        """Whether the text of a cell occurs."""
        return cell in self.cells

    def count_distinct(self) -> int:
        """Return the number of different values."""
        return len(self.cells)

    def share_of_words(self) -> float:
        """Return the share of the words among the cells with a value; NaN if there is no value."""
        n_present = (~self.are_absent()).sum()
        n_numbers = self._numeric[self.places].sum()
        return float(1 - n_numbers / n_present) if n_present else np.nan

    def without_codes(self, codes: Collection[str], missing: int) -> "TextColumn":
        """Return the column with no value where its text or number is one of some codes."""
        del missing  # an empty cell has no value
        numbers = {number for number in map(parse_number, codes) if number is not None}
        return self.rewrite(lambda cell: "" if cell in codes or parse_number(cell) in numbers else cell)

    def rewrite(self, change: Callable[[str], str]) -> "TextColumn":
        """Return the column with another text in each cell."""
        changed = [change(cell) for cell in self.cells]
        if changed == self.cells:
            return self
        place = {cell: i for i, cell in enumerate(dict.fromkeys(changed))}
        new = np.array([place[cell] for cell in changed], dtype=np.int32)
        return TextColumn(list(place), new[self.places])

    def prepend(self, cell: str) -> "TextColumn":
        """Return the column with a cell, from the line above, before the others."""
        cells = self.cells if cell in self.cells else [*self.cells, cell]
        first = np.array([cells.index(cell)], dtype=np.int32)
        return TextColumn(cells, np.concatenate([first, self.places]))


Column: TypeAlias = NumberColumn | TextColumn


def holds_numbers(column: Column) -> bool:
    """Whether a column has numbers and no words."""
    return column.find_word() is None and not column.are_absent().all()


@dataclass(frozen=True, eq=False)
class ObjectTable:
    """Columns of numbers or text, with the objects in rows, and where they stand in a file."""

    path: Path
    names: list[str]
    """Of the columns."""
    columns: Sequence[Column]
    """Each of n objects."""
    ids: npt.NDArray[Any]
    """Of the objects, shape (n,)."""
    remedies: Remedies
    lines: Sequence[int] = ()
    """Of a text file, shape (n,)."""
    first_row: int = 1
    """Number of the first row, for a part of a file."""

    def without(self, places: Collection[int], ids: npt.NDArray[Any] | None = None) -> "ObjectTable":
        """Return the table without some of its columns, and with other ids if there are any."""
        kept = [j for j in range(len(self.columns)) if j not in places]
        return replace(
            self,
            names=[self.names[j] for j in kept],
            columns=[self.columns[j] for j in kept],
            ids=self.ids if ids is None else ids,
        )

    def with_columns(self, columns: Sequence[Column]) -> "ObjectTable":
        """Return the table with other columns of the same names."""
        return replace(self, columns=columns)

    def transposed(self) -> "ObjectTable":
        """Return the table with the columns as rows; its rows have no lines of their own."""
        names = [str(each) for each in self.ids]
        if all(isinstance(column, NumberColumn) for column in self.columns):
            rows = np.stack([column.to_numbers() for column in self.columns], axis=1)
            columns: list[Column] = [NumberColumn(row) for row in rows]
        else:
            cells = zip(*(column.to_ids().astype(str).tolist() for column in self.columns), strict=True)
            columns = [TextColumn.make(row) for row in cells]
        return ObjectTable(self.path, names, columns, np.array(self.names), self.remedies)

    def refuse(self, row: int | None, column: int | None, what: str, *remedies: str) -> NoReturn:
        """Raise InputError with the place: file, line or row, column; remedies that the door lacks are ""."""
        remedy = "; ".join(filter(None, remedies)) or "correct the file"
        raise InputError(self.describe(row, () if column is None else (column,), what, remedy))

    def describe(self, row: int | None, columns: Sequence[int], what: str, *remedies: str) -> str:
        """Return a message with the place: file, line or row, columns."""
        place = [str(self.path)]
        if row is not None:
            place.append(f"line {self.lines[row]}" if self.lines else f"row {self.first_row + row}")
        if columns:
            place.append(name_columns([self.names[column] for column in columns]))
        return "; ".join([f"{', '.join(place)}: {what}", *filter(None, remedies)])


def name_columns(names: Sequence[str]) -> str:
    """Return how a message names columns, of many only the first.

    >>> name_columns(["a"]), name_columns(["a", "b", "c"]), name_columns(list("abcdefgh"))
    ("column 'a'", "columns 'a', 'b', 'c'", "columns 'a', 'b', 'c' and 5 more")
    """
    shown = ", ".join(map(repr, names if len(names) <= MOST_NAMED else names[: MOST_NAMED - 2]))
    more = f" and {len(names) - MOST_NAMED + 2} more" if len(names) > MOST_NAMED else ""
    return f"{'columns' if len(names) > 1 else 'column'} {shown}{more}"


def number_rows(n: int) -> IntArray:
    """Return 1 to n, the ids of objects without others."""
    return np.arange(1, n + 1)

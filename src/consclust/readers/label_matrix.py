"""Label matrices and features in people's files: one reader for the command, the studies and the pieces.

Each door gives a :class:`~consclust.readers.layout.Layout`, what its user says about the file, and the
:class:`~consclust.readers.layout.Remedies` that messages name. A data frame can take the place of a file: it is an
:class:`~consclust.readers.object_table.ObjectTable`, from which :func:`labels_of` makes a label matrix.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, IntArray
from consclust.errors import InputError
from consclust.plurals import count
from consclust.readers.arrays import TableWithClasses, read_arrays_file
from consclust.readers.common import class_name
from consclust.readers.delimited import ID_NAMES, read_delimited
from consclust.readers.layout import ARRAY_SUFFIXES, SUFFIXES, TEXT_SUFFIXES, Layout, Remedies
from consclust.readers.object_table import Column, ObjectTable, TextColumn, holds_numbers, is_absent, shorten
from consclust.readers.parquet_columns import read_parquet, read_parquet_blocks
from consclust.validation import did_you_mean

FEW = 10  # objects, of which each may have another label by chance
EXACT = 2.0**53  # above it, doubles do not hold every integer, and two labels could become one
NO_CLASS = ("", "NA", "NaN", "nan")  # a class may be called none


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """Base clusterings of n objects, as a file has them."""

    labels: IntArray
    """Shape (n, m), -1 where an object is missing from a clustering."""
    classes: list[str]
    """Name of the class of each object; empty if no classes were wanted."""
    table: ObjectTable
    """The columns with the labels, the ids of the objects, and where they stand."""


class FeatureMatrix(NamedTuple):
    """Features of n objects, as a file has them."""

    values: npt.NDArray[np.float64]
    """Shape (n, d)."""
    ids: npt.NDArray[Any]
    """Of the objects, shape (n,)."""
    names: list[str]
    """Of the features."""


def read_label_matrix(path: Path, layout: Layout, remedies: Remedies) -> LabelMatrix:
    """Read a label matrix: labels are whole numbers, which stay as they are, or words, which become their ranks.

    Where another label than -1 is the missing one, numbers become ranks too, since -1 is then a label as any other.
    InputError names the file, the line or row, the column and the remedy.
    """
    table, classes = _read_table(path, layout, layout.missing, remedies)
    return labels_of(table, layout, classes)


def labels_of(table: ObjectTable, layout: Layout, classes: npt.NDArray[Any] | None = None) -> LabelMatrix:
    """Return the label matrix of a table; ``classes`` are those that stand beside it. InputError for a mistake."""
    table, classes = _arrange(table, layout, classes)
    n = len(table.ids)
    m = len(table.columns)
    if layout.transposed is None and n < m:
        remedy = table.remedies.use(transposed="if clusterings are in rows", not_transposed="if objects are")
        table.refuse(None, None, f"{count(n, 'row')} and {count(m, 'column')}, so it may be transposed", remedy)
    labels = _labels_of_columns(table, layout.missing)
    return LabelMatrix(labels, [] if classes is None else _class_names(table, classes, layout.classes), table)


def check_ensemble(found: LabelMatrix) -> None:
    """Refuse what no consensus can be made of, and columns that are most likely no clusterings.

    A file from which subsets of columns are drawn may have such rows and columns.
    """
    table = found.table
    n, m = found.labels.shape
    if m < 2:
        table.refuse(None, None, "one column of labels", "a consensus needs two base clusterings or more")
    for j in range(m):
        may_differ = n >= FEW and table.columns[j].count_distinct() == n
        if may_differ and len(np.unique(found.labels[:, j])) == n:
            purposes = {"ids": "if these are ids", "drop": "to leave this column out"}
            remedy = table.remedies.use(table.names[j], **purposes)
            table.refuse(None, j, f"each of the {n} objects has another label", remedy)
    absent = found.labels == MISSING
    for row in np.flatnonzero(absent.all(axis=1)):
        table.refuse(int(row), None, "no label in any column", "leave this object out")
    for column in np.flatnonzero(absent.all(axis=0)):
        table.refuse(None, int(column), "no label in any row", _drop(table, int(column)))


def read_label_blocks(
    path: Path, layout: Layout, remedies: Remedies, block: int = 2**20
) -> Iterator[tuple[list[str], IntArray]]:
    """Yield the names of the clusterings of a Parquet file and their labels, so many rows at a time.

    A first column with a name of ids is left out. Words are refused, since their ranks differ between blocks.
    InputError as in :func:`read_label_matrix`.
    """
    for table in read_parquet_blocks(path, layout.missing, remedies, block):
        first = table.names[0].lower() if table.names else ""
        part = table.without({0}) if first in ID_NAMES else table
        if not part.columns:
            table.refuse(None, None, "no column of labels", "write a column for each clustering")
        for j, column in enumerate(part.columns):
            word = column.find_word()
            if word is not None:
                part.refuse(word, j, f"{shorten(column.cell(word))} is no number", "number the clusters")
        yield part.names, _labels_of_columns(part, layout.missing)


def read_features(path: Path, layout: Layout, remedies: Remedies) -> FeatureMatrix:
    """Read features; InputError as in :func:`read_label_matrix`."""
    table, _ = _read_table(path, layout, None, remedies)
    table, _ = _arrange(table, layout, None)
    columns = []
    for j, column in enumerate(table.columns):
        word = column.find_word()
        if word is not None:
            table.refuse(word, j, f"{shorten(column.cell(word))} is no number", _drop(table, j))
        values = column.to_numbers()
        for row in np.flatnonzero(~np.isfinite(values))[:1]:
            table.refuse(int(row), j, "no finite value", "complete the features, or leave this object out")
        columns.append(values)
    return FeatureMatrix(np.column_stack(columns).astype(np.float64), table.ids, table.names)


def _read_table(path: Path, layout: Layout, missing: int | None, remedies: Remedies) -> TableWithClasses:
    """Return the table of a file; ``missing`` stands for a missing integer, NaN if it is None."""
    suffix = path.suffix.lower()
    if layout.variable is not None and suffix not in (".npz", ".mat"):
        what = f"{remedies.key('variable')} is for .npz and .mat files, which have several"
        raise InputError(f"{path}: {what}; leave it out")
    if layout.header is not None and suffix not in TEXT_SUFFIXES:
        what = " and ".join(dict.fromkeys(filter(None, (remedies.header, remedies.no_header))))
        raise InputError(f"{path}: {what} are for text files; leave them out")
    if suffix in TEXT_SUFFIXES:
        return TableWithClasses(read_delimited(path, layout, remedies), None)
    if suffix in ARRAY_SUFFIXES:
        return read_arrays_file(path, layout, remedies)
    if suffix == ".parquet":
        return TableWithClasses(read_parquet(path, missing, remedies), None)
    raise InputError(f"{path}: unknown format; save it as one of {', '.join(SUFFIXES)}")


def _arrange(table: ObjectTable, layout: Layout, classes: npt.NDArray[Any] | None) -> TableWithClasses:
    """Take ids, classes and dropped columns out of a table, and put the objects into its rows."""
    class_column = layout.classes if classes is None else None
    left_out = {_place(table, name, "drop") for name in layout.drop}
    if class_column is not None and not layout.transposed:
        place = _place(table, class_column, "classes")
        classes = table.columns[place].to_ids()
        left_out.add(place)
    ids = _find_ids(table, layout, left_out)
    if ids is not None:
        left_out.add(ids)
    if len(left_out) == len(table.columns):
        table.refuse(None, None, "no column is left beside the ids", "write a column for each base clustering")
    table = table.without(left_out, None if ids is None else table.columns[ids].to_ids())
    if layout.transposed:
        table = table.transposed()
        if class_column is not None:
            place = _place(table, class_column, "classes")
            return TableWithClasses(table.without({place}), table.columns[place].to_ids())
    return TableWithClasses(table, classes)


def _find_ids(table: ObjectTable, layout: Layout, left_out: set[int]) -> int | None:
    """Return the place of the ids: the column that the layout names, or the first of the others if it holds ids.

    It holds ids if it has such a name, distinct words, or row numbers. Arrays have no ids.
    """
    if layout.ids is not None:
        return _place(table, layout.ids, "ids")
    rest = [j for j in range(len(table.columns)) if j not in left_out]
    if len(rest) < 2 or table.path.suffix.lower() in ARRAY_SUFFIXES:
        return None
    place = rest[0]
    first = table.columns[place]
    if table.names[place].lower() in ID_NAMES:
        return place
    if first.find_word() is None:
        return place if _counts_rows(first) else None
    if first.count_distinct() == len(first):
        return place
    _refuse_classes(table, place, layout.classes)
    return None


def _refuse_classes(table: ObjectTable, place: int, classes: str | None) -> None:
    """Refuse words that repeat if all other columns are numbers: they are hardly labels, but ids or classes."""
    others = [column for j, column in enumerate(table.columns) if j != place and table.names[j] != classes]
    if all(map(holds_numbers, others)):
        what = "words above each other that repeat, beside columns of numbers"
        setting = "classes" if table.remedies.classes else "drop"
        purposes = {"ids": "if these are ids", setting: "if these are classes"}
        table.refuse(None, place, what, table.remedies.use(table.names[place], **purposes))


def _counts_rows(column: Column) -> bool:
    """Whether a column of numbers counts the rows, from 0 or 1."""
    numbers = column.to_numbers()
    rows = np.arange(len(column))
    return len(column) > 2 and (np.array_equal(numbers, rows) or np.array_equal(numbers, rows + 1))


def _place(table: ObjectTable, name: str, setting: str) -> int:
    """Return the place of the column of a name; InputError unless there is exactly one."""
    found = table.names.count(name)
    if found != 1:
        remedy = f"{table.remedies.key(setting)} names one; {did_you_mean(name, table.names)}"
        table.refuse(None, None, f"{found or 'no'} columns named {name!r}", remedy)
    return table.names.index(name)


def _labels_of_columns(table: ObjectTable, missing: int) -> IntArray:
    """Return the labels of all columns, (n, m), -1 for a missing one."""
    return np.column_stack([_labels_of_column(table, j, missing) for j in range(len(table.columns))])


def _labels_of_column(table: ObjectTable, j: int, missing: int) -> IntArray:
    """Return the labels of a column, (n,), -1 for a missing one."""
    column = table.columns[j]
    if isinstance(column, TextColumn) and column.find_word() is not None:
        return _ranks_of_words(table, j, column, missing)
    values = column.to_numbers()
    if values.dtype.kind == "f":
        present = ~np.isnan(values)
        is_label = (np.abs(values) < EXACT) & (values == np.floor(values))
        for row in np.flatnonzero(present & ~is_label)[:1]:
            remedies = [table.remedies.use(features="if these are features"), _drop(table, j)]
            what = f"{values[row]:g} is no label, which is a whole number or a word"
            table.refuse(int(row), j, what, _or_header(table, int(row)), *remedies)
        labels = np.where(present, values, MISSING).astype(np.int64)
    else:
        for row in np.flatnonzero(values > np.iinfo(np.int64).max)[:1]:
            table.refuse(int(row), j, f"{values[row]} is too large", "number the clusters anew", _drop(table, j))
        present = np.ones(len(values), dtype=bool)
        labels = values.astype(np.int64)
    if missing == MISSING:
        return labels
    return _ranked(labels, present & (labels != missing))


def _ranks_of_words(table: ObjectTable, j: int, column: TextColumn, missing: int) -> IntArray:
    """Return the ranks of the words of a column, (n,); InputError if it also has numbers."""
    number = column.find_number(missing)
    word = column.find_word()
    if number is not None and word is not None:
        what = f"{shorten(column.cell(word))} is no number, but {shorten(column.cell(number))} is one"
        remedy = "write NA for a missing label, or words alone"
        table.refuse(word, j, what, _or_header(table, number), remedy, _drop(table, j))
    words = [cell for cell in column.cells if not is_absent(cell) and cell != str(missing)]
    rank = {cell: number for number, cell in enumerate(sorted(words))}
    ranks = np.array([rank.get(cell, MISSING) for cell in column.cells], dtype=np.int64)
    return ranks[column.places]


def _ranked(values: npt.NDArray[Any], present: npt.NDArray[np.bool_]) -> IntArray:
    """Return the ranks of the values that are present, -1 for the others."""
    ranks = np.full(len(values), MISSING, dtype=np.int64)
    ranks[present] = np.unique(values[present], return_inverse=True)[1]
    return ranks


def _class_names(table: ObjectTable, classes: npt.NDArray[Any], name: str | None) -> list[str]:
    """Return the name of the class of each object; InputError if one is missing."""
    if not hasattr(classes, "ravel") or classes.dtype.kind not in "biufSU":
        what = f"the classes {name!r} are {getattr(classes, 'dtype', 'sparse')}"
        table.refuse(None, None, what, "store them as numbers or text")
    values = classes.ravel()
    if values.dtype.kind in "SU":
        names: list[str] = values.astype(str).tolist()
    else:
        names = [class_name(value) for value in values]
    if len(names) != len(table.ids):
        what = f"{count(len(table.ids), 'row')} of labels, but {len(names)} classes in {name!r}"
        table.refuse(None, None, what, "objects go in rows, one class for each")
    for row in np.flatnonzero(np.isin(names, NO_CLASS)):
        table.refuse(int(row), None, "its class is missing", "the scores need the class of each object")
    return names


def _drop(table: ObjectTable, j: int) -> str:
    return table.remedies.use(table.names[j], drop="to leave this column out")


def _or_header(table: ObjectTable, row: int) -> str:
    """Return a remedy for the first line of a text file, which may also be a header; "" for another row."""
    is_first = row == 0 and bool(table.lines) and table.lines[0] == 1
    return table.remedies.use(header="if line 1 has names") if is_first else ""

"""Label matrices and features in people's files: one reader for the command, the studies and the pieces.

Each door gives a :class:`~consclust.readers.layout.Layout`, what its user says about the file, and the
:class:`~consclust.readers.layout.Remedies` that messages name. A data frame can take the place of a file: it is an
:class:`~consclust.readers.object_table.ObjectTable`, from which :func:`labels_of` makes a label matrix.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, IntArray
from consclust.errors import InputError
from consclust.plurals import count
from consclust.readers.arrays import TableWithClasses, read_arrays_file
from consclust.readers.common import class_name
from consclust.readers.delimited import ID_NAMES, read_delimited
from consclust.readers.forms import join_indicators, spread_long_form
from consclust.readers.layout import ARRAY_SUFFIXES, SUFFIXES, TEXT_SUFFIXES, Layout, Remedies
from consclust.readers.object_table import (
    MOST_NAMED,
    POINT,
    Column,
    ObjectTable,
    TextColumn,
    holds_numbers,
    is_absent,
    is_number,
    parse_number,
    shorten,
)
from consclust.readers.parquet_columns import read_parquet, read_parquet_blocks
from consclust.validation import did_you_mean

COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?|\d+[;|\t][+-]?\d+", re.ASCII)  # or what commas part such numbers into
COMPLETE = "complete the features, or leave this object out"
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

    @cached_property
    def n_clusters(self) -> IntArray:
        """Number of clusters of each clustering, shape (m,)."""
        return np.array([_count_clusters(column) for column in self.labels.T])


def _count_clusters(labels: IntArray) -> int:
    """Return the number of different labels, of which -1 is none."""
    present = labels[labels != MISSING]
    if not len(present):
        return 0
    low = int(present.min())
    if int(present.max()) - low < 2**16:  # NumPy sorts many labels slowly, and counts them fast
        return int(np.count_nonzero(np.bincount(present - low)))
    return len(np.unique(present))


class FeatureMatrix(NamedTuple):
    """Features of n objects, as a file has them."""

    values: npt.NDArray[np.float64]
    """Shape (n, d)."""
    ids: npt.NDArray[Any]
    """Of the objects, shape (n,)."""
    names: list[str]
    """Of the features."""
    classes: Sequence[str] = ()
    """Name of the class of each object; empty if no classes were wanted."""


class ClassFile(NamedTuple):
    """The classes of objects in a file of their own."""

    classes: list[str]
    """Name of the class of each object."""
    ids: npt.NDArray[Any] | None
    """Of the objects; None if the file has none."""
    counts_rows: bool = False
    """Whether the ids only count the rows."""


def read_label_matrix(path: Path, layout: Layout, remedies: Remedies) -> LabelMatrix:
    """Read a label matrix: labels are whole numbers, which stay as they are, or words, which become their ranks.

    Where another label than -1 is the missing one, numbers become ranks too, since -1 is then a label as any other.
    InputError names the file, the line or row, the column and the remedy.
    """
    table, classes = read_table(path, layout, layout.missing, remedies)
    return labels_of(table, layout, classes)


def labels_of(table: ObjectTable, layout: Layout, classes: npt.NDArray[Any] | None = None) -> LabelMatrix:
    """Return the label matrix of a table; ``classes`` are those that stand beside it. InputError for a mistake."""
    table, classes = _arrange(table, layout, classes)
    if layout.codes:
        table = table.with_columns([column.without_codes(layout.codes, layout.missing) for column in table.columns])
    if layout.indicator:
        table = join_indicators(table)
    n = len(table.ids)
    m = len(table.columns)
    if layout.transposed is None and n < m:
        remedy = table.remedies.use(transposed="if clusterings are in rows", not_transposed="if objects are")
        table.refuse(None, None, f"{count(n, 'row')} and {count(m, 'column')}, so it may be transposed", remedy)
    labels = _labels_of_columns(table, layout.missing)
    names = [] if classes is None else _class_names(table, classes, layout)
    return LabelMatrix(labels, names, table)


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


def features_of(table: ObjectTable, layout: Layout, classes: npt.NDArray[Any] | None = None) -> FeatureMatrix:
    """Return the features of a table; ``classes`` are those that stand beside it. InputError for a mistake."""
    refuse_decimals(table, layout)
    table, classes = _arrange(table, layout, classes)
    columns = []
    for j, column in enumerate(table.columns):
        word = column.find_word()
        if word is not None:
            _refuse_word_among_features(table, j, word)
        values = column.to_numbers()
        for row in np.flatnonzero(~np.isfinite(values))[:1]:
            table.refuse(int(row), j, "no finite value", COMPLETE)
        columns.append(values)
    names = [] if classes is None else _class_names(table, classes, layout)
    return FeatureMatrix(np.column_stack(columns).astype(np.float64), table.ids, table.names, names)


def classes_of(table: ObjectTable) -> ClassFile:
    """Return the classes of a table with one column of them, and perhaps the ids of the objects in the first column.

    InputError for a table with more columns.
    """
    layout = Layout(all_have_classes=False)
    place = find_ids(table, layout, set())
    rest = [j for j in range(len(table.columns)) if j != place]
    if len(rest) != 1:
        beside = "beside the ids" if place is not None else "and no ids in the first"
        what = f"{count(len(rest), 'column')} {beside}"
        table.refuse(None, None, what, "a file of classes has one column, and perhaps the ids of the objects before it")
    classes = _class_names(table, table.columns[rest[0]].to_ids(), layout)
    if place is None:
        return ClassFile(classes, None)
    ids = table.columns[place]
    counts_rows = ids.find_word() is None and _counts_rows(ids)
    return ClassFile(classes, ids.to_ids(), counts_rows)


def _refuse_word_among_features(table: ObjectTable, j: int, row: int) -> NoReturn:
    """Refuse a word, which may be the only one of its column."""
    column = table.columns[j]
    cell = shorten(column.cell(row))
    is_whole_column = isinstance(column, TextColumn) and column.share_of_words() > 0.5
    complete = "" if is_whole_column else COMPLETE
    purposes = {"drop": "to leave this column out"}
    if is_whole_column:
        purposes = {"classes": "if these are classes", **purposes}
    leave_out = take_out(table, [j], purposes, least=1)
    table.refuse(row, j, f"{cell} is no number", complete, leave_out)


def refuse_decimals(table: ObjectTable, layout: Layout) -> None:
    """Refuse numbers with a decimal comma, which are words as long as nobody says what the comma is."""
    if not table.remedies.decimal or layout.decimal != POINT:
        return
    for j, column in enumerate(table.columns):
        if not isinstance(column, TextColumn):
            continue
        has_comma = [COMMA.fullmatch(cell) is not None for cell in column.cells]
        is_other_word = [
            not (comma or is_number(cell) or is_absent(cell))
            for comma, cell in zip(has_comma, column.cells, strict=True)
        ]
        if any(has_comma) and not any(is_other_word):
            row = int(np.argmax(np.array(has_comma)[column.places]))
            remedy = table.remedies.use(",", decimal="")
            table.refuse(row, j, f"{shorten(column.cell(row))} has a decimal comma", remedy)


def read_table(path: Path, layout: Layout, missing: int | None, remedies: Remedies) -> TableWithClasses:
    """Return the table of a file; ``missing`` stands for a missing integer, NaN if it is None."""
    suffix = path.suffix.lower()
    if layout.variable is not None and suffix not in (".npz", ".mat"):
        what = f"{remedies.key('variable')} is for .npz and .mat files, which have several"
        raise InputError(f"{path}: {what}; leave it out")
    if layout.decimal != POINT and suffix not in TEXT_SUFFIXES:
        raise InputError(f"{path}: {remedies.key('decimal')} is for text files; leave it out")
    if layout.header is not None and suffix not in TEXT_SUFFIXES:
        what = " and ".join(dict.fromkeys(filter(None, (remedies.header, remedies.no_header))))
        raise InputError(f"{path}: {what} are for text files; leave them out")
    if suffix in TEXT_SUFFIXES:
        return TableWithClasses(read_delimited(path, layout, remedies), None)
    if suffix in ARRAY_SUFFIXES:
        return read_arrays_file(path, layout, remedies)
    if suffix == ".parquet":
        return TableWithClasses(read_parquet(path, missing, remedies, layout.drop), None)
    raise InputError(f"{path}: unknown format; save it as one of {', '.join(SUFFIXES)}")


def _arrange(table: ObjectTable, layout: Layout, classes: npt.NDArray[Any] | None) -> TableWithClasses:
    """Take ids, classes and dropped columns out of a table, and put the objects into its rows."""
    class_column = layout.classes if classes is None else None
    left_out = {_place(table, name, "drop") for name in layout.drop}
    if class_column is not None and not layout.transposed:
        place = _place(table, class_column, "classes")
        classes = table.columns[place].to_ids()
        left_out.add(place)
    if layout.long:
        return _spread(table.without(left_out), layout, classes)
    ids = find_ids(table, layout, left_out)
    if ids is not None:
        left_out.add(ids)
    if len(left_out) == len(table.columns):
        table.refuse(None, None, "no column is left beside the ids", "write a column for each base clustering")
    table = table.without(left_out, None if ids is None else table.columns[ids].to_ids())
    if layout.transposed:
        table = table.transposed()
        if class_column is not None:
            place = _place(table, class_column, "classes")
            classes = table.columns[place].to_ids()
            table = table.without({place})
    if not table.columns:
        table.refuse(None, None, "no column is left beside the classes", "write a column for each base clustering")
    return TableWithClasses(table, classes)


def _spread(table: ObjectTable, layout: Layout, classes: npt.NDArray[Any] | None) -> TableWithClasses:
    """Return a table in the long form as one with a row for each object, which has the class of its first row."""
    if layout.transposed:
        what = f"{table.remedies.key('long')} is for objects in rows"
        table.refuse(None, None, what, f"leave {table.remedies.key('transposed')} out")
    objects = 0 if layout.ids is None else _place(table, layout.ids, "ids")
    table, first_rows = spread_long_form(table, objects)
    return TableWithClasses(table, None if classes is None else classes[first_rows])


def find_ids(table: ObjectTable, layout: Layout, left_out: set[int]) -> int | None:
    """Return the place of the ids: the column that the layout names, or the first of the others if it holds ids.

    It holds ids if it has such a name, distinct words, or row numbers. Arrays have no ids.
    """
    if layout.ids is not None:
        return _place(table, layout.ids, "ids")
    rest = [j for j in range(len(table.columns)) if j not in left_out]
    if layout.no_ids or len(rest) < 2 or table.path.suffix.lower() in ARRAY_SUFFIXES:
        return None
    place = rest[0]
    first = table.columns[place]
    if table.names[place].lower() in ID_NAMES:
        return place
    if first.find_word() is None:
        return place if _counts_rows(first) else None
    if first.count_distinct() == len(first):
        return place
    _refuse_classes(table.without(left_out), layout)
    return None


def _refuse_classes(table: ObjectTable, layout: Layout) -> None:
    """Refuse words that repeat in the first column if all others are numbers: they are hardly labels.

    They are not refused if most of the column is numbers: a single word is refused where its label is read.
    """
    first, *others = [column.without_codes(layout.codes, layout.missing) for column in table.columns]
    is_words = not isinstance(first, TextColumn) or first.share_of_words() > 0.5
    if first.find_word() is None or not is_words or not all(map(holds_numbers, others)):
        return
    what = "words that repeat, beside columns of numbers"
    purposes = {
        "ids": "if these are ids",
        "classes": "if these are classes",
        "drop": "to leave this column out",
        "no_ids": "if this is a clustering",
    }
    remedy = take_out(table, [0], purposes)
    table.refuse(None, 0, what, remedy)


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
        is_whole = np.isfinite(values) & (values == np.floor(values))
        for row in np.flatnonzero(present & ~is_whole)[:1]:
            _refuse_fraction(table, j, int(row))
        if isinstance(column, TextColumn) and (np.abs(values[present]) >= EXACT).any():
            labels = _read_long_integers(table, j, column)
        else:
            for row in np.flatnonzero(present & (np.abs(values) >= EXACT))[:1]:
                _refuse_size(table, j, int(row))
            labels = np.where(present, values, MISSING).astype(np.int64)
    else:
        for row in np.flatnonzero(values > np.iinfo(np.int64).max)[:1]:
            _refuse_size(table, j, int(row))
        present = np.ones(len(values), dtype=bool)
        labels = values.astype(np.int64)
    if missing == MISSING:
        return labels
    return _ranked(labels, present & (labels != missing))


def _read_long_integers(table: ObjectTable, j: int, column: TextColumn) -> IntArray:
    """Return the labels of a column of whole numbers that doubles need not hold; InputError beyond 64 bits."""
    limits = np.iinfo(np.int64)
    labels = np.full(len(column.cells), MISSING, dtype=np.int64)
    for place, cell in enumerate(column.cells):
        number = parse_number(cell)
        if number is None:
            continue
        whole = int(cell) if re.fullmatch(r"[+-]?\d+", cell.strip()) else int(number)
        is_exact = abs(number) < EXACT or str(whole) == cell.strip().removeprefix("+")
        if not (is_exact and limits.min <= whole <= limits.max):
            _refuse_size(table, j, int(np.argmax(column.places == place)))
        labels[place] = whole
    return labels[column.places]


def _refuse_fraction(table: ObjectTable, j: int, row: int) -> NoReturn:
    """Refuse a number that is no whole one, as features are, or an infinite one, which may stand for no label."""
    column = table.columns[j]
    value = column.to_numbers()[row]
    what = f"{value:g} is no label, which is a whole number or a word"
    if np.isinf(value):
        missing = table.remedies.use(str(column.cell(row)), missing="if it stands for no label")
        table.refuse(row, j, what, missing or "write NA for a missing label")
    fractions = [i for i, each in enumerate(table.columns) if _has_fractions(each)]
    features = table.remedies.use(features="if these are features")
    table.refuse(row, j, what, _or_header(table, row), features, _drop(table, fractions))


def _has_fractions(column: Column) -> bool:
    """Whether a column has numbers that are no whole ones."""
    if column.find_word() is not None:
        return False
    values = column.to_numbers()
    return bool((values[np.isfinite(values)] % 1 != 0).any())


def _refuse_size(table: ObjectTable, j: int, row: int) -> NoReturn:
    what = f"{table.columns[j].cell(row)} is too large for a label"
    table.refuse(row, j, what, "number the clusters anew", _drop(table, [j]))


def _ranks_of_words(table: ObjectTable, j: int, column: TextColumn, missing: int) -> IntArray:
    """Return the ranks of the words of a column, (n,); InputError if it also has numbers."""
    number = column.find_number(missing)
    word = column.find_word()
    if number is not None and word is not None:
        _refuse_mixture(table, j, word, number)
    words = [cell for cell in column.cells if not is_absent(cell) and cell != str(missing)]
    rank = {cell: number for number, cell in enumerate(sorted(words))}
    ranks = np.array([rank.get(cell, MISSING) for cell in column.cells], dtype=np.int64)
    return ranks[column.places]


def _refuse_mixture(table: ObjectTable, j: int, word: int, number: int) -> NoReturn:
    """Refuse a column with a word and a number, by their rows."""
    column = table.columns[j]
    cell = column.cell(word)
    what = f"{shorten(cell)} is no number, but {shorten(column.cell(number))} is one"
    if "\0" in cell:
        table.refuse(word, j, what, "it holds a NUL character: save the file again as text")
    others = [each for i, each in enumerate(table.columns) if i != j]
    if others and all(bool(each.are_absent()[word]) for each in others):
        table.refuse(word, j, what, "delete this line if it is no object, such as a line of totals")
    if header := _or_header(table, number):
        table.refuse(word, j, what, header, "write words alone")
    code = table.remedies.use(cell, missing="if it stands for no label") or "write NA for a missing label"
    table.refuse(word, j, what, f"{code}, or write words alone", _drop(table, [j]))


def _ranked(values: npt.NDArray[Any], present: npt.NDArray[np.bool_]) -> IntArray:
    """Return the ranks of the values that are present, -1 for the others."""
    ranks = np.full(len(values), MISSING, dtype=np.int64)
    ranks[present] = np.unique(values[present], return_inverse=True)[1]
    return ranks


def _class_names(table: ObjectTable, classes: npt.NDArray[Any], layout: Layout) -> list[str]:
    """Return the name of the class of each object; InputError if one is missing that must not be."""
    name = layout.classes
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
    for row in np.flatnonzero(np.isin(names, NO_CLASS)) if layout.all_have_classes else ():
        table.refuse(int(row), None, "its class is missing", "the scores need the class of each object")
    return names


def _drop(table: ObjectTable, columns: Sequence[int]) -> str:
    purpose = "to leave this column out" if len(columns) == 1 else "to leave these columns out"
    return take_out(table, columns, {"drop": purpose})


def take_out(table: ObjectTable, columns: Sequence[int], purposes: Mapping[str, str], least: int | None = None) -> str:
    """Return a remedy that takes columns out of the clusterings, of many the first; "" if too few were left."""
    names = [table.names[j] for j in columns]
    if len(table.columns) - len(names) < (table.remedies.least if least is None else least):
        return table.remedies.use(**{setting: purpose for setting, purpose in purposes.items() if setting == "no_ids"})
    if len(names) > MOST_NAMED:
        names = names[: MOST_NAMED - 2]
        purposes = {setting: f"and so on {purpose}" for setting, purpose in purposes.items()}
    return table.remedies.use(*names, **purposes)


def _or_header(table: ObjectTable, row: int) -> str:
    """Return a remedy for the first line of a text file, which may also be a header; "" for another row."""
    is_first = row == 0 and bool(table.lines) and table.lines[0] == 1
    return table.remedies.use(header="if line 1 has names") if is_first else ""

"""Label matrices and features in people's files: CSV or TSV, ``.npy``, ``.npz``, ``.mat``, ``.parquet``."""

import csv
import io
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, IntArray
from consclust.errors import InputError
from consclust.extras import needs
from consclust.files import refuse_claims
from consclust.parquet import index_columns

TEXT = {".csv", ".tsv", ".txt", ".dat"}
ARRAYS = {".npy", ".npz", ".mat"}
SUFFIXES = sorted({*TEXT, *ARRAYS, ".parquet"})
DELIMITERS = ",\t;|"  # Else blanks
ABSENT = ("", "na", "nan", "n/a", "#n/a", "<na>", "none", "null")  # Of cells in lower case
PLAIN = frozenset("0123456789+-.eE")  # Of numbers; float() also takes "1_2" and the digits of other scripts
ID_NAMES = ("", "id", "ids", "index", "name", "object", "sample")  # "": row names of R, pandas
SAVE = "save a matrix of numbers, objects in rows, base clusterings in columns"
FEW = 10  # Objects, of which each may have another label by chance
EXACT = 2.0**53  # Above it, doubles do not hold every integer, and two labels could become one


@dataclass(frozen=True)
class Layout:
    """What a file cannot say about itself; None: seen in it."""

    header: bool | None = None
    ids: str | None = None  # Name of the column
    drop: Sequence[str] = ()  # Names of columns
    transposed: bool | None = None
    variable: str | None = None  # Of several in the file


@dataclass(frozen=True)
class Table:
    """Columns of numbers (NaN: missing) or text, with the objects in rows."""

    path: Path
    names: list[str]  # Of the columns
    columns: list[npt.NDArray[Any]]  # Each of shape (n,)
    ids: npt.NDArray[Any]  # Of the objects, shape (n,)
    lines: Sequence[int] = ()  # Of a text file, shape (n,)

    def refuse(self, row: int | None, column: int | None, what: str, remedy: str) -> NoReturn:
        """Raise InputError with the place: file, line or row, column."""
        line = "" if row is None else f"line {self.lines[row]}" if self.lines else f"row {row + 1}"
        place = [line, "" if column is None else f"column {self.names[column]!r}"]
        raise InputError(f"{', '.join([str(self.path), *filter(None, place)])}: {what}; {remedy}")


class Matrix(NamedTuple):
    """What a file holds."""

    values: npt.NDArray[Any]  # Shape (objects, columns)
    ids: npt.NDArray[Any]  # Of the objects
    names: list[str]  # Of the columns


def read_labels(path: Path, layout: Layout) -> Matrix:
    """Return a label matrix, (n, m), -1 where a label is missing.

    Labels are whole numbers or text. InputError names the file, the line, the column and the remedy.
    """
    table = _read(path, layout, MISSING)
    n, m = len(table.ids), len(table.columns)
    if m < 2:
        table.refuse(None, None, "one column of labels", "a consensus needs two base clusterings or more")
    if layout.transposed is None and n < m:
        remedy = "use --transpose if clusterings are in rows, --no-transpose if objects are"
        table.refuse(None, None, f"{n} rows and {m} columns, so it may be transposed", remedy)
    labels = np.column_stack([_labels(table, j) for j in range(m)])
    for j in range(m):
        if n >= FEW and len(np.unique(labels[:, j])) == n:
            remedy = f"use --id {_quoted(table, j)} if these are ids; {_drop(table, j)}"
            table.refuse(None, j, f"each of the {n} objects has another label", remedy)
    for row in np.flatnonzero((labels == MISSING).all(axis=1)):
        table.refuse(int(row), None, "no label in any column", "leave this object out")
    for column in np.flatnonzero((labels == MISSING).all(axis=0)):
        table.refuse(None, int(column), "no label in any row", f"use --drop {_quoted(table, int(column))}")
    return Matrix(labels, table.ids, table.names)


def read_features(path: Path, layout: Layout) -> Matrix:
    """Return features, (n, d); InputError as :func:`read_labels`."""
    table = _read(path, layout, None)
    columns = []
    for j in range(len(table.columns)):
        values, wrong = _numbers(table.columns[j])
        if wrong is not None:
            table.refuse(wrong, j, f"{_short(table.columns[j][wrong])} is no number", _drop(table, j))
        for row in np.flatnonzero(~np.isfinite(values))[:1]:
            table.refuse(int(row), j, "no finite value", "complete the features, or leave this object out")
        columns.append(values)
    return Matrix(np.column_stack(columns).astype(np.float64), table.ids, table.names)


def _labels(table: Table, j: int) -> IntArray:
    """Return the labels of a column, (n,): the whole numbers in it, or the ranks of its words."""
    column = table.columns[j]
    values, wrong = _numbers(column)
    if wrong is not None:
        present = ~_unlabelled(column)
        for row in np.flatnonzero(present & _are_numbers(column))[:1]:
            what = f"{_short(column[wrong])} is no number, but {_short(column[row])} is one"
            remedy = f"write NA for a missing label, or words alone; {_drop(table, j)}"
            table.refuse(wrong, j, what, _or_header(table, int(row), remedy))
        labels = np.full(len(column), MISSING, dtype=np.int64)
        labels[present] = np.unique(column[present].astype(str), return_inverse=True)[1]
        return labels
    if values.dtype.kind != "f":
        for row in np.flatnonzero(values > np.iinfo(np.int64).max)[:1]:
            table.refuse(int(row), j, f"{values[row]} is too large", f"number the clusters anew, or {_drop(table, j)}")
        return values.astype(np.int64)
    present = ~np.isnan(values)
    for row in np.flatnonzero(present & ((np.abs(values) >= EXACT) | (values != np.floor(values))))[:1]:
        remedy = _or_header(table, int(row), f"use --features if these are features, or {_drop(table, j)}")
        table.refuse(int(row), j, f"{values[row]:g} is no label, which is a whole number or a word", remedy)
    return np.where(present, values, MISSING).astype(np.int64)


def _numbers(column: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int | None]:
    """Return a column as numbers, NaN for a missing one, and the first row whose cell is none, if there is one."""
    if column.dtype.kind in "biuf":
        return column, None
    absent = _absent(column)
    numbers = absent | _are_numbers(column)
    if not numbers.all():
        return np.zeros(0), int(np.argmin(numbers))
    return np.where(absent, "nan", column).astype(np.float64), None


def _holds_numbers(column: npt.NDArray[Any]) -> bool:
    return _numbers(column)[1] is None and not _absent(column).all()


def _absent(cells: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    return np.isin(np.char.lower(cells.astype(str)), ABSENT)


def _unlabelled(cells: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    missing: npt.NDArray[np.bool_] = _absent(cells) | (cells == str(MISSING))
    return missing


def _are_numbers(cells: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    every = cells.tolist()
    known = {cell: _is_number(cell) for cell in {*every}}
    return np.array([known[cell] for cell in every], dtype=bool)


def _is_number(cell: str) -> bool:
    """Whether a cell is a plain decimal number, such as -1.5e3."""
    try:
        float(cell)
    except ValueError:
        return False
    return PLAIN.issuperset(cell.strip())


def _read(path: Path, layout: Layout, missing: int | None) -> Table:
    """Return the table of a file; ``missing`` stands for a missing integer, NaN if it is None."""
    suffix = path.suffix.lower()
    if layout.variable is not None and suffix not in (".npz", ".mat"):
        raise InputError(f"{path}: --variable is for .npz and .mat files, which have several; leave it out")
    if layout.header is not None and suffix not in TEXT:
        raise InputError(f"{path}: --header and --no-header are for text files; leave them out")
    if suffix in TEXT:
        table = _text(path, layout.header)
    elif suffix in ARRAYS:
        table = _array(path, layout.variable)
    elif suffix == ".parquet":
        table = _parquet(path, missing)
    else:
        raise InputError(f"{path}: unknown format; save it as one of {', '.join(SUFFIXES)}")
    table = _without_ids(table, layout)
    if layout.transposed:
        table = Table(
            path, [str(each) for each in table.ids], list(np.stack(table.columns, axis=1)), np.array(table.names)
        )
    return table


def _text(path: Path, header: bool | None) -> Table:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: no UTF-8 text (byte {error.start}); save it as UTF-8") from None
    lines, rows = _rows(path, text)
    if header is not False and len(rows) > 1 and len(rows[0]) == len(rows[1]) - 1:  # as R's write.table writes
        rows[0], header = ["", *rows[0]], True
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(rows[0]):
            what = f"{len(row)} cells, but {len(rows[0])} in line {lines[0]}"
            raise InputError(f"{path}, line {line}: {what}; correct the line")
    if header is None:
        header = _has_header(path, rows[0], rows[1:])
    if header:
        names, rows, lines = [" ".join(name.split()) for name in rows[0]], rows[1:], lines[1:]
    else:
        names = [str(j + 1) for j in range(len(rows[0]))]
    if not rows:
        raise InputError(f"{path}: a header without rows; a label matrix has a line for each object")
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return Table(path, names, columns, np.arange(1, len(rows) + 1), lines)


def _rows(path: Path, text: str) -> tuple[list[int], list[list[str]]]:
    """Return the rows of a text with the numbers of their lines, without empty ones and empty columns at the end."""
    named = re.match(rf'"?sep=([{DELIMITERS}])"?\n', text)  # a first line for Excel
    delimiter = named[1] if named else _delimiter(text)
    reader = _reader("\n" + text[named.end() :] if named else text, delimiter, strict=True)
    lines, rows = [], []
    try:
        for row in reader:
            if _is_filled(row):
                lines.append(reader.line_num)
                rows.append([cell.strip() for cell in row])
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}; correct the line") from None
    if not rows:
        raise InputError(f"{path}: it is empty; a label matrix has a line for each object")
    return lines, _without_empty_end(rows)


def _without_empty_end(rows: list[list[str]]) -> list[list[str]]:
    """Leave out the columns at the end that have neither a name nor cells, as after a delimiter at the end of lines."""
    first, *others = rows
    while others and all(row[1:] and not row[-1] for row in others) and not any(first[len(others[0]) - 1 :]):
        first, others = first[: len(others[0]) - 1], [row[:-1] for row in others]
    return [first, *others]


def _delimiter(text: str) -> str:
    """Return the delimiter that parts the first rows into most cells; a blank if none does."""
    sizes = {}
    for each in DELIMITERS:
        try:
            head = islice(filter(_is_filled, _reader(text, each, strict=False)), 20)
            sizes[each] = [len(row) for row in head]
        except csv.Error:  # a cell without end
            sizes[each] = []
    best = max(DELIMITERS, key=lambda each: min(sizes[each], default=0))
    return best if sizes[best] and sizes[best][0] > 1 else " "


def _is_filled(row: list[str]) -> bool:
    return any(row) or len(row) > 1


def _reader(text: str, delimiter: str, *, strict: bool) -> Any:
    """Return a reader of the rows, which may have blanks around quoted cells."""
    text = re.sub(rf'" +(?=[{re.escape(delimiter)}\n]|\Z)', '"', text)
    content: Iterator[str] = io.StringIO(text)
    if delimiter == " ":
        content = (" ".join(line.split()) + "\n" for line in content)
    return csv.reader(content, delimiter=delimiter, skipinitialspace=True, strict=strict)


def _has_header(path: Path, first: list[str], rows: list[list[str]]) -> bool:
    """Whether the first line holds names: words above numbers, or words that their columns do not hold."""
    words = [not (_is_number(cell) or cell.lower() in ABSENT) for cell in first]
    below = [np.array(column) for column in zip(*rows, strict=True)]
    if first[0].lower() in ID_NAMES and below and not _absent(below[0]).any():
        return True
    above_numbers = [
        word and _holds_numbers(column) and not _unlabelled(column).all()
        for word, column in zip(words, below, strict=bool(below))
    ]
    if all(words):
        new = len({*first}) == len(first) and not any(map(np.isin, first, below))
        return any(above_numbers) or new
    counted = len(first) > 2 and first == [str(j) for j in range(len(first))]  # the names that pandas gives columns
    if counted and not all(map(np.isin, first, below)):
        return True
    if any(above_numbers) or _increase(first):
        what = f"{_short(','.join(first))} may be a header or the first object"
        raise InputError(f"{path}, line 1: {what}; use --header or --no-header")
    return False


def _increase(first: list[str]) -> bool:
    """Whether the whole numbers in the first line increase, as names such as the numbers of clusters 2, 3, 4, 5 do.

    Three numbers must increase in equal steps, since the labels of an object also increase at times.
    """
    numbers = [float(cell) for cell in first if _is_number(cell)]
    steps = np.diff(numbers)
    whole = all(number.is_integer() for number in numbers)
    return whole and len(steps) > 1 and bool((steps > 0).all()) and (len(steps) > 2 or steps[0] == steps[1])


def _array(path: Path, variable: str | None) -> Table:
    """Return the matrix of a file of arrays: the variable named so, or ``labels``, or the only one."""
    stored = _stored(path)
    matrices = [name for name, value in stored.items() if np.ndim(value) == 2 and np.size(value)]
    if variable is None:
        variable = "labels" if "labels" in matrices else matrices[0] if len(matrices) == 1 else None
    if not matrices:
        shapes = ", ".join(f"{name!r} of shape {np.shape(value)}" for name, value in stored.items()) or "nothing"
        raise InputError(f"{path}: no matrix, but {shapes}; {SAVE}")
    if variable is None or variable not in stored:
        what = f"{len(matrices)} matrices" if variable is None else f"no variable {variable!r}"
        raise InputError(f"{path}: {what}; choose one by --variable NAME; there is {', '.join(matrices)}")
    matrix = np.asarray(stored[variable].toarray() if hasattr(stored[variable], "toarray") else stored[variable])
    if matrix.ndim != 2 or not matrix.size or matrix.dtype.kind not in "biufU":
        what = f"{variable!r} is {matrix.dtype} of shape {matrix.shape}"
        raise InputError(f"{path}: {what}; {SAVE}")
    names = [str(j + 1) for j in range(matrix.shape[1])]
    return Table(path, names, list(matrix.T), np.arange(1, len(matrix) + 1))


def _stored(path: Path) -> dict[str, Any]:
    try:
        if path.suffix.lower() == ".mat":
            from scipy.io import loadmat

            return {name: value for name, value in loadmat(path).items() if not name.startswith("__")}
        with path.open("rb") as handle:
            refuse_claims(handle)
            found = np.load(handle, allow_pickle=False)
            return {"array": found} if isinstance(found, np.ndarray) else {name: found[name] for name in found.files}
    except NotImplementedError:
        raise InputError(f"{path}: MATLAB v7.3 (HDF5); store it with: save -v7") from None
    except Exception as error:  # SciPy raises many kinds
        problem = " ".join(str(error).split())
        if "pickle" in problem:  # NumPy takes every unknown file for one
            raise InputError(f"{path}: no array of numbers or text; {SAVE}") from None
        raise InputError(f"{path}: not readable as {path.suffix} ({problem}); save it again") from None


def _parquet(path: Path, missing: int | None) -> Table:
    with needs("parquet"):
        from pyarrow import ArrowInvalid, types
        from pyarrow.parquet import read_table

    try:
        stored = read_table(path)
    except (OSError, ArrowInvalid) as error:
        raise InputError(f"{path}: not readable as Parquet ({' '.join(str(error).split())}); save it again") from None
    names, columns = stored.column_names, []
    if index := index_columns(stored.schema):
        names = [index[0], *(name for name in names if name not in index)]
        stored = stored.select(names)
    for column in stored.columns:
        if types.is_boolean(column.type):
            column = column.cast("int8")
        if types.is_signed_integer(column.type) and missing is not None:
            column = column.fill_null(missing)
        elif not (types.is_integer(column.type) or types.is_floating(column.type)):
            column = np.array(["" if cell is None else str(cell) for cell in column.to_pylist()])
        columns.append(np.asarray(column))
    if not stored.num_rows or not columns:
        raise InputError(f"{path}: {stored.num_rows} rows and {len(columns)} columns; save a matrix of labels")
    return Table(path, ["" if index else names[0], *names[1:]], columns, np.arange(1, stored.num_rows + 1))


def _without_ids(table: Table, layout: Layout) -> Table:
    """Take the column of ids, and the columns that the user drops, out of a table."""
    chosen = _place(table, layout.ids, "--id") if layout.ids is not None else _ids(table)
    left_out = {chosen, *(_place(table, name, "--drop") for name in layout.drop)}
    kept = [j for j in range(len(table.columns)) if j not in left_out]
    if not kept:
        table.refuse(None, None, "no column is left beside the ids", "write a column for each base clustering")
    ids = table.ids if chosen is None else table.columns[chosen]
    return Table(table.path, [table.names[j] for j in kept], [table.columns[j] for j in kept], ids, table.lines)


def _ids(table: Table) -> int | None:
    """Return the place of the ids, 0 if the first column holds any: it has such a name, distinct words, row numbers."""
    if len(table.columns) < 2 or table.path.suffix.lower() in ARRAYS:
        return None
    first, (values, wrong) = table.columns[0], _numbers(table.columns[0])
    distinct = len(np.unique(first)) == len(first)
    if table.names[0].lower() in ID_NAMES or (wrong is not None and distinct):
        return 0
    if wrong is None:
        counted = len(first) > 2 and any(np.array_equal(values, np.arange(len(first)) + one) for one in (0, 1))
        return 0 if counted else None
    if all(map(_holds_numbers, table.columns[1:])):
        name = _quoted(table, 0)
        what = "words above each other that repeat, beside columns of numbers"
        table.refuse(None, 0, what, f"use --id {name} if these are ids, --drop {name} if these are classes")
    return None


def _place(table: Table, name: str, option: str) -> int:
    if table.names.count(name) != 1:
        from consclust.validation import did_you_mean

        what = f"{table.names.count(name) or 'no'} columns named {name!r}"
        table.refuse(None, None, what, f"{option} names one; {did_you_mean(name, table.names)}")
    return table.names.index(name)


def _drop(table: Table, j: int) -> str:
    return f"--drop {_quoted(table, j)} leaves this column out"


def _quoted(table: Table, j: int) -> str:
    """Return the name of a column as a shell takes it."""
    return shlex.quote(table.names[j])


def _or_header(table: Table, row: int, remedy: str) -> str:
    """Return the remedy for a cell; the first line of a file may also be a header."""
    return f"use --header if line 1 has names; {remedy}" if row == 0 and table.lines and table.lines[0] == 1 else remedy


def _short(cell: Any) -> str:
    text = str(cell)
    return repr(text if len(text) <= 40 else text[:37] + "...")

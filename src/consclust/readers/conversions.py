"""Files in further formats, which are converted to a plain one and read from there: for a person's files alone.

Compressed files, Excel sheets, folders of one-column files, text of one column with empty lines, R's ``.rds`` and
MATLAB v7.3. A study reads the plain formats.
"""

# h5py, openpyxl and rdata are imported where needed; they come with the extra "formats"

import bz2
import csv
import gzip
import lzma
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from consclust.errors import InputError
from consclust.extras import needs
from consclust.plurals import count
from consclust.readers.arrays import TableWithClasses
from consclust.readers.common import one_line, refuse_bomb
from consclust.readers.delimited import DELIMITERS
from consclust.readers.label_matrix import find_ids, read_table
from consclust.readers.layout import SUFFIXES, TEXT_SUFFIXES, Layout, Remedies
from consclust.readers.object_table import POINT, Column, NumberColumn, ObjectTable, number_rows

UNPACKERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
CONVERTED = (*UNPACKERS, ".xlsx", ".rds")
HDF5_MARK = b"\x89HDF\r\n\x1a\n"
HDF5_AT = 512
"""Bytes of MATLAB's own header before the mark."""
BLOCK = 2**20
QUOTED_NOTHING = '""'
"""A missing value of one column, as pandas writes it."""


def read_any_table(path: Path, layout: Layout, missing: int | None, remedies: Remedies) -> TableWithClasses:
    """Return the table of a file in a plain or a further format, or of a folder; as :func:`read_table`."""
    if path.is_dir():
        return TableWithClasses(_join_folder(path, layout, missing, remedies), None)
    convert = _find_conversion(path, layout, remedies)
    if convert is None:
        return read_table(path, layout, missing, remedies)
    with TemporaryDirectory() as folder:
        plain = convert(path, Path(folder))
        try:
            found = read_any_table(plain, _adapt_layout(path, layout), missing, remedies)
        except InputError as mistake:
            raise InputError(str(mistake).replace(str(plain), str(path))) from None
    return TableWithClasses(replace(found.table, path=path), found.classes)


def _adapt_layout(path: Path, layout: Layout) -> Layout:
    """Return the layout of the plain file that is made of a file: a CSV with a point before decimals of some."""
    suffix = path.suffix.lower()
    if suffix == ".xlsx":
        return replace(layout, variable=None, decimal=POINT)
    if suffix == ".rds":
        return replace(layout, header=True, decimal=POINT)
    return layout


def _find_conversion(path: Path, layout: Layout, remedies: Remedies) -> Callable[[Path, Path], Path] | None:
    """Return what writes a file in a plain format into a folder; None for one that is read as it is."""
    suffix = path.suffix.lower()
    if suffix in UNPACKERS:
        return _unpack
    if suffix == ".xlsx":
        return partial(_convert_xlsx, sheet=layout.variable, remedies=remedies)
    if suffix == ".rds":
        return _convert_rds
    if suffix in TEXT_SUFFIXES:
        lines = _find_gaps(path)
        return partial(_fill_gaps, lines=lines) if lines else None
    return _convert_mat if suffix == ".mat" and _is_hdf5(path) else None


def _unpack(path: Path, folder: Path) -> Path:
    """Write the content of a compressed file."""
    plain = folder / path.stem
    if plain.suffix.lower() not in (*SUFFIXES, ".xlsx", ".rds"):
        remedy = f"end its name in .csv{path.suffix} or similar"
        raise InputError(f"{path}: {plain.suffix or 'no suffix'} before {path.suffix} says no format; {remedy}")
    n_bytes = 0
    try:
        with UNPACKERS[path.suffix.lower()](path) as packed, plain.open("wb") as out:
            while block := packed.read(BLOCK):
                n_bytes += len(block)
                refuse_bomb(path, n_bytes)
                out.write(block)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise InputError(f"{path}: not readable as {path.suffix} ({one_line(error)}); pack it again") from None
    return plain


def _find_gaps(path: Path) -> list[str]:
    """Return the lines of a text file of one column in which an object without a value is an empty line; [] of others.

    Empty lines below the last value are left out.
    """
    try:
        with path.open(encoding="utf-8-sig") as content:
            first = next(filter(None, map(str.strip, content)), "")
        if not first or not _is_one_cell(first):
            return []
        lines = _read_lines(path)
    except UnicodeDecodeError:
        return []  # the reader refuses it
    below = lines[lines.index(first) :]
    has_gap = "" in below or QUOTED_NOTHING in below
    return lines if has_gap and all(map(_is_one_cell, below)) else []


def _is_one_cell(line: str) -> bool:
    """Whether a line has one cell at most: no delimiter but in quotes around the whole of it."""
    is_quoted = len(line) > 1 and line[0] == line[-1] == '"' and '"' not in line[1:-1]
    return is_quoted or not (" " in line or any(delimiter in line for delimiter in DELIMITERS))


def _fill_gaps(path: Path, folder: Path, lines: list[str]) -> Path:
    """Write the lines of a text file of one column with NA in place of nothing; each line keeps its number."""
    n_before = next(i for i, line in enumerate(lines) if line)
    filled = ["NA" if line in ("", QUOTED_NOTHING) else line for line in lines[n_before:]]
    plain = folder / path.name
    plain.write_text("\n".join([*lines[:n_before], *filled]), encoding="utf-8")
    return plain


def _read_lines(path: Path) -> list[str]:
    """Return the lines of a text file to the last that is not empty, without blanks around them."""
    with path.open(encoding="utf-8-sig", newline="") as content:
        text = content.read()
    # where two programs write ends of lines for Windows, one after the other, an end has three characters
    text = text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace("\r", "\n")
    return [line.strip() for line in text.rstrip().split("\n")]


def _convert_xlsx(path: Path, folder: Path, sheet: str | None, remedies: Remedies) -> Path:
    """Write a sheet of an Excel workbook as CSV: the one that is named, or the only one."""
    with needs("formats"):
        from openpyxl import load_workbook

    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except Exception as error:  # openpyxl raises many kinds
        raise InputError(f"{path}: not readable as .xlsx ({one_line(error)}); save it again") from None
    with closing(book):
        if sheet is None and len(book.sheetnames) > 1:
            remedy = f"{remedies.use('NAME', variable='')}; there is {', '.join(book.sheetnames)}"
            raise InputError(f"{path}: {len(book.sheetnames)} sheets; {remedy}")
        name = sheet or book.sheetnames[0]
        if name not in book.sheetnames:
            raise InputError(f"{path}: no sheet {name!r}; there is {', '.join(book.sheetnames)}")
        rows = [[_write_cell(cell) for cell in row] for row in book[name].iter_rows(values_only=True)]
    while rows and not any(rows[-1]):  # Excel counts rows that once had a cell
        rows.pop()
    return _write_csv(folder / f"{path.name}.csv", rows)


def _write_cell(cell: Any) -> str:
    """Return a cell as text; Excel stores whole numbers as floating-point ones."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _convert_rds(path: Path, folder: Path) -> Path:
    """Write a data frame, a matrix or a list of vectors of R as CSV."""
    with needs("formats"):
        import pandas as pd
        import rdata

    try:
        stored = rdata.read_rds(path)
    except Exception as error:  # rdata raises many kinds
        raise InputError(f"{path}: not readable as .rds ({one_line(error)}); save a matrix or a data frame") from None
    if hasattr(stored, "to_pandas"):  # a matrix with names of rows and columns
        stored = stored.to_pandas()
    if isinstance(stored, np.ndarray) and stored.ndim == 2:
        stored = pd.DataFrame(stored, columns=[str(j + 1) for j in range(stored.shape[1])])
    if isinstance(stored, dict | list):
        stored = _join_vectors(path, stored)
    if not isinstance(stored, pd.DataFrame):
        what = f"a {type(stored).__name__}, no matrix, data frame or list of vectors"
        raise InputError(f"{path}: {what}; save one of these with saveRDS")
    header = [str(name) for name in stored.columns]
    rows = _write_rows(stored)
    numbered = [str(row + 1) for row in range(len(stored))]
    names = [str(name) for name in stored.index]
    if names != numbered and names != [str(row) for row in range(len(stored))]:
        header = ["", *header]
        rows = [[name, *row] for name, row in zip(names, rows, strict=True)]
    return _write_csv(folder / f"{path.name}.csv", [header, *rows])


def _join_vectors(path: Path, stored: Any) -> Any:
    """Return a data frame with a column for each vector of a list, as R's lists of partitions have them."""
    import pandas as pd

    items = stored if isinstance(stored, dict) else {str(j + 1): each for j, each in enumerate(stored)}
    lengths = {np.shape(each)[:1] for each in items.values()}
    if len(lengths) != 1 or any(np.ndim(each) != 1 for each in items.values()):
        raise InputError(f"{path}: a list whose elements are no vectors of one length; save a matrix of labels")
    return pd.DataFrame({name: pd.Series(each) for name, each in items.items()})


def _write_rows(frame: Any) -> list[list[str]]:
    """Return the cells of a data frame as text, "" where a value is missing."""
    absent = frame.isna().to_numpy()
    cells = frame.to_numpy(dtype=object)
    return [
        ["" if is_absent else _write_cell(cell) for cell, is_absent in zip(row, flags, strict=True)]
        for row, flags in zip(cells, absent, strict=True)
    ]


def _write_csv(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(rows)
    return path


def _is_hdf5(path: Path) -> bool:
    """Whether a .mat file is of version 7.3, which is HDF5."""
    with path.open("rb") as content:
        head = content.read(HDF5_AT + len(HDF5_MARK))
    return head.startswith(HDF5_MARK) or head[HDF5_AT:] == HDF5_MARK


def _convert_mat(path: Path, folder: Path) -> Path:
    """Write the numeric, logical and text arrays of a MATLAB v7.3 file as .npz."""
    with needs("formats"):
        import h5py

    arrays = {}
    try:
        with h5py.File(path, "r") as content:
            for name, stored in content.items():
                if isinstance(stored, h5py.Dataset):
                    arrays[name] = _read_dataset(content, stored)
    except Exception as error:  # h5py raises many kinds
        raise InputError(f"{path}: not readable as MATLAB v7.3 ({one_line(error)}); save it again") from None
    plain = folder / f"{path.name}.npz"
    np.savez(plain, **{name: value for name, value in arrays.items() if value is not None})
    return plain


def _read_dataset(content: Any, stored: Any) -> Any:
    """Return an array, or the texts of a cell array; None for what is neither. MATLAB stores columns first."""
    kind = stored.attrs.get("MATLAB_class", b"double")
    if kind == b"cell":
        texts = [content[reference] for reference in stored[()].ravel()]
        if any(text.attrs.get("MATLAB_class") != b"char" for text in texts):
            return None
        return np.array([_read_text(text) for text in texts])
    if kind == b"char":
        return np.array([_read_text(stored)])
    values = stored[()]
    return np.asarray(values).T if values.dtype.kind in "biuf" else None


def _read_text(stored: Any) -> str:
    """Return a row of characters, which are numbers of 16 bits."""
    if stored.attrs.get("MATLAB_empty"):
        return ""
    return "".join(map(chr, stored[()].ravel()))


def _join_folder(path: Path, layout: Layout, missing: int | None, remedies: Remedies) -> ObjectTable:
    """Return a table with a column for each file of a folder, which has one column, and perhaps ids before it.

    The first column has the ids of the objects; without ids they are numbered.
    """
    parts = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    if not parts:
        raise InputError(f"{path}: the folder is empty; it needs a file for each base clustering")
    ids: Column | None = None
    names: list[str] = []
    columns: list[Column] = []
    for part in parts:
        own_ids, column = _read_part(part, layout, missing, remedies)
        ids = own_ids if ids is None else ids
        if len(own_ids) != len(ids):
            raise InputError(f"{part}: {len(own_ids)} objects, but {len(ids)} in {parts[0].name}; give the same")
        if not np.array_equal(own_ids.to_ids().astype(str), ids.to_ids().astype(str)):
            raise InputError(f"{part}: other ids, or in another order, than in {parts[0].name}; give the same")
        names.append(part.name.partition(".")[0])
        columns.append(column)
    assert ids is not None
    return ObjectTable(path, ["", *names], [ids, *columns], number_rows(len(ids)), remedies)


def _read_part(part: Path, layout: Layout, missing: int | None, remedies: Remedies) -> tuple[Column, Column]:
    """Return the ids of the objects, their numbers if there are none, and the only other column of a file."""
    known = (*SUFFIXES, *CONVERTED)
    if part.is_dir() or part.suffix.lower() not in known:
        raise InputError(f"{part}: no file of labels; leave files with one of {', '.join(known)} in the folder")
    alone = replace(layout, ids=None, classes=None, drop=())
    table, _ = read_any_table(part, alone, missing, remedies)
    place = find_ids(table, alone, set())
    rest = [column for j, column in enumerate(table.columns) if j != place]
    if len(rest) != 1:
        raise InputError(f"{part}: {count(len(rest), 'column')} of labels; in a folder each file has one")
    ids = NumberColumn(number_rows(len(rest[0]))) if place is None else table.columns[place]
    return ids, rest[0]

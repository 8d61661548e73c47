"""Base clusterings that somebody made: ``.mat``, ``.npz`` or ``.csv`` -> labels and, where given, classes."""

from __future__ import annotations

from dataclasses import dataclass
from operator import contains
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from consclust.ensemble import MISSING, IntArray
from consclust.files import read_arrays
from consclust.readers.common import class_name, malformed, number, short
from consclust.readers.matlab import load_mat
from consclust.readers.table import split_rows
from consclust.validation import did_you_mean

if TYPE_CHECKING:
    from consclust.datasets.registry import ReadyMadeEnsemble

MISSING_CELLS = ("", "NA", "NaN", "nan")
EXACT = 2.0**53
"""Above it, doubles do not hold every integer, and labels of two clusters could become one."""

_CORRECT = "correct variable or classes in config/datasets.yaml"
_LAYOUT = "a CSV of base clusterings has names in line 1 and whole numbers below (docs/add-a-dataset.md)"
_Contents = tuple[npt.NDArray[Any], npt.NDArray[Any] | None]
"""Label matrix and classes as stored."""


@dataclass(frozen=True)
class Clusterings:
    """What the file holds."""

    labels: IntArray
    """Shape (n objects, m clusterings); 0..k-1 in each, in the order of the stored labels; -1 = missing."""
    classes: list[str]
    """Name of the class of each object; empty if the file has no classes."""


def read_clusterings(path: Path, ensemble: ReadyMadeEnsemble) -> Clusterings:
    """Read the base clusterings of a file, verified, as its entry in the registry says.

    InputError for no such variable or column, another shape, a label that is no integer, a class that is missing, or
    another number of classes than of rows.
    """
    matrix, stored = _csv(path, ensemble.classes) if ensemble.format == ".csv" else _variables(path, ensemble)
    if matrix.ndim != 2 or not matrix.size or matrix.dtype.kind not in "biuf":
        where = f"variable {ensemble.variable!r}" if ensemble.variable else ""
        what = f"{matrix.dtype} of shape {matrix.shape}, no matrix of labels"
        malformed(path, where, what, "store integers, objects in rows, base clusterings in columns")
    classes = [] if stored is None else _class_names(path, stored)
    if ensemble.classes and len(classes) != len(matrix):
        what = f"{len(matrix)} rows of labels, but {len(classes)} classes in {ensemble.classes!r}"
        malformed(path, "", what, "objects go in rows, one class for each")
    return Clusterings(_coded(path, matrix.astype(np.float64), ensemble.missing), classes)


def _variables(path: Path, ensemble: ReadyMadeEnsemble) -> _Contents:
    names = [name for name in (ensemble.variable, ensemble.classes) if name]
    if ensemble.format == ".mat":
        stored = load_mat(path, names, _CORRECT)
    else:
        stored = read_arrays(path, remedy="write it with numpy.savez, numbers and text only")
    for name in names:
        if name not in stored:
            malformed(path, "", f"no array {name!r}", f"{_CORRECT}; {did_you_mean(name, list(stored))}")
        if sparse.issparse(stored[name]):
            malformed(path, f"variable {name!r}", "a sparse matrix", "store it with full()")
    return stored[names[0]], stored[ensemble.classes] if ensemble.classes else None


def _csv(path: Path, classes: str | None) -> _Contents:
    rows = list(split_rows(path, ","))
    if len(rows) < 2:
        malformed(path, "", "names, but no labels below" if rows else "the file is empty", _LAYOUT)
    header = rows[0][1]
    _check_header(path, header, [row for _, row in rows[1:]], classes)
    labels, names = [], []
    for line, row in rows[1:]:
        if len(row) != len(header):
            malformed(path, f"line {line}", f"{len(row)} columns, but {len(header)} in the header", "correct the line")
        cells = dict(enumerate(row))
        if classes:
            names.append(cells.pop(header.index(classes)))
        labels.append([_label(path, line, header[j], cell) for j, cell in cells.items()])
    return np.array(labels), np.array(names, dtype=str) if classes else None


def _check_header(path: Path, header: list[str], rows: list[list[str]], classes: str | None) -> None:
    """Refuse a first line without a name for each column, such as the labels of an object."""
    if len(header) == 1 and any(other in header[0] for other in ";\t"):
        malformed(path, "line 1", f"{short(header[0])} is one column", f"separate the columns by commas; {_LAYOUT}")
    if all(map(_is_label, header)):
        below = zip(*(row for row in rows if len(row) == len(header)), strict=True)
        if len({*header}) < len(header) or all(map(contains, below, header)):
            malformed(path, "line 1", f"{short(','.join(header))} may be the labels of an object", _LAYOUT)
    if classes and header.count(classes) != 1:
        what = f"{header.count(classes)} columns {classes!r} in the header"
        malformed(path, "line 1", what, f"{_CORRECT}; {did_you_mean(classes, header)}")
    if "" in header:
        what = f"column {header.index('')} (from 0) has no name"
        malformed(path, "line 1", what, "name it, or leave it out if it numbers the rows (pandas: index=False)")


def _label(path: Path, line: int, column: str, cell: str) -> float:
    try:
        return number(cell, MISSING_CELLS)
    except ValueError as mistake:
        remedy = f"number the clusters, or leave the column out if it holds no labels; {_LAYOUT}"
        malformed(path, f"line {line}, column {short(column)}", str(mistake), remedy)


def _is_label(cell: str) -> bool:
    try:
        number(cell, MISSING_CELLS)
    except ValueError:
        return False
    return True


def _class_names(path: Path, classes: npt.NDArray[Any]) -> list[str]:
    if classes.dtype.kind not in "biufSU":
        malformed(path, "", f"classes of type {classes.dtype}", "store numbers or text")
    values = classes.ravel()
    names = values.astype(str).tolist() if values.dtype.kind in "SU" else [class_name(value) for value in values]
    for i in np.flatnonzero(np.isin(names, MISSING_CELLS)):
        malformed(path, f"object {i} (from 0)", "its class is missing", "the scores need the class of each object")
    return names


def _coded(path: Path, matrix: npt.NDArray[np.float64], missing: int) -> IntArray:
    absent = np.isnan(matrix) | (matrix == missing)
    wrong = np.argwhere(~absent & ((np.abs(matrix) >= EXACT) | (matrix != np.floor(matrix))))
    for i, j in wrong[:1]:
        where = f"object {i}, base clustering {j} (both from 0)"
        malformed(path, where, f"the label {matrix[i, j]:g} is no integer", "number the clusters")
    labels = np.full(matrix.shape, MISSING, dtype=np.int64)
    for j, present in enumerate(~absent.T):
        labels[present, j] = np.unique(matrix[present, j], return_inverse=True)[1]
    return labels

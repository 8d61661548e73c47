"""Matrices of labels or features in ``.npy``, ``.npz`` and ``.mat`` files, and the classes beside them."""

# SciPy is imported where needed, so that what does without it starts faster

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.errors import InputError
from consclust.files import refuse_claims
from consclust.readers.layout import Layout, Remedies
from consclust.readers.object_table import NumberColumn, ObjectTable, TextColumn, number_rows
from consclust.validation import did_you_mean

SAVE = "save a matrix of numbers, objects in rows, base clusterings in columns"


class Stored(NamedTuple):
    """Arrays of a file."""

    arrays: dict[str, Any]
    """Those that were wanted, by name."""
    names: list[str]
    """Of all arrays in the file."""


class TableWithClasses(NamedTuple):
    """A table, and what stands beside it in the file."""

    table: ObjectTable
    classes: npt.NDArray[Any] | None
    """As stored, if classes were wanted."""


def read_arrays_file(path: Path, layout: Layout, remedies: Remedies) -> TableWithClasses:
    """Return the matrix of a file of arrays: the variable named so, or ``labels``, or the only one."""
    wanted = [name for name in (layout.variable, layout.classes) if name] if layout.variable else []
    stored = _read_stored(path, wanted)
    classes = None
    if layout.classes is not None:
        classes = stored.arrays.get(layout.classes)
        if classes is None and not layout.classes.isdecimal():  # a number is that of a column
            remedy = f"{remedies.use('NAME', classes='')}; {did_you_mean(layout.classes, stored.names)}"
            raise InputError(f"{path}: no array {layout.classes!r}; {remedy}")
    name = layout.variable or _find_matrix(path, stored, layout.classes, remedies)
    if name not in stored.arrays:
        remedy = f"{remedies.use('NAME', variable='')}; there is {', '.join(stored.names)}"
        raise InputError(f"{path}: no variable {name!r}; {remedy}")
    columns = _columns_of(path, name, stored.arrays[name])
    names = [str(j + 1) for j in range(len(columns))]
    return TableWithClasses(ObjectTable(path, names, columns, number_rows(len(columns[0])), remedies), classes)


def read_vector(path: Path, remedies: Remedies) -> ObjectTable:
    """Return the only array of a file, numbers or text with one value for each object, as a column."""
    stored = _read_stored(path, ())
    if len(stored.arrays) != 1:
        raise InputError(f"{path}: {len(stored.arrays)} arrays; a file of classes has one")
    (values,) = (np.asarray(each) for each in stored.arrays.values())
    if values.size != max(values.shape, default=0) or values.dtype.kind not in "biufU":
        raise InputError(f"{path}: {values.dtype} of shape {values.shape}; save a class for each object, as one column")
    columns = _columns_of(path, "array", values.reshape(-1, 1))
    return ObjectTable(path, ["1"], columns, number_rows(values.size), remedies)


def _columns_of(path: Path, name: str, stored: Any) -> list[NumberColumn] | list[TextColumn]:
    """Return the columns of a matrix, dense or sparse; InputError if it is none."""
    matrix = np.asarray(stored.toarray() if hasattr(stored, "toarray") else stored)
    if matrix.ndim != 2 or not matrix.size or matrix.dtype.kind not in "biufU":
        raise InputError(f"{path}: {name!r} is {matrix.dtype} of shape {matrix.shape}, no matrix; {SAVE}")
    if matrix.dtype.kind == "U":
        return [TextColumn.make(column.tolist()) for column in matrix.T]
    return [NumberColumn(column) for column in matrix.T]


def _find_matrix(path: Path, stored: Stored, classes: str | None, remedies: Remedies) -> str:
    """Return the name of the matrix of labels, where none is given; InputError if there may be several."""
    others = {name: value for name, value in stored.arrays.items() if name != classes}
    matrices = [name for name, value in others.items() if np.ndim(value) == 2 and np.size(value)]
    if "labels" in matrices:
        return "labels"
    if len(matrices) == 1:
        return matrices[0]
    if matrices:
        remedy = f"{remedies.use('NAME', variable='')}; there is {', '.join(matrices)}"
        raise InputError(f"{path}: {len(matrices)} matrices; {remedy}")
    shapes = ", ".join(f"{name!r} of shape {np.shape(value)}" for name, value in others.items()) or "nothing"
    raise InputError(f"{path}: no matrix, but {shapes}; {SAVE}")


def _read_stored(path: Path, wanted: Sequence[str]) -> Stored:
    """Read the arrays of these names, all if there is none; InputError if the file is not readable."""
    try:
        return _read_mat(path, wanted) if path.suffix.lower() == ".mat" else _read_numpy(path, wanted)
    except NotImplementedError:
        raise InputError(f"{path}: MATLAB v7.3 (HDF5); store it with: save -v7") from None
    except Exception as error:  # SciPy raises many kinds
        problem = " ".join(str(error).split())
        if "pickle" in problem:  # NumPy takes every unknown file for one
            raise InputError(f"{path}: no array of numbers or text; {SAVE}") from None
        raise InputError(f"{path}: not readable as {path.suffix} ({problem}); save it again") from None


def _read_mat(path: Path, wanted: Sequence[str]) -> Stored:
    from scipy.io import loadmat, whosmat

    with path.open("rb") as handle, warnings.catch_warnings():
        warnings.filterwarnings("error", "Unreadable variable")  # else its value is a message
        names = [name for name, *_ in whosmat(handle)]
        handle.seek(0)
        found = loadmat(handle, variable_names=[*wanted] or None)
    return Stored({name: value for name, value in found.items() if name in names}, names)


def _read_numpy(path: Path, wanted: Sequence[str]) -> Stored:
    # NumPy leaves a file that it opened itself open when its content is not a zip
    with path.open("rb") as handle:
        refuse_claims(handle)
        found = np.load(handle, allow_pickle=False)
        if isinstance(found, np.ndarray):
            return Stored({"array": found}, ["array"])
        names = found.files
        return Stored({name: found[name] for name in names if not wanted or name in wanted}, names)

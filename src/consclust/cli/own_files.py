"""Label matrices and features in the files that people give to the command."""

import shlex
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.errors import InputError
from consclust.readers.arrays import read_vector
from consclust.readers.conversions import read_any_table
from consclust.readers.label_matrix import classes_of, features_of
from consclust.readers.layout import ARRAY_SUFFIXES, Layout, Remedies
from consclust.readers.object_table import name_columns
from consclust.readers.recognition import is_named_like_classes, read_own_labels
from consclust.readers.units import are_tiny, find_large_units, scale_columns

OPTIONS = Remedies(
    header="--header",
    no_header="--no-header",
    ids="--id {}",
    no_ids="--no-id",
    drop="--drop {}",
    transposed="--transpose",
    not_transposed="--no-transpose",
    variable="--variable {}",
    classes="--truth {}",
    features="--features",
    missing="--missing {}",
    indicator="--indicator",
    long="--long",
    not_long="--no-long",
    decimal="--decimal {}",
    scale="--scale",
    least=2,
    quote=shlex.quote,
)

CLASS_FILE = Remedies(quote=shlex.quote)
"""A file of classes has no options of its own."""


class Matrix(NamedTuple):
    """What a file holds."""

    values: npt.NDArray[Any]
    """Labels, -1 where one is missing, or features; shape (objects, columns)."""
    ids: npt.NDArray[Any]
    """Of the objects."""
    names: list[str]
    """Of the columns."""
    classes: Sequence[str] = ()
    """Name of the class of each object, of shape (n,); empty if no column has classes."""


def read_labels(path: Path, layout: Layout) -> Matrix:
    """Return a label matrix, (n, m), -1 where a label is missing; InputError says what to do.

    Warns of columns that may be no clusterings.
    """
    found, oddities = read_own_labels(path, layout, OPTIONS)
    for oddity in oddities:
        warnings.warn(oddity, stacklevel=2)
    return Matrix(found.labels, found.table.ids, found.table.names, found.classes)


def read_features(path: Path, layout: Layout, *, scale: bool = False) -> Matrix:
    """Return features, (n, d), on request each with mean 0 and standard deviation 1; InputError as above.

    Warns of features in unlike units, of which k-means sees the largest alone.
    """
    table, classes = read_any_table(path, layout, None, OPTIONS)
    found = features_of(table, layout, classes)
    _warn_of_classes(path, layout, found.names)
    if scale:
        return Matrix(scale_columns(found.values), found.ids, found.names, found.classes)
    if large := find_large_units(found.values):
        times = f"{max(large.values()):,.0f}"
        what = f"a standard deviation of up to {times} times the median of the columns, so that others hardly count"
        names = name_columns([found.names[j] for j in large])
        warnings.warn(f"{path}, {names}: {what}; {OPTIONS.use(scale='for equal deviations')}", stacklevel=2)
    if are_tiny(found.values):
        what = "the squares of all differences vanish"
        warnings.warn(f"{path}: {what}; {OPTIONS.use(scale='for equal deviations')}", stacklevel=2)
    return Matrix(*found)


def _warn_of_classes(path: Path, layout: Layout, names: Sequence[str]) -> None:
    """Warn of a feature that is named like classes, where no classes are named."""
    named = [name for name in names if is_named_like_classes(name)]
    if not named or layout.classes is not None:
        return
    remedy = OPTIONS.use(named[0], classes="if these are classes", drop="to leave this column out")
    what = f"{name_columns(named[:1])}: named like classes, but taken for a feature; {remedy}"
    warnings.warn(f"{path}, {what}", stacklevel=3)


def read_known_classes(path: Path, ids: npt.NDArray[Any]) -> list[str]:
    """Return the class of each object from a file of classes; ``ids`` are those of the objects, shape (n,).

    Objects are matched by their ids if the file has the id of every one of them, and by the order of the rows if it has
    no ids or they only count its rows. InputError where neither fits.
    """
    if path.suffix.lower() in ARRAY_SUFFIXES:
        table = read_vector(path, CLASS_FILE)
    else:
        table, _ = read_any_table(path, Layout(comments=True), None, CLASS_FILE)
    found = classes_of(table)
    if found.ids is not None:
        place = {name: row for row, name in enumerate(found.ids.astype(str).tolist())}
        wanted = ids.astype(str).tolist()
        absent = [name for name in wanted if name not in place]
        if not absent:
            _refuse_repeated(path, found.ids)
            return [found.classes[place[name]] for name in wanted]
        if not found.counts_rows:
            what = f"no class of object {absent[0]!r} ({len(absent)} such)"
            raise InputError(f"{path}: {what}; write a row for each object, with the ids of the other file")
    if len(found.classes) != len(ids):
        what = f"{len(found.classes)} classes for {len(ids)} objects"
        raise InputError(f"{path}: {what}; write a row for each object, or their ids in the first column")
    return found.classes


def _refuse_repeated(path: Path, ids: npt.NDArray[Any]) -> None:
    """Refuse ids that occur more than once, as they may have several classes."""
    values, counts = np.unique(ids, return_counts=True)
    for name in values[counts > 1][:1]:
        raise InputError(f"{path}: id {str(name)!r} occurs more than once; keep one row for each object")

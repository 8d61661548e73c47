"""Label matrices and features in the files that people give to the command."""

import shlex
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from consclust.readers import label_matrix
from consclust.readers.layout import Layout, Remedies
from consclust.readers.object_table import name_columns
from consclust.readers.recognition import read_own_labels
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


class Matrix(NamedTuple):
    """What a file holds."""

    values: npt.NDArray[Any]
    """Labels, -1 where one is missing, or features; shape (objects, columns)."""
    ids: npt.NDArray[Any]
    """Of the objects."""
    names: list[str]
    """Of the columns."""


def read_labels(path: Path, layout: Layout) -> Matrix:
    """Return a label matrix, (n, m), -1 where a label is missing; InputError says what to do.

    Warns of columns that may be no clusterings.
    """
    found, oddities = read_own_labels(path, layout, OPTIONS)
    for oddity in oddities:
        warnings.warn(oddity, stacklevel=2)
    return Matrix(found.labels, found.table.ids, found.table.names)


def read_features(path: Path, layout: Layout, *, scale: bool = False) -> Matrix:
    """Return features, (n, d), on request each with mean 0 and standard deviation 1; InputError as above.

    Warns of features in unlike units, of which k-means sees the largest alone.
    """
    found = label_matrix.read_features(path, layout, OPTIONS)
    if scale:
        return Matrix(scale_columns(found.values), found.ids, found.names)
    if large := find_large_units(found.values):
        times = f"{max(large.values()):,.0f}"
        what = f"a standard deviation of up to {times} times the median of the columns, so that others hardly count"
        names = name_columns([found.names[j] for j in large])
        warnings.warn(f"{path}, {names}: {what}; {OPTIONS.use(scale='for equal deviations')}", stacklevel=2)
    if are_tiny(found.values):
        what = "the squares of all differences vanish"
        warnings.warn(f"{path}: {what}; {OPTIONS.use(scale='for equal deviations')}", stacklevel=2)
    return Matrix(*found)

"""Label matrices and features in the files that people give to the command."""

import shlex
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from consclust.readers import label_matrix
from consclust.readers.layout import Layout, Remedies

OPTIONS = Remedies(
    header="--header",
    no_header="--no-header",
    ids="--id {}",
    drop="--drop {}",
    transposed="--transpose",
    not_transposed="--no-transpose",
    variable="--variable {}",
    features="--features",
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
    """Return a label matrix, (n, m), -1 where a label is missing; InputError says what to do."""
    found = label_matrix.read_label_matrix(path, layout, OPTIONS)
    label_matrix.check_ensemble(found)
    return Matrix(found.labels, found.table.ids, found.table.names)


def read_features(path: Path, layout: Layout) -> Matrix:
    """Return features, (n, d); InputError as :func:`read_labels`."""
    return Matrix(*label_matrix.read_features(path, layout, OPTIONS))

"""Other forms of a label matrix: a row for each object and clustering, and a column for each cluster."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from consclust.ensemble import IntArray
from consclust.plurals import count
from consclust.readers.object_table import Column, NumberColumn, ObjectTable, TextColumn, shorten

Flags = npt.NDArray[np.bool_]
LONG = ("object", "clustering", "label")


def spread_long_form(table: ObjectTable, objects: int = 0) -> tuple[ObjectTable, IntArray]:
    """Return the table with a column for each clustering, and the first row of each object.

    The three columns hold object, clustering and label in this order, but for the place of the ``objects``. Objects and
    clusterings are in the order in which they first appear. InputError for an object with two labels in a clustering.
    """
    if len(table.columns) != len(LONG):
        form = f"three columns, {', '.join(LONG)}"
        what = f"{count(len(table.columns), 'column')}, but the long form has {form}"
        remedy = table.remedies.use("NAME", drop="to leave a column out") if len(table.columns) > len(LONG) else ""
        table.refuse(None, None, what, remedy and f"{remedy}; there is {', '.join(table.names)}")
    of_objects, of_clusterings, of_labels = (objects, *(j for j in range(len(LONG)) if j != objects))
    ids, first_rows, rows = _number(table.columns[of_objects])
    names, _, columns = _number(table.columns[of_clusterings])
    if (row := _find_repeated(rows, columns)) is not None:
        one, other = (shorten(table.columns[j].cell(row)) for j in (of_objects, of_clusterings))
        what = f"a second label of object {one} in clustering {other}"
        table.refuse(row, None, what, "keep one row for each object and clustering")
    spread = _spread_labels(table.columns[of_labels], columns, rows, (len(names), len(ids)))
    return ObjectTable(table.path, [str(name) for name in names], spread, ids, table.remedies), first_rows


def _spread_labels(labels: Column, columns: IntArray, rows: IntArray, shape: tuple[int, int]) -> list[TextColumn]:
    """Return the columns of labels that have places in columns and rows; ``shape`` is that of all (columns, rows)."""
    if isinstance(labels, NumberColumn):
        labels = TextColumn.make([str(value) for value in labels.values.tolist()])
    cells = labels.cells if "" in labels.cells else [*labels.cells, ""]
    codes = np.full(shape, cells.index(""), dtype=np.int32)
    codes[columns, rows] = labels.places
    return [TextColumn.from_codes(row, cells) for row in codes]


def _number(column: Column) -> tuple[npt.NDArray[Any], IntArray, IntArray]:
    """Return the different values in the order in which they first appear, their first rows, and the place of each."""
    values, first, inverse = np.unique(column.to_ids(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return values[order], first[order], rank[inverse]


def _find_repeated(rows: IntArray, columns: IntArray) -> int | None:
    """Return the first place of a pair that stands before it too; None if there is none."""
    pairs = rows * (int(columns.max()) + 1) + columns
    first = np.unique(pairs, return_index=True)[1]
    if len(first) == len(pairs):
        return None
    is_first = np.zeros(len(pairs), dtype=bool)
    is_first[first] = True
    return int(np.argmin(is_first))


def join_indicators(table: ObjectTable) -> ObjectTable:
    """Return the table with one column in place of those that indicate the clusters of one clustering.

    A clustering ends where each object is in one of its clusters, and where the next column shares an object with it.
    An object in none of its clusters is missing. Columns with other values than 0 and 1 stay as they are.
    """
    names: list[str] = []
    columns: list[Column] = []
    for group in group_indicators(table):
        if len(group) == 1:
            names.append(table.names[group[0]])
            columns.append(table.columns[group[0]])
            continue
        members = find_members(table, group)
        labels = np.where(members.any(axis=1), members.argmax(axis=1), np.nan)
        names.append(_common_name([table.names[j] for j in group], len(names)))
        columns.append(NumberColumn(labels))
    return ObjectTable(table.path, names, columns, table.ids, table.remedies, table.lines, table.first_row)


def find_members(table: ObjectTable, group: Sequence[int]) -> Flags:
    """Return which objects are in the clusters of a clustering, (n, clusters), by the places of its indicators."""
    return np.column_stack([table.columns[j].to_numbers() == 1 for j in group])


def group_indicators(table: ObjectTable) -> list[list[int]]:
    """Return the places of the columns of each clustering, as :func:`join_indicators` finds them."""
    groups: list[list[int]] = []
    covered = np.ones(len(table.ids), dtype=bool)
    for j, column in enumerate(table.columns):
        if not is_indicator(column):
            groups.append([j])
            covered[:] = True
            continue
        members: Flags = column.to_numbers() == 1
        if covered.all() or (covered & members).any():
            groups.append([j])
            covered = members.copy()
        else:
            groups[-1].append(j)
            covered |= members
    return groups


def is_indicator(column: Column) -> bool:
    """Whether a column has no other values than 0 and 1, both of them at most."""
    if column.find_word() is not None:
        return False
    numbers = column.to_numbers()
    return bool(np.isin(numbers[~column.are_absent()], (0, 1)).all())


def _common_name(names: Sequence[str], place: int) -> str:
    """Return what the names of the clusters of a clustering begin with, or the number of the clustering."""
    first = min(names)
    last = max(names)
    n_common = next((i for i, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:n_common].rstrip("_-.:= ") or str(place + 1)

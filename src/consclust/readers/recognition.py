"""Tables that are most likely no label matrix: what is refused, and what is named in a line.

This is for the files and data frames of a person, who may not know what a label matrix is. A study says in its registry
what its files hold. The thresholds are rules of thumb: a base clustering has far fewer clusters than objects.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, IntArray
from consclust.errors import InputError
from consclust.plurals import count
from consclust.readers.conversions import read_any_table
from consclust.readers.forms import LONG, find_members, group_indicators
from consclust.readers.label_matrix import LabelMatrix, labels_of, refuse_decimals, take_out
from consclust.readers.layout import Layout, Remedies
from consclust.readers.object_table import ObjectTable

FEW = 10  # objects, of which each may have another label by chance
MANY_TIMES = 5  # so many times the median number of clusters are named
MOST_CODES = 5  # for missing labels; more of them are features
FAR_MORE = 3  # times the clusters of the other columns, so that ids are refused
MOST_COMPARED = 10  # clusterings in which label 0 is compared with the others
MOST_OBJECTS = 2000
CLASS_NAMES = frozenset(
    (
        *("class", "classes", "label", "labels", "truelabel", "truelabels", "truth", "groundtruth", "gold", "target"),
        *("y", "ytrue", "species", "diagnosis", "celltype", "subtype"),
    )
)
"""Names of columns with classes, in lower case, without blanks, dots, dashes and underscores."""
NAMED_LIKE_CLASSES = "named like classes, but taken for a base clustering"
CHANCE = 1.1  # times the share of pairs that chance joins, at which a cluster agrees with nothing
AGREED = 1.5


def read_own_labels(path: Path, layout: Layout, remedies: Remedies) -> tuple[LabelMatrix, list[str]]:
    """Return the label matrix of a person's file, and what must be said of it, a line each.

    InputError for a mistake in the file, for what no consensus can be made of, and for columns that are hardly
    clusterings.
    """
    table, classes = read_any_table(path, layout, layout.missing, remedies)
    return own_labels_of(table, layout, classes)


def own_labels_of(
    table: ObjectTable, layout: Layout, classes: npt.NDArray[Any] | None = None
) -> tuple[LabelMatrix, list[str]]:
    """Return the label matrix of a person's table, and what must be said of it; as :func:`read_own_labels`."""
    refuse_decimals(table, layout)
    _refuse_long_form(table, layout)
    found = labels_of(table, layout, classes)
    check_ensemble(found, layout)
    return found, list(name_oddities(found, layout))


def check_ensemble(found: LabelMatrix, layout: Layout) -> None:
    """Refuse what no consensus can be made of, and columns that are hardly clusterings.

    A file from which subsets of columns are drawn may have such rows and columns.
    """
    table = found.table
    if found.labels.shape[1] < 2:
        table.refuse(None, None, "one column of labels", "a consensus needs two base clusterings or more")
    _refuse_codes(found)
    absent = found.labels == MISSING
    for column in np.flatnonzero(absent.all(axis=0))[:1]:
        remedy = take_out(table, [int(column)], {"drop": "to leave this column out"})
        table.refuse(None, int(column), "no label in any row", remedy)
    for row in np.flatnonzero(absent.all(axis=1)):
        table.refuse(int(row), None, "no label in any column", "leave this object out")
    if not layout.no_ids:
        _refuse_ids(found)


def name_oddities(found: LabelMatrix, layout: Layout) -> Iterator[str]:
    """Yield a line for each kind of columns that may be no clusterings."""
    kinds = (
        _name_constant_columns(found),
        _name_fine_columns(found),
        _name_words(found),
        _name_classes(found, layout),
        "" if layout.indicator else _name_indicators(found),
        _name_noise(found),
    )
    yield from filter(None, kinds)


def _refuse_long_form(table: ObjectTable, layout: Layout) -> None:
    """Refuse three columns that look like object, clustering and label."""
    rest = [j for j, name in enumerate(table.names) if name not in layout.drop and name != layout.classes]
    if layout.long is not None or layout.transposed or len(rest) != len(LONG):
        return
    objects = table.columns[rest[0]]
    clusterings = table.columns[rest[1]]
    n = len(objects)
    n_objects = objects.count_distinct()
    n_clusterings = clusterings.count_distinct()
    are_many = n_objects >= FEW and n_objects >= 2 * n_clusterings
    are_crossed = n >= 2 * n_objects and 2 * n >= n_objects * n_clusterings
    if not (are_many and are_crossed):
        return
    if len(set(zip(objects.to_ids().tolist(), clusterings.to_ids().tolist(), strict=True))) == n:
        pairs = f"the pairs of {n_objects} cells in the first column and {n_clusterings} in the second"
        purposes = {"long": "if the columns are object, clustering and label", "not_long": "if they are clusterings"}
        table.refuse(None, None, f"{n} rows are {pairs}, as in the long form", table.remedies.use(**purposes))


def _refuse_codes(found: LabelMatrix) -> None:
    """Refuse labels below -1, which are most likely codes of a missing label."""
    table = found.table
    below = np.argwhere(found.labels < MISSING)
    if not len(below):
        return
    row, column = (int(place) for place in below[0])
    codes = [str(code) for code in np.unique(found.labels[found.labels < MISSING])[::-1].tolist()]
    what = f"{found.labels[row, column]} is no label, which is 0 or more, or -1 for none"
    remedy = table.remedies.use(features="if these are features")
    if len(codes) <= MOST_CODES:
        remedy = table.remedies.use(*codes, missing="if no label is meant")
    table.refuse(row, column, what, remedy, "number the clusters from 0")


def _refuse_ids(found: LabelMatrix) -> None:
    """Refuse columns with another label for each object, or for each two where the other columns have far fewer."""
    table = found.table
    n = len(found.labels)
    numbers = found.n_clusters
    fine = _find_fine(numbers, n)
    refused = [j for j in fine if numbers[j] == n]
    others = np.delete(numbers, fine)
    if others.size and fine and numbers[fine].min() > FAR_MORE * others.max():
        refused = fine
    if refused:
        purposes = {"drop": "to leave this column out", "no_ids": "if this is a clustering"}
        if len(refused) > 1:
            purposes = {"drop": "to leave them out", "no_ids": "if these are clusterings"}
        remedy = _take_fine_out(table, refused, purposes)
        raise InputError(table.describe(None, refused, _count_labels(numbers[refused], n), remedy))


def _name_fine_columns(found: LabelMatrix) -> str:
    """Name columns with a cluster for each two objects, or with many times the clusters of the others."""
    table = found.table
    n = len(found.labels)
    numbers = found.n_clusters
    many = set(np.flatnonzero(numbers > MANY_TIMES * np.median(numbers)).tolist())
    named = sorted(many.union(_find_fine(numbers, n)))
    if not named:
        return ""
    what = _count_labels(numbers[named], n)
    remedy = _take_fine_out(table, named, {"drop": f"if {_this_is(named)}"})
    return table.describe(None, named, what, remedy)


def _take_fine_out(table: ObjectTable, columns: Sequence[int], purposes: Mapping[str, str]) -> str:
    """Return the remedies for columns with many labels, which may be ids, or features if all columns are such."""
    if len(columns) == len(table.columns):
        purposes = {setting: purpose for setting, purpose in purposes.items() if setting != "drop"}
        return table.remedies.use(features="if these are features", **purposes)
    if len(columns) == 1:
        return take_out(table, columns, {"ids": "if these are ids", **purposes})
    return take_out(table, columns, purposes)


def _find_fine(numbers: IntArray, n: int) -> list[int]:
    """Return the columns with as many clusters as half of the objects, or more."""
    return np.flatnonzero(2 * numbers >= n).tolist() if n >= FEW else []


def _count_labels(numbers: IntArray, n: int) -> str:
    labels = f"{numbers.max()} different labels for {n} objects"
    return labels if len(numbers) == 1 else f"up to {labels}"


def _name_constant_columns(found: LabelMatrix) -> str:
    """Name columns with one cluster, such as the name of a project."""
    named = np.flatnonzero(found.n_clusters == 1).tolist()
    if not named:
        return ""
    remedy = take_out(found.table, named, {"drop": f"if {_this_is(named)}"})
    return found.table.describe(None, named, "one cluster", remedy)


def _name_words(found: LabelMatrix) -> str:
    """Name columns of words beside at least as many of numbers, such as classes."""
    table = found.table
    n = len(found.labels)
    words = [j for j, column in enumerate(table.columns) if column.find_word() is not None]
    if not words or 2 * len(words) > len(table.columns):
        return ""
    numbers = found.n_clusters
    named = [j for j in words if numbers[j] > 1 and j not in _find_fine(numbers, n)]
    if not named:
        return ""
    purposes = {"drop": f"if {_this_is(named)}"}
    if len(named) == 1:
        purposes = {"classes": "if these are classes", **purposes}
    return table.describe(None, named, "words, beside columns of numbers", take_out(table, named, purposes))


def _name_classes(found: LabelMatrix, layout: Layout) -> str:
    """Name a column of numbers that is named like classes; columns of words have a line of their own."""
    table = found.table
    numeric = [j for j, column in enumerate(table.columns) if column.find_word() is None]
    named = [j for j in numeric if is_named_like_classes(table.names[j])]
    if not named or layout.classes is not None:
        return ""
    purposes = {"classes": "if these are classes", "drop": "to leave this column out"}
    return table.describe(None, named[:1], NAMED_LIKE_CLASSES, take_out(table, named[:1], purposes))


def is_named_like_classes(name: str) -> bool:
    """Whether a column has a name that columns with true classes have.

    >>> is_named_like_classes("True labels"), is_named_like_classes("k-means")
    (True, False)
    """
    return re.sub(r"[\s._-]", "", name).lower() in CLASS_NAMES


def _name_indicators(found: LabelMatrix) -> str:
    """Name adjacent columns of 0 and 1 of which each object has exactly one 1."""
    table = found.table
    if (found.n_clusters <= 2).sum() < 3:
        return ""
    groups = [group for group in group_indicators(table) if len(group) > 2 and _sum_to_one(table, group)]
    if not groups:
        return ""
    more = f" ({count(len(groups) - 1, 'other group')} too)" if len(groups) > 1 else ""
    what = f"0 and 1 that sum to 1 in each row, as indicators of clusters do{more}"
    return table.describe(None, groups[0], what, table.remedies.use(indicator="to read them so"))


def _sum_to_one(table: ObjectTable, group: Sequence[int]) -> bool:
    """Whether each column has a 1, and each object one in exactly one of the columns."""
    members = find_members(table, group)
    return bool(members.any(axis=0).all() and (members.sum(axis=1) == 1).all())


def _name_noise(found: LabelMatrix) -> str:
    """Name label 0 if the objects that have it agree by chance alone, and those of other clusters agree more.

    It compares the share of the pairs within a cluster of one column that another column joins with the share of all
    pairs that this column joins.
    """
    table = found.table
    numeric = [j for j, column in enumerate(table.columns) if column.find_word() is None][:MOST_COMPARED]
    labels = found.labels[:: 1 + len(found.labels) // MOST_OBJECTS, numeric]
    if len(numeric) < 3 or not ((labels == 0).sum(axis=0) > 1).all():
        return ""
    joined = np.zeros(2)
    expected = np.zeros(2)
    for one, other in permutations(range(len(numeric)), 2):
        both = (labels[:, [one, other]] != MISSING).all(axis=1)
        inside = labels[both, one]
        outside = labels[both, other]
        chance = _count_pairs(outside) / max(_count_all_pairs(len(outside)), 1)
        for place, part in enumerate((inside == 0, inside != 0)):
            joined[place] += _count_pairs(_pair_codes(inside[part], outside[part]))
            expected[place] += chance * _count_pairs(inside[part])
    if not (expected > FEW).all():
        return ""
    of_zero, of_others = (joined / expected).tolist()
    if of_zero > CHANCE or of_others < AGREED:
        return ""
    what = "objects with label 0 agree by chance alone, those of other clusters more"
    return table.describe(None, (), what, table.remedies.use("0", missing="if it stands for no label, such as noise"))


def _pair_codes(first: IntArray, second: IntArray) -> IntArray:
    """Return a number for each pair of labels, shape (n,)."""
    _, codes = np.unique(first, return_inverse=True)
    values, others = np.unique(second, return_inverse=True)
    paired: IntArray = codes * len(values) + others
    return paired


def _count_pairs(labels: IntArray) -> float:
    """Return the number of pairs of objects with the same label."""
    return float(sum(_count_all_pairs(size) for size in np.unique(labels, return_counts=True)[1].tolist()))


def _count_all_pairs(n: int) -> float:
    return n * (n - 1) / 2


def _this_is(columns: Sequence[int]) -> str:
    return "these are no clusterings" if len(columns) > 1 else "this is no clustering"

"""The values that a paper published and its authors' program gives: ``studies/<id>/published/*.csv``."""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from consclust.errors import InputError

SHAPE = ("instances", "features", "classes")
STATISTICS = ("selected", "mean", "std", "max", "min")
"""Of the scores of random starts."""
SCORE = ("dataset", "metric", "method")
TABLES = {
    "table1": (("dataset",), SHAPE),
    "table2": (SCORE, ("value",)),
    "starts": (SCORE, STATISTICS),
    "seconds": (("dataset", "method"), ("seconds",)),
    "program": (("dataset", "method"), ("seconds",)),
    "offsets": (SCORE, ("value",)),
}
"""Columns of text and of numbers of each table; where there are several numbers, some may be left empty."""
OPTIONAL = {"table2": ("std",)}
"""Further columns of numbers that a table may have; they may be left empty."""


@dataclass(frozen=True)
class Published:
    """Published shapes and scores; data sets are keyed by their published name, casefolded.

    Attributes
    ----------
    shapes : (objects, features, classes) of a data set; 0 where the paper does not say.
    scores : score of (data set, metric, method), in the order of the file.
    deviations : standard deviation of such a score over the repetitions, where the paper has one.
    starts : those of STATISTICS that are given of the random starts of (data set, metric, method).
    seconds : of one fit of (data set, method), on the machine of the paper.
    program : CPU seconds of a fit of (data set, method) by the authors' program, run on the same input.
    offsets : change of (data set, quantity, method) from the method that it is a variant of.
    """

    shapes: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    scores: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    deviations: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    starts: Mapping[tuple[str, str, str], Mapping[str, float]] = field(default_factory=dict)
    seconds: Mapping[tuple[str, str], float] = field(default_factory=dict)
    program: Mapping[tuple[str, str], float] = field(default_factory=dict)
    offsets: Mapping[tuple[str, str, str], float] = field(default_factory=dict)

    def methods(self, metric: str) -> list[str]:
        """Return the methods with a published score in ``metric``, in their order."""
        return list(dict.fromkeys(method for _, m, method in self.scores if m == metric))

    def datasets(self, metric: str) -> list[str]:
        """Return the data sets with a published score in ``metric``, in their order."""
        return list(dict.fromkeys(dataset for dataset, m, _ in self.scores if m == metric))


def load_published(files: Mapping[str, Path]) -> Published:
    """Read tables of published values, by their names in :data:`TABLES`; what is not among them is empty.

    :class:`InputError` if a file is missing, or a line is not what its header says.
    """
    rows = {name: _read(files[name], name) if name in files else {} for name in TABLES}
    single = {name: numbers[0] for name, (_, numbers) in TABLES.items() if len(numbers) == 1}
    value = {name: {key: row[column] for key, row in rows[name].items()} for name, column in single.items()}
    deviations = {key: row["std"] for key, row in rows["table2"].items() if "std" in row}
    shapes = {key[0]: tuple(int(row.get(column, 0)) for column in SHAPE) for key, row in rows["table1"].items()}
    scores, seconds, program, offsets = (value[name] for name in ("table2", "seconds", "program", "offsets"))
    return Published(shapes, scores, deviations, rows["starts"], seconds, program, offsets)  # type: ignore[arg-type]


def _read(path: Path, name: str) -> dict[tuple[str, ...], dict[str, float]]:
    """Return the numbers of a table that are not empty, by its texts."""
    (text, numbers), optional = TABLES[name], OPTIONAL.get(name, ())
    found = {}
    try:
        lines = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file; add the published values or remove its name from `published`"
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a CSV file in UTF-8 ({error}); save it as one") from None
    for number, line in enumerate(lines, start=2):
        if wrong := [column for column in text if not line.get(column)]:
            raise InputError(f"{path}: line {number}: no {wrong[0]}; complete this line")
        given = {column: line.get(column) or "" for column in (*numbers, *optional)}
        for column, value in given.items():
            may_be_empty = column in optional or (len(numbers) > 1 and column in line)
            if not (_is_number(value) or (value == "" and may_be_empty)):
                raise InputError(f"{path}: line {number}, {column} = {value!r}: not a number; correct this line")
        key = (line["dataset"].casefold(), *(line[column] for column in text[1:]))
        found[key] = {column: float(value) for column, value in given.items() if value}
    return found


def _is_number(value: str) -> bool:
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False

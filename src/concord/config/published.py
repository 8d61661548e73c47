"""The values that a paper published and its authors' program gives: ``config/studies/<id>/published/*.csv``."""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from concord.errors import InputError

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
}
"""Columns of text and of numbers of each table; where there are several numbers, some may be left empty."""


@dataclass(frozen=True)
class Published:
    """Published shapes and scores; data sets are keyed by their published name, casefolded.

    Attributes
    ----------
    shapes : (objects, features, classes) of a data set; 0 where the paper does not say.
    scores : score of (data set, metric, method), in the order of the file.
    starts : those of STATISTICS that are given of the random starts of (data set, metric, method).
    seconds : of one fit of (data set, method), on the machine of the paper.
    program : CPU seconds of a fit of (data set, method) by the authors' program, run on the same input.
    """

    shapes: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    scores: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    starts: Mapping[tuple[str, str, str], Mapping[str, float]] = field(default_factory=dict)
    seconds: Mapping[tuple[str, str], float] = field(default_factory=dict)
    program: Mapping[tuple[str, str], float] = field(default_factory=dict)

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
    rows = {name: _read(files[name], *columns) if name in files else {} for name, columns in TABLES.items()}
    single = ("table2", "seconds", "program")
    scores, seconds, program = ({key: sum(row.values()) for key, row in rows[name].items()} for name in single)
    shapes = {key[0]: tuple(int(row.get(column, 0)) for column in SHAPE) for key, row in rows["table1"].items()}
    return Published(shapes, scores, rows["starts"], seconds, program)  # type: ignore[arg-type]


def _read(path: Path, text: tuple[str, ...], numbers: tuple[str, ...]) -> dict[tuple[str, ...], dict[str, float]]:
    """Return the numbers that are not empty, by the texts."""
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
        given = {column: line.get(column) or "" for column in numbers}
        for column, value in given.items():
            if not (_is_number(value) or (value == "" and len(numbers) > 1 and column in line)):
                raise InputError(f"{path}: line {number}, {column} = {value!r}: not a number; correct this line")
        key = (line["dataset"].casefold(), *(line[column] for column in text[1:]))
        found[key] = {column: float(value) for column, value in given.items() if value}
    return found


def _is_number(value: str) -> bool:
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False

"""The values that a paper published and its authors' program gives: ``studies/<id>/published/*.csv``."""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from consclust.errors import InputError

SHAPE = ("instances", "features", "classes")
STATISTICS = ("selected", "mean", "std", "max", "min")
"""Of the scores of random starts."""
SCORE = ("dataset", "metric", "method")


class Columns(NamedTuple):
    """Columns of a table."""

    text: tuple[str, ...]
    numbers: tuple[str, ...]
    """Where there are several, some may be left empty in a line."""
    optional: tuple[str, ...] = ()
    """Further columns of numbers that the table may have; they may be left empty."""


TABLES = {
    "table1": Columns(("dataset",), SHAPE),
    "table2": Columns(SCORE, ("value",), optional=("std",)),
    "starts": Columns(SCORE, STATISTICS),
    "seconds": Columns(("dataset", "method"), ("seconds",)),
    "program": Columns(("dataset", "method"), ("seconds",)),
    "offsets": Columns(SCORE, ("value",)),
}

Table = dict[tuple[str, ...], dict[str, float]]
"""The numbers of each line that are not empty, by its texts."""


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

    def list_methods(self, metric: str) -> list[str]:
        """Return the methods with a published score in ``metric``, in their order."""
        return list(dict.fromkeys(method for _, m, method in self.scores if m == metric))

    def list_datasets(self, metric: str) -> list[str]:
        """Return the data sets with a published score in ``metric``, in their order."""
        return list(dict.fromkeys(dataset for dataset, m, _ in self.scores if m == metric))


def load_published(files: Mapping[str, Path]) -> Published:
    """Read tables of published values, by their names in :data:`TABLES`; what is not among them is empty.

    :class:`InputError` if a file is missing, or a line is not what its header says.
    """
    tables = {name: _read_table(files[name], TABLES[name]) if name in files else {} for name in TABLES}
    shapes: dict[str, tuple[int, int, int]] = {}
    for (dataset,), row in tables["table1"].items():
        instances, features, classes = (int(row.get(column, 0)) for column in SHAPE)
        shapes[dataset] = (instances, features, classes)
    # in the order of the file, in which tables show methods and data sets
    scored = _key_by_score(tables["table2"])
    return Published(
        shapes=shapes,
        scores={key: row["value"] for key, row in scored.items()},
        deviations={key: row["std"] for key, row in scored.items() if "std" in row},
        starts=_key_by_score(tables["starts"]),
        seconds=_pick_seconds(tables["seconds"]),
        program=_pick_seconds(tables["program"]),
        offsets={key: row["value"] for key, row in _key_by_score(tables["offsets"]).items()},
    )


def _key_by_score(table: Table) -> dict[tuple[str, str, str], dict[str, float]]:
    return {(dataset, metric, method): row for (dataset, metric, method), row in table.items()}


def _pick_seconds(table: Table) -> dict[tuple[str, str], float]:
    return {(dataset, method): row["seconds"] for (dataset, method), row in table.items()}


def _read_table(path: Path, columns: Columns) -> Table:
    """Read a table; of two lines with the same texts, the last counts."""
    table = {}
    for number, line in enumerate(_read_lines(path), start=2):  # line 1 is the header
        where = f"{path}: line {number}"
        texts = [line.get(column) or "" for column in columns.text]
        if "" in texts:
            raise InputError(f"{where}: no {columns.text[texts.index('')]}; complete this line")
        dataset, *words = texts
        table[dataset.casefold(), *words] = _read_numbers(line, columns, where)
    return table


def _read_lines(path: Path) -> list[dict[str, str | None]]:
    """Return the lines of a table by the names of its columns; None where a line is too short."""
    try:
        return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    except FileNotFoundError:
        remedy = "add the published values or remove its name from `published`"
        raise InputError(f"{path}: no such file; {remedy}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a CSV file in UTF-8 ({error}); save it as one") from None


def _read_numbers(line: Mapping[str, str | None], columns: Columns, where: str) -> dict[str, float]:
    numbers = {}
    for column in (*columns.numbers, *columns.optional):
        text = line.get(column) or ""
        # a column that is not in the file was forgotten, unless it is optional
        may_be_empty = column in columns.optional or (len(columns.numbers) > 1 and column in line)
        if text == "" and may_be_empty:
            continue
        if not _is_number(text):
            raise InputError(f"{where}, {column} = {text!r}: not a number; correct this line")
        numbers[column] = float(text)
    return numbers


def _is_number(value: str) -> bool:
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False

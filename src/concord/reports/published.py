"""The numbers that a paper prints, and its authors' program gives: ``config/published/<name>/*.csv``."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from concord.config.study import Study
from concord.errors import InputError
from concord.reports.rows import Titled

PUBLISHED = Path("config/published")
SECONDS = "seconds.csv"
PROGRAM = "program.csv"
STARTS = "starts.csv"
STATISTICS = ("selected", "mean", "std", "max", "min")
"""Of the scores of random starts."""


@dataclass(frozen=True)
class Published:
    """Printed shapes and scores; data sets are keyed by their printed name, casefolded.

    Attributes
    ----------
    shapes: (objects, features, classes) of a data set; 0 where the paper does not tell.
    scores: score of (data set, metric, method), in the order of the file.
    starts: statistics of the random starts of (data set, metric, method), those of STATISTICS that are told.
    seconds: of one fit of (data set, method), on the machine of the paper; not every paper tells.
    program: CPU seconds of a fit of (data set, method) by the authors' program, run on the same input.
    """

    shapes: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    scores: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    seconds: Mapping[tuple[str, str], float] = field(default_factory=dict)
    program: Mapping[tuple[str, str], float] = field(default_factory=dict)
    starts: Mapping[tuple[str, str, str], Mapping[str, float]] = field(default_factory=dict)

    def methods(self, metric: str) -> list[str]:
        """Methods that the print has for ``metric``, in its order."""
        return list(dict.fromkeys(method for _, m, method in self.scores if m == metric))

    def datasets(self, metric: str) -> list[str]:
        """Data sets that the print has for ``metric``, in its order."""
        return list(dict.fromkeys(dataset for dataset, m, _ in self.scores if m == metric))


def load_published(study: Study, folder: Path = PUBLISHED) -> Published:
    """Read the printed numbers that the study names; empty where it names none.

    Raises
    ------
    InputError
        If a file is missing, or a line is not what its header says.
    """
    if study.published is None:
        return Published()
    home = folder / study.published
    shapes = {
        row["dataset"].casefold(): (
            int(row["instances"] or 0),
            int(row["features"] or 0),
            int(row["classes"] or 0),
        )
        for row in _read(home / "table1.csv", ("instances", "features", "classes"), int, blank=True)
    }
    scores = {
        (row["dataset"].casefold(), row["metric"], row["method"]): float(row["value"])
        for row in _read(home / "table2.csv", ("value",), float)
    }
    starts = {
        (row["dataset"].casefold(), row["metric"], row["method"]): {
            name: float(row[name]) for name in STATISTICS if row[name]
        }
        for row in (_read(home / STARTS, STATISTICS, float, blank=True) if (home / STARTS).exists() else ())
    }
    return Published(shapes, scores, _seconds(home / SECONDS), _seconds(home / PROGRAM), starts)


def _seconds(path: Path) -> dict[tuple[str, str], float]:
    """Read the seconds of (data set, method); none where there is no such file."""
    rows = _read(path, ("seconds",), float) if path.exists() else []
    return {(row["dataset"].casefold(), row["method"]): float(row["seconds"]) for row in rows}


def _read(path: Path, columns: tuple[str, ...], number: type, *, blank: bool = False) -> list[dict[str, str]]:
    """Read a table whose ``columns`` are numbers, or nothing where they may be ``blank``."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file; add the printed numbers or remove the study's 'published'"
        ) from None
    for line, row in enumerate(rows, start=2):
        for column in columns:
            if blank and row.get(column) == "":
                continue
            try:
                number(row.get(column) or "")
            except ValueError:
                value = row.get(column)
                message = f"{path}: line {line}, {column} = {value!r}: not a number; correct this line"
                raise InputError(message) from None
    return rows


def printed_names(
    study: Study, registry: Mapping[str, Titled], published: Published, *, described: bool = False
) -> dict[str, str]:
    """Return the key in the print of every printed case: the case's title, else its data set's.

    ``described`` also takes the data sets that only Table 1 shows.
    """
    keys = {dataset for dataset, _, _ in published.scores} | set(published.shapes)
    names = {}
    for case in study.described if described else study.cases:
        for title in (case.title or "", registry[case.dataset].title):
            if title.casefold() in keys:
                names[case.id] = title.casefold()
                break
    return names


def printed_methods(study: Study, published: Published) -> dict[str, str]:
    """Return the name that the print would have for every row of the study.

    That is the id; or the class, if the id is not in print and the study has one run of that class only: a
    second, modified run of a method must not be compared with the print of the first.
    """
    printed = {method for _, _, method in published.scores}
    classes = [run.method for run in study.methods]
    names = {
        run.id: run.id if run.id in printed or classes.count(run.method) > 1 else run.method
        for run in study.methods
    }
    return {study.base_clusterings: study.base_clusterings, **names}


def only_printed(study: Study, published: Published) -> Study:
    """Return the study with those of its methods that the paper has; the study itself without a print.

    What a paper says of "all methods" it says of its own.
    """
    printed = {method for _, _, method in published.scores}
    names = printed_methods(study, published)
    methods = tuple(run for run in study.methods if names[run.id] in printed or run.id in study.unprinted)
    same = not methods or len(methods) == len(study.methods)
    return study if same else study.model_copy(update={"methods": methods})

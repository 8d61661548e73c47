"""Write the cases of the leaderboard and the cells that are left out, from the registry and the declared costs.

``python studies/leaderboard/make_study.py``, in the folder of the project, writes ``study.yaml`` with the text of
``head.yaml`` before its cases, and ``left_out.csv``.
"""

import csv
from collections.abc import Iterator
from math import ceil, isqrt, sqrt
from pathlib import Path
from typing import NamedTuple

from consclust import methods
from consclust.datasets.registry import BOARD, DatasetSpec, load_registry

FOLDER = Path("studies/leaderboard")
LONGEST = 20.0
"""CPU seconds of one fit by the declared cost, an upper bound that is about five times what a fit takes."""
LARGEST = 2.0
"""GiB of the matrices of one fit by the declared cost."""
SUBSET_SIZE = 20
SEEDS = 3
"""Seeds of the methods with which the first ensemble is fitted, on every fifth data set."""
FIFTH = 5
UNMEASURED = 6
"""Matrices over the profiles of a method that declares no number of them."""


class Cell(NamedTuple):
    """A method on a case, and what one fit is declared to cost."""

    case: str
    method: str
    n: int
    n_profiles: int
    """An upper bound of the distinct label profiles."""
    clusters: int
    """The most clusters of a base clustering."""
    seconds: float
    gib: float
    reason: str


def main() -> None:
    """Write both files."""
    head = (FOLDER / "head.yaml").read_text(encoding="utf-8")
    lines = ["cases:"]
    left_out: list[Cell] = []
    for place, (name, entry) in enumerate(list_data_sets().items()):
        seeds = f", seeds: {SEEDS}" if place % FIFTH == 0 else ""
        for case, ensemble in list_kinds(name, entry):
            cells = [cell for cell in estimate_cells(case, entry, ensemble) if cell.reason]
            left_out += cells
            without = f", without: [{', '.join(cell.method for cell in cells)}]" if cells else ""
            lines.append(f"  - {{id: {case}, dataset: {name}{ensemble}{seeds}{without}}}")
    (FOLDER / "study.yaml").write_text(f"{head}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    with (FOLDER / "left_out.csv").open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(Cell._fields)
        writer.writerows(cell._replace(seconds=round(cell.seconds, 1), gib=round(cell.gib, 2)) for cell in left_out)
    print(f"{len(lines) - 1} cases, {len(left_out)} cells left out")


def list_data_sets() -> dict[str, DatasetSpec]:
    """Return the data sets of the study: those that are independent of each other and of the papers' sets."""
    return {name: entry for name, entry in load_registry(BOARD).items() if entry.card and not entry.card.overlaps}


def list_kinds(name: str, entry: DatasetSpec) -> Iterator[tuple[str, str]]:
    """Yield the cases of a data set, one for each kind of ensembles, with what makes its base clusterings."""
    if entry.ensembles:
        yield name, f", ensemble: {next(iter(entry.ensembles))}"
        return
    yield name, ""
    yield f"{name}-random", ", n_clusters: random"


def estimate_cells(case: str, entry: DatasetSpec, ensemble: str) -> Iterator[Cell]:
    """Yield all methods on a case with their declared cost, and why a cell is left out."""
    assert entry.shape is not None
    n, features, classes = entry.shape
    clusters = isqrt(n) if "random" in ensemble or entry.ensembles else classes
    n_profiles = min(n, ceil(clusters * SUBSET_SIZE * sqrt(n) / 10))
    for method in methods.names():
        cost = methods.load(method).cost
        size = n if cost.matrices or cost.over_objects else n_profiles
        seconds = cost.seconds(size)
        gib = 8 * cost.doubles(n, n_profiles, unmeasured=UNMEASURED) / 2**30
        reason = ""
        if not features and methods.needs_features(method, {}, [{}]):
            reason = "no features"
        elif seconds > LONGEST:
            reason = f"more than {LONGEST:g} s"
        elif gib > LARGEST:
            reason = f"more than {LARGEST:g} GiB"
        yield Cell(case, method, n, n_profiles, clusters, seconds, gib, reason)


if __name__ == "__main__":
    main()

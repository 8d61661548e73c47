"""What data sets are registered: ``python -m consclust_studies.plan.registered``."""

import sys
from collections.abc import Mapping

from consclust.datasets.registry import DatasetSpec, load_registries
from consclust.errors import InputError

HEADER = ("id", "title", "n", "d", "k", "format", "preprocessing", "ensembles")


def write_table(datasets: Mapping[str, DatasetSpec]) -> str:
    """Return a line for each data set, in columns."""
    rows: list[tuple[str, ...]] = [HEADER]
    for name, entry in datasets.items():
        sizes = [str(size) for size in entry.shape] if entry.shape else ["-", "-", "-"]
        steps = " ".join(entry.preprocessing) or "-"
        reader = entry.reader.format if entry.reader else "-"
        ensembles = " ".join(entry.ensembles) or "-"
        rows.append((name, entry.title, *sizes, reader, steps, ensembles))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        print(write_table(load_registries()))
    except InputError as mistake:
        sys.exit(str(mistake))

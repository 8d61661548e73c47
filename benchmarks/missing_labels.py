"""Measure what each method makes of missing labels; write the table of docs/missing-labels.md.

    python benchmarks/missing_labels.py --out docs/missing-labels --page docs/missing-labels.md [--methods EAC,KC]

200 objects in four clusters of 70, 60, 40 and 30, in 20 base clusterings. Every second clustering parts one cluster in
two, and 15 % of the labels are drawn at random. Then labels are taken away in seven ways, with five seeds each. A score
is the ARI with the planted clusters, the mean over the seeds; where some objects are bad, that of all others.
"""

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from consclust import methods
from consclust.ensemble import FloatArray, IntArray
from consclust.errors import ConsensusFailure
from consclust.scores import ari
from consclust.seeds import generator
from pages import read_rows, table

SIZES = (70, 60, 40, 30)
N_CLUSTERINGS = 20
NOISE = 0.15
SEEDS = 5
COLUMNS = ("method", "missing", "seed", "ari", "note")
START, END = "<!-- table of benchmarks/missing_labels.py -->", "<!-- end of the table -->"

Way = Callable[[IntArray, np.random.Generator], IntArray]
"""Takes labels away, in place; returns the objects that are scored."""


def draw_clusterings(classes: IntArray, rng: np.random.Generator) -> IntArray:
    """Return base clusterings of the planted clusters, shape (n, 20)."""
    n, k = len(classes), len(SIZES)
    columns = []
    for number in range(N_CLUSTERINGS):
        labels = classes.copy()
        if number % 2:
            parted = (classes == rng.integers(k)) & (rng.random(n) < 0.5)
            labels[parted] = k
        wrong = rng.random(n) < NOISE
        labels[wrong] = rng.integers(labels.max() + 1, size=wrong.sum())
        columns.append(labels)
    return np.column_stack(columns)


def keep_all(labels: IntArray, rng: np.random.Generator) -> IntArray:
    """Take nothing away."""
    return np.arange(len(labels))


def take_at_random(share: float) -> Way:
    """Return what takes a share of all labels, and leaves each object one at least."""

    def take(labels: IntArray, rng: np.random.Generator) -> IntArray:
        n, m = labels.shape
        kept = rng.integers(m, size=n)
        given = labels[np.arange(n), kept].copy()
        labels[rng.random(labels.shape) < share] = -1
        empty = (labels == -1).all(axis=1)
        labels[empty, kept[empty]] = given[empty]
        return np.arange(n)

    return take


def leave_one_label(count: int) -> Way:
    """Return what leaves some objects their label in the first clustering only; the others are scored."""

    def take(labels: IntArray, rng: np.random.Generator) -> IntArray:
        bad = rng.permutation(len(labels))[:count]
        labels[bad, 1:] = -1
        return np.setdiff1d(np.arange(len(labels)), bad)

    return take


def part_in_halves(anchors: int) -> Way:
    """Return what gives each half of the objects half of the clusterings, and some objects both."""

    def take(labels: IntArray, rng: np.random.Generator) -> IntArray:
        n, m = labels.shape
        order = rng.permutation(n)
        half = (n - anchors) // 2
        labels[np.ix_(order[:half], np.arange(m // 2, m))] = -1
        labels[np.ix_(order[half + anchors :], np.arange(m // 2))] = -1
        return np.arange(n)

    return take


WAYS: dict[str, Way] = {
    "complete": keep_all,
    "30 %": take_at_random(0.3),
    "60 %": take_at_random(0.6),
    "80 %": take_at_random(0.8),
    "5 bad objects": leave_one_label(5),
    "20 bad objects": leave_one_label(20),
    "two halves": part_in_halves(20),
}
"""The columns of the table."""


def measure(name: str, way: str, seed: int) -> tuple[Any, ...]:
    """Return a row of the table of scores."""
    classes = np.repeat(np.arange(len(SIZES)), SIZES)
    rng = generator(0, "missing labels", seed)
    labels = draw_clusterings(classes, rng)
    features = draw_features(classes, rng)
    scored = WAYS[way](labels, generator(0, "missing labels", way, seed))
    method = methods.make(name, len(SIZES), {}, seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = method.fit(labels, features).labels_
    except ConsensusFailure as failure:
        return name, way, seed, "nan", str(failure)
    return name, way, seed, f"{ari(classes[scored], found[scored]):.3f}", method.note_


def draw_features(classes: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return features for the methods that need them: four normal clusters, 2.8 standard deviations apart."""
    return np.eye(len(SIZES))[classes] * 2 + rng.normal(size=(len(classes), len(SIZES)))


def run(names: list[str], out: Path) -> None:
    """Measure the cases that the file does not have."""
    out.parent.mkdir(parents=True, exist_ok=True)
    done = {(row["method"], row["missing"], int(row["seed"])) for row in read_rows(out)}
    is_new = not out.exists()
    with out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        for name in names:
            start = time.process_time()
            for case in list_cases(name):
                if case not in done:
                    writer.writerow(measure(*case))
            file.flush()
            print(f"{name}: {time.process_time() - start:.0f} CPU s", flush=True)


def list_cases(name: str) -> Iterator[tuple[str, str, int]]:
    """Yield the cases of a method."""
    for way in WAYS:
        for seed in range(SEEDS):
            yield name, way, seed


def write_table(scores: Path) -> str:
    """Return the table of mean scores as Markdown."""
    import pandas as pd

    frame = pd.read_csv(scores)
    means = frame.pivot_table(index="method", columns="missing", values="ari", aggfunc="mean")
    rows = [[name, *(f"{means.loc[name, way]:.2f}" for way in WAYS)] for name in sorted(means.index, key=str.lower)]
    return table(["method", *WAYS], rows)


def write_page(scores: Path, page: Path) -> None:
    """Write the table into the page, in place of the one that is there."""
    before, rest = page.read_text(encoding="utf-8").split(START)
    _, after = rest.split(END)
    page.write_text(f"{before}{START}\n\n{write_table(scores)}\n\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", help="only these, separated by commas")
    parser.add_argument("--out", type=Path, required=True, help="folder of scores.csv")
    parser.add_argument("--page", type=Path, help="page whose table is written anew")
    given = parser.parse_args()
    scores = given.out / "scores.csv"
    run(given.methods.split(",") if given.methods else list(methods.names()), scores)
    print(write_table(scores))
    if given.page:
        write_page(scores, given.page)


if __name__ == "__main__":
    main()

"""Measure what the order of the objects does to a consensus; write the table of docs/order.md.

    python benchmarks/order.py --out docs/order --page docs/order.md [--data ecoli_pool umist_pool]

Pools of base clusterings whose objects are stored class by class. An ensemble is 20 clusterings of a pool, drawn with
two seeds. It is fitted in the order of the file and in two drawn orders. A score is the ARI with the classes; the
agreement is the ARI of the clusterings in the order of the file and in a drawn order. CELTA is the plain implementation
of ``celta.py``. Needs the data mirror, or the network.
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from celta import approximate, label_matrix
from consclust import datasets, methods
from consclust.ensemble import Ensemble, IntArray
from consclust.scores import ari
from consclust.seeds import generator
from consclust.similarity import co_occurrence, over_objects
from pages import read_rows, table

DATA = ("ecoli_pool", "umist_pool", "aggregation_pool")
METHODS = ("EAC", "LWEA", "SpectralConsensus", "HBGF", "WEAC", "GPMGLA", "LCE", "CEHM", "SDGCA", "CSPA", "MCLA")
CELTA_FINALS = ("linkage", "spectral")
M = 20
SEEDS = 2
ORDERS = 2
STORED = "stored"
COLUMNS = ("data", "method", "seed", "order", "ari", "agreement")
START, END = "<!-- table of benchmarks/order.py -->", "<!-- end of the table -->"


def fit_celta(labels: IntArray, k: int, seed: int) -> dict[str, IntArray]:
    """Return the clusterings of CELTA by each of its last steps; the matrix is the same."""
    ensemble = Ensemble(labels)
    matrix, _ = approximate(over_objects(ensemble, co_occurrence(ensemble)))
    return {f"CELTA, {final}": label_matrix(matrix, k, final, seed) for final in CELTA_FINALS}


def fit_method(name: str) -> Callable[[IntArray, int, int], dict[str, IntArray]]:
    """Return what fits a method of consclust with its default parameters."""

    def fit(labels: IntArray, k: int, seed: int) -> dict[str, IntArray]:
        return {name: methods.make(name, k, {}, seed).fit_predict(labels)}

    return fit


FITS: Mapping[str, Callable[[IntArray, int, int], dict[str, IntArray]]] = {
    "CELTA": fit_celta,
    **{name: fit_method(name) for name in METHODS},
}
"""What returns clusterings of a label matrix in the order of its rows, by the name of the row of the table."""


def measure(name: str, labels: IntArray, classes: IntArray, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the scores of a method in the order of the rows and in drawn ones."""
    n, k = len(classes), len(np.unique(classes))
    stored = FITS[name](labels, k, seed)
    for row, found in stored.items():
        yield {"method": row, "seed": seed, "order": STORED, "ari": ari(classes, found), "agreement": 1.0}
    for number in range(ORDERS):
        order = generator(seed, "order", number).permutation(n)
        for row, found in FITS[name](labels[order], k, seed).items():
            score = ari(classes[order], found)
            agreement = ari(stored[row][order], found)
            yield {"method": row, "seed": seed, "order": str(number), "ari": score, "agreement": agreement}


def count_runs(classes: IntArray) -> int:
    """Return the runs of equal classes along the rows; as many as classes if these are stored one after the other."""
    return 1 + int((np.diff(classes) != 0).sum())


def run(data: list[str], out: Path) -> None:
    """Measure the data sets and methods that the file does not have."""
    out.parent.mkdir(parents=True, exist_ok=True)
    done = {(row["data"], row["method"].split(",")[0]) for row in read_rows(out)}
    is_new = not out.exists()
    with out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        for dataset in data:
            given = datasets.load(dataset)
            pool, classes = given.ensemble.given, np.unique(given.target, return_inverse=True)[1]
            if count_runs(classes) > len(np.unique(classes)):
                raise ValueError(f"{dataset}: objects are not stored class by class; name another data set")
            for name in (name for name in FITS if (dataset, name) not in done):
                start = time.process_time()
                rows: list[dict[str, Any]] = []
                for seed in range(SEEDS):
                    labels = pool[:, generator(seed, "pool").choice(pool.shape[1], M, replace=False)]
                    rows.extend(measure(name, labels, classes, seed))
                for row in rows:
                    rounded = {"ari": f"{row['ari']:.3f}", "agreement": f"{row['agreement']:.3f}"}
                    writer.writerow({"data": dataset, **row, **rounded})
                file.flush()
                print(f"{dataset}, {name}: {time.process_time() - start:.0f} CPU s", flush=True)


def write_table(scores: Path) -> str:
    """Return the table of mean scores as Markdown: in the order of the file and in drawn ones."""
    import pandas as pd

    frame = pd.read_csv(scores)
    frame["kind"] = np.where(frame["order"] == STORED, "stored", "drawn")
    means = frame.pivot_table(index="method", columns=["data", "kind"], values="ari", aggfunc="mean")
    agreement = frame[frame["kind"] == "drawn"].groupby("method")["agreement"].mean()
    names = list(frame["data"].unique())
    kinds = [(name, kind) for name in names for kind in ("stored", "drawn")]
    rows = [
        [method, *(write_score(means.loc[method, column]) for column in kinds), write_score(agreement[method])]
        for method in frame["method"].unique()
    ]
    header = ["method", *(f"{name.removesuffix('_pool')}, {kind}" for name, kind in kinds), "agreement"]
    return table(header, rows)


def write_score(score: float) -> str:
    """Return a score with two digits; 0.00 without a sign."""
    return f"{score:.2f}".replace("-0.00", "0.00")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=list(DATA), help="pools whose objects are stored class by class")
    parser.add_argument("--out", type=Path, required=True, help="folder of scores.csv")
    parser.add_argument("--page", type=Path, help="page whose table is written anew")
    given = parser.parse_args()
    scores = given.out / "scores.csv"
    run(given.data, scores)
    print(write_table(scores))
    if given.page:
        before, rest = given.page.read_text(encoding="utf-8").split(START)
        _, after = rest.split(END)
        given.page.write_text(f"{before}{START}\n\n{write_table(scores)}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()

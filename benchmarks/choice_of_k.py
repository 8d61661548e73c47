"""Count how often each criterion of ``choose_k`` finds the planted number of clusters; print a Markdown table.

    python benchmarks/choice_of_k.py [--repeats 2] [--ks 1 2 ... 10] [--features] [--out rows.csv]

Planted ensembles: 200 objects in k clusters, k from 1 to 10, of equal size or with sizes in proportion to 1, 2, .., k,
in 20 base clusterings. Each of these has k to 2 k clusters: the planted ones, of which some, chosen at random, are cut
in two at random objects. Then a share of the labels, the noise, is replaced by labels drawn at random from those of the
clustering. With k = 1 all that agrees is chance.

Planted features (``--features``): 120 objects in k normal clusters in 5 dimensions, the centres normal with a standard
deviation of 6, 3 or 2 times that of the clusters ("noise" 1/6, 1/3, 1/2), resampled by 15 runs of k-means at each k.

Candidates are k = 2 to 12, and 1 by the null reference (19 draws, level 5 %). "best" is the k of the best value, which
is never 1; "chosen" is that of the best score, or 1.
"""

import argparse
import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np

from consclust.diagnostics import ResampledKMeans, choose_k
from consclust.ensemble import FloatArray, IntArray
from consclust.seeds import generator

KS = range(2, 13)
NOISE, FEATURE_NOISE = (0.1, 0.3, 0.5), (1 / 6, 1 / 3, 1 / 2)
BALANCE = ("equal", "unequal")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=2, help="draws of each kind")
    parser.add_argument("--ks", type=int, nargs="+", default=list(range(1, 11)), help="planted numbers of clusters")
    parser.add_argument("--features", action="store_true", help="features in place of label matrices")
    parser.add_argument("--out", type=Path, help="table of all choices to write (CSV)")
    options = parser.parse_args()
    import pandas as pd

    start, found = time.process_time(), []
    levels = FEATURE_NOISE if options.features else NOISE
    for k, balance, noise, repeat in itertools.product(options.ks, BALANCE, levels, range(options.repeats)):
        rng = generator(0, "choice of k", k, balance, str(noise), repeat)
        classes = planted(k, 120 if options.features else 200, balance)
        if options.features:
            data: dict[str, Any] = {"features": features(classes, noise, rng), "recipe": ResampledKMeans(runs=15)}
        else:
            data = {"labels": clusterings(classes, noise, rng)}
        table = choose_k(ks=KS, halves=10, seed=repeat, **data)
        for rule in ("best", "chosen"):
            picked = table[table[rule]].set_index("criterion")["k"]
            row = {"k": k, "balance": balance, "noise": noise, "repeat": repeat, "rule": rule}
            found += [{**row, "criterion": name, "picked": number} for name, number in picked.items()]
    frame = pd.DataFrame(found)
    if options.out:
        frame.to_csv(options.out, index=False)
    print(shares(frame))
    print(f"\n{options.repeats * len(options.ks) * 6} data sets, {time.process_time() - start:.0f} CPU seconds.")


def planted(k: int, n: int, balance: str) -> IntArray:
    """Return the planted cluster of each object, (n,)."""
    sizes = np.ones(k) if balance == "equal" else np.arange(1, k + 1)
    ends = np.round(np.cumsum(sizes / sizes.sum()) * n)
    return np.searchsorted(ends, np.arange(n), side="right")


def clusterings(classes: IntArray, noise: float, rng: np.random.Generator, m: int = 20) -> IntArray:
    """Return base clusterings, (n, m), that part some of the planted clusters and replace a share of the labels."""
    n, k, columns = len(classes), int(classes.max()) + 1, []
    for _ in range(m):
        parted = rng.permutation(k) < rng.integers(k + 1)
        labels = classes + k * (parted[classes] & (rng.random(n) < 0.5))
        columns.append(np.where(rng.random(n) < noise, rng.permutation(labels), labels))
    return np.column_stack(columns)


def features(classes: IntArray, noise: float, rng: np.random.Generator) -> FloatArray:
    """Return normal clusters about normal centres, (n, 5)."""
    centres = rng.normal(size=(int(classes.max()) + 1, 5)) / noise
    return centres[classes] + rng.normal(size=(len(classes), 5))


def shares(frame: Any) -> str:
    """Return a Markdown table: how many per cent of the choices are right."""
    frame = frame.assign(right=100 * (frame["picked"] == frame["k"]), near=(frame["picked"] - frame["k"]).abs() <= 1)
    several = frame[frame["k"] > 1]
    columns = {"k = 1": frame[frame["k"] == 1], "k > 1": several}
    columns |= {f"noise {noise:.2g}": part for noise, part in several.groupby("noise")}
    columns |= {f"{balance} sizes": part for balance, part in several.groupby("balance")}
    columns |= {"k 2-5": several[several["k"] <= 5], "k 6-10": several[several["k"] > 5]}
    lines = [f"| criterion | rule | {' | '.join(columns)} | k > 1, off by at most 1 |"]
    lines.append("| :-- | :-- |" + " --: |" * (len(columns) + 1))
    by = ["criterion", "rule"]
    means = [part.groupby(by, sort=False)["right"].mean() for part in columns.values()]
    means.append(100 * several.groupby(by, sort=False)["near"].mean())
    for name, rule in frame.groupby(by, sort=False).size().index:
        values = " | ".join(f"{mean.get((name, rule), np.nan):.0f}" for mean in means)
        lines.append(f"| {name} | {rule} | {values} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

"""Measure how often ``choose_k`` finds the planted number of clusters, and one where there are none.

    python benchmarks/choice_of_k.py --out docs/choice-of-k --page docs/choice-of-k.md [--processes 2] [--plan]

Four parts. *Planted features*: 160 objects in k = 2 to 10 normal clusters in 5 dimensions, in a line or at random, of
equal size or with sizes in proportion to 1, 2, .., k; the nearest centres are 3 to 20 standard deviations apart.
*Shapes* without clusters: k = 1. *Planted label matrices*: 200 objects in k = 1 to 10 clusters, in 20 base clusterings
of k to 2 k clusters, which cut some of the planted ones in two at random objects and have a share of their labels
permuted. *Real data*: data sets of the registry, with the number of classes beside the choices; classes are not
clusters, so that they are shown and not scored.

Each set is drawn with a seed of its own name. Candidates are k = 2 to 12, and 1 by the null reference: 19 draws,
level 5 %. From features there are 15 runs of k-means at each k. Prediction strength (Tibshirani, Walther: JCGS 14,
2005) is measured beside the criteria: the largest k whose weakest cluster in random halves keeps .8 of its pairs.

The choices go to choices.csv as the sets are done; a second run makes what is missing there. The tables are written
into the page, between the two lines that say so.
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from consclust.diagnostics import ResampledKMeans, choose_k
from consclust.ensemble import FloatArray, IntArray
from consclust.seeds import generator
from pages import read_rows, table

KS = range(2, 13)
N_OBJECTS, N_FEATURES = 160, 5
BALANCE = ("equal", "unequal")
SEPARATIONS: dict[str, tuple[float, ...]] = {"3": (3,), "4 and 5": (4, 5), "6 and more": (6, 10, 20)}
"""Standard deviations between the nearest centres, by the columns of the tables."""
NOISE = (0.1, 0.3, 0.5)
REAL = (
    "iris", "wine", "glass", "ecoli", "yale", "jaffe", "orl", "tr23", "ionosphere", "bupa", "balance_scale", "sonar",
    "soybean_small", "protein", "house_votes", "std_yeast_cell", "breast_cancer", "spiral", "mnist_300", "blobs",
)  # fmt: skip
SECONDS = {"planted": 12.0, "shape": 11.0, "labels": 2.0, "real": 25.0}
"""CPU seconds of a set, for the estimate."""
COLUMNS = ("part", "kind", "k", "balance", "separation", "repeat", "rule", "picked", "share", "seconds")

Shape = Callable[[np.random.Generator], FloatArray]
SHAPES: dict[str, Shape] = {
    "round": lambda rng: rng.normal(size=(N_OBJECTS, 5)),
    "sd 6, 2, 1, 1, 1": lambda rng: rng.normal(size=(N_OBJECTS, 5)) * [6, 2, 1, 1, 1],
    "sd 10 : 1": lambda rng: rng.normal(size=(N_OBJECTS, 5)) * [10, 1, 1, 1, 1],
    "two correlated features": lambda rng: rng.normal(size=(N_OBJECTS, 2)) @ [[1, 0.9], [0, 0.44]],
    "uniform in 5": lambda rng: rng.uniform(size=(N_OBJECTS, 5)),
    "uniform in 2": lambda rng: rng.uniform(size=(N_OBJECTS, 2)),
    "heavy tails (t5)": lambda rng: rng.standard_t(5, size=(N_OBJECTS, 5)),
    "skewed (exponential)": lambda rng: rng.exponential(size=(N_OBJECTS, 5)),
    "ring": lambda rng: draw_ring(rng),
}
OTHER_SHAPES = 0.4
"""Sets of a shape that is not Gaussian, as a share of those of one that is."""
GAUSSIAN = ("round", "sd 6, 2, 1, 1, 1", "sd 10 : 1", "two correlated features")


class Set(NamedTuple):
    """A set of data, which its name determines."""

    part: str
    kind: str
    """Arrangement of the centres, shape, or data set."""
    k: int
    balance: str
    separation: str
    """Standard deviations between the nearest centres, or share of permuted labels."""
    repeat: int


def draw_ring(rng: np.random.Generator) -> FloatArray:
    """Return objects about a circle."""
    angle = rng.uniform(0, 2 * np.pi, N_OBJECTS)
    return np.column_stack([np.cos(angle), np.sin(angle)]) * 10 + rng.normal(size=(N_OBJECTS, 2))


def list_sets(level: int, power: int, real: bool) -> list[Set]:
    """Return the design: every cell of the tables in turn, so that a run that is stopped has some sets of each."""
    sets = []
    for repeat in range(power):
        for k in range(2, 11):
            for distances in SEPARATIONS.values():
                # a fraction of all combinations: what the cell does not fix alternates over the repeats
                distance = distances[repeat % len(distances)]
                kind, balance = ("line", "random")[repeat % 2], BALANCE[repeat // 2 % 2]
                sets.append(Set("planted", kind, k, balance, f"{distance:g}", repeat))
            sets.append(Set("labels", "", k, BALANCE[repeat % 2], f"{NOISE[repeat % 3]}", repeat))
    for repeat in range(level):
        # the null reference is Gaussian: of other shapes fewer sets suffice to show what it does with them
        shapes = SHAPES if repeat < OTHER_SHAPES * level else GAUSSIAN
        sets += [Set("shape", shape, 1, "", "", repeat) for shape in shapes]
        sets.append(Set("labels", "", 1, "equal", f"{NOISE[repeat % 3]}", repeat))
    # of each kind the first ones first
    sets.sort(key=lambda one: one.repeat / (power if one.k > 1 else level))
    return [*sets, *(Set("real", name, 0, "", "", seed) for seed in range(3) for name in (REAL if real else ()))]


def measure(one: Set) -> list[tuple[Any, ...]]:
    """Return the choice of each rule on a set, or nothing where a data set is absent."""
    start = time.process_time()
    rng = generator(0, "choice of k", *map(str, one))
    given: dict[str, Any] = {"ks": KS, "seed": one.repeat}
    if one.part == "labels":
        given |= {"labels": draw_clusterings(divide(one.k, 200, one.balance), float(one.separation), rng), "halves": 10}
    else:
        X = draw_features(one, rng)
        if X is None:
            return []
        given |= {"features": X, "recipe": ResampledKMeans(runs=15), "halves": 10}
    found = choose_k(**given)
    picked = {f"{rule}, {name}": k for rule in ("best", "chosen") for name, k in read_choices(found, rule)}
    recommended = found[found["recommended"]]
    picked["recommended"] = int(recommended["k"].iloc[0])
    if one.part != "labels":
        picked["prediction strength"] = measure_prediction_strength(given["features"], rng)
    share, seconds = float(recommended["halves"].iloc[0]), round(time.process_time() - start, 1)
    return [(*one, rule, k, round(share, 3), seconds) for rule, k in picked.items()]


def read_choices(found: Any, rule: str) -> Iterator[tuple[str, int]]:
    """Yield each criterion with its k."""
    for row in found[found[rule]].itertuples():
        yield row.criterion, row.k


def draw_features(one: Set, rng: np.random.Generator) -> FloatArray | None:
    """Return the features of a set; None of a real data set that is absent."""
    if one.part == "shape":
        return SHAPES[one.kind](rng)
    if one.part == "real":
        return load_real(one.kind)
    centres = place_centres(one.k, float(one.separation), one.kind, rng)
    classes = divide(one.k, N_OBJECTS, one.balance, least=8)
    return np.asarray(centres[classes] + rng.normal(size=(len(classes), N_FEATURES)))


def place_centres(k: int, separation: float, kind: str, rng: np.random.Generator) -> FloatArray:
    """Return centres, (k, 5), the nearest ones at a distance."""
    from scipy.spatial.distance import pdist

    if kind == "line":
        return np.outer(np.arange(k), np.ones(N_FEATURES) / np.sqrt(N_FEATURES)) * separation
    while True:
        centres = rng.normal(size=(k, N_FEATURES))
        distances = pdist(centres)
        # no cluster so far away that it alone is seen
        if distances.max() <= 8 * distances.min():
            return np.asarray(centres * separation / distances.min())


def load_real(name: str) -> FloatArray | None:
    """Return the standardised features of a data set of the registry; None if it cannot be had."""
    from consclust.datasets import load
    from consclust.errors import InputError

    try:
        found = load(name, preprocessing=("zscore",)).data
    except InputError:
        return None
    return found if isinstance(found, np.ndarray) else None


def divide(k: int, n: int, balance: str, least: int = 1) -> IntArray:
    """Return the planted cluster of each object."""
    sizes = np.ones(k) if balance == "equal" else np.arange(1, k + 1)
    counts = np.maximum(least, np.round(sizes / sizes.sum() * n)).astype(int)
    return np.repeat(np.arange(k), counts)


def draw_clusterings(classes: IntArray, noise: float, rng: np.random.Generator, m: int = 20) -> IntArray:
    """Return base clusterings, (n, m), that part some of the planted clusters and permute a share of the labels."""
    n, k, columns = len(classes), int(classes.max()) + 1, []
    for _ in range(m):
        parted = rng.permutation(k) < rng.integers(k + 1)
        labels = classes + k * (parted[classes] & (rng.random(n) < 0.5))
        columns.append(np.where(rng.random(n) < noise, rng.permutation(labels), labels))
    return np.column_stack(columns)


def measure_prediction_strength(X: FloatArray, rng: np.random.Generator, halves: int = 5) -> int:
    """Return the largest k whose prediction strength is at least .8, or 1."""
    from sklearn.cluster import KMeans

    strength = dict.fromkeys(KS, 0.0)
    for _ in range(halves):
        order = rng.permutation(len(X))
        one, other = X[order[: len(X) // 2]], X[order[len(X) // 2 :]]
        for k in (k for k in KS if k < len(one)):
            start = int(rng.integers(2**32))
            theirs = KMeans(k, n_init=3, random_state=start).fit(one).predict(other)
            own = KMeans(k, n_init=3, random_state=start).fit(other).labels_
            strength[k] += find_weakest(theirs, own, k) / halves
    return max((k for k, found in strength.items() if found >= 0.8), default=1)


def find_weakest(theirs: IntArray, own: IntArray, k: int) -> float:
    """Return the smallest share, over the clusters, of pairs that the centres of the other half keep together."""
    shares = []
    for cluster in range(k):
        sizes = np.bincount(theirs[own == cluster], minlength=k)
        n = sizes.sum()
        if n > 1:
            shares.append((sizes * (sizes - 1)).sum() / (n * (n - 1)))
    return min(shares, default=0.0)


def run(sets: list[Set], out: Path, processes: int) -> None:
    """Measure the sets that the file does not have, and add them to it one by one."""
    out.parent.mkdir(parents=True, exist_ok=True)
    done = {tuple(row[name] for name in Set._fields) for row in read_rows(out)}
    left = [one for one in sets if tuple(map(str, one)) not in done]
    is_new = not out.exists()
    with out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        found = Parallel(processes, return_as="generator_unordered")(delayed(measure)(one) for one in left)
        for n, rows in enumerate(found, 1):
            writer.writerows(rows)
            file.flush()
            if n % 20 == 0:
                print(f"{n} of {len(left)} sets", flush=True)


SHOWN = {
    "recommended": "recommended",
    "chosen, silhouette": "silhouette",
    "chosen, dispersion": "dispersion",
    "chosen, cluster consensus": "cluster consensus",
    "chosen, agreement": "agreement",
    "chosen, PAC": "PAC",
    "chosen, cophenetic": "cophenetic",
    "chosen, delta area": "delta area",
    "prediction strength": "prediction strength",
}
"""The rules of the tables, and how they are named there."""
START, END = "<!-- tables of benchmarks/choice_of_k.py -->", "<!-- end of the tables -->"


def write_page(choices: Path, page: Path) -> None:
    """Write the tables of all choices into the page, in place of those that are there."""
    import pandas as pd

    frame = pd.read_csv(choices, keep_default_na=False, na_values={"share": [""], "picked": [""]})
    frame = frame[frame["rule"].isin(SHOWN)]
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(START)
    _, after = rest.split(END)
    page.write_text(f"{before}{START}\n\n{write_tables(frame)}\n\n{END}{after}", encoding="utf-8")


def write_tables(frame: Any) -> str:
    """Return the tables of all parts as Markdown."""
    sets = frame.drop_duplicates(list(Set._fields))
    hours = sets["seconds"].astype(float).sum() / 3600
    parts = [f"{len(sets):,} sets, {hours:.1f} CPU hours."]
    shapes = frame[frame["part"] == "shape"]
    alarms = shapes.assign(value=100 * (shapes["picked"] > 1))
    order = [shape for shape in SHAPES if shape in set(shapes["kind"])]
    parts += ["### One cluster: per cent of the sets in which several are found", pivot(alarms, "kind", order, "shape")]
    planted = frame[frame["part"] == "planted"]
    distances = planted["separation"].astype(float)
    for title, values in SEPARATIONS.items():
        parts.append(
            f"### Nearest centres {title} standard deviations apart: per cent right, in brackets off by at most one"
        )
        parts.append(pivot_right(planted[distances.isin(values)]))
    parts.append("### Planted label matrices: per cent right, in brackets off by at most one")
    parts.append(pivot_right(frame[frame["part"] == "labels"]))
    real = frame[frame["part"] == "real"]
    if len(real):
        parts += ["### Real data: the choices of three seeds", list_real(real)]
    return "\n\n".join(parts)


def pivot(frame: Any, by: str, order: list[Any], title: str) -> str:
    """Return the means by rows of ``by`` and columns of rules, with the number of sets."""
    means = frame.pivot_table(index=by, columns="rule", values="value", aggfunc="mean")
    counts = frame[frame["rule"] == "recommended"][by].value_counts()
    rules = [rule for rule in SHOWN if rule in means]
    rows = [[str(row), str(counts[row]), *(f"{means.loc[row, rule]:.0f}" for rule in rules)] for row in order]
    return table([title, "sets", *(SHOWN[rule] for rule in rules)], rows)


def pivot_right(frame: Any) -> str:
    """Return how often the planted k is found, by k and rule."""
    away = (frame["picked"].astype(int) - frame["k"].astype(int)).abs()
    frame = frame.assign(right=100 * (away == 0), near=100 * (away <= 1))
    right, near = (frame.pivot_table(index="k", columns="rule", values=value) for value in ("right", "near"))
    counts = frame[frame["rule"] == "recommended"]["k"].value_counts()
    rules = [rule for rule in SHOWN if rule in right]
    rows = []
    for k in sorted(counts.index, key=int):
        cells = (f"{right.loc[k, rule]:.0f} ({near.loc[k, rule]:.0f})" for rule in rules)
        rows.append([str(k), str(counts[k]), *cells])
    return table(["k", "sets", *(SHOWN[rule] for rule in rules)], rows)


def list_real(frame: Any) -> str:
    """Return the choices on the real data sets, those of the seeds beside each other."""
    rows = []
    for name in dict.fromkeys(frame["kind"]):
        mine = frame[frame["kind"] == name]
        chosen = {rule: ", ".join(map(str, mine[mine["rule"] == rule]["picked"])) for rule in SHOWN}
        rows.append([name, str(count_classes(name)), *chosen.values()])
    return table(["data set", "classes", *SHOWN.values()], rows)


def count_classes(name: str) -> int:
    """Return the number of classes of a data set of the registry."""
    from consclust.datasets import load

    return len(load(name, preprocessing=()).target_names)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--level", type=int, default=100, help="sets of each shape without clusters")
    parser.add_argument("--power", type=int, default=20, help="sets of each planted k and separation")
    parser.add_argument("--no-real", action="store_true", help="leave out the data sets of the registry")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--plan", action="store_true", help="print the design and its CPU hours, and end")
    parser.add_argument("--out", type=Path, required=True, help="folder of choices.csv")
    parser.add_argument("--page", type=Path, help="page whose tables are written anew")
    parser.add_argument("--page-only", action="store_true", help="write the tables of the sets that are there")
    given = parser.parse_args()
    sets = list_sets(given.level, given.power, not given.no_real)
    hours = sum(SECONDS[one.part] for one in sets) / 3600
    counts = {part: sum(one.part == part for one in sets) for part in SECONDS}
    print(f"{len(sets)} sets, about {hours:.1f} CPU hours: {counts}", flush=True)
    if given.plan:
        return
    if not given.page_only:
        run(sets, given.out / "choices.csv", given.processes)
    if given.page:
        write_page(given.out / "choices.csv", given.page)


if __name__ == "__main__":
    main()

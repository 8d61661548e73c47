"""Measure how often ``choose_k`` finds the planted number of clusters, and one where there are none.

    python benchmarks/choice_of_k.py --out docs/choice-of-k --page docs/choice-of-k.md [--processes 2] [--plan]

Four parts. *Planted features*: 120 objects in k = 2 to 10 normal clusters in 5 dimensions, in a line, on a lattice of
triangles or at random, of equal size or with sizes in proportion to 1, 2, .., k (8 at least); the nearest centres are 3
to 20 standard deviations apart. *Shapes* without clusters: k = 1. *Planted label matrices*: 120 objects in k = 1 to 10
clusters, in 20 base clusterings of k to 2 k clusters, which cut some of the planted ones in two at random objects and
have a share of their labels permuted. *Real data*: data sets of the registry, with the number of classes beside the
choices; classes are not clusters, so that they are shown and not scored.

Each set is drawn with a seed of its own name. Candidates are k = 2 to 12, of shapes and real data 2 to 10, and 1 by the
null reference: 19 draws. From features there are 10 runs of k-means at each k; there are 10 halves. Prediction
strength (Tibshirani, Walther: JCGS 14, 2005) is measured beside the criteria: the largest k whose weakest cluster in
random halves keeps .8 of its pairs.

The values of the criteria, for data, draws and halves, go to values.parquet as the sets are done, so that a rule that
is changed needs no new run. A second run makes the sets that are missing there. The tables are computed from the values
and written into the page, between the two lines that say so.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from compiled_kmeans import CompiledKMeans
from consclust.diagnostics import ResampledKMeans, consensus_silhouette, item_consensus
from consclust.diagnostics.choice import make_table, measure_values, recommend
from consclust.diagnostics.criteria import (
    CRITERIA,
    DISPERSION,
    SILHOUETTE,
    Values,
    compute_p_of_one_cluster,
    compute_silhouettes,
)
from consclust.diagnostics.pairs import n_pairs
from consclust.diagnostics.resampling import Source, Stage, make_source
from consclust.ensemble import FloatArray, IntArray
from consclust.files import written_whole
from consclust.seeds import generator
from pages import table

MANY, FEW = range(2, 13), range(2, 11)
"""Candidates of planted sets, and of all others."""
N_OBJECTS, N_FEATURES = 120, 5
RUNS, HALVES, DRAWS, LEVEL = 10, 10, 19, 0.05
ARRANGEMENTS = ("line", "triangles", "random")
BALANCE = ("equal", "unequal")
SEPARATIONS: dict[str, tuple[float, ...]] = {"3": (3,), "4 and 5": (4, 5), "6 and more": (6, 10, 20)}
"""Standard deviations between the nearest centres, by the columns of the tables."""
NOISE = (0.1, 0.3, 0.5)
KEPT = ("strength", "data", "means", "silhouettes", "dispersions", "halves")
"""Columns of the file with values."""
REAL = (
    "iris", "wine", "glass", "ecoli", "yale", "jaffe", "orl", "aggregation", "ionosphere", "bupa", "balance_scale",
    "sonar", "soybean_small", "protein", "house_votes", "std_yeast_cell", "breast_cancer", "spiral", "mnist_300",
    "blobs",
)  # fmt: skip
SECONDS = {"planted": 1.9, "shape": 0.4, "labels": 1.5, "default": 5.0, "real": 10.0}
"""CPU seconds of a set, for the estimate."""

DECIDED = 8
"""The rule was decided when so many sets of each planted cell had been measured."""
MANY_FEATURES = 60
"""With more of them scikit-learn's k-means is the faster one."""
WITH_DEFAULTS = 4
"""Planted sets of each k, 4 and 5 standard deviations apart, that are measured with the default settings as well."""
ALL_OF_ONE_CLUSTER, ALL_OF_PLANTED = 10, 3
"""Sets of each shape, and of each planted cell, on which all criteria are measured."""
DIGITS = 1e5
"""Values are kept as multiples of its inverse; half a pair of 120 objects is 7e-5."""

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
    sets: list[Set] = []
    for k in range(2, 11):
        for distances in SEPARATIONS.values():
            # what a cell does not fix, in a random order, so that every part of its sets has some of each
            combinations = list(product(ARRANGEMENTS, BALANCE, distances))
            rng = generator(0, "choice of k", "order", str(k), str(distances))
            order = rng.permutation(np.arange(power) % len(combinations))
            for repeat, (kind, balance, distance) in enumerate(combinations[i] for i in order):
                sets.append(Set("planted", kind, k, balance, f"{distance:g}", repeat))
        sets += [
            Set("labels", "", k, BALANCE[repeat // 2 % 2], f"{NOISE[repeat % 3]}", repeat) for repeat in range(power)
        ]
    for repeat in range(level):
        # the null reference is Gaussian: of other shapes fewer sets suffice to show what it does with them
        shapes = SHAPES if repeat < OTHER_SHAPES * level else GAUSSIAN
        sets += [Set("shape", shape, 1, "", "", repeat) for shape in shapes]
        sets.append(Set("labels", "", 1, "equal", f"{NOISE[repeat % 3]}", repeat))
    # of each kind the first ones first
    sets.sort(key=lambda one: one.repeat / (power if one.k > 1 else level))
    hard = (one for one in sets if one.part == "planted" and float(one.separation) in SEPARATIONS["4 and 5"])
    sets += [one._replace(part="default") for one in hard if one.repeat < WITH_DEFAULTS]
    return [*sets, *(Set("real", name, 0, "", "", seed) for seed in range(3) for name in (REAL if real else ()))]


def measure(one: Set) -> dict[str, Any] | None:
    """Return a row of the file for a set; None where a data set is absent."""
    start = time.process_time()
    planted = one._replace(part="planted") if one.part == "default" else one
    rng = generator(0, "choice of k", *map(str, planted))
    labels = features = None
    recipe: ResampledKMeans = CompiledKMeans(RUNS)
    halves = HALVES
    if one.part == "labels":
        labels = draw_clusterings(divide(one.k, N_OBJECTS, one.balance), float(one.separation), rng)
    elif one.part == "real":
        features = load_real(one.kind)
        if features is None:
            return None
        if features.shape[1] > MANY_FEATURES:
            recipe = ResampledKMeans(RUNS)
    else:
        features = draw_features(planted, rng)
    if one.part == "default":
        recipe = CompiledKMeans()
        halves = 2 * HALVES
    data, ks = make_source(labels, list_candidates(one), features, recipe, None, halves, one.repeat)
    names = list_measured(one)
    values = measure_some(data, ks, names) if names else measure_values(data, ks, DRAWS)
    strength = np.empty(0)
    if features is not None and has_strength(one):
        strength = measure_prediction_strength(features, ks, rng)
    return {
        **one._asdict(),
        "classes": count_classes(one.kind) if one.part == "real" else one.k,
        "n_objects": data.n_objects(),
        "strength": round_values(strength),
        "criteria": list(values.names),
        "chosen": [] if names else list_choices(values),
        "data": round_values(values.data),
        "means": [] if names else round_values(values.nulls.mean(axis=0)),
        "silhouettes": round_values(list_draws(values, SILHOUETTE)),
        "dispersions": round_values(list_draws(values, DISPERSION)),
        "halves": round_values(values.halves),
        "seconds": round(time.process_time() - start, 1),
    }


def list_measured(one: Set) -> list[str]:
    """Return the criteria that are measured on a set; empty for all of them.

    All take their time, and are measured on some sets of each kind. On the others it is those by which the
    recommendation is made, and of shapes the one by which one cluster is rejected.
    """
    most = {"real": 0, "default": 0}.get(one.part, ALL_OF_ONE_CLUSTER if one.k == 1 else ALL_OF_PLANTED)
    if one.repeat < most:
        return []
    if one.part == "shape":
        return [DISPERSION]
    return [SILHOUETTE] if one.part == "labels" else [SILHOUETTE, DISPERSION]


def measure_some(data: Source, ks: Sequence[int], names: Sequence[str]) -> Values:
    """Return the values of some criteria as :func:`~consclust.diagnostics.choice.measure_values` does."""
    of_data, *nulls = (compute_some(source, ks, names) for source in (data, *map(data.null, range(DRAWS))))
    halves = compute_silhouettes(data, ks) if SILHOUETTE in names else np.empty((0, len(ks)))
    return Values(names, ks, of_data, np.array(nulls), halves, 0.5 / n_pairs(data.n_objects()))


def compute_some(source: Source, ks: Sequence[int], names: Sequence[str]) -> FloatArray:
    """Return the values of silhouette, dispersion or both, (criteria, k's)."""
    from threadpoolctl import threadpool_limits

    values = {}
    with threadpool_limits(1):
        if SILHOUETTE in names:
            values[SILHOUETTE] = [measure_silhouette(stage) for stage in source.stages(ks)]
        if DISPERSION in names:
            values[DISPERSION] = [source.dispersion(k) for k in ks]
    return np.array([values[name] for name in names])


def measure_silhouette(stage: Stage) -> float:
    """Return the mean silhouette of a consensus; NaN where there is none."""
    if stage.labels is None:
        return np.nan
    return float(consensus_silhouette(item_consensus(stage.compared, stage.labels), stage.labels).mean())


def list_draws(values: Values, name: str) -> FloatArray:
    """Return the values of a criterion for the draws, (draws, k's); nothing where it is not measured."""
    return values.pool(name)[1:] if name in values.names else np.empty(0)


def has_strength(one: Set) -> bool:
    """Return whether prediction strength is measured; of shapes some sets show what it does."""
    return one.part in ("planted", "real") or (one.part == "shape" and one.repeat < ALL_OF_ONE_CLUSTER)


def list_candidates(one: Set) -> range:
    """Return the numbers of clusters that are compared on a set."""
    return MANY if one.k > 1 or one.part == "labels" else FEW


def list_choices(values: Values) -> list[int]:
    """Return the choice of each criterion; 0 where there is none."""
    found = make_table(values, LEVEL)
    chosen = found[found["chosen"]].set_index("criterion")["k"]
    return [int(chosen.get(name, 0)) for name in values.names]


def round_values(values: FloatArray) -> list[int | None]:
    """Return values one after the other in units of 1 / DIGITS, None for NaN."""
    return [None if np.isnan(value) else round(value * DIGITS) for value in np.ravel(values)]


def restore_values(kept: Any, ks: Sequence[int]) -> FloatArray:
    """Return the values that :func:`round_values` rounded, with a column for each k."""
    return np.asarray(kept, dtype=float).reshape(-1, len(ks)) / DIGITS


def read_values(row: Any) -> Values:
    """Return the values of the criteria by which the recommendation is made, of a row of the file."""
    ks = list(list_candidates(Set(*(getattr(row, name) for name in Set._fields))))
    drawn = {SILHOUETTE: row.silhouettes, DISPERSION: row.dispersions}
    names = [name for name in drawn if len(drawn[name])]
    of_data = restore_values(row.data, ks)
    return Values(
        names,
        ks,
        of_data[[list(row.criteria).index(name) for name in names]],
        np.stack([restore_values(drawn[name], ks) for name in names], axis=1),
        restore_values(row.halves, ks),
        0.5 / n_pairs(row.n_objects),
    )


def draw_features(one: Set, rng: np.random.Generator) -> FloatArray:
    """Return the features of a planted set or of a shape."""
    if one.part == "shape":
        return SHAPES[one.kind](rng)
    centres = place_centres(one.k, float(one.separation), one.kind, rng)
    classes = divide(one.k, N_OBJECTS, one.balance, least=8)
    return np.asarray(centres[classes] + rng.normal(size=(len(classes), N_FEATURES)))


def place_centres(k: int, separation: float, kind: str, rng: np.random.Generator) -> FloatArray:
    """Return centres, (k, 5), the nearest ones at a distance."""
    from scipy.spatial.distance import pdist

    if kind == "line":
        return np.outer(np.arange(k), np.ones(N_FEATURES) / np.sqrt(N_FEATURES)) * separation
    if kind == "triangles":
        return list_lattice(k) * separation
    while True:
        centres = rng.normal(size=(k, N_FEATURES))
        distances = pdist(centres)
        # no cluster so far away that it alone is seen
        if distances.max() <= 8 * distances.min():
            return np.asarray(centres * separation / distances.min())


def list_lattice(k: int) -> FloatArray:
    """Return the k points of a lattice of triangles that are nearest to a corner, (k, 5), neighbours 1 apart."""
    steps = np.array(list(product(range(k), repeat=2)))
    steps = steps[np.argsort(steps.sum(axis=1), kind="stable")[:k]]
    points = np.zeros((k, N_FEATURES))
    points[:, 0] = steps[:, 0] + steps[:, 1] / 2
    points[:, 1] = steps[:, 1] * np.sqrt(3) / 2
    return points


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


def measure_prediction_strength(
    X: FloatArray, ks: Sequence[int], rng: np.random.Generator, halves: int = 2
) -> FloatArray:
    """Return the prediction strength of each k."""
    from scipy.spatial.distance import cdist

    recipe = CompiledKMeans()
    strength = dict.fromkeys(ks, 0.0)
    for _ in range(halves):
        order = rng.permutation(len(X))
        one, other = X[order[: len(X) // 2]], X[order[len(X) // 2 :]]
        for k in (k for k in ks if k < len(one)):
            of_one = recipe.fit(one, k, rng, 3).labels_
            own = recipe.fit(other, k, rng, 3).labels_
            centres = np.array([one[of_one == cluster].mean(axis=0) for cluster in np.unique(of_one)])
            theirs = cdist(other, centres).argmin(axis=1)
            strength[k] += find_weakest(theirs, own, k) / halves
    return np.array([strength[k] for k in ks])


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
    """Measure the sets that the file does not have, and add them to it, some at a time."""
    out.parent.mkdir(parents=True, exist_ok=True)
    rows = read_rows(out)
    done = {Set(*(row[name] for name in Set._fields)) for row in rows}
    left = [one for one in sets if one not in done]
    found = Parallel(processes, return_as="generator_unordered")(delayed(measure)(one) for one in left)
    for n, row in enumerate(found, 1):
        if row is not None:
            rows.append(row)
        if n % 20 == 0 or n == len(left):
            write_rows(rows, out)
            print(f"{n} of {len(left)} sets", flush=True)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of the file; none of one that is absent."""
    from pyarrow import parquet

    return parquet.read_table(path).to_pylist() if path.exists() else []


def write_rows(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the rows in the order of the design, so that a run in several processes gives the same file."""
    import pyarrow as pa
    from pyarrow import parquet

    numbers = pa.list_(pa.int32())
    kinds = dict.fromkeys(KEPT, numbers)
    kinds |= {"criteria": pa.list_(pa.string()), "chosen": pa.list_(pa.int8()), "seconds": pa.float32()}
    kinds |= dict.fromkeys(("part", "kind", "balance", "separation"), pa.string())
    names = rows[0].keys()
    schema = pa.schema([(name, kinds.get(name, pa.int32())) for name in names])
    rows = sorted(rows, key=lambda row: [row[name] for name in Set._fields])
    with written_whole(path) as part:
        # of lists of whole numbers this is the smallest file
        form = {"use_dictionary": False, "use_byte_stream_split": [f"{name}.list.element" for name in KEPT]}
        parquet.write_table(pa.Table.from_pylist(rows, schema), part, compression="zstd", compression_level=19, **form)


RECOMMENDED, STRENGTH = "recommended", "prediction strength"
RULES = (RECOMMENDED, *CRITERIA, STRENGTH)
"""The columns of the tables: the recommendation, what each criterion chooses, and the prediction strength."""
TESTED = (SILHOUETTE, DISPERSION)
"""The criteria by which the recommendation is made."""
LEAST_STRENGTH = 0.8
"""As the authors of prediction strength recommend."""
START, END = "<!-- tables of benchmarks/choice_of_k.py -->", "<!-- end of the tables -->"


def write_page(values: Path, page: Path) -> None:
    """Write the tables of all sets into the page, in place of those that are there."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(START)
    _, after = rest.split(END)
    page.write_text(f"{before}{START}\n\n{write_tables(read_picks(values))}\n\n{END}{after}", encoding="utf-8")


def read_picks(values: Path) -> Any:
    """Return the k that each rule picks on each set: a row for each set, a column for each rule, NaN without a pick."""
    import pandas as pd

    frame = pd.read_parquet(values)
    picks = [pick(row) for row in frame.itertuples()]
    kept = frame[[*Set._fields, "classes", "seconds"]]
    return pd.concat([kept, pd.DataFrame(picks, columns=list(RULES), index=frame.index)], axis=1)


def pick(row: Any) -> dict[str, float | None]:
    """Return the k that each rule picks on the set of a row; infinity for several clusters, where not how many."""
    ks = list_candidates(Set(*(getattr(row, name) for name in Set._fields)))
    picked: dict[str, float | None] = {}
    if len(row.criteria) > len(TESTED):
        picked |= {name: k or None for name, k in zip(row.criteria, row.chosen, strict=True)}
    values = read_values(row)
    if SILHOUETTE in values.names:
        picked[RECOMMENDED] = recommend(values, LEVEL).recommended
    else:
        picked[RECOMMENDED] = 1 if compute_p_of_one_cluster(values) > LEVEL else np.inf
    if len(row.strength):
        strong = restore_values(row.strength, ks)[0] >= LEAST_STRENGTH
        picked[STRENGTH] = max((k for k, is_strong in zip(ks, strong, strict=True) if is_strong), default=1)
    return picked


def write_tables(picks: Any) -> str:
    """Return the tables of all parts as Markdown."""
    hours = picks["seconds"].sum() / 3600
    planted = picks[picks["part"] == "planted"]
    parts = [
        f"{len(picks):,} sets, {hours:.1f} CPU hours.",
        "### The recommendation beside its aims: per cent right, in brackets off by at most one",
        list_aims(picks),
        "### One cluster: per cent of the sets in which several are found",
        list_alarms(picks[picks["part"] == "shape"]),
    ]
    for title, values in SEPARATIONS.items():
        parts.append(
            f"### Nearest centres {title} standard deviations apart: per cent right, in brackets off by at most one"
        )
        parts.append(list_right(planted[planted["separation"].astype(float).isin(values)]))
    default = picks[picks["part"] == "default"]
    if len(default):
        parts.append("### The first of these sets 4 and 5 standard deviations apart, with the default settings")
        parts.append(list_right(default))
    parts.append("### Planted label matrices: per cent right, in brackets off by at most one")
    parts.append(list_right(picks[picks["part"] == "labels"]))
    real = picks[picks["part"] == "real"]
    if len(real):
        parts += ["### Real data: the choices, of several seeds where there are several", list_real(real)]
    return "\n\n".join(parts)


def list_aims(picks: Any) -> str:
    """Return the aims beside what is reached, on the sets by which the rule was decided and on the others."""
    planted = picks[picks["part"] == "planted"]
    distances = planted["separation"].astype(float)
    several = picks[(picks["part"] == "labels") & (picks["k"] > 1)]
    cells = {
        ("nearest centres 6 sd and more", "97 (99)"): planted[distances >= 6],
        ("nearest centres 4 and 5 sd", "75 (94)"): planted[distances.isin(SEPARATIONS["4 and 5"])],
        ("the same with the default settings", "75 (94)"): picks[picks["part"] == "default"],
        ("label matrices of several clusters", ""): several,
    }
    rows = []
    for (title, aim), sets in cells.items():
        if not len(sets):
            continue
        seen = sets["repeat"] < DECIDED
        rows.append([title, aim, share_right(sets[seen]), share_right(sets[~seen]), describe_worst(sets)])
    return table(["sets", "aim", "when the rule was decided", "since", "the worst k, of all sets"], rows)


def share_right(sets: Any) -> str:
    """Return how often the planted k is recommended, and how often it is missed by at most one, in per cent."""
    if not len(sets):
        return ""
    away = (sets[RECOMMENDED] - sets["k"]).abs()
    return f"{100 * (away == 0).mean():.0f} ({100 * (away <= 1).mean():.0f}) of {len(sets)}"


def describe_worst(sets: Any) -> str:
    """Return the planted k that is recommended least often, with its share."""
    right = (sets[RECOMMENDED] == sets["k"]).groupby(sets["k"]).mean()
    return f"k = {right.idxmin()}: {100 * right.min():.0f}" if len(right) else ""


def list_alarms(shapes: Any) -> str:
    """Return how often each rule finds several clusters, by shape, on the sets on which it is measured."""
    rows = []
    for shape in SHAPES:
        mine = shapes[shapes["kind"] == shape]
        known = [mine[rule].dropna() for rule in RULES]
        cells = [f"{100 * (each > 1).mean():.0f}" if len(each) else "" for each in known]
        rows.append([shape, str(len(mine)), *cells])
    return table(["shape", "sets", *RULES], rows)


def list_right(sets: Any) -> str:
    """Return how often each rule finds the planted k, by k, on the sets on which it is measured."""
    rules = [rule for rule in RULES if sets[rule].notna().any()]
    rows = []
    for k, mine in sets.groupby("k"):
        away = [(mine[rule].dropna() - k).abs() for rule in rules]
        cells = [
            f"{100 * (each == 0).mean():.0f} ({100 * (each <= 1).mean():.0f})" if len(each) else "" for each in away
        ]
        rows.append([str(k), str(len(mine)), *cells])
    return table(["k", "sets", *rules], rows)


def list_real(sets: Any) -> str:
    """Return the choices on the real data sets, those of the seeds beside each other."""
    rows = []
    for name, mine in sets.groupby("kind"):
        chosen = [", ".join(f"{k:.0f}" for k in mine[rule].dropna()) for rule in RULES]
        rows.append([str(name), str(mine["classes"].iloc[0]), *chosen])
    return table(["data set", "classes", *RULES], rows)


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
    parser.add_argument("--out", type=Path, required=True, help="folder of values.parquet")
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
        run(sets, given.out / "values.parquet", given.processes)
    if given.page:
        write_page(given.out / "values.parquet", given.page)


if __name__ == "__main__":
    main()

"""Measure what weighting or dropping base clusterings by their agreement gains and harms; write a page and a table.

    python benchmarks/agreement_weights.py [--data yale glass ...] [--seeds 5] [--out docs/agreement-weights.md]

Data sets: all registered ones of up to 3,000 objects, by ``consclust.datasets.load``; without --data that needs the
network or CONSCLUST_DATA_MIRROR. An ensemble has 20 base clusterings: k-means with 2 to sqrt(n) clusters, or 20 at
random of a ready-made pool. Each seed draws another ensemble. The treatments of an ensemble are in ``TREATMENTS``. The
rows of all fits are in a CSV file beside the page.
"""

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from choice_of_k import divide, draw_clusterings
from consclust import datasets, ensembles, methods
from consclust.datasets.registry import load_registry
from consclust.diagnostics import agreement_weights, quality
from consclust.ensemble import IntArray
from consclust.scores import ari, nmi
from consclust.seeds import generator
from pages import table

MOST_OBJECTS, M, COPIES = 3000, 20, 100
METHODS = ("EAC", "KC", "LWEA", "MCLA", "SpectralConsensus")
LEAST = 0.01
"""A data set counts as gained or harmed if the mean over methods and seeds differs by more."""
FEW_CLASSES = 4
SAME = {"iris"}
"""Data sets that are left out because they nearly equal another one."""


def weighted(labels: IntArray, power: float) -> IntArray:
    """Repeat each clustering in proportion to its weight."""
    copies = np.round(COPIES * agreement_weights(labels, power=power)).astype(int)
    return np.repeat(labels, copies, axis=1)


TREATMENTS: dict[str, Callable[[IntArray, np.random.Generator], IntArray]] = {
    "unweighted": lambda labels, rng: labels,
    "weighted": lambda labels, rng: weighted(labels, 1),
    "sharp weights": lambda labels, rng: weighted(labels, 4),
    "dropped": lambda labels, rng: labels[:, np.argsort(quality(labels), kind="stable")[M // 4 :]],
    "dropped at random": lambda labels, rng: labels[:, rng.permutation(M)[M // 4 :]],
}
CHANGED = [*TREATMENTS][1:]
PLANTED = ((0, "noise"), *((count, shows) for shows in ("noise", "one other partition") for count in (5, 8, 12)))
"""How many clusterings are bad, and what they show."""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", help="only these data sets")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=10, help="planted ensembles of each kind")
    parser.add_argument("--out", type=Path, default=Path("docs/agreement-weights.md"))
    options = parser.parse_args()
    import pandas as pd

    start = time.process_time()
    real = pd.DataFrame(row for name in options.data or small() for row in score_data(name, options.seeds))
    made = pd.DataFrame(row for bad in PLANTED for row in score_planted(bad, options.repeats))
    pd.concat([real, made]).round(4).to_csv(options.out.with_suffix(".csv"), index=False)
    options.out.write_text(page(real, made, time.process_time() - start), encoding="utf-8")


def small() -> list[str]:
    """Return the data sets with a registered number of objects up to the most."""
    entries = load_registry(Path("config/datasets.yaml"))
    return [name for name, e in entries.items() if e.shape and e.shape[0] <= MOST_OBJECTS and name not in SAME]


def score_data(name: str, seeds: int) -> Iterator[dict[str, Any]]:
    """Yield the scores on a data set."""
    data = datasets.load(name)
    for seed in range(seeds):
        if data.ensemble is None:
            labels = ensembles.kmeans(data.data, M, "random", random_state=seed).given
        else:
            pool = data.ensemble.given
            labels = pool[:, generator(seed, "pool").choice(pool.shape[1], M, replace=False)]
        yield from score_ensemble({"kind": "data", "data": name, "seed": seed}, labels, data.target)


def score_planted(bad: tuple[int, str], repeats: int) -> Iterator[dict[str, Any]]:
    """Yield the scores on ensembles in which some clusterings are bad."""
    count, shows = bad
    for repeat in range(repeats):
        rng = generator(repeat, "planted", count, shows)
        classes = divide(5, 200, "equal")
        false, noise = (classes, 0.95) if shows == "noise" else (rng.permutation(classes), 0.5)
        labels = np.hstack(
            [draw_clusterings(classes, 0.5, rng)[:, count:], draw_clusterings(false, noise, rng)[:, :count]]
        )
        yield from score_ensemble({"kind": "planted", "data": f"{count}, {shows}", "seed": repeat}, labels, classes)


def score_ensemble(which: dict[str, Any], labels: IntArray, classes: IntArray) -> Iterator[dict[str, Any]]:
    """Yield the scores of each method after each treatment."""
    k, of_each = int(classes.max()) + 1, [ari(classes, column) for column in labels.T]
    about = {**which, "classes": k, "correlation": np.corrcoef(quality(labels), of_each)[0, 1]}
    for method, (treatment, treated) in itertools.product(METHODS, TREATMENTS.items()):
        ensemble = treated(labels, generator(which["seed"], "drop"))
        found = methods.make(method, k, {}, which["seed"]).fit_predict(ensemble)
        scores = {"ARI": ari(classes, found), "NMI": nmi(classes, found)}
        yield {**about, "method": method, "treatment": treatment, **scores}


def page(real: Any, made: Any, seconds: float) -> str:
    """Return the page."""
    few = real["classes"] <= FEW_CLASSES
    parts = {"all": real, f"2 to {FEW_CLASSES} classes": real[few], "more classes": real[~few]}
    parts |= {method: real[real["method"] == method] for method in METHODS}
    summary = [
        [part, score, f"{frame['data'].nunique()}", *map(in_words, differences(frame, ["data"], score))]
        for part, frame in parts.items()
        if len(frame)
        for score in ("ARI", "NMI")
    ]
    counts = [
        [
            score,
            *(f"{(column > LEAST).sum()} / {(column < -LEAST).sum()}" for column in differences(real, ["data"], score)),
        ]
        for score in ("ARI", "NMI")
    ]
    return PAGE.format(
        data=real["data"].nunique(), seeds=real["seed"].nunique(), repeats=made["seed"].nunique(),
        least=LEAST, seconds=f"{seconds:.0f}",
        summary=table(["data sets, or method", "score", "number", *CHANGED], summary),
        counts=table(["score", *CHANGED], counts),
        planted=table(["bad of 20, they show", "ARI", *CHANGED], write_rows(made)),
        each=table(["data set", "classes", "correlation", "ARI", *CHANGED], write_rows(real, about=True)),
    )  # fmt: skip


def differences(frame: Any, by: list[str], score: str) -> list[Any]:
    """Return score - unweighted for each other treatment, averaged over what is not in ``by``."""
    wide = frame.pivot_table(index=["data", "seed", "method"], columns="treatment", values=score, sort=False)
    return [(wide[name] - wide["unweighted"]).groupby(by, sort=False).mean() for name in CHANGED]


def write_rows(frame: Any, about: bool = False) -> list[list[str]]:
    """Return a row for each data set: ARI and its differences, over methods, with the error over the seeds."""
    rows = []
    for name, part in frame.groupby("data", sort=False):
        before = part.loc[part["treatment"] == "unweighted", "ARI"].mean()
        known = [f"{part['classes'].iloc[0]}", f"{part['correlation'].mean():.2f}"] if about else []
        rows.append([name, *known, f"{before:.3f}", *map(in_words, differences(part, ["seed"], "ARI"))])
    return rows


def in_words(values: Any) -> str:
    """Return the mean with its standard error."""
    return f"{values.mean():+.3f} ± {values.std() / np.sqrt(len(values)):.3f}"


PAGE = """# Weights of base clusterings without classes

`consclust.diagnostics.agreement_weights` weights each base clustering by its mean agreement (ARI) with the others. This
page shows how such weights, or dropping the clusterings of least agreement, change the consensus.

```text
from consclust.diagnostics import agreement_weights, quality

weights = agreement_weights(labels)                                    # (m,), sum 1
repeated = np.repeat(labels, np.round(100 * weights).astype(int), 1)   # weights for any method, by repetition
kept = labels[:, np.argsort(quality(labels))[m // 4:]]                 # without the quarter of least agreement
```

No method here takes weights of clusterings as an input. Repeating a column r times gives it the weight r in every
method.

## In short

* Averaged over the data sets, no treatment differs clearly from the plain ensemble, except for MCLA, which gains.
* It depends on which clusterings agree. With k-means of 2 to √n clusters, those in the middle of this range agree best
  with the others. With two to four classes the coarse clusterings are nearest to the classes and agree least: there
  weights harm, though not by much more than the error. With more classes the gain is small, below 0.01 on average. The
  classes were grouped after the results were seen.
* Planted ensembles: dropping helps against noise, and against another partition as long as that is a minority. If most
  clusterings err in one way, agreement favours them. Where none is bad, dropping costs accuracy.
* Sharp weights have little effect on average over the data sets. In the planted ensembles they do much harm: the good
  clusterings are equally good there, and too few of them keep a weight.

So there is no default weight, and no method here applies one.

## Data sets

`python benchmarks/agreement_weights.py` takes the {data} registered data sets of up to 3,000 objects (without
scikit-learn's copy of Iris). An ensemble has 20 base clusterings, k-means with 2 to √n clusters, or 20 of a ready-made
pool at random; {seeds} ensembles for each data set. The consensus has as many clusters as there are classes. The tables
show the score after a treatment minus that of the plain ensemble, with its standard error over the data sets.

| treatment | definition |
| :-- | :-- |
| weighted | each clustering is repeated in proportion to its weight, 100 columns in all |
| sharp weights | the same with the fourth power of the weights |
| dropped | without the five clusterings of least agreement |
| dropped at random | without five clusterings at random: what the smaller ensemble costs by itself |

{summary}

Data sets that gained / that were harmed, with a difference of more than {least} in the mean over methods and seeds:

{counts}

## Planted bad clusterings

200 objects in five classes. A good clustering replaces half of its labels at random. The bad ones replace 95 % (noise),
or replace half of the labels of one other partition of the objects, the same for all of them. The
differences are in ARI, averages over the methods; {repeats} ensembles of each kind, with the standard error over them.

{planted}

## Each data set

Differences in ARI, averages over the methods with the standard error over the {seeds} ensembles. Correlation: between
the agreement with the other clusterings and the ARI with the classes, over the 20 clusterings.

{each}

{seconds} CPU seconds. All scores: [agreement-weights.csv](agreement-weights.csv).
"""

if __name__ == "__main__":
    main()

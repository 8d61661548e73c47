"""Scores of the leaderboard as tables: data sets in rows, methods in columns, by kind of ensembles and group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from consclust.datasets.registry import MADE, Card
from consclust_studies.config.experiment import BEST_BASE_CLUSTERING, RESTARTED_KMEANS
from consclust_studies.config.study import PlannedStudy, StudyCase
from consclust_studies.results.source import Source
from consclust_studies.stages.score_methods import CHOSEN, IN_FILE_ORDER

if TYPE_CHECKING:
    import pandas as pd

AS_CLASSES = "k = classes"
RANDOM = "random k"
POOL = "pool"
KINDS = (AS_CLASSES, RANDOM, POOL)
"""Kinds of ensembles: as many clusters as classes, a random number, and pools that somebody made."""
REAL = "real"
CLUSTERABLE = "real, classes are clusters"
SYNTHETIC = "synthetic"
GROUPS = (REAL, CLUSTERABLE, SYNTHETIC, POOL)
"""Groups of data sets; the first is that of the headline."""
HEADLINE = ((AS_CLASSES, REAL), (RANDOM, REAL))


class Part(NamedTuple):
    """The scores by one metric of one kind of ensembles on one group of data sets."""

    kind: str
    group: str
    table: pd.DataFrame
    """Means over the ensembles: data sets in rows, methods and other rows in columns."""


def find_kind(case: StudyCase) -> str:
    """Return the kind of the ensembles of a case."""
    if case.ensemble not in MADE:
        return POOL
    return AS_CLASSES if case.n_clusters is None else RANDOM


def list_groups(card: Card | None) -> set[str]:
    """Return the groups that a data set with features is in; a suspect one is in none."""
    if card is None or card.suspect:
        return set()
    if card.synthetic:
        return {SYNTHETIC}
    return {REAL} if card.unclusterable else {REAL, CLUSTERABLE}


def describe_cases(study: PlannedStudy) -> pd.DataFrame:
    """Return a row for each case: dataset, kind, and the facts of its card."""
    import pandas as pd

    rows = []
    for case in study.cases:
        card = study.origins[case.id].card
        rows.append(
            {
                "case": case.id,
                "dataset": case.dataset,
                "kind": find_kind(case),
                "domain": card.domain if card else "",
                "synthetic": bool(card and card.synthetic),
                "unclusterable": bool(card and card.unclusterable),
                "suspect": bool(card and card.suspect),
            }
        )
    return pd.DataFrame(rows)


def list_scores(source: Source, metric: str) -> pd.DataFrame:
    """Return the scores by a metric: dataset, kind, method, ensemble, value; a failed fit is left out."""
    scores = source.scores
    chosen = scores[(scores["restart"] == CHOSEN) & (scores["metric"] == metric)]
    named = chosen.merge(describe_cases(source.study)[["case", "dataset", "kind"]], on="case")
    named = named.rename(columns={"subset": "ensemble"}).dropna(subset="value")
    return _repeat_kmeans(named)[["dataset", "kind", "method", "ensemble", "value"]]


def _repeat_kmeans(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores with those of k-means on the features, which has no ensemble, for both kinds of ensembles."""
    import pandas as pd

    kmeans = scores[scores["method"] == RESTARTED_KMEANS]
    with_random = scores.loc[scores["kind"] == RANDOM, "dataset"]
    return pd.concat([scores, kmeans[kmeans["dataset"].isin(with_random)].assign(kind=RANDOM)], ignore_index=True)


def list_parts(source: Source, metric: str) -> list[Part]:
    """Return the tables of each kind and group, those with data sets."""
    scores = list_scores(source, metric)
    cards = {case.dataset: source.study.origins[case.id].card for case in source.study.cases}
    order = list_rows(source.study)
    parts = []
    for kind in KINDS:
        mine = scores[scores["kind"] == kind]
        for group in GROUPS:
            names = [name for name, card in cards.items() if group in (list_groups(card) if kind != POOL else {POOL})]
            table = mine[mine["dataset"].isin(names)].pivot_table(index="dataset", columns="method", values="value")
            if len(table):
                parts.append(Part(kind, group, table.reindex(columns=order)))
    return parts


def list_rows(study: PlannedStudy) -> list[str]:
    """Return the methods, after the rows that are none."""
    return [study.base_clusterings, BEST_BASE_CLUSTERING, RESTARTED_KMEANS, *(run.id for run in study.methods)]


def keep_methods(study: PlannedStudy, table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that are ranked and tested: the methods and the mean base clustering, if they have a score."""
    known = [study.base_clusterings, *(run.id for run in study.methods)]
    return table[[name for name in known if table[name].notna().any()]]


def find_best(study: PlannedStudy, table: pd.DataFrame, ranks: pd.DataFrame) -> str:
    """Return the method with the best mean rank; the base clusterings are no method."""
    del table
    return str(ranks.drop(columns=study.base_clusterings, errors="ignore").mean().idxmin())


def measure_order_sensitivity(source: Source, metric: str) -> Mapping[tuple[str, str], float]:
    """Return the mean absolute difference of the score in the order of the file, by kind and method."""
    scores = source.scores
    first = scores[(scores["metric"] == metric) & (scores["subset"] == 0)]
    wide = first.pivot_table(index=["case", "method"], columns="restart", values="value")
    if IN_FILE_ORDER not in wide:
        return {}
    kinds = describe_cases(source.study).set_index("case")["kind"]
    differences = (wide[IN_FILE_ORDER] - wide[CHOSEN]).abs().dropna().rename("value").reset_index()
    means = differences.assign(kind=differences["case"].map(kinds)).groupby(["kind", "method"])["value"].mean()
    return {(str(kind), str(method)): float(value) for (kind, method), value in means.items()}


def list_seconds(source: Source) -> pd.DataFrame:
    """Return the median CPU seconds of a fit and the sizes of each case: case, method, seconds, n, n_profiles."""
    from statistics import median

    import pandas as pd

    rows = []
    for record in source.runtimes:
        for place, method in enumerate(record["methods"]):
            seconds = median(of_subset[place] for of_subset in record["cpu_seconds"])
            sizes = {"n": record["n"], "n_profiles": int(median(record["n_profiles"]))}
            rows.append({"case": record["case"], "method": method, "seconds": seconds, **sizes})
    return pd.DataFrame(rows, columns=["case", "method", "seconds", "n", "n_profiles"])

"""Leaderboards: methods compared over data sets, for each kind of ensembles and group of data sets."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consclust.datasets.registry import MADE, Card
from consclust.report.blocks import Table, listed
from consclust.report.wording import count, number
from consclust_studies.config.study import StudyCase
from consclust_studies.results.over_datasets import (
    FEWEST,
    Comparison,
    Posterior,
    compare_with,
    fill_worst,
    judge_by_signed_ranks,
    rank_methods,
)

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
COLUMNS = {
    "Method": "method",
    "Sets": "datasets",
    "Mean": "mean",
    "Mean, missing as worst": "mean_worst",
    "Mean rank": "rank",
    "Mean rank, complete sets": "rank_complete",
    "p, best": "p_best",
    "P(A > B)": "better",
    "p, default": "p_default",
    "Better": "bayes_better",
    "Equal": "bayes_equal",
    "Worse": "bayes_worse",
    "Order": "order",
    "Seconds": "seconds",
}
"""Columns of a board: what they are called, and their names in the file."""


class Facts(NamedTuple):
    """What is known of a data set, by which it belongs to groups."""

    synthetic: bool = False
    unclusterable: bool = False
    suspect: bool = False


class Part(NamedTuple):
    """The scores by one metric of one kind of ensembles on one group of data sets."""

    kind: str
    group: str
    table: pd.DataFrame
    """Means over the ensembles: data sets in rows, methods and other rows in columns."""


class Rivals(NamedTuple):
    """Whom the methods of a board are compared with, and how."""

    default: str
    """The method that the others are compared with beside the best one."""
    rope: float
    """Difference of scores within which two methods are practically equal."""
    generator: Callable[..., np.random.Generator]
    """Returns the random numbers of a comparison, by words that name it."""


def find_kind(case: StudyCase) -> str:
    """Return the kind of the ensembles of a case."""
    if case.ensemble not in MADE:
        return POOL
    return AS_CLASSES if case.n_clusters is None else RANDOM


def list_groups(facts: Facts | None) -> set[str]:
    """Return the groups that a data set with features is in; a suspect one, and one without facts, is in none."""
    if facts is None or facts.suspect:
        return set()
    if facts.synthetic:
        return {SYNTHETIC}
    return {REAL} if facts.unclusterable else {REAL, CLUSTERABLE}


def find_facts(card: Card | None) -> Facts | None:
    """Return what decides on the groups of a data set; None of one without a card."""
    return None if card is None else Facts(card.synthetic, card.unclusterable, bool(card.suspect))


def keep_ranked(table: pd.DataFrame, ranked: Sequence[str]) -> pd.DataFrame:
    """Return the columns of a table that are ``ranked`` and have a score."""
    return table[[name for name in ranked if name in table and table[name].notna().any()]]


def average_order(cells: pd.DataFrame, part: Part) -> dict[str, float]:
    """Return the mean sensitivity to the order of the objects over the data sets of a part, by method.

    ``cells`` has the columns dataset, kind, method and order.
    """
    means = _take_part(cells, part).dropna(subset="order").groupby("method")["order"].mean()
    return {str(method): float(value) for method, value in means.items()}


def find_seconds(cells: pd.DataFrame, part: Part) -> dict[str, float]:
    """Return the median CPU seconds of a fit over the data sets of a part on which a method ran, by method.

    ``cells`` has the columns dataset, kind, method and seconds.
    """
    medians = _take_part(cells, part).dropna(subset="seconds").groupby("method")["seconds"].median()
    return {str(method): float(value) for method, value in medians.items()}


def _take_part(cells: pd.DataFrame, part: Part) -> pd.DataFrame:
    return cells[(cells["kind"] == part.kind) & cells["dataset"].isin(part.table.index)]


def make_parts(scores: pd.DataFrame, facts: Mapping[str, Facts | None], order: Sequence[str]) -> list[Part]:
    """Return the tables of each kind and group, those with data sets.

    ``scores`` have the columns dataset, kind, method and value; several values of a cell become their mean. ``facts``
    are by data set, whose order the rows have; ``order`` is that of the methods.
    """
    parts = []
    for kind in KINDS:
        mine = scores[scores["kind"] == kind]
        for group in GROUPS:
            names = [name for name, known in facts.items() if group in (list_groups(known) if kind != POOL else {POOL})]
            table = mine[mine["dataset"].isin(names)].pivot_table(index="dataset", columns="method", values="value")
            if len(table):
                parts.append(Part(kind, group, table.reindex(columns=list(order))))
    return parts


def find_best(ranks: pd.DataFrame, no_methods: Sequence[str]) -> str:
    """Return the method with the best mean rank; ``no_methods`` are columns that are none."""
    return str(ranks.drop(columns=list(no_methods), errors="ignore").mean().idxmin())


def compare_methods(
    part: Part, ranked: Sequence[str], no_methods: Sequence[str], rivals: Rivals, cells: pd.DataFrame
) -> pd.DataFrame:
    """Return the rows of one kind and group, the best mean rank first, with the columns ``COLUMNS``, kind and group.

    Columns of the table that are not ``ranked`` have a mean alone. ``cells`` has the sensitivity to the order of the
    objects and the seconds of a fit: columns dataset, kind, method, order, seconds.
    """
    import pandas as pd

    placed = keep_ranked(part.table, ranked)
    ranks = rank_methods(placed)
    complete = placed.dropna()
    ranks_complete = rank_methods(complete).mean() if len(complete) else pd.Series(dtype=float)
    with_best = _by_method(compare_with(placed, find_best(ranks, no_methods)))
    with_default = _by_method(compare_with(placed, rivals.default)) if rivals.default in placed else {}
    worst = fill_worst(part.table)
    order = average_order(cells, part)
    seconds = find_seconds(cells, part)
    rows = []
    for method in part.table:
        scores = part.table[method]
        if scores.notna().sum() == 0:
            continue
        beside = with_default.get(method)
        judged = judge(part, str(method), rivals) if beside else None
        rows.append(
            {
                "kind": part.kind,
                "group": part.group,
                "method": method,
                "datasets": int(scores.notna().sum()),
                "mean": scores.mean(),
                "mean_worst": worst[method].mean(),
                "rank": ranks[method].mean() if method in ranks else np.nan,
                "rank_complete": ranks_complete.get(method, np.nan),
                "p_best": with_best[method].p_holm if method in with_best else np.nan,
                "better": beside.better if beside else np.nan,
                "p_default": beside.p_holm if beside else np.nan,
                "bayes_better": judged.better if judged else np.nan,
                "bayes_equal": judged.equal if judged else np.nan,
                "bayes_worse": judged.worse if judged else np.nan,
                "order": order.get(str(method), np.nan),
                "seconds": seconds.get(str(method), np.nan),
            }
        )
    return pd.DataFrame(rows).sort_values(["rank", "mean"], ascending=[True, False], ignore_index=True)


def judge(part: Part, method: str, rivals: Rivals) -> Posterior | None:
    """Return the posterior of a method against the default one; None with few data sets."""
    differences = (part.table[method] - part.table[rivals.default]).dropna().to_numpy(dtype=float)
    if len(differences) < FEWEST:
        return None
    random = rivals.generator("signed ranks", part.kind, part.group, method)
    return judge_by_signed_ranks(differences, rivals.rope, random)


def tabulate(part: Part, rows: pd.DataFrame) -> Table:
    """Return the table of a kind and group, from the rows of :func:`compare_methods`."""
    title = f"{part.kind}, {part.group}: {count(len(part.table), 'data set')}"
    forms: dict[str, Any] = dict.fromkeys(("p_best", "p_default"), write_p)
    forms |= dict.fromkeys(("rank", "rank_complete"), lambda value: number(value, ".1f"))
    forms |= {"datasets": str}
    return listed(title, rows, COLUMNS, forms=forms)


def write_p(value: float) -> str:
    """Write a p-value with three digits."""
    return "< .001" if value < 0.001 else number(value, ".3f")


def _by_method(comparisons: list[Comparison]) -> dict[str, Comparison]:
    return {comparison.method: comparison for comparison in comparisons}

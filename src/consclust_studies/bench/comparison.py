"""The scores of a user's method beside those of the accepted leaderboard: one more row of every table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from consclust.errors import InputError
from consclust.seeds import generator
from consclust_studies.bench.ensembles import EnsemblesOfCase
from consclust_studies.bench.fits import CaseResult
from consclust_studies.config.experiment import BEST_BASE_CLUSTERING, RESTARTED_KMEANS
from consclust_studies.results.boards import (
    HEADLINE,
    KINDS,
    Facts,
    Part,
    Rivals,
    compare_methods,
    find_seconds,
    keep_ranked,
    make_parts,
)
from consclust_studies.results.over_datasets import compare_with, rank_methods

if TYPE_CHECKING:
    import pandas as pd

METRICS = ("ARI", "AMI", "NMI", "ACC", "PSI")
BASE = "Base clusterings"
NO_METHODS = (BASE, BEST_BASE_CLUSTERING, RESTARTED_KMEANS)
"""Rows of the leaderboard that are no methods; the first one is ranked."""
DEFAULT = "LWEA"
"""The method that every other one is compared with."""
ROPE = 0.01
"""Difference of scores within which two methods are practically equal."""
SAME = 1e-9
"""Difference of the score of the base clusterings up to which the ensembles are those of the accepted run."""
FACTS = ("domain", "synthetic", "unclusterable", "suspect", "n", "n_profiles")


class Board(NamedTuple):
    """The accepted scores on the chosen data sets, and those of the user's method."""

    name: str
    cells: pd.DataFrame
    """A row for each data set, kind and method, with the columns of ``cells.csv`` of the leaderboard."""
    facts: Mapping[str, Facts | None]
    """By data set."""
    different: Sequence[str]
    """Cases whose ensembles are not those of the accepted run; they are left out."""
    seed: int

    def make_parts(self, metric: str) -> list[Part]:
        """Return the tables of each kind of ensembles and group of data sets."""
        scores = self.cells.rename(columns={metric: "value"})[["dataset", "kind", "method", "value"]]
        return make_parts(scores.dropna(subset="value"), self.facts, list(scores["method"].unique()))

    @property
    def ranked(self) -> list[str]:
        """The rows that are ranked and tested: the methods and the mean base clustering."""
        return [name for name in self.cells["method"].unique() if name not in NO_METHODS[1:]]

    def make_rivals(self) -> Rivals:
        """Return whom the methods are compared with."""
        return Rivals(DEFAULT, ROPE, lambda *words: generator(self.seed, "bench", *words))


def join(
    name: str,
    accepted: pd.DataFrame,
    cases: Sequence[EnsemblesOfCase],
    results: Mapping[str, CaseResult],
    facts: Mapping[str, Facts | None],
) -> Board:
    """Return the accepted scores of the chosen data sets with the rows of a method.

    ``accepted`` is the table ``cells.csv`` of the leaderboard. A method with the name of another one gets a star. Where
    the base clusterings have another score than in the accepted run, the ensembles are others, and the case is left
    out: scores on different ensembles are not compared. InputError if nothing is left.
    """
    import pandas as pd

    known = set(accepted["method"])
    while name in known:
        name += "*"
    base = accepted[accepted["method"] == BASE].set_index(["dataset", "kind"])
    different, rows, kept = [], [], []
    for case in cases:
        key = (case.dataset, case.kind)
        result = results[case.case]
        if key not in base.index:
            different.append(case.case)
            continue
        published = float(base.loc[key, METRICS[0]])
        if result.base_scores and abs(float(np.mean(result.base_scores)) - published) > SAME:
            different.append(case.case)
            continue
        kept.append(key)
        scores = {metric: result.mean(metric) for metric in METRICS}
        seconds = float(np.median(result.cpu_seconds)) if result.cpu_seconds else np.nan
        order = np.nan if result.order is None else result.order
        of_set = {fact: base.loc[key, fact] for fact in FACTS}
        rows.append({"dataset": key[0], "kind": key[1], "method": name, **scores, **of_set})
        rows[-1] |= {"seconds": seconds, "order": order}
    if not kept:
        remedy = "run `snakemake --cores N leaderboard` on this machine first"
        raise InputError(f"no ensemble is that of the accepted leaderboard; {remedy}")
    chosen = pd.MultiIndex.from_tuples(kept)
    mine = accepted[pd.MultiIndex.from_frame(accepted[["dataset", "kind"]]).isin(chosen)]
    cells = pd.concat([mine, pd.DataFrame(rows)], ignore_index=True)
    return Board(name, cells, facts, different, cases[0].seed)


def compare_all(board: Board, metric: str) -> list[tuple[Part, pd.DataFrame]]:
    """Return the rows of the board for each kind of ensembles and group of data sets."""
    return [
        (part, compare_methods(part, board.ranked, NO_METHODS, board.make_rivals(), board.cells))
        for part in board.make_parts(metric)
    ]


def compare_with_each(board: Board, part: Part) -> pd.DataFrame:
    """Return the user's method beside each other one on the data sets on which both have a score.

    Columns: method, datasets, difference (the user's method minus the other one), p (Wilcoxon's test, adjusted by
    Holm's method), better (P(A > B)), seconds (those of the user's method in terms of the other's).
    """
    import pandas as pd

    table = keep_ranked(part.table, board.ranked)
    columns = ["method", "datasets", "difference", "p", "better", "seconds"]
    if board.name not in table:
        return pd.DataFrame(columns=columns)
    seconds = find_seconds(board.cells, part)
    own = seconds.get(board.name, np.nan)
    rows = [
        {
            "method": found.method,
            "datasets": found.datasets,
            # they compare the other one with the user's method
            "difference": -found.difference,
            "p": found.p_holm,
            "better": 1 - found.better,
            "seconds": own / seconds[found.method] if seconds.get(found.method) else np.nan,
        }
        for found in compare_with(table, board.name)
    ]
    return pd.DataFrame(rows, columns=columns).sort_values("difference", ignore_index=True)


def list_sets(board: Board, metric: str) -> pd.DataFrame:
    """Return a row for each data set and kind: own score, that of the default and of the best method, and the rank.

    Columns: dataset, kind, own, default, difference, best, best_score, rank, methods.
    """
    import pandas as pd

    rows = []
    for kind in KINDS:
        mine = board.cells[board.cells["kind"] == kind]
        if mine.empty:
            continue
        table = mine.pivot_table(index="dataset", columns="method", values=metric, dropna=False)
        if board.name not in table:
            continue
        methods = [name for name in board.ranked if name in table and name != BASE]
        ranks = rank_methods(table[methods])
        for dataset, scores in table[methods].iterrows():
            others = scores.drop(board.name)
            own, default = scores[board.name], scores.get(DEFAULT, np.nan)
            rows.append(
                {
                    "dataset": dataset,
                    "kind": kind,
                    "own": own,
                    "default": default,
                    "difference": own - default,
                    "best": others.idxmax() if others.notna().any() else "",
                    "best_score": others.max(),
                    "rank": ranks.loc[dataset, board.name],
                    "methods": len(methods),
                }
            )
    return pd.DataFrame(rows).sort_values("difference", ascending=False, ignore_index=True)


def find_headline(parts: Sequence[tuple[Part, pd.DataFrame]]) -> list[tuple[Part, pd.DataFrame]]:
    """Return the parts of the headline; where the chosen data sets have none, all parts."""
    mine = [(part, rows) for part, rows in parts if (part.kind, part.group) in HEADLINE]
    return mine or list(parts)

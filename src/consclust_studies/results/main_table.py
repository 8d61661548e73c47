"""The numbers of the main table: the scores of every row of the study, beside the published ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from consclust_studies.config.experiment import Experiment
from consclust_studies.config.study import PlannedStudy
from consclust_studies.results.published_scores import of_the_paper, published_methods, published_names
from consclust_studies.results.source import Source
from consclust_studies.results.summary import summarise
from consclust_studies.stages.selection import Row, main_rows

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = (
    *("case", "dataset", "metric", "method", "selection", "row", "mean", "std", "n", "published"),
    *("difference", "difference_se", "best", "bold", "paper_best", "paper_bold", "parameters", "note"),
)
KEYS = ["case", "metric", "method", "selection"]
DIGITS = 12
"""Digits of a score that count; the others are rounding."""
NEAR = 2.0
"""Standard errors of our mean within which a published score is near."""


def scores_frame(source: Source, seen: PlannedStudy | None = None) -> DataFrame:
    """Return one row per case, metric and row of the table; ``seen`` is the study with some cases and methods alone.

    ``difference`` is ours - published; ``difference_se`` is the same in standard errors of our mean, std / sqrt(n)
    over n subsets. ``best`` and ``bold`` are judged among all methods here; ``paper_best`` and ``paper_bold`` among
    those of the paper, if all methods of the study are here, and a method that the paper does not have among all.
    ``parameters`` is the grid point of a selection that takes one point for all subsets. ``note`` says why a mean
    covers fewer subsets than the study has, and what the method remarks.
    """
    study = seen or source.study
    paper = of_the_paper(study, source.published) if study.methods == source.study.methods else study
    selected = joined(source.selected, source.variants)

    def summary(of: PlannedStudy) -> DataFrame:
        return summarise(of.model_copy(update={"metrics": study.reported}), selected)

    table = summary(study)
    judged = table if paper is study else summary(paper)
    judged = judged.set_index(KEYS)[["best", "bold"]].add_prefix("paper_")
    one_point = selected[selected["selection"].isin(["oracle-common", "default"])].drop_duplicates(KEYS)
    table = table.join(judged, on=KEYS).join(one_point.set_index(KEYS)["parameters"], on=KEYS)
    for word in ("best", "bold"):
        table[f"paper_{word}"] = table[f"paper_{word}"].where(table[f"paper_{word}"].notna(), table[word]).astype(bool)
    names = zip(table["case"], table["metric"], table["method"], strict=True)
    key, published = published_key(source, study), source.published.scores
    table["published"] = [published.get(key(*name), np.nan) for name in names]
    table["difference"] = table["mean"] - table["published"]
    errors = table["std"] / np.sqrt(table["n"])
    table["difference_se"] = table["difference"] / errors.where((table["n"] > 1) & (table["std"] > 0))
    table["row"] = [Row(*row).name for row in zip(table["method"], table["selection"], strict=True)]
    table["note"] = _notes(source, study, table)
    return table.assign(dataset=table["case"].map(source.titles)).fillna({"parameters": ""})[list(COLUMNS)]


def published_key(source: Source, study: PlannedStudy | None = None) -> Callable[..., Any]:
    """Return the function from (case, ..., method) to the key of their published values."""
    study = study or source.study
    names, methods = published_names(study, source.published), published_methods(study, source.published)
    return lambda case, *words: (names.get(case, ""), *words[:-1], methods[words[-1]])


def joined(*selected: DataFrame) -> DataFrame:
    """Return the selected scores of several tables; one that stands in several of them is there once."""
    import pandas as pd

    return pd.concat(selected).drop_duplicates([*KEYS, "subset"])


def over_subsets(*selected: DataFrame) -> DataFrame:
    """Return count, mean and std of selected scores over the subsets, by :data:`KEYS`."""
    return joined(*selected).groupby(KEYS)["value"].agg(["count", "mean", "std"])


def ranks(scores: DataFrame) -> DataFrame:
    """Return the rank of each column in each row, 1 for the highest score; scores that differ by rounding share one."""
    return scores.round(DIGITS).rank(axis=1, ascending=False)


def counted_rows(study: Experiment, table: DataFrame) -> DataFrame:
    """Return the rows of the cases that count: no data set twice."""
    return table[table["case"].isin([case.id for case in study.counted])]


def of_main_rows(study: Experiment, table: DataFrame) -> DataFrame:
    """Return the rows that represent the methods in claims and ranks."""
    main = set(main_rows(study))
    return table[[row in main for row in zip(table["method"], table["selection"], strict=True)]]


def published_cells(study: PlannedStudy, scores: DataFrame) -> DataFrame:
    """Return the scores that have a published value, one row for a method, and whether they are ``near``."""
    return with_near(study, of_main_rows(study, scores).dropna(subset=["mean", "published"]))


def with_near(study: Experiment, cells: DataFrame) -> DataFrame:
    """Return the cells with the column ``near``; it is NaN if one subset gives no standard error."""
    near = cells["difference_se"].abs() <= NEAR
    return cells.assign(near=near if study.n_subsets > 1 else float("nan"), away=cells["difference"].abs())


def expected_near(n_subsets: int) -> float:
    """Return the share of published scores that would be near if only the random numbers differed from the paper's.

    The published mean varies as ours does, over as many subsets, so their difference has sqrt(2) times the standard
    error of either: the share is that of Student's t within :data:`NEAR` / sqrt(2), with ``n_subsets`` - 1 degrees of
    freedom.
    """
    from scipy import stats

    return float(1 - 2 * stats.t.sf(NEAR / math.sqrt(2), n_subsets - 1))


def counted_cells(study: PlannedStudy, scores: DataFrame) -> DataFrame:
    """Return the published cells of the cases that count."""
    return counted_rows(study, published_cells(study, scores))


def _notes(source: Source, study: PlannedStudy, table: DataFrame) -> list[str]:
    """Return a note for each row: the subsets on which it failed, and what the method remarks."""
    reasons, remarks, absent = _reasons(source.failures), _remarks(study, source.notes), study.absent()
    without = {(case.id, method) for method, cases in absent.items() for case in cases}
    notes = []
    for case, method, n in zip(table["case"], table["method"], table["n"], strict=True):
        missing = 0 if (case, method) in without else study.n_subsets - n
        why = f"failed on {missing} of {study.n_subsets} subsets: {reasons.get((case, method), 'no score')}"
        notes.append("; ".join(filter(None, (why if missing else "", remarks.get((case, method))))))
    return notes


def _reasons(failures: DataFrame) -> dict[object, str]:
    """Return the reasons of a method's failures on a case, the most frequent first."""
    groups = failures.groupby(["case", "method"], sort=False)["reason"]
    counts = {key: group.value_counts().sort_index() for key, group in groups}
    return {key: "; ".join(c.sort_values(ascending=False, kind="stable").index) for key, c in counts.items()}


def _remarks(study: PlannedStudy, notes: DataFrame) -> dict[object, str]:
    """Return what a method remarks about its answers on a case, and on how many subsets if not on all."""
    found: dict[object, list[str]] = {}
    for (case, method, note), n in notes.groupby(["case", "method", "note"])["subset"].nunique().items():
        where = "" if n == study.n_subsets else f" (on {n} of {study.n_subsets} subsets)"
        found.setdefault((case, method), []).append(f"{note}{where}")
    return {key: "; ".join(parts) for key, parts in found.items()}

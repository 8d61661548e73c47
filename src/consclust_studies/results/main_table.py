"""The numbers of the main table: the scores of every row of the study, beside the published ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from consclust_studies.config.experiment import Experiment
from consclust_studies.config.study import PlannedStudy
from consclust_studies.results.published_scores import find_published_methods, find_published_names, restrict_to_paper
from consclust_studies.results.source import Source
from consclust_studies.results.summary import summarise
from consclust_studies.stages.grid_points import spell_out
from consclust_studies.stages.selection import Row, list_main_rows

if TYPE_CHECKING:
    from pandas import DataFrame, Series

COLUMNS = [
    "case", "dataset", "metric", "method", "selection", "row", "mean", "std", "n", "published", "difference",
    "difference_se", "best", "bold", "paper_best", "paper_bold", "parameters", "note",
]  # fmt: skip
KEYS = ["case", "metric", "method", "selection"]
DIGITS = 12
"""Digits of a score that count; the others are rounding, see :data:`consclust_studies.stages.selection.ROUNDING`."""
NEAR = 2.0
"""Standard errors of our mean within which a published score is near."""


def build_scores_frame(source: Source, seen: PlannedStudy | None = None) -> DataFrame:
    """Return one row per case, metric and row of the table; ``seen`` is the study with some cases and methods alone.

    ``difference`` is ours - published; ``difference_se`` is the same in standard errors of our mean, std / sqrt(n)
    over n subsets. ``best`` and ``bold`` are judged among all methods here; ``paper_best`` and ``paper_bold`` among
    those of the paper, if all methods of the study are here, and a method that the paper does not have among all.
    ``parameters`` is the grid point of a selection that takes one point for all subsets. ``note`` says why a mean
    covers fewer subsets than the study has, and what the method remarks.
    """
    study = seen or source.study
    # with some methods alone, the paper's judgement on all of them cannot be redone
    paper = restrict_to_paper(study, source.published) if study.methods == source.study.methods else study
    selected = join_selected(source.selected, source.variants)
    table = _summarise_reported(study, selected)
    judged = table if paper is study else _summarise_reported(paper, selected)
    table = _join_judgements_of_paper(table, judged)
    table = table.join(_find_parameters(source.study, selected), on=KEYS)

    find_key = make_published_key(source, study)
    names = zip(table["case"], table["metric"], table["method"], strict=True)
    table["published"] = [source.published.scores.get(find_key(*name), np.nan) for name in names]
    table["difference"] = table["mean"] - table["published"]
    errors = table["std"] / np.sqrt(table["n"])
    # one subset, or no variance, gives no standard error
    table["difference_se"] = table["difference"] / errors.where((table["n"] > 1) & (table["std"] > 0))

    rows = zip(table["method"], table["selection"], strict=True)
    table["row"] = [Row(method, selection).name for method, selection in rows]
    table["dataset"] = table["case"].map(source.titles)
    table["note"] = _write_notes(source, study, table)
    return table.fillna({"parameters": ""})[COLUMNS]


def _summarise_reported(study: PlannedStudy, selected: DataFrame) -> DataFrame:
    """Summarise the metrics of the tables alone."""
    return summarise(study.model_copy(update={"metrics": study.reported}), selected)


def _join_judgements_of_paper(table: DataFrame, judged: DataFrame) -> DataFrame:
    """Add ``paper_best`` and ``paper_bold``, by what was ``judged``; a row that is not there keeps its own."""
    of_paper = judged.set_index(KEYS)[["best", "bold"]].add_prefix("paper_")
    table = table.join(of_paper, on=KEYS)
    for word in ("best", "bold"):
        known = table[f"paper_{word}"]
        table[f"paper_{word}"] = known.where(known.notna(), table[word]).astype(bool)
    return table


def _find_parameters(study: Experiment, selected: DataFrame) -> Series:
    """Return the ``parameters`` of the selections that take one grid point for all subsets, by :data:`KEYS`."""
    # a fixed row has no parameters, and oracle-per-subset another point on every subset
    of_one_point = selected[selected["selection"].isin(["oracle-common", "default"])]
    points = of_one_point.drop_duplicates(KEYS)
    written = spell_out(points, {method: study.list_points(method) for method in points["method"].unique()})
    return written.set_index(KEYS)["parameters"]


def make_published_key(source: Source, study: PlannedStudy | None = None) -> Callable[..., Any]:
    """Return the function from (case, ..., method) to the key of their published values."""
    study = study or source.study
    names = find_published_names(study, source.published)
    methods = find_published_methods(study, source.published)

    def find_key(case: str, *words: str) -> tuple[str, ...]:
        *between, method = words
        return names.get(case, ""), *between, methods[method]

    return find_key


def join_selected(*selected: DataFrame) -> DataFrame:
    """Return the selected scores of several tables; one that stands in several of them is there once."""
    import pandas as pd

    return pd.concat(selected).drop_duplicates([*KEYS, "subset"])


def aggregate_subsets(*selected: DataFrame) -> DataFrame:
    """Return count, mean and std of selected scores over the subsets, by :data:`KEYS`."""
    return join_selected(*selected).groupby(KEYS)["value"].agg(["count", "mean", "std"])


def rank_scores(scores: DataFrame) -> DataFrame:
    """Return the rank of each column in each row, 1 for the highest score; scores that differ by rounding share one."""
    return scores.round(DIGITS).rank(axis=1, ascending=False)


def keep_counted(study: Experiment, table: DataFrame) -> DataFrame:
    """Return the rows of the cases that count: no data set twice."""
    return table[table["case"].isin([case.id for case in study.counted])]


def keep_main_rows(study: Experiment, table: DataFrame) -> DataFrame:
    """Return the rows that represent the methods in claims and ranks."""
    main = set(list_main_rows(study))
    return table[[row in main for row in zip(table["method"], table["selection"], strict=True)]]


def find_published_cells(study: PlannedStudy, scores: DataFrame) -> DataFrame:
    """Return the scores that have a published value, one row for a method, and whether they are ``near``."""
    return add_near(study, keep_main_rows(study, scores).dropna(subset=["mean", "published"]))


def add_near(study: Experiment, cells: DataFrame) -> DataFrame:
    """Return the cells with the column ``near``; it is NaN if one subset gives no standard error."""
    near: Any = float("nan")
    if study.n_subsets > 1:
        near = cells["difference_se"].abs() <= NEAR
    return cells.assign(near=near, away=cells["difference"].abs())


def compute_expected_near(n_subsets: int) -> float:
    """Return the share of published scores that would be near if only the random numbers differed from the paper's.

    The published mean varies as ours does, over as many subsets, so their difference has sqrt(2) times the standard
    error of either: the share is that of Student's t within :data:`NEAR` / sqrt(2), with ``n_subsets`` - 1 degrees of
    freedom.
    """
    from scipy import stats

    return float(1 - 2 * stats.t.sf(NEAR / math.sqrt(2), n_subsets - 1))


def find_counted_cells(study: PlannedStudy, scores: DataFrame) -> DataFrame:
    """Return the published cells of the cases that count."""
    return keep_counted(study, find_published_cells(study, scores))


def _write_notes(source: Source, study: PlannedStudy, table: DataFrame) -> list[str]:
    """Return a note for each row: the subsets on which it failed, and what the method remarks."""
    reasons = _join_reasons(source.failures)
    remarks = _join_remarks(study, source.notes)
    not_run = {(case.id, method) for method, cases in study.absent().items() for case in cases}
    notes = []
    for case, method, n in zip(table["case"], table["method"], table["n"], strict=True):
        parts = []
        missing = study.n_subsets - n
        if missing and (case, method) not in not_run:
            why = reasons.get((case, method), "no score")
            parts.append(f"failed on {missing} of {study.n_subsets} subsets: {why}")
        if (case, method) in remarks:
            parts.append(remarks[case, method])
        notes.append("; ".join(parts))
    return notes


def _join_reasons(failures: DataFrame) -> dict[object, str]:
    """Return the reasons of a method's failures on a case, the most frequent first."""
    reasons = {}
    for key, group in failures.groupby(["case", "method"], sort=False)["reason"]:
        # by the alphabet first, so that reasons of equal frequency have an order
        counts = group.value_counts().sort_index().sort_values(ascending=False, kind="stable")
        reasons[key] = "; ".join(counts.index)
    return reasons


def _join_remarks(study: PlannedStudy, notes: DataFrame) -> dict[object, str]:
    """Return what a method remarks about its answers on a case, and on how many subsets if not on all."""
    found: dict[object, list[str]] = {}
    for (case, method, note), n in notes.groupby(["case", "method", "note"])["subset"].nunique().items():
        where = "" if n == study.n_subsets else f" (on {n} of {study.n_subsets} subsets)"
        found.setdefault((case, method), []).append(f"{note}{where}")
    return {key: "; ".join(parts) for key, parts in found.items()}

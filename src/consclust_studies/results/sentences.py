"""Sentences on a study: which case counts, how parameters were selected, which rows cover fewer subsets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from consclust.report.wording import conjunction
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.study import PlannedStudy
from consclust_studies.stages.selection import FIXED, WORDS, find_main_row

if TYPE_CHECKING:
    from pandas import DataFrame, Series

SELECTIONS = WORDS


def describe_counting(study: PlannedStudy) -> str:
    """Say which case counts where a data set has several; empty where none has."""
    here = {case.id for case in study.cases}
    chosen = [(case.id, case.instead_of) for case in study.cases if case.instead_of in here]
    pairs = [f"{study.titles[case]} instead of {study.titles[other]}" for case, other in chosen if other]
    return f"Each data set counts once: {conjunction(pairs)}." if pairs else ""


def describe_selection(study: Experiment, methods: Sequence[str]) -> str:
    """Say how the parameters of tuned methods were selected; empty where none is tuned."""
    tuned = [method for method in methods if find_main_row(study, method).selection != FIXED]
    if not tuned:
        return ""
    is_oracle = study.selected_by and study.selection != "default"
    by = f", by {study.selected_by}" if is_oracle else ""
    return f"Parameters of {conjunction(tuned)}: {SELECTIONS[study.selection]}{by}."


def describe_missing(study: PlannedStudy, frame: DataFrame, *columns: str) -> str:
    """Say which rows of a frame cover fewer subsets (``n``) than the study has; empty where none does."""
    where = []
    for row in frame[frame["n"] < study.n_subsets].to_dict("records"):
        further = "".join(f", {column} {row[column]}" for column in columns)
        where.append(f"{row['method']} on {study.titles[row['case']]}{further} ({row['n']})")
    return f"Over fewer subsets, because of failed fits: {'; '.join(where)}." if where else ""


def describe_failures(methods: Series) -> str:
    """Say how many fits have no answer and count as 0, given the method of each such fit."""
    if methods.empty:
        return "No fit is without an answer."
    numbers = ", ".join(f"{method} {number}" for method, number in methods.value_counts().items())
    return f"Fits without an answer, which count as 0: {numbers}."

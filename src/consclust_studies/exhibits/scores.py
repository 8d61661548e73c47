"""The main table: mean and deviation of the scores of every method on every data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Cell, Footnotes, Shown, Table, Text, crossed
from consclust.report.wording import DASH, MINUS, conjunction, count, paragraph, score, signed
from consclust_studies.config.experiment import Variants
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import AnyMethodId, CaseId, MetricId
from consclust_studies.config.study import PlannedStudy, StudyCase
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Counted, Exhibit, Needs
from consclust_studies.results.main_table import build_scores_frame, keep_main_rows
from consclust_studies.results.published_scores import HALF_DIGIT, restrict_to_paper
from consclust_studies.results.sentences import SELECTIONS, describe_selection
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import FIXED, ROUNDING

if TYPE_CHECKING:
    from pandas import DataFrame

WITHOUT_OTHERS = "\N{DAGGER}"
"""Marks what is bold among the paper's methods, but not among all methods of the table."""


class Scores(Exhibit):
    """Scores of all methods; or, with ``methods``, of these alone on the cases on which any of them runs."""

    place = -10
    beside_listed = True
    counts_some_cases = True
    questions: ClassVar[Mapping[str, str]] = {
        "near_one": "scores of the method on the data sets of the claim, in all metrics, within 'within' of 1"
    }

    kind: Literal["scores"]
    id: Name = "table2"
    title: Title = "Scores"
    metrics: tuple[MetricId, ...] = Field((), description="metrics; those in 'reported' if absent")
    methods: tuple[AnyMethodId, ...] = Field(
        (), description="ids of methods, or of variants of methods; all methods of the study if absent"
    )
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")

    def seen(self, study: PlannedStudy) -> PlannedStudy:
        """Return the study with the cases, methods and metrics of the table."""
        runs = self._find_runs(study)
        changes = {
            "cases": self._find_cases(study, runs),
            "methods": runs,
            "reported": self.metrics or study.reported,
            "variants": Variants(),
        }
        return study.model_copy(update=changes)

    def _find_runs(self, study: PlannedStudy) -> tuple[MethodRun, ...]:
        """Return the methods of the table, in the order in which they are listed."""
        everything = (*study.methods, *study.variants.methods)
        listed = tuple(run for name in self.methods for run in everything if run.id == name)
        return listed or study.methods

    def _find_cases(self, study: PlannedStudy, runs: Sequence[MethodRun]) -> tuple[StudyCase, ...]:
        """Return the cases of the table; with ``methods``, those on which any of them runs."""
        cases = study.cases
        if self.cases:
            cases = tuple(case for case in cases if case.id in self.cases)
        if self.methods:
            cases = tuple(case for case in cases if any(run.runs_on(case) for run in runs))
        return cases

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores, and those of the variants if any is shown."""
        variants = {run.id for run in study.variants.methods}
        return Needs(selected=True, published=True, variants=not variants.isdisjoint(self.methods))

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the scores of the method that are near 1."""
        study = self.seen(source.study)
        rows = keep_main_rows(study, build_scores_frame(source, study))
        cases = claim.cases or [case.id for case in study.cases]
        rows = rows[(rows["method"] == claim.method) & rows["case"].isin(cases)].dropna(subset="mean")
        found = ", ".join(f"{row.metric} {score(row.mean)}" for row in rows.itertuples())
        near = rows["mean"] >= 1 - claim.within - ROUNDING
        return Counted(f"within {claim.within:g} of 1 in", tuple(near), "scores", (found,))

    def build(self, source: Source) -> Shown:
        """Return one row for each case, metric and row of the table."""
        study = self.seen(source.study)
        frame = build_scores_frame(source, study)
        standing_for = f"After {self.title}: " if study.other_data and not self.methods else ""
        main = keep_main_rows(study, frame)
        if self.methods:  # a table of some methods compares these alone
            main = main[main["method"] != study.base_clusterings]
        footnotes = Footnotes()
        by_metric = [main[main["metric"] == metric] for metric in study.reported]
        tables = [_table(f"{standing_for}{rows['metric'].iloc[0]}", rows, footnotes) for rows in by_metric if len(rows)]
        if self.methods and len(tables) > 1:
            tables = _join_metrics(main, footnotes) or tables
        # each footnote stands once, below the last table
        tables[-1] = tables[-1].model_copy(update={"notes": footnotes.notes})
        paper = study if self.methods else restrict_to_paper(study, source.published)
        others = [run.id for run in study.methods if run not in paper.methods]
        return Shown(frame, (*tables, *_to_the_digit(study, frame, self.methods)), _caption(study, frame, others))


def _join_metrics(frame: DataFrame, footnotes: Footnotes) -> list[Table]:
    """Return one table with all metrics of a few methods side by side, if a page has room for it."""
    named = frame.assign(column=frame["metric"] + ": " + frame["row"])
    table = _table("", named, footnotes, by="column")
    return [table] if table.header[0] == "Data set" else []


def _table(title: str, frame: DataFrame, footnotes: Footnotes, by: str = "row") -> Table:
    published = frame.dropna(subset="published")
    cases, rows = {*published["case"]}, {*published[by]}

    def cell(row: Any) -> Cell:
        best = "*" if row.paper_best and not row.paper_bold else ""
        mark = WITHOUT_OTHERS if row.paper_bold and not row.bold else best
        text = score(row.mean) if math.isnan(row.std) else f"{score(row.mean)} ± {score(row.std)}"
        difference = "" if math.isnan(row.difference) else f" ({signed(row.difference)})"
        below = f"{score(row.published)}{difference}" if row.case in cases and getattr(row, by) in rows else ""
        return Cell(text=text, below=below, bold=row.paper_bold, mark=mark + footnotes.mark(row.note))

    return crossed(title, frame, by, cell)


def _to_the_digit(study: PlannedStudy, frame: DataFrame, methods: Sequence[str]) -> list[Text]:
    """Say how many published means equal ours to the third decimal; the study's selection counts."""
    both = frame[frame["selection"].isin([FIXED, study.selection])].dropna(subset=["mean", "published"])
    if both.empty or not methods:
        return []
    equal = int((both["difference"].abs() < HALF_DIGIT).sum())
    tuned = f" ({SELECTIONS[study.selection]})" if any(run.grid for run in study.methods) else ""
    return [Text(text=f"{equal} of {len(both)} published means equal ours to the third decimal{tuned}.")]


def _caption(study: PlannedStudy, frame: DataFrame, others: Sequence[str]) -> str:
    several = study.n_subsets > 1
    test = {"paired": "paired t-test", "welch": "Welch's t-test"}[study.significance.test]
    alpha, runs = study.significance.alpha, study.ensemble.runs
    drawn = "all base clusterings that are drawn" if study.ensemble.draws else f"all {runs} base clusterings"
    names = conjunction(others)
    significant = (
        f"Bold: the best method, significantly better than every other ({test}, p < {alpha:g}). Every one of "
        "these tests must reject (an intersection-union test): a method that is not better than every other is bold "
        f"with a probability of {alpha:g} at most, without an adjustment for the number of tests. *: the best, but not "
        "significantly."
    )
    return paragraph(
        f"{'Mean ± standard deviation of the scores' if several else 'Scores'} on "
        f"{count(study.n_subsets, 'subset')} of {count(study.ensemble.subset_size, 'base clustering')}; "
        f"{study.base_clusterings} is the mean of {drawn}.",
        significant if several else "*: the best method; one subset allows no test.",
        bool(others)
        and f"{names}: not in the paper, and marked only if better than all methods of the paper. {WITHOUT_OTHERS}: "
        f"bold if {names} {'is' if len(others) == 1 else 'are'} left out.",
        describe_selection(study, [run.id for run in study.methods]),
        bool(frame["published"].notna().any()) and f"Below: the published value (ours {MINUS} published).",
        bool(frame["mean"].isna().any()) and f"{DASH}: no value; a footnote says why where a method failed.",
    )

"""How clearly matrices over the objects show the classes as blocks, in numbers."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from consclust.diagnostics import block_structure
from consclust.report.blocks import Cell, Shown, Table, crossed
from consclust.report.wording import count, paragraph, records, score, untex
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import CaseId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Positive, Some
from consclust_studies.exhibits.base import Counted, Exhibit, Mistakes, Needs
from consclust_studies.exhibits.matrices import Given, Matrix, list_fits, mistakes_in
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING

if TYPE_CHECKING:
    from pandas import DataFrame

MEASURES = {
    "auc": "Probability that a pair of one class has a larger entry than a pair of two",
    "within": "Share of the entries' sum inside classes",
    "disconnected": "Mean of the K largest eigenvalues",
}


class Blocks(Exhibit):
    """Measures of the block structure of some matrices, a table for each, a row for each data set."""

    chapter = "Results"
    questions: ClassVar[Mapping[str, str]] = {
        "second_above_first": "cases on which the second matrix has the higher probability that a pair of one class "
        "has a larger entry than a pair of two",
        "second_above_third": "the same of the second and the third matrix",
    }

    kind: Literal["blocks"]
    panels: Some[Matrix] = Field(description="the matrices, a table for each")
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")
    subsets: Positive = Field(3, description="number of subsets, the first ones, over which the measures are averaged")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield what is wrong with the panels, and methods that do not run on a case."""
        yield from mistakes_in(study, self.panels)
        if any(claim.by and claim.by.exhibit == self.id for claim in study.claims) and len(self.panels) < 3:
            yield "panels", f": {len(self.panels)}, but claims compare the second with the first or the third; add some"
        for case in self._cases(study):
            absent = [
                p.method for p in self.panels if p.method and not study.method(p.method).runs_on(study.case(case))
            ]
            if absent:
                yield "cases", f" = {case!r}: {absent[0]} does not run on it; leave the case out"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings and the fits."""
        cases = self._cases(study)
        return Needs(ensembles=cases, fits=list_fits(cases, self.panels))

    def build(self, source: Source) -> Shown:
        """Return the mean measures over the subsets for each case and matrix."""
        frame = self._frame(source)
        tables = [_table(source, frame, measure) for measure in MEASURES]
        return Shown(frame, tuple(tables), self._caption(source, self._count_subsets(source)))

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the cases on which the second matrix shows the classes better than another one, by :data:`MEASURES`."""
        other = {"second_above_first": 0, "second_above_third": 2}[question]
        second, rival = self.panels[1].title, self.panels[other].title
        wide = self._frame(source).pivot(index="case", columns="panel", values="auc")
        what = f"AUC of the pairs in one class higher in {untex(second)} than in {untex(rival)} on"
        return Counted(what, tuple((wide[second] > wide[rival] + ROUNDING).tolist()), "data sets")

    def _frame(self, source: Source) -> DataFrame:
        """Return the mean measures over the subsets for each case and matrix."""

        def measure_cases() -> DataFrame:
            n = self._count_subsets(source)
            rows = [row for case in self._cases(source.study) for row in self._measured(source, case, n)]
            return records(f"case panel matrix parameters pairs_in_classes {' '.join(MEASURES)}", rows)

        return source.compute_once(self.model_dump_json(), measure_cases)

    def _count_subsets(self, source: Source) -> int:
        return min(self.subsets, source.study.n_subsets)

    def _cases(self, study: Study) -> tuple[str, ...]:
        return self.cases or tuple(case.id for case in study.cases)

    def _measured(self, source: Source, case: str, n: int) -> list[tuple[Any, ...]]:
        classes = source.stored(case).classes
        given = [Given(source, case, np.arange(len(classes)), subset) for subset in range(n)]
        pairs = float((classes[:, None] == classes)[np.triu_indices(len(classes), 1)].mean())
        rows = []
        for panel in self.panels:
            found = [block_structure(one.matrix(panel), classes) for one in given]
            means = [np.mean([measures[name] for measures in found]) for name in MEASURES]
            rows.append((case, panel.title, panel.made, panel.point(source.study, case), pairs, *means))
        return rows

    def _caption(self, source: Source, n: int) -> str:
        return paragraph(
            f"Means over the first {count(n, 'subset')}. An entry is (abs(X) + abs(X)') / 2 of two different objects.",
            "The probability is 1/2 if entries and classes are unrelated. The share is to be compared with that of the "
            "pairs in one class. The eigenvalues are those of the normalised adjacency matrix, K being the number of "
            "classes: their mean is 1 if the matrix has exactly K blocks, whatever these are.",
        )


def _table(source: Source, frame: DataFrame, measure: str) -> Table:
    import pandas as pd

    values = frame.assign(dataset=frame["case"].map(source.titles), panel=frame["panel"].map(untex))
    if measure == "within":
        pairs = values.drop_duplicates("case").assign(panel="pairs", within=lambda rows: rows["pairs_in_classes"])
        values = pd.concat([pairs, values])
    return crossed(MEASURES[measure], values, "panel", lambda row: Cell(text=score(getattr(row, measure))))

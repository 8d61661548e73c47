"""How many times as long as one method the others take, here and in the paper."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Cell, Shown, Table, crossed, listed
from consclust.report.wording import DASH, number, paragraph, records, seconds
from consclust_studies.config.references import CaseId, MethodId
from consclust_studies.config.study import Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.runtimes import build_runtime_frame, describe_fits_together
from consclust_studies.results.source import Source
from consclust_studies.results.verdicts import compare_shares

if TYPE_CHECKING:
    from pandas import DataFrame


class Ratios(Exhibit):
    """Seconds of a fit, and their ratio to those of one method, each beside the published one."""

    reads: ClassVar = Needs(runtimes=True, published=True)
    reproducible = False
    chapter = "Results"

    kind: Literal["ratios"]
    methods: Some[MethodId] = Field(description="ids of the methods, a row for each")
    to: MethodId = Field(description="id of the method by whose seconds those of the others are divided")
    counted: tuple[MethodId, ...] = Field(
        (),
        description="ids of methods for which the report counts the data sets on which they are faster than each other "
        "method",
    )
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield methods that are named beside, but not among, the methods."""
        for name in (self.to, *self.counted):
            if name not in self.methods:
                yield "methods", f": no {name}, which is named beside it; add it there"

    def build(self, source: Source) -> Shown:
        """Return seconds and ratios of each case and method, with the published ones."""
        frame = self._frame(source)
        caption = paragraph(
            f"CPU seconds of one fit, and times the seconds of {self.to}. Below: the published value, of the paper's "
            "machine and programs.",
            f"A fit of a method with a grid is one grid point. {DASH}: not run or not published.",
            bool(self.counted)
            and "Same order: data sets on which the faster one of the two is that of the paper. Reproduced: on all of "
            "them; partly: on more than half.",
            describe_fits_together(source.study),
        )
        titles = {"seconds": "Seconds of one fit", "ratio": f"Times the seconds of {self.to}"}
        tables = [_table(source, frame, column, title) for column, title in titles.items()]
        return Shown(frame, (*tables, *(_order(frame, name) for name in self.counted)), caption)

    def _frame(self, source: Source) -> DataFrame:
        every = build_runtime_frame(source).set_index(["case", "method"])[["cpu_seconds_per_fit", "published_seconds"]]
        rows = []
        for case in (case.id for case in source.study.cases if case.id in (self.cases or [case.id])):
            ours, theirs = every.loc[case].reindex(self.methods).to_numpy().T
            base = self.methods.index(self.to)
            for i, name in enumerate(self.methods):
                rows.append((case, name, ours[i], theirs[i], ours[i] / ours[base], theirs[i] / theirs[base]))
        return records("case method seconds published_seconds ratio published_ratio", rows)


def _table(source: Source, frame: DataFrame, column: str, title: str) -> Table:
    form = seconds if column == "seconds" else lambda value: number(value, ".3g")

    def cell(row: Any) -> Cell:
        ours, theirs = getattr(row, column), getattr(row, f"published_{column}")
        return Cell(text=DASH if math.isnan(ours) else form(ours), below=DASH if math.isnan(theirs) else form(theirs))

    return crossed(title, frame.assign(dataset=frame["case"].map(source.titles)), "method", cell)


def _order(frame: DataFrame, method: str) -> Table:
    """Count the data sets on which a method is faster than each other one, here and published.

    The verdicts stand in this table and not among the claims, whose file is compared to the byte: seconds vary from run
    to run.
    """
    rows = []
    wide = frame.pivot(index="case", columns="method", values=["seconds", "published_seconds"])
    for other in (name for name in frame["method"].unique() if name != method):
        pairs = [wide[name][[method, other]].dropna() for name in ("seconds", "published_seconds")]
        ours, theirs = (pair[method] < pair[other] for pair in pairs)
        both = ours.index.intersection(theirs.index)
        same = ours[both] == theirs[both]
        counts = (f"{holds.sum()} of {len(holds)}" for holds in (ours, theirs, same))
        rows.append((other, *counts, compare_shares(float(same.mean()), 1.0) if len(same) else DASH))
    title = f"Data sets on which {method} is faster"
    columns = "than, ours, published, Same order: same, verdict"
    return listed(title, records("than ours published same verdict", rows), columns)

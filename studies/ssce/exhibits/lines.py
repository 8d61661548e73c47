"""Mean scores as lines over a grid of one parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust.report.figures import curves_by_case
from consclust.report.wording import conjunction, count, paragraph, records, symbol
from consclust_studies.config.references import MethodId, MetricId, RowId
from consclust_studies.config.study import Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.sentences import describe_missing
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame


class Lines(Exhibit):
    """The mean score over a parameter, a panel for each data set, a line for each method."""

    drawn = True
    reads: ClassVar = Needs(scores=True)

    kind: Literal["lines"]
    metric: MetricId = Field(description="metric of the scores")
    methods: Some[MethodId] = Field(description="ids of methods whose grid has one parameter, the same one")
    beside: tuple[RowId, ...] = Field((), description="ids of methods without a grid, each drawn as a level")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield grids that are not of one common parameter, and levels that have a grid."""
        grids = {run.id: tuple(run.grid) for run in study.methods if run.id in self.methods}
        if len({*grids.values()}) > 1 or any(len(grid) != 1 for grid in grids.values()):
            listed = ", ".join(f"{name} ({', '.join(grid) or 'none'})" for name, grid in grids.items())
            yield "methods", f" = {list(self.methods)}: grids not of one parameter: {listed}; leave some out"
        for run in (run for run in study.methods if run.id in self.beside and run.grid):
            yield "beside", f" = {run.id!r}: it has a grid; name it in methods"

    def build(self, source: Source) -> Shown:
        """Return mean, sample standard deviation and number of subsets at each point; no value without a grid."""
        frame = self._frame(source)
        parameter = next(iter(source.study.method(self.methods[0]).grid))
        dashed = f"Dashed: {conjunction(self.beside)}, without this parameter." if self.beside else ""
        caption = paragraph(
            f"{self.metric} over {symbol(parameter)}: mean over "
            f"{count(source.study.n_subsets, 'subset')}; bands: one sample standard deviation to either side.",
            dashed,
            describe_missing(source.study, frame),
        )
        labels = symbol(parameter, tex=True), f"mean {self.metric}"
        return Shown(frame, caption=caption, picture=curves_by_case(frame, source.titles, "value", labels))

    def _frame(self, source: Source) -> DataFrame:
        scores = source.scores
        mine = scores[(scores["metric"] == self.metric) & (scores["restart"] == source.study.restarts)]
        groups = mine.groupby(["case", "method", "point"], sort=False)["value"]
        found = groups.agg(["count", "mean", "std"]).reset_index()
        rows = []
        for case in source.study.cases:
            for method in (*self.methods, *self.beside):
                points = source.study.list_points(method)
                for row in found[(found["case"] == case.id) & (found["method"] == method)].itertuples():
                    ((parameter, value),) = points[row.point].items() or [("", float("nan"))]
                    where = (case.id, method, self.metric, parameter, value)
                    rows.append((*where, row.count, row.mean, row.std))
        return records("case method metric parameter value n mean std", rows)

"""Mean scores as lines: over a grid of one parameter, and over the number of base clusterings in a subset."""

import json
from typing import ClassVar, Literal

from pydantic import Field

from concord.config.references import MethodId, MetricId, RowId
from concord.config.values import Some
from concord.findings.main_table import over_subsets
from concord.findings.names import DataFrame, Source, Study
from concord.findings.values import conjunction, fewer, paragraph, records, symbol, tuned
from concord.reports.exhibits.base import Exhibit, Mistakes, Needs, Shown
from concord.reports.render.figures import curves_by_case
from concord.scores.selection import main_row


class Lines(Exhibit):
    """The mean score over a parameter, a panel for each data set, a line for each method."""

    drawn = True
    reads: ClassVar = Needs(scores=True)

    kind: Literal["lines"]
    metric: MetricId
    methods: Some[MethodId] = Field(description="ids of methods whose grid is of one parameter, the same one")
    beside: tuple[RowId, ...] = Field((), description="ids of methods without a grid, each a level")

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
        more = dashed, fewer(source.study, frame)
        label = symbol(parameter, tex=True)
        return _shown(source, frame, self.metric, "value", f"over {symbol(parameter)}", label, *more)

    def _frame(self, source: Source) -> DataFrame:
        scores = source.scores
        mine = scores[(scores["metric"] == self.metric) & (scores["restart"] == source.study.restarts)]
        groups = mine.groupby(["case", "method", "parameters"], sort=False)["value"]
        found = groups.agg(["count", "mean", "std"]).reset_index()
        rows = []
        for case in source.study.cases:
            for method in (*self.methods, *self.beside):
                for point in found[(found["case"] == case.id) & (found["method"] == method)].itertuples():
                    ((parameter, value),) = json.loads(point.parameters).items() or [("", float("nan"))]
                    where = (case.id, method, self.metric, parameter, value)
                    rows.append((*where, point.count, point.mean, point.std))
        return records("case method metric parameter value n mean std", rows)


class Sizes(Exhibit):
    """The mean score at every size of the subsets, a panel for each data set, a line for each method."""

    drawn = True
    reads: ClassVar = Needs(selected=True, variants=True)

    kind: Literal["sizes"]
    metric: MetricId

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a study without other sizes."""
        if not _of_other_sizes(study):
            yield "kind", " = 'sizes': no case has other sizes; add variants.cases that differ in subset_size alone"

    def build(self, source: Source) -> Shown:
        """Return mean, sample standard deviation and number of subsets for each case, method and size."""
        study, frame = source.study, self._frame(source)
        more = tuned(study, _of_other_sizes(study)), fewer(study, frame, "size")
        what = "base clusterings in a subset"
        return _shown(source, frame, self.metric, "size", f"against the number of {what}", what, *more)

    def _frame(self, source: Source) -> DataFrame:
        study, scores, rows = source.study, over_subsets(source.selected, source.variants), []
        for case in study.cases:
            sizes = sorted((study.subset_size(one), one.id) for one in (case, *study.size_variants(case)))
            for row in (main_row(study, method) for method in _of_other_sizes(study) if len(sizes) > 1):
                found = [(size, key) for size, one in sizes if (key := (one, self.metric, *row)) in scores.index]
                rows += [(case.id, *row, self.metric, size, *scores.loc[key]) for size, key in found]
        return records("case method selection metric size n mean std", rows).astype({"n": int})


def _of_other_sizes(study: Study) -> list[str]:
    """Return the methods that run at other sizes, in the order of the study."""
    run = {name for case in study.cases for other in study.size_variants(case) for name in other.methods}
    return [method.id for method in study.methods if method.id in run]


def _shown(source: Source, frame: DataFrame, metric: str, x: str, over: str, label: str, *more: str) -> Shown:
    """Return a picture of the means over the column ``x``; ``more`` sentences end the caption."""
    caption = paragraph(
        f"{metric} {over}: mean over {source.study.n_subsets} subsets; bands: one sample standard deviation to "
        "either side.",
        *more,
    )
    picture = curves_by_case(frame, source.titles, x, (label, f"mean {metric}"))
    return Shown(frame, caption=caption, picture=picture)

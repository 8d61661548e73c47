"""Mean scores as lines over one parameter of a larger grid, the others fixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust.report.figures import curves_by_case
from consclust.report.wording import conjunction, count, paragraph, point, records, symbol
from consclust_studies.config.references import AnyMethodId, MetricId, RowId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Value, same
from consclust_studies.exhibits.base import Mistakes, Needs, OfMethod, find_unknown
from consclust_studies.results.sentences import describe_missing
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame


class Slices(OfMethod):
    """The mean score of a method over one parameter, a panel for each data set."""

    drawn = True

    kind: Literal["slices"]
    metric: MetricId = Field(description="metric of the scores")
    x: str = Field(description="parameter of the grid on the horizontal axis")
    at: dict[str, Value] = Field(description="values of the other parameters of the grid, by name")
    further: tuple[AnyMethodId, ...] = Field((), description="ids of variants of the method that add points")
    beside: tuple[RowId, ...] = Field((), description="ids of methods without a grid, each drawn as a level")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield parameters that are not on the grid, and levels that have a grid."""
        yield from super().mistakes(study)
        grid = study.method(self.method).grid
        yield from find_unknown("x", [self.x], grid)
        if wanted := [name for name in grid if name not in (self.x, *self.at)]:
            yield "at", f": no value of {wanted[0]}; add it"
        yield from self._off_the_grid(study)
        for run in (run for run in study.methods if run.id in self.beside and run.grid):
            yield "beside", f" = {run.id!r}: it has a grid; remove it"

    def _off_the_grid(self, study: Study) -> Mistakes:
        """Yield values that no point has, or points that there are not."""
        points = list(self._points(study))
        for name, value in self.at.items():
            there = list(dict.fromkeys(each[name] for each in points if name in each))
            if not any(same(other, value) for other in there):
                choices = f"choose from {', '.join(map(str, there))}" if there else "no such parameter; remove it"
                yield f"at.{name}", f" = {value!r}: not on the grid; {choices}"
                return
        if not any(self._is_at(each) for each in points):
            yield "at", f" = {dict(self.at)}: no point of the grid has all of these values; change one"

    def _points(self, study: Study) -> Iterator[dict[str, Value]]:
        for case in (study.case(name) for name in self.find_cases(study)):
            for run in (study.run(case, name) for name in (*self.further, self.method)):
                yield from ({**study.parameters(case, run), **each} for each in run.points if run.runs_on(case))

    def _is_at(self, parameters: Mapping[str, Value]) -> bool:
        return all(same(parameters.get(name), value) for name, value in self.at.items())

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores at every grid point, and those of the variants if there are further points."""
        return Needs(scores=True, variant_scores=bool(self.further))

    def build(self, source: Source) -> Shown:
        """Return mean, sample standard deviation and number of subsets at each value; no value for a level."""
        rows = [row for case in self.find_cases(source.study) for row in self._score_case(source, case)]
        frame = records("case method metric parameter value n mean std", rows)
        levels = f"Dashed: {conjunction(self.beside)}, without these parameters." if self.beside else ""
        caption = paragraph(
            f"{self.metric} of {self.method} over {symbol(self.x)}, with {point(self.at)}: mean over "
            f"{count(source.study.n_subsets, 'subset')}; bands: one sample standard deviation to either side.",
            levels,
            describe_missing(source.study, frame),
        )
        labels = symbol(self.x, tex=True), f"mean {self.metric}"
        return Shown(frame, caption=caption, picture=curves_by_case(frame, source.titles, "value", labels))

    def _score_case(self, source: Source, case: str) -> list[tuple[Any, ...]]:
        found: dict[Any, tuple[Any, ...]] = {}
        for method in (*self.further, self.method):  # the study's own points count where both have one
            scores = source.scores if method == self.method else source.variant_scores
            for parameters, means in self._means(source, scores, case, method):
                if self._is_at(parameters):
                    found[parameters[self.x]] = means
        rows = [(case, self.method, self.metric, self.x, value, *found[value]) for value in sorted(found)]
        for level in self.beside:
            levels = self._means(source, source.scores, case, level)
            rows += [(case, level, self.metric, "", float("nan"), *means) for _, means in levels]
        return rows

    def _means(
        self, source: Source, scores: DataFrame, case: str, method: str
    ) -> list[tuple[dict[str, Value], tuple[Any, ...]]]:
        """Return the parameters of each grid point with number, mean and deviation of its scores."""
        study = source.study
        mine = scores[(scores["case"] == case) & (scores["method"] == method)]
        mine = mine[(mine["metric"] == self.metric) & (mine["restart"] == study.restarts)]
        found = mine.groupby("point", sort=False)["value"].agg(["count", "mean", "std"])
        fixed = {} if method == study.base_clusterings else study.parameters(study.case(case), study.method(method))
        points = study.list_points(method)
        return [({**fixed, **points[row.Index]}, (row.count, row.mean, row.std)) for row in found.itertuples()]

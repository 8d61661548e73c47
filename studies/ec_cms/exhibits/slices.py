"""Mean scores as lines over one parameter of a larger grid, the others fixed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust.report.figures import curves_by_case
from consclust.report.wording import conjunction, count, paragraph, point, records, symbol
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import AnyMethodId, CaseId, MetricId, RowId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Value, same
from consclust_studies.exhibits.base import Counted, Mistakes, Needs, OfMethod, find_unknown
from consclust_studies.results.sentences import describe_missing
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING

if TYPE_CHECKING:
    from pandas import DataFrame


BEST = "best"
"""The word for the value of the grid point with the highest mean."""


def is_at(values: Mapping[str, Value], parameters: Mapping[str, Value]) -> bool:
    """Whether a point has some values."""
    return all(same(parameters.get(name), value) for name, value in values.items())


class Slices(OfMethod):
    """The mean score of a method over one parameter, a panel for each data set."""

    drawn = True
    counts_some_cases = True
    questions: ClassVar[Mapping[str, str]] = {
        "best": "data sets on which the published best value of x has the best mean, or one within its standard error",
        "ahead": "data sets on which all values of x in 'ahead' have a mean above the first level",
        "near": "data sets on which all values of x from 'near_from' on have a mean within 'within' of the first level",
    }

    kind: Literal["slices"]
    metric: MetricId = Field(description="metric of the scores")
    x: str = Field(description="parameter of the grid on the horizontal axis")
    at: dict[str, Value] = Field(
        description="values of the other parameters of the grid, by name; 'best': that of the point with the highest "
        "mean, for each data set"
    )
    best: dict[CaseId, float] = Field(
        default_factory=dict, description="published best value of x, by case, for claims about it"
    )
    ahead: tuple[float, float] | None = Field(
        None, description="first and last value of x between which the paper is above the first level; null: none"
    )
    near_from: float | None = Field(
        None, description="value of x from which on the paper is near the first level; null: none"
    )
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
            if value == BEST:
                continue
            there = list(dict.fromkeys(each[name] for each in points if name in each))
            if not any(same(other, value) for other in there):
                choices = f"choose from {', '.join(map(str, there))}" if there else "no such parameter; remove it"
                yield f"at.{name}", f" = {value!r}: not on the grid; {choices}"
                return
        if BEST not in self.at.values() and not any(is_at(self.at, each) for each in points):
            yield "at", f" = {dict(self.at)}: no point of the grid has all of these values; change one"

    def _points(self, study: Study) -> Iterator[dict[str, Value]]:
        for case in (study.case(name) for name in self.find_cases(study)):
            for run in (study.run(case, name) for name in (*self.further, self.method)):
                yield from ({**study.parameters(case, run), **each} for each in run.points if run.runs_on(case))

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores at every grid point, and those of the variants if there are further points."""
        return Needs(scores=True, variant_scores=bool(self.further))

    def build(self, source: Source) -> Shown:
        """Return mean, sample standard deviation and number of subsets at each value; no value for a level."""
        rows = [row for case in self.find_cases(source.study) for row in self._score_case(source, case)]
        frame = records("case method metric parameter value n mean std", rows)
        levels = f"Dashed: {conjunction(self.beside)}, without these parameters." if self.beside else ""
        caption = paragraph(
            f"{self.metric} of {self.method} over {symbol(self.x)}, with {self._describe_others()}: mean over "
            f"{count(source.study.n_subsets, 'subset')}; bands: one sample standard deviation to either side.",
            levels,
            describe_missing(source.study, frame),
        )
        labels = symbol(self.x, tex=True), f"mean {self.metric}"
        return Shown(frame, caption=caption, picture=curves_by_case(frame, source.titles, "value", labels))

    def _describe_others(self) -> str:
        """Say at which values the other parameters are."""
        fixed = point({name: value for name, value in self.at.items() if value != BEST})
        chosen = [symbol(name) for name, value in self.at.items() if value == BEST]
        best = f"{conjunction(chosen)} at its best value for each data set" if chosen else ""
        return conjunction([part for part in (fixed, best) if part])

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the data sets of the claim on which the curve is as the paper says."""
        judge = {"best": self._is_best, "ahead": self._is_ahead, "near": self._is_near}[question]
        holds, best_here = [], []
        for case in self.find_cases(source.study):
            if claim.cases and case not in claim.cases:
                continue
            rows = records("case method metric parameter value n mean std", self._score_case(source, case))
            curve = rows[rows["method"] == self.method].set_index("value")
            level = float(rows.loc[rows["method"] == self.beside[0], "mean"].iloc[0])
            found = judge(case, curve, level, claim.within)
            if found is not None:
                holds.append(found)
                best_here.append(f"{source.titles[case]} {curve['mean'].idxmax():g}")
        what = {
            "best": f"published best {self.x} within a standard error of the best one here on",
            "ahead": f"above {self.beside[0]} for every {self.x} in {self.ahead} on",
            "near": f"within {claim.within:g} of {self.beside[0]} for {self.x} from {self.near_from} on, on",
        }[question]
        return Counted(what, tuple(holds), "data sets", (f"best {self.x} here: {', '.join(best_here)}",))

    def _is_best(self, case: str, curve: DataFrame, level: float, within: float) -> bool | None:
        """Whether the published best value has the best mean, or one within its standard error; None: not published."""
        if self.best.get(case) not in curve.index:
            return None
        top = curve.loc[curve["mean"].idxmax()]
        error = float(top["std"] / math.sqrt(top["n"])) if top["n"] > 1 else 0.0
        return bool(curve.loc[self.best[case], "mean"] >= top["mean"] - error - ROUNDING)

    def _is_ahead(self, case: str, curve: DataFrame, level: float, within: float) -> bool | None:
        """Whether all values in :attr:`ahead` have means above the level; None where there are none."""
        first, last = self.ahead or (math.inf, -math.inf)
        inside = curve[(curve.index >= first - ROUNDING) & (curve.index <= last + ROUNDING)]
        return bool((inside["mean"] > level + ROUNDING).all()) if len(inside) else None

    def _is_near(self, case: str, curve: DataFrame, level: float, within: float) -> bool | None:
        """Whether all values from :attr:`near_from` on have means near the level; None where there are none."""
        first = math.inf if self.near_from is None else self.near_from
        far = curve[curve.index >= first - ROUNDING]
        return bool(((far["mean"] - level).abs() <= within + ROUNDING).all()) if len(far) else None

    def _find_values(self, source: Source, case: str) -> dict[str, Value]:
        """Return the values of the other parameters on a case, those of the best grid point for 'best'."""
        if BEST not in self.at.values():
            return self.at
        means = self._means(source, source.scores, case, self.method)
        parameters, _ = max(means, key=lambda each: each[1][1])
        return {name: parameters[name] if value == BEST else value for name, value in self.at.items()}

    def _score_case(self, source: Source, case: str) -> list[tuple[Any, ...]]:
        found: dict[Any, tuple[Any, ...]] = {}
        at = self._find_values(source, case)
        for method in (*self.further, self.method):  # the study's own points count where both have one
            scores = source.scores if method == self.method else source.variant_scores
            for parameters, means in self._means(source, scores, case, method):
                if is_at(at, parameters):
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

"""What makes the score of RCE: the spectral step, the first rounds, the later ones, or the optimum of the objective."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from consclust import methods
from consclust.ensemble import FloatArray, IntArray
from consclust.report.blocks import Cell, Shown, Table, crossed, listed
from consclust.report.wording import MINUS, number, paragraph, records, signed
from consclust_studies.config.cases import Case
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import AnyMethodId, MethodId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.exhibits.base import Counted, Exhibit, Mistakes, Needs
from consclust_studies.results.main_table import keep_counted
from consclust_studies.results.sentences import SELECTIONS, describe_counting
from consclust_studies.results.significance import adjust_holm, compute_p_values
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING, take_points
from studies.rce.exhibits.grid_scores import GridScores, OfVariants, find_points, select_scores, take_scores

if TYPE_CHECKING:
    from pandas import DataFrame

OPTIMUM = "optimum"
BESIDE = "0, beside the optimum"
"""Round 0 on the data sets and subsets of the optimum."""
POINTS = {
    "selected": "at the parameters selected for {}",
    "default": "at the default parameters",
    "own": "each at its own best parameters",
}
"""At which grid points a stage is compared with the whole method."""


class Stage(NamedTuple):
    """Where the method stops."""

    name: str
    run: MethodRun


class Rounds(OfVariants, Exhibit):
    """The scores after fewer rounds, and at the optimum, less those after all rounds, with paired tests."""

    questions: ClassVar[Mapping[str, str]] = {
        "optimum_ahead": "data sets on which the optimum has a higher mean, at the parameters selected for the method",
        "start_as_good": "data sets on which round 0 is not significantly worse, at the parameters selected",
    }

    kind: Literal["rounds"]
    start: MethodId = Field(description="id of the method, without a grid, whose labels are those of round 0")
    optimum: AnyMethodId = Field(description="id of the variant at the certified optimum")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a start with a grid, and an optimum that has other grid points."""
        yield from self.check_variants(study)
        if study.method(self.start).grid:
            yield "start", f" = {self.start!r}: it has a grid; name another"
        own = study.method(self.method)
        for key, name in (("optimum", self.optimum), *(("variants", name) for name in self.variants)):
            # every point may be the selected one
            if not all(point in study.method(name).points for point in own.points):
                yield key, f" = {name!r}: it has not all grid points of {self.method}; name another"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores of the study and of its variants at every grid point."""
        return Needs(scores=True, variant_scores=True)

    def list_stages(self, study: Study) -> list[Stage]:
        """Return round 0, the variants in the order of their rounds, and the optimum."""
        rounds = {name: _count_rounds(study.method(name)) for name in self.variants}
        # a claim that is judged among the paper's methods may be without it
        stages = [Stage("0", run) for run in study.methods if run.id == self.start]
        stages += [Stage(f"{rounds[name]}", study.method(name)) for name in sorted(rounds, key=rounds.__getitem__)]
        return [*stages, Stage(OPTIMUM, study.method(self.optimum))]

    def build(self, source: Source) -> Shown:
        """Return a row for each case, metric, choice of points and stage.

        ``change`` is the mean over ``n`` subsets of the stage's score less that of all rounds, ``whole``, on the same
        subsets; ``p`` of the paired test, ``p_holm`` adjusted for all tests of a metric and a choice of points.
        """
        study = source.study
        frame = self._frame(source)
        last = _count_rounds(study.method(self.method))
        caption = paragraph(
            f"{self.method} has {last} rounds. Round 0 is {self.start}: spectral clustering of the co-association "
            "matrix itself. In the authors' order the first round is without the nuclear norm. Optimum: the variant "
            f"{self.optimum}, as near as its iterations come. Change: mean score over the subsets {MINUS} that after "
            f"{last} rounds; a second line has the p-value of the paired t-test where it is below "
            f"{study.significance.alpha:g} after Holm's adjustment for all tests of a table, and the change is bold.",
            f"Selected parameters: those that the selection ({SELECTIONS[study.selection]}) takes by the scores after "
            f"{last} rounds, which favours these scores. Its own best parameters: in the same selection, each stage by "
            "its own scores; round 0 has none.",
            describe_counting(study),
        )
        groups = frame.groupby(["at", "metric"], sort=False)
        alpha = study.significance.alpha
        tables = [
            _cross(f"{metric}, {POINTS[at].format(self.method)}", rows[rows["stage"] != BESIDE], alpha)
            for (at, metric), rows in groups
        ]
        summary = self._summarise(source, frame)
        return Shown(frame, (summary, *tables), caption, abstract=self._write_abstract(source, frame))

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count data sets by their change at the parameters selected for the method."""
        frame = self._frame(source)
        here = frame[(frame["at"] == "selected") & (frame["metric"] == claim.metric)].dropna(subset="change")
        if question == "optimum_ahead":
            changes = here.loc[here["stage"] == OPTIMUM, "change"]
            mean = (f"on average {number(changes.mean(), '+z.3f')}",) if len(changes) else ()
            what = f"optimum above all rounds of {self.method} in {claim.metric} on"
            return Counted(what, tuple(changes > ROUNDING), "data sets", mean)
        start = here[here["stage"] == "0"].dropna(subset="p")
        worse = (start["change"] < 0) & (start["p"] < source.study.significance.alpha)
        what = f"{self.start} not significantly worse than {self.method} in {claim.metric} on"
        return Counted(what, tuple(~worse), "data sets")

    def _frame(self, source: Source) -> DataFrame:
        study = source.study
        own = study.method(self.method)
        stages = self.list_stages(study)
        scores = GridScores(source, [own.id, *(stage.run.id for stage in stages)])
        rows = []
        for case in study.cases:
            for metric in study.reported if own.runs_on(case) else ():
                whole = scores.read(case, own, metric)
                taken = {
                    "selected": take_points(whole, study.selection, own.default_point),
                    "default": np.full(whole.shape[1], own.default_point),
                }
                for stage in [*stages, *self._beside_optimum(stages, case)]:
                    if stage.run.runs_on(case):
                        known = (case.id, source.titles[case.id], metric)
                        rows += [
                            (*known, at, stage.name, *change)
                            for at, change in self._compare(study, scores, case, metric, stage, whole, taken).items()
                        ]
        frame = records("case dataset metric at stage n whole change p", rows)
        # what is shown twice is tested once
        frame["p"] = frame["p"].mask(frame["stage"] == BESIDE)
        frame = frame.sort_values("at", key=lambda words: words.map([*POINTS].index), kind="stable")
        holm = frame.groupby(["metric", "at"])["p"].transform(lambda p: adjust_holm(p.to_numpy()))
        return frame.assign(p_holm=holm).reset_index(drop=True)

    def _beside_optimum(self, stages: list[Stage], case: Case) -> list[Stage]:
        """Return round 0 once more, for the subsets of the optimum, on a case that has both."""
        is_there = any(stage.name == OPTIMUM and stage.run.runs_on(case) for stage in stages)
        return [Stage(BESIDE, stage.run) for stage in stages if stage.name == "0" and is_there]

    def _compare(
        self,
        study: Study,
        scores: GridScores,
        case: Case,
        metric: str,
        stage: Stage,
        whole: FloatArray,
        taken: Mapping[str, IntArray],
    ) -> dict[str, tuple[float, ...]]:
        """Return n, mean of the whole method, change and p of a stage, for each choice of points."""
        values = scores.read(case, stage.run, metric)
        if stage.name == BESIDE:
            values = values[:, : study.n_subsets_of(case, study.method(self.optimum))]
        whole = whole[:, : values.shape[1]]
        own = study.method(self.method)
        found = {}
        for at, points in taken.items():
            beside = take_scores(whole, points[: values.shape[1]])
            if stage.run.grid:
                numbers = {point: place for place, point in enumerate(find_points(own, stage.run).tolist())}
                mine = take_scores(values, [numbers[point] for point in points[: values.shape[1]].tolist()])
            else:
                mine = values[0]
            found[at] = _test(mine, beside)
        if stage.run.grid:
            mine = select_scores(stage.run, values, study.selection)
            found["own"] = _test(mine, select_scores(own, whole, study.selection))
        return found

    def _summarise(self, source: Source, frame: DataFrame) -> Table:
        """Return for each choice of points, metric and stage the mean change and how many data sets are clear."""
        alpha = source.study.significance.alpha
        rows = []
        for (at, metric, stage), group in keep_counted(source.study, frame).groupby(
            ["at", "metric", "stage"], sort=False
        ):
            known = group.dropna(subset="change")
            clear = known[known["p_holm"] < alpha]
            better = f"{int((known['change'] > ROUNDING).sum())}"
            worse = f"{int((known['change'] < -ROUNDING).sum())}"
            if stage != BESIDE:
                better += f" ({int((clear['change'] > 0).sum())})"
                worse += f" ({int((clear['change'] < 0).sum())})"
            rows.append(
                (POINTS[at].format(self.method), metric, stage, len(known), known["change"].mean(), better, worse)
            )
        table = records("points metric stage datasets change better worse", rows)
        columns = "Parameters: points, metric, Rounds: stage, Data sets: datasets, Mean change: change, "
        columns += "Better (significantly): better, Worse (significantly): worse"
        return listed("Over the data sets", table, columns, left=3).model_copy(update={"whole": True})

    def _write_abstract(self, source: Source, frame: DataFrame) -> str:
        """Say what round 0 and the optimum change at the selected parameters, over the data sets."""
        study = source.study
        metric = study.reported[0]
        here = keep_counted(study, frame)
        here = here[(here["at"] == "selected") & (here["metric"] == metric)]
        means = here.groupby("stage")["change"].mean()
        if not {BESIDE, OPTIMUM} <= set(means.index):
            return ""
        return (
            f"At the parameters selected for {self.method} its mean {metric} changes by {signed(means[BESIDE])} "
            f"without any round ({self.start}), and by {signed(means[OPTIMUM])} near the optimum of its objective, on "
            "the same subsets."
        )


def _cross(title: str, rows: DataFrame, alpha: float) -> Table:
    """Return a table of the changes, data sets by stages."""

    def write(row: Any) -> Cell:
        is_clear = bool(row.p_holm < alpha)
        below = f"p = {number(row.p_holm, '.2g')}" if is_clear else ""
        return Cell(text=signed(row.change), bold=is_clear, below=below)

    return crossed(title, rows, "stage", write).model_copy(update={"whole": True})


def _count_rounds(run: MethodRun) -> int:
    """Return the number of rounds that a run takes."""
    return int({**methods.load(run.method).parameters(), **run.parameters}["max_outer"])


def _test(mine: FloatArray, whole: FloatArray) -> tuple[float, ...]:
    """Return the number of subsets with both scores, the mean of the whole method on these, the change, and its p."""
    both = ~(np.isnan(mine) | np.isnan(whole))
    if not both.any():
        return 0, math.nan, math.nan, math.nan
    change = float((mine - whole)[both].mean())
    return (
        int(both.sum()),
        float(whole[both].mean()),
        change,
        float(compute_p_values(mine[None], whole[None], "paired")[0]),
    )

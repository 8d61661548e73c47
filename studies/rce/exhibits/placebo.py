"""What the choice with the true classes gains by itself: a tuned method beside the restarts of one without a grid."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from consclust.ensemble import FloatArray
from consclust.report.blocks import Shown, listed
from consclust.report.wording import MINUS, count, number, paragraph, records, signed
from consclust.scores import score_many
from consclust_studies.config.cases import Case
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import AnyMethodId, MethodId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.exhibits.base import Counted, Exhibit, Mistakes, Needs
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING

COLUMNS = "case dataset metric n mean default best gain placebo_mean placebo_default placebo_best placebo_gain ahead"


class Placebo(Exhibit):
    """The gain by the best of the grid points of every subset beside that by the best of as many restarts."""

    questions: ClassVar[Mapping[str, str]] = {
        "ahead": "data sets on which the best grid point of the method is above the best restart of the placebo"
    }

    kind: Literal["placebo"]
    method: MethodId = Field(description="id of the method with the grid")
    placebo: AnyMethodId = Field(description="id of the method, or of the variant, with as many restarts")

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the labels of all restarts of the method and of the placebo."""
        cases = tuple(case.id for case in self._cases(study))
        labels = tuple((case, name) for case in cases for name in (self.method, self.placebo))
        return Needs(labels=labels, ensembles=cases)

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a method without a grid, and a placebo that has one or runs on none of its cases."""
        if not study.method(self.method).grid:
            yield "method", f" = {self.method!r}: it has no grid; name another"
        if study.method(self.placebo).grid:
            yield "placebo", f" = {self.placebo!r}: it has a grid, and a placebo has restarts alone; name another"
        elif study.method(self.placebo).together:
            yield "placebo", f" = {self.placebo!r}: it is fitted together with other methods; name another"
        elif not self._cases(study):
            yield "placebo", f" = {self.placebo!r}: it runs on no case of {self.method}; name another"

    def build(self, source: Source) -> Shown:
        """Return one row for each case and metric.

        ``mean``, ``default`` and ``best`` are of the method's grid points: their mean, the default one, and the best of
        each subset among the points with the same restart, so that single runs are chosen from, as for the placebo;
        each is a mean over the restarts. ``placebo_mean``, ``placebo_default`` and ``placebo_best`` are of the
        placebo's restarts: their mean, the one with the best objective, and the best of each subset. All are means over
        the ``n`` subsets on which both have scores; ``gain`` is best - mean.
        """
        study = source.study
        rows = [row for case in self._cases(study) for row in self._rows(source, case)]
        frame = records(COLUMNS, rows)
        points = count(len(study.method(self.method).points), "grid point")
        caption = paragraph(
            f"{self.method}: the mean over its {points}, the default one, and the best one of each subset, chosen with "
            "the true classes among single runs, one of each grid point (in the main table, among means over "
            f"restarts). Placebo: {self.placebo}, the mean over its restarts, the one with the best objective, and the "
            "best one of each subset, chosen with the true classes. Restarts differ in random numbers alone: "
            f"the placebo's gain, best {MINUS} mean, is what the choice with the classes gives by itself. Ahead: the "
            f"best of {self.method} {MINUS} the best of the placebo."
        )
        columns = "dataset, Mean: mean, default, best, gain, Placebo's mean: placebo_mean, Placebo's objective: "
        columns += "placebo_default, Placebo's best: placebo_best, Placebo's gain: placebo_gain, ahead"
        forms = dict.fromkeys(("gain", "placebo_gain", "ahead"), signed)
        groups = frame.groupby("metric", sort=False)
        return Shown(frame, tuple(listed(f"{name}", group, columns, forms=forms) for name, group in groups), caption)

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the data sets on which the method is ahead, both with the best choice by the classes."""
        rows = [row for case in self._cases(source.study) for row in self._rows(source, case)]
        frame = records(COLUMNS, rows).dropna(subset="ahead")
        ahead = frame.loc[frame["metric"] == claim.metric, "ahead"]
        mean = f"on average {number(ahead.mean(), '+z.3f')}" if len(ahead) else ""
        what = f"best of {self.method} above the best of {self.placebo} in {claim.metric} on"
        return Counted(what, tuple(ahead > ROUNDING), "data sets", tuple(filter(None, [mean])))

    def _cases(self, study: Study) -> list[Case]:
        runs = [study.method(name) for name in (self.method, self.placebo)]
        return [case for case in study.cases if all(run.runs_on(case) for run in runs)]

    def _rows(self, source: Source, case: Case) -> list[tuple[Any, ...]]:
        """Return a row for each metric."""
        run = source.study.method(self.method)
        default = run.default_point
        own, theirs = (_score_restarts(source, case, name) for name in (self.method, self.placebo))
        both = [
            subset for subset, (scores, _) in own.items() if subset in theirs and not np.isnan(scores[default]).any()
        ]
        rows: list[tuple[Any, ...]] = []
        for place, metric in enumerate(source.study.reported):
            grids = [own[subset][0][:, :, place] for subset in both]
            mine = [(np.nanmean(grid), grid[default].mean(), np.nanmax(grid, axis=0).mean()) for grid in grids]
            restarts = [(theirs[subset][0][0, :, place], theirs[subset][1]) for subset in both]
            placebo = [(scores.mean(), scores[chosen], scores.max()) for scores, chosen in restarts]
            ours, beside = (np.array(values).reshape(-1, 3).mean(axis=0) for values in (mine, placebo))
            known = (case.id, source.titles[case.id], metric, len(both))
            gains = (*ours, ours[2] - ours[0], *beside, beside[2] - beside[0])
            rows.append((*known, *gains, ours[2] - beside[2]))
        return rows


def _score_restarts(source: Source, case: Case, method: str) -> dict[int, tuple[FloatArray, int]]:
    """Return for each subset the scores of all restarts, (points, restarts, metrics), and which has the best objective.

    Scores are NaN where a grid point has no answer; the choice is that of the first point. A subset without any answer
    is left out.
    """
    found = {}
    classes = source.stored(case.id).classes
    metrics = source.study.reported
    for block in source.blocks(case.id, method):
        for place, subset in enumerate(block.subsets):
            labels, there = block.labels[place], block.answered[place]
            if there.any():
                distinct, which = np.unique(labels[there].reshape(-1, labels.shape[-1]), axis=0, return_inverse=True)
                scores = np.full((*labels.shape[:2], len(metrics)), np.nan)
                scores[there] = score_many(classes, distinct, metrics)[which.ravel()].reshape(scores[there].shape)
                found[subset] = scores, int(block.chosen[place, 0])
    return found

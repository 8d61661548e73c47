"""What the choice with the true classes gains by itself: a tuned method beside the restarts of one without a grid."""

from typing import Any, Literal

import numpy as np

from concord.config.experiment import Case
from concord.config.references import AnyMethodId, MethodId
from concord.ensemble import FloatArray
from concord.findings.names import ResolvedStudy, Source, Study
from concord.findings.values import MINUS, count, paragraph, records, signed
from concord.reports.exhibits.base import Exhibit, Mistakes, Needs, Shown, listed
from concord.scores.metrics import score_many
from concord.scores.table import compact

COLUMNS = "case dataset metric n mean default best gain placebo_mean placebo_default placebo_best placebo_gain ahead"


class Placebo(Exhibit):
    """The gain by the best grid point of every subset beside that by the best restart of every subset."""

    kind: Literal["placebo"]
    method: MethodId
    placebo: AnyMethodId

    def needs(self, study: ResolvedStudy) -> Needs:
        """Return the scores of the method and the labels of all restarts of the placebo."""
        cases = tuple(case.id for case in self._cases(study))
        return Needs(scores=True, labels=tuple((case, self.placebo) for case in cases), ensembles=cases)

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a method without a grid, and a placebo that has one or runs on none of its cases."""
        if not study.method(self.method).grid:
            yield "method", f" = {self.method!r}: it has no grid; name another"
        if study.method(self.placebo).grid:
            yield "placebo", f" = {self.placebo!r}: it has a grid, and a placebo has restarts alone; name another"
        elif not self._cases(study):
            yield "placebo", f" = {self.placebo!r}: it runs on no case of {self.method}; name another"

    def build(self, source: Source) -> Shown:
        """Return one row for each case and metric.

        ``mean``, ``default`` and ``best`` are of the method's grid points: their mean, the default one, and the best of
        each subset. ``placebo_mean``, ``placebo_default`` and ``placebo_best`` are of the placebo's restarts: their
        mean, the one with the best objective, and the best of each subset. All are means over the ``n`` subsets on
        which both have scores; ``gain`` is best - mean.
        """
        study = source.study
        rows = [row for case in self._cases(study) for row in self._rows(source, case)]
        frame = records(COLUMNS, rows)
        points = count(len(study.method(self.method).points), "grid point")
        caption = paragraph(
            f"{self.method}: the mean over its {points}, the default one, and the best one of each subset, chosen with "
            f"the true classes. Placebo: {self.placebo}, the mean over its restarts, the one with the best objective, "
            "and the best one of each subset, chosen with the true classes. Restarts differ in random numbers alone: "
            f"the placebo's gain, best {MINUS} mean, is what the choice with the classes gives by itself. Ahead: "
            f"the best of {self.method} {MINUS} the best of the placebo."
        )
        columns = "dataset, Mean: mean, default, best, gain, Placebo's mean: placebo_mean, Placebo's objective: "
        columns += "placebo_default, Placebo's best: placebo_best, Placebo's gain: placebo_gain, ahead"
        forms = dict.fromkeys(("gain", "placebo_gain", "ahead"), signed)
        groups = frame.groupby("metric", sort=False)
        return Shown(frame, tuple(listed(f"{name}", group, columns, forms=forms) for name, group in groups), caption)

    def _cases(self, study: Study) -> list[Case]:
        runs = [study.method(name) for name in (self.method, self.placebo)]
        return [case for case in study.cases if all(run.runs_on(case) for run in runs)]

    def _rows(self, source: Source, case: Case) -> list[tuple[Any, ...]]:
        """Return a row for each metric."""
        study, restarts, rows = source.study, _restarts(source, case, self.placebo), list[tuple[Any, ...]]()
        default = compact(study.method(self.method).default)
        table = source.scores[(source.scores["case"] == case.id) & (source.scores["method"] == self.method)]
        table = table[table["restart"] == study.restarts]
        for number, metric in enumerate(study.reported):
            grid = table[table["metric"] == metric].pivot(index="subset", columns="parameters", values="value")
            grid = grid.loc[[subset for subset in grid.dropna(subset=default).index if subset in restarts]]
            own = np.array([grid.mean(axis=1), grid[default], grid.max(axis=1)]).mean(axis=1)
            theirs = np.array([restarts[subset][number] for subset in grid.index]).reshape(-1, 3).mean(axis=0)
            gains = own[2] - own[0], theirs[2] - theirs[0]
            known = (case.id, source.titles[case.id], metric, len(grid), *own, gains[0], *theirs, gains[1])
            rows.append((*known, own[2] - theirs[2]))
        return rows


def _restarts(source: Source, case: Case, method: str) -> dict[int, FloatArray]:
    """Return for each subset with an answer: mean, best objective and best score of the restarts, (metrics, 3)."""
    found, stored = {}, source.stored(case.id)
    for block in source.blocks(case.id, method):
        for place, subset in enumerate(block.subsets):
            if block.answered[place, 0]:
                scores = score_many(stored.classes, block.labels[place, 0], source.study.reported)
                kinds = (scores.mean(axis=0), scores[int(block.chosen[place, 0])], scores.max(axis=0))
                found[subset] = np.stack(kinds, axis=1)
    return found

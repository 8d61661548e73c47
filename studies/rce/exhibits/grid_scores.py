"""What the exhibits on the certified optimum share: scores and gaps of a method, or of a variant, over its grid."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from consclust.ensemble import FloatArray, IntArray
from consclust.methods.rce import read_gap
from consclust.validation import Strict
from consclust_studies.config.cases import Case
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.references import AnyMethodId, MethodId
from consclust_studies.config.study import Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Mistakes
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING, take_points

if TYPE_CHECKING:
    from pandas import DataFrame


class OfVariants(Strict):
    """Keys of an exhibit of a method with a grid and of variants of it, each of which runs on some of the cases."""

    method: MethodId = Field(description="id of the method with the grid")
    variants: Some[AnyMethodId] = Field(description="ids of variants of the method with points of the same grid")

    def check_variants(self, study: Study) -> Mistakes:
        """Yield a method without a grid, and variants that have other points or run on no case."""
        run = study.method(self.method)
        if not run.grid:
            yield "method", f" = {self.method!r}: it has no grid; name another"
        for name in self.variants:
            variant = study.method(name)
            if not all(point in run.points for point in variant.points):
                yield "variants", f" = {name!r}: it has grid points that {self.method} has not; name another"
            elif not any(variant.runs_on(case) for case in study.cases):
                yield "variants", f" = {name!r}: it runs on no case of this run; name another"

    def list_runs(self, study: Study, names: Collection[str] = ()) -> list[tuple[Case, MethodRun]]:
        """Return each case with each of its variants, or of those with these names, in the order of the study."""
        runs = [study.method(name) for name in names or self.variants]
        own = study.method(self.method)
        return [(case, run) for case in study.cases for run in runs if run.runs_on(case) and own.runs_on(case)]


class GridScores:
    """The scores of some methods and variants at all points of their grids."""

    def __init__(self, source: Source, methods: Collection[str]) -> None:
        self._study = source.study
        self._rows: dict[object, DataFrame] = {}
        for table in (source.scores, source.variant_scores):
            shown = table[(table["restart"] == source.study.restarts) & table["method"].isin(list(methods))]
            self._rows |= dict(iter(shown.groupby(["case", "method", "metric"], sort=False)))

    def read(self, case: Case, run: MethodRun, metric: str) -> FloatArray:
        """Return the scores of a method on the subsets that it runs on, (points, subsets); NaN where it failed."""
        values = np.full((len(run.points), self._study.n_subsets_of(case, run)), np.nan)
        rows = self._rows.get((case.id, run.id, metric))
        if rows is not None:
            values[rows["point"], rows["subset"]] = rows["value"]
        return values


def find_points(own: MethodRun, other: MethodRun) -> IntArray:
    """Return the numbers that the grid points of ``other`` have in the grid of ``own``, which has all of them."""
    return np.array([own.points.index(point) for point in other.points], dtype=np.int64)


def take_scores(values: FloatArray, points: Sequence[int] | IntArray) -> FloatArray:
    """Return the score at one point for each subset, (subsets,), of scores of shape (points, subsets)."""
    taken: FloatArray = values[np.asarray(points), np.arange(values.shape[1])]
    return taken


def select_scores(run: MethodRun, values: FloatArray, selection: str) -> FloatArray:
    """Return the score on each subset, (subsets,), at the points that a selection takes."""
    return take_scores(values, take_points(values, selection, run.default_point))


def count_selections(values: FloatArray, selection: str, default_point: int) -> FloatArray:
    """Return how often a selection takes each grid point over the subsets, (points,), of scores (points, subsets).

    Points that are equally good, within rounding, share what :func:`take_points` gives to the first of them.
    """
    times = np.zeros(len(values))
    taken = take_points(values, selection, default_point)
    compared = np.broadcast_to(values.mean(axis=1, keepdims=True), values.shape)
    for subset, point in enumerate(taken.tolist()):
        scores = values[:, subset] if selection == "oracle-per-subset" else compared[:, subset]
        is_equal = np.abs(scores - scores[point]) <= ROUNDING
        if selection == "default" or not is_equal.any():
            is_equal = np.arange(len(values)) == point
        times += is_equal / is_equal.sum()
    return times


def read_gaps(source: Source, case: Case, run: MethodRun) -> FloatArray:
    """Return the relative duality gaps in the notes of fits of RCE, (points, subsets); NaN where a note gives none."""
    gaps = np.full((len(run.points), source.study.n_subsets_of(case, run)), np.nan)
    for block in source.blocks(case.id, run.id):
        for note in block.notes:
            gap = read_gap(str(note.text))
            # a block may hold subsets that a restricted run has not
            if gap is not None and note.subset < gaps.shape[1]:
                gaps[note.point, note.subset] = gap
    return gaps

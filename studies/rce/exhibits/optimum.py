"""The scores of RCE at the certified optimum of its objective, beside those of the authors' steps and the published."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from consclust.ensemble import FloatArray
from consclust.files import read_arrays
from consclust.report.blocks import Cell, Shown, Table, listed
from consclust.report.wording import MINUS, conjunction, count, number, paragraph, records, signed
from consclust_studies.config.cases import Case
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.paper import Claim
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.exhibits.base import Counted, Exhibit, Mistakes, Needs
from consclust_studies.results.main_table import make_published_key
from consclust_studies.results.sentences import SELECTIONS
from consclust_studies.results.significance import compute_p_values
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING, find_main_row
from studies.rce.exhibits.grid_scores import GridScores, OfVariants, find_points, read_gaps, select_scores

if TYPE_CHECKING:
    from pandas import DataFrame

TOLERANCE = 1e-6
"""The gap that "splitting" has to reach where the parameter ``tol`` is not given."""


class Optimum(OfVariants, Exhibit):
    """Scores at the optimum and after the authors' steps, on the same subsets and points; how many fits got there."""

    counts_some_cases = True
    questions: ClassVar[Mapping[str, str]] = {
        "best": "data sets on which the optimum has a higher mean than every rival",
        "stable": "data sets on which enough grid points at the optimum are near the best one",
    }

    kind: Literal["optimum"]

    def mistakes(self, study: Study) -> Mistakes:
        """Yield variants that are not by splitting."""
        yield from self.check_variants(study)
        for name in self.variants:
            if study.method(name).parameters.get("solver") != "splitting":
                yield "variants", f" = {name!r}: its solver is not splitting; name another"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores of the study and its variants, and how the fits of the variants ended."""
        labels = tuple((case.id, run.id) for case, run in self.list_runs(study))
        return Needs(scores=True, variant_scores=True, labels=labels, published=True)

    def build(self, source: Source) -> Shown:
        """Return a row for each case, variant, reported metric and selection.

        ``optimum`` and ``own`` are means over the ``subsets`` subsets that the variant runs on, at points that the
        selection takes from the ``points`` grid points of the variant, for each of the two by itself. ``p`` is of the
        test of the study. ``fits`` of the variant, ``reached`` of them with the wanted gap, and the ``largest`` gap.
        """
        study = source.study
        frame = self._frame(source)
        selections = dict.fromkeys(frame["selection"])
        tables = [
            _tabulate(f"{metric}, {SELECTIONS[selection]}", rows, study.significance.alpha)
            for (metric, selection), rows in frame.groupby(["metric", "selection"], sort=False)
        ]
        each_once = frame.drop_duplicates(["case", "variant"])
        fits, reached = int(each_once["fits"].sum()), int(each_once["reached"].sum())
        caption = paragraph(
            f"The optimum of the objective of {self.method} by splitting, beside the rounds of the authors' program, "
            "on the same subsets and grid points. Each of the two takes its points by itself, in each of these "
            f"selections: {'; '.join(SELECTIONS[word] for word in selections)}. Change: optimum {MINUS} "
            f"{self.method}; bold: significant at {study.significance.alpha:.0%}, without correction for the number of "
            "tests. A published value is of all subsets and points.",
            f"{reached:,} of {count(fits, 'fit', ',')} reached the gap that was wanted.",
            reached < fits
            and f"The others are at most {number(each_once['largest'].max(), '.1e')} above the minimum, relatively.",
        )
        return Shown(frame, (*tables, self._tabulate_gaps(study, each_once)), caption)

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count data sets by the first variant: where it is above its rivals, or stable over its grid."""
        here = [
            (case, run)
            for case, run in self.list_runs(source.study, self.variants[:1])
            if not claim.cases or case.id in claim.cases
        ]
        assert claim.metric, "both questions are about scores"
        if question == "stable":
            return self._count_stable(claim, here, source)
        rivals = claim.against or [run.id for run in source.study.methods if run.id != self.method]
        scores = GridScores(source, [*rivals, *self.variants])
        holds = []
        for case, run in here:
            own = _average_selected(source.study, scores, case, run, claim.metric, run)
            others = [
                _average_selected(source.study, scores, case, rival, claim.metric, run)
                for rival in map(source.study.method, rivals)
                if rival.runs_on(case)
            ]
            known = [other for other in others if not math.isnan(other)]
            if known and not math.isnan(own):
                holds.append(all(own > other + ROUNDING for other in known))
        what = f"the optimum above {conjunction(rivals)} in {claim.metric} on"
        return Counted(what, tuple(holds), "data sets")

    def _count_stable(self, claim: Claim, here: list[tuple[Case, MethodRun]], source: Source) -> Counted:
        scores = GridScores(source, self.variants)
        shares = []
        for case, run in here:
            means = scores.read(case, run, str(claim.metric)).mean(axis=1)
            if not np.isnan(means).all():
                # comparing with NaN is False: a point that failed is not near
                shares.append(float((means >= np.nanmax(means) - claim.within).mean()))
        near = f"at least {claim.share:.0%} of the grid within {claim.within:g} of the best mean {claim.metric}"
        spans = conjunction([f"{share:.0%}" for share in shares])
        remarks = (f"shares at the optimum: {spans}",) if shares else ()
        return Counted(f"{near} on", tuple(share >= claim.share for share in shares), "data sets", remarks)

    def _frame(self, source: Source) -> DataFrame:
        study = source.study
        scores = GridScores(source, [self.method, *self.variants])
        own = study.method(self.method)
        key = make_published_key(source)
        rows = []
        for case, run in self.list_runs(study):
            ended = _count_ended(source, case, run)
            for metric in study.reported:
                optimum = scores.read(case, run, metric)
                beside = scores.read(case, own, metric)[find_points(own, run), : optimum.shape[1]]
                published = source.published.scores.get(key(case.id, metric, self.method), math.nan)
                for selection in dict.fromkeys((study.selection, "default")):
                    at_optimum = select_scores(run, optimum, selection)
                    after_steps = select_scores(run, beside, selection)
                    compared = _compare(at_optimum, after_steps, study.significance.test)
                    known = (case.id, source.titles[case.id], run.id, metric, selection, *optimum.shape[::-1])
                    rows.append((*known, *compared, published, *ended))
        columns = "case dataset variant metric selection subsets points optimum own change p published"
        return records(f"{columns} fits reached largest iterations", rows)

    def _tabulate_gaps(self, study: Study, rows: DataFrame) -> Table:
        wanted = {name: study.method(name).parameters.get("tol", TOLERANCE) for name in self.variants}
        shown = rows.assign(
            wanted=rows["variant"].map(wanted), reached=[f"{row.reached} of {row.fits}" for row in rows.itertuples()]
        )
        gap = partial(number, form=".1e")
        forms: dict[str, Any] = {"wanted": number, "largest": gap, "iterations": partial(number, form=".0f")}
        columns = "dataset, variant, Subsets: subsets, Points: points, Wanted gap: wanted, Reached: reached, "
        columns += "Largest gap: largest, Median of iterations: iterations"
        return listed("Gaps", shown, columns, left=2, forms=forms).model_copy(update={"whole": True})


class Ended(NamedTuple):
    """How the fits of a variant on a case ended."""

    fits: int
    reached: int
    largest: float
    """The largest gap of those that did not reach the wanted one; NaN if all did."""
    iterations: float
    """Median."""


def _count_ended(source: Source, case: Case, run: MethodRun) -> Ended:
    converged: list[bool] = []
    iterations: list[int] = []
    for block in source.blocks(case.id, run.id):
        ended = read_arrays(block.path, "converged", "iterations")
        here = block.answered & (np.array(block.subsets) < source.study.n_subsets_of(case, run))[:, None]
        converged += ended["converged"][here].tolist()
        iterations += ended["iterations"][here].tolist()
    gaps = read_gaps(source, case, run)
    largest = float(np.nanmax(gaps)) if not np.isnan(gaps).all() else math.nan
    return Ended(len(converged), sum(converged), largest, float(np.median(iterations)) if iterations else math.nan)


def _compare(optimum: FloatArray, own: FloatArray, test: Literal["paired", "welch"]) -> Iterator[float]:
    """Yield both means over the subsets with both scores, their difference and its p-value; NaN where there is none."""
    both = ~(np.isnan(optimum) | np.isnan(own))
    means = [float(scores[both].mean()) if both.any() else math.nan for scores in (optimum, own)]
    yield from means
    yield means[0] - means[1]
    yield float(compute_p_values(optimum[None], own[None], test)[0])


def _average_selected(
    study: Study, scores: GridScores, case: Case, run: MethodRun, metric: str, beside: MethodRun
) -> float:
    """Return the mean of a method in the selection of the study, on the subsets that another one runs on."""
    values = scores.read(case, run, metric)[:, : study.n_subsets_of(case, beside)]
    selection = study.selection if run.grid else find_main_row(study, run.id).selection
    taken = select_scores(run, values, selection)
    return float(np.nanmean(taken)) if not np.isnan(taken).all() else math.nan


def _tabulate(title: str, rows: DataFrame, alpha: float) -> Table:
    changes = [
        Cell(text=signed(change), bold=bool(p < alpha)) for change, p in zip(rows["change"], rows["p"], strict=True)
    ]
    shown = rows.assign(change_cell=changes)
    columns = "dataset, variant, Subsets: subsets, Points: points, published, Authors' steps: own, optimum, "
    columns += "Change: change_cell, p-value: p"
    forms = {"p": partial(number, form=".2g")}
    return listed(title, shown, columns, left=2, forms=forms).model_copy(update={"whole": True})

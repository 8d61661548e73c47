"""Mean scores as lines over the number of base clusterings in a subset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust.report.figures import curves_by_case
from consclust.report.wording import conjunction, count, paragraph, point, records
from consclust_studies.config.method_runs import is_same_point
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import MethodId, MetricId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.exhibits.base import Counted, Exhibit, Needs
from consclust_studies.results.main_table import aggregate_subsets
from consclust_studies.results.sentences import describe_missing, describe_selection
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING, find_main_row

if TYPE_CHECKING:
    from pandas import DataFrame

BANDS = 6
"""With more methods than these, the bands of their deviations would cover the lines."""


class Sizes(Exhibit):
    """The mean score at every size of the subsets, a panel for each data set, a line for each method."""

    drawn = True
    lacking = "no case has other sizes; add variants of cases that differ in subset_size alone"
    reads: ClassVar = Needs(selected=True, variants=True)
    counts_some_cases = True
    questions: ClassVar[Mapping[str, str]] = {
        "improve": "methods, the claim's and those in 'against', or all if it names none there, whose mean over the "
        "data sets is higher with the largest subsets than with the smallest",
        "fall": "methods of the claim, with those in 'against', whose mean falls on a data set as the subsets grow",
        "ahead": "data sets and sizes on which the method is above all in 'against'",
        "small_ahead": "data sets on which the method with the smallest subsets is above all others with the largest",
    }

    kind: Literal["sizes"]
    metric: MetricId = Field(description="metric of the scores")
    thick: MethodId | None = Field(None, description="id of the method that is drawn thick, the paper's; null: none")

    def wanted(self, study: Study) -> bool:
        """Whether a case has other sizes."""
        return bool(_find_methods_of_other_sizes(study))

    def list_shown_methods(self, study: PlannedStudy) -> list[str]:
        """Return the methods that run at other sizes."""
        return _find_methods_of_other_sizes(study)

    def build(self, source: Source) -> Shown:
        """Return mean, standard deviation and number of subsets for each case, method and size.

        Subsets are counted as done (``n``), planned, and those that chose the points of a grid in a race (0: no race).
        """
        study, frame = source.study, self._frame(source)
        few = frame["method"].nunique() <= BANDS
        bands = "; bands: one sample standard deviation to either side" if few else ""
        caption = paragraph(
            f"{self.metric} against the number of base clusterings in a subset: mean over "
            f"{count(study.n_subsets, 'subset')}{bands}.",
            describe_selection(study, _find_methods_of_other_sizes(study)),
            _describe_points(study),
            _describe_other_best_points(source, self.metric),
            _for_some(study, frame[frame["subsets"] < study.n_subsets], "subsets", "the {} only"),
            _for_some(study, frame[frame["raced"] > 0], "raced", "a race, its grid points chosen on the {}"),
            describe_missing(study, frame[frame["n"] < frame["subsets"]], "size"),
        )
        labels = "base clusterings in a subset", f"mean {self.metric}"
        drawn = frame if few else frame.assign(std=0.0)
        picture = curves_by_case(drawn, source.titles, "size", labels, thick=self.thick)
        return Shown(frame, caption=caption, picture=picture)

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count methods, data sets, or data sets and sizes, by the means that the figure shows."""
        frame = self._frame(source)
        mine = frame[frame["case"].isin(claim.cases)] if claim.cases else frame
        means = mine.pivot(index=["case", "size"], columns="method", values="mean")
        count_means = {"improve": _improve, "fall": _fall, "ahead": _lead, "small_ahead": _lead_with_the_smallest}
        return count_means[question](means, claim)

    def _frame(self, source: Source) -> DataFrame:
        study = source.study
        scores = aggregate_subsets(source.selected, source.variants)
        rows = []
        for case in study.cases:
            cases = sorted((case, *study.size_variants(case)), key=study.subset_size)
            for row in (
                find_main_row(study, method) for method in _find_methods_of_other_sizes(study) if len(cases) > 1
            ):
                ran = [one for one in cases if study.method(row.method).runs_on(one)]
                found = [(one, key) for one in ran if (key := (one.id, self.metric, *row)) in scores.index]
                for one, key in found:
                    race = study.race(one, study.method(row.method))
                    counts = study.n_subsets_of(one), race.subsets if race else 0
                    rows.append((case.id, *row, self.metric, study.subset_size(one), *scores.loc[key], *counts))
        return records("case method selection metric size n mean std subsets raced", rows).astype({"n": int})


def _find_methods_of_other_sizes(study: Study) -> list[str]:
    """Return the methods that run at other sizes, in the order of the study."""
    run = {name for case in study.cases for other in study.size_variants(case) for name in other.methods}
    return [method.id for method in study.methods if method.id in run]


def _improve(means: DataFrame, claim: Claim) -> Counted:
    """Count the methods with a higher mean over the data sets at the largest size than at the smallest.

    These are the methods of the claim; all where it has none in ``against``.
    """
    sizes = sorted({*means.index.get_level_values("size")})
    gains = {}
    for name in (claim.method, *claim.against) if claim.against else means:
        known = means[name].unstack("size")[[sizes[0], sizes[-1]]].dropna()
        if len(known):
            gains[str(name)] = float(known[sizes[-1]].mean() - known[sizes[0]].mean())
    fallen = [name for name, gain in gains.items() if gain <= ROUNDING]
    remarks = (f"not {conjunction(fallen)}",) if fallen else ()
    what = f"mean over the data sets higher with {sizes[-1]} base clusterings than with {sizes[0]} for"
    return Counted(what, tuple(gain > ROUNDING for gain in gains.values()), "methods", remarks)


def _fall(means: DataFrame, claim: Claim) -> Counted:
    """Count the methods of a claim whose mean falls from one size to the next on a data set."""
    holds, remarks = [], []
    for name in (claim.method, *claim.against):
        steps = means[name].unstack("size").sort_index(axis=1).diff(axis=1)
        falls = (steps < -ROUNDING).any(axis=1)
        holds.append(bool(falls.any()))
        remarks.append(f"{name} on {falls.sum()} of {len(falls)} data sets")
    return Counted(
        "mean lower with more base clusterings, on some data set, for", tuple(holds), "methods", tuple(remarks)
    )


def _lead(means: DataFrame, claim: Claim) -> Counted:
    """Count the data sets and sizes at which the method of a claim has a higher mean than all in ``against``."""
    rivals = means[list(claim.against)].max(axis=1)
    ahead = means[claim.method] > rivals + ROUNDING
    behind = [f"{case} at {size}" for case, size in ahead.index[~ahead]]
    remarks = (f"not on {conjunction(behind)}",) if behind else ()
    return Counted("above all others on", tuple(ahead), "data sets and sizes", remarks)


def _lead_with_the_smallest(means: DataFrame, claim: Claim) -> Counted:
    """Count the data sets on which the method at the smallest size is above all in ``against`` at the largest."""
    holds = []
    for _, rows in means.groupby(level="case", sort=False):
        by_size = rows.droplevel("case").sort_index()
        rival = by_size.iloc[-1][list(claim.against)].max()
        holds.append(bool(by_size.iloc[0][claim.method] > rival + ROUNDING))
    sizes = sorted({*means.index.get_level_values("size")})
    what = f"with {sizes[0]} base clusterings above all others with {sizes[-1]} on"
    return Counted(what, tuple(holds), "data sets")


def _describe_points(study: Study) -> str:
    """Say which methods run at one grid point with the other sizes; empty where none does."""
    variants = [other for case in study.cases for other in study.size_variants(case)]
    names = {name for other in variants for name in other.points if name in other.methods}
    fixed = [run.id for run in study.methods if run.id in names]
    return f"{conjunction(fixed)} with the other sizes: at one grid point for each data set." if fixed else ""


def _describe_other_best_points(source: Source, metric: str) -> str:
    """Say where the point of the other sizes is not the one that is best here at the own size; empty where it is.

    The point is written in the study, so that the other sizes run without waiting for the grid at the own size.
    """
    study = source.study
    if study.selection != "oracle-common":
        return ""  # the other selections have no single best point
    found = source.selected[source.selected["metric"] == metric]
    sentences = []
    for case in study.cases:
        fixed = {name: at for other in study.size_variants(case) for name, at in other.points.items()}
        for name, at in fixed.items():
            row = find_main_row(study, name)
            mine = found[found[["case", "method", "selection"]].eq([case.id, *row]).all(axis=1)]
            if mine.empty:
                continue
            best = study.method(name).points[mine["point"].iloc[0]]
            if not is_same_point(at, best):
                where = f"{name} on {study.titles[case.id]}"
                sentences.append(f"{where}: {point(at)} with the other sizes, but the best point is {point(best)}.")
    return " ".join(sentences)


def _for_some(study: PlannedStudy, frame: DataFrame, column: str, text: str) -> str:
    """Say of which methods, sizes and cases the rows are, with a sentence for all that have these in common."""
    named = frame.assign(case=frame["case"].map(study.titles), size=frame["size"].map(str))
    for joined, others in (("size", ["method", "case"]), ("case", ["method", "size"]), ("method", ["size", "case"])):
        groups = named.groupby([column, *others], sort=False)[joined]
        named = groups.agg(lambda names: conjunction([*names.unique()])).reset_index()
    return " ".join(
        f"{row['method']} with {row['size']} base clusterings on {row['case']}: "
        f"{text.format('first subset' if row[column] == 1 else f'first {row[column]} subsets')}."
        for row in named.to_dict("records")
    )

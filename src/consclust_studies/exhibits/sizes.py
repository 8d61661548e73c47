"""Mean scores as lines over the number of base clusterings in a subset."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust.report.figures import curves_by_case
from consclust.report.wording import conjunction, count, paragraph, records
from consclust_studies.config.references import MetricId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import aggregate_subsets
from consclust_studies.results.sentences import describe_missing, describe_selection
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import find_main_row

if TYPE_CHECKING:
    from pandas import DataFrame

BANDS = 6
"""With more methods than these, the bands of their deviations would cover the lines."""


class Sizes(Exhibit):
    """The mean score at every size of the subsets, a panel for each data set, a line for each method."""

    drawn = True
    lacking = "no case has other sizes; add variants of cases that differ in subset_size alone"
    reads: ClassVar = Needs(selected=True, variants=True)

    kind: Literal["sizes"]
    metric: MetricId = Field(description="metric of the scores")

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
            _for_some(study, frame[frame["subsets"] < study.n_subsets], "subsets", "the {} only"),
            _for_some(study, frame[frame["raced"] > 0], "raced", "a race, its grid points chosen on the {}"),
            describe_missing(study, frame[frame["n"] < frame["subsets"]], "size"),
        )
        labels = "base clusterings in a subset", f"mean {self.metric}"
        drawn = frame if few else frame.assign(std=0.0)
        return Shown(frame, caption=caption, picture=curves_by_case(drawn, source.titles, "size", labels))

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

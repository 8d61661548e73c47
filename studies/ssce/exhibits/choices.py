"""Mean scores of some methods on variants of a case, such as a data set with some of its features."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown, listed
from consclust.report.wording import conjunction, paragraph, score
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import MethodId, MetricId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Some
from consclust_studies.exhibits.base import Counted, Exhibit, Mistakes, Needs, find_unknown
from consclust_studies.results.main_table import aggregate_subsets
from consclust_studies.results.sentences import describe_selection
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING, find_main_row

if TYPE_CHECKING:
    from pandas import DataFrame


class Choices(Exhibit):
    """The mean score of some methods on each of several variants of a case."""

    reads: ClassVar = Needs(variants=True)
    questions: ClassVar[Mapping[str, str]] = {
        "fails": "variants in 'counted' on which the method is more than 'within' below all in 'against'",
        "comparable": "variants in 'counted' on which the method is within 'within' of all in 'against'",
        "fails_anywhere": "the same as 'fails', of variants in 'counted' and 'alternatives'",
        "comparable_anywhere": "the same as 'comparable', of variants in 'counted' and 'alternatives'",
    }

    kind: Literal["choices"]
    counted: Some[Name] = Field(description="ids of variants of cases, a row for each, which claims count")
    alternatives: tuple[Name, ...] = Field(
        (),
        description="ids of more variants of cases with a row, which claims count for the questions '_anywhere' alone",
    )
    beside: tuple[Name, ...] = Field((), description="ids of variants of cases that have a row and are not counted")
    methods: Some[MethodId] = Field(description="ids of the methods, a column for each")
    metric: MetricId = Field(description="metric of the scores")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield variants that the study does not have."""
        known = [case.id for case in study.case_variants]
        yield from find_unknown("counted", self.counted, known)
        yield from find_unknown("alternatives", self.alternatives, known)
        yield from find_unknown("beside", self.beside, known)

    def list_shown_methods(self, study: PlannedStudy) -> list[str]:
        """Return the methods that have a column."""
        return list(self.methods)

    def build(self, source: Source) -> Shown:
        """Return the mean over the subsets of each variant and method."""
        frame = self._average(source, (*self.counted, *self.alternatives, *self.beside))
        wide = frame.pivot(index="dataset", columns="method", values="mean").reindex(frame["dataset"].unique())
        columns = {"Data": "dataset", **{method: method for method in self.methods}}
        forms = dict.fromkeys(self.methods, score)
        caption = paragraph(
            f"Mean {self.metric} over {frame['n'].min()} subsets.", describe_selection(source.study, self.methods)
        )
        return Shown(frame, (listed(self.title, wide.reset_index(), columns, forms=forms),), caption)

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the variants by the means of the method and of those in ``against``."""
        word, _, anywhere = question.partition("_")
        cases = (*self.counted, *self.alternatives) if anywhere else self.counted
        holds = []
        for _, rows in self._average(source, cases).groupby("case", sort=False):
            means = dict(zip(rows["method"], rows["mean"], strict=True))
            ahead = [means[claim.method] - means[rival] for rival in claim.against]
            if word == "fails":
                holds.append(all(gain < -claim.within - ROUNDING for gain in ahead))
            else:
                holds.append(all(abs(gain) <= claim.within + ROUNDING for gain in ahead))
        what = "more than {} below {} on" if word == "fails" else "within {} of {} on"
        return Counted(
            what.format(f"{claim.within:g}", conjunction(claim.against)), tuple(holds), "choices of features"
        )

    def _average(self, source: Source, cases: tuple[str, ...]) -> DataFrame:
        """Return number and mean of the scores over the subsets, a row for each variant and method."""
        import pandas as pd

        scores = aggregate_subsets(source.variants)
        rows = []
        for case in cases:
            for method in self.methods:
                found = scores.loc[(case, self.metric, *find_main_row(source.study, method))]
                about = {"case": case, "dataset": source.titles[case], "method": method}
                rows.append({**about, "n": int(found["count"]), "mean": found["mean"]})
        return pd.DataFrame(rows)

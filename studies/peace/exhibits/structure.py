"""Whether a method does better where the co-association matrix is more blockwise."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown, listed
from consclust.report.wording import MINUS, paragraph, records, score, signed
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import CaseId, MethodId, MetricId
from consclust_studies.config.study import PlannedStudy
from consclust_studies.exhibits.base import Counted, Exhibit, Needs
from consclust_studies.results.main_table import keep_main_rows
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING
from studies.peace.exhibits.vat import order_matrix

if TYPE_CHECKING:
    from pandas import DataFrame


class Structure(Exhibit):
    """How blockwise the co-association of each case is, beside the score of a method and its lead over another one."""

    counts_some_cases = True
    questions: ClassVar[Mapping[str, str]] = {
        "score_follows": "pairs of cases of which the more blockwise one has the higher score of the method",
        "lead_follows": "pairs of cases of which the more blockwise one has the larger lead of the method",
    }

    kind: Literal["structure"]
    method: MethodId = Field(description="id of the method")
    rival: MethodId = Field(description="id of the method whose score is subtracted for the lead")
    metric: MetricId = Field(description="metric of the scores")
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings and the scores."""
        return Needs(ensembles=self._list_cases(study), selected=True)

    def build(self, source: Source) -> Shown:
        """Return silhouette, score and lead of each case, the most blockwise first; τ is Kendall's over the cases."""
        frame = self._measure(source)
        taus = [frame["silhouette"].corr(frame[name], method="kendall") for name in ("score", "lead")]
        caption = paragraph(
            "Silhouette: mean silhouette of the classes, with 1 less the co-association of the first subset as the "
            f"distance, which says how blockwise the matrix is. Score: mean {self.metric} of {self.method}; lead: "
            f"{self.method} {MINUS} {self.rival}. Kendall's τ of the silhouette with the score is {signed(taus[0])}, "
            f"with the lead {signed(taus[1])} (1: the same order, {MINUS}1: the reverse)."
        )
        columns = "Data set: dataset, silhouette, score, lead"
        forms = {"silhouette": score, "score": score, "lead": signed}
        return Shown(frame, (listed(self.title, frame, columns, forms=forms),), caption)

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the pairs of cases whose order by score, or by lead, is that of their silhouettes."""
        column = {"score_follows": "score", "lead_follows": "lead"}[question]
        frame = self._measure(source)
        if claim.cases:
            frame = frame[frame["case"].isin(claim.cases)]
        ordered = list(zip(frame["silhouette"], frame[column], strict=True))
        holds = [first[1] > second[1] + ROUNDING for first, second in combinations(ordered, 2)]
        return Counted(f"larger {column} of the more blockwise one in", tuple(holds), "pairs")

    def _measure(self, source: Source) -> DataFrame:
        """Return a row for each case, the most blockwise first."""
        scores = keep_main_rows(source.study, source.selected)
        scores = scores[scores["metric"] == self.metric]
        means = scores.groupby(["case", "method"])["value"].mean()
        rows = []
        for case in self._list_cases(source.study):
            silhouette = order_matrix(source, case, "classes").compute_silhouette()
            own = means[case, self.method]
            rows.append((case, source.titles[case], silhouette, own, own - means[case, self.rival]))
        frame = records("case dataset silhouette score lead", rows)
        return frame.sort_values("silhouette", ascending=False, kind="stable", ignore_index=True)

    def _list_cases(self, study: PlannedStudy) -> tuple[str, ...]:
        return self.cases or tuple(case.id for case in study.cases)

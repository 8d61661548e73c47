"""The scores of the base clusterings of a whole pool, beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Cell, Shown, Table, listed
from consclust.report.wording import conjunction, count, paragraph, records, score
from consclust.scores import score_many
from consclust_studies.config.metric import Metric
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import CaseId, MetricId
from consclust_studies.config.study import PlannedStudy
from consclust_studies.exhibits.base import Counted, Exhibit, Needs
from consclust_studies.results.main_table import keep_main_rows, make_published_key
from consclust_studies.results.published_scores import HALF_DIGIT
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame, Series

STATISTICS = {"mean": "mean", "std": "standard deviation", "max": "best"}


class Members(Exhibit):
    """Mean, standard deviation and best score of all base clusterings of each case."""

    counts_some_cases = True
    questions: ClassVar[Mapping[str, str]] = {
        "below_best": "methods, the claim's and those in 'against', below the best base clustering on most data sets",
        "above_best": "data sets on which the method is above the best base clustering, and so above their mean",
    }

    kind: Literal["members"]
    metrics: tuple[MetricId, ...] = Field((), description="metrics; those in 'reported' if absent")
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings, the published values, and the scores that claims compare with them."""
        return Needs(ensembles=self._cases(study), published=True, selected=True)

    def list_shown_methods(self, study: PlannedStudy) -> list[str]:
        """Return the base clusterings alone."""
        return [study.base_clusterings]

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Compare the means of methods over the subsets with the best base clustering of each pool."""
        assert claim.metric, "a claim on scores has a metric"
        best = self._find_best(source, claim.metric, claim.cases)
        scores = keep_main_rows(source.study, source.selected)
        means = scores[scores["metric"] == claim.metric].groupby(["method", "case"])["value"].mean().unstack()
        means = means[list(best.index)]
        if question == "above_best":
            ahead = means.loc[claim.method] > best
            behind = [source.titles[str(case)] for case in ahead.index[~ahead]]
            remarks = (f"not on {conjunction(behind)}",) if behind else ()
            return Counted("above the best base clustering on", tuple(ahead), "data sets", remarks)
        is_below = ((means < best).sum(axis=1) > means.notna().sum(axis=1) / 2).drop(source.study.base_clusterings)
        named = is_below.loc[[claim.method, *claim.against]]
        remark = f"so are {is_below.sum()} of all {count(len(is_below), 'method')}"
        return Counted("below the best base clustering on most data sets:", tuple(named), "methods named", (remark,))

    def _find_best(self, source: Source, metric: Metric, cases: Sequence[str]) -> Series:
        """Return the highest score of a base clustering in each of the cases; in all of the exhibit without any."""
        import pandas as pd

        best = {}
        for case in self._cases(source.study):
            if case in (cases or [case]):
                stored = source.stored(case)
                best[case] = float(score_many(stored.classes, stored.labels.T, [metric]).max())
        return pd.Series(best)

    def build(self, source: Source) -> Shown:
        """Return one row for each metric, case and statistic."""
        rows, key = [], make_published_key(source)
        for case in self._cases(source.study):
            stored = source.stored(case)
            metrics = self.metrics or source.study.reported
            scores = score_many(stored.classes, stored.labels.T, metrics)
            for metric, values in zip(metrics, scores.T, strict=True):
                known = source.published.starts.get(key(case, metric, source.study.base_clusterings), {})
                found = {"mean": values.mean(), "std": values.std(ddof=1), "max": values.max()}
                rows += [(case, metric, name, len(values), found[name], known.get(name)) for name in STATISTICS]
        frame = records("case metric statistic clusterings ours published", rows).astype({"published": float})
        metrics = frame["metric"].unique()
        return Shown(frame, tuple(self._table(source, frame, metric) for metric in metrics), self._caption(frame))

    def _cases(self, study: PlannedStudy) -> tuple[str, ...]:
        return self.cases or tuple(case.id for case in study.cases)

    def _table(self, source: Source, frame: DataFrame, metric: str) -> Table:
        mine = frame[frame["metric"] == metric]
        rows = []
        for case, values in mine.groupby("case", sort=False):
            cells = [_cell(row) for row in values.itertuples()]
            rows.append((source.titles[str(case)], int(values["clusterings"].iloc[0]), *cells))
        columns = {"Data set": "dataset", "Number": "number", **{text: name for name, text in STATISTICS.items()}}
        return listed(metric, records(f"dataset number {' '.join(STATISTICS)}", rows), columns)

    def _caption(self, frame: DataFrame) -> str:
        known = frame.dropna(subset=["published"])
        equal = int(((known["ours"] - known["published"]).abs() < HALF_DIGIT).sum())
        return paragraph(
            "Scores of all base clusterings of a pool, not only of those that are drawn.",
            bool(len(known))
            and f"Below: the published value. {equal} of {len(known)} equal ours to the third decimal.",
        )


def _cell(row: Any) -> Cell:
    return Cell(text=score(row.ours), below="" if row.published != row.published else score(row.published))

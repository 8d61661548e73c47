"""The mean score of every method on every spoiled ensemble, as a file alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust_studies.config.references import MetricId
from consclust_studies.config.study import Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.source import Source
from studies.robustness.exhibits.spoiled_scores import check_harms, list_spoiled_scores

if TYPE_CHECKING:
    from pandas import DataFrame

CLEAN = "clean"
"""The kind of harm of the ensembles without any."""


class SpoiledMeans(Exhibit):
    """Mean scores over the repetitions by data set, method, kind of harm and share, as a file alone."""

    reads: ClassVar = Needs(scores=True)
    in_pdf = False

    kind: Literal["spoiled_means"]
    metrics: Some[MetricId] = Field(description="metrics, a column for each")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a study without spoiled subsets."""
        yield from check_harms(study)

    def build(self, source: Source) -> Shown:
        """Return case, method, kind, share, repetitions, failed (fits) and the mean of each metric."""
        keys = ["case", "method", "kind", "share"]
        first = _average(list_spoiled_scores(source, self.metrics[0], ()), keys)
        frame = first.rename(columns={"value": self.metrics[0]})
        for metric in self.metrics[1:]:
            further = _average(list_spoiled_scores(source, metric, ()), keys)
            frame = frame.merge(further[[*keys, "value"]].rename(columns={"value": metric}), on=keys)
        caption = f"{self.id}.csv has the mean scores over the repetitions. A fit without an answer counts as 0."
        return Shown(frame, (), caption)


def _average(scores: DataFrame, keys: list[str]) -> DataFrame:
    """Return the means over the repetitions; the clean ensembles, which stand at every kind, have a row alone."""
    kinds = scores["kind"].where(scores["share"] > 0, CLEAN)
    each = scores.assign(kind=kinds).drop_duplicates(["case", "method", "subset", "kind", "share"])
    groups = each.groupby(keys, sort=False)
    found = groups.agg(repetitions=("value", "count"), failed=("failed", "sum"), value=("value", "mean"))
    return found.reset_index()

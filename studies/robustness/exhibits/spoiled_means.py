"""The mean score of every method on every spoiled ensemble, as a file alone."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust_studies.config.references import MetricId
from consclust_studies.config.study import Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.source import Source
from studies.robustness.exhibits.spoiled_scores import CELL, check_harms, list_spoiled_scores


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
        first = list_spoiled_scores(source, self.metrics[0], ()).groupby(CELL, sort=False)
        frame = first.agg(repetitions=("value", "count"), failed=("failed", "sum"))
        for metric in self.metrics:
            frame[metric] = list_spoiled_scores(source, metric, ()).groupby(CELL, sort=False)["value"].mean()
        caption = f"{self.id}.csv has the mean scores over the repetitions. A fit without an answer counts as 0."
        return Shown(frame.reset_index(), (), caption)

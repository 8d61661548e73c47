"""Every score of the leaderboard, with the facts by which the page filters them."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust_studies.config.references import MetricId
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.source import Source
from studies.leaderboard.exhibits.tables_of_scores import (
    describe_cases,
    list_order_sensitivity,
    list_scores,
    list_seconds,
)


class Cells(Exhibit):
    """Mean scores, seconds and sensitivity to the order of every method on every data set, as a file alone.

    The sensitivity is that of the first metric.
    """

    reads: ClassVar = Needs(scores=True, runtimes=True)
    in_pdf = False
    reproducible = False

    kind: Literal["cells"]
    metrics: Some[MetricId] = Field(description="metrics, a column for each")

    def build(self, source: Source) -> Shown:
        """Return a row for each data set, kind of ensembles and method."""
        keys = ["dataset", "kind", "method"]
        columns = [
            list_scores(source, metric).groupby(keys, sort=False)["value"].mean().rename(metric)
            for metric in self.metrics
        ]
        scores = columns[0].to_frame().join(columns[1:]).reset_index()
        cases = describe_cases(source.study)
        seconds = list_seconds(source)
        frame = scores.merge(cases, on=["dataset", "kind"], how="left")
        frame = frame.merge(seconds[["case", "method", "seconds"]], on=["case", "method"], how="left")
        frame = frame.merge(seconds[["case", "n", "n_profiles"]].drop_duplicates("case"), on="case", how="left")
        frame = frame.merge(list_order_sensitivity(source, self.metrics[0]), on=keys, how="left")
        caption = "Every mean score with the facts of its data set; the page leaderboard.html is made from this file."
        return Shown(frame.drop(columns="case"), (), caption)

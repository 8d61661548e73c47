"""Scores of a dendrogram of the base clusterings, cut into several numbers of clusters."""

# pandas is imported where needed, so that what does without it starts faster

import math
from collections.abc import Iterator
from itertools import product
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from consclust import similarity
from consclust.ensemble import Ensemble
from consclust.numerics.linkage import Linkage, linkage_labels
from consclust.report.blocks import Shown
from consclust.report.figures import curves_by_case
from consclust.report.wording import conjunction, count, paragraph, records
from consclust.scores import score_all
from consclust_studies.config.references import CaseId, MethodId, MetricId
from consclust_studies.config.study import PlannedStudy
from consclust_studies.config.values import Positive, Some
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.exhibits.matrices import Similarity
from consclust_studies.results.main_table import make_published_key
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING


class Cuts(Exhibit):
    """The mean score against the number of clusters, a line for each linkage, the published score a level."""

    drawn = True

    kind: Literal["cuts"]
    cases: Some[CaseId] = Field(description="ids of cases, a panel for each")
    metrics: Some[MetricId] = Field(description="metrics of the scores; the first one is drawn")
    clusters: Some[Positive] = Field(description="numbers of clusters at which the dendrograms are cut")
    linkages: Some[Linkage] = Field(("average", "complete", "single"), description="linkages, a line for each")
    similarity: Similarity = Field(
        "co_occurrence", description="similarity of the objects, a function of consclust.similarity"
    )
    least: Some[Annotated[float, Field(ge=0, le=1)]] = Field(
        (0.0,), description="similarities below this value count as 0; a line for each of several values"
    )
    method: MethodId = Field(description="id of the method whose published score is drawn as a level")

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings and the published values."""
        return Needs(ensembles=self.cases, published=True)

    def build(self, source: Source) -> Shown:
        """Return mean and deviation over the subsets for each case, metric, linkage and number of clusters."""
        import pandas as pd

        rows = [row for case in self.cases for row in self._score_case(source, case)]
        every = records("case metric method least clusters value", rows)
        groups = every.groupby(["case", "metric", "method", "least", "clusters"], sort=False)["value"]
        frame = groups.agg(n="count", mean="mean", std="std").reset_index()
        key = make_published_key(source)
        frame["published"] = [
            source.published.scores.get(key(case, metric, self.method), math.nan)
            for case, metric in zip(frame["case"], frame["metric"], strict=True)
        ]
        drawn = frame[frame["metric"] == self.metrics[0]]
        if len(self.least) > 1:
            lines = [f"{row.method}, from {row.least:g} on" for row in drawn.itertuples()]
            drawn = drawn.assign(method=lines)
        level = drawn.drop_duplicates("case").dropna(subset=["published"])
        level = level.assign(method=f"{self.method}, published", clusters=math.nan, mean=level["published"])
        labels = "number of clusters", f"mean {self.metrics[0]}"
        picture = curves_by_case(pd.concat([drawn, level]), source.titles, "clusters", labels)
        least = conjunction([f"{value:g}" for value in self.least])
        caption = paragraph(
            f"{self.metrics[0]} of the dendrogram of {self.similarity}, by {conjunction(self.linkages)} linkage, "
            f"against the number of clusters it is cut into: mean over "
            f"{count(source.study.n_subsets, 'subset')}; bands: one sample standard deviation to either side.",
            any(self.least) and f"Similarities below {least} count as 0.",
            bool(len(level)) and f"Dashed: the published {self.metrics[0]} of {self.method}.",
            len(self.metrics) > 1 and f"{self.id}.csv also has {conjunction(self.metrics[1:])}.",
        )
        return Shown(frame, caption=caption, picture=picture)

    def _score_case(self, source: Source, case: str) -> Iterator[tuple[str, str, str, float, int, float]]:
        """Yield a row for each subset, linkage, least similarity, number of clusters and metric."""
        stored = source.stored(case)
        for subset in range(source.study.n_subsets):
            ensemble = Ensemble(stored.subset(subset))
            matrix = getattr(similarity, self.similarity)(ensemble)
            for linkage, least in product(self.linkages, self.least):
                # a similarity is a sum of shares: one that equals the bound may differ from it by rounding
                kept = np.where(matrix < least - ROUNDING, 0.0, matrix)
                for k in self.clusters:
                    labels = linkage_labels(kept, ensemble.membership, k, linkage)
                    scores = score_all(stored.classes, labels, self.metrics)
                    for metric in self.metrics:
                        yield case, metric, linkage, least, k, scores[metric]

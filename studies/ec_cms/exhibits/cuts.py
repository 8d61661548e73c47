"""Scores of a dendrogram of the base clusterings, cut into several numbers of clusters."""

# pandas is imported where needed, so that what does without it starts faster

import math
from typing import Literal

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


class Cuts(Exhibit):
    """The mean score against the number of clusters, a line for each linkage, the published score a level."""

    drawn = True

    kind: Literal["cuts"]
    cases: Some[CaseId] = Field(description="ids of cases, a panel for each")
    metric: MetricId = Field(description="metric of the scores")
    clusters: Some[Positive] = Field(description="numbers of clusters at which the dendrograms are cut")
    linkages: Some[Linkage] = Field(("average", "complete", "single"), description="linkages, a line for each")
    similarity: Similarity = Field(
        "co_occurrence", description="similarity of the objects, a function of consclust.similarity"
    )
    method: MethodId = Field(description="id of the method whose published score is drawn as a level")

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings and the published values."""
        return Needs(ensembles=self.cases, published=True)

    def build(self, source: Source) -> Shown:
        """Return mean and deviation over the subsets for each case, linkage and number of clusters."""
        import pandas as pd

        every = records(
            "case method clusters value", [row for case in self.cases for row in self._score_case(source, case)]
        )
        groups = every.groupby(["case", "method", "clusters"], sort=False)["value"]
        frame = groups.agg(n="count", mean="mean", std="std").reset_index()
        key = make_published_key(source)
        frame["published"] = [
            source.published.scores.get(key(case, self.metric, self.method), math.nan) for case in frame["case"]
        ]
        level = frame.drop_duplicates("case").dropna(subset=["published"])
        level = level.assign(method=f"{self.method}, published", clusters=math.nan, mean=level["published"])
        labels = "number of clusters", f"mean {self.metric}"
        picture = curves_by_case(pd.concat([frame, level]), source.titles, "clusters", labels)
        caption = paragraph(
            f"{self.metric} of the dendrogram of {self.similarity}, by {conjunction(self.linkages)} linkage, against "
            f"the number of clusters it is cut into: mean over "
            f"{count(source.study.n_subsets, 'subset')}; bands: one sample standard deviation to either side.",
            bool(len(level)) and f"Dashed: the published {self.metric} of {self.method}.",
        )
        return Shown(frame, caption=caption, picture=picture)

    def _score_case(self, source: Source, case: str) -> list[tuple[str, str, int, float]]:
        stored, rows = source.stored(case), list[tuple[str, str, int, float]]()
        for subset in range(source.study.n_subsets):
            ensemble = Ensemble(stored.subset(subset))
            matrix = getattr(similarity, self.similarity)(ensemble)
            for linkage in self.linkages:
                for k in self.clusters:
                    labels = linkage_labels(matrix, ensemble.membership, k, linkage)
                    rows.append((case, linkage, k, score_all(stored.classes, labels, [self.metric])[self.metric]))
        return rows

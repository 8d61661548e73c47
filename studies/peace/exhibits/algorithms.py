"""What each algorithm of an ensemble of several algorithms contributes, and a consensus without some of them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from consclust.ensemble import MISSING, Ensemble, IntArray
from consclust.ensembles.mixed import ALGORITHMS
from consclust.report.blocks import Shown, listed
from consclust.report.wording import conjunction, paragraph, records
from consclust.scores import score_all
from consclust_studies.config.references import CaseId, MethodId, MetricId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.source import Source


class Algorithms(Exhibit):
    """The base clusterings of the first subset by algorithm, and a consensus of all and of some of them."""

    kind: Literal["algorithms"]
    cases: Some[CaseId] = Field(description="ids of cases with an ensemble of several algorithms ('mixed')")
    method: MethodId = Field(description="id of the method of the consensus, fitted anew on the first subset")
    metric: MetricId = Field(description="metric of the scores")
    left_out: Some[Literal["single", "average", "ward", "centroid", "kmeans", "spectral"]] = Field(
        description="algorithms whose base clusterings the second consensus does not have"
    )

    def mistakes(self, study: Study) -> Mistakes:
        """Yield cases whose base clusterings one algorithm made."""
        for case in study.cases:
            if case.id in self.cases and case.ensemble != "mixed":
                yield "cases", f" = {case.id!r}: its ensemble is of one algorithm; name cases with ensemble: mixed"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings, and the fits."""
        return Needs(ensembles=self.cases, fits=tuple((case, self.method) for case in self.cases))

    def build(self, source: Source) -> Shown:
        """Return mean share of the largest cluster and mean score of each algorithm, and those of both consensuses."""
        rows = []
        for case in self.cases:
            stored = source.stored(case)
            turns = stored.members[0] % len(ALGORITHMS)
            title = source.titles[case]
            for turn, algorithm in enumerate(ALGORITHMS):
                rows.append(
                    (case, title, algorithm, *self._measure(stored.classes, stored.subset(0)[:, turns == turn]))
                )
            kept = ~np.isin(turns, [ALGORITHMS.index(name) for name in self.left_out])
            for name, chosen in (("all", np.ones_like(kept)), (self._describe_kept(), kept)):
                labels = self._fit(source, case, stored.subset(0)[:, chosen])
                _, largest, value = self._measure(stored.classes, labels[:, None])
                rows.append((case, title, f"{self.method} of {name}", int(chosen.sum()), largest, value))
        frame = records("case dataset of clusterings largest score", rows)
        caption = paragraph(
            "Base clusterings of the first subset: mean share of the objects in the largest cluster, and mean "
            f"{self.metric}, of each algorithm; the same of {self.method} on all of them and without those of "
            f"{conjunction(self.left_out)}. An algorithm with nearly all objects in one cluster says of nearly all "
            "pairs that they belong together."
        )
        columns = f"Data set: dataset, Of: of, Clusterings: clusterings, Largest cluster: largest, {self.metric}: score"
        return Shown(frame, (listed(self.title, frame, columns, left=2),), caption)

    def _describe_kept(self) -> str:
        return f"all but {conjunction(self.left_out)}"

    def _measure(self, classes: IntArray, clusterings: IntArray) -> tuple[int, float, float]:
        """Return number, mean share of the largest cluster and mean score of clusterings, over labelled objects."""
        shares, scores = [], []
        for labels in clusterings.T:
            here = labels != MISSING
            shares.append(np.bincount(labels[here]).max() / here.sum())
            scores.append(score_all(classes[here], labels[here], [self.metric])[self.metric])
        return clusterings.shape[1], float(np.mean(shares)), float(np.mean(scores))

    def _fit(self, source: Source, case: str, clusterings: IntArray) -> IntArray:
        """Return the labels of the method on some base clusterings of the first subset."""
        study = source.study
        ensemble = Ensemble(clusterings, missing=study.missing_labels_for(study.method(self.method)))
        n_classes = source.stored(case).n_classes
        labels: IntArray = source.fit(study.case(case), self.method, {}, ensemble, 0, n_classes).labels_
        return labels

"""What a change of a parameter changes: offsets of the scores, and the relative change of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from consclust import methods
from consclust.ensemble import Ensemble, FloatArray
from consclust.report.blocks import Cell, Shown, Table
from consclust.report.wording import DASH, count, paragraph, point, records, score, signed
from consclust_studies.config.cases import Case
from consclust_studies.config.references import AnyMethodId, CaseId, MethodId, MetricId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs, check_reads_no_features, find_unknown
from consclust_studies.results.main_table import aggregate_subsets
from consclust_studies.results.published_scores import find_published_names
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import find_main_row

if TYPE_CHECKING:
    from pandas import DataFrame

CHANGE = "change of C"
"""The relative change of the matrix, as the published table names it."""


class Offsets(Exhibit):
    """A method on one case and variants of it: their scores less its own, and how far the matrix moves."""

    kind: Literal["offsets"]
    case: CaseId = Field(description="id of the case")
    method: MethodId = Field(description="id of the method")
    variants: Some[AnyMethodId] = Field(description="ids of variants of the method, a row for each")
    metrics: Some[MetricId] = Field(description="metrics of the scores")
    matrix: str = Field("consensus_matrix", description="matrix of the method whose change is measured")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a matrix that the method does not have, and methods that need features."""
        run = study.method(self.method)
        yield from find_unknown("matrix", [self.matrix], methods.load(run.method).matrices)
        yield from check_reads_no_features(run, "")

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores, the base clusterings, the fits and the published offsets."""
        fits = tuple((self.case, name) for name in (self.method, *self.variants))
        return Needs(selected=True, variants=True, ensembles=(self.case,), fits=fits, published=True)

    def build(self, source: Source) -> Shown:
        """Return one row for each variant and quantity, with the published offset."""
        ours = {**self._scores(source), **self._changes(source)}
        known = find_published_names(source.study, source.published, described=True).get(self.case, "")
        rows = []
        for name in self.variants:
            run = source.study.method(name)
            given = point({key: value for key, value in run.parameters.items() if key not in self._own(source)})
            for quantity in (*self.metrics, CHANGE):
                theirs = source.published.offsets.get((known, quantity, name), float("nan"))
                rows.append((self.case, name, given, quantity, ours[quantity, name], theirs))
        frame = records("case method parameters quantity offset published", rows)
        return Shown(frame, (self._table(source, frame),), self._caption(source, frame))

    def _own(self, source: Source) -> dict[str, Any]:
        return source.study.method(self.method).parameters

    def _scores(self, source: Source) -> dict[tuple[str, str], float]:
        study, means = source.study, aggregate_subsets(source.selected, source.variants)["mean"]
        rows = {name: (name, find_main_row(study, self.method).selection) for name in (self.method, *self.variants)}
        own = {metric: means.get((self.case, metric, *rows[self.method]), np.nan) for metric in self.metrics}
        keys = [(metric, name) for metric in self.metrics for name in self.variants]
        return {
            (metric, name): means.get((self.case, metric, *rows[name]), np.nan) - own[metric] for metric, name in keys
        }

    def _changes(self, source: Source) -> dict[tuple[str, str], float]:
        case = source.study.case(self.case)
        stored = source.stored(self.case)
        changes = []
        for subset in range(source.study.n_subsets):
            ensemble = Ensemble(stored.subset(subset))
            own = self._matrix(source, case, self.method, ensemble, subset)
            moved = [self._matrix(source, case, name, ensemble, subset) - own for name in self.variants]
            changes.append([np.linalg.norm(difference) / np.linalg.norm(own) for difference in moved])
        return {(CHANGE, name): float(mean) for name, mean in zip(self.variants, np.mean(changes, axis=0), strict=True)}

    def _matrix(self, source: Source, case: Case, name: str, ensemble: Ensemble, subset: int) -> FloatArray:
        fit = source.fit(case, name, {}, ensemble, subset, source.stored(self.case).n_classes)
        matrix: FloatArray = getattr(fit, self.matrix)()
        return matrix

    def _table(self, source: Source, frame: DataFrame) -> Table:
        def cell(row: Any) -> Cell:
            form = score if row.quantity == CHANGE else signed
            return Cell(text=form(row.offset), below=DASH if np.isnan(row.published) else form(row.published))

        quantities = (*self.metrics, CHANGE)
        rows = []
        for name, mine in frame.groupby("method", sort=False):
            cells = {row.quantity: cell(row) for row in mine.itertuples()}
            rows.append((Cell(text=mine["parameters"].iloc[0] or str(name)), *(cells[one] for one in quantities)))
        title = f"{source.titles[self.case]}: offsets from {self.method}"
        return Table(title=title, header=("Parameter", *quantities), rows=tuple(rows))

    def _caption(self, source: Source, frame: DataFrame) -> str:
        known = frame.dropna(subset=["published"])
        away = (known["offset"] - known["published"]).abs()
        return paragraph(
            f"Mean score less that of {self.method} over {count(source.study.n_subsets, 'subset')}.",
            f"{CHANGE}: ||C' - C|| / ||C|| in the Frobenius norm, C being the matrix of {self.method} and C' that of "
            "the variant; mean over the subsets.",
            bool(len(known))
            and f"Below: the published offset. Largest difference from a published one: {score(away.max())}.",
        )

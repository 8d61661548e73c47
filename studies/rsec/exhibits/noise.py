"""Noise in the base clusterings: whether a method finds the objects that have it, and what becomes of the others."""

# scikit-learn is imported where needed, so that what does without it starts faster

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from consclust import methods
from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.report.blocks import Shown, Table, listed
from consclust.report.figures import curves_by_case
from consclust.report.wording import conjunction, count, paragraph, point, records, symbol
from consclust.scores import score_all
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import MethodId, MetricId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Positive, Share, Some, Value
from consclust_studies.exhibits.base import Counted, Mistakes, Needs, OfMethod, check_reads_no_features, find_unknown
from consclust_studies.results.source import Source, find_fit_parameters
from consclust_studies.stages.selection import ROUNDING

if TYPE_CHECKING:
    from pandas import DataFrame

LEVEL = "co-association"
"""The row that finds the noise without any method: such objects have short columns in the co-association matrix."""


class Noise(OfMethod):
    """The share of objects with random base labels against the score of the others, and how well these are found.

    The base labels of the objects are permuted among them, in each base clustering anew. A method with a matrix of
    errors finds them by the length of their columns.
    """

    drawn = True
    questions: ClassVar[Mapping[str, str]] = {
        "found": "data sets and shares at which the errors of the method find the objects better than the columns of "
        "the co-association matrix",
        "better_clustered": "data sets and shares at which the other objects have a higher score than with the methods "
        "in 'against'",
    }

    kind: Literal["noise"]
    errors: str = Field("errors", description="which matrix of the method has the errors")
    points: tuple[dict[str, Value], ...] = Field(
        ({},), description="points at which the method is fitted: parameters that differ from its default grid point"
    )
    beside: tuple[MethodId, ...] = Field((), description="ids of other methods that are scored")
    metric: MetricId = Field("ARI", description="metric of the scores")
    shares: Some[Share] = Field(
        (0.1, 0.2, 0.3), description="shares of the objects that get random base labels; 0 is added"
    )
    subsets: Positive = Field(3, description="number of subsets, the first ones")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a matrix and parameters that the method does not have, and methods that need features."""
        yield from super().mistakes(study)
        run = study.method(self.method)
        cls = methods.load(run.method)
        yield from find_unknown("errors", [self.errors], cls.matrices)
        for i, parameters in enumerate(self.points):
            yield from find_unknown(f"points[{i}]", parameters, cls.parameters())
        for name in (self.method, *self.beside):
            yield from check_reads_no_features(study.method(name), "")
        for claim in study.claims:
            if claim.by and claim.by.exhibit == self.id:
                yield from find_unknown("beside", claim.against, self.beside)

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings, the fits, and random numbers."""
        cases = tuple(self.find_cases(study))
        fits = tuple((case, method) for case in cases for method in (self.method, *self.beside))
        return Needs(ensembles=cases, fits=fits, draws=True)

    def build(self, source: Source) -> Shown:
        """Return mean and deviation over the subsets of the score and the AUC, for each case, share and method."""
        every = self._score_every(source)
        frame = _average(every)
        drawn = {_row(self.method, given): _row(self.method, given, tex=True) for given in self.points}
        scored = frame[frame["mean"].notna()].assign(method=lambda rows: rows["row"].replace(drawn))
        labels = "share of the objects with random base labels", f"mean {self.metric} of the others"
        picture = curves_by_case(scored, source.titles, "share", labels)
        return Shown(frame, (self._found(source, frame),), self._caption(source, every), picture)

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Compare the rows at each share above 0, that of the method at the first of ``points``."""
        column, rivals = {"found": ("auc", (LEVEL,)), "better_clustered": ("mean", claim.against)}[question]
        frame = _average(self._score_every(source))
        wide = frame[frame["share"] > 0].pivot(index=["case", "share"], columns="row", values=column)
        own = wide[_row(self.method, self.points[0])]
        holds = (own > wide[list(rivals)].max(axis=1) + ROUNDING).tolist()
        what = f"AUC of the errors above that of the {LEVEL} matrix at"
        if question == "better_clustered":
            what = f"mean {self.metric} of the other objects above that of {conjunction(rivals)} at"
        return Counted(what, tuple(holds), "pairs of a data set and a share")

    def _score_every(self, source: Source) -> DataFrame:
        """Return a row for each case, subset, share and method."""

        def score_cases() -> DataFrame:
            rows = [row for case in self.find_cases(source.study) for row in self._score_case(source, case)]
            return records("case row method parameters share subset score auc", rows)

        return source.compute_once(self.model_dump_json(), score_cases)

    def _score_case(self, source: Source, case: str) -> Iterator[tuple[Any, ...]]:
        stored, study = source.stored(case), source.study
        own = find_fit_parameters(study, study.case(case), self.method)
        runs: list[tuple[str, Mapping[str, Value]]] = [(self.method, given) for given in self.points]
        runs += [(name, {}) for name in self.beside]
        for subset in range(min(self.subsets, study.n_subsets)):
            order = source.generator(case, self.id, subset).permutation(len(stored.classes))
            for share in (0.0, *self.shares):
                hit = order[: round(share * len(order))]
                random = source.generator(case, self.id, subset, str(share))
                ensemble = Ensemble(with_noise(stored.subset(subset), hit, random))
                others = np.setdiff1d(order, hit)
                level = auc(-lengths(ensemble.expand(ensemble.coassociation)), hit)
                yield case, LEVEL, "", "", share, subset, math.nan, level
                for name, given in runs:
                    fit = source.fit(study.case(case), name, dict(given), ensemble, subset, stored.n_classes)
                    score = score_all(stored.classes[others], fit.labels_[others], [self.metric])[self.metric]
                    mine = name == self.method
                    found = auc(lengths(getattr(fit, self.errors)()), hit) if mine else math.nan
                    text = point({**own, **given}) if mine else ""
                    yield case, _row(name, given), name, text, share, subset, score, found

    def _found(self, source: Source, frame: DataFrame) -> Table:
        rows = frame[frame["auc"].notna()]
        names = rows["row"].unique().tolist()
        wide = rows.pivot(index=["case", "share"], columns="row", values="auc")
        wide = wide.reindex(rows["case"].unique(), level="case")[names].reset_index()
        columns = {"Data set": "case", "Share": "share", **{name: name for name in names}}
        forms = {"case": source.titles.__getitem__, "share": "{:g}".format}
        return listed("AUC of the objects with random base labels", wide, columns, forms=forms)

    def _caption(self, source: Source, every: DataFrame) -> str:
        return paragraph(
            f"Mean {self.metric} of the objects that keep their base labels, over the first "
            f"{count(every['subset'].nunique(), 'subset')}; bands: one sample standard deviation to either side. The "
            "base labels of the other objects are permuted among them, in each base clustering anew.",
            f"AUC: the probability that an object with random base labels has a longer column of errors of "
            f"{self.method} than another one; {LEVEL}: the probability that its column of the co-association matrix "
            "itself is shorter.",
        )


def _average(every: DataFrame) -> DataFrame:
    """Return mean and deviation over the subsets."""
    groups = every.groupby(["case", "row", "method", "parameters", "share"], sort=False)
    frame = groups.agg(n=("subset", "count"), mean=("score", "mean"), std=("score", "std"), auc=("auc", "mean"))
    return frame.reset_index()


def _row(method: str, given: Mapping[str, Value], *, tex: bool = False) -> str:
    """Return the name of a row: the method and what is not its default."""
    return ", ".join([method, *(f"{symbol(name, tex=tex)} = {value}" for name, value in given.items())])


def lengths(matrix: FloatArray) -> FloatArray:
    """Return the lengths of the columns of a matrix."""
    return np.asarray(np.linalg.norm(matrix, axis=0))


def with_noise(labels: IntArray, objects: IntArray, random: np.random.Generator) -> IntArray:
    """Return base labels, (n, m), in which those of some objects are permuted among them, each column by itself."""
    noisy = labels.copy()
    noisy[objects] = random.permuted(labels[objects], axis=0)
    return noisy


def auc(values: FloatArray, positive: IntArray) -> float:
    """Return the probability that one of the objects ``positive`` has a larger value than another; NaN without any."""
    from sklearn.metrics import roc_auc_score

    wanted = np.zeros(len(values), dtype=bool)
    wanted[positive] = True
    return float(roc_auc_score(wanted, values)) if 0 < wanted.sum() < len(wanted) else math.nan

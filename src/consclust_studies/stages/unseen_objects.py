"""Consensus on a part of the objects, and the score of its labels on the others, the unseen ones."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consclust import methods
from consclust.datasets.prepared import Dataset
from consclust.datasets.preprocessing.scaling import zscore_by
from consclust.ensemble import FloatArray, IntArray
from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from consclust.errors import ConsensusFailure, InputError
from consclust.inference import base_labels, nearest_centroid
from consclust.methods.base import ConsensusMethod
from consclust.scores.metrics import score_all, score_many
from consclust.seeds import generator
from consclust_studies.stages.score import compact
from consclust_studies.stages.score_jobs import UnseenJob
from consclust_studies.stages.score_tables import write_table

log = logging.getLogger("consclust")


class Score(NamedTuple):
    """A line of the table of a case."""

    case: str
    split: int
    repetition: int
    row: str
    """Name as in the report, e.g. "KC-NC"."""
    parameters: str
    training: float
    """Score on the training objects; NaN where the method failed, as is the score on the unseen ones, ``value``."""
    value: float
    reason: str
    """Why the method failed; empty if it did not."""


class Part(NamedTuple):
    """Features and classes of the training and the unseen objects of a split."""

    X: FloatArray
    y: IntArray
    unseen: FloatArray
    y_unseen: IntArray


class Unseen:
    """The experiment on unseen objects on one case.

    Every split, repetition and method has a random stream of its own name, so that none depends on another.
    """

    def __init__(self, job: UnseenJob, dataset: Dataset) -> None:
        assert job.experiment.generalisation is not None
        self.job, self.dataset = job, dataset
        self.study, self.case, self.plan = job.experiment, job.experiment.cases[0], job.experiment.generalisation

    def scores(self) -> Iterator[Score]:
        """Yield the scores of all splits and repetitions."""
        for split in range(self.plan.splits):
            part = self.part(split)
            for repetition in range(self.plan.repetitions):
                yield from self.repetition(part, split, repetition)
                log.info(
                    "generalisation on %s: split %d of %d, repetition %d of %d",
                    *(self.case.id, split + 1, self.plan.splits, repetition + 1, self.plan.repetitions),
                )

    def indices(self, split: int) -> tuple[IntArray, IntArray]:
        """Return the training and the unseen objects of a split, each in ascending order."""
        n = len(self.dataset.y)
        order = self._stream("split", split).permutation(n)
        n_training = min(max(round(self.plan.train_share * n), 1), n - 1)
        return np.sort(order[:n_training]), np.sort(order[n_training:])

    def part(self, split: int) -> Part:
        """Return the features and classes of a split."""
        training, unseen = self.indices(split)
        X: Any = self.dataset.X
        if not isinstance(X, np.ndarray):
            raise InputError(f"generalisation on {self.case.id}: the features are sparse; leave the case out")
        scaled = [zscore_by(X[i], X[training]) if self.job.standardised else X[i] for i in (training, unseen)]
        return Part(scaled[0], self.dataset.y[training], scaled[1], self.dataset.y[unseen])

    def repetition(self, part: Part, split: int, repetition: int) -> Iterator[Score]:
        """Yield the scores of one ensemble: base clusterings, then every method, grid point and way."""
        names = ("split", split, "repetition", repetition)
        labels = kmeans_ensemble(part.X, self._protocol(), self.job.seed, tuple(map(str, self._names(*names))))
        stream = self._stream(*names, "base labels")
        of_unseen = base_labels(part.X, labels, part.unseen, self.plan.base_labels, stream)
        where, metric = (self.case.id, split, repetition), self.plan.metric
        training, value = (
            float(score_many(y, runs.T, [metric]).mean()) for y, runs in ((part.y, labels), (part.y_unseen, of_unseen))
        )
        yield Score(*where, self.study.unseen_rows()[0], "{}", training, value, "")
        for method in self.plan.methods:
            run = self.study.method(method.method)
            for point in run.points:
                given = {**self.study.parameters(self.case, run), **point}
                estimator = methods.make(run.method, len(self.dataset.class_names), given, self._stream(*names, run.id))
                training, reason = np.nan, ""
                try:
                    estimator.fit(labels, part.X)
                    training = score_all(part.y, estimator.labels_, [metric])[metric]
                except ConsensusFailure as failure:
                    reason = str(failure)
                for by in method.by:
                    value = np.nan
                    if not reason:
                        value = score_all(part.y_unseen, _labelled(estimator, by, part, of_unseen), [metric])[metric]
                    yield Score(*where, method.row(by), compact(point), training, value, reason)

    def _protocol(self) -> KMeansProtocol:
        protocol, case = self.study.ensemble, self.case
        k = case.n_clusters or protocol.n_clusters
        k = len(self.dataset.class_names) if k == "classes" else k
        return KMeansProtocol(k, self.study.subset_size(case), protocol.max_iter, case.init, case.feature_share)

    def _names(self, *names: str | int) -> tuple[str | int, ...]:
        return (self.study.id, "generalisation", *names, self.case.id)

    def _stream(self, *names: str | int) -> np.random.Generator:
        return generator(self.job.seed, *self._names(*names))


def _labelled(estimator: ConsensusMethod, by: str, part: Part, of_unseen: IntArray) -> IntArray:
    """Label the unseen objects by nearest centroid ("NC"), base labels ("Infer") or features ("own")."""
    if by == "NC":
        return nearest_centroid(part.X, estimator.labels_, part.unseen)
    fitted: Any = estimator
    labels: IntArray = fitted.predict(of_unseen if by == "Infer" else part.unseen)
    return labels


def write_scores(job: UnseenJob, dataset: Dataset, out: Path) -> None:
    """Run the experiment and write its table as Parquet, the columns those of :class:`Score`."""
    columns = zip(*Unseen(job, dataset).scores(), strict=True)
    write_table(dict(zip(Score._fields, columns, strict=True)), out, job.json_text)

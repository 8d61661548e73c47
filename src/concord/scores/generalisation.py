"""Unseen objects: consensus on a part of the objects, and the score of its labels on the others."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from concord.config.protocol import Case, Generalisation, GeneralisedMethod
from concord.config.study import Study
from concord.datasets.prepared import Dataset
from concord.datasets.preprocessing import zscore_by
from concord.ensemble import FloatArray, IntArray
from concord.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from concord.errors import ConsensusFailure, InputError
from concord.methods import registry
from concord.methods.base import ConsensusMethod
from concord.methods.inference import base_labels, nearest_centroid
from concord.scores.metrics import score_all, score_many
from concord.scores.table import compact, write_parquet
from concord.seeds import generator

log = logging.getLogger("concord")


class Score(NamedTuple):
    """A line of the table of a case.

    Attributes
    ----------
    row : name as in the report, e.g. "KC-NC".
    training, value : score on the training and on the unseen objects; NaN where the method failed.
    reason : why it failed; empty if it did not.
    """

    case: str
    split: int
    repetition: int
    row: str
    parameters: str
    training: float
    value: float
    reason: str


@dataclass(frozen=True)
class Part:
    """Training and unseen objects of a split.

    Attributes
    ----------
    X, unseen : features, shapes (n_training, d), (n_unseen, d).
    y, y_unseen : their classes.
    """

    X: FloatArray
    y: IntArray
    unseen: FloatArray
    y_unseen: IntArray


@dataclass(frozen=True)
class Experiment:
    """The study of generalisation on one case.

    Every split, repetition and method has a random stream of its own name, so that none depends on another.
    """

    study: Study
    case: Case
    dataset: Dataset
    standardised: bool
    """Whether the features are to be scaled by the training objects."""
    seed: int

    @property
    def plan(self) -> Generalisation:
        """What the study file says."""
        assert self.study.generalisation is not None
        return self.study.generalisation

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
        scaled = [zscore_by(X[i], X[training]) if self.standardised else X[i] for i in (training, unseen)]
        return Part(scaled[0], self.dataset.y[training], scaled[1], self.dataset.y[unseen])

    def repetition(self, part: Part, split: int, repetition: int) -> Iterator[Score]:
        """Yield the scores of one ensemble: base clusterings, then every method, grid point and way."""
        names = ("split", split, "repetition", repetition)
        labels = kmeans_ensemble(part.X, self._protocol(), self.seed, tuple(map(str, self._names(*names))))
        of_unseen = base_labels(
            part.X, labels, part.unseen, self.plan.base_labels, self._stream(*names, "base labels")
        )
        where, base = (self.case.id, split, repetition), self.study.unseen_rows()[0]
        yield Score(*where, base, "{}", self._mean(part.y, labels), self._mean(part.y_unseen, of_unseen), "")
        for method in self.plan.methods:
            for point in self.study.method(method.method).points:
                found = self._of_method(method, point, part, labels, of_unseen, names)
                yield from (Score(*where, row, compact(point), *scores) for row, scores in found.items())

    def _of_method(
        self,
        method: GeneralisedMethod,
        point: Mapping[str, Any],
        part: Part,
        labels: IntArray,
        of_unseen: IntArray,
        names: tuple[str | int, ...],
    ) -> dict[str, tuple[float, float, str]]:
        """Fit a method; return by row the score on the training objects, on the unseen ones, the reason."""
        run = self.study.method(method.method)
        given: dict[str, Any] = {**self.study.parameters(self.case, run), **point}
        if "random_state" in registry.available()[run.method]:
            given["random_state"] = self._stream(*names, run.id)
        estimator = registry.load(run.method)(n_clusters=len(self.dataset.class_names), **given)
        try:
            estimator.fit(labels, part.X)
        except ConsensusFailure as failure:
            return {method.row(by): (np.nan, np.nan, str(failure)) for by in method.by}
        training = self._score(part.y, estimator.labels_)
        return {
            method.row(by): (
                training,
                self._score(part.y_unseen, _labelled(estimator, by, part, of_unseen)),
                "",
            )
            for by in method.by
        }

    def _mean(self, y: IntArray, labels: IntArray) -> float:
        return float(score_many(y, labels.T, [self.plan.metric]).mean())

    def _score(self, y: IntArray, labels: IntArray) -> float:
        return score_all(y, labels, [self.plan.metric])[self.plan.metric]

    def _protocol(self) -> KMeansProtocol:
        protocol, case = self.study.ensemble, self.case
        k = case.n_clusters or protocol.n_clusters
        return KMeansProtocol(
            len(self.dataset.class_names) if k == "classes" else k,
            self.study.subset_size(case),
            protocol.max_iter,
            case.init,
            case.feature_share,
        )

    def _names(self, *names: str | int) -> tuple[str | int, ...]:
        return (self.study.id, "generalisation", *names, self.case.id)

    def _stream(self, *names: str | int) -> np.random.Generator:
        return generator(self.seed, *self._names(*names))


def _labelled(estimator: ConsensusMethod, by: str, part: Part, of_unseen: IntArray) -> IntArray:
    """Label the unseen objects by nearest centroid ("NC"), base labels ("Infer") or features ("own")."""
    if by == "NC":
        return nearest_centroid(part.X, estimator.labels_, part.unseen)
    fitted: Any = estimator
    labels: IntArray = fitted.predict(of_unseen if by == "Infer" else part.unseen)
    return labels


def write_scores(experiment: Experiment, out: Path) -> None:
    """Run an experiment and write its table as Parquet, the columns those of :class:`Score`."""
    columns = zip(*experiment.scores(), strict=True)
    write_parquet(dict(zip(Score._fields, columns, strict=True)), out)

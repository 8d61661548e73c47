"""Consensus on a part of the objects, and the score of its labels on the others, the unseen ones."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from consclust import methods
from consclust.datasets.prepared import Dataset
from consclust.datasets.preprocessing.scaling import zscore_by
from consclust.ensemble import FloatArray, IntArray
from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from consclust.errors import ConsensusFailure, InputError
from consclust.inference import base_labels, nearest_centroid
from consclust.methods.base import ConsensusMethod
from consclust.scores import score_all, score_many
from consclust.seeds import generator
from consclust_studies.code import Code, merge_options
from consclust_studies.config.cases import Case
from consclust_studies.config.experiment import Experiment, Significance, Variants
from consclust_studies.contents import marks_of
from consclust_studies.job_files import Files
from consclust_studies.specs import Spec
from consclust_studies.stages import prepare
from consclust_studies.stages.score import compact
from consclust_studies.stages.score_tables import write_table
from consclust_studies.stamps import Stamp

log = logging.getLogger("consclust")


class UnseenJob(Spec):
    """What the scores on unseen objects of a case depend on; the experiment has no other case."""

    kind: ClassVar = "unseen"

    experiment: Experiment
    data: str
    standardised: bool
    """Whether the features are scaled by the training objects."""
    seed: int

    def code_behind(self) -> Code:
        """Return the experiment, and its methods with their parameters."""
        options: dict[str, dict[str, tuple[Any, ...]]] = {}
        for run in self.experiment.methods:
            cls = methods.load(run.method)
            parameters = self.experiment.parameters(self.experiment.cases[0], run)
            values = {key: (value,) for key, value in parameters.items()} | dict(run.grid)
            merge_options(options.setdefault(f"{cls.__module__}.{cls.__qualname__}", {}), values)
        return Code(("consclust_studies.stages.unseen_objects.score_unseen", *options), options)


def on_unseen_objects(experiment: Experiment, case: Case) -> Experiment:
    """Return what the scores on unseen objects of a case depend on."""
    plan = experiment.generalisation
    assert plan is not None, "only for a study with a generalisation"
    wanted = {method.method for method in plan.methods}
    elsewhere: dict[str, object] = {"title": None, "doubt": None, "instead_of": None, "without": (), "races": {}}
    parameters = {method: found for method, found in case.parameters.items() if method in wanted}
    return Experiment(
        id=experiment.id,
        cases=(case.model_copy(update={**elsewhere, "parameters": parameters}),),
        ensemble=experiment.ensemble,
        base_clusterings=experiment.base_clusterings,
        methods=tuple(run for run in experiment.methods if run.id in wanted),
        metrics=(plan.metric,),
        significance=Significance(),
        generalisation=plan.model_copy(update={"cases": (), "beside": None}),
        variants=Variants(),
    )


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


def score_unseen(job: UnseenJob, dataset: Dataset) -> list[Score]:
    """Return the scores of the experiment, in the order of splits, repetitions and methods."""
    return list(Unseen(job, dataset).scores())


def write_scores(job: UnseenJob, dataset: Dataset, out: Path, stamp: Stamp | None = None) -> int:
    """Run the experiment and write its table as Parquet, the columns those of :class:`Score`; return the rows."""
    scores = score_unseen(job, dataset)
    columns = dict(zip(Score._fields, zip(*scores, strict=True), strict=True))
    write_table(columns, out, marks_of(job.json_text, stamp))
    return len(scores)


def run(job: UnseenJob, files: Files) -> str:
    """Do the job; return what it scored, for the log."""
    dataset = prepare.load(files.input("prepared"), job.data)
    return f"{write_scores(job, dataset, files.output('unseen'), files.stamp)} scores on unseen objects"

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
from consclust_studies.code import Code, full_name, merge_options
from consclust_studies.config.cases import Case
from consclust_studies.config.experiment import Experiment, GeneralisedMethod, Significance, Variants
from consclust_studies.config.values import Value
from consclust_studies.contents import marks_of
from consclust_studies.job_files import Files
from consclust_studies.specs import Spec
from consclust_studies.stages import prepare
from consclust_studies.stages.grid_points import POINTS, write_points
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
            merge_options(options.setdefault(full_name(cls), {}), values)
        return Code(("consclust_studies.stages.unseen_objects.score_unseen", *options), options)


def reduce_to_unseen(experiment: Experiment, case: Case) -> Experiment:
    """Return what the scores on unseen objects of a case depend on."""
    plan = experiment.generalisation
    assert plan is not None, "only for a study with a generalisation"
    wanted = {method.method for method in plan.methods}
    parameters = {method: found for method, found in case.parameters.items() if method in wanted}
    # what says nothing here has its default, so that a change of it does not run the job again
    changes = {"title": None, "doubt": None, "instead_of": None, "without": (), "races": {}, "parameters": parameters}
    return Experiment(
        id=experiment.id,
        cases=(case.model_copy(update=changes),),
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
    point: int
    """Place of the grid point in the grid of the method, from 0."""
    training: float
    """Score on the training objects; NaN where the method failed, as is the score on the unseen ones, ``value``."""
    value: float
    reason: str
    """Why the method failed; empty if it did not."""


class Split(NamedTuple):
    """The numbers of the objects, ascending."""

    training: IntArray
    unseen: IntArray


class Part(NamedTuple):
    """Features and classes of the training and the unseen objects of a split."""

    X: FloatArray
    y: IntArray
    unseen: FloatArray
    y_unseen: IntArray


class Repetition(NamedTuple):
    """An ensemble on the training objects of a split."""

    split: int
    number: int
    part: Part
    labels: IntArray
    """Base labels of the training objects, shape (n, runs)."""
    unseen_labels: IntArray
    """The same of the unseen objects."""


class Unseen:
    """The experiment on unseen objects on one case.

    Every split, repetition and method has a random stream of its own name, so that none depends on another.
    """

    def __init__(self, job: UnseenJob, dataset: Dataset) -> None:
        assert job.experiment.generalisation is not None
        self.job = job
        self.dataset = dataset
        self.study = job.experiment
        self.case = job.experiment.cases[0]
        self.plan = job.experiment.generalisation

    def yield_scores(self) -> Iterator[Score]:
        """Yield the scores of all splits and repetitions."""
        for split in range(self.plan.splits):
            part = self.make_part(split)
            for repetition in range(self.plan.repetitions):
                yield from self.score_repetition(part, split, repetition)
                where = (
                    f"split {split + 1} of {self.plan.splits}, repetition {repetition + 1} of {self.plan.repetitions}"
                )
                log.info("generalisation on %s: %s", self.case.id, where)

    def split_objects(self, split: int) -> Split:
        """Return the training and the unseen objects of a split."""
        n = len(self.dataset.y)
        order = self._make_stream("split", split).permutation(n)
        # at least one object on either side
        n_training = min(max(round(self.plan.train_share * n), 1), n - 1)
        return Split(np.sort(order[:n_training]), np.sort(order[n_training:]))

    def make_part(self, split: int) -> Part:
        """Return the features and classes of a split."""
        training, unseen = self.split_objects(split)
        X: Any = self.dataset.X
        if not isinstance(X, np.ndarray):
            raise InputError(f"generalisation on {self.case.id}: the features are sparse; leave the case out")
        X_training = X[training]
        X_unseen = X[unseen]
        if self.job.standardised:
            # by the training objects alone: nothing is known of the unseen ones
            X_unseen = zscore_by(X_unseen, X_training)
            X_training = zscore_by(X_training, X_training)
        return Part(X_training, self.dataset.y[training], X_unseen, self.dataset.y[unseen])

    def score_repetition(self, part: Part, split: int, repetition: int) -> Iterator[Score]:
        """Yield the scores of one ensemble: base clusterings, then every method, grid point and way."""
        names = ("split", split, "repetition", repetition)
        stream_names = tuple(map(str, self._name_stream(*names)))
        labels = kmeans_ensemble(part.X, self._make_protocol(), self.job.seed, stream_names)
        stream = self._make_stream(*names, "base labels")
        unseen_labels = base_labels(part.X, labels, part.unseen, self.plan.base_labels, stream)
        made = Repetition(split, repetition, part, labels, unseen_labels)
        yield Score(
            case=self.case.id,
            split=split,
            repetition=repetition,
            row=self.study.unseen_rows()[0],
            point=0,
            training=float(score_many(part.y, labels.T, [self.plan.metric]).mean()),
            value=float(score_many(part.y_unseen, unseen_labels.T, [self.plan.metric]).mean()),
            reason="",
        )
        for method in self.plan.methods:
            for point in range(len(self.study.list_points(method.method))):
                yield from self._score_point(made, method, point)

    def _score_point(self, made: Repetition, method: GeneralisedMethod, point: int) -> Iterator[Score]:
        """Yield the scores of a method at a grid point, one for each way to label unseen objects."""
        run = self.study.method(method.method)
        part = made.part
        metric = self.plan.metric
        parameters = self.study.parameters(self.case, run) | run.points[point]
        stream = self._make_stream("split", made.split, "repetition", made.number, run.id)
        estimator = methods.make(run.method, len(self.dataset.class_names), parameters, stream)
        training = np.nan
        reason = ""
        try:
            estimator.fit(made.labels, part.X)
            training = score_all(part.y, estimator.labels_, [metric])[metric]
        except ConsensusFailure as failure:
            reason = str(failure)
        for by in method.by:
            value = np.nan
            if not reason:
                labels = _label_unseen(estimator, by, part, made.unseen_labels)
                value = score_all(part.y_unseen, labels, [metric])[metric]
            yield Score(
                case=self.case.id,
                split=made.split,
                repetition=made.number,
                row=method.row(by),
                point=point,
                training=training,
                value=value,
                reason=reason,
            )

    def _make_protocol(self) -> KMeansProtocol:
        protocol = self.study.ensemble
        case = self.case
        k = case.n_clusters or protocol.n_clusters
        # of all classes: a split may lack some of the rare ones
        k = len(self.dataset.class_names) if k == "classes" else k
        return KMeansProtocol(k, self.study.subset_size(case), protocol.max_iter, case.init, case.feature_share)

    def _name_stream(self, *names: str | int) -> tuple[str | int, ...]:
        return (self.study.id, "generalisation", *names, self.case.id)

    def _make_stream(self, *names: str | int) -> np.random.Generator:
        return generator(self.job.seed, *self._name_stream(*names))


def _label_unseen(estimator: ConsensusMethod, by: str, part: Part, unseen_labels: IntArray) -> IntArray:
    """Label the unseen objects by nearest centroid ("NC"), base labels ("Infer") or features ("own")."""
    if by == "NC":
        return nearest_centroid(part.X, estimator.labels_, part.unseen)
    # predict is of the methods that have a model, not of the base class
    fitted: Any = estimator
    labels: IntArray = fitted.predict(unseen_labels if by == "Infer" else part.unseen)
    return labels


def score_unseen(job: UnseenJob, dataset: Dataset) -> list[Score]:
    """Return the scores of the experiment, in the order of splits, repetitions and methods."""
    return list(Unseen(job, dataset).yield_scores())


def _list_points(experiment: Experiment) -> dict[str, list[dict[str, Value]]]:
    """Return the grid points of every row."""
    assert experiment.generalisation is not None
    points: dict[str, list[dict[str, Value]]] = {experiment.unseen_rows()[0]: [{}]}
    for method in experiment.generalisation.methods:
        for by in method.by:
            points[method.row(by)] = experiment.list_points(method.method)
    return points


def write_scores(job: UnseenJob, dataset: Dataset, out: Path, stamp: Stamp | None = None) -> int:
    """Run the experiment and write its table as Parquet, the columns those of :class:`Score`; return the rows."""
    scores = score_unseen(job, dataset)
    columns = dict(zip(Score._fields, zip(*scores, strict=True), strict=True))
    write_table(columns, out, marks_of(job.json_text, stamp), {POINTS: write_points(_list_points(job.experiment))})
    return len(scores)


def run(job: UnseenJob, files: Files) -> str:
    """Do the job; return what it scored, for the log."""
    dataset = prepare.load(files.input("prepared"), job.data)
    return f"{write_scores(job, dataset, files.output('unseen'), files.stamp)} scores on unseen objects"

"""The tidy table of scores of one case: every subset, grid point and metric of every method."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray, IntArray
from consclust.errors import InputError
from consclust.files import RERUN
from consclust.plurals import count
from consclust.scores import score_all, score_many
from consclust.validation import Strict
from consclust_studies.code import Code
from consclust_studies.config.metric import Metric
from consclust_studies.config.values import Value, grid_points
from consclust_studies.contents import OF_MAKERS, marks_of, read_marks
from consclust_studies.job_files import Files
from consclust_studies.makers import Makers
from consclust_studies.specs import Spec
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.grid_points import POINTS, write_points
from consclust_studies.stages.label_blocks import REMARKS, RESTARTS, Block, check_cover, score_block
from consclust_studies.stages.score_tables import write_table
from consclust_studies.stages.scored_objects import score_base_clusterings_of_subsets, score_block_of_subsets
from consclust_studies.stages.stored_ensembles import StoredEnsemble
from consclust_studies.stamps import Stamp


class ScoreRow(NamedTuple):
    """A line of the tidy table."""

    study: str
    case: str
    subset: int
    method: str
    point: int
    """Place of the grid point in the grid of the method, from 0."""
    restart: str
    metric: str
    value: float


COLUMNS = ScoreRow._fields


class ScoredMethod(Strict):
    """A method whose consensus labels are scored."""

    id: str
    grid: dict[str, tuple[Value, ...]]
    labels: str
    """Digest of the spec of its consensus job."""
    point: int | None = None
    """Its grid point in that job, where several methods are fitted together."""
    subsets: int | None = None
    """On how many subsets it ran, the first ones; None: on all."""


class ScoreJob(Spec):
    """What the scores on a case depend on."""

    kind: ClassVar = "score"

    study: str
    case: str
    ensemble: str
    n_subsets: int
    base_clusterings: str
    metrics: tuple[Metric, ...]
    methods: tuple[ScoredMethod, ...]
    some_objects: bool = False
    """Whether the file of the base clusterings says which objects are scored on each subset."""

    def code_behind(self) -> Code:
        """Return what scores a case."""
        return Code(("consclust_studies.stages.score.score_case",))


def run(job: ScoreJob, files: Files) -> str:
    """Do the job; return what it scored, for the log."""
    score_case(job, files.input("ensemble"), files.several("labels"), files.output("scores"), files.stamp)
    return f"{count(len(job.methods), 'method')} scored by {', '.join(job.metrics)}"


def score_case(
    job: ScoreJob, ensemble_path: Path, block_paths: Sequence[Path], out: Path, stamp: Stamp | None = None
) -> None:
    """Score all methods on one case and write the tidy table as Parquet.

    ``ensemble_path`` has the base clusterings and the classes; ``block_paths`` are the blocks of subsets of all
    methods, in any order, whose specs say whose they are. The table has :data:`COLUMNS`: ``restart`` is "mean" (over
    random starts) or "chosen" (the start with the best objective), ``value`` is NaN where the method failed. The row of
    the base clusterings has the mean over the runs of the subset under both words. Failures and notes of the methods,
    and the fits with fewer clusters than classes, are stored beside the spec. InputError if a file is damaged, was made
    with other settings, or the blocks do not hold each subset once.
    """
    ensemble = store.load(ensemble_path, job.ensemble)
    scored = find_scored(job, ensemble, ensemble_path)
    if scored is None:
        base = _score_base_clusterings(ensemble, job.n_subsets, job.metrics)
    else:
        base = score_base_clusterings_of_subsets(ensemble, scored, job.metrics)
    rows = _make_rows(job, job.base_clusterings, base)
    blocks = _sort_by_job(job, block_paths)
    remarks: dict[str, list[tuple[Any, ...]]] = {kind: [] for kind in REMARKS}
    points: dict[str, Sequence[Mapping[str, Value]]] = {job.base_clusterings: [{}]}
    for method in job.methods:
        mine = blocks[method.labels]
        points[method.id] = grid_points(method.grid)
        # of methods that are fitted together, a block has one grid point for each
        own = range(len(points[method.id])) if method.point is None else [method.point]
        n_subsets = method.subsets or job.n_subsets
        check_cover(n_subsets, f"{job.case}: {method.id}", mine)
        values = np.full((n_subsets, len(own), *base.shape[2:]), np.nan)
        for block in mine:
            block.check_labels(ensemble.classes.size, ensemble_path)
            if scored is None:
                values[block.subsets] = score_block(ensemble.classes, block, job.metrics)[:, own]
            else:
                values[block.subsets] = score_block_of_subsets(ensemble.classes, block, job.metrics, scored)[:, own]
        rows += _make_rows(job, method.id, values)
        said = [block.list_remarks(ensemble.n_classes) for block in mine]
        for kind, found in remarks.items():
            for remark in sorted(remark for of_block in said for remark in of_block[kind]):
                if remark.point in own:
                    found.append((job.case, method.id, remark.subset, own.index(remark.point), remark.text))
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    texts = {kind: json.dumps(found) for kind, found in remarks.items()}
    texts[POINTS] = write_points(points)
    texts[OF_MAKERS] = find_makers(job, ensemble_path, blocks).json_text
    write_table(columns, out, marks_of(job.json_text, stamp), texts)


def find_scored(job: ScoreJob, ensemble: StoredEnsemble, path: Path) -> npt.NDArray[np.bool_] | None:
    """Return which objects are scored on each subset, (subsets, n); None if all are. Noise has no class."""
    has_class = ensemble.classes >= 0
    if job.some_objects:
        return store.load_scored(path)[: job.n_subsets] & has_class
    return None if has_class.all() else np.tile(has_class, (job.n_subsets, 1))


def find_makers(job: ScoreJob, ensemble_path: Path, blocks: Mapping[str, Sequence[Block]]) -> Makers:
    """Return which versions made the base clusterings and the labels of a case."""
    stamps = [(f"{job.case}: {job.base_clusterings}", read_marks(ensemble_path))]
    for method in job.methods:
        for block in blocks[method.labels]:
            marks = read_marks(block.path)
            # a block that was confirmed is named by itself
            by_block = f" {block.path.stem}" if marks and marks.stamp.confirmed else ""
            stamps.append((f"{job.case}: {method.id}{by_block}", marks))
    return Makers.of((name, marks.stamp) for name, marks in stamps if marks)


def _sort_by_job(job: ScoreJob, paths: Sequence[Path]) -> dict[str, list[Block]]:
    """Sort the blocks by the consensus job whose spec they hold."""
    found: dict[str, list[Block]] = {method.labels: [] for method in job.methods}
    # which block is whose is in its spec, not in its name
    for path in paths:
        block = Block(path)
        if block.digest not in found:
            raise InputError(f"{path}: made with other settings than this job was planned for; {RERUN}")
        found[block.digest].append(block)
    return found


def _score_base_clusterings(stored: StoredEnsemble, n_subsets: int, metrics: Sequence[str]) -> FloatArray:
    """Return the mean over the runs of each subset, shape (subsets, 1, restarts, metrics)."""
    # a run that is in several subsets is scored once
    runs, members = np.unique(stored.members[:n_subsets], return_inverse=True)
    labels = stored.labels[:, runs]
    if labels.min() >= 0:
        scores = score_many(stored.classes, labels.T, metrics)
    else:  # a clustering of some of the objects is scored on these
        scores = np.array([_score_present(stored.classes, run, metrics) for run in labels.T])
    means = scores[members.reshape(n_subsets, -1)].mean(axis=1)
    return np.stack([means, means], axis=1)[:, None]  # one grid point, the same under both words of RESTARTS


def _score_present(classes: IntArray, labels: IntArray, metrics: Sequence[str]) -> list[float]:
    """Return the scores of a clustering on the objects that it has."""
    present = labels >= 0
    return list(score_all(classes[present], labels[present], metrics).values())


def _make_rows(job: ScoreJob, method: str, values: FloatArray) -> list[ScoreRow]:
    """Return the table's rows for values of shape (subsets, points, restarts, metrics)."""
    return [
        ScoreRow(
            study=job.study,
            case=job.case,
            subset=subset,
            method=method,
            point=point,
            restart=RESTARTS[restart],
            metric=job.metrics[metric],
            value=value,
        )
        for (subset, point, restart, metric), value in np.ndenumerate(values)
    ]

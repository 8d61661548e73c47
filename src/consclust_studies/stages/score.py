"""The tidy table of scores of one case: every subset, grid point and metric of every method."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from consclust.ensemble import FloatArray
from consclust.errors import InputError
from consclust.files import RERUN
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
from consclust_studies.stages.label_blocks import RESTARTS, Block, check_cover, score_block
from consclust_studies.stages.score_tables import write_table
from consclust_studies.stages.stored_ensembles import StoredEnsemble
from consclust_studies.stamps import Stamp

COLUMNS = ("study", "case", "subset", "method", "parameters", "restart", "metric", "value")


class ScoredMethod(Strict):
    """A method whose consensus labels are scored."""

    id: str
    grid: dict[str, tuple[Value, ...]]
    labels: str
    """Digest of the spec of its consensus job."""
    point: int | None = None
    """Its grid point in that job, where several methods are fitted together."""


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

    def code_behind(self) -> Code:
        """Return what scores a case."""
        return Code(("consclust_studies.stages.score.score_case",))


def run(job: ScoreJob, files: Files) -> str:
    """Do the job; return what it scored, for the log."""
    score_case(job, files.input("ensemble"), files.several("labels"), files.output("scores"), files.stamp)
    return f"{len(job.methods)} methods scored by {', '.join(job.metrics)}"


def score_case(
    job: ScoreJob, ensemble_path: Path, block_paths: Sequence[Path], out: Path, stamp: Stamp | None = None
) -> None:
    """Score all methods on one case and write the tidy table as Parquet.

    ``ensemble_path`` has the base clusterings and the classes; ``block_paths`` are the blocks of subsets of all
    methods, in any order, whose specs say whose they are. The table has :data:`COLUMNS`: ``restart`` is "mean" (over
    random starts) or "chosen" (the start with the best objective), ``value`` is NaN where the method failed. The row of
    the base clusterings has the mean over the runs of the subset under both words. Failures and notes of the methods
    are stored beside the spec. InputError if a file is damaged, was made with other settings, or the blocks do not hold
    each subset once.
    """
    ensemble = store.load(ensemble_path, job.ensemble)
    base = _of_base_clusterings(ensemble, job.n_subsets, job.metrics)
    rows = _rows(job, job.base_clusterings, [{}], base)
    blocks = _by_job(job, block_paths)
    remarks: dict[str, list[tuple[Any, ...]]] = {"failures": [], "notes": []}
    for method in job.methods:
        mine = blocks[method.labels]
        points = grid_points(method.grid)
        own = range(len(points)) if method.point is None else [method.point]
        check_cover(job.n_subsets, f"{job.case}: {method.id}", mine)
        values = np.full((job.n_subsets, len(points), *base.shape[2:]), np.nan)
        for block in mine:
            block.check_labels(ensemble.classes.size, ensemble_path)
            values[block.subsets] = score_block(ensemble.classes, block, job.metrics)[:, own]
        rows += _rows(job, method.id, points, values)
        for kind, found in remarks.items():
            cells = sorted(remark for block in mine for remark in getattr(block, kind) if remark.point in own)
            found += [
                (job.case, method.id, subset, compact(points[own.index(point)]), text) for subset, point, text in cells
            ]
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    texts = {kind: json.dumps(found) for kind, found in remarks.items()}
    texts[OF_MAKERS] = find_makers(job, ensemble_path, blocks).json_text
    write_table(columns, out, marks_of(job.json_text, stamp), texts)


def find_makers(job: ScoreJob, ensemble_path: Path, blocks: Mapping[str, Sequence[Block]]) -> Makers:
    """Return which versions made the base clusterings and the labels of a case."""
    stamps = [(f"{job.case}: {job.base_clusterings}", read_marks(ensemble_path))]
    for method in job.methods:
        for block in blocks[method.labels]:
            marks = read_marks(block.path)
            by_block = f" {block.path.stem}" if marks and marks.stamp.confirmed else ""
            stamps.append((f"{job.case}: {method.id}{by_block}", marks))
    return Makers.of((name, marks.stamp) for name, marks in stamps if marks)


def compact(point: Mapping[str, Value]) -> str:
    """Write a grid point as compact JSON with sorted keys, the ``parameters`` of the tables."""
    return json.dumps(dict(point), sort_keys=True, separators=(",", ":"))


def _by_job(job: ScoreJob, paths: Sequence[Path]) -> dict[str, list[Block]]:
    """Sort the blocks by the consensus job whose spec they hold."""
    found: dict[str, list[Block]] = {method.labels: [] for method in job.methods}
    for path in paths:
        block = Block(path)
        if block.digest not in found:
            raise InputError(f"{path}: made with other settings than this job was planned for; {RERUN}")
        found[block.digest].append(block)
    return found


def _of_base_clusterings(stored: StoredEnsemble, n_subsets: int, metrics: Sequence[str]) -> FloatArray:
    """Mean over the runs of each subset, shape (subsets, 1, restarts, metrics)."""
    runs, members = np.unique(stored.members[:n_subsets], return_inverse=True)
    y, labels = stored.classes, stored.labels[:, runs]
    if labels.min() >= 0:
        scores = score_many(y, labels.T, metrics)
    else:  # a clustering of some of the objects is scored on these
        every = ((run, run >= 0) for run in labels.T)
        scores = np.array([list(score_all(y[present], run[present], metrics).values()) for run, present in every])
    means = scores[members.reshape(n_subsets, -1)].mean(axis=1)
    return np.stack([means, means], axis=1)[:, None]


def _rows(
    job: ScoreJob, method: str, points: Sequence[Mapping[str, Value]], values: FloatArray
) -> list[tuple[str, str, int, str, str, str, str, float]]:
    """Return the table's rows for values of shape (subsets, points, restarts, metrics)."""
    parameters = [compact(point) for point in points]
    return [
        (job.study, job.case, subset, method, parameters[point], RESTARTS[restart], job.metrics[metric], value)
        for (subset, point, restart, metric), value in np.ndenumerate(values)
    ]

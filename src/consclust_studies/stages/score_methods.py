"""Scores of all methods on one case whose labels one job has made, beside three rows that are no methods.

Noise, an object without a class, is clustered and not scored. The rows that are no methods are the mean and the best of
the base clusterings of each ensemble, and k-means with many restarts on the features, where there are any.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from consclust.ensemble import FloatArray, IntArray
from consclust.plurals import count
from consclust.scores import score_each
from consclust.seeds import generator
from consclust_studies.code import Code
from consclust_studies.config.experiment import BEST_BASE_CLUSTERING, RESTARTED_KMEANS
from consclust_studies.config.metric import Metric
from consclust_studies.contents import OF_MAKERS, marks_of, read_marks
from consclust_studies.job_files import Files
from consclust_studies.makers import Makers
from consclust_studies.specs import Spec
from consclust_studies.stages import prepare
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.grid_points import POINTS, write_points
from consclust_studies.stages.label_blocks import REMARKS, Block, check_cover
from consclust_studies.stages.methods_of_case import ORDER_LABELS, SEED_LABELS, read_stamps
from consclust_studies.stages.score import COLUMNS, ScoreRow
from consclust_studies.stages.score_tables import write_table
from consclust_studies.stages.stored_ensembles import StoredEnsemble

CHOSEN = "chosen"
"""The word of the column ``restart``: the labels are those of the restart that the method chooses."""
IN_FILE_ORDER = "chosen, in file order"
"""The word for fits on the objects in the order of their file."""
SEEDS = "chosen, seed {number}"
"""The words for fits on the first ensemble with further seeds, from 2."""
RESTARTS = 100
"""Of k-means on the features."""


class MethodsScoreJob(Spec):
    """What the scores on a case depend on."""

    kind: ClassVar = "score_methods"

    study: str
    case: str
    dataset: str = Field(description="names the random numbers of k-means on the features")
    ensemble: str
    n_subsets: int
    base_clusterings: str
    metrics: tuple[Metric, ...]
    labels: str = Field(description="digest of the spec of the consensus job")
    methods: dict[str, int] = Field(description="place of each method in that job")
    data: str | None = Field(None, description="digest of the spec of the features; null: no k-means on the features")
    seed: int = 0

    def code_behind(self) -> Code:
        """Return what scores a case."""
        return Code((f"{__name__}.score_methods",))


def run(job: MethodsScoreJob, files: Files) -> str:
    """Do the job; return what it scored, for the log."""
    score_methods(job, files)
    return f"{count(len(job.methods), 'method')} scored by {', '.join(job.metrics)}"


def score_methods(job: MethodsScoreJob, files: Files) -> None:
    """Score all methods on one case and write the tidy table as Parquet.

    The table has the columns of :func:`consclust_studies.stages.score.score_case`. ``restart`` is "chosen", or "chosen,
    in file order" for the fits on the first ensemble with the objects in the order of their file, or "chosen, seed 2"
    for those with further seeds. InputError if a file is damaged, was made with other settings, or does not hold each
    subset once.
    """
    ensemble_path = files.input("ensemble")
    stored = store.load(ensemble_path, job.ensemble)
    blocks = [Block(path, job.labels) for path in files.several("labels")]
    check_cover(job.n_subsets, job.case, blocks)
    rows = _score_base_clusterings(job, stored)
    if prepared := files.optional("prepared"):
        rows += _score_kmeans(job, stored, prepare.load(prepared, job.data).X)
    remarks: dict[str, list[tuple[Any, ...]]] = {kind: [] for kind in REMARKS}
    names = {place: name for name, place in job.methods.items()}
    for block in blocks:
        block.check_labels(stored.classes.size, ensemble_path)
        rows += _score_block(job, stored, block)
        for kind, found in block.list_remarks(stored.n_classes).items():
            known = [remark for remark in sorted(found) if remark.point in names]
            remarks[kind] += [(job.case, names[r.point], r.subset, 0, r.text) for r in known]
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    texts = {kind: json.dumps(found) for kind, found in remarks.items()}
    texts[POINTS] = write_points({row.method: [{}] for row in rows})
    texts[OF_MAKERS] = _find_makers(job, ensemble_path, [block.path for block in blocks]).json_text
    write_table(columns, files.output("scores"), marks_of(job.json_text, files.stamp), texts)


def score_classified(classes: IntArray, labelings: IntArray, metrics: Sequence[str]) -> FloatArray:
    """Return the scores of labelings, (labelings, n), on the objects with a class, shape (labelings, metrics)."""
    has_class = classes >= 0
    found: FloatArray = score_each(classes[has_class], labelings[:, has_class], metrics)
    return found


def _score_base_clusterings(job: MethodsScoreJob, stored: StoredEnsemble) -> list[ScoreRow]:
    """Return the mean and the best score of the base clusterings of each ensemble."""
    rows = []
    for subset in range(job.n_subsets):
        labels = stored.subset(subset).T
        scores = score_classified(stored.classes, labels, job.metrics)
        rows += _make_rows(job, job.base_clusterings, subset, scores.mean(axis=0))
        rows += _make_rows(job, BEST_BASE_CLUSTERING, subset, scores.max(axis=0))
    return rows


def _score_kmeans(job: MethodsScoreJob, stored: StoredEnsemble, features: Any) -> list[ScoreRow]:
    """Return the scores of the best of many k-means runs on the features, the same for every ensemble."""
    from sklearn.cluster import KMeans

    seed = int(generator(job.seed, job.dataset, RESTARTED_KMEANS).integers(2**31))
    labels = KMeans(stored.n_classes, n_init=RESTARTS, random_state=seed).fit_predict(features)
    (scores,) = score_classified(stored.classes, labels[None].astype(np.int64), job.metrics)
    return [row for subset in range(job.n_subsets) for row in _make_rows(job, RESTARTED_KMEANS, subset, scores)]


def _score_block(job: MethodsScoreJob, stored: StoredEnsemble, block: Block) -> list[ScoreRow]:
    """Return the scores of the methods on the subsets of a block, NaN where a method failed."""
    unscored = np.full(len(job.metrics), np.nan)
    of_file = block.read_array(ORDER_LABELS)
    of_seeds = block.read_array(SEED_LABELS)
    rows = []
    for method, place in job.methods.items():
        for row, subset in enumerate(block.subsets):
            scores = unscored
            if block.answered[row, place]:
                (scores,) = score_classified(stored.classes, block.labels[row, place], job.metrics)
            rows += _make_rows(job, method, subset, scores)
        if of_file[place].min() >= 0:
            (scores,) = score_classified(stored.classes, of_file[[place]], job.metrics)
            rows += _make_rows(job, method, 0, scores, IN_FILE_ORDER)
        for number, labels in enumerate(of_seeds[place], start=2):
            if labels.min() >= 0:
                (scores,) = score_classified(stored.classes, labels[None], job.metrics)
                rows += _make_rows(job, method, 0, scores, SEEDS.format(number=number))
    return rows


def _make_rows(
    job: MethodsScoreJob, method: str, subset: int, scores: FloatArray, restart: str = CHOSEN
) -> list[ScoreRow]:
    """Return the rows of the table for the scores by all metrics."""
    return [
        ScoreRow(
            study=job.study,
            case=job.case,
            subset=subset,
            method=method,
            point=0,
            restart=restart,
            metric=metric,
            value=float(value),
        )
        for metric, value in zip(job.metrics, scores, strict=True)
    ]


def _find_makers(job: MethodsScoreJob, ensemble_path: Path, blocks: Sequence[Path]) -> Makers:
    """Return which versions made the base clusterings and the labels of a case."""
    marks = read_marks(ensemble_path)
    stamps = [(f"{job.case}: {job.base_clusterings}", marks.stamp)] if marks else []
    for path in blocks:
        of_methods = read_stamps(path)
        if len({stamp.versions_digest for stamp in of_methods.values()}) == 1:
            stamps.append((f"{job.case}: methods {path.stem}", next(iter(of_methods.values()))))
        else:
            stamps += [(f"{job.case}: {method} {path.stem}", stamp) for method, stamp in of_methods.items()]
    return Makers.of(stamps)

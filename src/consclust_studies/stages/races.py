"""The race of a grid: which points stay after the first subsets."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from consclust.ensemble import FloatArray
from consclust.files import write_record
from consclust.plurals import count
from consclust_studies.contents import marks_of
from consclust_studies.job_files import Files
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.consensus import ConsensusJob
from consclust_studies.stages.label_blocks import RESTARTS, Block, check_cover
from consclust_studies.stages.scored_objects import score_block_of_subsets
from consclust_studies.stamps import Stamp

CHOSEN = RESTARTS.index("chosen")


def run(job: ConsensusJob, files: Files) -> str:
    """Do the job; return how many grid points stay, for the log."""
    stay = run_race(job, files.input("ensemble"), files.several("labels"), files.output("race"), files.stamp)
    return f"{len(stay)} of {count(len(job.points), 'grid point')} run on all subsets"


def run_race(
    job: ConsensusJob, ensemble_path: Path, block_paths: Sequence[Path], out: Path, stamp: Stamp | None = None
) -> list[int]:
    """Write the numbers of the points that stay, in the order of the grid, as JSON, and return them.

    InputError if a file is damaged, was made for another job, or the blocks do not hold each of the first subsets once.
    """
    assert job.race is not None, "only of a job with a race"
    ensemble = store.load(ensemble_path, job.ensemble)
    blocks = [Block(path, job.digest) for path in block_paths]
    check_cover(job.race.subsets, f"{job.case}: {job.method_id}", blocks)
    cells = np.full((len(job.points), job.race.subsets), np.nan)
    for block in blocks:
        block.check_labels(ensemble.classes.size, ensemble_path)
        scored = np.tile(ensemble.classes >= 0, (job.race.subsets, 1))  # noise has no class
        values = score_block_of_subsets(ensemble.classes, block, [job.race.metric], scored)
        cells[:, block.subsets] = values[:, :, CHOSEN, 0].T
    stay = sorted({*best_points(cells, job.race.points), job.points.index(job.default)})
    write_record(out, {**marks_of(job.json_text, stamp), "points": stay})
    return stay


def best_points(cells: FloatArray, count: int) -> list[int]:
    """Return the points with the fewest failures, among equals the highest mean, then the first, best first.

    ``cells`` are scores of shape (points, subsets), NaN where the method failed.
    """
    failures = np.isnan(cells).sum(axis=1)
    means = np.nansum(cells, axis=1) / np.maximum(cells.shape[1] - failures, 1)
    return [int(point) for point in np.lexsort((-means, failures))[:count]]

"""Third stage: one method on one case, its grid, over a block of subsets."""

import json
import logging
import re
import resource
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from consclust import methods
from consclust.ensemble import Ensemble
from consclust.errors import ConsensusFailure
from consclust.files import write_arrays, write_record
from consclust.seeds import generator
from consclust_studies.stages.consensus_job import ConsensusJob
from consclust_studies.stages.stored_ensembles import StoredEnsemble

log = logging.getLogger("consclust")

PROGRESS_SECONDS = 15


class FitError(Exception):
    """A method broke where it should not; the message names data set, method, subset and parameters."""


@dataclass(frozen=True)
class Cell:
    """What is kept of a fit, of one subset at one grid point: estimators and their matrices would fill the memory."""

    subset: int
    point: int
    cpu_seconds: float
    wall_seconds: float
    reason: str = ""
    """Why the method failed; the fields below mean something if it did not."""
    labels: npt.NDArray[np.int16] | None = None
    """Shape (restarts, n)."""
    chosen: int = 0
    iterations: int = 0
    converged: bool = False
    note: str = ""


def run(
    job: ConsensusJob,
    subsets: Sequence[int],
    stored: StoredEnsemble,
    out: Path,
    runtime: Path,
    features: Any = None,
    stay: Sequence[int] | None = None,
) -> None:
    """Fit the points of the grid on some subsets; write the labels to ``out``, seconds and memory to ``runtime``.

    ``features`` of the objects, (n, d), are for a method that needs them. ``stay`` are the only points to fit, after a
    race. A :class:`ConsensusFailure` becomes a record; any other exception stops the job.
    """
    points = range(len(job.points)) if stay is None else stay
    # late imports are no part of the method's time; a failure here is that of no subset
    with suppress(Exception):
        methods.make(job.method, 1, job.parameters, None).fit([[0]], [[0.0]])
    cells: list[list[Cell]] = []
    profiles = []
    reported = time.monotonic()
    for count, subset in enumerate(subsets, start=1):
        ensemble = Ensemble(stored.subset(subset))
        profiles.append(ensemble.n_profiles)
        row: list[Cell] = []
        for number in points:
            row.append(_fit(job, ensemble, stored.n_classes, subset, number, features))
            if time.monotonic() - reported > PROGRESS_SECONDS or len(row) == len(points):
                reported = time.monotonic()
                log.info(
                    "%s on %s: subset %d (%d of %d), %d of %d fits in %.1f s",
                    *(job.method_id, job.case, subset + 1, count, len(subsets), len(row), len(points)),
                    sum(cell.wall_seconds for cell in row),
                )
        cells.append(row)
    _write_labels(job, subsets, cells, len(stored.classes), out)
    record = {
        "spec": job.json_text,
        "study": job.study,
        "case": job.case,
        "method": job.method_id,
        "subsets": list(subsets),
        "n": len(stored.classes),
        "n_profiles": profiles,
        "cpu_seconds": [[round(cell.cpu_seconds, 6) for cell in row] for row in cells],
        "wall_seconds": [[round(cell.wall_seconds, 6) for cell in row] for row in cells],
        "peak_rss_mib": round(peak_mib(), 1),
    }
    write_record(runtime, record)


def _fit(job: ConsensusJob, ensemble: Ensemble, n_clusters: int, subset: int, number: int, features: Any) -> Cell:
    parameters = {**job.parameters, **job.points[number]}
    # the same stream at every grid point: points differ by their parameters, not by their luck
    stream = generator(job.seed, job.study, job.case, job.method_id, subset)
    cpu, wall = time.process_time(), time.monotonic()
    kept: dict[str, Any]
    try:
        fitted = methods.make(job.method, n_clusters, parameters, stream).fit(ensemble, features)
        kept = {"labels": fitted.restart_labels_.astype(np.int16), "chosen": fitted.chosen_, "note": fitted.note_}
        kept |= {"iterations": fitted.n_iter_, "converged": fitted.converged_}
    except ConsensusFailure as failure:
        kept = {"reason": str(failure)}
    except Exception as error:
        where = f"{job.method_id} on {job.case}, subset {subset + 1}, {parameters}"
        raise FitError(f"{where}: {type(error).__name__}: {error}") from error
    return Cell(subset, number, time.process_time() - cpu, time.monotonic() - wall, **kept)


def _write_labels(
    job: ConsensusJob, subsets: Sequence[int], cells: list[list[Cell]], n_objects: int, out: Path
) -> None:
    every = [cell for row in cells for cell in row]
    restarts = max((len(cell.labels) for cell in every if cell.labels is not None), default=1)
    shape = len(subsets), len(job.points)
    labels = np.full((*shape, restarts, n_objects), -1, dtype=np.int16)
    chosen, iterations = np.zeros((2, *shape), dtype=np.int64)
    converged, left_out = np.zeros(shape, dtype=bool), np.ones(shape, dtype=bool)
    for place, row in enumerate(cells):
        for cell in row:
            at = place, cell.point
            left_out[at], chosen[at], iterations[at] = False, cell.chosen, cell.iterations
            converged[at] = cell.converged
            if cell.labels is not None:
                labels[at] = cell.labels
    failures = [{"subset": c.subset, "point": c.point, "reason": c.reason} for c in every if c.labels is None]
    notes = [{"subset": c.subset, "point": c.point, "note": c.note} for c in every if c.note]
    if left_out.any():
        notes += [{"subset": row[0].subset, "point": row[0].point, "note": _of_race(job, len(row))} for row in cells]
    write_arrays(
        out,
        labels=labels,
        chosen=chosen,
        left_out=left_out,
        subsets=subsets,
        spec=job.json_text,
        failures=json.dumps(failures),
        notes=json.dumps(notes),
        iterations=iterations,
        converged=converged,
    )


def _of_race(job: ConsensusJob, stay: int) -> str:
    assert job.race is not None, "only a race leaves points out"
    best = f"the best in {job.race.metric} on the first {job.race.subsets} subsets and the default"
    return f"race: {stay} of {len(job.points)} grid points ran, {best}"


def peak_mib() -> float:
    """Return the peak resident memory of this process in MiB.

    From /proc where there is one: getrusage starts with the memory of the process that forked this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

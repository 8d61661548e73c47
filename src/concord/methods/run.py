"""Third stage: one method on one case, its whole grid, over a block of subsets."""

import json
import logging
import re
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from concord.ensemble import Ensemble
from concord.ensembles.store import StoredEnsemble
from concord.errors import ConsensusFailure
from concord.files import write_arrays, write_text
from concord.methods import registry
from concord.methods.base import ConsensusMethod
from concord.seeds import generator

log = logging.getLogger("concord")

PROGRESS_SECONDS = 15


class FitError(Exception):
    """A method broke where it should not; the message names data set, method, subset and parameters."""


@dataclass(frozen=True)
class Job:
    """What one job computes."""

    study: str
    case: str
    method_id: str
    method: str
    parameters: Mapping[str, Any]
    points: Sequence[Mapping[str, Any]]
    subsets: Sequence[int]
    seed: int


@dataclass(frozen=True)
class Answer:
    """What is kept of a fit: a grid of estimators, with their matrices, would fill the memory."""

    labels: npt.NDArray[np.int16]
    """Shape (restarts, n)."""
    chosen: int
    iterations: int
    converged: bool
    note: str

    @classmethod
    def of(cls, fitted: ConsensusMethod) -> Self:
        """Take the answer of a fitted method."""
        labels = fitted.restart_labels_.astype(np.int16)
        return cls(labels, fitted.chosen_, fitted.n_iter_, fitted.converged_, fitted.note_)


@dataclass(frozen=True)
class Cell:
    """One fit: one subset, one grid point."""

    answer: Answer | None
    reason: str
    cpu_seconds: float
    wall_seconds: float


def run(job: Job, stored: StoredEnsemble, out: Path, features: Any = None) -> None:
    """Fit every point of the grid on every subset; write ``out`` and, beside it, its runtimes.

    ``features`` of the objects, (n, d), are for a method that needs them. A :class:`ConsensusFailure` becomes
    a record; any other exception stops the job.
    """
    method = registry.load(job.method)
    method(n_clusters=1, **job.parameters).fit(
        [[0]], [[0.0]]
    )  # late imports are no part of the method's time
    cells: list[list[Cell]] = []
    profiles = []
    for count, subset in enumerate(job.subsets, start=1):
        ensemble = Ensemble(stored.subset(subset))
        profiles.append(ensemble.n_profiles)
        cells.append(_fit_subset(job, method, ensemble, stored.n_classes, subset, features))
        seconds = sum(cell.wall_seconds for cell in cells[-1])
        log.info(
            "%s on %s: subset %d (%d of %d), %d fits in %.1f s",
            *(job.method_id, job.case, subset + 1, count, len(job.subsets), len(job.points), seconds),
        )
    _write_labels(job, cells, len(stored.classes), out)
    _write_runtime(job, cells, len(stored.classes), profiles, out.with_suffix(".runtime.json"))


def _fit_subset(
    job: Job,
    method: Callable[..., ConsensusMethod],
    ensemble: Ensemble,
    n_clusters: int,
    subset: int,
    features: Any,
) -> list[Cell]:
    cells = []
    told = time.monotonic()
    for number, point in enumerate(job.points, start=1):
        cells.append(_fit(job, method, ensemble, n_clusters, subset, point, features))
        if time.monotonic() - told > PROGRESS_SECONDS:
            told = time.monotonic()
            log.info(
                "%s on %s: subset %d, grid point %d of %d",
                *(job.method_id, job.case, subset + 1, number, len(job.points)),
            )
    return cells


def _fit(
    job: Job,
    method: Callable[..., ConsensusMethod],
    ensemble: Ensemble,
    n_clusters: int,
    subset: int,
    point: Mapping[str, Any],
    features: Any,
) -> Cell:
    parameters: dict[str, Any] = {**job.parameters, **point}
    if "random_state" in registry.available()[job.method]:
        # the same stream at every grid point: points differ by their parameters, not by their luck
        parameters["random_state"] = generator(job.seed, job.study, job.case, job.method_id, subset)
    cpu, wall = time.process_time(), time.monotonic()
    answer, reason = None, ""
    try:
        answer = Answer.of(method(n_clusters=n_clusters, **parameters).fit(ensemble, features))
    except ConsensusFailure as failure:
        reason = str(failure)
    except Exception as error:
        where = f"{job.method_id} on {job.case}, subset {subset + 1}, {dict(job.parameters) | dict(point)}"
        raise FitError(f"{where}: {type(error).__name__}: {error}") from error
    return Cell(answer, reason, time.process_time() - cpu, time.monotonic() - wall)


def _write_labels(job: Job, cells: list[list[Cell]], n_objects: int, out: Path) -> None:
    shape = (len(job.subsets), len(job.points))
    restarts = max((len(cell.answer.labels) for row in cells for cell in row if cell.answer), default=1)
    labels = np.full((*shape, restarts, n_objects), -1, dtype=np.int16)
    chosen, iterations = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    converged = np.zeros(shape, dtype=bool)
    failures, notes = [], []
    for s, row in enumerate(cells):
        for g, cell in enumerate(row):
            if cell.answer is None:
                failures.append({"subset": job.subsets[s], "point": g, "reason": cell.reason})
                continue
            labels[s, g] = cell.answer.labels
            chosen[s, g] = cell.answer.chosen
            iterations[s, g] = cell.answer.iterations
            converged[s, g] = cell.answer.converged
            if cell.answer.note:
                notes.append({"subset": job.subsets[s], "point": g, "note": cell.answer.note})
    write_arrays(
        out,
        labels=labels,
        chosen=chosen,
        subsets=job.subsets,
        points=json.dumps([dict(point) for point in job.points]),
        failures=json.dumps(failures),
        notes=json.dumps(notes),
        iterations=iterations,
        converged=converged,
    )


def _write_runtime(job: Job, cells: list[list[Cell]], n_objects: int, profiles: list[int], out: Path) -> None:
    record = {
        "study": job.study,
        "case": job.case,
        "method": job.method_id,
        "subsets": list(job.subsets),
        "n": n_objects,
        "n_profiles": profiles,
        "cpu_seconds": [[round(cell.cpu_seconds, 6) for cell in row] for row in cells],
        "wall_seconds": [[round(cell.wall_seconds, 6) for cell in row] for row in cells],
        "peak_rss_mib": round(peak_mib(), 1),
    }
    write_text(out, json.dumps(record) + "\n")


def peak_mib() -> float:
    """Return the peak resident memory of this process in MiB.

    From /proc where there is one: getrusage starts with the memory of the process that forked this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

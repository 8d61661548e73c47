"""Consensus: one method on one case, its grid, over a block of subsets."""

import json
import logging
import re
import resource
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from consclust import methods
from consclust.ensemble import Ensemble, Unseen
from consclust.errors import ConsensusFailure, InputError
from consclust.files import read_record, write_arrays, write_record
from consclust.seeds import generator
from consclust_studies import paths
from consclust_studies.code import Code, full_name
from consclust_studies.config.race import Race
from consclust_studies.config.values import Value, grid_points
from consclust_studies.contents import marks_of
from consclust_studies.job_files import Files
from consclust_studies.specs import Spec, check_made_for
from consclust_studies.stages import prepare
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.stored_ensembles import StoredEnsemble
from consclust_studies.stamps import Stamp

log = logging.getLogger("consclust")

OF_RACE = "race: "
"""How a note begins that says what a race left out."""
PROGRESS_SECONDS = 15
"""Between two lines in the log of a job that takes long."""


class ConsensusJob(Spec):
    """What the consensus labels of a method on a case depend on; the block of subsets is no part of it."""

    kind: ClassVar = "consensus"

    study: str
    case: str
    method_id: str = Field(description="with study, case and subset, names the random stream")
    method: str
    parameters: dict[str, Value]
    grid: dict[str, tuple[Value, ...]] = Field(default_factory=dict)
    race: Race | None = None
    default: dict[str, Value] = Field(default_factory=dict, description="with a race: the point that always stays")
    n_clusters: int | None = Field(None, description="without classes: how many clusters to look for")
    missing: Unseen = Field("ignored", description="what a missing label counts as")
    seed: int
    ensemble: str = Field(description="digest of the spec of the base clusterings")
    data: str | None = Field(None, description="digest of the spec of the features, where the method needs them")

    @property
    def points(self) -> list[dict[str, Value]]:
        """Grid points, the last parameter fastest; one empty point without a grid."""
        return grid_points(self.grid)

    def code_behind(self) -> Code:
        """Return the method with the values of its parameters, and what fits it."""
        cls = methods.load(self.method)
        name = full_name(cls)
        values = {key: (value,) for key, value in self.parameters.items()} | dict(self.grid)
        race = ("consclust_studies.stages.races.best_points",) if self.race else ()
        return Code(("consclust_studies.stages.consensus.fit_subsets", name, *race), {name: values})


class SubsetRange(NamedTuple):
    """Subsets that one job works through, by their first and their last number."""

    first: int
    last: int

    @property
    def subsets(self) -> range:
        """The numbers of the subsets."""
        return range(self.first, self.last + 1)

    @property
    def word(self) -> str:
        """The block in the name of a file: "0-4"."""
        return f"{self.first}-{self.last}"

    @classmethod
    def parse(cls, word: str) -> "SubsetRange":
        """Return the block that a file is named after."""
        first, last = map(int, word.split("-"))
        return cls(first, last)


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


def run(job: ConsensusJob, files: Files) -> str:
    """Do the job on the block of subsets in the arguments; return what it did, for the log."""
    subsets = SubsetRange.parse(files.arguments["block"]).subsets
    stored, features, stay = read_inputs(job, files)
    cells = fit_subsets(job, subsets, stored, features, stay)
    write_results(job, subsets, stored, cells, files.output("labels"), files.output("runtime"), files.stamp)
    fits = [cell for row in cells.rows for cell in row]
    seconds = sum(cell.wall_seconds for cell in fits)
    n_failed = sum(cell.labels is None for cell in fits)
    what = "fit" if len(fits) == 1 else "fits"
    failed = f", {n_failed} failed" if n_failed else ""
    return f"{len(fits)} {what} in {seconds:.1f} s{failed}"


class Inputs(NamedTuple):
    """What a job reads."""

    stored: StoredEnsemble
    features: Any
    """Shape (n, d); None where the method needs none."""
    stay: Sequence[int] | None
    """The only grid points to fit, after a race; None: all."""


def read_inputs(job: ConsensusJob, files: Files) -> Inputs:
    """Read the inputs of a job; InputError if one is damaged or was made for another spec."""
    data = files.optional("prepared")
    race = files.optional("race")
    stored = store.load(files.input("ensemble"), job.ensemble)
    n_objects = len(stored.labels)
    if job.n_clusters and job.n_clusters > n_objects:
        where = f"{paths.STUDY.format(study=job.study)}: cases: {job.case}: k = {job.n_clusters}"
        raise InputError(f"{where}: there are {n_objects} objects; lower it")
    features = read_features(job, data) if data else None
    stay = read_race(job, race) if race else None
    return Inputs(stored, features, stay)


def read_features(job: ConsensusJob, data: Path) -> Any:
    """Return the features in a prepared data set, (n, d); InputError if it has none, or was made for another spec."""
    features = prepare.load(data, job.data).X
    if not features.shape[1]:
        raise InputError(f"{data}: no features, and {job.method_id} needs some; let case {job.case} omit it")
    return features


def read_race(job: ConsensusJob, path: Path) -> list[int]:
    """Return the grid points that stay after a race; InputError for a damaged file, or one that is of another job."""
    race = read_record(path)
    check_made_for(path, race["spec"], job.digest)
    return [int(point) for point in race["points"]]


class Cells(NamedTuple):
    """The fits of a job: a row for each subset, with its number of distinct profiles."""

    rows: list[list[Cell]]
    n_profiles: list[int]


def fit_subsets(
    job: ConsensusJob,
    subsets: Sequence[int],
    stored: StoredEnsemble,
    features: Any = None,
    stay: Sequence[int] | None = None,
) -> Cells:
    """Fit the points of the grid on some subsets.

    ``features`` of the objects, (n, d), are for a method that needs them. ``stay`` are the only points to fit, after a
    race. A :class:`ConsensusFailure` becomes a record; any other exception stops the job.
    """
    points = range(len(job.points)) if stay is None else stay
    load_late_imports(job)
    cells = Cells([], [])
    reported = time.monotonic()
    for count, subset in enumerate(subsets, start=1):
        ensemble = Ensemble(stored.subset(subset), job.missing)
        cells.n_profiles.append(ensemble.n_profiles)
        row: list[Cell] = []
        for number in points:
            row.append(fit(job, ensemble, stored, subset, number, features))
            if time.monotonic() - reported > PROGRESS_SECONDS:
                reported = time.monotonic()
                where = f"{job.method_id} on {job.case}"
                log.info("%s: subset %d of %d, %d of %d fits", where, count, len(subsets), len(row), len(points))
        cells.rows.append(row)
    return cells


def load_late_imports(job: ConsensusJob) -> None:
    """Fit one object, so that late imports are no part of the method's time; a failure here is that of no subset."""
    with suppress(Exception):
        methods.make(job.method, 1, job.parameters, None).fit([[0]], [[0.0]])


def fit(
    job: ConsensusJob, ensemble: Ensemble, stored: StoredEnsemble, subset: int, number: int, features: Any = None
) -> Cell:
    """Fit one grid point, by its ``number``, on one subset, whose base clusterings are the ``ensemble``."""
    parameters = job.parameters | job.points[number]
    n_clusters = job.n_clusters or stored.n_classes
    # the same stream at every grid point: points differ by their parameters, not by their luck
    stream = generator(job.seed, job.study, job.case, job.method_id, subset)
    cpu = time.process_time()
    wall = time.monotonic()
    kept: dict[str, Any]
    try:
        fitted = methods.make(job.method, n_clusters, parameters, stream).fit(ensemble, features)
        kept = {
            "labels": fitted.restart_labels_.astype(np.int16),
            "chosen": fitted.chosen_,
            "iterations": fitted.n_iter_,
            "converged": fitted.converged_,
            "note": fitted.own_note_,  # scores count the clusters
        }
    except ConsensusFailure as failure:
        kept = {"reason": str(failure)}
    except Exception as error:
        where = f"{job.method_id} on {job.case}, subset {subset + 1}, {parameters}"
        raise FitError(f"{where}: {type(error).__name__}: {error}") from error
    return Cell(subset, number, time.process_time() - cpu, time.monotonic() - wall, **kept)


def write_results(
    job: ConsensusJob,
    subsets: Sequence[int],
    stored: StoredEnsemble,
    cells: Cells,
    out: Path,
    runtime: Path,
    stamp: Stamp | None = None,
) -> None:
    """Write the labels of all fits to ``out``, seconds and memory to ``runtime``."""
    marks = marks_of(job.json_text, stamp)
    _write_labels(job, subsets, cells.rows, len(stored.classes), out, marks)
    record = {
        **marks,
        "study": job.study,
        "case": job.case,
        "method": job.method_id,
        "subsets": list(subsets),
        "n": len(stored.classes),
        "n_profiles": cells.n_profiles,
        "cpu_seconds": [[round(cell.cpu_seconds, 6) for cell in row] for row in cells.rows],
        "wall_seconds": [[round(cell.wall_seconds, 6) for cell in row] for row in cells.rows],
        "peak_rss_mib": round(measure_peak_mib(), 1),
    }
    write_record(runtime, record)


def _write_labels(
    job: ConsensusJob,
    subsets: Sequence[int],
    cells: list[list[Cell]],
    n_objects: int,
    out: Path,
    marks: Mapping[str, str],
) -> None:
    fits = [cell for row in cells for cell in row]
    arrays = stack_cells(cells, len(job.points), n_objects)
    failures = [{"subset": fit.subset, "point": fit.point, "reason": fit.reason} for fit in fits if fit.labels is None]
    notes = [{"subset": fit.subset, "point": fit.point, "note": fit.note} for fit in fits if fit.note]
    if arrays.left_out.any():
        # a note of a whole subset stands at the first point that ran
        for row in cells:
            note = describe_race(job, len(row))
            notes.append({"subset": row[0].subset, "point": row[0].point, "note": note})
    write_fits(out, subsets, arrays, failures, notes, marks)


def write_fits(
    out: Path,
    subsets: Sequence[int],
    arrays: "CellArrays",
    failures: Sequence[Mapping[str, Any]],
    notes: Sequence[Mapping[str, Any]],
    marks: Mapping[str, str],
    **further: npt.NDArray[Any],
) -> None:
    """Write the fits of a job, and further arrays, to a file that :class:`~.label_blocks.Block` reads."""
    # in this order: another one would be another file
    write_arrays(
        out,
        labels=arrays.labels,
        chosen=arrays.chosen,
        left_out=arrays.left_out,
        subsets=subsets,
        failures=json.dumps(failures),
        notes=json.dumps(notes),
        iterations=arrays.iterations,
        converged=arrays.converged,
        **further,
        **marks,
    )


class CellArrays(NamedTuple):
    """The fits of a job as arrays of shape (subsets, points)."""

    labels: npt.NDArray[np.int16]
    """Shape (subsets, points, restarts, n); -1 where there are none."""
    chosen: npt.NDArray[np.int64]
    iterations: npt.NDArray[np.int64]
    converged: npt.NDArray[np.bool_]
    left_out: npt.NDArray[np.bool_]


def stack_cells(cells: list[list[Cell]], n_points: int, n_objects: int) -> CellArrays:
    """Return the fits of a job as arrays; each row has those of a subset, with the numbers of their points."""
    # where all failed there is no number of restarts, but the array has a shape
    restarts = max((len(cell.labels) for row in cells for cell in row if cell.labels is not None), default=1)
    shape = (len(cells), n_points)
    arrays = CellArrays(
        labels=np.full((*shape, restarts, n_objects), -1, dtype=np.int16),
        chosen=np.zeros(shape, dtype=np.int64),
        iterations=np.zeros(shape, dtype=np.int64),
        converged=np.zeros(shape, dtype=bool),
        left_out=np.ones(shape, dtype=bool),
    )
    for place, row in enumerate(cells):
        for cell in row:
            at = (place, cell.point)
            arrays.chosen[at] = cell.chosen
            arrays.iterations[at] = cell.iterations
            arrays.converged[at] = cell.converged
            arrays.left_out[at] = False
            if cell.labels is not None:
                arrays.labels[at] = cell.labels
    return arrays


def describe_race(job: ConsensusJob, stay: int) -> str:
    """Say how many grid points ran, and which."""
    assert job.race is not None, "only a race leaves points out"
    best = f"the best in {job.race.metric} on the first {job.race.subsets} subsets and the default"
    return f"{OF_RACE}{stay} of {len(job.points)} grid points ran, {best}"


def measure_peak_mib() -> float:
    """Return the peak resident memory of this process in MiB.

    From /proc where there is one: getrusage starts with the memory of the process that forked this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

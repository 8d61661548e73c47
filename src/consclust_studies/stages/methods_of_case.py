"""Consensus of all methods on one case in one job, for studies with many data sets and short fits.

A process takes longer to start than most methods take for a fit. The fits are those that each method would have by
itself, with the same random numbers. Where an earlier run has made fits of the same spec from the same base
clusterings, they are taken over, so that a new method in a study fits nothing of the others again.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from consclust.datasets.prepared import find_shuffled_order
from consclust.ensemble import Ensemble
from consclust.errors import InputError
from consclust.files import read_arrays, read_record, write_record
from consclust.plurals import count
from consclust_studies.code import Code
from consclust_studies.contents import marks_of
from consclust_studies.job_files import Files
from consclust_studies.specs import Spec, without_inputs
from consclust_studies.stages import consensus
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.consensus import Cell, ConsensusJob, SubsetRange
from consclust_studies.stages.label_blocks import Block
from consclust_studies.stages.stored_ensembles import StoredEnsemble
from consclust_studies.stamps import Stamp, parse_stamp

log = logging.getLogger("consclust")

ALL_METHODS = "methods"
"""Stands for the name of a method in the paths of labels and logs."""
ORDER_LABELS = "labels_in_file_order"
"""The array with the labels of fits on the objects in the order of their file, shape (methods, n); -1: failed."""
SEED_LABELS = "labels_of_seeds"
"""The array with the labels of fits of the first subset with further seeds, (methods, seeds - 1, n); -1: failed."""


class MethodsJob(Spec):
    """What the consensus labels of all methods on a case depend on; the block of subsets is no part of it."""

    kind: ClassVar = "methods"

    jobs: tuple[ConsensusJob, ...] = Field(description="the job that each method would be by itself")
    shuffle: int | None = Field(
        None,
        description="seed by which the objects were shuffled; on the first subset each method is then also fitted on "
        "the objects in the order of their file",
    )

    seeds: int = Field(1, description="number of seeds with which the first subset is fitted")

    def code_behind(self) -> Code:
        """Return the methods, and what fits them."""
        return Code((f"{__name__}.fit_methods",), parts=tuple(job.code_behind() for job in self.jobs))


STAMPS = "stamps"
"""The stamps of the methods, as JSON: fits that are taken over may be of other versions."""
KEPT = ("labels", "iterations", "converged", ORDER_LABELS, SEED_LABELS)
"""The arrays that a later run takes over."""


@dataclass(frozen=True)
class Part:
    """The fits of one method: one for each subset, and perhaps one on the objects in the order of their file."""

    cells: list[Cell]
    in_file_order: npt.NDArray[np.int16] | None = None
    """Labels of the chosen restart for the shuffled objects, shape (n,)."""
    of_seeds: Sequence[npt.NDArray[np.int16] | None] = ()
    """Labels of the first subset with each further seed, shape (n,); None: failed."""
    stamp: Stamp | None = None
    """Of the run that made fits which are taken over; None for those of this run."""


def run(job: MethodsJob, files: Files) -> str:
    """Do the job on the block of subsets in the arguments; return what it did, for the log."""
    subsets = SubsetRange.parse(files.arguments["block"]).subsets
    stored = store.load(files.input("ensemble"), job.jobs[0].ensemble)
    prepared = files.optional("prepared")
    kept = read_kept(job, files)
    waiting = [one for one in job.jobs if one.method_id not in kept]
    needing = next((one for one in waiting if one.data), None)
    features = consensus.read_features(needing, prepared) if needing and prepared else None
    n_profiles, fitted = fit_methods(waiting, subsets, stored, features, job.shuffle, job.seeds)
    parts = [kept.get(one.method_id) or fitted[one.method_id] for one in job.jobs]
    write_results(job, subsets, stored, n_profiles, parts, files)
    seconds = sum(cell.wall_seconds for part in fitted.values() for cell in part.cells)
    found = f"{count(len(waiting), 'method')} on {count(len(subsets), 'subset')} in {seconds:.1f} s"
    return f"{found}, {len(kept)} taken over" if kept else found


def fit_methods(
    jobs: Sequence[ConsensusJob],
    subsets: Sequence[int],
    stored: StoredEnsemble,
    features: Any,
    shuffle: int | None,
    seeds: int = 1,
) -> tuple[list[int], dict[str, Part]]:
    """Fit some methods on some subsets; return the number of distinct profiles of each subset, and the fits by method.

    ``features`` have shape (n, d), for methods that need them. With ``shuffle``, the seed by which the objects were
    shuffled, each method is also fitted on subset 0 with the objects in the order of their file. With several
    ``seeds`` it is fitted there with further random numbers.
    """
    ensembles = [Ensemble(stored.subset(subset)) for subset in subsets]
    parts = {}
    for job in jobs:
        given = features if job.data else None
        found = consensus.fit_subsets(job, subsets, stored, given)
        cells = [keep_chosen(cell) for row in found.rows for cell in row]
        in_file_order = None
        if shuffle is not None and 0 in subsets:
            in_file_order = fit_in_file_order(job, stored, given, shuffle)
        of_seeds = fit_further_seeds(job, stored, given, seeds) if 0 in subsets else ()
        parts[job.method_id] = Part(cells, in_file_order, of_seeds)
        log.info("%s on %s: %.1f s", job.method_id, job.case, sum(cell.wall_seconds for cell in cells))
    return [ensemble.n_profiles for ensemble in ensembles], parts


def fit_in_file_order(
    job: ConsensusJob, stored: StoredEnsemble, features: Any, shuffle: int
) -> npt.NDArray[np.int16] | None:
    """Fit the first subset with the objects in the order of their file; return the labels in the shuffled order."""
    order = find_shuffled_order(shuffle, len(stored.classes))
    back = np.argsort(order)
    as_filed = replace(stored, labels=stored.labels[back], classes=stored.classes[back])
    ensemble = Ensemble(as_filed.subset(0), job.missing)
    given = None if features is None else features[back]
    cell = keep_chosen(consensus.fit(job, ensemble, as_filed, 0, 0, given))
    return None if cell.labels is None else cell.labels[0][order]


def fit_further_seeds(
    job: ConsensusJob, stored: StoredEnsemble, features: Any, seeds: int
) -> list[npt.NDArray[np.int16] | None]:
    """Fit the first subset with each seed after the first; return the labels, or None of a fit that failed."""
    ensemble = Ensemble(stored.subset(0), job.missing)
    found = []
    for number in range(2, seeds + 1):
        # the name of the method is one of those that the random numbers are spawned by
        named = job.model_copy(update={"method_id": f"{job.method_id}, seed {number}"})
        cell = keep_chosen(consensus.fit(named, ensemble, stored, 0, 0, features))
        found.append(None if cell.labels is None else cell.labels[0])
    return found


def keep_chosen(cell: Cell) -> Cell:
    """Return a fit with the labels of its chosen restart alone."""
    return cell if cell.labels is None else replace(cell, labels=cell.labels[[cell.chosen]], chosen=0)


# ---------------------------------------------------------------- results


def write_results(
    job: MethodsJob,
    subsets: Sequence[int],
    stored: StoredEnsemble,
    n_profiles: Sequence[int],
    parts: Sequence[Part],
    files: Files,
) -> None:
    """Write the labels of all fits, a method in the place of a grid point, and their seconds."""
    marks = marks_of(job.json_text, _stamp_all(parts, files.stamp))
    n = len(stored.classes)
    rows = [[replace(part.cells[i], point=point) for point, part in enumerate(parts)] for i in range(len(subsets))]
    arrays = consensus.stack_cells(rows, len(parts), n)
    cells = [cell for row in rows for cell in row]
    failures = [{"subset": cell.subset, "point": cell.point, "reason": cell.reason} for cell in cells if cell.reason]
    notes = [{"subset": cell.subset, "point": cell.point, "note": cell.note} for cell in cells if cell.note]
    unfitted = np.full(n, -1, dtype=np.int16)
    of_file = [unfitted if part.in_file_order is None else part.in_file_order for part in parts]
    of_seeds = np.full((len(parts), job.seeds - 1, n), -1, dtype=np.int16)
    for place, part in enumerate(parts):
        for number, labels in enumerate(part.of_seeds):
            if labels is not None:
                of_seeds[place, number] = labels
    stamps = [(part.stamp or files.stamp).model_dump(exclude_defaults=True) for part in parts]
    further = {ORDER_LABELS: np.array(of_file), SEED_LABELS: of_seeds, STAMPS: np.array(json.dumps(stamps))}
    consensus.write_fits(files.output("labels"), subsets, arrays, failures, notes, marks, **further)
    record = {
        **marks,
        "study": job.jobs[0].study,
        "case": job.jobs[0].case,
        "method": ALL_METHODS,
        "methods": [one.method_id for one in job.jobs],
        "subsets": list(subsets),
        "n": n,
        "n_profiles": list(n_profiles),
        "cpu_seconds": [[round(cell.cpu_seconds, 6) for cell in row] for row in rows],
        "wall_seconds": [[round(cell.wall_seconds, 6) for cell in row] for row in rows],
        "peak_rss_mib": round(consensus.measure_peak_mib(), 1),
    }
    write_record(files.output("runtime"), record)


def _stamp_all(parts: Sequence[Part], now: Stamp) -> Stamp:
    """Return the stamp of a file: with other versions than today's if it has fits of such, so that a run finds them."""
    other = [part.stamp.versions for part in parts if part.stamp and part.stamp.versions != now.versions]
    return now.model_copy(update={"versions": other[0]}) if other else now


def read_stamps(path: Path) -> dict[str, Stamp]:
    """Return the stamp of each method in a file of labels of all methods."""
    arrays = read_arrays(path)
    job = MethodsJob.from_text(str(arrays["spec"][()]), path)
    if STAMPS in arrays:
        stamps = [Stamp.model_validate(stamp) for stamp in json.loads(str(arrays[STAMPS]))]
    else:
        stamps = [parse_stamp(arrays["stamp"])] * len(job.jobs)
    return {one.method_id: stamp for one, stamp in zip(job.jobs, stamps, strict=True)}


class _Kept(NamedTuple):
    """What an earlier run wrote."""

    block: Block
    arrays: Mapping[str, npt.NDArray[Any]]
    record: Mapping[str, Any]


def read_kept(job: MethodsJob, files: Files) -> dict[str, Part]:
    """Return the fits by method that an earlier run made of the same specs from the same base clusterings."""
    labels = files.previous.get(files.output("labels"))
    runtime = files.previous.get(files.output("runtime"))
    if labels is None or runtime is None:
        return {}
    try:
        arrays = read_arrays(labels)
        former = MethodsJob.from_text(str(arrays["spec"][()]), labels)
        stamps = read_stamps(labels)
        arrays = {name: arrays[name] for name in KEPT}
        kept = _Kept(Block(labels), arrays, read_record(runtime))
    except (InputError, KeyError):  # damaged, or of a job of another kind: nothing is taken over
        return {}
    if (former.shuffle, former.seeds) != (job.shuffle, job.seeds):
        return {}
    places = {without_inputs(one.json_text): place for place, one in enumerate(former.jobs)}
    found = {}
    for one in job.jobs:
        place = places.get(without_inputs(one.json_text))
        if place is not None:
            found[one.method_id] = replace(_read_part(kept, place), stamp=stamps[former.jobs[place].method_id])
    return found


def _read_part(kept: _Kept, place: int) -> Part:
    """Return the fits of a method out of what an earlier run wrote, by its place there."""
    reasons = {remark.subset: str(remark.text) for remark in kept.block.failures if remark.point == place}
    notes = {remark.subset: str(remark.text) for remark in kept.block.notes if remark.point == place}
    cells = []
    for row, subset in enumerate(kept.block.subsets):
        cells.append(
            Cell(
                subset=subset,
                point=0,
                cpu_seconds=kept.record["cpu_seconds"][row][place],
                wall_seconds=kept.record["wall_seconds"][row][place],
                reason=reasons.get(subset, ""),
                labels=None if subset in reasons else kept.arrays["labels"][row, place],
                iterations=int(kept.arrays["iterations"][row, place]),
                converged=bool(kept.arrays["converged"][row, place]),
                note=notes.get(subset, ""),
            )
        )
    in_file_order = kept.arrays[ORDER_LABELS][place]
    of_seeds = [None if labels.min() < 0 else labels for labels in kept.arrays[SEED_LABELS][place]]
    return Part(cells, None if in_file_order.min() < 0 else in_file_order, of_seeds)

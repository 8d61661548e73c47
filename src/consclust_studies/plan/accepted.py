"""Consensus labels of accepted runs: kept in archives, one for each case, and put back, so that no method runs again.

``python -m consclust_studies.plan.accepted keep STUDY``, or ``make keep STUDY=...``, and the same with ``restore``. The
labels of a case can be kept before all its jobs are done: a run that goes on from them fits only what is left. Blocks
of subsets that have another size by now are cut from those that are kept.

An archive is written anew where a label is new. Where only the code is, the specs of now stand
in a small file beside it (:mod:`consclust_studies.plan.kept_marks`).

Labels that other code made are put where a run with ``--config code=confirm`` finds them.
"""

# pandas is imported where needed, so that what does without it starts faster

import io
import json
import lzma
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.errors import InputError
from consclust.files import read_arrays, read_record, write_arrays, write_record, write_text, written_whole
from consclust.plurals import count
from consclust_studies.contents import MARKS, Marks
from consclust_studies.kinds import KINDS
from consclust_studies.paths import RUNTIME
from consclust_studies.plan import needs
from consclust_studies.plan.costs import START, load_studies, run
from consclust_studies.plan.jobs import PlannedJob
from consclust_studies.plan.kept_marks import read_kept_marks, remove_kept_marks, write_kept_marks
from consclust_studies.plan.plan import Plan
from consclust_studies.results.runtimes import tabulate_runtimes
from consclust_studies.runner import PREVIOUS, digest_inputs
from consclust_studies.specs import without_code, without_inputs
from consclust_studies.stages.consensus import SubsetRange
from consclust_studies.stages.cutting import cut_labels, cut_record
from consclust_studies.stages.methods_of_case import ALL_METHODS
from consclust_studies.stamps import Confirmation, parse_stamp

SUFFIX_OF_RUNTIME = ".runtime.json"
SECONDS = ("cpu_seconds", "wall_seconds", "peak_rss_mib")
"""What a record has of a run, and that another run of the same fits measures anew."""
BYTES_A_SECOND = 4000
"""Most bytes of labels that are kept for a CPU second of their jobs; others are sooner computed again."""


class Kept(NamedTuple):
    """A file in an archive."""

    marks: Marks
    content: bytes

    @classmethod
    def make(cls, name: str, content: bytes) -> "Kept":
        """Return a file with the spec and the stamp that are in it; ValueError or KeyError if there are none."""
        if name.endswith(".json"):
            record = json.loads(content)
            return cls(Marks(str(record["spec"]), parse_stamp(record["stamp"])), content)
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return cls(Marks(str(arrays["spec"][()]), parse_stamp(arrays["stamp"][()])), content)


Archive = Mapping[str, Kept]
"""The files of an archive by name."""


def locate_archive(study: str, case: str) -> Path:
    """Return the archive of the consensus labels of a case."""
    return needs.locate_kept(study) / f"{case}.tar.xz"


def find_jobs_with_labels(plan: Plan, study: str) -> dict[str, list[PlannedJob]]:
    """Return for each case, those of the variants too, the jobs that make labels and races, in their order."""
    found: dict[str, dict[str, PlannedJob]] = {}
    for view in (plan.runs[study], *plan.runs[study].split_variants()):
        for case in view.cases:
            files = [file for method in view.runs(case) for file in plan.list_label_files(study, case, method)]
            of_case = found.setdefault(case.id, {})
            for job in plan.list_jobs_behind(files):
                if job.kind in ("consensus", "methods", "race"):
                    of_case[job.first_output] = job
    return {case: list(jobs.values()) for case, jobs in found.items()}


def list_outputs(job: PlannedJob) -> list[str]:
    """Return all outputs of a job."""
    return [path for paths in job.outputs.values() for path in paths]


# ---------------------------------------------------------------- keeping


def keep(plan: Plan, study: str) -> None:
    """Write the archives of a study; what an archive has, and the run has not, stays in it if its spec is planned."""
    for case, jobs in find_jobs_with_labels(plan, study).items():
        path = locate_archive(study, case)
        before = read_archive(path)
        made = read_made(jobs)
        kept: dict[str, Kept] = {}
        for job in jobs:
            for name in list_outputs(job):
                found = find_kept(job, name, {**before, **made}, of_other_code=False)
                # labels of other code wait for a run that confirms them
                found = found or find_kept(job, name, before, of_other_code=True)
                if found:
                    kept[name] = found
        if kept:
            write_kept(path, before, kept)
            n_files = sum(len(list_outputs(job)) for job in jobs)
            print(f"{path}: {len(kept)} of {count(n_files, 'file')}")
        else:
            path.unlink(missing_ok=True)
            remove_kept_marks(path)
    keep_seconds(plan, study)


def write_kept(path: Path, before: Archive, kept: Archive) -> None:
    """Write the archive if labels are new, else only under which specs they are valid."""
    marks = {name: file.marks for name, file in kept.items()}
    if before.keys() == kept.keys() and all(has_same_labels(before[name], file) for name, file in kept.items()):
        if marks != {name: file.marks for name, file in before.items()}:
            write_kept_marks(path, marks)
    else:
        # in this order: after a kill between them the archive's own marks count
        remove_kept_marks(path)
        write_archive(path, kept)


def has_same_labels(one: Kept, other: Kept) -> bool:
    """Whether two files have the same content, whatever their marks; seconds may be other ones."""
    if one.content == other.content:
        return True
    if one.content.startswith(b"{"):
        return read_unmeasured(one) == read_unmeasured(other)
    mine, theirs = unpack_arrays(one.content), unpack_arrays(other.content)
    return mine.keys() == theirs.keys() and all(
        np.array_equal(mine[name], theirs[name]) for name in mine if name not in MARKS
    )


def read_unmeasured(file: Kept) -> dict[str, Any]:
    """Return what a record says but its marks, its checksum, and what another run of the same fits measures anew."""
    return {key: value for key, value in json.loads(file.content).items() if key not in (*MARKS, "checksum", *SECONDS)}


def read_made(jobs: Sequence[PlannedJob]) -> dict[str, Kept]:
    """Return the files that are there; none of a method whose labels take too much room for their seconds."""
    by_method: dict[str, list[Path]] = {}
    for job in jobs:
        paths = [Path(name) for name in list_outputs(job)]
        if all(path.is_file() for path in paths):
            by_method.setdefault(job.names["method"], []).extend(paths)
    found: dict[str, Kept] = {}
    for paths in by_method.values():
        records = [read_record(path) for path in paths if path.name.endswith(SUFFIX_OF_RUNTIME)]
        seconds = sum(START + sum(map(sum, record["cpu_seconds"])) for record in records)
        if sum(path.stat().st_size for path in paths) <= BYTES_A_SECOND * seconds:
            found |= {str(path): Kept.make(path.name, pack(path)) for path in paths}
    return found


def keep_seconds(plan: Plan, study: str) -> None:
    """Write what the variants took, for `make plan`: of each method of which all fits on a case are there."""
    import pandas as pd

    path = needs.locate_kept(study) / "runtime.csv"
    found = [pd.read_csv(path)] if path.is_file() else []
    for view in plan.runs[study].split_variants():
        files: dict[str, list[Path]] = {}
        for case in view.cases:
            for method in view.runs(case):
                files.setdefault(method.id, []).extend(map(Path, plan.list_label_files(study, case, method, RUNTIME)))
        done = tuple(method for method in view.methods if all(map(Path.is_file, files.get(method.id, []))))
        records = [read_record(file) for file in dict.fromkeys(file for one in done for file in files.get(one.id, []))]
        if done:
            found.append(tabulate_runtimes(view.model_copy(update={"methods": done}), records))
    if found:
        table = pd.concat(found).drop_duplicates(["case", "method"], keep="last")
        write_text(path, table.to_csv(index=False, float_format="%.6f"))


# ---------------------------------------------------------------- putting back


def restore(plan: Plan, study: str) -> list[str]:
    """Put back the consensus labels of a study that are not there, and return their files.

    Those of other settings stay in the archive. Those that other code made are put beside the results, where a run with
    ``code=confirm`` takes them over once a sample of them is confirmed.
    """
    put_back: list[str] = []
    for case, jobs in find_jobs_with_labels(plan, study).items():
        path = locate_archive(study, case)
        kept = read_archive(path)
        base = Path(plan.ensemble_file(study, case))
        if kept and not base.is_file():
            # Snakemake makes labels anew that are older than their base clusterings
            raise InputError(f"{base}: no such file; run `snakemake --cores 2 --until base_clusterings {study}` first")
        here = []
        waiting = 0
        for job in jobs:
            if all(Path(name).exists() for name in list_outputs(job)):
                continue
            if restore_job(job, kept):
                here += list_outputs(job)
            else:
                waiting += restore_for_confirmation(job, kept)
        put_back += here
        if kept:
            said = f"{path}: {len(here)} of {count(len(kept), 'file')} put back"
            print(f"{said}; {waiting} of other code, for a run with --config code=confirm" if waiting else said)
    return put_back


def restore_job(job: PlannedJob, kept: Archive) -> bool:
    """Put back the outputs of a job, if they were made for its spec from inputs of the same content."""
    found = {name: find_kept(job, name, kept, of_other_code=False) for name in list_outputs(job)}
    files = {name: file for name, file in found.items() if file}
    if len(files) < len(found) or not all(Path(path).is_file() for path in job.given):
        return False
    planned_file = job.to_file(job.inputs, job.outputs)
    inputs = digest_inputs(KINDS[job.kind], planned_file)
    if any(file.marks.stamp.inputs != inputs for file in files.values()):
        return False
    for name, file in files.items():
        unpack(Path(name), file.content, Marks(job.spec.json_text, file.marks.stamp))
    return True


def restore_for_confirmation(job: PlannedJob, kept: Archive) -> int:
    """Put the outputs of a job that other code made where a run finds them; return how many."""
    found = {name: find_kept(job, name, kept, of_other_code=True) for name in list_outputs(job)}
    files = {name: file for name, file in found.items() if file}
    if len(files) < len(found):
        return 0
    for name, file in files.items():
        unpack(PREVIOUS / name, file.content, file.marks)
    return len(files)


def find_kept(job: PlannedJob, name: str, kept: Archive, of_other_code: bool) -> Kept | None:
    """Return a file that belongs to a job, cut anew where only other blocks are kept; None if there is none.

    ``of_other_code``: also a file that differs from the spec in the fingerprint of the code.
    """
    strip = without_code if of_other_code else without_inputs
    own = {other: file for other, file in kept.items() if strip(file.marks.spec) == strip(job.spec.json_text)}
    return own.get(name) or cut_block(name, own)


def cut_block(name: str, own: Archive) -> Kept | None:
    """Return a block of subsets cut out of other blocks; None if they do not hold all of it, or differ in versions."""
    if Path(name).parent.name == ALL_METHODS:
        return None  # what is fitted on the first subset alone belongs to no other block
    subsets = read_subsets(name)
    holders = find_holders(name, own)
    if not subsets or not holders.keys() >= set(subsets):
        return None
    used = list(dict.fromkeys(holders[subset] for subset in subsets))
    files = [own[holder] for holder in used]
    wanted = [sum(holders[subset] == holder for subset in subsets) for holder in used]
    marks = join_marks([file.marks for file in files], [len(read_subsets(holder)) for holder in used], wanted)
    if marks is None:
        return None
    cut = cut_runtime if read_kind(name) == SUFFIX_OF_RUNTIME else cut_arrays
    return Kept(marks, cut([file.content for file in files], subsets))


def join_marks(marks: Sequence[Marks], held: Sequence[int], wanted: Sequence[int]) -> Marks | None:
    """Return the marks of a block that is cut out of others; None if these are of several specs or versions.

    Of a block that was confirmed on some of its fits, as many count as belong to the ``wanted`` of its ``held``
    subsets.
    """
    plain = [one.stamp.model_copy(update={"confirmed": None}) for one in marks]
    confirmed = [one.stamp.confirmed for one in marks]
    makers = {one.made_by if one else None for one in confirmed}
    if len({one.spec for one in marks}) > 1 or len({stamp.json_text for stamp in plain}) > 1 or len(makers) > 1:
        return None
    shares = list(zip(confirmed, held, wanted, strict=True))
    joined = None
    if confirmed[0]:
        joined = Confirmation(
            made_by=confirmed[0].made_by,
            fits=sum(one.fits * taken // n for one, n, taken in shares if one),
            of=sum(one.of * taken // n for one, n, taken in shares if one),
        )
    return Marks(marks[0].spec, plain[0].model_copy(update={"confirmed": joined}))


def find_holders(name: str, own: Archive) -> dict[int, str]:
    """Return for each subset the file that holds it, among the files of the same kind in the folder of ``name``."""
    kind = read_kind(name)
    folder = Path(name).parent
    holders: dict[int, str] = {}
    for other in own:
        if read_kind(other) == kind and Path(other).parent == folder:
            holders.update(dict.fromkeys(read_subsets(other), other))
    return holders


def record(files: Sequence[str]) -> None:
    """Tell Snakemake that files were made with the present settings: it does not see otherwise that one changes."""
    touch = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all", "--touch", "--force"]
    if files:
        subprocess.run([*touch, "--allowed-rules", "consensus", "race", "--", *files], check=True)


def read_kind(name: str) -> str:
    """Return the suffix that says what a file holds."""
    return SUFFIX_OF_RUNTIME if name.endswith(SUFFIX_OF_RUNTIME) else Path(name).suffix


def read_subsets(name: str) -> range:
    """Return the subsets of the block that a file of labels or seconds is named after; none for another file."""
    word = Path(name).name.removesuffix(read_kind(name))
    return SubsetRange.parse(word).subsets if re.fullmatch(r"\d+-\d+", word) else range(0)


def cut_arrays(contents: Sequence[bytes], subsets: Sequence[int]) -> bytes:
    """Return the labels of some subsets out of blocks that hold them."""
    return pack_arrays(cut_labels([unpack_arrays(content) for content in contents], subsets))


def cut_runtime(contents: Sequence[bytes], subsets: Sequence[int]) -> bytes:
    """Return the seconds of some subsets out of blocks that hold them."""
    records = [json.loads(content) for content in contents]
    for one in records:
        del one["checksum"]
    with TemporaryDirectory() as folder:
        path = Path(folder, "record.json")
        write_record(path, cut_record(records, subsets))
        return path.read_bytes()


# ---------------------------------------------------------------- archives


def pack(path: Path) -> bytes:
    """Return a file's content, arrays without their compression: an archive of many is smaller then."""
    return path.read_bytes() if path.suffix == ".json" else pack_arrays(read_arrays(path))


def unpack(path: Path, content: bytes, marks: Marks) -> None:
    """Write a file of an archive to its place, under a spec and a stamp."""
    if path.suffix == ".json":
        one = json.loads(content)
        del one["checksum"]
        write_record(path, {**one, **marks.texts()})
    else:
        arrays = {name: array for name, array in unpack_arrays(content).items() if name not in MARKS}
        write_arrays(path, **arrays, **marks.texts())


def pack_arrays(arrays: Mapping[str, npt.ArrayLike]) -> bytes:
    """Return arrays as the content of an ``.npz`` file."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack_arrays(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays in the content of an ``.npz`` file."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def read_archive(path: Path) -> dict[str, Kept]:
    """Return the files of an archive, none if it is not there; :class:`InputError` for a damaged one."""
    if not path.is_file():
        return {}
    try:
        members = dict(read_members(path))
    except (tarfile.TarError, lzma.LZMAError, zipfile.BadZipFile, EOFError, OSError, ValueError, KeyError) as error:
        raise InputError(f"{path}: not a readable archive ({error}); take it from the repository again") from None
    later = read_kept_marks(path)
    return {name: file._replace(marks=later.get(name, file.marks)) for name, file in members.items()}


def read_members(path: Path) -> Iterator[tuple[str, Kept]]:
    """Yield the names and the files of an archive."""
    with tarfile.open(path) as archive:
        for member in archive:
            if stream := archive.extractfile(member):
                yield member.name, Kept.make(member.name, stream.read())


def write_archive(path: Path, kept: Archive) -> None:
    """Write an archive; equal files give equal bytes."""
    with written_whole(path) as temporary, tarfile.open(temporary, "w:xz", preset=9) as archive:
        for name, file in kept.items():
            member = tarfile.TarInfo(name)
            member.size = len(file.content)
            archive.addfile(member, io.BytesIO(file.content))


def main(words: Sequence[str]) -> None:
    """Keep or restore the labels of the studies that are named."""
    if len(words) < 2 or words[0] not in {"keep", "restore"}:
        raise InputError("write keep or restore, and a study: make keep STUDY=ec_cms")
    plan, studies = load_studies(words[1:])
    for study in studies:
        if plan.run_of[study] != study:
            raise InputError(f"config/config.yaml: {study} is restricted; set datasets, methods and subsets to null")
        if words[0] == "keep":
            keep(plan, study)
        else:
            record(restore(plan, study))


if __name__ == "__main__":
    run(main, __doc__, "keep|restore|STUDY")

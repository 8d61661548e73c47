"""What every job of a run goes through: its source is checked, kept results are looked for, it is done, and kept.

A job refuses to be done by a source other than the one it was planned for. Where a result of the same spec, made from
inputs with the same content, is at hand, it is written again instead of computed: an input that was made anew with the
same content changes nothing.
"""

import logging
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from consclust.errors import InputError
from consclust.extras import needs
from consclust_studies.code.job_code import check_loaded
from consclust_studies.contents import WITH_MARKS, Marks, digest_content, read_marks, write_again
from consclust_studies.job_files import Files, JobFile
from consclust_studies.kinds import Kind, find_kind
from consclust_studies.specs import Spec, differ_in_code_alone, digest, without_inputs
from consclust_studies.stamps import Stamp, installed_versions

log = logging.getLogger("consclust")

PREVIOUS = Path("results/.previous")
"""Second names (hard links) of the results of finished jobs: Snakemake removes the first before it repeats a job."""


class Previous(NamedTuple):
    """The results of an earlier run of a job, and what they were made for."""

    paths: Mapping[Path, Path]
    """By output: the second name of what was there."""
    marks: Marks


def run_job_file(path: Path) -> str:
    """Do the job in a file that the workflow wrote; return one line on what it did.

    :class:`InputError` if an input is damaged, missing, or was made for another spec, and if the source has changed
    since the run began.
    """
    planned = JobFile.read(path)
    kind = find_kind(planned.kind, path)
    started = time.monotonic()
    with needs(kind.extra):
        job = kind.load_spec().from_text(planned.spec, path)
        check_source(job, planned)
        found = do_job(kind, job, planned)
        try:
            check_source(job, planned)
        except InputError:
            remove_outputs(planned)
            raise
    if kind.keeps_results:
        keep_results(planned)
    return f"{planned.title}: {found} ({time.monotonic() - started:.1f} s)"


def do_job(kind: Kind, job: Spec, planned: JobFile) -> str:
    """Do a job, or write again what an earlier run made of the same; return what was done."""
    files = Files(
        inputs=as_paths(planned.inputs),
        outputs=as_paths(planned.outputs),
        stamp=Stamp(versions=dict(installed_versions()), inputs=digest_inputs(kind, planned)),
        arguments=planned.arguments,
    )
    previous = find_previous(planned) if kind.keeps_results else None
    if previous and previous.marks.stamp.inputs == files.stamp.inputs:
        with suppress(InputError):  # a kept result that is damaged is computed; a damaged input is reported there too
            if said := take_over(previous, kind, job, planned, files):
                return said
        files.previous = find_versions_to_keep(previous, planned, files)
    return kind.load_run()(job, files)


def take_over(previous: Previous, kind: Kind, job: Any, planned: JobFile, files: Files) -> str:
    """Write the results of an earlier run again if they are those of a job; say so, or return nothing."""
    before = previous.marks
    if not planned.keep_versions and before.stamp.versions != files.stamp.versions:
        return ""
    if without_inputs(before.spec) == without_inputs(job.json_text):
        adopt(previous, Marks(job.json_text, before.stamp))
        return "unchanged, as the content of its inputs is the same"
    if planned.confirm and kind.is_sampled and differ_in_code_alone(before.spec, job.json_text):
        from consclust_studies.confirm import confirm

        found = confirm(job, files, previous.paths, planned.confirm_all)
        if found:
            stamp = before.stamp.model_copy(update={"confirmed": found.confirmation})
            adopt(previous, Marks(job.json_text, stamp))
            return found.said
    return ""


def find_versions_to_keep(previous: Previous, planned: JobFile, files: Files) -> Mapping[Path, Path]:
    """Return the results of an earlier run, parts of which a job may take over; none of other versions if unwanted."""
    is_wanted = planned.keep_versions or previous.marks.stamp.versions == files.stamp.versions
    return previous.paths if is_wanted else {}


def as_paths(names: Mapping[str, Sequence[str]]) -> dict[str, tuple[Path, ...]]:
    """Return the files of a job as paths."""
    return {name: tuple(map(Path, paths)) for name, paths in names.items()}


def digest_inputs(kind: Kind, planned: JobFile) -> str:
    """Return the digest of what the inputs of a job contain."""
    if not kind.keeps_results:
        return ""
    found: list[str] = []
    for name, paths in sorted(planned.inputs.items()):
        for path in map(Path, paths):
            found.append(f"{name} {digest_content(path)}")
            if kind.reads_makers:
                marks = read_marks(path)
                found.append(marks.stamp.model_copy(update={"inputs": ""}).json_text if marks else "")
    return digest("\n".join(found))


def find_previous(planned: JobFile) -> Previous | None:
    """Return what an earlier run left of a job; None if anything of it is missing or damaged."""
    paths = {Path(name): PREVIOUS / name for names in planned.outputs.values() for name in names}
    found: Marks | None = None
    for path in paths.values():
        if not path.is_file():
            return None
        marks = read_marks(path)
        if marks is None and path.suffix in WITH_MARKS:
            return None
        if marks and found and marks.spec != found.spec:
            return None
        found = found or marks
    return Previous(paths, found) if found else None


def adopt(previous: Previous, marks: Marks) -> None:
    """Write the results of an earlier run again, with another spec."""
    for target, source in previous.paths.items():
        write_again(source, target, marks)


def keep_results(planned: JobFile) -> None:
    """Give the outputs of a job a second name, so that they outlive their removal before the job is repeated."""
    # a storage is left out: the folder lives no longer than the job
    names = [name for names in planned.outputs.values() for name in names if not Path(name).is_absolute()]
    # those of an earlier run go first: after a kill some files are missing, and none are of two runs
    for name in names:
        (PREVIOUS / name).unlink(missing_ok=True)
    for name in names:
        second = PREVIOUS / name
        with suppress(OSError):  # a file system without hard links: nothing is kept, and nothing lost
            second.parent.mkdir(parents=True, exist_ok=True)
            temporary = second.with_name(f".{second.name}.{os.getpid()}")
            os.link(name, temporary)
            temporary.replace(second)


def remove_outputs(planned: JobFile) -> None:
    """Remove what a job has made."""
    for name in (name for names in planned.outputs.values() for name in names):
        Path(name).unlink(missing_ok=True)


def check_source(job: Spec, planned: JobFile) -> None:
    """Raise InputError if the source that this process has is not the one that the job was planned for."""
    check_loaded(job.code_behind(), job.code, planned.sources)

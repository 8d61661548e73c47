"""``python -m consclust reports``: exhibits, or the document of all of them."""

import argparse
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from consclust.errors import InputError
from consclust.files import RERUN, read_record
from consclust_studies.exhibits.report_jobs import IN_BLOCKS, OF_PROJECT, DocumentJob, ExhibitJob, in_order, part_of
from consclust_studies.results.source import Item, Source
from consclust_studies.specs import digest

log = logging.getLogger("consclust")


class ExhibitError(Exception):
    """An exhibit broke where it should not; the message names it."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run one job of the stage."""
    parser = argparse.ArgumentParser(
        prog="python -m consclust reports", description="Make exhibits of a report, or the report of all exhibits."
    )
    jobs = {"exhibits": _exhibits, "document": _document}
    parser.add_argument("job", choices=jobs, help="tables, a figure; or the PDF, the page, provenance, checksums")
    parser.add_argument("--spec", required=True, metavar="JSON", help="the job, as snakemake -p shows it")
    parser.add_argument("--out", required=True, nargs="+", type=Path, metavar="FILE", help="files to write")
    parser.add_argument(
        "--inputs",
        nargs="*",
        default=[],
        type=Path,
        metavar="FILE",
        help="in the order of the spec; the project's first, blocks last",
    )
    options = parser.parse_args(argv)
    started = time.process_time()
    what = jobs[options.job](options.spec, options.inputs, options.out)
    log.info("%s: %.2f CPU s", what, time.process_time() - started)


def _exhibits(spec: str, inputs: list[Path], out: list[Path]) -> str:
    from consclust_studies.exhibits import stored as render

    job = ExhibitJob.of_text(spec, "--spec")
    given = _given(in_order(item for items in job.items.values() for item in items), inputs)
    whole = Source(job.study, given, job.seed)
    for exhibit in job.study.exhibits:
        own = {*job.items[exhibit.id]}
        own_files = [pair for pair in given if pair[0] in own]
        source = replace(whole, study=part_of(job.study, [exhibit]), files=own_files)
        files = {path.suffix: path for path in out if path.stem == exhibit.id}
        try:
            render.write_shown(job.shown_as(exhibit), exhibit.build(source), job.json_text, files)
        except InputError:
            raise
        except Exception as error:
            raise ExhibitError(f"exhibit {exhibit.id}: {type(error).__name__}: {error}") from error
    return f"{job.study.id}: {', '.join(job.items)}"


def _document(spec: str, inputs: list[Path], out: list[Path]) -> str:
    from consclust_studies.document.document import write_document

    job = DocumentJob.of_text(spec, "--spec")
    write_document(Source(job.study, _given(job.items, inputs), job.seed), {path.name: path for path in out})
    return f"{job.study.id}: {out[0]}"


def _given(items: Sequence[Item], paths: Sequence[Path]) -> list[tuple[Item, Path]]:
    """Say which input each file is: in order, but for blocks of subsets, whose own specs say it."""
    from consclust_studies.stages.label_blocks import Block

    single = [item for item in items if item.role not in IN_BLOCKS]
    blocks = {(item.role, item.spec): item for item in items[len(single) :]}
    if len(paths) < len(single) or (len(paths) > len(single) and not blocks):
        raise InputError(f"--inputs: {len(paths)} files given, {len(single)} planned")
    found = list(zip(single, paths, strict=False))
    for path in (path for item, path in found if item.role in OF_PROJECT and digest(path.read_bytes()) != item.spec):
        raise InputError(f"{path}: not the file that this job was planned for; {RERUN}")
    for path in paths[len(single) :]:
        runtimes = path.suffix == ".json"
        key = ("runtimes", digest(read_record(path)["spec"])) if runtimes else ("labels", Block(path).digest)
        if key not in blocks:
            raise InputError(f"{path}: made with other settings than this job was planned for; {RERUN}")
        found.append((blocks[key], path))
    return found

"""What is done of the studies: ``python -m consclust_studies.plan.status [STUDY ...]``, or ``make status``.

Snakemake says which jobs are left; a job that it has marked is at work, and one with a log and no output has failed.
"""

import base64
import csv
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from consclust.errors import InputError
from consclust_studies.plan.costs import Job, find_makespan, format_duration, list_jobs, load_studies, run

STATES = ("done", "running", "failed", "left")
MARKS = Path(".snakemake/incomplete")
"""Snakemake's marks of outputs whose job has begun, named by the path in base64."""


def left(study: str) -> set[str]:
    """Return the outputs of a study that are to be made; InputError with what Snakemake says, if it has no plan."""
    command = [sys.executable, "-m", "snakemake", "--summary", "--", study]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InputError(done.stderr.strip().splitlines()[-1])
    rows = csv.DictReader(done.stdout.splitlines(), delimiter="\t")
    return {row["output_file"] for row in rows if row["plan"] != "no update"}


def begun() -> Iterator[str]:
    """Yield the outputs that have been begun and not finished."""
    for mark in (path for path in MARKS.rglob("*") if path.is_file()):
        name = "".join(part.removeprefix("@") for part in mark.relative_to(MARKS).parts)
        yield base64.urlsafe_b64decode(name).decode(errors="replace")


def state(job: Job, to_make: set[str], marked: set[str]) -> str:
    """Return whether a job is done, running, failed or left."""
    if job.name in marked:
        return "running"
    if job.name not in to_make:
        return "done"
    return "failed" if Path(job.log).is_file() and not Path(job.name).exists() else "left"


def main(words: Sequence[str]) -> None:
    """Print how many jobs of each study are done, running, failed and left, and how long the rest takes here."""
    (plan, wanted), cores = load_studies(words), os.cpu_count() or 1
    print(f"{'study':<12}" + "".join(f"{name:>9}" for name in STATES) + f"{f'{cores} cores':>12}")
    for word in wanted:
        to_make, jobs = left(word), list_jobs(plan, plan.run_of[word])
        marked = set(begun())  # last, so that what began meanwhile is not taken for failed
        found = {job.name: state(job, to_make, marked) for job in jobs}
        counts = [list(found.values()).count(name) for name in STATES]
        rest = [
            job._replace(after=tuple(n for n in job.after if found[n] != "done"))
            for job in jobs
            if found[job.name] != "done"
        ]
        time = format_duration(find_makespan(rest, cores)) if rest else "-"
        print(f"{word:<12}" + "".join(f"{count:>9}" for count in counts) + f"{time:>12}")
        for job in (job for job in jobs if found[job.name] == "failed"):
            print(f"  failed: {job.log}")


if __name__ == "__main__":
    run(main, __doc__)

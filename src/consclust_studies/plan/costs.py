"""How long the studies take: ``python -m consclust_studies.plan.costs [STUDY ...]``, or ``make plan``.

The jobs are those of the plan, their seconds those of :mod:`consclust_studies.plan.estimates`.
"""

import argparse
import heapq
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from consclust.errors import InputError
from consclust.validation import did_you_mean, read_yaml
from consclust_studies.config.settings import CONFIG_FILE
from consclust_studies.plan import needs
from consclust_studies.plan.jobs import PlannedJob
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.plan import Plan

START = 2.0
"""CPU seconds of a job before it works: Python, the libraries, and Snakemake's part; all that preparing data takes."""
TABLES = 60.0
FIGURE = 10.0
DOCUMENT = 10.0
"""CPU seconds in the reports of large studies."""
CORES = (1, 16, 256)


class Job(NamedTuple):
    """A job with what a schedule needs: its first output, its log, its seconds, the jobs before it, its group."""

    name: str
    log: str
    seconds: float
    after: tuple[str, ...] = ()
    group: str | None = "report"


def jobs_of(plan: Plan, run: str) -> list[Job]:
    """Return the jobs of a run, each after those that it waits for; downloads are left out."""
    planned = plan.jobs_of(run)
    makers = {path: job.first_output for job in planned for paths in job.outputs.values() for path in paths}
    found = []
    for job in planned:
        before = dict.fromkeys(makers[path] for path in job.given if path in makers)
        found.append(Job(job.first_output, job.log, seconds_of(job), tuple(before), job.group))
    return found


def seconds_of(job: PlannedJob) -> float:
    """Return the estimated CPU seconds of a job with its start."""
    if job.rule == "tables":
        return TABLES
    if job.rule == "document":
        return DOCUMENT
    if job.rule == "figure":
        return FIGURE + job.need.seconds - needs.REPORT_SECONDS
    if job.rule in ("prepare", "collect"):
        return START
    return START + job.need.seconds


def submitted(jobs: Sequence[Job]) -> list[float]:
    """Return the CPU seconds of each job of a cluster: of jobs of a group that depend on each other, or of one job."""
    from scipy.cluster.hierarchy import DisjointSet

    together, group = DisjointSet([job.name for job in jobs]), {job.name: job.group for job in jobs}
    for job in jobs:
        for name in job.after:
            if job.group and job.group == group[name]:
                together.merge(name, job.name)
    seconds = {job.name: job.seconds for job in jobs}
    return [sum(map(seconds.__getitem__, names)) for names in together.subsets()]


def span(jobs: Sequence[Job], cores: int) -> float:
    """Return the seconds until all jobs are done on so many cores, where the longest way to the end goes first."""
    seconds = {job.name: job.seconds for job in jobs}
    rest, waits = dict(seconds), {job.name: len(job.after) for job in jobs}
    followers: dict[str, list[str]] = {job.name: [] for job in jobs}
    for job in reversed(jobs):  # each after those that it waits for
        for name in job.after:
            followers[name].append(job.name)
            rest[name] = max(rest[name], seconds[name] + rest[job.name])
    ready = [(-rest[name], name) for name in waits if not waits[name]]
    heapq.heapify(ready)
    running, now = list[tuple[float, str]](), 0.0
    while ready or running:
        while ready and len(running) < cores:
            _, name = heapq.heappop(ready)
            heapq.heappush(running, (now + seconds[name], name))
        now, done = heapq.heappop(running)
        for name in followers[done]:
            waits[name] -= 1
            if not waits[name]:
                heapq.heappush(ready, (-rest[name], name))
    return now


def duration(seconds: float) -> str:
    """Return a time as people say it."""
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def planned(words: Sequence[str]) -> tuple[Plan, Sequence[str]]:
    """Return the plan and the studies that are named, or all; :class:`InputError` for one that is not there."""
    plan = load_plan(read_yaml(CONFIG_FILE))
    for word in words:
        if word not in plan.run_of:
            raise InputError(f"{word}: no such study; {did_you_mean(word, list(plan.run_of))}")
    return plan, words or tuple(plan.run_of)


def main(words: Sequence[str]) -> None:
    """Print for each study its jobs, those that a cluster is given, core hours, and the time on several cores."""
    plan, wanted = planned(words)
    heads = [
        *(f"{head:>10}" for head in ("submitted", "shortest", "longest", "CPU")),
        *(f"{f'{n} cores':>11}" for n in CORES),
    ]
    print(f"{'study':<12}{'jobs':>7}" + "".join(heads))
    for word in wanted:
        jobs = jobs_of(plan, plan.run_of[word])
        seconds = submitted(jobs)
        cells = [min(seconds), max(seconds), sum(seconds)]
        times = "".join(f"{duration(span(jobs, cores)):>11}" for cores in CORES)
        print(
            f"{word:<12}{len(jobs):>7}{len(seconds):>10}" + "".join(f"{duration(cell):>10}" for cell in cells) + times
        )


def run(main: Callable[[Sequence[str]], None], description: str | None, words: str = "STUDY") -> None:
    """Call ``main`` with the words of the command line; ``--help`` shows the description, bad input ends in a line."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar=words)
    try:
        main(parser.parse_args().words)
    except InputError as mistake:
        sys.exit(str(mistake))


if __name__ == "__main__":
    run(main, __doc__)

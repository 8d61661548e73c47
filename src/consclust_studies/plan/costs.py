"""How long the studies take: ``python -m consclust_studies.plan.costs [STUDY ...]``, or ``make plan``.

The jobs are those of the plan, their seconds those of :mod:`consclust_studies.plan.estimates`.
"""

# SciPy is imported where needed, so that what does without it starts faster

import argparse
import heapq
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple

from consclust.errors import InputError
from consclust.validation import did_you_mean, read_yaml
from consclust_studies import paths
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


def list_jobs(plan: Plan, run: str) -> list[Job]:
    """Return the jobs of a run, each after those that it waits for; downloads are left out."""
    # downloads are left out, so no job makes the raw data
    planned = plan.list_jobs(run)
    maker = {}
    for job in planned:
        for files in job.outputs.values():
            maker.update(dict.fromkeys(files, job.first_output))
    found = []
    for job in planned:
        before = dict.fromkeys(maker[path] for path in job.given if path in maker)
        found.append(Job(job.first_output, job.log, estimate_seconds(job), tuple(before), job.group))
    return found


def estimate_seconds(job: PlannedJob) -> float:
    """Return the estimated CPU seconds of a job with its start."""
    if job.rule == "tables":
        return TABLES
    if job.rule == "document":
        return DOCUMENT
    # a figure may fit methods anew, whose seconds are in its need
    if job.rule == "figure":
        return FIGURE + job.need.seconds - needs.REPORT_SECONDS
    if job.rule in ("prepare", "collect"):
        return START
    return START + job.need.seconds


def sum_submitted(jobs: Sequence[Job]) -> list[float]:
    """Return the CPU seconds of each job of a cluster: of jobs of a group that depend on each other, or of one job."""
    from scipy.cluster.hierarchy import DisjointSet

    # as Snakemake does: jobs of a group that are connected become one job of the cluster
    together = DisjointSet([job.name for job in jobs])
    group = {job.name: job.group for job in jobs}
    for job in jobs:
        for name in job.after:
            if job.group and job.group == group[name]:
                together.merge(name, job.name)
    seconds = {job.name: job.seconds for job in jobs}
    return [sum(seconds[name] for name in names) for names in together.subsets()]


def find_makespan(jobs: Sequence[Job], cores: int) -> float:
    """Return the seconds until all jobs are done on so many cores, where the longest way to the end goes first.

    ``jobs`` stand after those that they wait for.
    """
    seconds = {job.name: job.seconds for job in jobs}
    followers = _find_followers(jobs)
    rest = _sum_longest_ways(jobs, followers)
    n_awaited = {job.name: len(job.after) for job in jobs}
    # heapq takes the smallest first: the longest rest, then the earliest end
    ready = [(-rest[name], name) for name, awaited in n_awaited.items() if awaited == 0]
    heapq.heapify(ready)
    running: list[tuple[float, str]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            _, name = heapq.heappop(ready)
            heapq.heappush(running, (now + seconds[name], name))
        now, done = heapq.heappop(running)
        for name in followers[done]:
            n_awaited[name] -= 1
            if n_awaited[name] == 0:
                heapq.heappush(ready, (-rest[name], name))
    return now


def check_budget(plan: Plan, run: str) -> None:
    """Raise InputError if a run takes more CPU hours, by the estimates, than its study allows."""
    study = plan.runs[run]
    if study.budget_hours is None:
        return
    hours = sum(job.seconds for job in list_jobs(plan, run)) / 3600
    if hours > study.budget_hours:
        where = f"{paths.STUDY.format(study=study.id)}: budget_hours = {study.budget_hours:g}"
        raise InputError(
            f"{where}: the plan of {run} takes {hours:.1f} CPU hours; run fewer methods or cases, or raise it"
        )


def select_jobs(jobs: Sequence[Job], names: Container[str]) -> list[Job]:
    """Return the jobs with these names, each waiting for such jobs alone."""
    return [job._replace(after=tuple(name for name in job.after if name in names)) for job in jobs if job.name in names]


def _find_followers(jobs: Sequence[Job]) -> dict[str, list[str]]:
    """Return the jobs that wait for each job, the last ones first."""
    followers: dict[str, list[str]] = {job.name: [] for job in jobs}
    for job in reversed(jobs):
        for name in job.after:
            followers[name].append(job.name)
    return followers


def _sum_longest_ways(jobs: Sequence[Job], followers: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return the seconds from the start of each job to the end of the last that depends on it."""
    rest: dict[str, float] = {}
    for job in reversed(jobs):  # those that follow a job are known before it
        rest[job.name] = job.seconds + max((rest[name] for name in followers[job.name]), default=0.0)
    return rest


def format_duration(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def load_studies(words: Sequence[str]) -> tuple[Plan, Sequence[str]]:
    """Return the plan and the studies that are named, or all; :class:`InputError` for one that is not there."""
    plan = load_plan(read_yaml(CONFIG_FILE))
    for word in words:
        if word not in plan.run_of:
            raise InputError(f"{word}: no such study; {did_you_mean(word, list(plan.run_of))}")
    return plan, words or tuple(plan.run_of)


def main(words: Sequence[str]) -> None:
    """Print for each study its jobs, those that a cluster is given, core hours, and the time on several cores."""
    plan, wanted = load_studies(words)
    heads = "".join(f"{head:>10}" for head in ("submitted", "shortest", "longest", "CPU"))
    heads += "".join(f"{f'{n} cores':>11}" for n in CORES)
    print(f"{'study':<12}{'jobs':>7}{heads}")
    for word in wanted:
        jobs = list_jobs(plan, plan.run_of[word])
        seconds = sum_submitted(jobs)
        line = f"{word:<12}{len(jobs):>7}{len(seconds):>10}"
        line += "".join(f"{format_duration(cell):>10}" for cell in (min(seconds), max(seconds), sum(seconds)))
        line += "".join(f"{format_duration(find_makespan(jobs, cores)):>11}" for cores in CORES)
        print(line)
    for word in wanted:
        check_budget(plan, plan.run_of[word])


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

"""How long the studies take: ``python -m consclust_studies.plan.costs [STUDY ...]``, or ``make plan``.

Seconds of a fit are those of the accepted run of the study; of variants, those that are kept with its labels. Where it
has none, they are what the method declares, an upper bound, times the share of it that accepted runs of any study have
taken: those on the same data, or else all.
"""

import argparse
import heapq
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from statistics import median
from typing import NamedTuple

from consclust.errors import InputError
from consclust.validation import did_you_mean, read_yaml
from consclust_studies.config.cases import Case
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.settings import CONFIG_FILE
from consclust_studies.plan import needs
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.plan import Plan

START = 2.0
"""CPU seconds of a job before it works: Python, the libraries, and Snakemake's part; all that preparing data takes."""
TABLES, FIGURE, DOCUMENT = 60.0, 10.0, 10.0
"""CPU seconds in the reports of large studies."""
CORES = (1, 16, 256)
SHORT = 60.0
"""CPU seconds up to which a consensus job shares a cluster job with the others of its case."""


class Job(NamedTuple):
    """A job of a run: its first output, its log, its seconds, the jobs that it waits for, its group on a cluster."""

    name: str
    log: str
    seconds: float
    after: tuple[str, ...] = ()
    group: str | None = "report"


def jobs_of(plan: Plan, run: str) -> list[Job]:
    """Return the jobs of a run, each after those that it waits for; downloads are left out."""
    study, made = plan.runs[run], dict[str, Job]()
    parts = ["", "/variants"] if study.of_variants() else [""]
    for part in parts:
        for view in plan.scored(run, part):
            for case in view.cases:
                made |= {job.name: job for job in _of_case(plan, run, part, view, case)}
    needed = [exhibit.needs(study) for exhibit in study.exhibits]
    for case_id in dict.fromkeys(case_id for need in needed for case_id in need.unseen):
        name = f"results/{run}/unseen/{case_id}.parquet"
        seconds = START + plan.need_of_unseen(run, case_id).seconds
        made[name] = Job(name, f"logs/{run}/unseen/{case_id}.log", seconds, group=None)
    collected = [
        Job(
            f"results/{run}{p}/selected.csv",
            f"logs/{run}{p}/scores/collect.log",
            START,
            tuple(plan.score_files(run, p)),
        )
        for p in parts
    ]
    after = (*(job.name for job in collected), *(name for name in made if "/unseen/" in name))
    shown = [Job(f"results/{run}/exhibits/{plan.tables(run)[0]}.json", f"logs/{run}/reports/tables.log", TABLES, after)]
    for exhibit in (exhibit for exhibit in study.exhibits if exhibit.drawn):
        fits = plan.need_of_exhibits(run, exhibit.id).seconds - needs.REPORT_SECONDS
        log = f"logs/{run}/reports/{exhibit.id}.log"
        shown.append(Job(f"results/{run}/exhibits/{exhibit.id}.json", log, FIGURE + fits, after))
    log = f"logs/{run}/reports/document.log"
    document = Job(f"reports/{run}/report.pdf", log, DOCUMENT, tuple(job.name for job in shown))
    return [*made.values(), *collected, *shown, document]


def _of_case(plan: Plan, run: str, part: str, view: Experiment, case: Case) -> Iterator[Job]:
    study, prepared = plan.runs[run], plan.prepared_file(case)
    yield Job(prepared, f"logs/datasets/prepare/{case.dataset}/{case.steps_word}.log", START, group="case")
    ensemble = f"results/ensembles/{study.id}/{case.id}.npz"
    log, seconds = f"logs/{study.id}/ensembles/{case.id}.log", seconds_of_base_clusterings(plan, study.id, case)
    yield Job(ensemble, log, START + seconds, (prepared,), group="case")
    labels: dict[str, None] = {}
    for method in view.runs(case):
        for file in plan.label_files(run, case, method):
            block = file.rpartition("/")[2].removesuffix(".npz")
            raced = bool(plan.race_file(study.id, case.id, method.id, block))
            after = (ensemble, *(plan.first_blocks(study.id, case.id, method.id) if raced else ()))
            log = f"logs{file.removeprefix('results').removesuffix('.npz')}.log"
            fits = seconds_of_fits(plan, study.id, case, method, block)
            yield Job(file, log, START + fits, after, group_of_fits(fits))
            labels[file] = None
    scored = f"results/{run}{part}/scores/{case.id}.parquet"
    log = f"logs/{run}{part}/scores/{case.id}.log"
    yield Job(scored, log, START + plan.need_of_score(run, part, case.id).seconds, tuple(labels))


def seconds_of_base_clusterings(plan: Plan, study: str, case: Case) -> float:
    """Return the CPU seconds of the base clusterings of a case; sparse features hold no more numbers than bytes."""
    n, features, _ = plan.shape(case.dataset)
    dense = max(n * features, 1)
    held = sum(file.bytes or dense for file in plan.registry[case.dataset].files) or dense
    return plan.need_of_ensemble(study, case.id).seconds * min(1.0, held / dense)


def seconds_of_fits(plan: Plan, study: str, case: Case, method: MethodRun, block: str) -> float:
    """Return the CPU seconds of a method on a block of subsets, by what accepted runs have measured."""
    first, last = map(int, block.split("-"))
    view, shape = plan.studies[study], plan.shape(case.dataset)
    method = next(iter(view.together(method.id)), method)
    fits = (last + 1 - first) * needs.points(view, case, method, first)
    if known := needs.measured(study).get((case.id, method.id)):
        return fits * float(known["cpu_seconds_per_fit"])
    declared = needs.consensus(view, case, shape, method, first, last).seconds
    return declared * _measured_share(plan, method.method, case.dataset)


def group_of_fits(seconds: float) -> str | None:
    """Return the group of jobs that a cluster gets as one: what is short goes with the rest of its case."""
    return "case" if seconds <= SHORT else None


class Share(NamedTuple):
    """The share of its declared seconds that a method has taken on a data set in an accepted run."""

    method: str
    dataset: str
    share: float


@cache
def _measured_share(plan: Plan, method: str, dataset: str) -> float:
    of_method = [share for share in _measured_shares(plan) if share.method == method]
    on_data = [share for share in of_method if share.dataset == dataset]
    shares = on_data or of_method or _measured_shares(plan)
    return median(share.share for share in shares) if shares else 1.0


@cache
def _measured_shares(plan: Plan) -> Sequence[Share]:
    found = []
    for study in plan.studies.values():
        cases, methods = {case.id: case for case in study.cases}, {method.id: method for method in study.methods}
        for (case_id, method_id), row in needs.accepted(study.id).items():
            if (case := cases.get(case_id)) and (method := methods.get(method_id)):
                one = needs.consensus(study, case, plan.shape(case.dataset), method, 0, 0).seconds
                taken = needs.points(study, case, method, 0) * float(row["cpu_seconds_per_fit"])
                found.append(Share(method.method, case.dataset, taken / one))
    return found


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

"""What is done of the studies: ``python -m consclust_studies.plan.status [STUDY ...]``, or ``make status``.

Shown are the studies with the settings of config/config.yaml, and the runs in results/ that were started with others.
With ``--config`` it is the studies with these settings. A word may also be the name of a run, such as
rce.datasets-yale.

Snakemake says which jobs are left; a job that it has marked is at work, and one with a log and no output has failed.
"""

import argparse
import base64
import csv
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from consclust.errors import InputError
from consclust.validation import did_you_mean, read_yaml
from consclust_studies.config.settings import CONFIG_FILE, Settings
from consclust_studies.plan.costs import Job, find_makespan, format_duration, list_jobs, select_jobs
from consclust_studies.plan.known_runs import KnownRun, find_differing, is_run_at_work, read_known_runs, write_as_words
from consclust_studies.plan.load import check_command_line, load_plan
from consclust_studies.plan.plan import Plan

STATES = ("done", "running", "failed", "left")
MARKS = Path(".snakemake/incomplete")
"""Snakemake's marks of outputs whose job has begun, named by the path in base64."""


class Group(NamedTuple):
    """Runs with the same settings, of which Snakemake is asked at once."""

    plan: Plan
    studies: Sequence[str]
    arguments: Sequence[str] = ()
    """What Snakemake is told of the settings."""
    note: str = ""
    """Settings that the names of the runs do not say."""


def left(studies: Sequence[str], arguments: Sequence[str] = ()) -> set[str]:
    """Return the outputs of studies that are to be made; InputError with what Snakemake says, if it has no plan."""
    command = [sys.executable, "-m", "snakemake", "--summary", *arguments, "--", *studies]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InputError(done.stderr.strip().splitlines()[-1])
    rows = csv.DictReader(done.stdout.splitlines(), delimiter="\t")
    return {row["output_file"] for row in rows if row["plan"] != "no update"}


def begun() -> Iterator[str]:
    """Yield the outputs that have been begun and not finished; those of a run that was killed are not at work."""
    if not is_run_at_work():
        return
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


def find_groups(words: Sequence[str]) -> Iterator[Group]:
    """Yield the studies as config.yaml has them, and the runs that were started with other settings.

    ``words`` are ids of studies and names of runs, or empty for all of them; :class:`InputError` for an unknown one.
    """
    config = read_yaml(CONFIG_FILE)
    plan = load_plan(config)
    others = [run for run in read_known_runs() if find_differing(run.settings, plan.settings)]
    check_words(words, [*plan.studies, *plan.runs, *(run.name for run in others)])
    if studies := studies_named(words, plan):
        yield Group(plan, studies)
    for run in others:
        named = not words or run.study in words or run.name in words
        group = find_group(run, config, plan.settings) if named else None
        if group:
            yield group


def studies_named(words: Sequence[str], plan: Plan) -> list[str]:
    """Return the studies of a plan whose id, or whose run, is among the words; all without words."""
    return [study for study, run in plan.run_of.items() if not words or study in words or run in words]


def find_group(run: KnownRun, config: Mapping[str, Any], settings: Settings) -> Group | None:
    """Return the group of one run; None, after a line, if the study or its settings are not valid any more."""
    others = find_differing(run.settings, settings)
    try:
        plan = load_plan({**config, **run.settings.model_dump(mode="json", include={*others})})
        if plan.run_of.get(run.study) != run.name:
            raise InputError(plan.refused.get(run.study, f"no run of the studies with the settings in {run.file}"))
    except InputError as mistake:
        print(f"{run.name}: {str(mistake).splitlines()[0]}")
        return None
    note = " ".join(
        write_as_words({key: value for key, value in others.items() if key not in run.settings.restrictions})
    )
    return Group(plan, [run.study], ("--configfile", str(run.file)), note)


def group_with(given: Sequence[str], words: Sequence[str]) -> Group:
    """Return the studies with settings that are given as for ``--config``."""
    check_command_line(["--config", *given])
    changes = dict(parse_setting(word) for word in given)
    plan = load_plan({**read_yaml(CONFIG_FILE), **changes}, given=changes)
    check_words(words, [*plan.studies, *plan.runs])
    for word in words:
        if word in plan.refused:
            raise InputError(plan.refused[word])
    studies = studies_named(words, plan)
    if not studies:
        raise InputError("; ".join(plan.refused.values()))
    return Group(plan, studies, ("--config", *given))


def parse_setting(word: str) -> tuple[str, Any]:
    """Return the key and the value of a word such as seed=1."""
    key, sign, value = word.partition("=")
    if not sign:
        raise InputError(f"--config: {word!r}: no setting; write <key>=<value>, such as seed=1")
    try:
        return key, yaml.safe_load(value)
    except yaml.YAMLError:
        raise InputError(f"--config: {key} = {value!r}: not a valid value; correct or quote it") from None


def check_words(words: Sequence[str], known: Sequence[str]) -> None:
    """Raise InputError for a word that is no study and no run."""
    for word in words:
        if word not in known:
            raise InputError(f"{word}: no such study or run; {did_you_mean(word, list(dict.fromkeys(known)))}")


def show(group: Group, width: int, cores: int) -> None:
    """Print how many jobs of the runs of a group are done, running, failed and left, and how long the rest takes."""
    to_make = left(group.studies, group.arguments)
    marked = set(begun())  # last, so that what began meanwhile is not taken for failed
    for study in group.studies:
        name = group.plan.run_of[study]
        jobs = list_jobs(group.plan, name)
        found = {job.name: state(job, to_make, marked) for job in jobs}
        counts = [list(found.values()).count(word) for word in STATES]
        rest = select_jobs(jobs, {name for name, word in found.items() if word != "done"})
        time = format_duration(find_makespan(rest, cores)) if rest else "-"
        print(f"{name:<{width}}" + "".join(f"{count:>9}" for count in counts) + f"{time:>12}")
        if group.note:
            print(f"  with {group.note}")
        for job in (job for job in jobs if found[job.name] == "failed"):
            print(f"  failed: {job.log}")


def main(words: Sequence[str], given: Sequence[str] = ()) -> None:
    """Print the states of the jobs of runs, by ids of studies or names of runs; ``given`` are settings as key=value."""
    groups = [group_with(given, words)] if given else list(find_groups(words))
    cores = os.cpu_count() or 1
    width = 2 + max((len(group.plan.run_of[study]) for group in groups for study in group.studies), default=10)
    print(f"{'run':<{width}}" + "".join(f"{name:>9}" for name in STATES) + f"{f'{cores} cores':>12}")
    for group in groups:
        show(group, width, cores)


def parse_and_run() -> None:
    """Read the command line; bad input ends in one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="STUDY")
    parser.add_argument(
        "--config", nargs="+", default=(), metavar="KEY=VALUE", help="settings, as snakemake takes them"
    )
    options = parser.parse_args()
    try:
        main(options.words, options.config)
    except InputError as mistake:
        sys.exit(str(mistake))


if __name__ == "__main__":
    parse_and_run()

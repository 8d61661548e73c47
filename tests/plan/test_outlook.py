"""What a run says before it starts."""

import re
from pathlib import Path

from consclust_studies.plan.costs import list_jobs
from consclust_studies.plan.outlook import describe_rest


def numbers(text):
    return [int(word) for word in re.findall(r"\b\d+\b", text.partition(":")[2])]


def test_jobs_whose_files_are_there_are_not_counted(make_plan):
    plan = make_plan()
    jobs = list_jobs(plan, "mine")
    assert numbers(describe_rest(plan, "mine", 2))[:2] == [len(jobs), len(jobs)]
    for job in jobs[:3]:
        Path(job.name).parent.mkdir(parents=True, exist_ok=True)
        Path(job.name).touch()
    line = describe_rest(plan, "mine", 2)
    assert line.startswith("mine: ")
    assert numbers(line)[:2] == [len(jobs) - 3, len(jobs)]
    assert "2 cores" in line
    assert "core" not in describe_rest(plan, "mine", None)
    for job in jobs:
        Path(job.name).parent.mkdir(parents=True, exist_ok=True)
        Path(job.name).touch()
    assert numbers(describe_rest(plan, "mine", 1)) == [len(jobs)]

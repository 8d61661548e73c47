"""Two studies through a real Slurm, against the same studies run here.

In the middle one job is cancelled, one is killed over its memory, and the controller of Slurm is down for a while.
``make test-slurm`` starts a Slurm on this machine for it, without accounting.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "workflow", "config", "studies", "profiles", "src", "envs", "reports/accepted")
STUDY = "quickstart"
PART = ["--config", "subsets=4"]

# a Slurm of one's own needs no patience
NEARBY = ["--slurm-init-seconds-before-status-checks", "3", "--seconds-between-status-checks", "3"]
NEARBY += ["--latency-wait", "5"]
OUTAGE = 40  # seconds; a query fails after four, and the plugin by itself forgets all jobs after five queries

GREEDY = '''"""A method that needs more memory than it declares."""

import time
from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod, Cost
import numpy as np


class Greedy(ConsensusMethod):
    """Holds 600 MB for two seconds; ``n_clusters``."""

    summary = "A method of the tests."
    cost = Cost(60, 0, 0, profile_matrices=0)

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def _fit(self, ensemble: Ensemble) -> None:
        held = np.ones(75_000_000)
        time.sleep(2)  # Slurm looks every second
        self._set_labels(ensemble.profiles[:, :1].T.clip(0), held[:1], ensemble.membership)
'''
GREEDY_STUDY = """
id: greedy
title: A greedy method
summary: It needs more memory than it declares.
cases: [iris]
ensemble: {runs: 16, subset_size: 4}
methods: [Greedy]
"""
GREEDY_JOB = "rule_consensus_wildcards_greedy_iris_Greedy_0-3"

pytestmark = pytest.mark.skipif(
    "CONSCLUST_TEST_SLURM" not in os.environ, reason="needs a Slurm of its own: make test-slurm"
)


class SlurmJob(NamedTuple):
    """What ``squeue`` knows of a job."""

    number: str
    state: str
    minutes: int
    megabytes: int
    comment: str

    def method_log(self) -> Path | None:
        """Log of the consensus method that the job runs, if it runs just one."""
        wildcards = re.fullmatch(f"rule_consensus_wildcards_{STUDY}_(.+)_(.+)_(.+)", self.comment)
        return wildcards and Path("logs", STUDY, "consensus", *wildcards.groups()).with_suffix(".log")


def slurm_jobs() -> list[SlurmJob]:
    """All jobs that this Slurm has seen, the latest first."""
    table = slurm("squeue", "--noheader", "--states=all", "--sort=-i", "--format=%A|%T|%l|%m|%k")
    rows = [line.split("|") for line in table.splitlines()]
    return [
        SlurmJob(number, state, minutes(limit), megabytes(memory), comment)
        for number, state, limit, memory, comment in rows
    ]


def slurm(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def minutes(limit: str) -> int:
    """Slurm's ``days-hours:minutes:seconds`` as minutes."""
    days, hours, minutes, _ = re.fullmatch(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)", limit).groups(default="0")
    return (int(days) * 24 + int(hours)) * 60 + int(minutes)


def megabytes(memory: str) -> int:
    """Slurm's ``900M`` or ``2G`` as megabytes of 2^20 bytes."""
    return int(float(memory[:-1]) * {"M": 1, "G": 1024}[memory[-1]])


def attempts(comment: str) -> list[SlurmJob]:
    """The Slurm jobs with this comment, the first first."""
    return [job for job in reversed(slurm_jobs()) if job.comment == comment]


class Run:
    """The studies in a copy of the project."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / part, folder / part)
        (folder / "src/consclust/methods/greedy.py").write_text(GREEDY)
        (folder / "studies/greedy").mkdir()
        (folder / "studies/greedy/study.yaml").write_text(GREEDY_STUDY)
        self.declare_long_jobs(folder / "reports/accepted")
        self.output = folder / "output.txt"
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "snakemake", *arguments, *PART, "--", STUDY, "greedy"],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder / "src")},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @staticmethod
    def declare_long_jobs(accepted: Path) -> None:
        """RCE and Greedy take so long, by the measured seconds, that they do not share a Slurm job."""
        measured = pd.read_csv(accepted / STUDY / "runtime.csv")
        measured.loc[measured["method"] == "RCE", "cpu_seconds_per_fit"] = 60
        measured.to_csv(accepted / STUDY / "runtime.csv", index=False)
        (accepted / "greedy").mkdir()
        greedy = measured[:1].assign(case="iris", method="Greedy", cpu_seconds_per_fit=60)
        greedy.to_csv(accepted / "greedy/runtime.csv", index=False)

    def wait(self) -> None:
        assert self.process.wait() == 0, self.output.read_text()[-6000:]

    def stop(self) -> None:
        """Interrupt the run, if it is still going, and with it its jobs."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)

    def read(self, name: Path) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def results(self) -> dict[str, bytes]:
        """Everything that the same seed gives again."""
        patterns = ("reports/*/SHA256SUMS", "results/**/*.npz", "results/*/*.parquet")
        paths = [path for pattern in patterns for path in sorted(self.folder.glob(pattern))]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in paths}


def seen(run: Run, look: Callable[[], Any]) -> Any:
    """Wait until ``look`` finds something."""
    while run.process.poll() is None:
        if found := look():
            return found
        time.sleep(0.5)
    pytest.fail(f"waited in vain for {look.__name__}:\n{run.output.read_text()[-6000:]}")


def restart_controller() -> None:
    """Stop the controller of Slurm, which saves its state, and start it again; jobs that run go on meanwhile."""
    slurm("scontrol", "shutdown", "slurmctld")
    try:
        time.sleep(OUTAGE)
        assert subprocess.run(["scontrol", "ping"], capture_output=True).returncode
    finally:
        slurm("slurmctld")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The run through Slurm, its job that was cancelled, and meanwhile the run on this machine."""
    through_slurm = Run(tmp_path_factory.mktemp("slurm"), "--workflow-profile", "profiles/slurm", *NEARBY)
    here = Run(tmp_path_factory.mktemp("here"), "--cores", "all")
    try:

        def a_method_in_its_middle() -> SlurmJob | None:
            logs = {job: job.method_log() for job in slurm_jobs() if job.state == "RUNNING"}
            return next((job for job, log in logs.items() if log and "subset 2" in through_slurm.read(log)), None)

        def both_repeated_and_none_beginning() -> bool:
            """A job that begins without a controller fails, and is repeated."""
            running = {job.number for job in slurm_jobs() if job.state == "RUNNING"}
            begun = re.findall(r"^(\d+)\.0\b", slurm("squeue", "--steps", "--noheader", "--format=%i"), re.MULTILINE)
            return len(attempts(cancelled.comment)) == len(attempts(GREEDY_JOB)) == 2 and running <= {*begun}

        cancelled = seen(through_slurm, a_method_in_its_middle)
        slurm("scancel", cancelled.number)
        seen(through_slurm, both_repeated_and_none_beginning)
        restart_controller()
        through_slurm.wait()
        here.wait()
        yield through_slurm, cancelled, here
    finally:
        for run in (through_slurm, here):
            run.stop()


def test_there_is_no_accounting(runs):
    assert "accounting storage is disabled" in subprocess.run(["sacct"], capture_output=True, text=True).stderr


def test_a_cancelled_job_is_repeated_with_twice_the_memory_and_time(runs):
    _, cancelled, _ = runs
    first, second = attempts(cancelled.comment)
    assert (first.number, first.state, second.state) == (cancelled.number, "CANCELLED", "COMPLETED")
    assert second.megabytes == pytest.approx(2 * first.megabytes, abs=1)
    assert second.minutes == 2 * first.minutes


def test_a_job_killed_over_its_memory_is_repeated_with_twice_as_much(runs):
    run, *_ = runs
    first, second = attempts(GREEDY_JOB)
    (log,) = run.folder.glob(f".snakemake/slurm_logs/*/*/{first.number}.log")
    assert "exceeded memory limit" in log.read_text()
    assert (first.state, second.state) == ("FAILED", "COMPLETED")
    assert second.megabytes == pytest.approx(2 * first.megabytes, abs=1)


def test_every_other_job_was_done_once_though_the_controller_was_down(runs):
    run, cancelled, _ = runs
    others = [job for job in slurm_jobs() if job.comment not in (cancelled.comment, GREEDY_JOB)]
    assert {job.state for job in others} == {"COMPLETED"}
    assert run.output.read_text().count("Trying to restart job") == 2


def test_small_jobs_share_slurm_jobs(runs):
    run, *_ = runs
    steps = int(re.search(r"^total +(\d+)$", run.output.read_text(), re.MULTILINE)[1])
    assert len(slurm_jobs()) < steps / 2


def test_the_bytes_are_those_of_a_run_on_this_machine(runs):
    through_slurm, _, here = runs
    expected, found = here.results(), through_slurm.results()
    assert len(expected) > 30
    assert expected.keys() == found.keys()
    assert [name for name in expected if expected[name] != found[name]] == []

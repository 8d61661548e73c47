"""A study through a real Slurm, with a job cancelled in the middle, against the same study run here.

``make test-slurm`` starts a Slurm on this machine for it.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("workflow", "config", "profiles", "src", "envs", "reports/accepted")
STUDY = "quickstart"

# a Slurm of one's own needs no patience and has no accounting
NEARBY = ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "3"]
NEARBY += ["--seconds-between-status-checks", "3", "--latency-wait", "5"]

pytestmark = pytest.mark.skipif(
    "CONCORD_TEST_SLURM" not in os.environ, reason="needs a Slurm of its own: make test-slurm"
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


class Run:
    """The study in a copy of the project."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / part, folder / part)
        self.output = folder / "output.txt"
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "snakemake", *arguments, "--", STUDY],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder / "src")},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

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
        here = self.folder
        sums = (here / "reports" / STUDY / "SHA256SUMS").read_bytes()
        labels = sorted(here.glob("results/**/*.npz"))
        tables = sorted(here.glob(f"results/{STUDY}/*.parquet"))
        return {"SHA256SUMS": sums} | {str(path.relative_to(here)): path.read_bytes() for path in [*labels, *tables]}


def a_method_in_its_middle(run: Run) -> SlurmJob:
    """Wait for a consensus job that has some of its subsets behind it."""
    while run.process.poll() is None:
        for job in slurm_jobs():
            log = job.method_log()
            if job.state == "RUNNING" and log and "subset 2" in run.read(log):
                return job
        time.sleep(0.5)
    pytest.fail(f"no consensus job was seen at work:\n{run.output.read_text()[-6000:]}")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The run through Slurm, its job that was cancelled, and meanwhile the run on this machine."""
    through_slurm = Run(tmp_path_factory.mktemp("slurm"), "--workflow-profile", "profiles/slurm", *NEARBY)
    here = Run(tmp_path_factory.mktemp("here"), "--cores", "all")
    try:
        cancelled = a_method_in_its_middle(through_slurm)
        slurm("scancel", cancelled.number)
        through_slurm.wait()
        here.wait()
        yield through_slurm, cancelled, here
    finally:
        for run in (through_slurm, here):
            run.stop()


def test_a_cancelled_job_is_repeated_with_twice_the_memory_and_time(runs):
    _, cancelled, _ = runs
    first, second = sorted(
        (job for job in slurm_jobs() if job.comment == cancelled.comment), key=lambda job: int(job.number)
    )
    assert (first.number, first.state, second.state) == (cancelled.number, "CANCELLED", "COMPLETED")
    assert second.megabytes == pytest.approx(2 * first.megabytes, abs=1)
    assert second.minutes == 2 * first.minutes


def test_every_other_job_was_done_the_first_time(runs):
    _, cancelled, _ = runs
    assert {job.state for job in slurm_jobs() if job.number != cancelled.number} == {"COMPLETED"}


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

"""Snakemake in this process, and the jobs of the project too: a run without the seconds that processes take to start.

Everything but the start of a process is real: the rules are read, the plan is made, Snakemake decides what has to run
and remembers what ran, and each job's command line is carried out by the program that it names.

``write_command`` makes this a command in the place of ``snakemake``, in the folder and with the source of who calls it.
"""

import contextlib
import io
import logging
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from consclust_studies.__main__ import main as do_job
from consclust_studies.job_files import JobFile

PROGRAM = "python -m consclust_studies "


def job_of(command: str, folder: Path) -> JobFile:
    """Return the job in the file that a command line names; the run was in this folder."""
    path = shlex.split(command[command.index(PROGRAM) + len(PROGRAM) :])[0]
    return JobFile.read(folder / path)


class Job:
    """Stands for the process of a job; the command has been carried out when it exists."""

    stdout = None

    def __init__(self, command: str, **_: object) -> None:
        self.pid, self.returncode = os.getpid(), 0
        if PROGRAM in command:
            words = shlex.split(command[command.index(PROGRAM) + len(PROGRAM) :])
            self.returncode = do_job(words)
        else:
            self.returncode = subprocess.run(["bash", "-c", command], check=False).returncode

    def wait(self, *_: object) -> int:
        return self.returncode

    def poll(self) -> int:
        return self.returncode

    def communicate(self) -> tuple[None, None]:
        return None, None


def snakemake(folder: Path, *arguments: str) -> tuple[int, list[str], str]:
    """Run Snakemake in a folder; return its exit code, the command lines of the jobs that ran, and what it said."""
    from snakemake import cli

    ran: list[str] = []

    def start(command: str, **more: object) -> Job:
        ran.append(command)
        return Job(command, **more)

    said = io.StringIO()
    # the lock of a run lasts as long as its process, which is this one for all of them
    unlocked = mock.patch("fcntl.flock")
    # the rules print the reports that were made when the process ends
    silent = mock.patch("atexit.register")
    # the rules read it
    called = mock.patch.object(sys, "argv", ["snakemake", *arguments])
    with (
        unlocked,
        silent,
        called,
        in_folder(folder),
        mock.patch("snakemake.shell.sp", SimpleNamespace(**{**vars(subprocess), "Popen": start})),
        fresh_logging(),
    ):
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                cli.main(["--cores", "1", *arguments])
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
            said.write(f"{end.code}\n" if isinstance(end.code, str) else "")
    return code, ran, said.getvalue()


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """Work in a folder for a while, with the search path and the environment of before."""
    before, path, environment = Path.cwd(), list(sys.path), dict(os.environ)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = path
        os.environ.clear()
        os.environ.update(environment)


@contextlib.contextmanager
def fresh_logging() -> Iterator[None]:
    """Give Snakemake's logger no handler of an earlier run."""
    logger = logging.getLogger("snakemake")
    before = list(logger.handlers)
    logger.handlers.clear()
    try:
        yield
    finally:
        logger.handlers[:] = before


def write_command(folder: Path) -> None:
    """Write a program ``snakemake`` that does the jobs of a run in its own process, one after the other."""
    command = folder / "snakemake"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(__file__)} "$@" --cores 1\n')
    command.chmod(0o755)


if __name__ == "__main__":
    exit_code, _, text = snakemake(Path.cwd(), *sys.argv[1:])
    print(text, file=sys.stderr)
    sys.exit(exit_code)

"""What a run says on the terminal: one line for each job that has finished, and seldom one of a job that takes long.

A job writes what it does to its log, and its result as the last line there. The process of the run, which knows how
many jobs there are, shows that line when Snakemake says that the job has finished; Snakemake's own lines of jobs are
left out. So a job by itself shows nothing but errors, and once a minute how far it is. A job that is repeated by hand
shows everything.
"""

import logging
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple, TextIO

from consclust.plurals import count

VARIABLE = "CONSCLUST_RUN_SHOWS_RESULTS"
"""Environment variable that a run sets for its jobs when it shows their results."""
RESULT = {"is_result": True}
"""What a job adds (``extra``) to the message that is its result."""
OF_JOBS = {"job_info", "job_started", "job_finished", "group_info", "progress"}
"""Snakemake's events (``LogEvent`` of its interface for loggers) of jobs that begin and end."""
OF_SELECTION = "Select jobs to execute"
"""Begin of a message without an event that stands before every job."""
SECONDS = 60.0
"""Between two messages of a job on the terminal."""


# ---------------------------------------------------------------- in the process of a job


class Seldom(logging.Filter):
    """Lets warnings and errors pass, and of other messages one a minute; never the result, which the run shows."""

    def __init__(self, seconds: float = SECONDS) -> None:
        super().__init__()
        self.seconds = seconds
        self.last = time.monotonic()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a message is shown."""
        if record.levelno >= logging.WARNING:
            return True
        now = time.monotonic()
        if getattr(record, "is_result", False) or now - self.last < self.seconds:
            return False
        self.last = now
        return True


def make_terminal_handler() -> logging.Handler:
    """Return what shows the messages of a job: all of them, or in a run that shows the results only a few."""
    handler = logging.StreamHandler(sys.stderr)
    if os.environ.get(VARIABLE):
        handler.addFilter(Seldom())
    return handler


# ---------------------------------------------------------------- in the process of the run


class Started(NamedTuple):
    """A job that Snakemake has started."""

    title: str
    logs: tuple[str, ...]


class Finished(logging.Handler):
    """Shows a line for each job that has finished, with the number of jobs."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream
        self.started: dict[int, Started] = {}
        self.finished: list[int] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of jobs, and show those that have finished when their number comes."""
        event = str(getattr(record, "event", ""))
        fields = vars(record)
        if event == "job_info":
            self.started[fields["jobid"]] = Started(fields["rule_msg"] or fields["rule_name"], tuple(fields["log"]))
        elif event == "job_finished":
            self.finished.append(fields["job_id"])
        elif event == "progress":
            for number in self.finished:
                print(self._describe(number, fields["done"], fields["total"]), file=self.stream, flush=True)
            self.finished.clear()

    def _describe(self, number: int, done: int, total: int) -> str:
        """Return the line of a job that has finished."""
        job = self.started.pop(number, Started(f"job {number}", ()))
        return f"{find_result(job)}; {done} of {count(total, 'job')}, {percent(done, total)}"


class WithoutJobs(logging.Filter):
    """Leaves out what Snakemake says of jobs that begin and end; errors stay."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a message is shown."""
        event = str(getattr(record, "event", ""))
        return event not in OF_JOBS and not str(record.msg).startswith(OF_SELECTION)


def show_finished_jobs(logger: logging.Logger) -> bool:
    """Show one line for each finished job, in place of Snakemake's own lines; return whether this is possible.

    It is not where Snakemake has no handler of its own for the terminal: a plugin, such as ``--logger rich``, shows the
    jobs then. Snakemake finds plugins only where they are installed, so this is a handler of the standard library.
    """
    own = [handler for handler in logger.handlers if handler.name == "DefaultStreamHandler"]
    if not own or not isinstance(own[0], logging.StreamHandler):
        return False
    own[0].addFilter(WithoutJobs())
    logger.addHandler(Finished(own[0].stream))
    os.environ[VARIABLE] = "1"
    return True


def find_result(job: Started) -> str:
    """Return what a job says that it did, the last line of its log; its title if it has none."""
    for path in map(Path, job.logs):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        if lines:
            return lines[-1]
    return job.title


def percent(done: int, total: int) -> str:
    """Return a share in percent, below 100 until all is done."""
    share = 100 if done >= total else min(99, round(100 * done / total))
    return f"{share} %"

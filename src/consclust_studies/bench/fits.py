"""Fits of a user's method to the ensembles of the leaderboard, each data set and kind in a process of its own.

A process that is stuck in one fit is killed. What is finished is kept in a file for each case, so that the same command
goes on after a kill.
"""

import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.errors import InputError
from consclust.files import read_record, sha256, write_record
from consclust.methods.base import ConsensusMethod
from consclust.seeds import generator
from consclust_studies.bench.ensembles import STUDY, EnsemblesOfCase
from consclust_studies.bench.own_method import OwnMethod, load

TICK = 0.5
"""Seconds between two looks at the clock."""


@dataclass(frozen=True)
class CaseResult:
    """What the fits of a method to the ensembles of a case gave."""

    case: str
    scores: dict[str, list[float]] = field(default_factory=dict)
    """By metric: one for each ensemble that was fitted."""
    base_scores: list[float] = field(default_factory=list)
    """By the first metric: the mean base clustering of each ensemble."""
    cpu_seconds: list[float] = field(default_factory=list)
    order: float | None = None
    """Absolute difference of the score, on the first ensemble, with the objects in the order of their file."""
    failures: list[str] = field(default_factory=list)
    """Why an ensemble has no labels."""
    was_stopped: bool = False
    """Whether the process was stopped, or ended by itself, before its end: another limit or machine may finish."""

    def mean(self, metric: str) -> float:
        """Return the mean score over the ensembles; NaN if a fit failed, as the case has no score then."""
        values = self.scores.get(metric, [])
        return float(np.mean(values)) if values and not self.failures else float("nan")


class Task(NamedTuple):
    """A case, and what is fitted and scored."""

    own: OwnMethod
    name: str
    case: EnsemblesOfCase
    metrics: tuple[str, ...]


class Store(NamedTuple):
    """Where results are kept, and for which code and name of the method; the name is that of its random numbers."""

    folder: Path
    key: str

    def read(self, case: EnsemblesOfCase) -> CaseResult | None:
        """Return what an earlier command found with the same code and ensembles; None if there is nothing."""
        path = self.folder / f"{case.case}.json"
        # a damaged file is made anew
        with suppress(InputError, OSError, KeyError, TypeError):
            record = read_record(path)
            if record["key"] == self.key and record["ensemble"] == identify(case):
                return CaseResult(**record["result"])
        return None

    def write(self, case: EnsemblesOfCase, result: CaseResult) -> None:
        """Keep a result."""
        self.folder.mkdir(parents=True, exist_ok=True)
        record = {"key": self.key, "ensemble": identify(case), "result": asdict(result)}
        write_record(self.folder / f"{case.case}.json", record)


def identify(case: EnsemblesOfCase) -> str:
    """Return a digest of the spec and the content of the ensembles of a case."""
    return f"{case.ensemble_digest} {sha256(case.ensemble)}"


def fit_all(tasks: Sequence[Task], store: Store, jobs: int, limit: float) -> Iterator[CaseResult]:
    """Yield the result of each case, kept ones first; ``limit`` are the seconds after which a fit is stopped.

    The clock makes no score: a case with a stopped fit has none, and is fitted again by the next command.
    """
    waiting = []
    for task in tasks:
        kept = store.read(task.case)
        if kept is None:
            waiting.append(task)
        else:
            yield kept
    for task, result in _run_processes(waiting, jobs, limit):
        if not result.was_stopped:
            store.write(task.case, result)
        yield result


class _Running(NamedTuple):
    """A process, and the end of the pipe on which it says how far it is."""

    process: Any
    task: Task
    connection: Connection


def _run_processes(tasks: Sequence[Task], jobs: int, limit: float) -> Iterator[tuple[Task, CaseResult]]:
    """Run each task in a process, so many at once; yield the results as they come."""
    context = multiprocessing.get_context("forkserver")
    # what every process imports is imported once
    context.set_forkserver_preload([__name__])
    queue = list(reversed(tasks))
    running: list[_Running] = []
    moved: dict[Connection, float] = {}
    try:
        while queue or running:
            while queue and len(running) < jobs:
                one = _start(context, queue.pop())
                running.append(one)
                moved[one.connection] = time.monotonic()
            wait([one.connection for one in running], TICK)
            for one in list(running):
                result = _look(one, moved, limit)
                if result is not None:
                    running.remove(one)
                    yield one.task, result
    finally:
        for one in running:
            _kill(one.process)


def _start(context: Any, task: Task) -> _Running:
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(task, theirs), daemon=True)
    process.start()
    theirs.close()
    return _Running(process, task, mine)


def _look(one: _Running, moved: dict[Connection, float], limit: float) -> CaseResult | None:
    """Return the result of a process that has ended, or had to be stopped; None of one that goes on."""
    case = one.task.case.case
    try:
        while one.connection.poll():
            said = one.connection.recv()
            moved[one.connection] = time.monotonic()
            if isinstance(said, CaseResult):
                one.process.join()
                return said
    except EOFError:
        one.process.join()
        reason = f"the process ended with exit code {one.process.exitcode}"
        return CaseResult(case, failures=[reason], was_stopped=True)
    if time.monotonic() - moved[one.connection] > limit:
        _kill(one.process)
        return CaseResult(case, failures=[f"a fit was stopped after {limit:g} s"], was_stopped=True)
    return None


def _kill(process: Any) -> None:
    """Kill a process and the programs that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()


def _work(task: Task, connection: Connection) -> None:
    """Fit a case in a process of its own; the pipe gets a word after each fit, and the result at the end."""
    from threadpoolctl import threadpool_limits

    os.setsid()
    connection.send("started")
    # one thread, as in the accepted run
    with threadpool_limits(1):
        result = fit_case(task, lambda: connection.send("fitted"))
    connection.send(result)
    connection.close()


def fit_case(task: Task, say: Callable[[], None] = lambda: None) -> CaseResult:
    """Fit a method to the ensembles of a case, and to the first with the objects in the order of their file."""
    from consclust_studies.stages import stored_ensembles
    from consclust_studies.stages.score_methods import score_classified

    cls = load(task.own)
    case = task.case
    stored = stored_ensembles.load(Path(case.ensemble), case.ensemble_digest)
    features = _read_features(cls, case)
    result = CaseResult(case.case, scores={metric: [] for metric in task.metrics})
    if features is None and cls(n_clusters=1).uses_features():
        return replace(result, failures=["the method needs features, and there are base clusterings alone"])
    for number in range(case.n_ensembles):
        labels = stored.subset(number)
        base = score_classified(stored.classes, labels.T, task.metrics[:1])
        result.base_scores.append(float(base.mean()))
        fitted = _fit(task, cls, labels, stored.n_classes, number, features)
        if isinstance(fitted, str):
            result.failures.append(f"ensemble {number + 1}: {fitted}")
        else:
            (scores,) = score_classified(stored.classes, fitted.labels[None], task.metrics)
            result.cpu_seconds.append(fitted.seconds)
            for metric, value in zip(task.metrics, scores, strict=True):
                result.scores[metric].append(float(value))
        say()
    return replace(result, order=_measure_order(task, cls, stored, features, result))


class _Fitted(NamedTuple):
    labels: IntArray
    seconds: float


def _fit(
    task: Task, cls: type[ConsensusMethod], labels: IntArray, n_clusters: int, number: int, features: FloatArray | None
) -> _Fitted | str:
    """Return labels and seconds of a fit, or why there are none: an own method may raise anything."""
    random = generator(task.case.seed, STUDY, task.case.case, task.name, number)
    before = _count_seconds()
    try:
        method = cls(n_clusters=n_clusters, random_state=random).fit(Ensemble(labels), features)
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return _Fitted(method.labels_, _count_seconds() - before)


def _count_seconds() -> float:
    """Return the CPU seconds of this process and of the programs that it has started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _read_features(cls: type[ConsensusMethod], case: EnsemblesOfCase) -> FloatArray | None:
    """Return the features of the objects, (n, d), if the method needs them and there are some."""
    from consclust_studies.stages import prepare

    if not (case.has_features and cls.needs_features):
        return None
    features: FloatArray = prepare.load(Path(case.prepared), case.prepared_digest).X
    return features


def _measure_order(
    task: Task, cls: type[ConsensusMethod], stored: Any, features: FloatArray | None, result: CaseResult
) -> float | None:
    """Return how far the score of the first ensemble changes in the order of the file; None without both scores."""
    from consclust.datasets.prepared import find_shuffled_order
    from consclust_studies.stages.score_methods import score_classified

    if task.case.shuffle is None or result.failures:
        return None
    order = find_shuffled_order(task.case.shuffle, len(stored.classes))
    back = np.argsort(order)
    given = None if features is None else features[back]
    fitted = _fit(task, cls, stored.subset(0)[back], stored.n_classes, 0, given)
    if isinstance(fitted, str):
        return None
    metric = task.metrics[0]
    ((score,),) = score_classified(stored.classes[back], fitted.labels[None], [metric])
    return abs(float(score) - result.scores[metric][0])


def collect_failures(results: Mapping[str, CaseResult]) -> list[tuple[str, str]]:
    """Return case and reason of everything that has no score."""
    return [(case, reason) for case, result in results.items() for reason in result.failures]

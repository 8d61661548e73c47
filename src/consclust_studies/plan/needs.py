"""What a job requests of a cluster: memory and time, estimated from the size of its data.

The estimates are meant to be too large rather than too small; a job that is killed all the same requests twice as
much when it is repeated. Nothing here limits a run on one machine.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from math import ceil, isqrt, prod, sqrt
from pathlib import Path
from typing import NamedTuple

from consclust import methods
from consclust_studies.config.cases import Case
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.method_runs import MethodRun

ACCEPTED = Path("reports/accepted")

Shape = tuple[int, int, int]
"""Objects, features, classes."""

UNKNOWN: Shape = (5_000, 1_000, 20)
"""Assumed of a data set whose entry has no shape."""

INTERPRETER_MB = 800
"""Python with NumPy, SciPy, scikit-learn and pandas, 200, and three Snakemakes around it, 170 each."""

PROFILE_MATRICES = 32
"""Matrices of doubles over the profiles that the methods hold at most: RMSC 28, RCE 25, the others 15; assumed of a
method that does not declare them."""

FIGURE_MATRICES = 6
"""Matrices of doubles over the objects that a figure of matrices holds."""

SAFETY = 2.0
"""Of every time: the machine may be slower than the one of the measurements, and shared."""

KMEANS_SECONDS = 1e-8
"""Of one k-means run, for each object, feature and cluster."""

MIXED_MATRICES, MIXED_SECONDS = 6, 1e-6
"""Matrices of doubles over the objects of one run of several algorithms, and its seconds for each pair."""

SCORE_SECONDS = 2e-3
"""Of all scores of one clustering."""

REPORT_SECONDS = 300
"""Of all tables of the largest study, or of its report."""

JOB_SECONDS = 300
"""Of a consensus job by these estimates, where one subset does not take longer: more than its start, for many cores."""

START_MINUTES = 5
"""Until Snakemake and the libraries are loaded, from a slow file system with many users."""


class Need(NamedTuple):
    """What a job requests."""

    mb: int
    minutes: int
    seconds: float
    """Estimated, without reserve and start."""

    def of_attempt(self, attempt: int) -> "Need":
        """Return what the job requests when it is tried for the ``attempt``-th time, from 1."""
        factor: int = 2 ** (attempt - 1)
        return self._replace(mb=self.mb * factor, minutes=self.minutes * factor)


def prepare(shape: Shape) -> Need:
    """Return the need of a job that reads and preprocesses a data set of this shape."""
    n, features, _ = shape
    return _need(4 * n * features, 60)


def ensembles(study: Experiment, case: Case, shape: Shape) -> Need:
    """Return the need of a job that makes the base clusterings of a case."""
    n, features, _ = shape
    runs, k = study.ensemble.runs, most_clusters(study, case, shape)
    seconds = KMEANS_SECONDS * runs * n * features * k
    if case.ensemble == "mixed":
        return _need(MIXED_MATRICES * n**2 + 2 * n * runs, seconds + MIXED_SECONDS * runs * n**2)
    return _need(4 * n * features + 2 * n * runs, seconds)


def consensus(study: Experiment, case: Case, shape: Shape, run: MethodRun, first: int, last: int) -> Need:
    """Return the need of a job that fits the grid of ``run`` on a block of subsets."""
    matrices, seconds = _fit(study, case, shape, run)
    fits = (last + 1 - first) * points(study, case, run, first)
    # labels are of two bytes, and there three times when they are written
    return _need(matrices + fits * _restarts(study, case, run) * shape[0], fits * seconds)


def subsets_per_job(study: Experiment, case: Case, shape: Shape, run: MethodRun, first: int) -> int:
    """Return how many subsets from ``first`` on a job works through: as many as take five minutes at most, or one."""
    seconds = points(study, case, run, first) * _fit(study, case, shape, run)[1]
    return max(1, int(JOB_SECONDS / seconds))


def points(study: Experiment, case: Case, run: MethodRun, subset: int) -> int:
    """Return the most grid points that run on a subset."""
    points, race = prod(map(len, run.grid.values())), study.race(case, run)
    return min(points, race.points + 1) if race and subset >= race.subsets else points


def score(study: Experiment, case: Case, shape: Shape) -> Need:
    """Return the need of a job that scores all consensus clusterings of a case."""
    points = [prod(map(len, run.grid.values())) * _restarts(study, case, run) for run in study.methods]
    labels = study.n_subsets * sum(points)
    return _need(labels * shape[0], SCORE_SECONDS * labels)


def unseen(study: Experiment, case: Case, shape: Shape) -> Need:
    """Return the need of a job that fits the methods on ensembles of the training objects of every split."""
    plan = study.generalisation
    runs = [study.method(m.method) for m in plan.methods] if plan else []
    repeated = plan.splits * plan.repetitions if plan else 0
    fits = [(len(run.points), *_fit(study, case, shape, run)) for run in runs]
    seconds = sum(points * seconds for points, _, seconds in fits)
    return _need(max((matrices for _, matrices, _ in fits), default=0), repeated * seconds)


def report(study: Experiment, fits: Sequence[tuple[Case, Shape, MethodRun]] = ()) -> Need:
    """Return the need of a job on the scores of a whole study, which may fit some methods twice for a figure."""
    found = [(shape, *_fit(study, case, shape, run)) for case, shape, run in fits]
    doubles = [1e8, *(matrices + FIGURE_MATRICES * shape[0] ** 2 for shape, matrices, _ in found)]
    return _need(max(doubles), REPORT_SECONDS + sum(2 * seconds for *_, seconds in found))


def n_profiles(study: Experiment, case: Case, shape: Shape) -> int:
    """Return an upper bound of the distinct label profiles, n', in a subset of the base clusterings.

    Half as much again as in the accepted run (which has the median over subsets) where the case is in it, else
    k m sqrt(n) / 10, which no data set here exceeds at m = 20; never more than the objects.
    """
    n = shape[0]
    known = next((int(row["n_profiles"]) for (name, _), row in accepted(study.id).items() if name == case.id), None)
    bound = 1.5 * known if known else most_clusters(study, case, shape) * study.subset_size(case) * sqrt(n) / 10
    return min(n, ceil(bound))


def _fit(study: Experiment, case: Case, shape: Shape, run: MethodRun) -> tuple[float, float]:
    """Return the doubles that one fit holds, and its seconds."""
    cost, n, profiles = methods.load(run.method).cost, shape[0], n_profiles(study, case, shape)
    size = n if cost.matrices or cost.over_objects else profiles
    return cost.doubles(n, profiles, unmeasured=PROFILE_MATRICES), cost.seconds(size)


@cache
def accepted(study: str) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return what the accepted run of a study has measured, by case and method."""
    return _measured_in(ACCEPTED / study / "runtime.csv")


@cache
def measured(study: str) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return the same, with the variants where they were kept with the labels."""
    return {**_measured_in(kept(study) / "runtime.csv"), **accepted(study)}


def kept(study: str) -> Path:
    """Return the folder of the consensus labels that are kept of the accepted run of a study."""
    return ACCEPTED / study / "consensus"


def _measured_in(path: Path) -> Mapping[tuple[str, str], Mapping[str, str]]:
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as table:
        return {(row["case"], row["method"]): row for row in csv.DictReader(table)}


def _need(doubles: float, seconds: float) -> Need:
    return Need(INTERPRETER_MB + ceil(8 * doubles / 1e6), START_MINUTES + ceil(SAFETY * seconds / 60), seconds)


def most_clusters(study: Experiment, case: Case, shape: Shape = (0, 0, 0)) -> int:
    """Return the largest number of clusters in a base clustering; without a shape 0 where that says it."""
    n, _, classes = shape
    k = case.n_clusters or study.ensemble.n_clusters
    if isinstance(k, str):
        return classes if k == "classes" else isqrt(n)
    return max(k) if isinstance(k, tuple) else k


def _restarts(study: Experiment, case: Case, run: MethodRun) -> int:
    return int(study.parameters(case, run).get("n_init") or 10)

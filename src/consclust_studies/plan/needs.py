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
from consclust_studies.config.cases import BY_ESTIMATORS, Case
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

MIXED_MATRICES = 6
"""Matrices of doubles over the objects of one run of several algorithms."""

MIXED_SECONDS = 1e-6
"""Of one run of several algorithms, for each pair of objects."""

SCORE_SECONDS = 2e-3
"""Of all scores of one clustering."""

REPORT_DOUBLES = 1e8
"""Of the scores of the largest study, with the copies that pandas makes."""

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

    def for_attempt(self, attempt: int) -> "Need":
        """Return what the job requests when it is tried for the ``attempt``-th time, from 1."""
        factor: int = 2 ** (attempt - 1)
        return self._replace(mb=self.mb * factor, minutes=self.minutes * factor)


class Fit(NamedTuple):
    """What one fit takes."""

    doubles: float
    """Numbers of 8 bytes that it holds."""
    seconds: float


def estimate_prepare(shape: Shape) -> Need:
    """Return the need of a job that reads and preprocesses a data set of this shape."""
    n, features, _ = shape
    return _make_need(4 * n * features, 60)


def estimate_ensembles(study: Experiment, case: Case, shape: Shape) -> Need:
    """Return the need of a job that makes the base clusterings of a case."""
    n, features, _ = shape
    runs = study.ensemble.runs
    k = find_most_clusters(study, case, shape)
    seconds = KMEANS_SECONDS * runs * n * features * k
    labels = 2 * n * runs
    # some of the algorithms hold all pairs of objects
    if case.ensemble == "mixed" or case.ensemble in BY_ESTIMATORS:
        return _make_need(MIXED_MATRICES * n**2 + labels, seconds + MIXED_SECONDS * runs * n**2)
    return _make_need(4 * n * features + labels, seconds)


def estimate_consensus(study: Experiment, case: Case, shape: Shape, run: MethodRun, first: int, last: int) -> Need:
    """Return the need of a job that fits the grid of ``run`` on a block of subsets."""
    fit = _estimate_fit(study, case, shape, run)
    n_fits = (last + 1 - first) * count_points(study, case, run, first)
    # labels are of two bytes, and there three times when they are written: less than a double
    labels = n_fits * _count_restarts(study, case, run) * shape[0]
    return _make_need(fit.doubles + labels, n_fits * fit.seconds)


def count_subsets_per_job(study: Experiment, case: Case, shape: Shape, run: MethodRun, first: int) -> int:
    """Return how many subsets from ``first`` on a job works through: as many as take five minutes at most, or one."""
    fit = _estimate_fit(study, case, shape, run)
    return max(1, int(JOB_SECONDS / (count_points(study, case, run, first) * fit.seconds)))


def count_points(study: Experiment, case: Case, run: MethodRun, subset: int) -> int:
    """Return the most grid points that run on a subset."""
    points = _count_grid(run)
    race = study.race(case, run)
    if race and subset >= race.subsets:
        return min(points, race.points + 1)  # the best points, and the default one
    return points


def estimate_score(study: Experiment, case: Case, shape: Shape) -> Need:
    """Return the need of a job that scores all consensus clusterings of a case."""
    per_subset = sum(_count_grid(run) * _count_restarts(study, case, run) for run in study.methods)
    clusterings = study.n_subsets * per_subset
    return _make_need(clusterings * shape[0], SCORE_SECONDS * clusterings)


def estimate_unseen(study: Experiment, case: Case, shape: Shape) -> Need:
    """Return the need of a job that fits the methods on ensembles of the training objects of every split."""
    plan = study.generalisation
    if plan is None:
        return _make_need(0, 0)
    runs = [study.method(method.method) for method in plan.methods]
    fits = [_estimate_fit(study, case, shape, run) for run in runs]
    seconds = sum(len(run.points) * fit.seconds for run, fit in zip(runs, fits, strict=True))
    most = max((fit.doubles for fit in fits), default=0)
    return _make_need(most, plan.splits * plan.repetitions * seconds)


def estimate_report(study: Experiment, fitted: Sequence[tuple[Case, Shape, MethodRun]] = ()) -> Need:
    """Return the need of a job on the scores of a whole study, which may fit some methods twice for a figure."""
    doubles = [REPORT_DOUBLES]
    seconds = []
    for case, shape, run in fitted:
        fit = _estimate_fit(study, case, shape, run)
        doubles.append(fit.doubles + FIGURE_MATRICES * shape[0] ** 2)
        seconds.append(2 * fit.seconds)
    return _make_need(max(doubles), REPORT_SECONDS + sum(seconds))


def bound_profiles(study: Experiment, case: Case, shape: Shape) -> int:
    """Return an upper bound of the distinct label profiles, n', in a subset of the base clusterings.

    Half as much again as in the accepted run (which has the median over subsets) where the case is in it, else
    k m sqrt(n) / 10, which no data set here exceeds at m = 20; never more than the objects.
    """
    n = shape[0]
    known = [int(row["n_profiles"]) for (name, _), row in read_accepted(study.id).items() if name == case.id]
    if known and known[0]:
        bound = 1.5 * known[0]
    else:
        bound = find_most_clusters(study, case, shape) * study.subset_size(case) * sqrt(n) / 10
    return min(n, ceil(bound))


def _estimate_fit(study: Experiment, case: Case, shape: Shape, run: MethodRun) -> Fit:
    cost = methods.load(run.method).find_cost(study.parameters(case, run))
    n = shape[0]
    profiles = bound_profiles(study, case, shape)
    # a method works on the objects, or on the distinct profiles, which are often far fewer
    size = n if cost.matrices or cost.over_objects else profiles
    return Fit(cost.doubles(n, profiles, unmeasured=PROFILE_MATRICES), cost.seconds(size))


Measured = Mapping[tuple[str, str], Mapping[str, str]]
"""Rows of a table of runtimes, by case and method."""


@cache
def read_accepted(study: str) -> Measured:
    """Return what the accepted run of a study has measured."""
    return _read_runtimes(ACCEPTED / study / "runtime.csv")


@cache
def read_measured(study: str) -> Measured:
    """Return the same, with the variants where they were kept with the labels."""
    measured = dict(_read_runtimes(locate_kept(study) / "runtime.csv"))
    measured.update(read_accepted(study))
    return measured


def locate_kept(study: str) -> Path:
    """Return the folder of the consensus labels that are kept of the accepted run of a study."""
    return ACCEPTED / study / "consensus"


def _read_runtimes(path: Path) -> Measured:
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as table:
        return {(row["case"], row["method"]): row for row in csv.DictReader(table)}


def _make_need(doubles: float, seconds: float) -> Need:
    mb = INTERPRETER_MB + ceil(8 * doubles / 1e6)
    minutes = START_MINUTES + ceil(SAFETY * seconds / 60)
    return Need(mb, minutes, seconds)


def find_most_clusters(study: Experiment, case: Case, shape: Shape = (0, 0, 0)) -> int:
    """Return the largest number of clusters in a base clustering; without a shape 0 where that says it."""
    n, _, classes = shape
    k = case.n_clusters or study.ensemble.n_clusters
    if isinstance(k, str):
        # "random" and "random-fine" draw sqrt(n) at most
        return classes if k == "classes" else isqrt(n)
    return max(k) if isinstance(k, tuple) else k


def _count_grid(run: MethodRun) -> int:
    return prod(map(len, run.grid.values()))


def _count_restarts(study: Experiment, case: Case, run: MethodRun) -> int:
    return int(study.parameters(case, run).get("n_init") or 10)  # the default of most methods with restarts

"""What a job asks of a cluster: memory and time, estimated from the size of its data.

The estimates are meant to be too large rather than too small; a job that is killed all the same asks for
twice as much when it is repeated. Nothing here limits a run on one machine.
"""

import csv
from collections.abc import Mapping
from functools import cache
from math import ceil, isqrt, prod, sqrt
from pathlib import Path
from typing import NamedTuple

from concord.config.protocol import Case, MethodRun
from concord.config.study import Study

PUBLISHED = Path("reports/published")

Shape = tuple[int, int, int]
"""Objects, features, classes."""

UNTOLD: Shape = (5_000, 1_000, 20)
"""Assumed of a data set whose entry tells no shape."""

INTERPRETER_MB = 800
"""Python with NumPy, SciPy, scikit-learn and pandas, 200, and three Snakemakes around it, 170 each."""

PROFILE_MATRICES = 32
"""Matrices of doubles over the profiles that the methods hold at most: RMSC 28, RCE 25, the others 15."""

OBJECT_MATRICES = {"BaumEagon": 5, "CSPA": 10, "EAC": 10, "LWEA": 4, "PEACE": 12, "SPCE": 12}
"""Matrices of doubles over the objects, of the methods that work on those."""

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

START_MINUTES = 5
"""Until Snakemake and the libraries are loaded, from a slow file system with many at it."""

SMALL_MINUTES = START_MINUTES + 2
"""What takes no longer shares a cluster job with others: a job of its own would cost about as much again."""


class Cost(NamedTuple):
    """CPU seconds of one fit: ``fixed + square n'^2 + cube n'^3``."""

    fixed: float
    square: float
    cube: float

    def seconds(self, size: int) -> float:
        """Return the seconds for ``size`` profiles, or objects."""
        return self.fixed + self.square * size**2 + self.cube * size**3


class Need(NamedTuple):
    """What a job asks for."""

    mb: int
    minutes: int

    def of_attempt(self, attempt: int) -> "Need":
        """Return what the job asks for when it is tried for the ``attempt``-th time, from 1."""
        factor: int = 2 ** (attempt - 1)
        return Need(self.mb * factor, self.minutes * factor)


COSTS = {
    "KC": Cost(0.06, 6e-7, 1e-10),
    "SpectralConsensus": Cost(0.03, 2e-7, 2e-10),
    "EAC": Cost(0.02, 2e-7, 0),
    "LWEA": Cost(0.02, 2e-7, 0),
    "CSPA": Cost(0.05, 2e-7, 0),
    "MCLA": Cost(0.05, 1e-7, 0),
    "GWCA": Cost(0.06, 6e-7, 3e-10),
    "NMFC": Cost(0.5, 7e-6, 0),
    "BCE": Cost(1.5, 4e-6, 0),
    "BaumEagon": Cost(0.5, 4e-5, 0),
    "PEACE": Cost(4.0, 2e-4, 0),
    "HGPA": Cost(4.0, 5e-6, 0),
    "RMSC": Cost(0.8, 4e-6, 1.5e-8),
    "RSEC": Cost(0.2, 5e-5, 8e-8),
    "RCE": Cost(0.02, 2e-5, 4e-8),
}
"""Measured by ``benchmarks/cost.py``, and not exceeded in the published runs. RSEC needs up to twice the
iterations there at other points of its grid than at its defaults, which the benchmark takes."""

DEAREST = Cost(4.0, 5e-5, 8e-8)
"""Of a method that is not in the table."""


def consensus(study: Study, case: Case, run: MethodRun, shape: Shape, n_subsets: int) -> Need:
    """Return the need of a job that fits the grid of ``run`` on ``n_subsets`` subsets."""
    n, profiles = shape[0], n_profiles(study, case, shape)
    objects = OBJECT_MATRICES.get(run.method, 0)
    fits = n_subsets * prod(map(len, run.grid.values()))
    # labels are of two bytes, and there three times when they are written
    doubles = PROFILE_MATRICES * profiles**2 + objects * n**2 + fits * _restarts(run) * n
    return _need(doubles, fits * COSTS.get(run.method, DEAREST).seconds(n if objects else profiles))


def figure(study: Study, case: Case, run: MethodRun, shape: Shape) -> Need:
    """Return the need of a figure that fits ``run`` twice and holds matrices over the objects."""
    size = shape[0] if run.method in OBJECT_MATRICES else n_profiles(study, case, shape)
    doubles = PROFILE_MATRICES * size**2 + FIGURE_MATRICES * shape[0] ** 2
    return _need(doubles, 2 * COSTS.get(run.method, DEAREST).seconds(size))


def prepare(shape: Shape) -> Need:
    """Return the need of a job that reads and preprocesses a data set of this shape."""
    n, features, _ = shape
    return _need(4 * n * features, 60)


def ensembles(study: Study, case: Case, shape: Shape) -> Need:
    """Return the need of a job that makes the base clusterings of a case."""
    n, features, _ = shape
    runs = study.ensemble.runs
    k = _k(study, case, shape)
    seconds = KMEANS_SECONDS * runs * n * features * k
    if case.ensemble == "mixed":
        return _need(MIXED_MATRICES * n**2 + 2 * n * runs, seconds + MIXED_SECONDS * runs * n**2)
    return _need(4 * n * features + 2 * n * runs, seconds)


def score(study: Study, shape: Shape) -> Need:
    """Return the need of a job that scores all consensus clusterings of a case."""
    labels = sum(
        study.ensemble.n_subsets * prod(map(len, run.grid.values())) * _restarts(run) for run in study.methods
    )
    return _need(labels * shape[0], SCORE_SECONDS * labels)


def generalisation(study: Study, case: Case, shape: Shape) -> Need:
    """Return the need of a job that fits the methods on ensembles of the training objects of every split."""
    plan = study.generalisation
    runs = [study.method(m.method) for m in plan.methods] if plan else []
    repeated = plan.splits * plan.repetitions if plan else 0
    sizes = [shape[0] if run.method in OBJECT_MATRICES else n_profiles(study, case, shape) for run in runs]
    fits = [
        len(run.points) * COSTS.get(run.method, DEAREST).seconds(size)
        for run, size in zip(runs, sizes, strict=True)
    ]
    matrices = max(PROFILE_MATRICES, *OBJECT_MATRICES.values())
    return _need(matrices * max(sizes, default=0) ** 2, repeated * sum(fits))


def report() -> Need:
    """Return the need of a job that works on the scores of a whole study."""
    return _need(1e8, 300)


def n_profiles(study: Study, case: Case, shape: Shape) -> int:
    """Return an upper bound of the distinct label profiles, n', in a subset of the base clusterings.

    Half as much again as in the published run (which tells the median over subsets) where the case is in
    it, else k m sqrt(n) / 10, which no data set here exceeds at m = 20; never more than the objects.
    """
    n = shape[0]
    known = _published_profiles(study.published).get(case.id)
    bound = 1.5 * known if known else _k(study, case, shape) * study.subset_size(case) * sqrt(n) / 10
    return min(n, ceil(bound))


@cache
def _published_profiles(folder: str | None) -> Mapping[str, int]:
    path = PUBLISHED / str(folder) / "runtime.csv"
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as table:
        return {row["case"]: int(row["n_profiles"]) for row in csv.DictReader(table)}


def _need(doubles: float, seconds: float) -> Need:
    return Need(INTERPRETER_MB + ceil(8 * doubles / 1e6), START_MINUTES + ceil(SAFETY * seconds / 60))


def _k(study: Study, case: Case, shape: Shape) -> int:
    n, _, classes = shape
    k = case.n_clusters or study.ensemble.n_clusters
    if isinstance(k, str):
        return classes if k == "classes" else isqrt(n)
    return max(k) if isinstance(k, tuple) else k


def _restarts(run: MethodRun) -> int:
    return int(run.parameters.get("n_init") or 10)

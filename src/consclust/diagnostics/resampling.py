"""Clusterings that are resampled at each number of clusters, and the consensus of k clusters.

From *features*, the clusterings are k-means of random parts of the objects, as in the R package ConsensusClusterPlus,
and the consensus is theirs. From a *label matrix*, the consensus is that of all clusterings, and the resampled ones are
the consensuses of random halves of the clusterings.
"""

# joblib, scikit-learn, threadpoolctl and SciPy are imported where needed: what does without starts faster

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from math import ceil
from operator import index
from typing import Any, Literal, NamedTuple, Protocol, Self, get_args

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.pairs import require_at_least
from consclust.diagnostics.trust import fitted_labels
from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray, Unseen, as_ensemble
from consclust.ensembles.draws import subsamples
from consclust.errors import ConsensusFailure
from consclust.methods.base import ConsensusMethod
from consclust.numerics.linkage import object_merges
from consclust.numerics.numbering import renumber
from consclust.seeds import generator

Init = Literal["k-means++", "random"]
STARTS = 3
"""Starts of k-means of all objects, for the dispersion."""


@dataclass(frozen=True)
class ResampledKMeans:
    """How features are clustered at each k: k-means on random parts of the objects.

    Parameters
    ----------
    runs : int
        Clusterings.
    share : float in (0, 1]
        Part of the objects that a run has, rounded up; the same objects at each k.
    init : {"k-means++", "random"}
        First centres.
    max_iter : int
        Most iterations of a run.
    """

    runs: int = 50
    share: float = 0.8
    init: Init = "k-means++"
    max_iter: int = 100

    def count_objects(self, n: int) -> int:
        """Return how many of n objects a run has; it has at most as many clusters."""
        return ceil(self.share * n)

    def fit(self, features: FloatArray, k: int, rng: np.random.Generator, starts: int = 1) -> Any:
        """Return scikit-learn's k-means with k clusters, fitted to features of shape (objects, d)."""
        from sklearn.cluster import KMeans

        start = int(rng.integers(2**32))
        algorithm = KMeans(k, init=self.init, n_init=starts, max_iter=self.max_iter, random_state=start)
        return algorithm.fit(features)


class Stage(NamedTuple):
    """What there is at one k."""

    resampled: Ensemble | None  # Clusterings at this k
    compared: Ensemble  # Clusterings that the consensus is compared with
    labels: IntArray | None  # Consensus, (n,)


def resampled(
    labels: npt.ArrayLike | Ensemble | None = None,
    ks: Iterable[int] = range(2, 11),
    *,
    features: npt.ArrayLike | None = None,
    recipe: ResampledKMeans | None = None,
    method: ConsensusMethod | None = None,
    halves: int = 20,
    seed: int = 0,
) -> dict[int, Stage]:
    """Return the resampled clusterings and the consensus at each k, of which :func:`choose_k` computes the criteria.

    Parameters
    ----------
    labels, ks, features, recipe, method, halves, seed
        As in :func:`~consclust.diagnostics.choose_k`.

    Returns
    -------
    dict from k to a named tuple
        ``resampled``, an Ensemble of clusterings with k clusters; ``compared``, the Ensemble that the consensus is
        compared with; ``labels``, the consensus, shape (n,). The first and the last are None where the method has no
        answer with k clusters.

    Raises
    ------
    ValueError
        As in :func:`~consclust.diagnostics.choose_k`.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.diagnostics import consensus_values, resampled
    >>> labels = np.repeat([[0, 0, 1, 1], [1, 1, 0, 0], [2, 2, 1, 0]], 4, axis=0)
    >>> stages = resampled(labels, [2, 3], halves=4)
    >>> stages[3].labels
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    >>> consensus_values(stages[3].resampled).pac()
    0.0
    """
    from threadpoolctl import threadpool_limits

    data, numbers = make_source(labels, ks, features, recipe, method, halves, seed)
    with threadpool_limits(1):
        return dict(zip(numbers, data.stages(numbers), strict=True))


class Part(NamedTuple):
    """The consensus of a random half of the clusterings at one k, on the objects that these have."""

    clusterings: Ensemble
    labels: IntArray  # Consensus, (n,)


class Source(Protocol):
    """What there is to cluster: features or a label matrix."""

    has_features: bool

    def stages(self, ks: Sequence[int]) -> Iterator[Stage]:
        """Yield what there is at each k."""

    def parts(self, ks: Sequence[int]) -> Iterator[dict[int, Part]]:
        """Yield the consensus of each random half of the clusterings, by k; without those that have no answer."""

    def dispersion(self, k: int) -> float:
        """Return the log of the share of the sum of squares that is within k clusters; NaN without features."""

    def null(self, draw: int) -> Self:
        """Return the same of data without clusters."""

    def most_clusters(self) -> int:
        """Return the largest k that the objects allow."""

    def n_objects(self) -> int:
        """Return the number of objects."""


def make_source(
    labels: npt.ArrayLike | Ensemble | None,
    ks: Iterable[int],
    features: npt.ArrayLike | None,
    recipe: ResampledKMeans | None,
    method: ConsensusMethod | None,
    halves: int,
    seed: int,
) -> tuple[Source, list[int]]:
    """Return what there is to cluster, and the k's in increasing order."""
    numbers = _sort_numbers(ks)
    require_at_least(1, "halves", halves)
    data: Source
    if labels is None and features is not None:
        data = _Features.make(features, recipe or ResampledKMeans(), halves, method, seed)
    elif labels is not None and features is None:
        data = _Labels.make(as_ensemble(labels), halves, method, seed)
    else:
        raise ValueError("give either labels or features")
    if not numbers or numbers[0] < 2 or numbers[-1] > data.most_clusters():
        raise ValueError(f"ks = {numbers}: must be from 2 to {data.most_clusters()}, the objects of a clustering")
    return data, numbers


def _sort_numbers(ks: Iterable[int]) -> list[int]:
    """Return the k's in increasing order, each once."""
    try:
        return sorted({index(k) for k in ks})
    except TypeError:
        raise ValueError(f"ks = {ks!r}: must be several integers, such as range(2, 11)") from None


@dataclass(frozen=True)
class _Labels:
    """A label matrix, (n, m), and the clusterings of each half."""

    has_features = False

    given: IntArray
    missing: Unseen
    halves: Sequence[IntArray]
    method: ConsensusMethod | None
    seed: int

    @classmethod
    def make(cls, ensemble: Ensemble, halves: int, method: ConsensusMethod | None, seed: int) -> Self:
        m = ensemble.n_clusterings
        if m < 2:
            raise ValueError("there is a single clustering, which has no halves; give at least two")
        return cls(ensemble.given, ensemble.missing, draw_halves(m, halves, seed), method, seed)

    def stages(self, ks: Sequence[int]) -> Iterator[Stage]:
        every = Ensemble(self.given, self.missing)
        consensus = self._consensus(self.given, ks)
        of_halves = [self._consensus(self.given[:, half], ks) for half in self.halves]
        for k in ks:
            found = [half[k] for half in of_halves if k in half]
            yield Stage(_keep_labelled(np.column_stack(found)) if found else None, every, consensus.get(k))

    def parts(self, ks: Sequence[int]) -> Iterator[dict[int, Part]]:
        for half in self.halves:
            mine = self.given[:, half]
            yield {k: _make_part(mine, labels, self.missing) for k, labels in self._consensus(mine, ks).items()}

    def _consensus(self, given: IntArray, ks: Sequence[int]) -> dict[int, IntArray]:
        return consensus_labels(given, ks, self.method, missing=self.missing)

    def dispersion(self, k: int) -> float:
        return np.nan

    def null(self, draw: int) -> Self:
        rng = generator(self.seed, "choose k", "null", draw)
        permuted = self.given.copy()
        for column in permuted.T:
            there = np.flatnonzero(column != MISSING)
            column[there] = column[rng.permutation(there)]
        return type(self)(permuted, self.missing, self.halves, self.method, self.seed)

    def most_clusters(self) -> int:
        return len(self.given)

    n_objects = most_clusters


@dataclass(frozen=True)
class _Features:
    """Features, (n, d), the objects of each run, (n, runs), and the runs of each half."""

    has_features = True

    features: FloatArray
    present: npt.NDArray[np.bool_]
    halves: Sequence[IntArray]
    recipe: ResampledKMeans
    method: ConsensusMethod | None
    seed: int
    name: str | int = "data"

    @classmethod
    def make(
        cls, features: npt.ArrayLike, recipe: ResampledKMeans, halves: int, method: ConsensusMethod | None, seed: int
    ) -> Self:
        matrix = np.asarray(features, dtype=float)
        if matrix.ndim != 2 or len(matrix) < 3 or not np.isfinite(matrix).all():
            raise ValueError(f"features must be a matrix of finite numbers, n >= 3, got shape {matrix.shape}")
        if recipe.runs < 2 or not 0 < recipe.share <= 1:
            raise ValueError(f"{recipe}: needs at least two runs, and a share in (0, 1]")
        if recipe.init not in get_args(Init) or recipe.max_iter < 1:
            raise ValueError(f"{recipe}: needs init 'k-means++' or 'random', and max_iter of at least 1")
        every = np.arange(recipe.runs)[None]
        present = subsamples(len(matrix), recipe.runs, recipe.share, every, seed, ("choose k",))
        return cls(matrix, present, draw_halves(recipe.runs, halves, seed), recipe, method, seed)

    def stages(self, ks: Sequence[int]) -> Iterator[Stage]:
        for k in ks:
            labels = self._cluster_parts(k)
            ensemble = Ensemble(labels, "ignored")
            consensus = self._consensus(labels, k) if self.method else average_linkage_labels(ensemble, [k]).get(k)
            yield Stage(ensemble, ensemble, consensus)

    def parts(self, ks: Sequence[int]) -> Iterator[dict[int, Part]]:
        of_runs = {k: self._cluster_parts(k) for k in ks}
        for half in self.halves:
            found = {}
            for k in ks:
                mine = of_runs[k][:, half]
                labels = self._consensus(mine, k)
                if labels is not None:
                    found[k] = _make_part(mine, labels, "ignored")
            yield found

    def _consensus(self, given: IntArray, k: int) -> IntArray | None:
        # a run lacks objects because it was to lack them: the consensus matrix is that of Monti et al. 2003
        return consensus_labels(given, [k], self.method, self.features, "ignored").get(k)

    def dispersion(self, k: int) -> float:
        total = np.square(self.features - self.features.mean(axis=0)).sum()
        if not total:
            return np.nan
        rng = generator(self.seed, "choose k", self.name, k, "dispersion")
        with _checked_input():
            within = self.recipe.fit(self.features, k, rng, STARTS).inertia_
        # objects at k places leave nothing within the clusters
        return float(np.log(max(within / total, np.finfo(float).eps)))

    def _cluster_parts(self, k: int) -> IntArray:
        """Return k-means with k clusters of the objects of each run, (n, runs)."""
        rng = generator(self.seed, "choose k", self.name, k)
        labels = np.full(self.present.shape, MISSING)
        with _checked_input():
            for run, there in enumerate(self.present.T):
                labels[there, run] = self.recipe.fit(self.features[there], k, rng).labels_
        return labels

    def null(self, draw: int) -> Self:
        rng = generator(self.seed, "choose k", "null", draw)
        mean = self.features.mean(axis=0)
        _, lengths, axes = np.linalg.svd(self.features - mean, full_matrices=False)
        lengths = lengths[lengths > lengths[0] * max(self.features.shape) * np.finfo(float).eps]
        # orthonormal columns of mean 0: the draw has exactly the mean and the covariance of the features, so that
        # normal features are one more such draw (rotation tests, Langsrud: Statistics and Computing 15, 2005)
        noise = rng.normal(size=(len(self.features), len(lengths)))
        left, _, right = np.linalg.svd(noise - noise.mean(axis=0), full_matrices=False)
        drawn = mean + (left @ right * lengths) @ axes[: len(lengths)]
        return type(self)(drawn, self.present, self.halves, self.recipe, self.method, self.seed, draw)

    def most_clusters(self) -> int:
        return self.recipe.count_objects(len(self.features))

    def n_objects(self) -> int:
        return len(self.features)


@contextmanager
def _checked_input() -> Iterator[None]:
    """Run k-means without its checks of features and parameters, which :meth:`_Features.make` has made once.

    With some hundred objects these checks take about a fifth of the time of a run.
    """
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning

    with config_context(assume_finite=True, skip_parameter_validation=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct objects than k, or max_iter
        yield


def draw_halves(m: int, halves: int, seed: int) -> list[IntArray]:
    """Draw random halves of m clusterings, the numbers of each ascending."""
    rng = generator(seed, "choose k", "halves")
    return [np.sort(rng.choice(m, m // 2, replace=False)) for _ in range(halves)]


def _make_part(given: IntArray, labels: IntArray, missing: Unseen) -> Part:
    """Return a consensus with its clusterings, (n, m), without the objects that have no label."""
    known = labels != MISSING
    return Part(Ensemble(given[known], missing), labels[known])


def consensus_labels(
    given: IntArray,
    ks: Sequence[int],
    method: ConsensusMethod | None,
    features: FloatArray | None = None,
    missing: Unseen = "expected",
) -> dict[int, IntArray]:
    """Return the consensus of a label matrix, (n, m), with each number of clusters for which there is one, (n,) each.

    By the method, or average linkage of the co-association matrix, where a missing label counts as ``missing`` says
    (see :class:`~consclust.ensemble.Ensemble`); -1 for an object without any label. A consensus of fewer clusters is no
    answer.
    """
    found: dict[int, IntArray] = {}
    if method is None:
        known = (given != MISSING).any(axis=1)
        for k, labels in average_linkage_labels(Ensemble(given[known], missing), ks).items():
            found[k] = np.full(len(given), MISSING, dtype=np.int64)
            found[k][known] = labels
        return found
    for k in ks:
        of_k = copy(method)
        of_k.n_clusters = k
        try:
            labels = fitted_labels(given, of_k, features, missing)
        except ConsensusFailure:
            continue
        if len(np.unique(labels[labels != MISSING])) == k:
            found[k] = labels
    return found


def average_linkage_labels(ensemble: Ensemble, ks: Sequence[int]) -> dict[int, IntArray]:
    """Cut the tree of the expected co-association matrix at each k up to n', (n,) each; O(n'^2) time for all of them.

    Of tied merges those of objects with one profile come first, so that none of these are parted.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = ensemble.n_objects
    merges, _ = object_merges(ensemble.expected_coassociation, ensemble.membership, "average")
    found = {}
    for k in ks:
        if k <= ensemble.n_profiles:
            graph = coo_array((np.ones(n - k), tuple(merges[: n - k].T)), shape=(n, n))
            found[k] = renumber(connected_components(graph, directed=False)[1].astype(np.int64))
    return found


def _keep_labelled(labels: IntArray) -> Ensemble:
    """Return the ensemble of the objects that have a label."""
    return Ensemble(labels[(labels != MISSING).any(axis=1)])

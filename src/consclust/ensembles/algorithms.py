"""Base clusterings by a choice of algorithms: scikit-learn's, and PAM.

The studies have protocols of their own; see :mod:`consclust.ensembles.kmeans` and :mod:`consclust.ensembles.mixed`.
"""

# scikit-learn is imported where needed, so that what does without it starts faster

import math
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from consclust.ensemble import Ensemble
from consclust.ensembles.draws import number_of_clusters
from consclust.ensembles.generate import (
    Rule,
    Seed,
    check_choice,
    check_matrix,
    draw_present,
    from_estimators,
    list_rules,
    number_or_rule,
    seed_of,
)
from consclust.readers.units import are_tiny, scale_columns
from consclust.seeds import generator

LINKAGES = ("average", "complete", "single", "ward")
DISTANCES = ("euclidean", "manhattan", "cosine", "correlation")
NEIGHBOURS = 10
"""Nearest neighbours of an object in the graph of spectral clustering, scikit-learn's default."""


def _make_kmeans(k: int, n: int, linkage: str, metric: str) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(k, init="random", n_init=1)


def _make_minibatch(k: int, n: int, linkage: str, metric: str) -> Any:
    from sklearn.cluster import MiniBatchKMeans

    return MiniBatchKMeans(k, init="random", n_init=1)


def _make_agglomerative(k: int, n: int, linkage: str, metric: str) -> Any:
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(k, linkage=linkage, metric=metric)


def _make_spectral(k: int, n: int, linkage: str, metric: str) -> Any:
    from sklearn.cluster import SpectralClustering

    if k >= n:
        raise ValueError(f"spectral: {k} clusters of {n} objects; give fewer clusters than objects")
    return SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=min(NEIGHBOURS, n))


def _make_gmm(k: int, n: int, linkage: str, metric: str) -> Any:
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(k, covariance_type="diag", init_params="k-means++")


def _make_pam(k: int, n: int, linkage: str, metric: str) -> Any:
    from consclust.ensembles.pam import PAM

    return PAM(k, metric)


ALGORITHMS: dict[str, Callable[[int, int, str, str], Any]] = {
    "kmeans": _make_kmeans,
    "minibatch": _make_minibatch,
    "agglomerative": _make_agglomerative,
    "spectral": _make_spectral,
    "gmm": _make_gmm,
    "pam": _make_pam,
}
"""Makes a clusterer of k clusters of n objects, with a linkage and a distance."""
DETERMINISTIC = ("agglomerative", "pam")


def from_algorithms(
    X: Any,
    algorithms: str | Sequence[str] = "kmeans",
    runs: int = 20,
    n_clusters: Rule | Sequence[Rule] = ("random",),
    *,
    linkage: Literal["average", "complete", "single", "ward"] = "average",
    metric: Literal["euclidean", "manhattan", "cosine", "correlation"] = "euclidean",
    scale: bool = False,
    object_fraction: float = 1.0,
    feature_fraction: float = 1.0,
    random_state: Seed = 0,
    n_jobs: int | None = None,
) -> Ensemble:
    """Make base clusterings by one or several algorithms, which the runs take in turn.

    Parameters
    ----------
    X : array-like, shape (n objects, d features)
        Also a sparse matrix for "kmeans", "minibatch" and "spectral".
    algorithms : str or sequence of str
        "kmeans" (random first centres), "minibatch" (k-means with batches), "agglomerative", "spectral" (graph of 10
        nearest neighbours), "gmm" (Gaussian mixture with diagonal covariances) and "pam" (partition around medoids).
    runs : int
        Number of base clusterings, m.
    n_clusters : int, str or sequence of them
        As in :func:`~consclust.ensembles.kmeans`; each algorithm takes several rules in turn. "agglomerative" and "pam"
        draw nothing: with one number of clusters and all objects and features, every run is the same.
    linkage : {"average", "complete", "single", "ward"}
        Of "agglomerative".
    metric : {"euclidean", "manhattan", "cosine", "correlation"}
        Distance of "agglomerative" and "pam"; "ward" needs "euclidean". Correlation: 1 less Pearson's.
    scale : bool
        Whether each feature is scaled to mean 0 and standard deviation 1.
    object_fraction, feature_fraction : float in (0, 1]
        Of the objects and of the features that a run has, as in :func:`~consclust.ensembles.kmeans`.
    random_state : int, Generator, RandomState or None
        Seed. The same integer gives the same ensemble for any ``n_jobs``.
    n_jobs : int, optional
        Processes, as in joblib; -1 for all processors.

    Returns
    -------
    Ensemble
        Of n objects in m clusterings.

    Raises
    ------
    ValueError
        For an unknown algorithm, linkage or metric, if every run is the same, if squares of differences overflow or
        vanish, for "spectral" with a cluster for each object, and as :func:`~consclust.ensembles.from_estimators`.

    Warns
    -----
    UserWarning
        If some runs are the same.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consclust import ensembles
    >>> X = load_iris().data
    >>> ensemble = ensembles.from_algorithms(X, ["agglomerative", "gmm"], 6, (3, 4, 5), metric="correlation")
    >>> ensemble.n_clusters.tolist()
    [3, 3, 4, 4, 5, 5]
    """
    names = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    _check_arguments(names, linkage, metric)
    features = check_matrix(X)
    if scale:
        features = scale_columns(np.asarray(features.toarray() if hasattr(features, "toarray") else features))
    _check_squares(features)
    seed = seed_of(random_state)
    turns = [names[run % len(names)] for run in range(runs)]
    # from_estimators draws the same objects from the same seed
    present = draw_present(features.shape[0], runs, object_fraction, feature_fraction, seed)
    sizes = present.sum(axis=0).tolist()
    rules = list_rules(n_clusters)
    numbers = []
    for run, size in enumerate(sizes):
        turn = run // len(names)
        rule = number_or_rule(rules[turn % len(rules)], size)
        numbers.append(number_of_clusters(rule, turn, size, generator(seed, "number of clusters", run)))
    if object_fraction == feature_fraction == 1:
        _check_repeats(turns, numbers)
    named = [
        (f"{name} {run}", ALGORITHMS[name](k, size, linkage, metric))
        for run, (name, k, size) in enumerate(zip(turns, numbers, sizes, strict=True))
    ]
    with warnings.catch_warnings():
        # fewer distinct objects than clusters, a mixture that has not converged, a graph in parts
        warnings.simplefilter("ignore")
        return from_estimators(
            named,
            features,
            object_fraction=object_fraction,
            feature_fraction=feature_fraction,
            random_state=seed,
            n_jobs=n_jobs,
        )


def _check_arguments(names: Sequence[str], linkage: str, metric: str) -> None:
    """Raise ValueError for unknown words, and for a linkage and a distance that do not go together."""
    if not names:
        raise ValueError("algorithms is empty: give at least one")
    for name in names:
        check_choice("algorithms", name, tuple(ALGORITHMS))
    check_choice("linkage", linkage, LINKAGES)
    check_choice("metric", metric, DISTANCES)
    if linkage == "ward" and metric != "euclidean":
        raise ValueError(f"linkage = 'ward' is of Euclidean distances, and metric = {metric!r}; take another linkage")


def _check_squares(features: Any) -> None:
    """Raise ValueError for features whose squared differences are no numbers, or all 0."""
    values = features.data if hasattr(features, "toarray") else features
    largest = float(np.abs(values).max(initial=0))
    if not math.isfinite(2 * largest) or largest > math.sqrt(sys.float_info.max / (4 * features.shape[1])):
        remedy = "set scale=True, or divide X by a number"
        raise ValueError(f"X has values up to {largest:g}, whose squares overflow; {remedy}")
    if not hasattr(features, "toarray") and are_tiny(features):
        raise ValueError("the squares of all differences in X vanish; set scale=True, or multiply X by a number")


def _check_repeats(turns: Sequence[str], numbers: Sequence[int]) -> None:
    """Raise ValueError if all runs are the same, and warn if some are, which counts them several times."""
    fixed = [(name, k) for name, k in zip(turns, numbers, strict=True) if name in DETERMINISTIC]
    n_repeated = len(fixed) - len(set(fixed))
    if not n_repeated:
        return
    what = f"{' and '.join(dict.fromkeys(name for name, _ in fixed))} draws nothing, so that"
    remedy = "give more numbers of clusters (n_clusters), or an object_fraction or feature_fraction below 1"
    if len(fixed) == len(turns) and len(set(fixed)) == 1:
        raise ValueError(f"{what} all {len(turns)} runs are the same; {remedy}")
    warnings.warn(f"{what} {n_repeated} of {len(turns)} runs repeat an earlier one; {remedy}", stacklevel=3)

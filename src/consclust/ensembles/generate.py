"""Base clusterings for a person: by k-means with the rules of the studies, or by any scikit-learn clusterers.

Each run has its own random stream, named after what it is, so that no result depends on ``n_jobs``, and more runs
change no earlier one.
"""

# joblib, scikit-learn and threadpoolctl are imported where needed, so that what does without them starts faster

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil, isqrt
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, Ensemble, IntArray
from consclust.ensembles.draws import subsamples
from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from consclust.ensembles.spherical import spherical_ensemble
from consclust.seeds import generator
from consclust.validation import did_you_mean

Rule = int | Literal["sqrt", "random", "random-fine"]
"""The number of clusters of a run."""
Seed = int | np.random.Generator | np.random.RandomState | None
Flags = npt.NDArray[np.bool_]
LARGEST = 1e140  # Beyond, sums of squares overflow


def kmeans(
    X: Any,
    runs: int = 20,
    n_clusters: Rule | Sequence[Rule] = ("sqrt",),
    *,
    algorithm: Literal["kmeans", "minibatch", "spherical"] = "kmeans",
    init: Literal["random", "k-means++"] = "random",
    max_iter: int = 100,
    object_fraction: float = 1.0,
    feature_fraction: float = 1.0,
    random_state: Seed = 0,
    n_jobs: int | None = None,
) -> Ensemble:
    """Make base clusterings by k-means, each run from its own first centres.

    Parameters
    ----------
    X : array-like or sparse matrix, shape (n objects, d features)
    runs : int
        Number of base clusterings, m.
    n_clusters : int, str or sequence of them
        Number of clusters of a run: a number, "sqrt" (the largest one up to the square root of n), "random" (drawn from
        2 to that), or "random-fine" (drawn from half of it to it). The runs take several rules in turn, such as
        ``range(2, 11)``. With a fraction of the objects, n counts those of the run.
    algorithm : {"kmeans", "minibatch", "spherical"}
        The centres move with all objects (Lloyd), or with batches of them (Sculley 2010); or k-means by the cosine, for
        texts (Dhillon and Modha 2001).
    init : {"random", "k-means++"}
        First centres: objects at random, or far from each other.
    max_iter : int
        Most iterations of a run.
    object_fraction, feature_fraction : float in (0, 1]
        Of the objects and of the features that a run has, rounded up and drawn without replacement. An object that is
        left out has the label -1. The last run has all objects that are in no other, so that each has a label.
    random_state : int, Generator, RandomState or None
        Seed. The same integer gives the same ensemble for any ``n_jobs``.
    n_jobs : int, optional
        Processes, as in joblib; -1 for all processors.

    Returns
    -------
    Ensemble
        Of n objects in m clusterings; every consensus method takes it, and its label matrix is ``given``.

    Raises
    ------
    ValueError
        If X is no matrix of numbers, or for an argument that has no meaning, such as more clusters than objects.

    References
    ----------
    Fred, Jain: Combining multiple clusterings using evidence accumulation. IEEE Transactions on Pattern Analysis and
    Machine Intelligence 27, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consclust import ensembles
    >>> from consclust.methods import LWEA
    >>> ensemble = ensembles.kmeans(load_iris().data, runs=10)
    >>> ensemble.n_objects, ensemble.n_clusterings, ensemble.n_clusters.max()
    (150, 10, np.int64(12))
    >>> LWEA(n_clusters=3).fit_predict(ensemble).shape
    (150,)
    """
    check_choice("algorithm", algorithm, ("kmeans", "minibatch", "spherical"))
    check_choice("init", init, ("random", "k-means++"))
    rules = list_rules(n_clusters)
    features = check_matrix(X)
    seed = seed_of(random_state)
    refuse_overflow(features)
    present = draw_present(features.shape[0], runs, object_fraction, feature_fraction, seed)
    counts = present.sum(axis=0).tolist()
    numbers = [number_or_rule(rules[run % len(rules)], count) for run, count in enumerate(counts)]
    protocol = KMeansProtocol(1, 1, max_iter, init, feature_fraction, algorithm == "minibatch")
    make = spherical_ensemble if algorithm == "spherical" else kmeans_ensemble
    tasks = [
        (features, present[:, run], make, replace(protocol, n_clusters=k), seed, run) for run, k in enumerate(numbers)
    ]
    return Ensemble(_run_all(_run_kmeans, tasks, n_jobs))


def from_estimators(
    estimators: Any,
    X: Any,
    *,
    runs: int = 1,
    object_fraction: float = 1.0,
    feature_fraction: float = 1.0,
    left_out: Literal["missing", "predict"] = "missing",
    random_state: Seed = 0,
    n_jobs: int | None = None,
) -> Ensemble:
    """Make base clusterings by any scikit-learn clusterers.

    Parameters
    ----------
    estimators : clusterer, or list of clusterers or of pairs (name, clusterer)
        Whatever has ``fit_predict``, also a Pipeline. They are cloned, and every ``random_state`` that they have is set
        anew for each run. Without a name a clusterer has that of its class with a number, such as "KMeans 0".
    X : array-like or sparse matrix, shape (n objects, d features)
    runs : int
        Runs of each clusterer. More than one is of use only if the clusterer is random, or with fractions below 1.
    object_fraction, feature_fraction : float in (0, 1]
        Of the objects and of the features that a run has, rounded up and drawn without replacement. The last run has
        all objects that are in no other.
    left_out : {"missing", "predict"}
        The label of an object that is not in a run: -1, or what ``predict`` of the fitted clusterer says.
    random_state : int, Generator, RandomState or None
        Seed. The same integer gives the same ensemble for any ``n_jobs``. Without a fraction of the objects the
        labels of a clusterer depend neither on the others nor on its place, if it has a name.
    n_jobs : int, optional
        Processes, as in joblib; -1 for all processors.

    Returns
    -------
    Ensemble
        Of n objects; first the runs of the first clusterer, then those of the second, and so on. A negative label, such
        as that of noise in DBSCAN, becomes -1, missing.

    Raises
    ------
    ValueError
        If a clusterer has no ``fit_predict``, or no ``predict`` where that is asked for; if an object is noise in every
        clustering; for X that is no matrix and arguments out of their range.

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN, KMeans
    >>> from sklearn.datasets import load_iris
    >>> from consclust import ensembles
    >>> clusterers = [KMeans(n_clusters=k, n_init=1) for k in (3, 4, 5)]
    >>> ensemble = ensembles.from_estimators([*clusterers, DBSCAN()], load_iris().data)
    >>> ensemble.n_clusterings, ensemble.has_missing
    (4, True)
    """
    check_choice("left_out", left_out, ("missing", "predict"))
    features = check_matrix(X)
    seed = seed_of(random_state)
    named = list(_name_estimators(estimators))
    present = draw_present(features.shape[0], runs * len(named), object_fraction, feature_fraction, seed)
    must_predict = left_out == "predict" and not present.all()
    for name, estimator in named:
        for needed in ("fit_predict", "predict") if must_predict else ("fit_predict",):
            if not hasattr(estimator, needed):
                raise ValueError(f"estimators: {name} has no {needed}; give a clusterer that has, such as KMeans")
    each = [(name, estimator, run) for name, estimator in named for run in range(runs)]
    tasks = [
        (features, present[:, i], estimator, feature_fraction, left_out, generator(seed, name, run))
        for i, (name, estimator, run) in enumerate(each)
    ]
    labels = _run_all(_run_estimator, tasks, n_jobs)
    try:
        return Ensemble(labels)
    except ValueError as refused:
        remedy = "other parameters, or a clusterer more that labels every object"
        raise ValueError(f"the clusterers leave too much out as noise: {refused}, or give {remedy}") from None


def _run_all(run: Callable[..., IntArray], tasks: list[tuple[Any, ...]], n_jobs: int | None) -> IntArray:
    """Return what the runs label, (n, runs)."""
    from joblib import Parallel, delayed

    return np.column_stack(Parallel(n_jobs=n_jobs)(delayed(run)(*task) for task in tasks))


def _run_kmeans(X: Any, present: Flags, make: Any, protocol: KMeansProtocol, seed: int, run: int) -> IntArray:
    """Return the labels of a run of k-means, (n,)."""
    labels = np.full(len(present), MISSING)
    labels[present] = make(X[present], protocol, seed, ("k-means", str(run)))[:, 0]
    return labels


def _run_estimator(
    X: Any, present: Flags, estimator: Any, feature_fraction: float, left_out: str, rng: np.random.Generator
) -> IntArray:
    """Return the labels of a run of a clone of a clusterer, (n,)."""
    from sklearn.base import clone
    from threadpoolctl import threadpool_limits

    d = X.shape[1]
    if feature_fraction < 1:
        X = X[:, np.sort(rng.choice(d, ceil(feature_fraction * d), replace=False))]
    fresh = clone(estimator)
    # every random state has a seed of its own, also those of the steps of a Pipeline
    seeds = sorted(key for key in fresh.get_params() if key.split("__")[-1] == "random_state")
    fresh.set_params(**{key: int(rng.integers(2**32)) for key in seeds})
    labels = np.full(len(present), MISSING)
    with threadpool_limits(1):  # the same sums, whether there are other processes or not
        labels[present] = _check_integers(fresh.fit_predict(X[present]), estimator)
        if left_out == "predict" and not present.all():
            labels[~present] = _check_integers(fresh.predict(X[~present]), estimator)
    found: IntArray = np.maximum(labels, MISSING)
    return found


def _check_integers(labels: Any, estimator: Any) -> IntArray:
    if np.asarray(labels).dtype.kind not in "iu":
        raise ValueError(f"estimators: {estimator} gives labels that are no integers; give a clusterer")
    return np.asarray(labels, dtype=np.int64)


def _name_estimators(estimators: Any) -> Iterator[tuple[str, Any]]:
    """Yield clusterers with their names, which are distinct."""
    each = [estimators] if hasattr(estimators, "fit") else list(estimators)
    if not each:
        raise ValueError("estimators is empty: give at least one clusterer")
    counts: Counter[str] = Counter()
    for one in each:
        name, estimator = one if isinstance(one, tuple) else (type(one).__name__, one)
        yield (name if isinstance(one, tuple) else f"{name} {counts[name]}"), estimator
        counts[name] += 1
        if isinstance(one, tuple) and counts[name] > 1:
            raise ValueError(f"estimators: two are named {name!r}; give each its own name")


def list_rules(n_clusters: Rule | Sequence[Rule]) -> list[Any]:
    """Return one or several rules for the number of clusters as a list; ValueError if it is empty."""
    several = isinstance(n_clusters, Iterable) and not isinstance(n_clusters, str)
    rules: list[Any] = list(n_clusters) if several else [n_clusters]  # type: ignore[arg-type]
    if not rules:
        raise ValueError("n_clusters is empty: give a number or a rule")
    return rules


def number_or_rule(rule: Any, n: int) -> Any:
    """Return a rule of the studies for one run of n objects, with a number in place of "sqrt"."""
    if isinstance(rule, str):
        check_choice("n_clusters", rule, ("sqrt", "random", "random-fine"))
        if rule == "random" and n < 4:
            raise ValueError(
                f"n_clusters = 'random': from 2 to the square root of n = {n} there is none; give a number"
            )
        return isqrt(n) if rule == "sqrt" else rule
    if not isinstance(rule, int | np.integer) or not 1 <= rule <= n:
        raise ValueError(f"n_clusters = {rule!r}: must be from 1 to the number of objects in a run, {n}, or a rule")
    return int(rule)


def check_matrix(X: Any) -> Any:
    """Return features as an array or a CSR matrix, shape (n, d); ValueError for what is no matrix of numbers."""
    from sklearn.utils import check_array

    return check_array(X, accept_sparse="csr", ensure_all_finite=False)


def refuse_overflow(X: Any) -> None:
    """Raise ValueError for numbers whose squared distances overflow."""
    entries = X.data if hasattr(X, "toarray") else X
    if entries.size and max(float(entries.max()), -float(entries.min())) > LARGEST:
        raise ValueError(f"X holds numbers beyond {LARGEST:g}, whose squares overflow; divide them by their size")


def seed_of(random_state: Seed) -> int:
    """Return an integer as it is, and one drawn from anything else that scikit-learn takes for a random state."""
    if isinstance(random_state, int | np.integer):
        if random_state < 0:
            raise ValueError(f"random_state = {random_state}: must be at least 0")
        return int(random_state)
    return int(np.random.default_rng(random_state).integers(2**63))


def draw_present(n: int, runs: int, object_fraction: float, feature_fraction: float, seed: int) -> Flags:
    """Return the objects of each run, (n, runs)."""
    if runs < 1:
        raise ValueError(f"runs = {runs}: must be at least 1")
    for name, fraction in (("object_fraction", object_fraction), ("feature_fraction", feature_fraction)):
        if not 0 < fraction <= 1:
            raise ValueError(f"{name} = {fraction}: must be in (0, 1]")
    return subsamples(n, runs, object_fraction, np.arange(runs)[None, :], seed, ("base clusterings",))


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise ValueError, with the nearest word, for a value that is none of the choices."""
    if value not in choices:
        raise ValueError(f"{name} = {value!r}: {did_you_mean(str(value), choices)}")

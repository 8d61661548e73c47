"""Contract tests of consensus methods, for those of consclust and for yours: :func:`consclust.testing.check_method`."""

# pandas and threadpoolctl are imported where needed, so that what does without them starts faster

import pickle  # nosec B403
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble, FloatArray, IntArray, as_ensemble
from consclust.errors import ConsensusFailure
from consclust.extras import needs
from consclust.methods.base import ConsensusMethod, Cost

L30_CLASSES = np.repeat(np.arange(3), 10)


def l30() -> IntArray:
    """Return an ensemble of 8 views of three classes of 10 objects, the second view noise, shape (30, 8)."""
    p, j = np.ogrid[:30, :8]
    y, k = L30_CLASSES[:, None], np.array([3, 3, 3, 3, 3, 4, 4, 2])
    views = np.where(k == 3, (y + j) % 3, np.where(k == 4, (y + (y == 2) * (p % 2) + j) % 4, y != 0))
    return np.where((7 * p + 11 * j + 3 * p * j) % 10 < 2, (p + 2 * j) % k, views)


def features_of(labels: Any) -> FloatArray:
    """Return features that show the clusters of the first clustering, whatever their names."""
    first = as_ensemble(labels).labels[:, 0]
    ripple = 0.1 * np.sin(np.outer(np.arange(1, len(first) + 1), [3, 7]))
    return np.column_stack([*(first == cluster for cluster in range(-1, first.max() + 1)), ripple])


def check_method(cls: type[ConsensusMethod]) -> None:
    """Run all contract tests, ``CHECKS``, on a method with its default parameters, most with two random starts.

    Raises AssertionError with the name of the method, what it does, and what it should do.

    >>> from consclust.methods import EAC
    >>> from consclust.testing import check_method
    >>> check_method(EAC)
    """
    for check in CHECKS:
        check(cls)


def fit(cls: type[ConsensusMethod], n_clusters: int, labels: Any, **parameters: Any) -> ConsensusMethod:
    """Fit a method with :func:`features_of`; unless given, ``random_state`` is 0 and ``n_init``, if any, is 2."""
    parameters.setdefault("random_state", 0)
    if "n_init" in cls.parameters():
        parameters.setdefault("n_init", 2)
    method = cls(n_clusters=n_clusters, **parameters)
    return method.fit(labels, features_of(labels))


def rand_index(left: IntArray, right: IntArray) -> float:
    """Return the adjusted Rand index; 1 for equal clusterings."""
    return float(adjusted_rand_score(left, right))


def _assert(cls: type[ConsensusMethod], holds: Any, problem: str) -> None:
    if not holds:
        raise AssertionError(f"{cls.__name__} {problem}")


@contextmanager
def _refusal(cls: type[ConsensusMethod], what: str, error: Any = ValueError, says: str = "") -> Iterator[None]:
    try:
        yield
    except error as refused:
        _assert(cls, says in str(refused), f"refuses {what} without saying {says!r}: {refused}")
    else:
        raise AssertionError(f"{cls.__name__} accepts {what}; it must raise {error.__name__}")


def check_declarations(cls: type[ConsensusMethod]) -> None:
    """Docstring, summary, cost and constraints are there, and every parameter is documented."""
    documented = cls.__doc__ or ""
    parameters = {"n_clusters", "random_state", *cls.parameters()}
    _assert(cls, cls.summary.endswith("."), "needs a summary: one sentence that ends with a period")
    _assert(cls, not cls.reference or cls.reference.endswith("."), "has a reference without a final period")
    for name in parameters:
        _assert(cls, name in documented, f"does not document its parameter {name}")
    unknown = set(cls.constraints) - parameters
    _assert(cls, not unknown, f"constrains {sorted(unknown)}, which are no parameters of it")
    _assert(cls, isinstance(cls.cost, Cost), "needs a cost that is a consclust.methods.base.Cost")
    _assert(cls, cls.predicts_from in (None, "labels", "features"), "predicts from what is unknown")
    _assert(cls, hasattr(cls, "predict") == (cls.predicts_from is not None), "must declare predicts_from")


def check_results_are_declared(cls: type[ConsensusMethod]) -> None:
    """``matrices`` and ``paths`` are there after a fit, in the shapes that they are declared to have."""
    method = fit(cls, 3, l30())
    ensemble = Ensemble(l30())
    for name in cls.matrices:
        value = getattr(method, name)
        n = 30 if callable(value) else ensemble.n_profiles
        shape = np.shape(value() if callable(value) else value)
        _assert(cls, shape == (n, n), f"declares the matrix {name}, which has shape {shape}, not {(n, n)}")
    for name, columns in cls.paths.items():
        path = getattr(method, name)
        _assert(cls, path.size == columns * len(path), f"declares {columns} columns of {name}")
        _assert(cls, len(path) % method.n_iter_ == 0, f"has {len(path)} rows of {name} for {method.n_iter_}")


def check_labels_count_from_zero(cls: type[ConsensusMethod]) -> None:
    """Labels are integers 0, 1, ..., and no more than K different ones unless the number is free."""
    for k in (1, 2, 3, 28):
        method = fit(cls, k, l30())
        labels = method.labels_
        _assert(cls, labels.shape == (30,) and labels.dtype.kind == "i", "must give 30 integer labels")
        _assert(cls, set(labels) == set(range(labels.max() + 1)), f"skips a label: {sorted(set(labels))}")
        if method.free_number:
            _assert(cls, bool(method.note_) == (labels.max() + 1 != k), "must note another number than K")
        else:
            _assert(cls, labels.max() < k, f"gives {labels.max() + 1} clusters for n_clusters = {k}")
            _assert(cls, method.note_ or labels.max() + 1 == k, f"must note fewer clusters than {k}")


def check_numbers_of_clusters(cls: type[ConsensusMethod]) -> None:
    """Clusters are numbered by first appearance, in every restart; what is kept for each cluster is in that order.

    That is ``memberships_``, (n, K), if a method has them, whose greatest is that of the object's cluster, and
    ``predict``, which gives nearly all objects of ``fit`` their labels.
    """
    for labels in (l30(), l30()[::-1], np.roll(l30(), 13, axis=0)):
        method: Any = fit(cls, 3, labels)
        for row in method.restart_labels_:
            first = np.unique(row, return_index=True)[1]
            _assert(cls, (np.diff(first) > 0).all(), f"must number clusters by their first objects, not as {row}")
        if hasattr(method, "memberships_"):
            own = method.memberships_[np.arange(30), method.labels_]
            _assert(cls, (own == method.memberships_.max(axis=1)).all(), "has memberships_ in another order")
        if cls.predicts_from is not None:
            known = labels if cls.predicts_from == "labels" else features_of(labels)
            share = (method.predict(known) == method.labels_).mean()
            _assert(cls, share >= 0.9, f"predicts the labels of {share:.0%} of the objects of fit")


def check_identical_clusterings(cls: type[ConsensusMethod]) -> None:
    """The consensus of identical clusterings, and of a single one if ``identifiable``, is that clustering."""
    for sizes in ((5, 5, 5), (12, 2, 1), (1, 1, 1)):
        truth = np.repeat(np.arange(len(sizes)), sizes)
        if len(set(sizes)) == 1 or not cls.balanced:
            found = fit(cls, len(sizes), np.column_stack([truth, 7 - truth, 2 * truth])).labels_
            _assert(cls, np.array_equal(truth, found), f"makes {found} of identical clusterings {truth}")
    truth = np.array([0, 1, 1, 2, 2, 0])
    if cls.identifiable:
        found = fit(cls, 3, truth[:, None]).labels_
        _assert(cls, np.array_equal(truth, found), f"makes {found} of the single clustering {truth}")


def check_extreme_numbers_of_clusters(cls: type[ConsensusMethod]) -> None:
    """One cluster holds all objects; more clusters than distinct profiles are a ConsensusFailure."""
    for labels in (np.zeros((6, 3), dtype=int), np.array([[3, 4]])):
        found = fit(cls, 1, labels).labels_
        _assert(cls, not found.any(), f"gives labels {found} for one cluster")

    for k, labels in ((2, np.zeros((6, 3), dtype=int)), (29, l30())):
        with _refusal(cls, f"{k} clusters of fewer profiles", ConsensusFailure, f"n_clusters = {k}"):
            fit(cls, k, labels)


def check_finds_classes(cls: type[ConsensusMethod]) -> None:
    """Three classes that most clusterings show are found without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fit(cls, 3, l30(), **cls.parameters()).labels_
    score = rand_index(L30_CLASSES, found)
    _assert(cls, score > 0.5, f"finds the classes of l30() with adjusted Rand index {score:.2f} only")


def check_missing_labels(cls: type[ConsensusMethod]) -> None:
    """The three classes are found where each object misses one label of eight."""
    labels = l30()
    labels[np.arange(30), np.arange(30) % 8] = -1
    found = fit(cls, 3, labels, **cls.parameters()).labels_
    score = rand_index(L30_CLASSES, found)
    _assert(cls, found.min() == 0 and score > 0.4, f"scores {score:.2f} with one label of 8 missing")


def check_kinds_of_input(cls: type[ConsensusMethod]) -> None:
    """Lists, floats, data frames, ensembles and other names of the same clusters give the same answer."""
    with needs("test"):
        import pandas as pd

    labels = l30()
    expected = fit(cls, 3, labels).labels_
    renamed = 13 * (labels.max() - labels) + 2 + np.arange(8)
    for same in (labels.tolist(), labels.astype(float), pd.DataFrame(labels), Ensemble(labels), renamed):
        found = fit(cls, 3, same).labels_
        _assert(cls, np.array_equal(found, expected), f"labels a {type(same).__name__} differently")


def check_input_unchanged(cls: type[ConsensusMethod]) -> None:
    """Labels and features are as they were after a fit; arrays that cannot be written to are accepted."""
    labels = l30()
    features = features_of(labels)
    for array in (labels, features):
        array.flags.writeable = False
    cls(n_clusters=3, random_state=0).fit(labels, features)
    _assert(cls, np.array_equal(labels, l30()), "changes the labels that it is given")


def check_objects_permuted_and_repeated(cls: type[ConsensusMethod]) -> None:
    """In another order of the objects, or with each twice, the score is nearly the same; ties may matter."""
    here = rand_index(L30_CLASSES, fit(cls, 3, l30(), **cls.parameters()).labels_)
    permuted = np.random.default_rng(5).permutation(30)
    twice = np.repeat(np.arange(30), 2)
    for rows, what in ((permuted, "permuted objects"), (twice, "every object twice")):
        there = rand_index(L30_CLASSES[rows], fit(cls, 3, l30()[rows], **cls.parameters()).labels_)
        _assert(cls, abs(here - there) <= 0.25, f"scores {here:.2f}, with {what} {there:.2f}")


def check_order(cls: type[ConsensusMethod]) -> None:
    """Another order of the objects or clusterings changes no more than another seed, unless ``order_dependent``."""
    if cls.order_dependent:
        return
    labels, features = l30(), features_of(l30())

    def find(rows: IntArray, columns: IntArray, seed: int) -> IntArray:
        found = cls(n_clusters=3, random_state=seed).fit(labels[np.ix_(rows, columns)], features[rows]).labels_
        return found[np.argsort(rows)]

    objects, clusterings = np.arange(30), np.arange(8)
    given = find(objects, clusterings, 0)
    draws = [np.random.default_rng(seed) for seed in range(3)]
    orders = [find(rng.permutation(30), rng.permutation(8), 0) for rng in draws]
    seeds = [find(objects, clusterings, seed) for seed in range(1, 4)]
    by_order, by_seed = (min(rand_index(given, other) for other in others) for others in (orders, seeds))
    remedy = "declare order_dependent = True"
    _assert(cls, by_order >= by_seed - 0.1, f"agrees with itself in another order by {by_order:.2f}; {remedy}")


def check_deterministic(cls: type[ConsensusMethod]) -> None:
    """The same seed, also a Generator, gives the same labels in every restart, on one thread and on two."""
    from threadpoolctl import threadpool_limits

    first = fit(cls, 3, l30(), random_state=3).restart_labels_
    for seed in (3, np.random.default_rng(3)):
        again = fit(cls, 3, l30(), random_state=seed).restart_labels_
        _assert(cls, np.array_equal(first, again), f"gives other labels for random_state = {seed}")

    for threads in (1, 2):
        with threadpool_limits(threads):
            again = fit(cls, 3, l30(), random_state=3).restart_labels_
        _assert(cls, np.array_equal(first, again), f"gives other labels on {threads} threads")


def check_global_random_state(cls: type[ConsensusMethod]) -> None:
    """NumPy's global random state is neither used nor changed."""
    given = np.random.get_state()  # noqa: NPY002
    answers = []
    try:
        for seed in (1, 2):
            np.random.seed(seed)  # noqa: NPY002
            before = pickle.dumps(np.random.get_state())  # noqa: NPY002
            answers.append(fit(cls, 3, l30()).labels_)
            same = pickle.dumps(np.random.get_state()) == before  # noqa: NPY002
            _assert(cls, same, "draws from NumPy's global random state; use random_state")
    finally:
        np.random.set_state(given)  # noqa: NPY002
    _assert(cls, np.array_equal(answers[0], answers[1]), "depends on np.random.seed")


def check_attributes(cls: type[ConsensusMethod]) -> None:
    """``fit`` returns the method; what every method has afterwards is there and consistent."""
    method = cls(n_clusters=3, random_state=0)
    _assert(cls, method.fit(l30(), features_of(l30())) is method, "must return itself from fit")
    chosen = method.restart_labels_[method.chosen_]
    _assert(cls, np.array_equal(chosen, method.labels_), "has labels_ that are not those of chosen_")
    _assert(cls, isinstance(method.n_iter_, int) and method.n_iter_ >= 1, "needs an integer n_iter_ >= 1")
    _assert(cls, isinstance(method.converged_, bool), "needs a converged_ that is True or False")
    again = cls(n_clusters=3, random_state=0).fit_predict(l30(), features_of(l30()))
    _assert(cls, np.array_equal(again, method.labels_), "gives other labels from fit_predict")
    copy = pickle.loads(pickle.dumps(method))  # nosec B301
    _assert(cls, np.array_equal(copy.labels_, method.labels_), "has other labels after pickling")


def check_not_fitted(cls: type[ConsensusMethod]) -> None:
    """Matrices and predictions before ``fit`` raise scikit-learn's NotFittedError."""
    method: Any = cls(n_clusters=3)
    for name in ("_require_fitted", *cls.matrices):
        if callable(getattr(cls, name, None)):
            with _refusal(cls, f"{name}() before fit", NotFittedError):
                getattr(method, name)()
    if cls.predicts_from is not None:
        with _refusal(cls, "predict before fit", NotFittedError):
            method.predict(l30() if cls.predicts_from == "labels" else features_of(l30()))


def check_parameters_are_kept(cls: type[ConsensusMethod]) -> None:
    """``get_params``, ``set_params``, ``clone`` and ``repr`` agree on the parameters."""
    method = cls(n_clusters=3, random_state=0)
    expected = {**cls.parameters(), "n_clusters": 3, "random_state": 0}
    _assert(cls, method.get_params() == expected, f"keeps {method.get_params()} of {expected}")
    copy = clone(method)
    _assert(cls, copy is not method and copy.get_params() == expected, "is not cloned with its parameters")
    _assert(cls, copy.set_params(n_clusters=2).n_clusters == 2, "does not keep what set_params sets")
    with _refusal(cls, "an unknown parameter", says="no parameter 'n_cluster'"):
        copy.set_params(n_cluster=2)
    _assert(cls, f"{cls.__name__}(n_clusters=3" in repr(method), f"is shown as {method!r}")


def check_refuses_labels(cls: type[ConsensusMethod]) -> None:
    """What is no label matrix is refused."""
    refused: dict[str, Any] = {
        "NaN": [[np.nan, 1.0], [0.0, 1.0]],
        "at least one": np.zeros((0, 3), dtype=int),
        "n objects x m clusterings": [0, 1, 1],
        "integers": [["x"], ["y"]],
        "transpose": list(l30().T),
    }
    for says, labels in refused.items():
        with _refusal(cls, "what is no label matrix", says=says):
            cls(n_clusters=1).fit(labels)


def check_refuses_parameters(cls: type[ConsensusMethod]) -> None:
    """Numbers of clusters that are none, and parameters that are nothing sensible, are refused by name."""
    for k in (0, -1, 2.0, True, "3", None):
        with _refusal(cls, f"n_clusters = {k!r}", says="n_clusters = "):
            cls(n_clusters=k).fit(l30(), features_of(l30()))  # type: ignore[arg-type]
    for name in cls.parameters():
        broken: dict[str, Any] = {name: ()}
        with _refusal(cls, f"{name} = (), which no constraint allows", says=f"{name} = ()"):
            cls(n_clusters=3, **broken).fit(l30(), features_of(l30()))


def check_features(cls: type[ConsensusMethod]) -> None:
    """A method that uses features refuses what are none; the others ignore them."""
    method = cls(n_clusters=3, random_state=0)
    _assert(cls, cls.needs_features or not method.uses_features(), "must declare needs_features = True")
    if not method.uses_features():
        ignored = method.fit(l30(), "no features").labels_
        _assert(cls, np.array_equal(ignored, method.fit(l30()).labels_), "must ignore features")
        return
    refused: tuple[tuple[Any, str], ...] = (
        (None, "fit(labels, features)"),
        (np.zeros((29, 2)), "(29, 2)"),
        (np.zeros(30), "(30,)"),
        (np.zeros((30, 0)), "d >= 1"),
        (np.full((30, 2), np.nan), "NaN"),
        (np.full((30, 2), "red"), "must be numbers"),
        (np.full((30, 2), 1e200), "overflow"),
    )
    for features, says in refused:
        with _refusal(cls, "what are no features", says=says):
            method.fit(l30(), features)


# The contract tests, each a function of a class that raises AssertionError.
CHECKS: tuple[Callable[[type[ConsensusMethod]], None], ...] = tuple(
    value for name, value in list(globals().items()) if name.startswith("check_") and name != "check_method"
)

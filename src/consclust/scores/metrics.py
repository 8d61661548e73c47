"""External validity: agreement of a clustering with the classes, all from one contingency table.

Definitions follow scikit-learn, degenerate cases included, without its import time (1.2 CPU seconds), and
without counting anew for each metric: a grid of parameters gives thousands of labelings of one data set.
"""

from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray, IntArray


def contingency(y: npt.ArrayLike, labels: npt.ArrayLike) -> IntArray:
    """Count the objects of each class in each cluster, shape (classes, clusters).

    Both are in sorted order of their labels; no row and no column is empty.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters: numbers or strings; a cluster -1 (missing) is refused, because what it should cost is not
        defined.

    Raises ValueError if the lengths differ, are 0, or a label is missing (NaN, None, or -1 among ``labels``).
    """
    classes, clusters = _encoded(y, "y"), _encoded(labels, "labels", missing=-1)
    if classes.size != clusters.size:
        raise ValueError(f"y has {classes.size} objects, labels has {clusters.size}; give both for the same objects")
    return _counts(classes, clusters, int(classes.max()) + 1, int(clusters.max()) + 1)


class Metric:
    """A score of clusters ``labels`` given classes ``y``; ``of_table`` is the same of their contingency table."""

    def __init__(self, of_table: Callable[..., float]) -> None:
        self.of_table = of_table
        update_wrapper(self, of_table)

    def __call__(self, y: npt.ArrayLike, labels: npt.ArrayLike, *options: str) -> float:
        """Score one labeling; see :func:`contingency` for what is accepted."""
        return self.of_table(contingency(y, labels), *options)


@Metric
def accuracy(table: IntArray) -> float:
    """Clustering accuracy (ACC): share of objects in the best one-to-one matching of clusters and classes.

    The optimum is found by the Hungarian method. If the numbers of clusters and classes differ, the objects
    of the unmatched ones count as errors.
    """
    from scipy.optimize import linear_sum_assignment

    return float(table[linear_sum_assignment(table, maximize=True)].sum() / table.sum())


@Metric
def nmi(table: IntArray, normalization: str = "max") -> float:
    """Normalised mutual information (NMI): 1 if neither side is split, 0 if there is no mutual information.

    It is divided by a mean (or extreme) of the two entropies, or by the joint entropy: "max" (the RCE paper), "min",
    "arithmetic" (scikit-learn), "geometric" (Strehl & Ghosh), "joint".
    """
    if normalization not in _NORMALIZERS:
        raise ValueError(f"unknown normalization {normalization!r}; choose from {', '.join(_NORMALIZERS)}")
    if table.shape == (1, 1):
        return 1.0
    of_classes, of_clusters, joint = (_entropy(x) for x in (table.sum(axis=1), table.sum(axis=0), table.ravel()))
    information = of_classes + of_clusters - joint
    if information <= _ROUNDING:
        return 0.0
    return min(1.0, information / _NORMALIZERS[normalization](of_classes, of_clusters, joint))


@Metric
def ari(table: IntArray) -> float:
    """Return the adjusted Rand index (Hubert & Arabie 1985): on average 0 by chance, 1 if equal."""
    tp, fp, fn, tn = _confusion_of_pairs(table)
    if fp == fn == 0:
        return 1.0
    return 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


@Metric
def purity(table: IntArray) -> float:
    """Share of objects that belong to the most frequent class of their cluster."""
    return float(table.max(axis=0).sum() / table.sum())


@Metric
def pairwise_f(table: IntArray) -> float:
    """F1 of the pairs of objects: a pair is found if it shares a cluster, right if it shares a class.

    1 if neither side has any pair, that is if all objects are apart on both.
    """
    tp, fp, fn, _ = _confusion_of_pairs(table)
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 1.0


@Metric
def class_f(table: IntArray) -> float:
    """F1 of each class with the cluster in which that is largest, weighted by the sizes of the classes.

    Larsen & Aone 1999; F of van Rijsbergen 1979 for a class c and a cluster j is 2 |c and j| / (|c| + |j|).
    """
    classes, clusters = table.sum(axis=1), table.sum(axis=0)
    best = (2 * table / (classes[:, None] + clusters)).max(axis=1)
    return float(classes @ best / classes.sum())


@Metric
def purity_f(table: IntArray) -> float:
    """Harmonic mean of purity and inverse purity (Zhao & Karypis 2001; Amigó and others 2009).

    Inverse purity is the share of objects that belong to the most frequent cluster of their class.
    """
    in_classes, in_clusters = int(table.max(axis=0).sum()), int(table.max(axis=1).sum())
    return 2 * in_classes * in_clusters / ((in_classes + in_clusters) * int(table.sum()))


METRICS = {
    "ACC": accuracy,
    "NMI": nmi,
    "ARI": ari,
    "purity": purity,
    "F": pairwise_f,
    "NMI-mean": Metric(partial(nmi.of_table, normalization="arithmetic")),
    "F-class": class_f,
    "F-purity": purity_f,
}


def score_all(y: npt.ArrayLike, labels: npt.ArrayLike, metrics: Sequence[str] = tuple(METRICS)) -> dict[str, float]:
    """Score one labeling by several metrics; see :func:`contingency` for what is accepted."""
    _check_names(metrics)
    table = contingency(y, labels)
    return {name: METRICS[name].of_table(table) for name in metrics}


def score_many(y: npt.ArrayLike, labelings: npt.ArrayLike, metrics: Sequence[str] = tuple(METRICS)) -> FloatArray:
    """Score many labelings of the same objects; those that agree up to names of clusters are scored once.

    ``y`` has shape (n,), ``labelings`` are integers >= 0 of shape (labelings, n), ``metrics`` keys of :data:`METRICS`;
    returns shape (labelings, metrics). Raises ValueError as :func:`contingency`, and for labels that are not integers
    or an unknown metric.
    """
    _check_names(metrics)
    classes, matrix = _encoded(y, "y"), _labelings(labelings, np.size(y))
    n_classes, n_clusters = int(classes.max()) + 1, int(matrix.max(initial=0)) + 1
    scores = np.empty((len(matrix), len(metrics)))
    known: dict[bytes, list[float]] = {}
    for row, labels in enumerate(matrix):
        table = _counts(classes, labels, n_classes, n_clusters)
        # All metrics are functions of the contingency table up to the order of its columns.
        table = table[:, np.lexsort(table)]
        key = table.tobytes()
        if key not in known:
            filled = table[:, table.any(axis=0)]
            known[key] = [METRICS[name].of_table(filled) for name in metrics]
        scores[row] = known[key]
    return scores


def _encoded(values: npt.ArrayLike, name: str, missing: int | None = None) -> IntArray:
    """Codes 0..k-1 of the sorted distinct values."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must have one label for each object, got sequences of unequal lengths") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must have one label for each object, got shape {array.shape}")
    if not array.size:
        raise ValueError(f"{name} is empty; give at least one object")
    if array.dtype.kind in "fcOMm" and any(value is None or value != value for value in array.tolist()):
        raise ValueError(f"{name} holds NaN or None; leave objects without a label out")
    if missing is not None and array.dtype.kind in "iufO" and (array == missing).any():
        raise ValueError(f"{name} holds {missing} (missing); leave these objects out of {name} and y")
    try:
        return np.unique(array, return_inverse=True)[1].astype(np.int64)
    except TypeError:
        raise ValueError(f"{name} holds labels that cannot be sorted, such as numbers and text; use one kind") from None


def _labelings(labelings: npt.ArrayLike, n: int) -> npt.NDArray[Any]:
    matrix = np.asarray(labelings)
    if matrix.ndim != 2 or matrix.shape[1] != n:
        raise ValueError(f"labelings must have shape (labelings, {n}) like y, got {matrix.shape}")
    if matrix.dtype.kind not in "iu":
        raise ValueError(f"labelings must be integers, got dtype {matrix.dtype}")
    if matrix.min(initial=0) < 0:
        raise ValueError(f"labelings hold {matrix.min()} (missing); score the labelled objects only")
    if matrix.max(initial=0) >= n:  # names, not codes: the tables would have empty columns
        matrix = np.unique(matrix, return_inverse=True)[1].reshape(matrix.shape)
    return matrix


def _check_names(metrics: Sequence[str]) -> None:
    if unknown := [name for name in metrics if name not in METRICS]:
        raise ValueError(f"unknown metric {unknown[0]!r}; choose from {', '.join(METRICS)}")


def _counts(classes: IntArray, clusters: npt.NDArray[Any], n_classes: int, n_clusters: int) -> IntArray:
    counts: IntArray = np.bincount(classes * n_clusters + clusters, minlength=n_classes * n_clusters)
    return counts.reshape(n_classes, n_clusters)


def _entropy(counts: IntArray) -> float:
    """Entropy in nats."""
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())


_ROUNDING = 1e-14
_NORMALIZERS: dict[str, Callable[[float, float, float], float]] = {
    "max": lambda a, b, joint: max(a, b),
    "min": lambda a, b, joint: min(a, b),
    "arithmetic": lambda a, b, joint: (a + b) / 2,
    "geometric": lambda a, b, joint: float(np.sqrt(a * b)),
    "joint": lambda a, b, joint: joint,
}


def _pairs(counts: IntArray) -> int:
    """Pairs of objects within the groups; a Python integer, because products of these overflow 64 bits."""
    return int((counts * (counts - 1)).sum()) // 2


def _confusion_of_pairs(table: IntArray) -> tuple[int, int, int, int]:
    """Pairs together on both sides, in a cluster only, in a class only, on neither."""
    counts = (table, table.sum(axis=0), table.sum(axis=1), table.sum(keepdims=True))
    both, clusters, classes, every = map(_pairs, counts)
    return both, clusters - both, classes - both, every - clusters - classes + both

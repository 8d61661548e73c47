"""Scores of a clustering for which the classes are known, all from one contingency table.

Every score takes the classes first and the clusters second, both of shape (n,). The names of the clusters play no role.
An object without a cluster, -1, and a missing class are refused: what they should cost is not defined, so leave these
objects out of both.

Definitions follow scikit-learn, degenerate cases included, without its import time (1.2 CPU seconds), and without
counting anew for each score: a grid of parameters gives thousands of labelings of one data set. So beside each public
function stands its formula, a function of the contingency table, and ``METRICS`` has the formulas by name. Only the
entries of the table above zero are kept, at most n of them, so that thousands of clusters do not need a dense table.
"""

# SciPy is imported where needed, so that what does without it starts faster

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.numbering import renumber
from consclust.plurals import count

__all__ = [
    "accuracy",
    "ami",
    "ari",
    "class_f",
    "macro_f",
    "nmi",
    "pair_sets_index",
    "pairwise_f",
    "purity",
    "purity_f",
    "score_all",
]

Normalization = Literal["max", "min", "arithmetic", "geometric", "joint"]

CELLS = 2**20  # Most cells of a contingency table that is counted, or matched, as a dense matrix
LARGEST = 2**31  # Fewer objects than this have a number of pairs, twice, that fits into 64 bits


class Contingency(NamedTuple):
    """A contingency table as its entries above zero, row by row: a row for each class, a column for each cluster."""

    rows: IntArray  # Row of each entry, ascending, shape (entries,)
    columns: IntArray  # Column of each entry, ascending within a row
    counts: IntArray  # Objects, > 0
    shape: tuple[int, int]

    @classmethod
    def make(cls, table: npt.ArrayLike) -> Self:
        """Return the entries of a dense table of whole numbers >= 0, shape (classes, clusters)."""
        dense = np.asarray(table).astype(np.int64)
        rows, columns = np.nonzero(dense)
        return cls(rows, columns, dense[rows, columns], dense.shape)

    def dense(self) -> IntArray:
        """Return the table as a matrix, shape (classes, clusters)."""
        table = np.zeros(self.shape, dtype=np.int64)
        table[self.rows, self.columns] = self.counts
        return table

    @property
    def n(self) -> int:
        """Number of objects."""
        return int(self.counts.sum())

    def sizes(self, axis: Literal[0, 1]) -> IntArray:
        """Return the objects of each class (axis 0) or of each cluster (axis 1)."""
        sizes = np.zeros(self.shape[axis], dtype=np.int64)
        np.add.at(sizes, self[axis], self.counts)
        return sizes

    def largest(self, axis: Literal[0, 1]) -> IntArray:
        """Return the largest entry of each class (axis 0) or of each cluster (axis 1)."""
        largest = np.zeros(self.shape[axis], dtype=np.int64)
        np.maximum.at(largest, self[axis], self.counts)
        return largest


def contingency(y: npt.ArrayLike, labels: npt.ArrayLike) -> Contingency:
    """Count the objects of each class in each cluster.

    Rows and columns are in sorted order of their labels; no row and no column is empty.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Raises
    ------
    ValueError
        If the lengths differ or are 0, or a class or cluster is missing (NaN, None, or -1 among ``labels``).
    """
    classes = _encoded(y, "y")
    clusters = _encoded(labels, "labels", missing=-1)
    if classes.size != clusters.size:
        raise ValueError(
            f"y has {count(classes.size, 'object')}, labels has {clusters.size}; give both for the same objects"
        )
    return _entries(classes, clusters)


def accuracy(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the clustering accuracy (ACC): the share of objects in the best one-to-one matching.

    Each cluster is matched with one class at most, so that the most objects are in the class of their cluster
    (Hungarian method). The objects of an unmatched cluster or class count as errors.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Returns
    -------
    float
        In (0, 1]; 1 for equal groups.

    Raises
    ------
    ValueError
        If the lengths differ or are 0, or a class or cluster is missing (NaN, None, or -1 among ``labels``).

    References
    ----------
    Yang, Xu, Nie, Yan, Zhuang: Image clustering using local discriminant models and global integration. IEEE
    Transactions on Image Processing 19, 2010.

    Examples
    --------
    >>> from consclust import scores
    >>> scores.accuracy(["cat", "cat", "dog", "dog"], [1, 1, 0, 2])
    0.75
    """
    return _accuracy(contingency(y, labels))


def _accuracy(table: Contingency) -> float:
    n_rows, n_columns = table.shape
    matched = _match_dense(table) if n_rows * n_columns <= CELLS else _match_sparse(table)
    return matched / table.n


def _match_dense(table: Contingency) -> int:
    """Return the objects in the best one-to-one matching of rows and columns, by the Hungarian method."""
    from scipy.optimize import linear_sum_assignment

    dense = table.dense()
    return int(dense[linear_sum_assignment(dense, maximize=True)].sum())


def _match_sparse(table: Contingency) -> int:
    """Return the same number by a matching in the sparse graph of the entries.

    SciPy matches every vertex of the smaller side, which the entries alone may not allow. So each of its vertices gets
    a partner of its own that counts 0, and all weights are raised by 1, as an explicit 0 is no edge to SciPy. All are
    whole numbers below 2^53, so that the sum is exact.
    """
    from scipy.sparse import coo_array, eye_array, hstack
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    entries = coo_array((table.counts + 1.0, (table.rows, table.columns)), shape=table.shape)
    if table.shape[0] > table.shape[1]:
        entries = entries.T
    n_smaller = min(table.shape)
    graph = hstack([entries, eye_array(n_smaller)], format="csr")
    matching = min_weight_full_bipartite_matching(graph, maximize=True)
    return int(graph[matching].sum()) - n_smaller


def nmi(y: npt.ArrayLike, labels: npt.ArrayLike, normalization: Normalization = "max") -> float:
    """Return the normalised mutual information (NMI) of classes and clusters.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.
    normalization : {"max", "min", "arithmetic", "geometric", "joint"}
        What the mutual information is divided by: the larger of the two entropies (the RCE paper), the smaller one,
        their arithmetic mean (scikit-learn's default, and NMI-mean of the reports), their geometric mean (Strehl and
        Ghosh), or the joint entropy. Values by different ones cannot be compared; papers often do not say theirs.

    Returns
    -------
    float
        In [0, 1]; 1 for equal groups, also if neither side is split, and 0 without mutual information.

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`, and for an unknown normalization.

    References
    ----------
    Strehl, Ghosh: Cluster ensembles. Journal of Machine Learning Research 3, 2002. Vinh, Epps, Bailey: Information
    theoretic measures for clusterings comparison. Journal of Machine Learning Research 11, 2010.

    Examples
    --------
    >>> from consclust import scores
    >>> round(scores.nmi([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.667
    >>> round(scores.nmi([0, 0, 1, 1], [0, 0, 1, 2], normalization="arithmetic"), 3)
    0.8
    """
    return _nmi(contingency(y, labels), normalization)


def _nmi(table: Contingency, normalization: Normalization = "max") -> float:
    if normalization not in _NORMALIZERS:
        raise ValueError(f"unknown normalization {normalization!r}; choose from {', '.join(_NORMALIZERS)}")
    if table.shape == (1, 1):  # neither side is split
        return 1.0
    of_classes = _entropy(table.sizes(0))
    of_clusters = _entropy(table.sizes(1))
    joint = _entropy(table.counts)
    information = of_classes + of_clusters - joint
    if information <= _ROUNDING:
        return 0.0
    return min(1.0, information / _NORMALIZERS[normalization](of_classes, of_clusters, joint))


def _nmi_mean(table: Contingency) -> float:
    return _nmi(table, "arithmetic")


def ari(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the adjusted Rand index (ARI): the agreement over pairs of objects, corrected for chance.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Returns
    -------
    float
        In [-1/2, 1]; 0 on average for random clusters with these sizes, 1 for equal groups.

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`.

    References
    ----------
    Hubert, Arabie: Comparing partitions. Journal of Classification 2, 1985.

    Examples
    --------
    >>> from consclust import scores
    >>> scores.ari([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> scores.ari([0, 0, 1, 1], [0, 1, 0, 1])
    -0.5
    """
    return _ari(contingency(y, labels))


def _ari(table: Contingency) -> float:
    tp, fp, fn, tn = _confusion_of_pairs(table)
    if fp == fn == 0:
        return 1.0
    return 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


def purity(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the purity: the share of objects that belong to the most frequent class of their cluster.

    It never falls if a cluster is divided: compare only clusterings of equal numbers of clusters by it.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Returns
    -------
    float
        In (0, 1]; 1 if no cluster holds objects of two classes.

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`.

    References
    ----------
    Zhao, Karypis: Criterion functions for document clustering. Technical report 01-40, University of Minnesota, 2001.

    Examples
    --------
    >>> from consclust import scores
    >>> scores.purity([0, 0, 1, 1], [0, 0, 1, 2]), scores.purity([0, 0, 1, 1], [0, 0, 0, 0])
    (1.0, 0.5)
    """
    return _purity(contingency(y, labels))


def _purity(table: Contingency) -> float:
    return int(table.largest(1).sum()) / table.n


def pairwise_f(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the F1 of the pairs of objects, F in the reports.

    A pair is found if it shares a cluster, and right if it shares a class; F1 is the harmonic mean of precision and
    recall. "F" has several definitions in papers on clustering; others are :func:`~consclust.scores.class_f`,
    :func:`~consclust.scores.purity_f` and :func:`~consclust.scores.macro_f`.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Returns
    -------
    float
        In [0, 1]; 1 for equal groups, also if every object is alone on both sides.

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`.

    References
    ----------
    Manning, Raghavan, Schütze: Introduction to Information Retrieval, section 16.3. Cambridge University Press, 2008.

    Examples
    --------
    >>> from consclust import scores
    >>> round(scores.pairwise_f([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.667
    """
    return _pairwise_f(contingency(y, labels))


def _pairwise_f(table: Contingency) -> float:
    tp, fp, fn, _ = _confusion_of_pairs(table)
    if tp + fp + fn == 0:  # every object is alone on both sides
        return 1.0
    return 2 * tp / (2 * tp + fp + fn)


def class_f(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    r"""Return the F1 of each class with its best cluster, weighted by the sizes of the classes; F-class in the reports.

    F1 of a class c and a cluster j is 2 \|c and j\| / (\|c\| + \|j\|); a cluster may be the best of several classes.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Returns
    -------
    float
        In (0, 1]; 1 for equal groups.

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`.

    References
    ----------
    Larsen, Aone: Fast and effective text mining using linear-time document clustering. KDD 1999.

    Examples
    --------
    >>> from consclust import scores
    >>> round(scores.class_f([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.833
    """
    return _class_f(contingency(y, labels))


def _class_f(table: Contingency) -> float:
    classes = table.sizes(0)
    clusters = table.sizes(1)
    f1 = 2 * table.counts / (classes[table.rows] + clusters[table.columns])
    best = np.zeros(len(classes))
    np.maximum.at(best, table.rows, f1)
    return float(classes @ best / classes.sum())


def purity_f(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the harmonic mean of purity and inverse purity, F-purity in the reports.

    Inverse purity is the share of objects that belong to the most frequent cluster of their class.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Returns
    -------
    float
        In (0, 1]; 1 for equal groups.

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`.

    References
    ----------
    Amigó, Gonzalo, Artiles, Verdejo: A comparison of extrinsic clustering evaluation metrics based on formal
    constraints. Information Retrieval 12, 2009.

    Examples
    --------
    >>> from consclust import scores
    >>> round(scores.purity_f([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.857
    """
    return _purity_f(contingency(y, labels))


def _purity_f(table: Contingency) -> float:
    # Python integers, because products of these may overflow 64 bits
    in_classes = int(table.largest(1).sum())
    in_clusters = int(table.largest(0).sum())
    return 2 * in_classes * in_clusters / ((in_classes + in_clusters) * table.n)


def macro_f(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the harmonic mean of unweighted purity and inverse purity, F-macro in the reports.

    The purity of each cluster, the share of its objects that belong to its most frequent class, is averaged over the
    clusters, whatever their sizes; the inverse purity of each class over the classes. So one cluster of nearly all
    objects beside a few small pure ones scores high: compare it with :func:`~consclust.scores.accuracy`.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Returns
    -------
    float
        In (0, 1]; 1 for equal groups.

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`.

    References
    ----------
    Amigó, Gonzalo, Artiles, Verdejo: A comparison of extrinsic clustering evaluation metrics based on formal
    constraints. Information Retrieval 12, 2009, which weights clusters and classes by their sizes.

    Examples
    --------
    >>> from consclust import scores
    >>> round(scores.macro_f([0, 0, 0, 1], [0, 0, 0, 0]), 3), round(scores.macro_f([0, 0, 0, 1], [0, 0, 1, 1]), 3)
    (0.857, 0.789)
    """
    return _macro_f(contingency(y, labels))


def _macro_f(table: Contingency) -> float:
    purity_of_clusters = float((table.largest(1) / table.sizes(1)).mean())
    purity_of_classes = float((table.largest(0) / table.sizes(0)).mean())
    return 2 * purity_of_clusters * purity_of_classes / (purity_of_clusters + purity_of_classes)


def ami(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the adjusted mutual information (AMI): mutual information, corrected for chance.

    It is (MI - E) / (mean of the two entropies - E), where E is the mean of the mutual information over all clusterings
    with these sizes of clusters, as in scikit-learn, which computes it.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Returns
    -------
    float
        At most 1; 0 on average for random clusters with these sizes, 1 for equal groups.

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`.

    References
    ----------
    Vinh, Epps, Bailey: Information theoretic measures for clusterings comparison. Journal of Machine Learning
    Research 11, 2010.

    Examples
    --------
    >>> from consclust import scores
    >>> round(scores.ami([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.571
    """
    return _ami(contingency(y, labels))


def _ami(table: Contingency) -> float:
    from sklearn.metrics import adjusted_mutual_info_score

    classes = np.repeat(table.rows, table.counts)
    clusters = np.repeat(table.columns, table.counts)
    return float(adjusted_mutual_info_score(classes, clusters))


def pair_sets_index(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    r"""Return the pair sets index (PSI): the overlap of matched classes and clusters, corrected for chance.

    Each cluster is matched with one class at most. A pair counts :math:`n_{ij} / \max(n_i, m_j)`, whatever its size, so
    small classes count as much as large ones.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.

    Returns
    -------
    float
        In [0, 1]; 0 for clusters that match no better than by chance, 1 for equal groups.

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`.

    References
    ----------
    Rezaei, Fränti: Set matching measures for external cluster validity. IEEE Transactions on Knowledge and Data
    Engineering 28, 2016.

    Examples
    --------
    >>> from consclust import scores
    >>> scores.pair_sets_index([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> round(scores.pair_sets_index([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.333
    """
    return _pair_sets_index(contingency(y, labels))


def _pair_sets_index(table: Contingency) -> float:
    if table.shape == (1, 1):
        return 1.0
    n_rows, n_columns = table.shape
    classes = table.sizes(0)
    clusters = table.sizes(1)
    shares = table.counts / np.maximum(classes[table.rows], clusters[table.columns])
    match = _match_shares_dense if n_rows * n_columns <= CELLS else _match_shares_sparse
    matched = match(table, shares)
    # by chance: the largest class meets the largest cluster, and so on
    n_pairs = min(table.shape)
    of_classes = np.sort(classes)[::-1][:n_pairs].astype(float)
    of_clusters = np.sort(clusters)[::-1][:n_pairs].astype(float)
    chance = float((of_classes * of_clusters / table.n / np.maximum(of_classes, of_clusters)).sum())
    return max(0.0, (matched - chance) / (max(table.shape) - chance))


def _match_shares_dense(table: Contingency, shares: FloatArray) -> float:
    """Return the largest sum of the shares of the entries, (entries,), in a one-to-one matching of rows and columns."""
    from scipy.optimize import linear_sum_assignment

    dense = np.zeros(table.shape)
    dense[table.rows, table.columns] = shares
    return float(dense[linear_sum_assignment(dense, maximize=True)].sum())


def _match_shares_sparse(table: Contingency, shares: FloatArray) -> float:
    """Return the same sum by a matching in the sparse graph of the entries.

    As in :func:`_match_sparse` each vertex of the smaller side has a partner of its own that counts 0, and all weights
    are raised by 1. The matched shares are summed as they are, so that the 1 costs the sum no digits.
    """
    from scipy.sparse import coo_array, eye_array, hstack
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    entries = coo_array((shares, (table.rows, table.columns)), shape=table.shape)
    if table.shape[0] > table.shape[1]:
        entries = entries.T
    raised = coo_array((entries.data + 1, entries.coords), shape=entries.shape)
    graph = hstack([raised, eye_array(min(table.shape))], format="csr")
    rows, columns = min_weight_full_bipartite_matching(graph, maximize=True)
    is_entry = columns < entries.shape[1]
    return float(entries.tocsr()[rows[is_entry], columns[is_entry]].sum())


METRICS: dict[str, Callable[[Contingency], float]] = {
    "ACC": _accuracy,
    "NMI": _nmi,
    "ARI": _ari,
    "purity": _purity,
    "F": _pairwise_f,
    "NMI-mean": _nmi_mean,
    "F-class": _class_f,
    "F-purity": _purity_f,
    "F-macro": _macro_f,
}
"""The scores by their names in the reports, as functions of the contingency table."""


FURTHER: dict[str, Callable[[Contingency], float]] = {"AMI": _ami, "PSI": _pair_sets_index}
"""Scores of :func:`score_each`. They are not in ``METRICS``, so that studies without them need not score again."""


def score_all(y: npt.ArrayLike, labels: npt.ArrayLike, names: Sequence[str] = tuple(METRICS)) -> dict[str, float]:
    """Return several scores of one clustering, under the names that the reports use; the objects are counted once.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.
    names : sequence of str
        Of "ACC", "NMI" (divided by the larger entropy), "NMI-mean" (by their mean), "ARI", "purity", "F", "F-class",
        "F-purity" and "F-macro"; all by default.

    Returns
    -------
    dict of str to float

    Raises
    ------
    ValueError
        As :func:`~consclust.scores.accuracy`, and for an unknown name.

    Examples
    --------
    >>> from consclust import scores
    >>> scores.score_all([0, 0, 1, 1], [0, 0, 1, 2], ["ACC", "purity"])
    {'ACC': 0.75, 'purity': 1.0}
    """
    _check_names(names)
    table = contingency(y, labels)
    return {name: METRICS[name](table) for name in names}


def score_many(y: npt.ArrayLike, labelings: npt.ArrayLike, metrics: Sequence[str] = tuple(METRICS)) -> FloatArray:
    """Score many labelings of the same objects; those that agree up to names of clusters are scored once.

    ``y`` has shape (n,), ``labelings`` are integers >= 0 of shape (labelings, n), ``metrics`` keys of ``METRICS``;
    returns shape (labelings, metrics). Raises ValueError as :func:`contingency`, and for labels that are not integers
    or an unknown metric.
    """
    _check_names(metrics)
    classes, matrix = _encoded(y, "y"), _labelings(labelings, np.size(y))
    n_classes, n_clusters = int(classes.max()) + 1, int(matrix.max(initial=0)) + 1
    scores = np.empty((len(matrix), len(metrics)))
    known: dict[bytes, list[float]] = {}
    for row, labels in enumerate(matrix):
        # All metrics are functions of the contingency table up to the order of its columns.
        if n_classes * n_clusters <= CELLS:
            dense = _counts(classes, labels, n_classes, n_clusters)
            dense = dense[:, np.lexsort(dense)]
            table = Contingency.make(dense[:, dense.any(axis=0)])
        else:
            table = _entries(classes, renumber(labels[None])[0])
        key = b"".join(part.tobytes() for part in table[:3])
        if key not in known:
            known[key] = [METRICS[name](table) for name in metrics]
        scores[row] = known[key]
    return scores


def score_each(y: npt.ArrayLike, labelings: npt.ArrayLike, metrics: Sequence[str]) -> FloatArray:
    """Score many labelings of the same objects as :func:`score_many`, also by the metrics of ``FURTHER``."""
    usual = [name for name in metrics if name not in FURTHER]
    of_usual = dict(zip(usual, score_many(y, labelings, usual).T, strict=True))
    matrix = _labelings(labelings, np.size(y))
    tables = [contingency(y, labels) for labels in matrix]
    columns = [of_usual[name] if name in of_usual else [FURTHER[name](table) for table in tables] for name in metrics]
    return np.array(columns, dtype=np.float64).reshape(len(metrics), len(matrix)).T


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


def _entries(classes: IntArray, clusters: IntArray) -> Contingency:
    """Count the objects of classes 0..k-1 in clusters 0..l-1, none of them empty."""
    n_classes, n_clusters = int(classes.max()) + 1, int(clusters.max()) + 1
    if n_classes * n_clusters <= CELLS:
        return Contingency.make(_counts(classes, clusters, n_classes, n_clusters))
    cells, counts = np.unique(classes * n_clusters + clusters, return_counts=True)
    return Contingency(*np.divmod(cells, n_clusters), counts, (n_classes, n_clusters))


def _entropy(counts: IntArray) -> float:
    """Entropy in nats of counts > 0."""
    share = counts / counts.sum()
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
    if int(counts.sum()) < LARGEST:
        return int((counts * (counts - 1)).sum()) // 2
    sizes: list[int] = counts.tolist()
    return sum(size * (size - 1) for size in sizes) // 2


def _confusion_of_pairs(table: Contingency) -> tuple[int, int, int, int]:
    """Pairs together on both sides, in a cluster only, in a class only, on neither."""
    counts = (table.counts, table.sizes(1), table.sizes(0), np.array([table.n]))
    both, clusters, classes, every = map(_pairs, counts)
    return both, clusters - both, classes - both, every - clusters - classes + both

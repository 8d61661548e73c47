"""Scores of a clustering, for a person who knows the classes: one function each, over :mod:`consclust.scores.metrics`.

Every function takes the classes first and the clusters second, both of shape (n,). The names of the clusters play no
role. An object without a cluster, -1, and a missing class are refused: what they should cost is not defined, so leave
these objects out of both.
"""

from collections.abc import Sequence
from typing import Literal

import numpy.typing as npt

from consclust.scores import metrics

Normalization = Literal["max", "min", "arithmetic", "geometric", "joint"]


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
    return metrics.accuracy(y, labels)


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
    return metrics.nmi(y, labels, normalization)


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
    return metrics.ari(y, labels)


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
    return metrics.purity(y, labels)


def pairwise_f(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the F1 of the pairs of objects, F in the reports.

    A pair is found if it shares a cluster, and right if it shares a class; F1 is the harmonic mean of precision and
    recall. "F" has three definitions in papers on clustering; the others are :func:`~consclust.scores.class_f` and
    :func:`~consclust.scores.purity_f`.

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
    return metrics.pairwise_f(y, labels)


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
    return metrics.class_f(y, labels)


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
    return metrics.purity_f(y, labels)


def score_all(
    y: npt.ArrayLike, labels: npt.ArrayLike, names: Sequence[str] = tuple(metrics.METRICS)
) -> dict[str, float]:
    """Return several scores of one clustering, under the names that the reports use; the objects are counted once.

    Parameters
    ----------
    y, labels : array-like, shape (n,)
        Classes and clusters, numbers or strings.
    names : sequence of str
        Of "ACC", "NMI" (divided by the larger entropy), "NMI-mean" (by their mean), "ARI", "purity", "F", "F-class" and
        "F-purity"; all by default.

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
    return metrics.score_all(y, labels, names)

"""LCE: link-based cluster ensembles, by connected triples or SimRank."""

# SciPy and compiled kernels are imported where needed, so that what does without them starts faster

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from consclust.ensemble import Ensemble, FloatArray
from consclust.methods.base import Cost, MatrixMethod, OrderedMethod
from consclust.methods.constraints import Interval
from consclust.numerics.linkage import Linkage
from consclust.similarity import jaccard

ROUNDING = 1e-12  # Similarities of clusters that differ by less are equal


@dataclass(repr=False, eq=False, kw_only=True)
class LCE(OrderedMethod, MatrixMethod):
    r"""Agglomerative clustering of objects that are similar if their base clusters overlap with the same ones.

    With the Jaccard index :math:`w_{ab}` of the base clusters, :math:`w_{aa} = 0`, and the decay d, the similarity of
    two objects p, q in m clusterings is one of

    **CTS**, connected triples of two clusters of one clustering, and of objects by clustering:

    .. math:: t_{ab} = \sum_c \min(w_{ac}, w_{bc}), \quad
        S_{pq} = \frac1m \sum_j \begin{cases} 1 & a = b \\ d\, t_{ab} / \max t & a \ne b \end{cases},
        \quad a = c_j(p),\; b = c_j(q); \qquad (1)

    **ASRS**, approximate SimRank of any two clusters, and of objects over all pairs of clusterings:

    .. math:: u_{ab} = \frac{\sum_c w_{ac} w_{bc}}{|N_a| |N_b|}, \quad
        S_{pq} = \frac{1}{m^2} \sum_{j, j'} \begin{cases} 1 & a = b \text{ or } u_{ab} = \max u \\
        d\, u_{ab} / \max u & \text{otherwise} \end{cases}, \quad a = c_j(p),\; b = c_{j'}(q), \qquad (2)

    with :math:`|N_a|` the clusters that share objects with a;

    **SRS**, SimRank of the bipartite graph of objects and clusters, from :math:`S = I` and :math:`C = I` in T steps:

    .. math:: S_{pq} \leftarrow \frac{d}{m^2} \sum_{a \ni p,\, b \ni q} C_{ab}, \quad
        C_{ab} \leftarrow \frac{d}{|a| |b|} \sum_{p \in a,\, q \in b} S_{pq}, \quad S_{pp} = C_{aa} = 1. \qquad (3)

    Linkage of 1 - S, cut into exactly K clusters.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    similarity : {"cts", "asrs", "srs"}, default "cts"
        S: connected triples, approximate SimRank, or SimRank.
    linkage : {"average", "complete", "single"}, default "average"
        Distance between clusters, on 1 - S.
    decay : float in (0, 1], default 0.8
        What a similarity through other clusters counts beside a common cluster, d.
    n_steps : int, default 4
        Steps of "srs", T. The authors' package counts the start as well; its 5 are 4 here.
    object_order : {"given", "random"}, default "given"
        The order of the objects that decides between ties: as they are given, or drawn from ``random_state``.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        S over the distinct label profiles. On its diagonal: two different objects with one profile.

    Notes
    -----
    In "cts" two objects with one profile have similarity 1. In "asrs" and "srs" they do not: S compares their clusters
    in *different* clusterings too, and on the ensembles of the tests such a pair has .09 to .65. Other objects may then
    be nearer, so that a tree may part objects with one profile. S is computed over the profiles in all three. The tree
    is built over the profiles, in O(n'^2) time and memory, where that gives the tree of the objects, and else over the
    objects, in 8 n^2 bytes.

    In small ensembles many similarities of "cts" tie, and which of the tied pairs merges first follows the order of the
    objects and of the clusterings.

    As in the authors' package the two clusters with the largest u count as one cluster, without the decay; here this
    holds for all pairs that are as similar but for rounding, so that the order of the clusterings does not matter. The
    function CTS of the package diceR for R is another method: it cuts the list of clusters into m equal parts, which is
    right only if all clusterings have the same number of clusters, and links Euclidean distances between rows of S.

    With :math:`k = \sum_i k_i` base clusters "cts" takes :math:`O(k \sum_i k_i^2 + n'^2 m)` time, "asrs"
    :math:`O(k^3 + n'^2 m)`, and "srs" O(T (n' + k) n' m). A missing label counts as the expected one; where missing
    labels are "ignored", (1) is over the clusterings that contain p and q, and m in (2) and (3) counts the labels of p
    and those of q.

    Examples
    --------
    >>> from consclust.methods import LCE
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> LCE(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    >>> LCE(n_clusters=2, similarity="srs").fit(labels).consensus_matrix()[0].round(2)
    array([1.  , 0.35, 0.36, 0.11, 0.14, 0.08])
    """

    summary = "Agglomerative clustering of a link-based similarity: connected triples or SimRank of the base clusters."
    reference = (
        "Iam-On, Garrett: LinkCluE: a MATLAB package for link-based cluster ensembles, Journal of Statistical Software "
        "36(9), 2010."
    )
    cost = Cost(0.05, 4e-7, 0, profile_matrices=4)
    constraints = {"decay": Interval(float, 0, 1, "right")}

    similarity: Literal["cts", "asrs", "srs"] = "cts"
    linkage: Linkage = "average"
    decay: float = 0.8
    n_steps: int = 4

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return also those of the similarities of base clusters, and of their products with the profiles."""
        n_clusters = int(ensemble.n_clusters.sum())
        return super()._doubles(ensemble) + 4 * n_clusters**2 + 2 * n_clusters * ensemble.n_profiles

    def _fit(self, ensemble: Ensemble) -> None:
        if self.similarity == "cts":
            self.profile_matrix_ = compare_by_triples(ensemble, self.decay)
        elif self.similarity == "asrs":
            self.profile_matrix_ = compare_by_neighbours(ensemble, self.decay)
        else:
            self.profile_matrix_ = compare_by_simrank(ensemble, self.decay, self.n_steps)
        order = None if self.object_order == "given" else self._draw_order(ensemble.n_objects)
        self._set_profile_linkage_labels(self.profile_matrix_, self.n_clusters, self.linkage, order)

    def consensus_matrix(self) -> FloatArray:
        """Return S over objects, shape (n, n)."""
        matrix = super().consensus_matrix()
        np.fill_diagonal(matrix, 1.0)
        return matrix


def compare_by_triples(ensemble: Ensemble, decay: float) -> FloatArray:
    """Return S of Eq. (1), shape (n', n')."""
    triples = connect_triples(ensemble)
    triples *= decay
    np.fill_diagonal(triples, 1.0)
    z = ensemble.expected_indicator
    similarity = ensemble.share_of_clusterings(_between(z, triples))
    if not ensemble.has_missing:
        np.fill_diagonal(similarity, 1.0)  # rounding must not make another profile nearer
    return similarity


def connect_triples(ensemble: Ensemble) -> FloatArray:
    """Return t / max t of the clusters of each clustering, shape (sum of k_i, sum of k_i); 0 elsewhere."""
    from consclust.numerics.kernels.strength_kernels import sum_common

    index = jaccard(ensemble)
    stops = np.repeat(np.cumsum(ensemble.n_clusters), ensemble.n_clusters)
    triples = sum_common(index, np.ones(len(index)), stops)
    np.fill_diagonal(triples, 0.0)
    triples += triples.T
    largest = triples.max()
    return triples / largest if largest > 0 else triples


def compare_by_neighbours(ensemble: Ensemble, decay: float) -> FloatArray:
    """Return S of Eq. (2), shape (n', n')."""
    neighbours = compare_neighbours(ensemble)
    is_most_similar = neighbours > 1 - ROUNDING
    neighbours *= decay
    neighbours[is_most_similar] = 1.0
    np.fill_diagonal(neighbours, 1.0)
    shares = _label_shares(ensemble)
    return _between(shares, neighbours)


def compare_neighbours(ensemble: Ensemble) -> FloatArray:
    """Return u / max u of every two base clusters, shape (sum of k_i, sum of k_i), zero diagonal."""
    index = jaccard(ensemble)
    n_neighbours = np.maximum((index > 0).sum(axis=1), 1)
    similarity = index @ index
    similarity /= n_neighbours
    similarity /= n_neighbours[:, None]
    np.fill_diagonal(similarity, 0.0)
    similarity += similarity.T
    largest = similarity.max()
    return similarity / largest if largest > 0 else similarity


def compare_by_simrank(ensemble: Ensemble, decay: float, n_steps: int) -> FloatArray:
    """Return S of Eq. (3), shape (n', n')."""
    similarity = np.zeros((ensemble.n_profiles, ensemble.n_profiles))
    for step in step_simrank(ensemble, decay, n_steps):
        similarity = step.of_profiles
    return similarity


class SimRank(NamedTuple):
    """Similarities after a step; those of an object or a cluster with itself are 1."""

    of_profiles: FloatArray  # Of two different objects, shape (n', n')
    of_clusters: FloatArray  # Shape (sum of k_i, sum of k_i)


def step_simrank(ensemble: Ensemble, decay: float, n_steps: int) -> Iterator[SimRank]:
    """Yield the similarities after each step of Eq. (3).

    Of the sum over the objects of two clusters the pairs of an object with itself, which counts 1, are a part of their
    own: the profile matrix has another value for two objects with one profile.
    """
    from scipy.sparse import diags_array

    z = ensemble.expected_indicator
    shares = _label_shares(ensemble)
    sizes = z.T @ ensemble.weights
    members = (
        diags_array(1 / sizes) @ z.T @ diags_array(ensemble.weights.astype(float))
    ).tocsr()  # shares of each cluster
    of_profiles = np.zeros((ensemble.n_profiles, ensemble.n_profiles))
    of_clusters = np.eye(len(sizes))
    for _ in range(n_steps):
        own = diags_array(1 - of_profiles.diagonal())
        with_itself = (members @ own @ z).toarray() / sizes
        next_of_clusters = decay * (_between(members, of_profiles) + with_itself)
        np.fill_diagonal(next_of_clusters, 1.0)
        of_profiles = decay * _between(shares, of_clusters)
        of_clusters = next_of_clusters
        yield SimRank(of_profiles, of_clusters)


def _label_shares(ensemble: Ensemble) -> Any:
    """Return the indicator matrix with rows that sum to 1, a csr_array."""
    from scipy.sparse import diags_array

    z = ensemble.expected_indicator
    return (diags_array(1 / z.sum(axis=1)) @ z).tocsr()


def _between(rows: Any, inner: FloatArray) -> FloatArray:
    """Return R X R', symmetric to the last bit, for a csr_array R and a symmetric X."""
    product: FloatArray = rows @ (rows @ inner).T
    return (product + product.T) / 2

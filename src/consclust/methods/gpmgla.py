"""GP-MGLA: graph partitioning with multi-granularity link analysis."""

# SciPy and compiled kernels are imported where needed, so that what does without them starts faster

from dataclasses import dataclass
from typing import Any

import numpy as np

from consclust.crowd import crowd_agreement
from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import Cost, OrderedMethod
from consclust.methods.constraints import NON_NEGATIVE, POSITIVE
from consclust.numerics.farthest import kmeans_from_far_rows
from consclust.numerics.tcut import tcut_embedding
from consclust.similarity import jaccard


@dataclass(repr=False, eq=False, kw_only=True)
class GPMGLA(OrderedMethod):
    r"""Normalised cut of a graph in which objects are linked to base clusters, and base clusters to each other.

    A clustering counts by its agreement with the others, :math:`I_j`, as in :class:`~consclust.methods.WEAC`. Two base
    clusters are linked by their common neighbours, each of which counts as its clustering does (source-aware connected
    triples): with the Jaccard index J, :math:`J_{aa} = 1`,

    .. math:: T_{ab} = \sum_c I_{j(c)} \min(J_{ac}, J_{bc}), \quad
        SACT_{ab} = \frac{T_{ab}}{\max_{cd} T_{cd}}, \quad SACT_{aa} = 1. \qquad (1)

    One side of a bipartite graph has the objects and the base clusters, the other the base clusters. An object is
    linked to its cluster in clustering j by

    .. math:: G_{p, c} = \alpha I_j \quad \text{where } p \in c \in j, \qquad (2)

    and a base cluster to all by SACT. The transfer cut of Li, Wu, Chang (CVPR 2012) gives coordinates, of which those
    of the objects are scaled to unit length and grouped by k-means.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    alpha : float > 0, default 0.5
        Weight of the links of objects beside those of base clusters.
    beta : float >= 0, default 2.0
        How much the agreement of a clustering counts; 0: all count the same.
    object_order : {"given", "random"}, default "given"
        k-means starts from the first object in this order, and from others that are far from those chosen so far; the
        first of equally far ones. "random": drawn from ``random_state``.

    Attributes
    ----------
    influence_ : ndarray, shape (m,)
        I, the weight of each base clustering.
    inertia_ : float
        Sum of the squared distances of the objects to their centres.

    Notes
    -----
    Exact on profiles. The links of :math:`k = \sum_i k_i` base clusters take O(k^3) time, and with their eigenvectors
    about five matrices of shape (k, k); the time and memory for the objects are proportional to n' m. k-means is
    deterministic and the order of the objects matters only where it starts: on the small ensembles of the tests ten
    random orders gave the same clusters.

    A missing label has the links that are expected, or none where missing labels are "ignored".

    Examples
    --------
    >>> from consclust.methods import GPMGLA
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> GPMGLA(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Normalised cut of the graph of objects and base clusters, which are also linked to each other."
    reference = (
        "Huang, Lai, Wang: Combining multiple clusterings via crowd agreement estimation and multi-granularity link "
        "analysis, Neurocomputing 170, 2015."
    )
    cost = Cost(0.05, 1e-7, 0, linear=8e-7, clusters=1e-9)
    constraints = {"alpha": POSITIVE, "beta": NON_NEGATIVE}

    alpha: float = 0.5
    beta: float = 2.0

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return those of the links between base clusters and of their eigenvectors."""
        return 6 * int(ensemble.n_clusters.sum()) ** 2

    def _fit(self, ensemble: Ensemble) -> None:
        self.influence_ = crowd_agreement(ensemble, self.beta)
        links, weights = self._links(ensemble)
        _, rows = tcut_embedding(links, weights, self.n_clusters)
        order = self._draw_order(ensemble.n_objects)
        first_places = np.unique(ensemble.membership[order], return_index=True)[1]
        profiles = np.argsort(first_places)  # in the order of their first objects
        found, self.inertia_, self.n_iter_ = kmeans_from_far_rows(
            rows[profiles], ensemble.weights[profiles], self.n_clusters
        )
        labels = np.empty_like(found)
        labels[profiles] = found
        self._set_only_labels(labels, ensemble.membership)

    def _links(self, ensemble: Ensemble) -> tuple[Any, IntArray]:
        """Return G, a csr_array of shape (n' + sum of k_i, sum of k_i), and how often each of its rows counts."""
        from scipy.sparse import csr_array, vstack

        weight = np.repeat(self.influence_, ensemble.n_clusters)
        of_objects = ensemble.expected_indicator.copy()
        of_objects.data *= self.alpha * weight[of_objects.indices]
        links = vstack([of_objects, csr_array(link_clusters(ensemble, weight))], format="csr")
        return links, np.concatenate([ensemble.weights, np.ones(len(weight), dtype=np.int64)])


def link_clusters(ensemble: Ensemble, weight: FloatArray) -> FloatArray:
    """Return SACT, Eq. (1), from the weight of each base cluster; shape (sum of k_i, sum of k_i)."""
    from consclust.numerics.kernels.strength_kernels import sum_common

    index = jaccard(ensemble)
    np.fill_diagonal(index, 1.0)
    strength = sum_common(index, weight, np.full(len(index), len(index)))
    strength += np.triu(strength, 1).T
    strength /= strength.max()
    np.fill_diagonal(strength, 1.0)
    return strength

"""CEHM: k-hyperedge medoids."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, isqrt
from typing import NamedTuple

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import Cost, OrderedMethod
from consclust.numerics.medoids import find_medoids
from consclust.numerics.numbering import order_of_appearance
from consclust.similarity import jaccard

EQUAL_DIGITS = 10  # Affinities, in [0, m], that are equal to so many digits tie
OPEN = -1  # Of a profile that belongs to no cluster yet


@dataclass(repr=False, eq=False, kw_only=True)
class CEHM(OrderedMethod):
    r"""K base clusters are the medoids of all, and grow to a clustering of the objects.

    A base cluster is a hyperedge of objects. The K medoids of the base clusters with the distance

    .. math:: d_{ef} = 1 - |e \cap f| / |e \cup f| \qquad (1)

    are the first clusters: an object in exactly one of them belongs to it, the others are open. With q the objects that
    belong to a cluster, the affinity of an object to it is

    .. math:: a_{iq} = \sum_{e \ni i} |e \cap q| / |e|, \qquad (2)

    and its margin is the difference between the largest and the second largest affinity. *Growth*: if n_a objects
    belong to a cluster at first, s more do after each round,

    .. math:: s = \max(\lfloor \sqrt n \rfloor, \lceil (n - n_a) / K \rceil). \qquad (3)

    A round ranks all objects anew: those with the largest margins belong to the cluster of their largest affinity, the
    others are open. *Refinement*: every object goes to the cluster of its largest affinity, until nothing changes.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    max_iter : int, default 100
        Most rounds of the refinement; the authors' program has no limit. It seldom takes more than five.
    object_order : {"given", "random"}, default "given"
        The order of the objects, which decides between equal margins where the growth cuts them, and through the
        numbers of the base clusters between equally good medoids: as they are given, or drawn from ``random_state``.

    Attributes
    ----------
    medoids_ : ndarray of int, shape (K, 2)
        The base clusters that are medoids: clustering, from 0, and label in it. In the order of ``labels_``; those
        whose clusters have lost all objects last.
    converged_ : bool
        Whether the refinement ended before ``max_iter`` rounds.

    Notes
    -----
    The medoids are those of PAM without random numbers: the start takes one after the other the base cluster that
    lowers the cost most, then the best swap is made while the cost falls. The authors' program calls a library with a
    random start. A cluster may lose all objects, and with fewer than K base clusters there are fewer medoids.

    Exact on profiles: the growth may cut a profile, of which the first objects are then taken. PAM takes O(K k^2) time
    for :math:`k = \sum_i k_i` base clusters, and a round of growth or refinement O(n' m K).

    A missing label counts as the most probable one, see :meth:`~consclust.Ensemble.completed`: clusters of
    expected labels overlap little, and the medoids are then often parts of one class. Where the ensemble's ``missing``
    is "ignored", an object is in no cluster of a clustering that misses it.

    Examples
    --------
    >>> from consclust.methods import CEHM
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> CEHM(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "K medoids of the base clusters, by Jaccard distance, grow to a clustering of the objects."
    reference = "Li, Wang, Zhang, Qian, Jin, Yan, Du: k-HyperEdge medoids for clustering ensemble, AAAI 2025."
    cost = Cost(0.05, 1e-7, 0, linear=7e-7, clusters=1e-9)

    max_iter: int = 100

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return those of the distances between base clusters, and of the affinities."""
        return 6 * int(ensemble.n_clusters.sum()) ** 2 + 3 * ensemble.n_profiles * self.n_clusters

    def _fit(self, ensemble: Ensemble) -> None:
        ensemble = ensemble.completed() if ensemble.counts_expected else ensemble
        order = self._draw_order(ensemble.n_objects)
        columns = order_base_clusters(ensemble, order)
        distances = 1 - jaccard(ensemble)[np.ix_(columns, columns)]
        np.fill_diagonal(distances, 0.0)
        medoids = columns[find_medoids(distances, min(self.n_clusters, len(columns))).items]
        labels = self._label_profiles(ensemble, medoids, order)
        by_appearance = order_of_appearance(labels[ensemble.membership], len(medoids))
        self.medoids_ = name_base_clusters(ensemble)[medoids[by_appearance]]
        self._set_only_labels(labels, ensemble.membership)

    def _label_profiles(self, ensemble: Ensemble, medoids: IntArray, order: IntArray) -> IntArray:
        """Return the cluster of each profile, numbered by the medoids, (n',)."""
        if len(medoids) == 1:
            return np.zeros(ensemble.n_profiles, dtype=np.int64)
        states = [start_from(ensemble, medoids)]
        states.extend(grow(ensemble, states[0], len(medoids), order))
        self.n_iter_ = len(states)
        state = states[-1]
        self.converged_ = False
        for _ in range(self.max_iter):
            self.n_iter_ += 1
            refined = choose_nearest(ensemble, state, len(medoids))[0]
            self.converged_ = np.array_equal(refined, state.clusters)
            if self.converged_:
                break
            state = Assigned(refined, ensemble.weights)
        return state.clusters


def order_base_clusters(ensemble: Ensemble, order: IntArray) -> IntArray:
    """Return the base clusters by clustering and then by their first objects in an order, (sum of k_i,)."""
    _, places = np.unique(ensemble.membership[order], return_index=True)
    profiles, columns = ensemble.sparse_indicator.nonzero()
    first = np.full(int(ensemble.n_clusters.sum()), ensemble.n_objects)
    np.minimum.at(first, columns, places[profiles])
    clustering = np.repeat(np.arange(ensemble.n_clusterings), ensemble.n_clusters)
    return np.lexsort((first, clustering))


def name_base_clusters(ensemble: Ensemble) -> IntArray:
    """Return the clustering and the given label of each base cluster, (sum of k_i, 2)."""
    clustering = np.repeat(np.arange(ensemble.n_clusterings), ensemble.n_clusters)
    return np.column_stack([clustering, np.concatenate(ensemble.cluster_names)])


class Assigned(NamedTuple):
    """Which objects belong to which cluster: of each profile the first ``counts`` objects."""

    clusters: IntArray  # Cluster of each profile, (n',); OPEN: of none
    counts: IntArray  # Objects of each profile that belong to it, (n',); the others are open


def start_from(ensemble: Ensemble, medoids: IntArray) -> Assigned:
    """Return the objects that lie in exactly one medoid."""
    contains = ensemble.sparse_indicator[:, medoids].toarray() > 0
    is_in_one = contains.sum(axis=1) == 1
    clusters = np.where(is_in_one, contains.argmax(axis=1), OPEN)
    return Assigned(clusters, np.where(is_in_one, ensemble.weights, 0))


def grow(ensemble: Ensemble, state: Assigned, n_clusters: int, order: IntArray) -> Iterator[Assigned]:
    """Yield the objects that belong to a cluster after each round of growth, until all do; ``order`` decides ties."""
    n = ensemble.n_objects
    profiles = ensemble.membership[order]
    n_assigned = int(state.counts.sum())
    step = max(isqrt(n), ceil((n - n_assigned) / n_clusters))  # Eq. (3)
    while n_assigned < n:
        n_assigned = min(n_assigned + step, n)
        clusters, margins = choose_nearest(ensemble, state, n_clusters)
        surest = np.argsort(-margins[profiles], kind="stable")[:n_assigned]
        counts = np.bincount(profiles[surest], minlength=ensemble.n_profiles)
        state = Assigned(np.where(counts > 0, clusters, OPEN), counts)
        yield state


def choose_nearest(ensemble: Ensemble, state: Assigned, n_clusters: int) -> tuple[IntArray, FloatArray]:
    """Return the cluster with the largest affinity to each profile, the lowest of equal ones, and its margin."""
    affinity = measure_affinity(ensemble, state, n_clusters).round(EQUAL_DIGITS)
    two_largest = np.partition(affinity, -2, axis=1)[:, -2:]
    margins: FloatArray = two_largest[:, 1] - two_largest[:, 0]
    return affinity.argmax(axis=1), margins.round(EQUAL_DIGITS)


def measure_affinity(ensemble: Ensemble, state: Assigned, n_clusters: int) -> FloatArray:
    """Return the affinity of each profile to each cluster, Eq. (2), shape (n', K)."""
    z = ensemble.sparse_indicator
    belongs = (state.clusters[:, None] == np.arange(n_clusters)) * state.counts[:, None].astype(float)
    common = z.T @ belongs
    common /= (z.T @ ensemble.weights)[:, None]
    affinity: FloatArray = z @ common
    return affinity

"""SEC: spectral ensemble clustering as weighted k-means."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from consclust.ensemble import Ensemble, IntArray
from consclust.methods.base import ConsensusMethod, Cost
from consclust.numerics.assignment import fill_empty_clusters, sum_by_cluster
from consclust.numerics.points import Points, draw_any, draw_spread


@dataclass(repr=False, eq=False, kw_only=True)
class SEC(ConsensusMethod):
    r"""Normalised cut of the co-association graph, found by weighted k-means on short rows.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    init : {"k-means++", "random"}, default "k-means++"
        The objects that a run starts from: spread ones, or any K.
    n_init : int, default 20
        Random starts; that of the least cost is kept. The public program makes one, and many end far from the least.
    max_iter : int, default 300
        Most rounds of a start.

    Attributes
    ----------
    inertia_ : float
        Cost of the chosen start, :math:`J` below.
    association_ : float
        What is maximised, :math:`A` below.
    inertia_path_ : ndarray, shape (iterations,)
        Cost of the chosen start before each assignment.

    Notes
    -----
    :math:`B` is the indicator matrix of all clusters, :math:`n \times \sum_i k_i`, with rows :math:`b_p`, and
    :math:`S = B B^\top` counts the clusterings that join two objects: it is :math:`m` times the co-association matrix.
    The least normalised cut of the graph with the weights :math:`S` is the greatest association

    .. math:: A = \sum_k \frac{\sum_{p, q \in k} S_{pq}}{\sum_{p \in k} w_p}, \quad w = S 1 = B B^\top 1. \tag{1}

    With the points :math:`x_p = b_p / w_p` and the centres :math:`c_k = \sum_{p \in k} b_p / \sum_{p \in k} w_p`, the
    means of the points with the weights :math:`w_p`, the cost of weighted k-means is

    .. math:: J = \sum_k \sum_{p \in k} w_p \|x_p - c_k\|^2 = \sum_p w_p \|x_p\|^2 - A. \tag{2}

    The first sum does not depend on the clusters, so k-means on :math:`n` rows of :math:`m` entries minimises the
    normalised cut (Liu et al. 2015, 2017) and no matrix of the objects is made: O(n' m K) time for a round.

    Starts matter. The row of an object in large clusters is short, because :math:`\|x_p\|^2 = m / w_p^2`, and all
    objects that share no cluster with any other start are assigned to it. A cluster that becomes empty takes the object
    with the greatest term of (2); the public program returns fewer clusters.

    Exact on profiles, which count as often as objects have them. An expected label is an entry of :math:`B` that is its
    probability, and an ignored one is 0: equation (2) holds with both. The paper's own extension to missing labels,
    where a centre is a mean over the objects that a clustering labels, is not offered.

    Examples
    --------
    >>> from consclust.methods import SEC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> SEC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Normalised cut of the co-association graph by weighted k-means, in time linear in the objects."
    reference = (
        "Liu, Liu, Wu, Tao, Fu: Spectral ensemble clustering. KDD 2015. Liu, Wu, Liu, Tao, Fu: Spectral ensemble "
        "clustering via weighted k-means: theoretical and practical evidence. IEEE TKDE 29(5), 2017."
    )
    cost = Cost(0.1, 2.5e-8, 0, profile_matrices=0, linear=5e-6)
    paths = {"inertia_path_": 1}

    init: Literal["k-means++", "random"] = "k-means++"
    n_init: int = 20
    max_iter: int = 300

    def _fit(self, ensemble: Ensemble) -> None:
        points = points_of(ensemble)
        rng = self._rng()
        draw = draw_spread if self.init == "k-means++" else draw_any
        descents = [descend(points, draw(points, self.n_clusters, rng), self.max_iter) for _ in range(self.n_init)]
        labels = np.stack([descent.labels for descent in descents])
        self._set_labels(labels, np.array([descent.path[-1] for descent in descents]), ensemble.membership)
        chosen = descents[self.chosen_]
        self.inertia_ = chosen.path[-1]
        self.association_ = points.constant - self.inertia_
        self.inertia_path_ = np.array(chosen.path)
        self.n_iter_ = len(chosen.path)
        self.converged_ = all(descent.converged for descent in descents)


def points_of(ensemble: Ensemble) -> Points:
    """Return the points x = b / w of the profiles, and their weights w."""
    indicator = ensemble.expected_indicator
    return Points.make(indicator, ensemble.weights, indicator @ (indicator.T @ ensemble.weights))


class Descent(NamedTuple):
    """Weighted k-means from one start."""

    labels: IntArray  # Shape (n',)
    path: list[float]  # Cost before each assignment, and so of the labels at last
    converged: bool


def descend(points: Points, starts: IntArray, max_iter: int) -> Descent:
    """Run weighted k-means from the profiles ``starts``, (K,), until no label changes."""
    n_clusters = len(starts)
    nearest = points.assign(points.rows(starts))
    path: list[float] = []
    while True:
        labels = fill_empty_clusters(nearest.labels, nearest.least, n_clusters)
        sums = sum_by_cluster(points.indicator, points.counts, labels, n_clusters)
        sizes = np.bincount(labels, points.counts * points.weights, minlength=n_clusters)
        centres = sums / np.where(sizes > 0, sizes, 1.0)
        path.append(points.constant - float(np.vdot(sums, centres)))
        nearest = points.assign(centres)
        converged = np.array_equal(nearest.labels, labels)
        if converged or len(path) == max_iter:
            return Descent(labels, path, converged)

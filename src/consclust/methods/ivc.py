"""IVC: iterative voting consensus, k-modes on the labels."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import ConsensusMethod, Cost
from consclust.numerics.assignment import assign_profiles, sum_by_cluster
from consclust.numerics.points import LabelTable, draw_spread


@dataclass(repr=False, eq=False, kw_only=True)
class IVC(ConsensusMethod):
    r"""Iterative voting consensus (Nguyen, Caruana): clusters vote on their labels, objects join the nearest cluster.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    variant : {"IVC", "IPVC"}, default "IVC"
        What an object is compared with: the most frequent labels of a cluster, or the labels of all of its objects
        (iterative probabilistic voting consensus).
    init : {"spread", "random"}, default "spread"
        The clusters that a run starts from: objects around K spread ones, or random ones as in the paper.
    n_init : int, default 20
        Random starts; that of the least cost is kept.
    max_iter : int, default 100
        Most rounds of a start.

    Attributes
    ----------
    cost_ : float
        Cost of the chosen start, the sum of the distances of the objects from their clusters.
    cost_path_ : ndarray, shape (iterations,)
        Cost of the chosen start in each round.

    Notes
    -----
    In each round the distance of object :math:`p` with the labels :math:`l_i` from cluster :math:`k` is

    .. math:: d_{pk} = \sum_i [l_i \ne \hat{l}_{ki}] \quad \text{(IVC)}, \qquad
              d_{pk} = \sum_i (1 - m_{ki}(l_i)) \quad \text{(IPVC)}, \tag{1}

    where :math:`\hat{l}_{ki}` is the most frequent label of clustering :math:`i` in the cluster, and :math:`m_{ki}` are
    the shares of the labels there, the object itself included. All objects move to their nearest cluster at once, until
    none moves. The cost of IVC, which is k-modes, never rises; that of IPVC may, and the last round is taken.

    Distances of IVC are whole numbers, so that ties are frequent: of labels and of clusters the first is taken. A
    cluster that becomes empty stays empty, as in the paper: there are fewer clusters then.

    A missing label counts as the expected one, by its probabilities. An ignored one neither votes nor adds to a
    distance. The third algorithm of the paper, iterative pairwise consensus, is not offered.

    Exact on profiles, which move as one: O(n' m K) time for a round.

    Examples
    --------
    >>> from consclust.methods import IVC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> IVC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Iterative voting consensus (Nguyen, Caruana): k-modes on the labels."
    reference = "Nguyen, Caruana: Consensus clusterings. ICDM 2007."
    cost = Cost(0.15, 1e-8, 0, profile_matrices=0, linear=2.5e-6)
    paths = {"cost_path_": 1}

    variant: Literal["IVC", "IPVC"] = "IVC"
    init: Literal["spread", "random"] = "spread"
    n_init: int = 20
    max_iter: int = 100

    def _fit(self, ensemble: Ensemble) -> None:
        table = LabelTable.make(ensemble, ensemble.expected_indicator)
        rng = self._rng()
        starts = [self._draw_start(table, rng) for _ in range(self.n_init)]
        descents = [descend(table, start, self.n_clusters, self.variant, self.max_iter) for start in starts]
        labels = np.stack([descent.labels for descent in descents])
        self._set_labels(labels, np.array([descent.path[-1] for descent in descents]), ensemble.membership)
        chosen = descents[self.chosen_]
        self.cost_ = chosen.path[-1]
        self.cost_path_ = np.array(chosen.path)
        self.n_iter_ = len(chosen.path)
        self.converged_ = all(descent.converged for descent in descents)

    def _draw_start(self, table: LabelTable, rng: np.random.Generator) -> IntArray:
        """Return the labels of a start, shape (n',)."""
        if self.init == "random":
            return rng.integers(self.n_clusters, size=len(table.weights))
        points = table.points()
        return points.assign(points.rows(draw_spread(points, self.n_clusters, rng))).labels


class Descent(NamedTuple):
    """Rounds from one start."""

    labels: IntArray  # Shape (n',)
    path: list[float]  # Cost of each round, and so of the labels at last
    converged: bool


def descend(table: LabelTable, labels: IntArray, n_clusters: int, variant: str, max_iter: int) -> Descent:
    """Move all profiles to their nearest clusters, from ``labels``, (n',), until none moves."""
    find_distances = distances_from_modes if variant == "IVC" else distances_from_shares
    path: list[float] = []
    while True:
        counts = sum_by_cluster(table.indicator, table.weights, labels, n_clusters)
        is_empty = np.bincount(labels, minlength=n_clusters) == 0
        nearest = assign_profiles(table.indicator, find_distances(table, counts), np.where(is_empty, np.inf, 0.0))
        path.append(float(table.weights @ nearest.least))
        converged = np.array_equal(nearest.labels, labels)
        if converged or len(path) == max_iter:
            return Descent(labels, path, converged)
        labels = nearest.labels


def distances_from_modes(table: LabelTable, counts: FloatArray) -> FloatArray:
    """Return 0 for the most frequent label of each clustering in each cluster, else 1, shape (sum of k_i, K).

    ``counts`` are the objects with each label in each cluster. All are 0 where no object has a label.
    """
    largest = table.repeat(np.maximum.reduceat(counts, table.firsts))
    is_largest = counts == largest
    n_before = np.cumsum(is_largest, axis=0) - is_largest
    is_first = is_largest & (n_before == table.repeat(n_before[table.firsts]))
    return np.where(is_first | (largest == 0), 0.0, 1.0)


def distances_from_shares(table: LabelTable, counts: FloatArray) -> FloatArray:
    """Return the share of the objects of each cluster that have another label, shape (sum of k_i, K); else as above."""
    totals = table.repeat(table.total(counts))
    return np.where(totals > 0, 1 - counts / np.where(totals > 0, totals, 1.0), 0.0)

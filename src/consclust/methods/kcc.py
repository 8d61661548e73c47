"""KCC: k-means-based consensus clustering by a utility of the base clusterings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import ConsensusMethod, Cost
from consclust.methods.constraints import NON_NEGATIVE, Interval
from consclust.numerics.assignment import assign_profiles, fill_empty_clusters, sum_by_cluster
from consclust.numerics.points import LabelTable, draw_any, draw_spread

Utility = Literal["U_c", "U_H", "U_cos", "U_Lp"]
EPSILON = float(np.finfo(float).eps)  # Added inside logarithms, as in the authors' program: 0 costs 52 bits


@dataclass(repr=False, eq=False, kw_only=True)
class KCC(ConsensusMethod):
    r"""K-means-based consensus clustering (Wu et al.): the greatest utility, found by k-means on the labels.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    utility : {"U_H", "U_c", "U_cos", "U_Lp"}, default "U_H"
        Entropy (mutual information), category utility, cosine, or Lp norm.
    normalized : bool, default False
        Whether the utility of a clustering is divided by the function of its own cluster shares, so that clusterings of
        many clusters count as much as others.
    p : float in (1, 20], default 5.0
        Exponent of "U_Lp"; the authors' demonstration has 5 and 8.
    init : {"spread", "random"}, default "spread"
        The K objects that a run starts from: spread ones as in k-means++, with U_H after k-means with U_c from them; or
        any, as in the authors' program.
    n_init : int, default 10
        Random starts; that of the least cost is kept.
    tol : float >= 0, default 1e-5
        A run stops when a round lowers the cost by no more.
    max_iter : int, default 100
        Most rounds of a start; 20 in the authors' program, 40 in its demonstration.

    Attributes
    ----------
    utility_ : float
        Utility of the consensus clustering, equation (2).
    cost_ : float
        Cost of the chosen start, the sum of (3) over the objects.
    cost_path_ : ndarray, shape (iterations,)
        Cost of each assignment of the chosen start.

    Notes
    -----
    Base clustering :math:`i` labels :math:`n_i` objects; :math:`P_i` are the shares of its labels among them, and
    :math:`m_{ki}` those among the :math:`n_{ki}` of consensus cluster :math:`k`. With a convex function :math:`\varphi`
    the utility of a consensus clustering for this base clustering is

    .. math:: U_i = \sum_k \frac{n_{ki}}{n_i} \varphi(m_{ki}) - \varphi(P_i), \tag{1}

    and what is maximised is (Wu et al. 2015)

    .. math:: U = \sum_i \omega_i \frac{n_i}{n} U_i. \tag{2}

    This is k-means on the labels: the centre of a cluster has the shares :math:`m_{ki}`, and the distance of an object
    from it is the sum over the clusterings that label the object

    .. math:: d_k = \sum_i \omega_i \, f(l_i, m_{ki}), \tag{3}

    where :math:`f` is, for the label :math:`l`,

    ======  =========================  ================================================
    name    :math:`\varphi(v)`         :math:`f(l, m)`
    ======  =========================  ================================================
    U_c     :math:`\|v\|^2`            :math:`1 + \|m\|^2 - 2 m(l)`
    U_H     :math:`\sum v \log_2 v`    :math:`-\log_2 m(l)`
    U_cos   :math:`\|v\|`              :math:`1 - m(l) / \|m\|`
    U_Lp    :math:`\|v\|_p`            :math:`1 - (m(l) / \|m\|_p)^{p-1}`
    ======  =========================  ================================================

    The weights :math:`\omega_i` are 1, or, if normalized, :math:`1 / |\varphi(P_i)|`; a clustering of one cluster, for
    which that of U_H would be infinite, is left out.

    A missing label takes no part in (1) and (3), as in the paper. A cluster without any object that a clustering labels
    has that clustering's shares among all objects, and so has a start for a label that its object misses. A cluster
    that becomes empty takes the object that is farthest from its centre. The authors' program draws these at random.
    Ties go to the first cluster.

    With U_H a label that no object of a cluster has costs 52 bits, so that a run may end where it started. After
    k-means with U_c it ends at a cost that is lower, by a third and more where many labels are missing.

    Exact on profiles: O(n' m K) time for a round. No matrix of the objects is made.

    Examples
    --------
    >>> from consclust.methods import KCC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> KCC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "K-means-based consensus clustering (Wu et al.): greatest utility by k-means on the labels."
    reference = (
        "Wu, Liu, Xiong, Cao, Chen: K-means-based consensus clustering: a unified view. IEEE TKDE 27(1), 2015. Lin, "
        "Liu, Wu, Li, Günnemann: Algorithm 1038: KCC: a MATLAB package for k-means-based consensus clustering. ACM "
        "TOMS 49(4), 2023."
    )
    cost = Cost(0.15, 1e-8, 0, profile_matrices=0, linear=2.5e-6)
    constraints = {"tol": NON_NEGATIVE, "p": Interval(float, 1, 20, "right")}
    paths = {"cost_path_": 1}

    utility: Utility = "U_H"
    normalized: bool = False
    p: float = 5.0
    init: Literal["spread", "random"] = "spread"
    n_init: int = 10
    tol: float = 1e-5
    max_iter: int = 100

    def _fit(self, ensemble: Ensemble) -> None:
        rng = self._rng()
        problem = Problem.make(ensemble, self.utility, self.normalized, self.p)
        starts = [self._draw_start(problem, rng) for _ in range(self.n_init)]
        descents = [descend(problem, start, self.tol, self.max_iter) for start in starts]
        labels = np.stack([descent.labels for descent in descents])
        self._set_labels(labels, np.array([descent.path[-1] for descent in descents]), ensemble.membership)
        chosen = descents[self.chosen_]
        self.utility_ = problem.find_utility(chosen.labels, self.n_clusters)
        self.cost_ = chosen.path[-1]
        self.cost_path_ = np.array(chosen.path)
        self.n_iter_ = len(chosen.path)
        self.converged_ = all(descent.converged for descent in descents)

    def _draw_start(self, problem: "Problem", rng: np.random.Generator) -> FloatArray:
        """Return the number of objects with each label in the clusters of a start, shape (sum of k_i, K)."""
        table = problem.table
        draw = draw_spread if self.init == "spread" else draw_any
        objects = count_starts(table, draw(table.points(), self.n_clusters, rng))
        if self.init == "random" or self.utility != "U_H":
            return objects
        category = Problem(table, FORMS["U_c"], self.p, np.ones_like(problem.omega))
        labels = descend(category, objects, self.tol, self.max_iter).labels
        return sum_by_cluster(table.indicator, table.weights, labels, self.n_clusters)


class Form(NamedTuple):
    """A utility: phi, and the distance f of every label."""

    find_phi: Callable[[LabelTable, FloatArray, float], FloatArray]
    """Return phi of the distributions of each clustering, (m, K), from (sum of k_i, K)."""
    find_distances: Callable[[LabelTable, FloatArray, float], FloatArray]
    """Return f of each label and cluster, (sum of k_i, K), from the distributions."""


def norms(table: LabelTable, m: FloatArray, p: float) -> FloatArray:
    """Return the p-norms of the distributions of each clustering, shape (m, K)."""
    lengths: FloatArray = table.total(m**p) ** (1 / p)
    return lengths


FORMS: Mapping[str, Form] = {
    "U_c": Form(lambda table, m, _: table.total(m**2), lambda table, m, _: 1 + table.repeat(table.total(m**2)) - 2 * m),
    "U_H": Form(lambda table, m, _: table.total(m * np.log2(m + EPSILON)), lambda _, m, __: -np.log2(m + EPSILON)),
    "U_cos": Form(lambda table, m, _: norms(table, m, 2), lambda table, m, _: 1 - m / table.repeat(norms(table, m, 2))),
    "U_Lp": Form(norms, lambda table, m, p: 1 - (m / table.repeat(norms(table, m, p))) ** (p - 1)),
}


@dataclass(frozen=True)
class Problem:
    """The labels, the utility that is maximised, and the weights of the clusterings."""

    table: LabelTable
    form: Form
    p: float
    omega: FloatArray  # Weights of the clusterings, shape (m,)

    @classmethod
    def make(cls, ensemble: Ensemble, utility: str, normalized: bool, p: float) -> "Problem":
        """Take the profiles of an ensemble."""
        table, form = LabelTable.make(ensemble), FORMS[utility]
        omega = np.ones(ensemble.n_clusterings)
        if normalized:
            scale = np.abs(form.find_phi(table, table.shares()[:, None], p)[:, 0])
            is_constant = (ensemble.n_clusters == 1) & (utility == "U_H")
            omega = np.where(is_constant, 0.0, 1 / np.where(is_constant, 1.0, scale))
        return cls(table, form, p, omega)

    def find_distances(self, m: FloatArray) -> FloatArray:
        """Return what each label adds to the distance from each centre, (sum of k_i, K), equation (3)."""
        weights = self.table.repeat(self.omega[:, None])
        distances: FloatArray = weights * self.form.find_distances(self.table, m, self.p)
        return distances

    def find_utility(self, labels: IntArray, n_clusters: int) -> float:
        """Return the utility of a clustering of the profiles, (n',), equation (2)."""
        table = self.table
        counts = sum_by_cluster(table.indicator, table.weights, labels, n_clusters)
        sizes = table.total(counts)
        n_labelled = sizes.sum(axis=1)
        within = self.form.find_phi(table, table.distributions(counts), self.p)
        overall = self.form.find_phi(table, table.shares()[:, None], self.p)[:, 0]
        gains = (sizes * within).sum(axis=1) / n_labelled - overall
        return float(self.omega @ (n_labelled / table.weights.sum() * gains))


class Descent(NamedTuple):
    """K-means from one start."""

    labels: IntArray  # Shape (n',)
    path: list[float]  # Cost of each assignment
    converged: bool


def count_starts(table: LabelTable, profiles: IntArray) -> FloatArray:
    """Return the labels of some profiles, each a cluster of its own, shape (sum of k_i, K)."""
    counts: FloatArray = table.indicator[profiles].toarray().T
    return counts


def descend(problem: Problem, counts: FloatArray, tol: float, max_iter: int) -> Descent:
    """Run k-means until the cost falls by no more than ``tol``, or rises.

    The first centres are those of clusters with so many objects of each label, ``counts``, (sum of k_i, K).
    """
    table, n_clusters = problem.table, counts.shape[1]
    labels = np.zeros(len(table.weights), dtype=np.int64)
    path: list[float] = []
    while len(path) < max_iter:
        centres = table.distributions(counts)
        nearest = assign_profiles(table.indicator, problem.find_distances(centres))
        cost = float(table.weights @ nearest.least)
        if path and path[-1] - cost <= tol:
            return Descent(labels, path, True)
        path.append(cost)
        labels = fill_empty_clusters(nearest.labels, nearest.least, n_clusters)
        counts = sum_by_cluster(table.indicator, table.weights, labels, n_clusters)
    return Descent(labels, path, False)

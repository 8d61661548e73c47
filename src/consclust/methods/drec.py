"""DREC: a dense representation of the label profiles by one another."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from consclust.ensemble import Ensemble, FloatArray
from consclust.methods.base import ConsensusMethod, Cost
from consclust.methods.constraints import POSITIVE
from consclust.numerics.cosines import cosine_graph
from consclust.numerics.leading import leading
from consclust.numerics.restarts import kmeans_restarts
from consclust.numerics.spectral import embedding

ROUNDS = 5  # Rounds of the authors' program
CONVERGED = 1e-6  # The rounds are called converged if the last one lowered the objective by less, relatively
LEAST = 1e-10  # Least error of a column, which is divided by


@dataclass(repr=False, eq=False)
class DREC(ConsensusMethod):
    r"""Clustering ensemble by dense representation (Zhou, Zheng, Pan: Neurocomputing 2019).

    Represents the label profiles X, a column of indicators each, by one another,

    .. math:: \min_Z \|X - X Z\|_{2,1} + \lambda \|Z\|_F^2,

    by iteratively re-weighted least squares, and clusters the graph of Z spectrally. A profile counts once, whatever
    the number of its objects; a missing label is no indicator.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    lambda_ : float > 0, default 100.0
        Weight of Z. The authors try 0.001, 0.01, ..., 1000; results vary strongly.
    max_iter : int, default 5
        Rounds; the authors' program always does 5.
    n_init : int, default 100
        Random starts of k-means; the authors' value.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        Z over the distinct label profiles, column by column; not symmetric.
    objective_path_ : ndarray, shape (iterations,)
        The objective after every round.
    converged_ : bool
        Whether the last round lowered the objective by less than 1e-6 of its value; 5 rarely do.

    Examples
    --------
    >>> from consclust.methods import DREC
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> DREC(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Clustering ensemble by dense representation (Zhou, Zheng, Pan: Neurocomputing 2019)."
    reference = (
        "Jie Zhou, Hongchan Zheng, Lulu Pan: Ensemble clustering based on dense representation. "
        "Neurocomputing 357, 2019."
    )
    cost = Cost(0.2, 3e-7, 1e-10, profile_matrices=12)
    constraints = {"lambda_": POSITIVE}
    matrices = ("profile_matrix_",)
    paths = {"objective_path_": 1}

    lambda_: float = 100.0
    _: KW_ONLY
    max_iter: int = ROUNDS
    n_init: int = 100

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return the doubles of a fit: n' x n' matrices, and coordinates in the singular vectors of X."""
        n = ensemble.n_profiles
        return 5 * n**2 + 4 * n * int(ensemble.n_clusters.sum())

    def _fit(self, ensemble: Ensemble) -> None:
        basis, coordinates = self._represent(ensemble.expected_indicator.toarray())
        self.profile_matrix_ = basis @ coordinates
        squares, left = np.linalg.eigh(coordinates @ coordinates.T)  # the graph leaves small singular values out
        singular, once = np.sqrt(np.maximum(squares, 0)), np.ones(ensemble.n_profiles, dtype=np.int64)
        graph = cosine_graph(basis @ left, singular)
        rows = embedding(graph, once, self.n_clusters, leading)
        labels, costs = kmeans_restarts(rows, once, self.n_clusters, self.n_init, self._rng())
        self._set_labels(labels, costs, ensemble.membership)

    def _represent(self, indicator: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Solve (X'X + lambda/d_j I) z_j = X'x_j with new d_j = 1 / (2 error) a round; return a basis and Z in it."""
        basis, singular, _ = np.linalg.svd(indicator, full_matrices=False)
        values = singular[:, None] ** 2
        penalty = np.full(len(indicator), self.lambda_)
        path = []
        for _ in range(self.max_iter):
            left_over = basis.T * (penalty / (values + penalty))
            error = np.linalg.norm(singular[:, None] * left_over, axis=0)
            coordinates = basis.T * (values / (values + penalty))
            path.append(float(error.sum() + self.lambda_ * (coordinates**2).sum()))
            penalty = 2 * self.lambda_ * np.maximum(error, LEAST)
        self.objective_path_ = np.array(path)
        self.n_iter_ = self.max_iter
        self.converged_ = len(path) > 1 and path[-2] - path[-1] < CONVERGED * path[-1]
        return basis, coordinates

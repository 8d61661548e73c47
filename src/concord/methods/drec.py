"""DREC: a dense representation of the label profiles by one another."""

import numpy as np

from concord.ensemble import Ensemble, FloatArray
from concord.methods.base import ConsensusMethod, is_integer, is_number
from concord.methods.rsec import cosine_graph
from concord.methods.spectral import spectral_labels

ROUNDS = 5
"""Rounds of the authors' program."""

CONVERGED = 1e-6
"""The rounds are called converged if the last one lowered the objective by less, relatively."""

LEAST = 1e-10
"""Least error of a column, which is divided by."""


class DREC(ConsensusMethod):
    r"""Clustering ensemble by dense representation (Zhou, Zheng, Pan: Neurocomputing 2019).

    Represents the label profiles X, a column of indicators each, by one another,

    .. math:: \min_Z \|X - X Z\|_{2,1} + \lambda \|Z\|_F^2,

    by iteratively re-weighted least squares, and clusters the graph of Z spectrally.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    lambda_ : float > 0, default 100.0
        Weight of Z. The authors try 0.001, 0.01, ..., 1000; results vary strongly with it.
    max_iter : int, default 5
        Rounds; the authors' program always does 5.
    n_init : int, default 100
        Random starts of k-means; the authors' value.
    random_state : int, Generator or None
        Seed of the random starts; Z does not depend on it.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        Z over the distinct label profiles, column by column; not symmetric.
    objective_path_ : ndarray, shape (n_iter_,)
        The objective after every round.
    converged_ : bool
        Whether the last round lowered the objective by less than 1e-6 of its value. 5 are often too few for
        that; the published numbers come from them.

    Notes
    -----
    A profile counts once, whatever the number of its objects. The singular vectors of X, computed once, solve
    every round: Z has no part outside their span, whose dimension is below the number of base clusters, and
    is decomposed by its coordinates in it. A missing label is no indicator.

    References
    ----------
    Jie Zhou, Hongchan Zheng, Lulu Pan: Ensemble clustering based on dense representation. Neurocomputing
    357, 2019.
    """

    profile_matrix_: FloatArray
    objective_path_: FloatArray

    def __init__(
        self,
        n_clusters: int,
        lambda_: float = 100.0,
        *,
        max_iter: int = ROUNDS,
        n_init: int = 100,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lambda_ = lambda_
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require("lambda_", is_number(self.lambda_, 0, strict=True), "a number > 0")
        self._require("max_iter", is_integer(self.max_iter, 1), "an integer >= 1")
        self._require("n_init", is_integer(self.n_init, 1), "an integer >= 1")

    def _fit(self, ensemble: Ensemble) -> None:
        basis, coordinates = self._represent(ensemble.indicator)
        self.profile_matrix_ = basis @ coordinates
        left, singular, _ = np.linalg.svd(coordinates, full_matrices=False)
        labels, costs = spectral_labels(
            cosine_graph(basis @ left, singular),
            np.ones(ensemble.n_profiles, dtype=np.int64),
            self.n_clusters,
            "kmeans",
            self.n_init,
            np.random.default_rng(self.random_state),
        )
        self._set_labels(labels, costs, ensemble.membership)

    def _represent(self, indicator: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Solve (X'X + lambda/d_j I) z_j = X'x_j for all columns, with new d_j = 1 / (2 error) each round.

        Returns an orthonormal basis and the coordinates of Z in it.
        """
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

"""TRCE: tri-level robust clustering ensemble."""

# SciPy and compiled kernels are imported where needed, so that what does without them starts faster

from dataclasses import KW_ONLY, dataclass

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.expected import sum_by_clustering
from consclust.methods.base import ComponentMethod, Cost
from consclust.methods.constraints import POSITIVE
from consclust.numerics.separation import Separation
from consclust.numerics.simplex import project_rows

GROWTH = 1.1  # Growth of the age in a round
NOISE = 1e-10  # Least divergence: identical clusterings leave rounding errors, which are divided by


@dataclass(repr=False, eq=False)
class TRCE(ComponentMethod):
    r"""Tri-level robust clustering ensemble (Zhou, Du, Shen, Li: AAAI 2021).

    Learns a similarity A with K connected components, robust against poor clusterings (weights :math:`\alpha`),
    difficult objects (w) and noise in single pairs (E), from the row-stochastic connective matrices :math:`A^k`,

    .. math:: \min \sum_k \alpha_k \sum_i w_i^2 \mathrm{KL}(A^k_i \,\|\, A_i + E_i) + \lambda \|E\|_F^2
              - \gamma \|w\|_1 + 2 \rho \operatorname{tr}(F^\top L_A F),

    with rows of A and A + E in the simplex, w in [0, 1], :math:`\sum 1/\alpha_k = 1`, :math:`F^\top F = I`.
    :math:`\rho` is doubled and halved until the graph of A has K components, and the age :math:`\gamma` grows, so that
    objects on which the clusterings disagree join later.

    The clusters are the components of that graph. **Their number may differ from K**, as in the authors' program;
    ``note_`` says so.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    lambda_ : float > 0, default 1.0
        Weight of the errors, "gamma" in the authors' program. They try 1e-5, 1e-4, ..., 1e5 and choose by the true
        classes. On their data 0.01 to 1 gives K components, 100 often fewer.
    compat : bool, default False
        True: take the difficulty of an object from the last clustering alone, times m, as a slip in the authors'
        program does, and not from the sum over all.
    max_iter : int, default 10
        Most rounds; the authors' value.

    Attributes
    ----------
    converged_ : bool
        Whether the last graph has K components, by the eigenvalues of its Laplacian.

    Notes
    -----
    As in the authors' program a tenth of the objects has full weight at first; the paper starts the age at 1. A
    missing label counts as the expected one, or says nothing about the object's row where the ensemble's ``missing`` is
    "ignored". Exact on the label profiles, or done on the
    objects, as in :class:`~consclust.methods.spce.SPCE`.

    Examples
    --------
    >>> from consclust.methods import TRCE
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> TRCE(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Tri-level robust clustering ensemble (Zhou, Du, Shen, Li: AAAI 2021)."
    reference = (
        "Peng Zhou, Liang Du, Yi-Dong Shen, Xuejun Li: Tri-level Robust Clustering Ensemble with Multiple "
        "Graph Learning. AAAI 2021."
    )
    cost = Cost(0.1, 8e-7, 2e-10, matrices=10, profile_matrices=0)
    constraints = {"lambda_": POSITIVE}

    lambda_: float = 1.0
    _: KW_ONLY
    compat: bool = False
    max_iter: int = 10

    def _solve(self, ensemble: Ensemble) -> FloatArray:
        """Return A over the profiles."""
        from scipy.spatial.distance import cdist

        from consclust.numerics.kernels import trce_kernels as trce

        weights, m = ensemble.weights, ensemble.n_clusterings
        connective = ExpectedConnective(ensemble) if ensemble.counts_expected else Connective(ensemble)
        similarity = connective.mean()
        separation = Separation(similarity, weights, self.n_clusters)
        divergences, inverse_alpha = connective.divergences(similarity), np.full(m, 1 / m)
        age = first_age(self._difficulty(divergences / inverse_alpha), weights)
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter and (self.n_iter_ < 2 or not separation.reached):
            w2 = np.minimum(1, age / (2 * self._difficulty(divergences / inverse_alpha))) ** 2
            pull = cdist(separation.embedding, separation.embedding, "sqeuclidean")
            pull *= separation.weight
            mixed = connective.weighted(1 / inverse_alpha)
            mixed *= w2[:, None]
            blurred = trce.quotient_rows(mixed, pull, weights)
            pull /= 2 * self.lambda_
            cleaned = project_rows(np.subtract(blurred, pull, out=pull), weights)
            similarity = cleaned + cleaned.T
            similarity /= 2
            separation.update(similarity)
            divergences = connective.divergences(blurred)
            losses = np.sqrt(np.maximum((weights * w2) @ divergences, NOISE))
            inverse_alpha = losses / losses.sum()
            age *= GROWTH
            self.n_iter_ += 1
        self.converged_ = separation.reached
        return similarity

    def _difficulty(self, shares: FloatArray) -> FloatArray:
        """Return the weighted divergence of every profile, shape (n',), of (n', m)."""
        last_only = shares.shape[1] * shares[:, -1]
        difficulty: FloatArray = last_only if self.compat else shares.sum(axis=1)
        return np.maximum(difficulty, NOISE)


class Connective:
    """Connective matrices with rows that sum to 1: 1 / size in the columns of the object's cluster, or empty."""

    def __init__(self, ensemble: Ensemble) -> None:
        rows, columns = ensemble.sparse_indicator, ensemble.sparse_indicator.tocsc()
        self._weights, self._m = ensemble.weights, ensemble.n_clusterings
        self._pattern = rows.indptr, rows.indices, columns.indptr, columns.indices
        self._sizes = np.asarray(ensemble.weights @ ensemble.sparse_indicator)
        self._clustering = np.repeat(np.arange(self._m), ensemble.n_clusters)
        self._present = np.diff(rows.indptr)

    def weighted(self, factors: FloatArray) -> FloatArray:
        """Return the sum of the matrices times their factors (m,), shape (n', n')."""
        from consclust.numerics.kernels import trce_kernels as trce

        return trce.shared(*self._pattern, factors[self._clustering] / self._sizes)

    def mean(self) -> FloatArray:
        """Return their symmetrised mean over the clusterings that contain the row's objects."""
        mean: FloatArray = self.weighted(np.ones(self._m)) / self._present[:, None]
        return (mean + mean.T) / 2

    def divergences(self, rows: FloatArray) -> FloatArray:
        """Return the KL divergence of each row in each clustering from that of ``rows``, shape (n', m)."""
        from consclust.numerics.kernels import trce_kernels as trce

        starts, clusters, *_ = self._pattern
        sizes = self._sizes[clusters]
        negative = np.log(sizes) + trce.weighted_logs(*self._pattern, rows, self._weights) / sizes
        divergences = np.zeros((len(rows), self._m))
        divergences[np.repeat(np.arange(len(rows)), np.diff(starts)), self._clustering[clusters]] = -negative
        return np.maximum(divergences, 0)


class ExpectedConnective:
    """The matrices of :class:`Connective` with expected labels: the members of a cluster count with their shares."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._z: FloatArray = ensemble.expected_indicator.toarray()
        self._n_clusters = ensemble.n_clusters
        self._clustering = np.repeat(np.arange(ensemble.n_clusterings), ensemble.n_clusters)
        self._weights = ensemble.weights
        self._members = self._z * ensemble.weights[:, None]
        self._sizes = self._members.sum(axis=0)
        self._known = sum_by_clustering(self._z, self._n_clusters).sum(axis=1)

    def weighted(self, factors: FloatArray) -> FloatArray:
        """Return the sum of the matrices times their factors (m,), shape (n', n')."""
        total: FloatArray = (self._z * (factors[self._clustering] / self._sizes)) @ self._z.T
        return total

    def mean(self) -> FloatArray:
        """Return their symmetrised mean over the clusterings in which the row's objects have a label."""
        mean: FloatArray = self.weighted(np.ones(len(self._n_clusters))) / self._known[:, None]
        return (mean + mean.T) / 2

    def divergences(self, rows: FloatArray) -> FloatArray:
        """Return the expected KL divergence of each row in each clustering from that of ``rows``, shape (n', m)."""
        from scipy.special import entr

        entropy = self._weights @ entr(self._z / self._sizes)
        logs = np.log(np.maximum(rows, np.finfo(float).eps))
        of_clusters = -(logs @ self._members) / self._sizes - entropy
        expected: FloatArray = np.maximum(sum_by_clustering(self._z * of_clusters, self._n_clusters), 0)
        return expected


def first_age(difficulty: FloatArray, weights: IntArray) -> float:
    """Return the age that gives the easiest tenth of the objects full weight."""
    objects = np.sort(np.repeat(difficulty, weights))
    return 2 * float(objects[max(len(objects) // 10, 1) - 1])

"""SPCE: self-paced clustering ensemble."""

# compiled kernels are imported where needed, so that what does without them starts faster

from dataclasses import KW_ONLY, dataclass

import numpy as np

from consclust.ensemble import Ensemble, FloatArray
from consclust.methods.base import ComponentMethod, Cost
from consclust.methods.constraints import Interval
from consclust.numerics.separation import Separation

# Of every stage: q, the agreement from which a pair counts in full, and the most rounds.
STAGES = ((0.9, 5), (0.8, 5), (0.7, 5), (0.6, 5), (0.5, 20))


@dataclass(repr=False, eq=False)
class SPCE(ComponentMethod):
    r"""Self-paced clustering ensemble (Zhou, Du, Liu, Shen, Fan, Li: TNNLS 2021).

    Learns a sparse similarity S with K connected components from the base clusterings' connective matrices :math:`A^k`,
    beginning with the pairs on which they agree. As the authors' program has it,

    .. math:: \min_{S, W, p, F} \sum_{ij} \left[ W_{ij}^2 \sum_k \frac{(S_{ij} - A^k_{ij})^2}{p_k}
              - \eta W_{ij} \right] + \gamma \|S\|_0 + \lambda \sum_{ij} \|F_i - F_j\|^2 S_{ij}

    with symmetric S and W in [0, 1], :math:`\sum p_k = 1`, :math:`F^\top F = I`, S = 1 for pairs that are always
    together and 0 for pairs that never are. :math:`\lambda` is doubled and halved until the graph of S has K
    components, :math:`\eta` takes in ever more pairs in five stages.

    The clusters are the components of that graph. **Their number may differ from K**, as in the authors' program: it is
    larger, up to many times, if ``threshold`` is; ``note_`` says so.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    threshold : float in [0, 1], default 0.3
        Similarity below which a pair of full weight is cut; gamma is (threshold m)^2. The authors try 0, 0.1, ..., 0.9
        and choose by the true classes. On their data 0.1 to 0.3 gives about K components, 0.5 and more too many.

    Attributes
    ----------
    converged_ : bool
        Whether the last graph has K components, by the eigenvalues of its Laplacian.

    Notes
    -----
    A missing label counts as the most probable one, see :meth:`~consclust.Ensemble.completed`: a similarity of
    expected labels is never 0 or 1, and leaves many objects by themselves. Where the ensemble's ``missing`` is
    "ignored", sums over the clusterings that contain both objects of a pair take the place of sums over all.

    Exact on the label profiles as long as F, the bottom eigenvectors of the objects' Laplacian, is equal on objects
    with one profile. Where it is not for some profiles, the fit starts anew with each of their objects by itself. If an
    eigenvalue of theirs occurs several times, which eigenvectors F takes is the choice of the linear algebra library,
    as in the authors' program.

    Examples
    --------
    >>> from consclust.methods import SPCE
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> SPCE(n_clusters=2, threshold=0.0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Self-paced clustering ensemble (Zhou, Du, Liu, Shen, Fan, Li: TNNLS 2021)."
    reference = (
        "Peng Zhou, Liang Du, Xinwang Liu, Yi-Dong Shen, Mingyu Fan, Xuejun Li: Self-Paced Clustering "
        "Ensemble. IEEE TNNLS 32(4), 2021."
    )
    cost = Cost(0.3, 2e-6, 4e-10, matrices=14, profile_matrices=0)
    constraints = {"threshold": Interval(float, 0, 1, "both")}

    threshold: float = 0.3
    _: KW_ONLY

    def _fit(self, ensemble: Ensemble) -> None:
        super()._fit(ensemble.completed() if ensemble.counts_expected else ensemble)

    def _solve(self, ensemble: Ensemble) -> FloatArray:
        """Return S over the profiles."""
        pairs = Pairs(ensemble, self.threshold)
        separation = Separation(pairs.similarity, ensemble.weights, self.n_clusters)
        self.n_iter_ = 0
        for agreement, rounds in STAGES:
            pairs.update_pace(agreement)
            for round_ in range(rounds):
                pairs.update_similarity(separation.embedding, separation.weight)
                pairs.update_shares()
                separation.update(pairs.similarity)
                self.n_iter_ += 1
                if round_ > 0 and separation.reached:
                    break
        self.converged_ = separation.reached
        return pairs.similarity


class Pairs:
    """Similarity S of the profiles, (n', n'), pace W of the pairs on which the clusterings disagree, their shares p.

    Of the other pairs S is fixed at 0 or 1, and they add nothing to any sum.
    """

    def __init__(self, ensemble: Ensemble, threshold: float) -> None:
        self.similarity = ensemble.coassociation.copy()
        open_ = np.tril((self.similarity > 0) & (self.similarity < 1), -1)
        self._first, self._second = np.nonzero(open_)
        self._values = self.similarity[open_]
        self._weights = ensemble.weights[self._first] * ensemble.weights[self._second]
        self._labels, self._m = ensemble.profiles, ensemble.n_clusterings
        # One label, or missing; no rows where none is missing
        self._present = np.minimum(self._labels, 0) if ensemble.has_missing else self._labels[:0]
        self._least = threshold * self._m
        self._shares = np.full(self._m, 1 / self._m)
        self._pace = np.ones(len(self._first))

    def update_pace(self, agreement: float) -> None:
        """W = min(1, eta / (2 loss)), with eta = 2 q (1 - q) m^2."""
        joined, observed = self._sums()
        loss = joined * (1 - self._values) ** 2 + (observed - joined) * self._values**2
        eta = 2 * agreement * (1 - agreement) * self._m**2
        self._pace = eta / np.maximum(2 * loss, eta)

    def update_similarity(self, embedding: FloatArray, weight: float) -> None:
        """Minimise over S, given the rows of F and lambda."""
        from consclust.numerics.kernels import spce_kernels as spce

        pairs, inverse = (self._labels, self._present, self._first, self._second), 1 / self._shares
        sums, pull = (inverse, float(inverse.sum())), (embedding, weight, self._pace, self._least)
        self._values = spce.update_similarity(*pairs, *sums, *pull, self.similarity)

    def update_shares(self) -> None:
        """p_k = norm of W (S - A^k), normalised."""
        from consclust.numerics.kernels import spce_kernels as spce

        weights = 2 * self._weights * self._pace**2
        joined, apart = weights * (1 - self._values) ** 2, weights * self._values**2
        errors = spce.over_pairs(self._labels, self._first, self._second, joined, apart)
        shares = np.maximum(np.sqrt(errors), np.finfo(float).eps)
        self._shares = shares / shares.sum()

    def _sums(self) -> tuple[FloatArray, FloatArray | float]:
        """Sums of 1/p over the clusterings that join a pair, and over those that contain it."""
        from consclust.numerics.kernels import spce_kernels as spce

        inverse = 1 / self._shares
        joined = spce.over_clusterings(self._labels, self._first, self._second, inverse)
        if len(self._present) == 0:
            return joined, float(inverse.sum())
        return joined, spce.over_clusterings(self._present, self._first, self._second, inverse)

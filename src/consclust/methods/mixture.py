"""Mixture: a mixture of multinomial distributions of the labels, by EM."""

# compiled kernels and SciPy are imported where needed, so that what does without them starts faster

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray, coded_as
from consclust.methods.base import NO_ROWS, ConsensusMethod, Cost
from consclust.numerics.numbering import order_of_appearance
from consclust.numerics.points import LabelTable, draw_spread

NEAREST = 0.9  # What a start gives to the nearest of the spread profiles; with 1 a probability of 0 would stay 0


@dataclass(repr=False, eq=False, kw_only=True)
class Mixture(ConsensusMethod):
    r"""Mixture of multinomials (Topchy, Jain, Punch): every consensus cluster has a distribution of labels.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    init : {"spread", "random"}, default "spread"
        What a start takes for responsibilities: nine tenths for the nearest of K spread objects, and the rest for all
        alike; or a random distribution for each profile.
    n_init : int, default 10
        Random starts; that of the greatest likelihood is kept.
    tol : float >= 0, default 1e-8
        EM stops when a round raises the log-likelihood by no more, relative to its size.
    max_iter : int, default 200
        Most rounds of a start.

    Attributes
    ----------
    shares_ : ndarray, shape (K,)
        Share of each component, :math:`\alpha`. Components are in the order of the labels here and below, those without
        objects last.
    theta_ : list of m ndarrays, shape (K, k_i)
        Distribution of each clustering's labels in each component; columns as in ``Ensemble.labels``.
    cluster_names_ : list of m ndarrays, shape (k_i,)
        The given label of each column of ``theta_``.
    profile_memberships_ : ndarray, shape (n', K)
        Responsibilities of the components for the distinct label profiles, :math:`z`.
    log_likelihood_ : float
        Log-likelihood of the chosen start, natural logarithm.
    log_likelihood_path_ : ndarray, shape (iterations,)
        The log-likelihood after each round of the chosen start; it never falls.
    bic_ : float
        Bayesian information criterion, smaller is better: :math:`-2 \ell + d \log n` with
        :math:`d = K - 1 + K \sum_i (k_i - 1)` parameters.

    Notes
    -----
    The labels of object :math:`p` are drawn, one clustering apart from the other, from one of :math:`K` components:

    .. math:: P(y_p) = \sum_k \alpha_k \prod_i \theta_{ik}(y_{pi}) \tag{1}

    (Topchy et al. 2004). EM maximises the log-likelihood :math:`\ell = \sum_p \log P(y_p)`. The E-step finds the
    responsibilities

    .. math:: z_{pk} \propto \alpha_k \prod_i \theta_{ik}(y_{pi}), \tag{2}

    the M-step the shares and distributions

    .. math::

        \alpha_k = \frac{1}{n} \sum_p z_{pk}, \quad
        \theta_{ik}(l) = \frac{\sum_{p: y_{pi} = l} z_{pk}}{\sum_{p: y_{pi} \text{ known}} z_{pk}}. \tag{3}

    An object's label is the component with the greatest responsibility, the first of equal ones.

    A missing label takes no part in (2) and (3), as in the paper: it is missing at random. A component with
    no object that a clustering labels takes the shares of the labels among all objects. A probability that is 0 stays
    0, and a component whose share is 0 stays empty: there are fewer clusters then.

    Exact on profiles: O(n' m K) time for a round, O(n' K + n' m) memory. Many starts end at local maxima. The paper
    starts at random; spread objects end at a greater likelihood in less than half of the rounds. A single clustering
    does not identify the model: components that mix its labels have the same likelihood.

    Examples
    --------
    >>> from consclust.methods import Mixture
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> mixture = Mixture(n_clusters=2, random_state=0).fit(labels)
    >>> mixture.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> mixture.predict([[0, 1, -1]])  # an object that was not in fit
    array([0])
    """

    summary = "Mixture of multinomials (Topchy, Jain, Punch): a distribution of the labels in each consensus cluster."
    reference = (
        "Topchy, Jain, Punch: A mixture model for clustering ensembles. SDM 2004. Topchy, Jain, Punch: Clustering "
        "ensembles: models of consensus and weak partitions. IEEE TPAMI 27(12), 2005."
    )
    cost = Cost(0.2, 7e-8, 0, profile_matrices=0, linear=5e-6)
    identifiable = False
    predicts_from = "labels"
    paths = {"log_likelihood_path_": 1}

    init: Literal["spread", "random"] = "spread"
    n_init: int = 10
    tol: float = 1e-8
    max_iter: int = 200

    def _fit(self, ensemble: Ensemble) -> None:
        data = LabelTable.make(ensemble)
        rng = self._rng()
        draw = draw_spread_start if self.init == "spread" else draw_random_start
        fits = [self.learn(data, draw(data, self.n_clusters, rng)) for _ in range(self.n_init)]
        labels = np.stack([fit.labels for fit in fits])
        self._set_labels(labels, np.array([-fit.path[-1] for fit in fits]), ensemble.membership)
        best = fits[self.chosen_]
        order = order_of_appearance(labels[self.chosen_][ensemble.membership], self.n_clusters)
        model = Model(best.model.shares[order], best.model.theta[:, order])
        self.shares_ = model.shares
        self.theta_ = np.split(model.theta.T, data.firsts[1:], axis=1)
        self.cluster_names_ = ensemble.cluster_names
        self.profile_memberships_ = expect(data.indicator, model)[0]
        self.log_likelihood_ = best.path[-1]
        self.log_likelihood_path_ = np.array(best.path)
        n_parameters = self.n_clusters - 1 + self.n_clusters * int((ensemble.n_clusters - 1).sum())
        self.bic_ = n_parameters * float(np.log(ensemble.n_objects)) - 2 * self.log_likelihood_
        self.n_iter_ = len(best.path)
        self.converged_ = all(fit.converged for fit in fits)

    def learn(self, data: LabelTable, responsibilities: FloatArray) -> "Fit":
        """Run EM from the responsibilities of a start, (n', K): rounds of an M-step and an E-step."""
        path: list[float] = []
        while True:
            model = maximise(data, responsibilities)
            responsibilities, likelihood = expect(data.indicator, model)
            path.append(float(data.weights @ likelihood))
            converged = len(path) > 1 and path[-1] - path[-2] <= self.tol * abs(path[-1])
            if converged or len(path) == self.max_iter:
                return Fit(model, responsibilities.argmax(axis=1), path, converged)

    @property
    def memberships_(self) -> FloatArray:
        """Responsibilities of the components for the objects, shape (n, K)."""
        self._require_fitted()
        if not hasattr(self, "profile_memberships_"):
            raise AttributeError(f"memberships_: {NO_ROWS}")
        return self.profile_memberships_[self._membership]

    def predict(self, labels: npt.ArrayLike) -> IntArray:
        """Return the consensus labels of other objects, by an E-step with the shares and distributions of ``fit``.

        ``labels``, shape (n objects, m clusterings), are named as those of ``fit``; -1 marks a missing one. An object
        without any label, or with labels that no component joins, gets the cluster with the greatest share. Raises
        NotFittedError before ``fit``, ValueError for another number of clusterings or for a label that no object of
        ``fit`` had.
        """
        from scipy.sparse import csr_array

        self._require_fitted()
        codes = coded_as(labels, self.cluster_names_)
        sizes = np.array([len(names) for names in self.cluster_names_])
        known = codes != MISSING
        columns = (codes + np.cumsum(sizes) - sizes)[known]
        starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        indicator = csr_array((np.ones(len(columns)), columns, starts), shape=(len(codes), int(sizes.sum())))
        model = Model(self.shares_, np.hstack(self.theta_).T)
        predicted: IntArray = expect(indicator, model)[0].argmax(axis=1)
        return predicted


class Model(NamedTuple):
    """The parameters of a mixture."""

    shares: FloatArray  # Shape (K,)
    theta: FloatArray  # Distributions of all clusterings one below the other, shape (sum of k_i, K)


class Fit(NamedTuple):
    """EM from one start."""

    model: Model
    labels: IntArray  # Shape (n',)
    path: list[float]  # Log-likelihood after each round
    converged: bool


def draw_random_start(data: LabelTable, n_components: int, rng: np.random.Generator) -> FloatArray:
    """Draw the responsibilities of every profile, (n', K), uniformly among all distributions."""
    return rng.dirichlet(np.ones(n_components), len(data.weights))


def draw_spread_start(data: LabelTable, n_components: int, rng: np.random.Generator) -> FloatArray:
    """Return responsibilities, (n', K): most of each profile's for the nearest of K spread ones."""
    points = data.points()
    nearest = points.assign(points.rows(draw_spread(points, n_components, rng))).labels
    responsibilities = np.full((len(nearest), n_components), (1 - NEAREST) / n_components)
    responsibilities[np.arange(len(nearest)), nearest] += NEAREST
    return responsibilities


def maximise(data: LabelTable, responsibilities: FloatArray) -> Model:
    """M-step: the shares and distributions of the responsibilities, (n', K), equation (3)."""
    from consclust.numerics.kernels.mixture_kernels import count_labels

    indicator = data.indicator
    counts = count_labels(indicator.indptr, indicator.indices, data.weights, responsibilities, indicator.shape[1])
    return Model(data.weights @ responsibilities / data.weights.sum(), data.distributions(counts))


def expect(indicator: Any, model: Model) -> tuple[FloatArray, FloatArray]:
    """E-step: responsibilities, (n', K), equation (2), and log-likelihoods, (n',), of rows of an indicator matrix."""
    from consclust.numerics.kernels.mixture_kernels import e_step

    responsibilities = np.empty((indicator.shape[0], len(model.shares)))
    with np.errstate(divide="ignore"):  # the logarithm of 0 is minus infinity
        log_theta, log_shares = np.log(model.theta), np.log(model.shares)
    likelihood = e_step(indicator.indptr, indicator.indices, log_theta, log_shares, responsibilities)
    return responsibilities, likelihood

"""BCE: Bayesian cluster ensembles, by variational EM."""

# compiled kernels and SciPy are imported where needed, so that what does without them starts faster

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray, coded_as
from consclust.methods.base import ConsensusMethod, Cost
from consclust.methods.constraints import NON_NEGATIVE, POSITIVE
from consclust.numerics.numbering import order_of_appearance

TINY = float(np.finfo(float).tiny)  # Added to each term of a sum that is divided by, as in the authors' program
ALPHA_FLOOR = 1e-6  # Least alpha: it drifts towards 0 when EM is iterated far past the default tolerance
NEWTON_TOL, NEWTON_STEPS = 1e-3, 500  # When Newton's method for alpha stops: relative change in the 1-norm, steps


@dataclass(repr=False, eq=False, kw_only=True)
class BCE(ConsensusMethod):
    """Bayesian cluster ensembles (Wang, Shan, Banerjee): a mixed-membership model of the label matrix.

    Object p mixes the K consensus clusters by theta_p ~ Dirichlet(alpha). Each of its labels has a consensus cluster z
    of its own, drawn from theta_p, and is itself drawn from row z of that clustering's ``beta``. Variational EM
    maximises a lower bound of the log-likelihood; an object's label is the cluster with the largest parameter gamma of
    its posterior Dirichlet distribution. The default tolerances and limits are those of the authors' program, which
    makes one start.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    smoothing : float > 0, default 1e-6
        Added to the expected counts of beta's M-step ("lap" of the program).
    tol : float >= 0, default 0.01
        EM stops when a round changes beta by no more, relative to its 1-norm.
    max_outer, max_inner : int, default 499
        Most rounds of EM, and sweeps of an E-step.
    inner_tol : float >= 0, default 0.01
        The E-step of an object stops when a sweep changes neither phi nor gamma by more, relative to their 1-norms.
    alpha_start : {"random", "flat"}, default "random"
        Alpha of a start: "random", uniform in (0, 1) as in the authors' program; "flat", 1 / K everywhere, as in a
        public variant of it.
    n_init : int, default 10
        Random starts: alpha as ``alpha_start`` says, rows of beta uniform and normalised; the largest bound wins.

    Attributes
    ----------
    alpha_ : ndarray, shape (K,)
        Dirichlet parameters of the chosen start. Consensus clusters are in the order of the labels here and below,
        those without objects last.
    beta_ : list of m ndarrays, shape (K, k_i)
        Distribution of each clustering's labels in each consensus cluster; columns as in ``Ensemble.labels``.
    cluster_names_ : list of m ndarrays, shape (k_i,)
        The given label of each column of ``beta_``.
    profile_gamma_ : ndarray, shape (n', K)
        Posterior Dirichlet parameters of the distinct label profiles.
    bound_ : float
        Lower bound of the log-likelihood that the chosen start ended with.
    bound_path_ : ndarray, shape (iterations,)
        The bound after each round of the chosen start. Small dips are possible: every E-step starts anew.
    converged_ : bool
        Whether the chosen start met ``tol``, and its last E-step and alpha's Newton method their own rules.

    Notes
    -----
    A single clustering does not identify the model: consensus clusters that mix its labels have the same likelihood. A
    missing label takes no part: its phi is 0.

    Examples
    --------
    >>> from consclust.methods import BCE
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> bce = BCE(n_clusters=2, random_state=0).fit(labels)
    >>> bce.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> bce.predict([[0, 1, -1]])  # an object that was not in fit
    array([0])
    """

    summary = "Bayesian cluster ensembles (Wang, Shan, Banerjee): a mixed-membership model of the label matrix."
    reference = "Hongjun Wang, Hanhuai Shan, Arindam Banerjee: Bayesian cluster ensembles. SDM 2009."
    cost = Cost(1.5, 4e-6, 0, profile_matrices=0, linear=1.2e-4)
    constraints = {"smoothing": POSITIVE, "inner_tol": NON_NEGATIVE}
    identifiable = False
    predicts_from = "labels"
    paths = {"bound_path_": 1}

    smoothing: float = 1e-6
    tol: float = 0.01
    max_outer: int = 499
    inner_tol: float = 0.01
    max_inner: int = 499
    alpha_start: Literal["random", "flat"] = "random"
    n_init: int = 10

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return the doubles of a fit: phi, (n', m, K), and its parts, and gamma of every start."""
        k, m = self.n_clusters, ensemble.n_clusterings
        return ensemble.n_profiles * (3 * m * (k + 1) + (self.n_init + 4) * k)

    def _fit(self, ensemble: Ensemble) -> None:
        data = Words.make(ensemble)
        rng = self._rng()
        is_flat = self.alpha_start == "flat"
        fits = [
            self.learn(data, (flat_start if is_flat else random_start)(data, self.n_clusters, rng)).without_phi()
            for _ in range(self.n_init)
        ]
        labels = np.stack([fit.posterior.gamma.argmax(axis=1) for fit in fits])
        self._set_labels(labels, np.array([-fit.path[-1] for fit in fits]), ensemble.membership)
        best = fits[self.chosen_]
        order = order_of_appearance(labels[self.chosen_][ensemble.membership], self.n_clusters)
        self.alpha_ = best.model.alpha[order]
        self.profile_gamma_ = best.posterior.gamma[:, order]
        self.beta_ = np.split(best.model.beta.T[order], data.firsts[1:], axis=1)
        self.cluster_names_ = ensemble.cluster_names
        self.bound_, self.bound_path_ = best.path[-1], np.array(best.path)
        self.n_iter_, self.converged_ = len(best.path), best.converged

    def predict(self, labels: npt.ArrayLike) -> IntArray:
        """Return the consensus labels of other objects: an E-step with alpha and beta as they were learned.

        ``labels``, shape (n objects, m clusterings), are named as those of ``fit``; -1 marks a missing one, and an
        object without any gets the cluster with the largest alpha. Raises NotFittedError before ``fit``, ValueError for
        another number of clusterings or for a label that no object of ``fit`` had.
        """
        self._require_fitted()
        profiles, membership = np.unique(coded_as(labels, self.cluster_names_), axis=0, return_inverse=True)
        sizes = np.array([beta.shape[1] for beta in self.beta_])
        data = Words.among(profiles, np.ones(len(profiles)), sizes)
        model = Model(self.alpha_, np.hstack(self.beta_).T)
        gamma = e_step(data, model, self.inner_tol, self.max_inner).gamma
        predicted: IntArray = gamma.argmax(axis=1)[membership.ravel()]
        return predicted

    def learn(self, data: "Words", model: "Model") -> "Fit":
        """Run EM from one start: posterior of the last E-step, model of the last M-step."""
        path: list[float] = []
        converged = False
        while not converged and len(path) < self.max_outer:
            posterior = e_step(data, model, self.inner_tol, self.max_inner)
            beta = new_beta(data, posterior.phi, self.smoothing)
            alpha, met = new_alpha(model.alpha, posterior.gamma, data.weights)
            converged = bool(np.abs(beta - model.beta).sum() <= self.tol * model.beta.sum())
            model = Model(alpha, beta)
            path.append(lower_bound(data, model, posterior))
        return Fit(model, posterior, path, converged and met and posterior.converged)


@dataclass(frozen=True)
class Words:
    """The label profiles, each label a word: its place among the labels of all clusterings, sum of k_i."""

    words: IntArray  # Shape (n', m); a missing label is the word after the last
    weights: FloatArray  # Objects per profile, shape (n',)
    firsts: IntArray  # First word of each clustering, shape (m,)
    n_words: int

    @classmethod
    def make(cls, ensemble: Ensemble) -> "Words":
        """Take the profiles of an ensemble."""
        return cls.among(ensemble.profiles, ensemble.weights.astype(float), ensemble.n_clusters)

    @classmethod
    def among(cls, profiles: IntArray, weights: FloatArray, n_clusters: IntArray) -> "Words":
        """Take profiles of labels 0..k_i-1, where ``n_clusters`` holds k_i of every clustering."""
        firsts, n_words = np.cumsum(n_clusters) - n_clusters, int(n_clusters.sum())
        return cls(np.where(profiles == MISSING, n_words, profiles + firsts), weights, firsts, n_words)

    def normalised(self, beta: FloatArray) -> FloatArray:
        """Scale the words of each clustering to sum 1 in each consensus cluster, shape (sum of k_i, K)."""
        totals = np.add.reduceat(beta, self.firsts)
        sizes = np.diff(self.firsts, append=self.n_words)
        normalised: FloatArray = beta / np.repeat(totals, sizes, axis=0)
        return normalised


class Model(NamedTuple):
    """The parameters of BCE."""

    alpha: FloatArray  # Shape (K,)
    beta: FloatArray  # All clusterings' beta, transposed and one above the other, shape (sum of k_i, K)


class Posterior(NamedTuple):
    """What an E-step finds for each profile."""

    phi: FloatArray  # Consensus cluster of each label, shape (n', m, K); 0 for a missing one
    gamma: FloatArray  # Dirichlet parameters, shape (n', K)
    converged: bool


class Fit(NamedTuple):
    """EM from one start."""

    model: Model
    posterior: Posterior
    path: list[float]
    converged: bool

    def without_phi(self) -> "Fit":
        """Return the fit without phi, which takes most of its memory."""
        return self._replace(posterior=self.posterior._replace(phi=np.zeros((0, 0, 0))))


def random_start(data: Words, n_clusters: int, rng: np.random.Generator) -> Model:
    """Draw alpha uniform in (0, 1) and rows of beta uniform, normalised."""
    alpha = np.maximum(rng.random(n_clusters), ALPHA_FLOOR)
    return Model(alpha, data.normalised(rng.random((data.n_words, n_clusters)) + TINY))


def flat_start(data: Words, n_clusters: int, rng: np.random.Generator) -> Model:
    """Draw rows of beta uniform, normalised; alpha is 1 / K everywhere."""
    alpha = np.full(n_clusters, 1 / n_clusters)
    return Model(alpha, data.normalised(rng.random((data.n_words, n_clusters)) + TINY))


def e_step(data: Words, model: Model, tol: float, max_sweeps: int) -> Posterior:
    """Fit phi and gamma of every profile from the uniform start; each profile stops by itself."""
    from consclust.numerics.kernels import bce_kernels as bce

    alpha, n_clusters = model.alpha, len(model.alpha)
    observed = (data.words < data.n_words).astype(float)
    phi = np.repeat(observed[:, :, None] / n_clusters, n_clusters, axis=2)
    gamma = alpha + phi.sum(axis=1)
    beta = np.ascontiguousarray(model.beta)
    return Posterior(phi, gamma, bce.e_step(data.words, alpha, beta, phi, gamma, tol, max_sweeps))


def new_beta(data: Words, phi: FloatArray, smoothing: float) -> FloatArray:
    """M-step for beta: expected counts of each label in each consensus cluster, normalised."""
    from consclust.numerics.kernels import bce_kernels as bce

    return data.normalised(smoothing + bce.expected_counts(data.words, data.weights, phi, data.n_words))


def new_alpha(alpha: FloatArray, gamma: FloatArray, weights: FloatArray) -> tuple[FloatArray, bool]:
    """M-step for alpha by Newton's method (Hessian: diagonal plus constant), and whether it converged."""
    from scipy.special import polygamma, psi

    if len(alpha) == 1:  # the bound does not depend on it
        return alpha, True
    n = weights.sum()
    statistics = (weights[:, None] * expected_log(gamma)).sum(axis=0)
    for _ in range(NEWTON_STEPS):
        gradient = statistics + n * (psi(alpha.sum()) - psi(alpha))
        diagonal, constant = -n * polygamma(1, alpha), n * polygamma(1, alpha.sum())
        shift = (gradient / diagonal).sum() / (1 / constant + (1 / diagonal).sum())
        step = (gradient - shift) / diagonal
        while (step >= alpha).any():
            step /= 2
        old, alpha = alpha, np.maximum(alpha - step, ALPHA_FLOOR)
        if np.abs(alpha - old).sum() <= NEWTON_TOL * old.sum():
            return alpha, True
    return alpha, False


def lower_bound(data: Words, model: Model, posterior: Posterior) -> float:
    """Lower bound of the log-likelihood, summed over the objects."""
    from scipy.special import gammaln

    from consclust.numerics.kernels import bce_kernels as bce

    (alpha, beta), (phi, gamma, _) = model, posterior
    expected = expected_log(gamma)
    prior = gammaln(alpha.sum()) - gammaln(alpha).sum() + ((alpha - 1) * expected).sum(axis=1)
    labels = bce.label_bound(data.words, np.log(np.maximum(beta, TINY)), phi)
    clusters = (phi.sum(axis=1) * expected).sum(axis=1)
    entropy = gammaln(gamma).sum(axis=1) - gammaln(gamma.sum(axis=1)) - ((gamma - 1) * expected).sum(axis=1)
    return float((data.weights * (prior + labels + clusters + entropy)).sum())


def expected_log(gamma: FloatArray) -> FloatArray:
    """E[log theta] under Dirichlet(gamma), row by row."""
    from scipy.special import psi

    expected: FloatArray = psi(gamma) - psi(gamma.sum(axis=1, keepdims=True))
    return expected

"""SSCE: a self-supervised framework for clustering ensembles, softmax models that share a consensus."""

# threadpoolctl and SciPy are imported where needed, so that what does without them starts faster

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray
from consclust.errors import ConsensusFailure
from consclust.methods.base import ConsensusMethod, Cost
from consclust.methods.constraints import POSITIVE, Interval
from consclust.numerics.numbering import order_of_appearance
from consclust.plurals import count

SHRINKAGE = {"alternating": 0.8, "profile": 0.3}  # Of the ridge from round to round; it starts at 1
RIDGE = 1e-8  # Least ridge under the square root of Omega
STEPS = 100  # Most quasi-Newton steps of a round
MEMORY = 10  # Pairs of steps and changes of the gradient that a quasi-Newton step looks back at
SUFFICIENT = 1e-4  # Share of the decrease that the slope promises which a step must give
LEAST_STEP = 1e-6  # A step that would have to be shorter ends the round: rounding has taken over
NEGLIGIBLE = 1e-12  # Principal components of the features below this share of the largest are rounding


@dataclass(repr=False, eq=False, kw_only=True)
class SSCE(ConsensusMethod):
    r"""Self-supervised clustering ensemble (Du, Shen, Shen, Wang, Xu).

    The base clusterings are aligned to one of them. Each then teaches a softmax model W_i of its labels given the
    objects' features x; the models scatter round a common u and are related to each other by Omega. Minimises

    .. math:: F = \sum_i \operatorname{loss}_i(W_i) + \frac{\lambda_1}2 \sum_i \|w_i - u\|^2
              + \frac{\lambda_2}2 \operatorname{tr}(W \Omega^{-1} W^\top), \quad \operatorname{tr} \Omega \le 1,

    with w_i = vec(W_i), W = [w_1 .. w_m]. An object's label is the class c with the largest x'u_c.

    Parameters
    ----------
    random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    n_clusters : int
        Number of clusters, K; two have the binary logistic model, with one vector of weights.
    lambda1 : float > 0, default 1.0
        Penalty of the scatter round u; the paper's grid is 0.01, 0.1, 1, 10, 100.
    lambda2 : float > 0 or None, default None
        Penalty of the relation. None: as lambda1, as in the paper.
    features : {"original", "pseudo"}, default "original"
        "original": those of ``fit(labels, features)``, best of similar scale (the paper's are z-scored). "pseudo"
        (SSCE-P): the indicators of the base clusters.
    solver : {"alternating", "profile"}, default "alternating"
        "alternating": W and u, then Omega in closed form, by turns. "profile": W alone, u and Omega eliminated; two to
        three times faster, and nearer to the optimum.
    aligned_to : int or None, default None
        The clustering that the others are aligned to, from 0. None: of those with K clusters (else fewer) the one
        with the highest mean NMI with the others.
    intercept : bool, default True
        Adds a constant to the original features, penalised like them.
    tol : float >= 0, default 1e-6
        The solver stops when a round, and a round when a step, lowers the objective by no more, relatively.
    max_iter : int, default 100
        Most rounds.

    Attributes
    ----------
    consensus_ : ndarray, shape (d, K)
        u, one column for each cluster, in the order of the labels, those without objects last; d counts the intercept,
        last. Binary: column 0 is 0.
    weights_ : ndarray, shape (m, d, K)
        The models W_i, in the same form.
    omega_ : ndarray, shape (m, m)
        Relation of the clusterings; trace 1.
    objective_ : float
        F at its least over u and Omega, without a ridge.
    objective_path_ : ndarray, shape (iterations,)
        F after each round with its ridge, tr(Omega^-1 (W'W + ridge I)) in the last term. It never rises, up to
        rounding.
    reference_ : int
        The clustering that the others were aligned to.

    Notes
    -----
    For given W, u is the mean of the w_i and Omega = (W'W)^(1/2) / tr (W'W)^(1/2). Eliminating both leaves a convex
    function of W whose last term is lambda2/2 times the square of the nuclear norm: the profile form. A W that has lost
    a direction never regains it by turns, since Omega^-1 is infinite there: Omega is made from W'W + ridge I with a
    ridge that falls from 1 by a factor each round, to 1e-8.

    Neither penalty changes when features or classes are rotated. The work is done in the principal components of the
    features, on their distinct rows, and on contrasts of the classes (the optimal weights of the classes sum to 0). The
    quasi-Newton steps are preconditioned by the mean curvature of the models plus the penalties.

    A missing label takes no part in its model's loss; a missing pseudo feature is 0.

    The solver stops near the minimum, as ``tol`` says, not at it. Last bits, which depend on the processor, decide
    where, and that matters if features have very different scales. On the Wine data as they are (standard deviations
    from .12 to 315) another processor changes x'u by up to .4, and with 5 clusters the label of one or two of 178
    objects, whose two largest x'u differ by less. On z-scored features it changes x'u by less than .0004, and no label.

    Examples
    --------
    >>> from consclust.methods import SSCE
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> features = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> ssce = SSCE(n_clusters=2, lambda1=0.1).fit(labels, features)
    >>> ssce.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> ssce.predict([[0.15], [1.3]])  # objects that were not in fit
    array([0, 1])
    """

    summary = "Self-supervised clustering ensemble (Du, Shen, Shen, Wang, Xu)."
    reference = (
        "Liang Du, Yi-Dong Shen, Zhiyong Shen, Jianying Wang, Zhiwu Xu: A Self-Supervised Framework for "
        "Clustering Ensemble. WAIM 2013."
    )
    cost = Cost(1.0, 2e-6, 0, profile_matrices=0, over_objects=True)
    constraints = {"lambda1": POSITIVE, "lambda2": POSITIVE, "aligned_to": Interval(int, 0)}
    needs_features = True
    predicts_from = "features"
    paths = {"objective_path_": 1}

    lambda1: float = 1.0
    lambda2: float | None = None
    features: Literal["original", "pseudo"] = "original"
    solver: Literal["alternating", "profile"] = "alternating"
    aligned_to: int | None = None
    intercept: bool = True
    tol: float = 1e-6
    max_iter: int = 100

    def uses_features(self) -> bool:
        """Whether the features are the original ones."""
        return self.features == "original"

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return those of the odds of the classes, in all models, and of the features, as measured."""
        rows, width = ensemble.n_profiles, int(ensemble.n_clusters.sum())
        if self.uses_features():
            rows, width = self._features.shape
        return rows * (5 * self.n_clusters * ensemble.n_clusterings + 4 * width)

    def _fit(self, ensemble: Ensemble) -> None:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
            self.reference_ = self._chosen_reference(ensemble)
            aligned = align(ensemble, self.reference_, self.n_clusters)
            if self.features == "pseudo":
                rows, membership = ensemble.indicator, ensemble.membership
                models = Models.make(rows, aligned, ensemble.weights, self.n_clusters)
            else:
                rows, membership = self._design(self._features), np.arange(ensemble.n_objects)
                models = Models.make(rows, aligned[ensemble.membership], np.ones(len(rows)), self.n_clusters)
            weights = self._learn(models)
            classes = likeliest_classes(rows, weights.mean(axis=0))
        self._set_only_labels(classes, membership)
        self.weights_ = ordered_classes(weights, order_of_appearance(classes[membership], self.n_clusters))
        self.consensus_: FloatArray = self.weights_.mean(axis=0)

    def predict(self, features: npt.ArrayLike) -> IntArray:
        """Return the consensus labels of other objects, named as in ``labels_``; empty classes come last.

        ``features``, shape (n objects, d), are scaled as those of ``fit``. Raises NotFittedError before ``fit``,
        ValueError for pseudo features and for features that do not match those of ``fit``.
        """
        from threadpoolctl import threadpool_limits

        self._require_fitted()
        if self.features == "pseudo":
            problem = "pseudo features are base labels, which an unseen object has not"
            raise ValueError(f"SSCE: predict needs features='original': {problem}")
        rows = self._design(self._checked_features(features))
        if rows.shape[1] != len(self.consensus_):
            d = len(self.consensus_) - self.intercept
            raise ValueError(f"SSCE: features have {count(rows.shape[1] - self.intercept, 'column')}, those of fit {d}")
        with threadpool_limits(1):
            return likeliest_classes(rows, self.consensus_)

    def _design(self, features: FloatArray) -> FloatArray:
        return np.column_stack([features, np.ones(len(features))]) if self.intercept else features

    def _chosen_reference(self, ensemble: Ensemble) -> int:
        if self.aligned_to is None:
            return best_reference(ensemble, self.n_clusters)
        name, m = f"SSCE: aligned_to = {self.aligned_to}", ensemble.n_clusterings
        if self.aligned_to >= m:
            raise ValueError(f"{name}: must be below the number of clusterings, {m}")
        k = ensemble.n_clusters[self.aligned_to]
        if k > self.n_clusters > 1:
            excess = f"has {count(k, 'cluster')}, more than n_clusters = {self.n_clusters}"
            raise ConsensusFailure(f"{name} {excess}; choose another clustering")
        return self.aligned_to

    def _learn(self, models: "Models") -> FloatArray:
        """Return the weights of features and classes of all models, shape (m, d, K)."""
        W = np.zeros_like(models.statistics)
        path: list[float] = []
        pairs: Pairs = []
        shrinkage, self.converged_ = SHRINKAGE[self.solver], False
        while not self.converged_ and len(path) < self.max_iter:
            ridge = max(shrinkage ** len(path), RIDGE)
            fixed = Relation.make(W, ridge) if self.solver == "alternating" else None
            evaluate = partial(self._at, models, ridge, fixed)
            W = descend(evaluate, W, models.curvature(W), pairs, self.tol)
            path.append(self._at(models, ridge, None, W).value)
            met = len(path) > 1 and path[-2] - path[-1] <= self.tol * abs(path[-1])
            self.converged_ = met and (self.solver == "alternating" or ridge == RIDGE)
        self.n_iter_, self.objective_path_ = len(path), np.array(path)
        ridged, bare = Relation.make(W, ridge), Relation.make(W, 0.0)
        excess = ridged.roots.sum() ** 2 - bare.roots.sum() ** 2
        self.objective_ = path[-1] - (self.lambda2 or self.lambda1) / 2 * excess
        self.omega_ = ridged.omega
        return models.original(W)

    def _at(self, models: "Models", ridge: float, relation: "Relation | None", W: FloatArray) -> "Point":
        """F at its least over u, and over Omega too unless the relation is given."""
        m, lambda2 = W.shape[2], self.lambda2 or self.lambda1
        own = relation or Relation.make(W, ridge)
        loss, slope = models.loss(W)
        precision = self.lambda1 * (np.eye(m) - 1 / m) + lambda2 * own.inverse
        shrunk = W @ precision
        value = loss + (np.vdot(W, shrunk) + lambda2 * ridge * own.inverse.trace()) / 2
        return Point(W, float(value), slope + shrunk, precision)


def likeliest_classes(rows: FloatArray, consensus: FloatArray) -> IntArray:
    """Return the class of each row, (n, d), that has the largest product with its column of u, (d, K)."""
    classes: IntArray = (rows @ consensus).argmax(axis=1)
    return classes


def ordered_classes(weights: FloatArray, order: IntArray) -> FloatArray:
    """Return models, (m, d, K), with their classes in another order; of two classes the first keeps zeros."""
    ordered = weights[:, :, order]
    if len(order) == 2:
        ordered = ordered - ordered[:, :, :1]  # the same vector less for every class changes no probability
    return ordered


def best_reference(ensemble: Ensemble, n_clusters: int) -> int:
    """Return the clustering of K clusters, else of fewer, with the highest mean NMI (geometric) to the others."""
    sizes = ensemble.n_clusters
    candidates = np.flatnonzero(sizes == n_clusters)
    if not len(candidates):
        candidates = np.flatnonzero((sizes <= n_clusters) | (n_clusters == 1))
    if not len(candidates):
        problem = f"every base clustering has more than n_clusters = {n_clusters} clusters, so none can be"
        raise ConsensusFailure(f"SSCE: {problem} the reference of the alignment; set more clusters")
    tables = contingency_tables(ensemble)
    means = [np.mean([_nmi(tables[i][j]) for j in range(len(sizes))]) for i in candidates]
    return int(candidates[np.argmax(means)])


def contingency_tables(ensemble: Ensemble) -> list[list[FloatArray]]:
    """Return the objects that cluster a of clustering i shares with cluster b of j, as table[i][j][a, b]."""
    shared = ensemble.overlaps()
    cuts = np.cumsum(ensemble.n_clusters)[:-1]
    return [np.split(rows, cuts, axis=1) for rows in np.split(shared, cuts)]


def _nmi(table: FloatArray) -> float:
    from scipy.special import entr

    shares = table / max(table.sum(), 1.0)
    rows, columns = entr(shares.sum(axis=1)).sum(), entr(shares.sum(axis=0)).sum()
    if not rows * columns > 0:
        return 0.0
    return float((rows + columns - entr(shares).sum()) / np.sqrt(rows * columns))


def align(ensemble: Ensemble, reference: int, n_clusters: int) -> IntArray:
    """Return the labels of the profiles, (n', m), matched one to one to the reference, the surplus by overlap."""
    from scipy.optimize import linear_sum_assignment

    tables = contingency_tables(ensemble)
    aligned = np.full_like(ensemble.profiles, MISSING)
    for i, labels in enumerate(ensemble.profiles.T):
        common = tables[i][reference][:, :n_clusters]
        overlap = np.pad(common, ((0, 0), (0, n_clusters - common.shape[1])))
        classes = overlap.argmax(axis=1)
        matched, partners = linear_sum_assignment(-overlap)
        classes[matched] = partners
        aligned[:, i] = np.where(labels == MISSING, MISSING, classes[labels])
    return aligned


Curvature = tuple[FloatArray, FloatArray]  # Eigenvalues and eigenvectors


@dataclass(frozen=True)
class Models:
    """The losses of all models; their W has shape (q contrasts of classes, r principal components, m)."""

    rows: FloatArray  # Distinct objects in principal components, shape (r, n')
    weights: FloatArray  # Labels that stand behind each, shape (m, n'), or (1, n') if no label is missing
    statistics: FloatArray  # Sums of the contrasts of the labels times the objects, shape (q, r, m)
    coding: FloatArray  # Contrasts of the classes, shape (K, q)
    basis: FloatArray  # Principal directions of the features, shape (d, r)

    @classmethod
    def make(
        cls, features: FloatArray, labels: IntArray, weights: npt.NDArray[np.generic], n_clusters: int
    ) -> "Models":
        """Prepare features (n, d), labels (n, m) in 0..K-1 and multiplicities (n,)."""
        coding = contrasts(n_clusters)
        distinct, membership = np.unique(features, axis=0, return_inverse=True)
        observed = (labels != MISSING) * np.asarray(weights, dtype=float)[:, None]
        counts: FloatArray = np.stack([np.bincount(membership.ravel(), some) for some in observed.T])
        squares, directions = np.linalg.eigh((distinct.T * counts.max(axis=0)) @ distinct)
        kept = squares > NEGLIGIBLE * squares[-1]
        basis = directions[:, kept]
        members = (labels == np.arange(n_clusters)[:, None, None]) * observed
        sums = np.tensordot(members, features @ basis, axes=(1, 0))
        return cls(
            rows=np.ascontiguousarray((distinct @ basis).T),
            weights=counts[:1] if (counts == counts[0]).all() else counts,
            statistics=np.einsum("kq,kmr->qrm", coding, sums),
            coding=coding,
            basis=basis,
        )

    def loss(self, W: FloatArray) -> tuple[float, FloatArray]:
        """Return the sum of the losses and its gradient, shape (q, r, m)."""
        odds, total, peak = self._odds(W)
        value = (self.weights * (peak + np.log(total))).sum() - np.vdot(self.statistics, W)
        odds *= self.weights / total
        K, m, n = odds.shape
        expected = (odds.reshape(K * m, n) @ self.rows.T).reshape(K, m, -1)
        gradient: FloatArray = np.einsum("kq,kmr->qrm", self.coding, expected) - self.statistics
        return float(value), gradient

    def curvature(self, W: FloatArray) -> Curvature:
        """Return the spectrum of the losses' second derivatives over the components, mean of models and contrasts."""
        odds, total, _ = self._odds(W)
        odds /= total
        lengths = (self.coding**2).sum(axis=1)
        spread = np.tensordot(lengths, odds, 1) - (np.tensordot(self.coding.T, odds, 1) ** 2).sum(axis=0)
        mean = (self.weights * spread).mean(axis=0) / max(len(W), 1)
        values, vectors = np.linalg.eigh((self.rows * mean) @ self.rows.T)
        return np.maximum(values, 0), vectors

    def _odds(self, W: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the odds of the classes to the likeliest, (K, m, n'), their sum, and the logit of that."""
        K = len(self.coding)
        m = W.shape[2]
        (r, n) = self.rows.shape
        by_class = np.einsum("kq,qrm->kmr", self.coding, W).reshape(K * m, r)
        odds = (by_class @ self.rows).reshape(K, m, n)
        peak = odds.max(axis=0)
        odds -= peak
        np.exp(odds, out=odds)
        return odds, odds.sum(axis=0), peak

    def original(self, W: FloatArray) -> FloatArray:
        """Return the weights of features and classes, shape (m, d, K)."""
        weights: FloatArray = np.einsum("dr,qrm,kq->mdk", self.basis, W, self.coding, optimize=True)
        return weights


def contrasts(n_clusters: int) -> FloatArray:
    """Return the coding of the classes, (K, q): one logit, of the second of two, or orthonormal contrasts."""
    if n_clusters == 2:
        return np.array([[0.0], [1.0]])
    K, steps = n_clusters, np.arange(1, n_clusters)
    helmert = np.triu(np.ones((K, K - 1))) - np.eye(K, K - 1, -1) * steps
    orthonormal: FloatArray = helmert / np.sqrt(steps * (steps + 1))
    return orthonormal


class Relation(NamedTuple):
    """Omega of some W, by the eigenvectors of W'W."""

    roots: FloatArray
    vectors: FloatArray

    @classmethod
    def make(cls, W: FloatArray, ridge: float) -> "Relation":
        """Take the square root of W'W + ridge I."""
        flat = W.reshape(-1, W.shape[2])
        squares, vectors = np.linalg.eigh(flat.T @ flat)
        return cls(np.sqrt(np.maximum(squares, 0) + ridge), vectors)

    @property
    def omega(self) -> FloatArray:
        """Omega, trace 1, shape (m, m)."""
        omega: FloatArray = (self.vectors * (self.roots / self.roots.sum())) @ self.vectors.T
        return omega

    @property
    def inverse(self) -> FloatArray:
        """Omega^-1, shape (m, m)."""
        inverse: FloatArray = (self.vectors * (self.roots.sum() / self.roots)) @ self.vectors.T
        return inverse


class Point(NamedTuple):
    """The objective somewhere."""

    W: FloatArray  # Shape (q, r, m)
    value: float
    gradient: FloatArray  # Shape (q, r, m)
    precision: FloatArray  # Second derivatives of the penalties over the clusterings, or a bound of them, shape (m, m)

    def preconditioned(self, gradient: FloatArray, curvature: Curvature) -> FloatArray:
        """Divide by the second derivatives of the losses, in the mean, and of the penalties."""
        across, within = curvature
        values, vectors = np.linalg.eigh(self.precision)
        turned = within.T @ gradient @ vectors
        step: FloatArray = within @ (turned / (across[:, None] + values)) @ vectors.T
        return step


Evaluate = Callable[[FloatArray], Point]
Pairs = list[tuple[FloatArray, FloatArray]]  # Steps and changes of the gradient


def descend(evaluate: Evaluate, W: FloatArray, curvature: Curvature, pairs: Pairs, tol: float) -> FloatArray:
    """Minimise by preconditioned L-BFGS, updating ``pairs``, its memory; no step raises the objective."""
    here = evaluate(W)
    for _ in range(STEPS):
        there = searched(evaluate, here, quasi_newton(here, pairs, curvature))
        if there.value >= here.value:
            if not pairs:
                break
            pairs.clear()
            continue
        step, change = there.W - here.W, there.gradient - here.gradient
        if np.vdot(step, change) > 0:
            pairs.append((step, change))
            del pairs[:-MEMORY]
        before, here = here.value, there
        if before - here.value <= tol * abs(here.value):
            break
    return here.W


def quasi_newton(here: Point, pairs: Pairs, curvature: Curvature) -> FloatArray:
    """Return the direction of L-BFGS (two loops over the pairs); the step is its opposite."""
    remains = here.gradient.copy()
    shares = []
    for step, change in reversed(pairs):
        shares.append(np.vdot(step, remains) / np.vdot(step, change))
        remains -= shares[-1] * change
    direction = here.preconditioned(remains, curvature)
    if pairs:
        step, change = pairs[-1]
        direction *= np.vdot(step, change) / np.vdot(change, here.preconditioned(change, curvature))
    for (step, change), share in zip(pairs, reversed(shares), strict=True):
        direction += (share - np.vdot(change, direction) / np.vdot(step, change)) * step
    return direction


def searched(evaluate: Evaluate, here: Point, direction: FloatArray) -> Point:
    """Go along the direction as far as the slope's promise is kept to a share."""
    slope, length = float(np.vdot(here.gradient, direction)), 1.0
    while True:
        there = evaluate(here.W - length * direction)
        if there.value <= here.value - SUFFICIENT * length * slope or length < LEAST_STEP:
            return there
        parabola = slope * length**2 / (2 * (there.value - here.value + slope * length))
        length = float(np.clip(parabola, length / 10, length / 2))

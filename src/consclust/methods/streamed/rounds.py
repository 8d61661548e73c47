"""Methods that go over the objects round by round: on a stream a pass is a round.

All random starts are made on the sample, in memory, by the method itself. From the labels of the chosen one the rounds
go on over all objects. Where all objects are in the sample, the first round changes nothing.
"""

# SciPy is imported where needed, so that what does without it starts faster

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.methods.ivc import distances_from_modes, distances_from_shares
from consclust.methods.kcc import FORMS, Problem
from consclust.methods.streamed.rules import LeastRule, LikelihoodRule, Rule
from consclust.numerics.gram import Codes, Sample, Summary, pad_columns
from consclust.numerics.points import LabelTable

if TYPE_CHECKING:
    from consclust.methods.base import ConsensusMethod

SETTLED = 1e-5  # Relative fall of the cost up to which rounds over all objects are settled
GRID = 2.0**-26  # Shares of objects are multiples of it: sums over 10^8 objects are exact, in any order
EXACT_BITS = 52  # Sums of integers below 2 to this power are exact

log = logging.getLogger("consclust")


class Counts(NamedTuple):
    """What a round counts."""

    labels: FloatArray
    """Objects of each base cluster in each consensus cluster, or their shares, shape (sum of k_i, K)."""
    sizes: FloatArray
    """Objects of each consensus cluster, or their shares, shape (K,)."""
    cost: float
    """Sum over the objects of what each costs; it falls from round to round."""


class Rounds(ABC):
    """A method whose clusters follow from counts of labels, and whose labels follow from the clusters."""

    def __init__(self, method: Any, summary: Summary) -> None:
        from scipy.sparse import eye_array

        self.method = method
        self.costs: list[float] = []
        """The cost of each round so far."""
        self.n_clusters: int = method.n_clusters
        self.cluster_names = summary.cluster_names
        self.n_objects = summary.n_objects
        self.sizes = summary.sizes.astype(float)
        self.firsts: IntArray = summary.firsts
        # what is summed over the labels of a clustering is the same for objects of one label each
        self.table = LabelTable(eye_array(len(self.sizes), format="csr"), self.sizes, self.firsts)

    @abstractmethod
    def make_rule(self, counts: Counts) -> Rule:
        """Return the rule by which objects join clusters of these counts."""

    def count(self, rule: Rule, blocks: Iterable[Codes]) -> Counts:
        """Return the counts of all objects under a rule: a round."""
        labels = np.zeros((len(self.sizes), self.n_clusters))
        sizes = np.zeros(self.n_clusters)
        cost = sum(self.add(rule, codes, labels, sizes) for codes in blocks)
        self.costs.append(cost)
        return Counts(labels, sizes, cost)

    def add(self, rule: Rule, codes: Codes, labels: FloatArray, sizes: FloatArray) -> float:
        """Add some objects to the counts of the clusters that they join, in place; return what they cost."""
        from consclust.numerics.kernels.stream_kernels import join_nearest

        assert isinstance(rule, LeastRule)
        degrees = rule.table[:, -1] if rule.by_degree else np.zeros(len(rule.table))
        most = self.find_most(rule.table[:, : self.n_clusters]) + max(self.find_most(degrees[:, None]), 1.0) * (
            find_largest(rule.offsets)
        )
        table = pad_columns(rule.table)
        unit = self.find_unit(most)
        return join_nearest(codes, self.firsts, table, rule.offsets, rule.by_degree, labels, sizes, unit)

    def find_most(self, table: FloatArray) -> float:
        """Return the largest absolute value that the rows of the clusters of an object may sum to; not counting inf."""
        of_clusters = np.where(np.isfinite(table), np.abs(table), 0.0).max(axis=1)
        return float(np.maximum.reduceat(of_clusters, self.firsts).sum())

    def find_unit(self, most: float) -> float:
        """Return the power of 2 to multiples of which costs of objects are rounded, of which none is above ``most``.

        The sum over all objects is then exact, in whatever order they come, and the unit as small as that allows: the
        costs may be far below 1, as those of SEC are.
        """
        return float(2.0 ** (np.ceil(np.log2(self.n_objects * most)) - EXACT_BITS)) if most > 0 else 1.0

    def count_sample(self, sample: Sample, labels: IntArray) -> Counts:
        """Return the counts of the objects of the sample with these labels."""
        from consclust.numerics.kernels.stream_kernels import count_labels

        counts = np.zeros((len(self.sizes), self.n_clusters))
        count_labels(sample.codes, self.firsts, labels, counts)
        sizes = np.bincount(labels, minlength=self.n_clusters).astype(float)
        return Counts(counts, sizes, np.inf)

    def find_attributes(self, rule: Rule, counts: Counts) -> dict[str, Any]:
        """Return what the method keeps of the rounds, of which the last one has these ``counts``."""
        return {"cost_": counts.cost, "cost_path_": np.array(self.costs)}


def find_largest(values: FloatArray) -> float:
    """Return the largest absolute value that is finite; 0 if none is."""
    return float(np.where(np.isfinite(values), np.abs(values), 0.0).max(initial=0.0))


class SecRounds(Rounds):
    """Weighted k-means of :class:`~consclust.methods.sec.SEC`, with the points b / w, where w is the degree."""

    def make_rule(self, counts: Counts) -> Rule:
        """Return the rule of the nearest centre, up to what does not depend on the cluster."""
        weights = self.sizes @ counts.labels
        centres = counts.labels / np.where(weights > 0, weights, 1.0)
        table = np.column_stack([-2 * centres, self.sizes])
        return LeastRule(table, (centres**2).sum(axis=0), by_degree=True)

    def find_attributes(self, rule: Rule, counts: Counts) -> dict[str, Any]:
        """Return the association: the costs here lack the lengths of the points."""
        return {"association_": -counts.cost}


class KccRounds(Rounds):
    """K-means of :class:`~consclust.methods.kcc.KCC`."""

    def __init__(self, method: Any, summary: Summary) -> None:
        super().__init__(method, summary)
        self.problem = Problem(self.table, FORMS[method.utility], method.p, np.ones(len(summary.n_clusters)))
        if method.normalized:
            self.problem = Problem(self.table, FORMS[method.utility], method.p, self._weigh(summary))

    def _weigh(self, summary: Summary) -> FloatArray:
        """Return the weight of each clustering, as :meth:`~consclust.methods.kcc.Problem.make` does."""
        shares = self.table.shares()[:, None]
        scale = np.abs(self.problem.form.find_phi(self.table, shares, self.method.p)[:, 0])
        is_constant = (summary.n_clusters == 1) & (self.method.utility == "U_H")
        return np.where(is_constant, 0.0, 1 / np.where(is_constant, 1.0, scale))

    def make_rule(self, counts: Counts) -> Rule:
        """Return the rule of the least distance."""
        distances = self.problem.find_distances(self.table.distributions(counts.labels))
        return LeastRule(distances, np.zeros(self.n_clusters), by_degree=False)


class IvcRounds(Rounds):
    """Votes of :class:`~consclust.methods.ivc.IVC`.

    Ties of the modes are frequent and go to the first cluster, which is another one here than in memory.
    """

    def make_rule(self, counts: Counts) -> Rule:
        """Return the rule of the least distance; an empty cluster stays empty."""
        find_distances = distances_from_modes if self.method.variant == "IVC" else distances_from_shares
        offsets = np.where(counts.sizes == 0, np.inf, 0.0)
        return LeastRule(find_distances(self.table, counts.labels), offsets, by_degree=False)


class MixtureRounds(Rounds):
    """EM of :class:`~consclust.methods.mixture.Mixture`; responsibilities are rounded to multiples of 2^-26."""

    def make_rule(self, counts: Counts) -> Rule:
        """Return the rule of the greatest responsibility, by an M-step."""
        theta = self.table.distributions(counts.labels)
        with np.errstate(divide="ignore"):  # the logarithm of 0 is minus infinity
            return LikelihoodRule(np.log(theta), np.log(counts.sizes / counts.sizes.sum()))

    def add(self, rule: Rule, codes: Codes, labels: FloatArray, sizes: FloatArray) -> float:
        """Add the responsibilities of some objects, by an E-step, in place; return minus their log-likelihood."""
        from consclust.numerics.kernels.stream_kernels import share_among_components

        assert isinstance(rule, LikelihoodRule)
        most = self.find_most(rule.table) + find_largest(rule.log_shares) + float(np.log(self.n_clusters))
        table = pad_columns(rule.table)
        units = GRID, self.find_unit(most)
        return share_among_components(codes, self.firsts, table, rule.log_shares, labels, sizes, units)

    def find_attributes(self, rule: Rule, counts: Counts) -> dict[str, Any]:
        """Return the parameters of the mixture and its likelihood."""
        assert isinstance(rule, LikelihoodRule)
        n_parameters = self.n_clusters - 1 + self.n_clusters * (len(self.sizes) - len(self.firsts))
        return {
            "bic_": n_parameters * float(np.log(self.n_objects)) + 2 * counts.cost,
            "log_likelihood_path_": -np.array(self.costs),
            "shares_": np.exp(rule.log_shares),
            "theta_": np.split(np.exp(rule.table).T, self.firsts[1:], axis=1),
            "cluster_names_": self.cluster_names,
            "log_likelihood_": -counts.cost,
        }


ROUNDS: Mapping[str, type[Rounds]] = {"IVC": IvcRounds, "KCC": KccRounds, "Mixture": MixtureRounds, "SEC": SecRounds}
"""By the name of the method."""
IGNORE_MISSING = ("KCC", "Mixture")
"""Methods in which a missing label takes no part, whatever the stream says."""


class Settled(NamedTuple):
    """The last rule of a method, and how its rounds went."""

    rule: Rule
    counts: Counts
    n_rounds: int
    converged: bool


def go_round(rounds: Rounds, start: Counts, passes: Iterable[Iterable[Codes]], max_iter: int) -> Settled:
    """Go over the objects until the counts stay, or the cost falls by ``SETTLED`` at most."""
    counts = start
    for number, blocks in enumerate(passes, start=1):
        rule = rounds.make_rule(counts)
        after = rounds.count(rule, blocks)
        fall = counts.cost - after.cost
        log.info("%s: pass %d over all objects, cost %.10g", type(rounds.method).__name__, number, after.cost)
        stays = np.array_equal(after.labels, counts.labels)
        if stays or fall <= SETTLED * abs(after.cost) or number == max_iter:
            converged = stays or fall <= SETTLED * abs(after.cost)
            return Settled(rule, after, number, bool(converged))
        counts = after
    raise AssertionError("there is no pass")


def fit_sample(method: "ConsensusMethod", data: Any) -> IntArray:
    """Return the labels that the method gives to the objects of the sample, in memory; (s,)."""
    from consclust.methods.streamed.fits import gather

    alone = type(method)(**method.get_params())
    return alone.fit(gather(data.summary, data.stream)).labels_

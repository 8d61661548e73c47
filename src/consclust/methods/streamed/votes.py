"""Voting on streams: base clusterings are relabelled by their overlaps, and the votes of an object add."""

# SciPy and compiled kernels are imported where needed, so that what does without them starts faster

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.methods.streamed.data import Learned, StreamData, refuse_expected
from consclust.methods.streamed.rules import MostRule, label_codes
from consclust.methods.voting import Ballots, assign_all, assign_one_to_one, merge, normalise, order_by_entropy
from consclust.numerics.numbering import order_of_appearance

MOST_SUM = 2.0**62  # What sums of rounded factors may reach at most


@dataclass(frozen=True)
class BaseClusters:
    """Base clusters in place of profiles, each as many objects as it has: enough for what needs their sizes alone."""

    n_clusters: IntArray
    """Number of clusters of each clustering, k_i, shape (m,)."""
    weights: IntArray
    """Objects of each base cluster, shape (sum of k_i,)."""

    @property
    def sparse_indicator(self) -> Any:
        """The indicator matrix: each has a label in its own clustering alone."""
        from scipy.sparse import eye_array

        return eye_array(len(self.weights), format="csr")

    @property
    def slices(self) -> list[slice]:
        """The places of the clusters of each clustering."""
        ends = np.cumsum(self.n_clusters)
        return [slice(int(end - k), int(end)) for end, k in zip(ends, self.n_clusters, strict=True)]


def learn_voting(method: Any, data: StreamData) -> Learned:
    """Learn to which clusters of the consensus each base cluster gives its vote.

    See :class:`~consclust.methods.voting.Voting`. The columns of a reference are merged on the profiles of the sample.
    """
    if data.indicator.counts_expected:
        raise refuse_expected(method)
    clusters: Any = BaseClusters(data.summary.n_clusters, data.summary.sizes)
    order = order_by_entropy(clusters, method.n_clusters, method._draw_order(len(clusters.n_clusters)))
    table = relabel(method.variant, data, clusters, order)
    profiles = data.profiles
    ballots = Ballots([], profiles.weights.astype(float))
    memberships = ballots.spread_over_all(data.indicator.rows(profiles.codes).sum(table))
    merging = merge(memberships, ballots.weights, method.n_clusters)
    table = np.column_stack([table[:, group].sum(axis=1) for group in merging.groups])
    rule = make_rule(table, merging.memberships, data)
    if method.variant == "majority":
        table = relabel_to_rule(rule, data, clusters)
        rule = make_rule(table, data.indicator.rows(profiles.codes).sum(table), data)
    return Learned(rule, {"order_": order, "reference_": int(order[0]), "losses_": np.array(merging.losses)})


def make_rule(table: FloatArray, memberships: FloatArray, data: StreamData) -> MostRule:
    """Return the rule of most votes, its clusters in the order in which the objects of the sample have them.

    ``memberships``, (n', K), are those of the profiles of the sample. An object without a vote has the mean of them.
    """
    labels = memberships.argmax(axis=1)
    order = order_of_appearance(labels[data.profiles.membership], memberships.shape[1])
    mean = data.profiles.weights @ memberships[:, order]
    return MostRule(table[:, order], int(mean.argmax()))


def relabel(variant: str, data: StreamData, clusters: BaseClusters, order: IntArray) -> FloatArray:
    """Return the votes of each base cluster for those of the reference, shape (sum of k_i, k_0)."""
    slices = clusters.slices
    reference = slices[order[0]]
    if variant == "fixed":
        shared = data.overlaps[:, reference].astype(float)
        return np.concatenate([normalise(shared[own]) for own in slices])
    share: Callable[[FloatArray], FloatArray] = assign_one_to_one if variant == "one-to-one" else normalise
    weighed = weigh_earlier(data, clusters, order)
    table = np.zeros((len(weighed), reference.stop - reference.start))
    table[reference] = np.eye(table.shape[1])
    for clustering in order[1:]:
        own = slices[clustering]
        # the rows of the clusterings that have not voted yet are 0
        table[own] = share(weighed[own] @ table)
    return table


def weigh_earlier(data: StreamData, clusters: BaseClusters, order: IntArray) -> FloatArray:
    """Return what weighs the votes before a clustering in its overlaps with their mean, (sum of k_i, sum of k_i).

    The entry of a base cluster and of one of an earlier clustering is the sum, over the objects that they share, of 1 /
    (earlier labels of the object); entries of later clusterings are not used. Takes a pass if labels are missing.
    """
    if not data.summary.n_missing:
        n_earlier = np.empty(len(order))
        n_earlier[order] = np.maximum(np.arange(len(order)), 1)
        means: FloatArray = data.overlaps / np.repeat(n_earlier, clusters.n_clusters)[:, None]
        return means
    from consclust.numerics.kernels.stream_kernels import add_earlier

    unit = 2.0 ** np.floor(np.log2(MOST_SUM / data.summary.n_objects))
    factors = np.rint(unit / np.maximum(np.arange(len(order)), 1)).astype(np.int64)
    firsts = data.summary.firsts
    total = np.zeros(data.overlaps.shape, dtype=np.int64)
    for codes in data.start_pass():
        add_earlier(codes[order], firsts[order], factors, total)
    weighed: FloatArray = total / unit
    return weighed


def relabel_to_rule(rule: MostRule, data: StreamData, clusters: BaseClusters) -> FloatArray:
    """Return the assignment of each base cluster to the clusters of a rule, (sum of k_i, K); takes a pass."""
    from consclust.numerics.kernels.stream_kernels import count_labels

    counts = np.zeros((len(clusters.weights), rule.n_labels), dtype=np.int64)
    for codes in data.start_pass():
        count_labels(codes, data.summary.firsts, label_codes(rule, data.indicator, codes), counts)
    shared = counts[:, counts.any(axis=0)].astype(float)
    return np.concatenate([assign_all(shared[own]) for own in clusters.slices])

"""Voting: base clusterings are relabelled by a reference, and vote."""

# SciPy is imported where needed, so that what does without it starts faster

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import NO_ROWS, Cost, OrderedMethod
from consclust.numerics.numbering import order_of_appearance
from consclust.numerics.points import LabelTable

ROUNDING = 12  # Decimals to which entropies are compared: clusterings with the same cluster sizes are equal


@dataclass(repr=False, eq=False, kw_only=True)
class Voting(OrderedMethod):
    r"""Voting: base clusterings are relabelled by a reference, and most votes decide, or the mean of cumulative votes.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    variant : {"majority", "adaptive", "fixed", "one-to-one"}, default "majority"
        How votes are counted: "adaptive", "fixed" and "one-to-one" are Ada-cVote, cVote and Ada-bVote of Ayad and
        Kamel; "majority" relabels every base clustering to the clusters of "adaptive" and takes the most votes of each
        object.
    object_order : {"given", "random"}, default "given"
        The order of base clusterings with the same entropy: as they are given, or drawn from ``random_state``.

    Attributes
    ----------
    memberships_ : ndarray, shape (n, K)
        Share of the votes of each object for each cluster, in the order of the labels; 0 for clusters beyond those that
        there are.
    reference_ : int
        The base clustering that the others are relabelled by.
    order_ : ndarray of int, shape (m,)
        The order in which the base clusterings vote, the reference first.
    losses_ : ndarray
        Mutual information of objects and clusters, in nats, that each merging of two clusters loses.

    Notes
    -----
    With :math:`U_i` the indicator matrix of clustering :math:`i`, :math:`n \times k_i`, and :math:`R` the memberships
    in the clusters of a reference, :math:`n \times k_0`, each cluster distributes its vote over those of the reference
    in proportion to the objects that they share (cumulative voting, the least-squares regression of :math:`R` on
    :math:`U_i`; Ayad and Kamel 2008, 2010):

    .. math:: V_i = U_i W_i, \quad W_i = (U_i^\top U_i)^{-1} U_i^\top R. \tag{1}

    The reference is the clustering of the greatest entropy among those with K clusters or more; the others follow by
    decreasing entropy. *fixed*: :math:`R` is the reference, and the result the mean of all :math:`V_i`. *adaptive*: the
    result is the running mean, and each clustering is relabelled by the mean so far,

    .. math:: R \leftarrow \frac{j R + V_i}{j + 1}, \quad j = 0, 1, \dots \tag{2}

    *one-to-one*: as adaptive, but :math:`W_i` is the assignment of clusters to clusters with the greatest total overlap
    :math:`U_i^\top R`. Clusters that are left over cast no vote.

    The :math:`k_0` columns are merged to K: always the two whose merging loses least mutual information :math:`I` of
    objects and clusters. With :math:`p(p, c) = R_{pc} / n`, :math:`p(c)` its sum over the objects, and :math:`h(x) = x
    \log x`, the loss for :math:`a` and :math:`b` is

    .. math:: \sum_p [h(p(p, a)) + h(p(p, b)) - h(p(p, a) + p(p, b))] - [h(p(a)) + h(p(b)) - h(p(a) + p(b))], \tag{3}

    which is :math:`p(a) + p(b)` times the Jensen-Shannon divergence of the two columns. An object's label is the column
    of its greatest membership, the first of equal ones.

    *majority*: every base clustering is relabelled to the result of "adaptive", by the assignment of the greatest total
    overlap; a cluster that is left over joins the one that it shares most objects with. Cumulative votes of clusterings
    that differ much are nearly equal for all clusters, which is why this is the default.

    A cluster may win no object, and if no clustering has K clusters, there are at most those of the one with most.

    A missing label counts as the expected one, by its probabilities. With an ignored label a clustering does not vote
    for the object, and the mean of an object is that of its own votes; an object without any has the mean of all.

    Exact on profiles. Takes O(n' m k_0 + n' k_0^2) time and O(n' k_0) memory. The assignment of the greatest overlap
    need not be unique, and the order of clusterings with the same entropy matters.

    Examples
    --------
    >>> from consclust.methods import Voting
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> voting = Voting(n_clusters=2).fit(labels)
    >>> voting.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> voting.reference_  # it has three clusters, two of which are merged
    1
    """

    summary = "Majority or cumulative voting (Ayad, Kamel) of base clusterings that are relabelled by a reference."
    reference = (
        "Ayad, Kamel: Cumulative voting consensus method for partitions with variable number of clusters. IEEE TPAMI "
        "30(1), 2008. Ayad, Kamel: On voting-based consensus of cluster ensembles. Pattern Recognition 43(5), 2010. "
        "Dudoit, Fridlyand: Bagging to improve the accuracy of a clustering procedure. Bioinformatics 19(9), 2003."
    )
    cost = Cost(0.05, 2e-9, 0, profile_matrices=0, linear=5e-7)

    variant: Literal["majority", "adaptive", "fixed", "one-to-one"] = "majority"

    def _fit(self, ensemble: Ensemble) -> None:
        ballots = Ballots.make(ensemble)
        self.order_ = order_by_entropy(ensemble, self.n_clusters, self._draw_order(ensemble.n_clusterings))
        self.reference_ = int(self.order_[0])
        memberships = self._vote(ballots)
        if self.variant == "majority":
            labels = sort_columns(memberships, ensemble.membership).argmax(axis=1)
            memberships = ballots.spread_over_all(count_majority(ballots, labels))
        memberships = sort_columns(memberships, ensemble.membership)
        self._set_only_labels(memberships.argmax(axis=1), ensemble.membership)
        n_missing = self.n_clusters - memberships.shape[1]
        self._memberships = np.pad(memberships, ((0, 0), (0, n_missing)))

    def _vote(self, ballots: "Ballots") -> FloatArray:
        """Return the mean votes in K clusters, shape (n', K)."""
        if self.variant == "fixed":
            votes = count_fixed(ballots, self.order_)
        else:
            relabel = assign_one_to_one if self.variant == "one-to-one" else normalise
            votes = count_adaptive(ballots, self.order_, relabel)
        merging = merge(ballots.spread_over_all(votes), ballots.weights, self.n_clusters)
        self.losses_ = np.array(merging.losses)
        return merging.memberships

    @property
    def memberships_(self) -> FloatArray:
        """Share of the votes of each object for each cluster, shape (n, K)."""
        self._require_fitted()
        if not hasattr(self, "_memberships"):
            raise AttributeError(f"memberships_: {NO_ROWS}")
        return self._memberships[self._membership]


@dataclass(frozen=True)
class Ballots:
    """The indicator matrices of the base clusterings over the profiles."""

    clusterings: list[Any]  # A csr_array of shape (n', k_i) for each
    weights: FloatArray  # Objects of each profile, shape (n',)

    @classmethod
    def make(cls, ensemble: Ensemble) -> "Ballots":
        """Take the profiles of an ensemble."""
        columns = ensemble.expected_indicator.tocsc()
        ends = np.cumsum(ensemble.n_clusters)
        parts = zip(ends - ensemble.n_clusters, ends, strict=True)
        return cls([columns[:, first:end].tocsr() for first, end in parts], ensemble.weights.astype(float))

    def find_overlaps(self, clustering: int, memberships: FloatArray) -> FloatArray:
        """Return the objects that the clusters of a clustering share with those of ``memberships``, (k_i, k_0)."""
        overlaps: FloatArray = self.clusterings[clustering].T @ (self.weights[:, None] * memberships)
        return overlaps

    def spread_over_all(self, votes: FloatArray) -> FloatArray:
        """Return the shares of the votes, (n', k_0); a profile without a vote has the mean of the others."""
        shares = normalise(votes)
        has_none = ~votes.any(axis=1)
        if has_none.any():
            shares[has_none] = (self.weights @ shares) / self.weights[~has_none].sum()
        return shares


def order_by_entropy(ensemble: Ensemble, n_clusters: int, order: IntArray) -> IntArray:
    """Return the base clusterings by decreasing entropy, the reference first, shape (m,).

    Equal entropies are in the given ``order``. The reference is the first with ``n_clusters`` clusters, or the first of
    those with most if none has.
    """
    table = LabelTable.make(ensemble)
    shares = table.shares()
    entropies = -table.total(shares * np.log(shares)).round(ROUNDING)
    by_entropy = order[np.argsort(-entropies[order], kind="stable")]
    sizes = ensemble.n_clusters[by_entropy]
    place = int(np.argmax(sizes >= min(n_clusters, sizes.max())))
    return np.concatenate([by_entropy[place : place + 1], np.delete(by_entropy, place)])


def sort_columns(memberships: FloatArray, membership: IntArray) -> FloatArray:
    """Return memberships of the profiles, (n', K), with columns in the order in which the objects have their labels.

    ``membership``, (n,), is the profile of each object.
    """
    labels = memberships.argmax(axis=1)
    order = order_of_appearance(labels[membership], memberships.shape[1])
    return memberships[:, order]


def assign_one_to_one(overlaps: FloatArray) -> FloatArray:
    """Return the assignment of the greatest total overlap as a matrix of 0 and 1, (k_i, k_0)."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(overlaps, maximize=True)
    assigned = np.zeros_like(overlaps)
    assigned[rows, columns] = 1.0
    return assigned


def count_fixed(ballots: Ballots, order: IntArray) -> FloatArray:
    """Return the sum of the votes of all clusterings, relabelled by the first one as in (1), shape (n', k_0)."""
    reference: FloatArray = ballots.clusterings[order[0]].toarray()
    votes = np.zeros_like(reference)
    for clustering in order:
        votes += ballots.clusterings[clustering] @ normalise(ballots.find_overlaps(clustering, reference))
    return votes


def count_adaptive(ballots: Ballots, order: IntArray, relabel: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return the running mean of the votes, each clustering relabelled by the mean so far, shape (n', k_0).

    ``relabel`` makes W of the overlaps, (k_i, k_0). The mean of a profile is that of the clusterings that label it.
    """
    mean: FloatArray = ballots.clusterings[order[0]].toarray()
    n_votes = mean.any(axis=1).astype(float)
    for clustering in order[1:]:
        own = ballots.clusterings[clustering]
        votes = own @ relabel(ballots.find_overlaps(clustering, mean))
        labelled = np.asarray(own.sum(axis=1)).ravel() > 0
        before = n_votes.copy()
        n_votes += labelled
        mean *= np.divide(before, n_votes, out=np.zeros_like(before), where=n_votes > 0)[:, None]
        mean += votes / np.maximum(n_votes, 1.0)[:, None]
    return mean


class Merging(NamedTuple):
    """Columns merged to K."""

    memberships: FloatArray  # Shape (n', K)
    losses: list[float]
    groups: list[list[int]]  # The columns that each has been merged from


def merge(memberships: FloatArray, weights: FloatArray, n_clusters: int) -> Merging:
    """Merge the two columns of (n', k_0) that lose least mutual information, equation (3), until K remain.

    A column of zeros is left out. A merged column stands in the place of its first one.
    """
    groups = [[int(number)] for number in np.flatnonzero(memberships.any(axis=0))]
    joint = [memberships[:, group[0]] * weights / weights.sum() for group in groups]
    information = [find_information(column) for column in joint]
    losses = {}
    for left in range(len(groups)):
        for right in range(left + 1, len(groups)):
            losses[left, right] = find_loss(joint, information, left, right)
    path: list[float] = []
    while len(groups) - len(path) > n_clusters:
        (left, right), loss = min(losses.items(), key=lambda pair: (pair[1], pair[0]))
        path.append(loss)
        groups[left] = groups[left] + groups[right]
        joint[left] = joint[left] + joint[right]
        information[left] = find_information(joint[left])
        losses = {pair: loss for pair, loss in losses.items() if right not in pair}
        for pair in losses:
            if left in pair:
                losses[pair] = find_loss(joint, information, *pair)
        groups[right] = []
    kept = [group for group in groups if group]
    merged = np.column_stack([memberships[:, group].sum(axis=1) for group in kept])
    return Merging(merged, path, kept)


def find_information(column: FloatArray) -> float:
    """Return the sum of h over a column of p(p, c), less h of its sum, h(x) = x log x."""
    from scipy.special import xlogy

    total = column.sum()
    return float(xlogy(column, column).sum() - xlogy(total, total))


def find_loss(joint: list[FloatArray], information: list[float], left: int, right: int) -> float:
    """Return the mutual information that is lost if two columns are merged, equation (3)."""
    return information[left] + information[right] - find_information(joint[left] + joint[right])


def count_majority(ballots: Ballots, labels: IntArray) -> FloatArray:
    """Return the votes of the clusterings, relabelled to clusters with ``labels``, (n',), shape (n', K)."""
    reference: FloatArray = np.eye(labels.max() + 1)[labels]
    votes = np.zeros_like(reference)
    for clustering, own in enumerate(ballots.clusterings):
        votes += own @ assign_all(ballots.find_overlaps(clustering, reference))
    return votes


def assign_all(overlaps: FloatArray) -> FloatArray:
    """Return the assignment of the greatest total overlap, (k_i, K); rows left over go to their greatest overlap."""
    assigned = assign_one_to_one(overlaps)
    left_over = np.flatnonzero(~assigned.any(axis=1))
    assigned[left_over, overlaps[left_over].argmax(axis=1)] = 1.0
    return assigned


def normalise(rows: FloatArray) -> FloatArray:
    """Return rows divided by their sums; rows of zeros stay."""
    totals = rows.sum(axis=1, keepdims=True)
    shares: FloatArray = np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0)
    return shares

"""Coalitions: groups of base clusterings that agree within and not between.

A consensus of such groups may be a compromise that none supports, or follow the largest one, which may be wrong.
"""

# SciPy is imported where needed, so that what does without it starts faster

from collections.abc import Sequence
from itertools import combinations
from math import ceil, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.ensembles import ROUNDING, count_pairs, sum_over_tables
from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray, as_ensemble

LEAST_MEMBERS = 3
"""A group has so many base clusterings at least."""
LEAST_SHARE = 0.15
"""It has such a share of them too: of many random ones, some three agree by chance."""

LEAST_SEPARATION = 0.75
"""From this score on there are coalitions; how it was chosen is said at :func:`coalitions`."""

LEAST_COMMON = 4
"""Members are compared on so many common objects at least: fewer say nothing beyond chance."""
LEAST_KNOWN = 0.5
"""Of the pairs of members of a group, or of two groups, such a share can be compared."""

DEVIATIONS = 5.0
"""By so many standard deviations of the agreement of independent clusterings a group must agree."""

Flags = npt.NDArray[np.bool_]


class Coalitions(NamedTuple):
    """Whether an ensemble has groups of base clusterings that agree within and not between, and which."""

    found: bool
    """Whether there are such groups."""
    score: float
    """The largest separation of two groups, in [0, 1]; NaN with fewer than six base clusterings that count."""
    groups: tuple[IntArray, ...]
    """Numbers of the base clusterings of each group, from 0, the largest group first; none if nothing is found."""
    agreement: FloatArray
    """Mean agreement of the members of every two groups, and within each on the diagonal, shape (groups, groups)."""


def coalitions(labels: npt.ArrayLike | Ensemble) -> Coalitions:
    r"""Return whether there are groups of base clusterings that agree within and not between.

    The agreement of two base clusterings is the number of pairs of objects that both join, beyond chance, over the most
    that it can be given the sizes of their clusters: the adjusted Rand index with the smaller count in place of the
    mean. It is 1 if one refines the other, so that different numbers of clusters make no coalitions. Groups are nodes
    of the tree by average linkage. With W and B for the mean agreement within and between, the separation of two
    disjoint groups is

    .. math:: 1 - B / \min(W_1, W_2),

    at least 0. It is 1 if members of different groups agree as independent clusterings do, and near 0 if all agree
    alike, however much. The score is the largest separation of two groups.

    A group has three members and 15 % of all at least, and agrees within by more than five standard deviations of the
    agreement of independent clusterings. So clusterings that agree with no other, such as random ones, are in no group,
    and one group beside them is no coalition. A base clustering of one cluster agrees with none. Further groups are
    added while they are far from all others.

    Members that have fewer than four objects in common, or of which one has a single cluster there, cannot be compared.
    Such pairs count neither within nor between groups, and groups of which less than half of the pairs can be compared
    are none, and not apart.

    There are coalitions from a separation of 0.75 on, for a rate of false alarms of at most 5 %: of 408 clean
    ensembles of 6 to 60 k-means clusterings of 17 data sets, 1 % have more; of 240 clean ones of 24 data sets in the
    study robustness, 5 %: 13, of which ten are those of a set of faces (extyaleb). Where base clusterings are random
    solutions of data without clusters, false alarms are more frequent. Which of the groups is right is not said: the
    larger one may be wrong. Takes O(n' m^2 + m^3) time for n' distinct profiles and m base clusterings.

    Parameters
    ----------
    labels : array-like of int, shape (n, m), or Ensemble
        Base clusterings; -1 marks a missing object.

    Returns
    -------
    Coalitions

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.diagnostics import coalitions
    >>> one = np.arange(60) // 20
    >>> other = np.arange(60) % 3
    >>> found = coalitions(np.column_stack([one, one, one, one, other, other, other]))
    >>> found.found, [group.tolist() for group in found.groups]
    (True, [[0, 1, 2, 3], [4, 5, 6]])
    >>> found.agreement.round(2)
    array([[ 1.  , -0.03],
           [-0.03,  1.  ]])
    """
    ensemble = as_ensemble(labels)
    found = _agree(ensemble)
    counted = np.flatnonzero(np.isfinite(found.values).sum(axis=1) > 1)
    m = len(counted)
    least = max(LEAST_MEMBERS, ceil(LEAST_SHARE * m))
    if m < 2 * least:
        return Coalitions(False, nan, (), np.zeros((0, 0)))
    agreement, deviations = (matrix[np.ix_(counted, counted)] for matrix in found)
    tree = _list_nodes(agreement)
    tree = tree[tree.sum(axis=1) >= least]
    within = np.array([_mean_within(agreement, node) for node in tree])
    by_chance = np.array([_mean_within(deviations, node) for node in tree])
    above_chance = within > DEVIATIONS * by_chance
    tree = tree[above_chance]
    within = within[above_chance]
    separation = _separate(agreement, tree, within)
    score = float(np.clip(separation.max(initial=0.0), 0.0, 1.0))
    if score < LEAST_SEPARATION:
        return Coalitions(False, score, (), np.zeros((0, 0)))
    chosen = _choose_groups(tree, within, separation)
    return Coalitions(True, score, tuple(counted[group] for group in chosen), _agree_between(agreement, chosen))


class _Agreement(NamedTuple):
    """How every two members agree beyond chance, and the standard deviation of that by chance, each (m, m).

    NaN for two that cannot be compared.
    """

    values: FloatArray
    deviations: FloatArray


def _agree(ensemble: Ensemble) -> _Agreement:
    """Return the agreement of every two members: 1 if one refines the other, 0 as expected of independent ones.

    Over the pairs of objects, the adjusted Rand index (Hubert, Arabie 1985) divides joint pairs beyond chance by the
    mean of those of both clusterings; here it is the smaller number. So clusterings of few and of many clusters agree
    if they are nested, where the ARI is small.
    """
    sums = sum_over_tables(ensemble, count_pairs)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = sums.rows * sums.rows.T / count_pairs(sums.objects)
        most = np.minimum(sums.rows, sums.rows.T) - expected
        # of two clusterings, one of a single cluster or of single objects has no joint pairs beyond chance
        is_known = (sums.objects >= LEAST_COMMON) & (most > ROUNDING * count_pairs(sums.objects))
        values = np.where(is_known, (sums.cells - expected) / most, nan)
        deviations = np.where(is_known, _deviate_by_chance(ensemble, sums.objects) / most, nan)
    np.fill_diagonal(values, 1.0)
    return _Agreement(values, deviations)


def _deviate_by_chance(ensemble: Ensemble, n: FloatArray) -> FloatArray:
    """Return the standard deviation of the joint pairs of objects of two independent members, (m, m).

    Given the sizes of the clusters (Fowlkes, Mallows: Journal of the American Statistical Association 78, 1983).
    ``n`` are the objects that both contain, (m, m); of a member that lacks some, the clusters lose alike.
    """
    of_pairs, of_triples = np.zeros((2, ensemble.n_clusterings))
    for member, codes in enumerate(ensemble.profiles.T):
        present = codes != MISSING
        sizes = np.bincount(codes[present], ensemble.weights[present])
        n_present = float(sizes.sum())
        # the probability that two, or three, random objects are in one cluster
        of_pairs[member] = (sizes * (sizes - 1)).sum() / max(n_present * (n_present - 1), 1)
        triples = (sizes * (sizes - 1) * (sizes - 2)).sum()
        of_triples[member] = triples / max(n_present * (n_present - 1) * (n_present - 2), 1)
    first = of_pairs[:, None] * n * (n - 1)
    first_triples = of_triples[:, None] * n * (n - 1) * (n - 2)
    second = first.T
    second_triples = first_triples.T
    # P, P' and Q, Q' of the paper; each unordered pair counts twice in them
    variance = (
        2 * first * second / (n * (n - 1))
        + 4 * first_triples * second_triples / (n * (n - 1) * (n - 2))
        + (first**2 - 2 * first - 4 * first_triples)
        * (second**2 - 2 * second - 4 * second_triples)
        / (n * (n - 1) * (n - 2) * (n - 3))
        - (first * second / (n * (n - 1))) ** 2
    )
    deviations: FloatArray = np.sqrt(np.maximum(variance, 0.0)) / 2
    return deviations


def describe_coalitions(found: Coalitions) -> str:
    """Return in a sentence whether there are coalitions, and what that means."""
    if np.isnan(found.score):
        least = f"{2 * LEAST_MEMBERS} base clusterings of more than one cluster"
        return f"Coalitions were not looked for: they need at least {least}."
    separation = f"separation {found.score:.2f}, of at most 1; coalitions from {LEAST_SEPARATION:.2f} on"
    if not found.found:
        return f"The base clusterings have no coalitions ({separation})."
    groups = f"{len(found.groups)} groups of base clusterings agree within and not between ({separation})"
    return f"Coalitions: {groups}. The consensus may follow the largest group, which need not be right."


def list_coalitions(found: Coalitions, names: Sequence[str]) -> list[dict[str, str | int | float]]:
    """Return a row for each group: number, size, mean agreement within, the largest with another, and its members."""
    rows: list[dict[str, str | int | float]] = []
    for number, group in enumerate(found.groups):
        others = np.delete(found.agreement[number], number)
        rows.append(
            {
                "group": number + 1,
                "size": len(group),
                "within": float(found.agreement[number, number]),
                "between": float(others.max()),
                "clusterings": ", ".join(str(names[member]) for member in group),
            }
        )
    return rows


def _list_nodes(agreement: FloatArray) -> Flags:
    """Return the members of the nodes of the tree by average linkage, (2 m - 1, m); its leaves come first."""
    from scipy.cluster.hierarchy import linkage

    m = len(agreement)
    # an agreement by chance may be below 0
    distances = np.maximum(1.0 - agreement[np.triu_indices(m, 1)], 0.0)
    # what is not known draws members neither together nor apart
    distances = np.nan_to_num(distances, nan=float(np.nanmean(distances)))
    nodes = np.zeros((2 * m - 1, m), dtype=bool)
    nodes[:m] = np.eye(m, dtype=bool)
    for number, (first, second) in enumerate(linkage(distances, method="average")[:, :2].astype(int), start=m):
        nodes[number] = nodes[first] | nodes[second]
    return nodes


def _mean_within(agreement: FloatArray, node: Flags) -> float:
    """Return the mean agreement of different members of a group, as far as it is known; 0 if it mostly is not."""
    inside = agreement[np.ix_(node, node)]
    pairs = inside[np.triu_indices(len(inside), 1)]
    return _mean_known(pairs) if np.isfinite(pairs).mean() >= LEAST_KNOWN else 0.0


def _mean_known(values: FloatArray) -> float:
    """Return the mean of the values that are known; NaN if none is."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else nan


def _separate(agreement: FloatArray, tree: Flags, within: FloatArray) -> FloatArray:
    """Return the separation of every two groups, 0 where they share a member, or where it is mostly unknown."""
    members = tree.astype(float)
    sizes = members.sum(axis=1)
    is_known = np.isfinite(agreement)
    known = members @ is_known @ members.T
    between = members @ np.where(is_known, agreement, 0.0) @ members.T / np.maximum(known, 1)
    separation: FloatArray = 1.0 - between / np.minimum.outer(within, within)
    is_apart = (members @ members.T == 0) & (known >= LEAST_KNOWN * np.outer(sizes, sizes))
    separation[~is_apart] = 0.0
    return separation


def _choose_groups(tree: Flags, within: FloatArray, separation: FloatArray) -> list[IntArray]:
    """Return the groups, each as the numbers of its members, the largest first.

    Of the pairs that are far enough apart the one with the most agreement: its members, each with the mean agreement in
    its group. So a group takes in what agrees with it, and leaves out what agrees with nobody.
    """
    mass = tree.sum(axis=1) * within
    pairs = np.argwhere(np.triu(separation >= LEAST_SEPARATION))
    first, second = pairs[np.argmax(mass[pairs].sum(axis=1))]
    chosen = [int(first), int(second)]
    for node in np.argsort(-mass, kind="stable"):
        if (separation[node, chosen] >= LEAST_SEPARATION).all():
            chosen.append(int(node))
    groups = [np.flatnonzero(tree[node]) for node in chosen]
    return sorted(groups, key=lambda group: (-len(group), int(group[0])))


def _agree_between(agreement: FloatArray, groups: list[IntArray]) -> FloatArray:
    """Return the mean agreement between groups, and within each on the diagonal, (groups, groups)."""
    means = np.zeros((len(groups), len(groups)))
    for i, group in enumerate(groups):
        inside = np.zeros(len(agreement), dtype=bool)
        inside[group] = True
        means[i, i] = _mean_within(agreement, inside)
    for i, j in combinations(range(len(groups)), 2):
        means[i, j] = means[j, i] = _mean_known(agreement[np.ix_(groups[i], groups[j])])
    return means

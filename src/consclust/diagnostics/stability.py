"""How stable is the consensus: the values of the consensus matrix, by pair, object and cluster.

The consensus matrix M is the co-association matrix: M_ij is the share of the clusterings with both objects that join
them. Where there is none the pair was not seen, and no mean or share counts it. Nothing here forms the matrix over all
objects. n is the number of objects, m that of clusterings, n' that of distinct label profiles, K that of consensus
clusters. Missing labels are supported.
"""

# SciPy and compiled kernels are imported where needed, so that what does without them starts faster

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.pairs import (
    MOST_PAIRS,
    SAMPLE,
    Pairs,
    full_rows,
    half_width,
    is_exact,
    n_pairs,
    one_cluster_each,
    require_at_least,
    some_pairs,
)
from consclust.diagnostics.streamed import draw_pairs
from consclust.ensemble import Ensemble, FloatArray, IntArray, as_ensemble
from consclust.methods.streamed.fits import gather
from consclust.numerics.gram import check_labelled, summarise
from consclust.stream import StreamedEnsemble

FUZZ = 1e-7  # Of the width of a bin: R's hist counts what exceeds an edge by less as below it


@dataclass(frozen=True, eq=False)
class ConsensusValues:
    """Distribution of the consensus values over the pairs of different objects.

    Attributes
    ----------
    joined, containing : ndarray of int, shape (d,)
        Clusterings that join a pair, and those that contain it.
    pairs : ndarray of int, shape (d,)
        Pairs of objects with these two numbers.
    exact : bool
        Whether all pairs of objects are counted, and not a sample.

    Notes
    -----
    All but ``unseen`` is over the pairs that a clustering contains; NaN if there is none.
    """

    joined: IntArray
    containing: IntArray
    pairs: IntArray
    exact: bool

    @property
    def values(self) -> FloatArray:
        """Consensus value of each row of the table, shape (d,); NaN of pairs that no clustering contains."""
        with np.errstate(invalid="ignore"):
            values: FloatArray = self.joined / self.containing
        return values

    @property
    def unseen(self) -> float:
        """Share of the pairs that no clustering contains."""
        return float(self.pairs[self.containing == 0].sum() / self.pairs.sum())

    @property
    def _seen(self) -> tuple[FloatArray, IntArray]:
        """Values of the pairs that were seen, and the numbers of these."""
        seen = self.containing > 0
        return self.values[seen], self.pairs[seen]

    def half_width(self, confidence: float = 0.95) -> float:
        """Return the half-width of the band for the distribution function (see :func:`half_width`); 0 if exact.

        The band holds for :meth:`cdf` at all points at once, and for :meth:`area`; :meth:`pac` and :meth:`stable` are
        differences of two values of the function, so that theirs is twice as wide.
        """
        return 0.0 if self.exact else half_width(int(self.pairs[self.containing > 0].sum()), confidence)

    def standard_error(self, share: npt.ArrayLike) -> FloatArray:
        """Return the standard error of a share of the pairs, such as :meth:`pac` or :meth:`cdf`; 0 if exact.

        That of a mean of independent draws, the root of share (1 - share) / draws, of the shape of ``share``.
        """
        shares = np.asarray(share, dtype=float)
        if self.exact:
            return np.zeros_like(shares)
        errors: FloatArray = np.sqrt(shares * (1 - shares) / self.pairs[self.containing > 0].sum())
        return errors

    def cdf(self, at: npt.ArrayLike) -> FloatArray:
        """Return the share of the pairs whose value is at most ``at``, of its shape (Monti et al. 2003)."""
        values, pairs = self._seen
        if len(pairs) == 0:
            return np.full(np.shape(at), np.nan)
        order = np.argsort(values, kind="stable")
        below = np.concatenate([[0], np.cumsum(pairs[order])]) / pairs.sum()
        shares: FloatArray = below[np.searchsorted(values[order], at, side="right")]
        return shares

    def area(self, bins: int | None = None) -> float:
        """Return the area under the distribution function over [0, 1]: 1 less the mean value.

        With ``bins``, the sum over so many bins of equal width of the function at their upper edges, divided by their
        number; 100 in the R package ConsensusClusterPlus. Raises ValueError for fewer than one bin.
        """
        if bins is not None and bins < 1:
            raise ValueError(f"bins = {bins}: must be at least 1, or None for the exact area")
        values, pairs = self._seen
        if len(pairs) == 0:
            return nan
        if bins is None:
            return float(1 - values @ pairs / pairs.sum())
        bin_of = np.clip(np.ceil(values * bins - FUZZ).astype(np.int64) - 1, 0, bins - 1)
        return float(np.cumsum(np.bincount(bin_of, pairs, bins)).mean() / pairs.sum())

    def pac(self, lower: float = 0.1, upper: float = 0.9) -> float:
        """Return the proportion of ambiguous clustering: the share of the pairs with a value in (lower, upper].

        Source: Șenbabaoğlu, Michailidis, Li: Scientific Reports 4, 2014. Raises ValueError unless lower < upper.
        """
        if not lower < upper:
            raise ValueError(f"lower = {lower}, upper = {upper}: lower must be less than upper")
        below, above = self.cdf([lower, upper])
        return float(above - below)

    def stable(self, tolerance: float = 0.0) -> float:
        """Return the share of stable pairs: those with a value of at most ``tolerance``, or of at least 1 less that.

        By default these are the pairs on which all clusterings agree. Raises ValueError for a tolerance outside
        [0, 1/2).
        """
        if not 0 <= tolerance < 0.5:
            raise ValueError(f"tolerance = {tolerance}: must be in [0, 0.5)")
        values, pairs = self._seen
        if len(pairs) == 0:
            return nan
        agreed = (values <= tolerance) | (values >= 1 - tolerance)
        return float(pairs[agreed].sum() / pairs.sum())


def consensus_values(
    labels: npt.ArrayLike | Ensemble | StreamedEnsemble,
    *,
    most_pairs: float = MOST_PAIRS,
    sample: int = SAMPLE,
    random_state: Any = 0,
) -> ConsensusValues:
    """Count the pairs of different objects by the clusterings that join them and those that contain them.

    Exact if there are at most ``most_pairs`` pairs of profiles, in O(n'^2 m) time and O(m^2) memory; else from
    ``sample`` pairs of objects, drawn with replacement, in O(n m + sample m): see :meth:`ConsensusValues.half_width`.
    ``most_pairs=inf`` always counts all. Missing labels are supported. Raises ValueError for fewer than two objects,
    and as :class:`~consclust.ensemble.Ensemble`.

    Of a stream of more than 2^20 objects the same pairs are drawn, in two passes that keep their labels alone;
    ValueError if ``most_pairs`` requires all.

    Source: Monti, Tamayo, Mesirov, Golub: Machine Learning 52, 2003.

    Examples
    --------
    >>> from consclust.diagnostics import consensus_values
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> values = consensus_values(labels)
    >>> values.cdf([0.0, 0.5, 1.0]).round(2), round(values.pac(), 2)
    (array([0.33, 0.73, 1.  ]), 0.6)
    """
    if isinstance(labels, StreamedEnsemble):
        return _values_of_stream(labels, most_pairs, sample, random_state)
    ensemble = as_ensemble(labels)
    _require_pair(ensemble)
    pairs = some_pairs(ensemble, most_pairs, sample, random_state)
    return _count_values(pairs, ensemble.n_clusterings, is_exact(ensemble, most_pairs))


def _values_of_stream(stream: StreamedEnsemble, most_pairs: float, sample: int, random_state: Any) -> ConsensusValues:
    """Count pairs of a stream: as of an ensemble if the first pass has kept all objects, else of a sample."""
    summary = summarise(stream)
    check_labelled(summary)
    if summary.is_whole:
        ensemble = gather(summary, stream)
        return consensus_values(ensemble, most_pairs=most_pairs, sample=sample, random_state=random_state)
    n = summary.n_objects
    if n_pairs(n) <= most_pairs:
        what = f"most_pairs = {most_pairs}: the {n_pairs(n):,} pairs of a stream are counted by a sample alone"
        raise ValueError(f"{what}; give less, or the objects of a sample as an Ensemble")
    require_at_least(1, "sample", sample)
    pairs = draw_pairs(stream, n, sample, np.random.default_rng(random_state))
    return _count_values(pairs, stream.n_clusterings, is_exact=False)


def _count_values(blocks: Iterable[Pairs], m: int, is_exact: bool) -> ConsensusValues:
    """Count pairs by the clusterings, of m, that join them and those that contain them."""
    table = np.zeros((m + 1) ** 2)
    for pairs in blocks:
        joined, containing = pairs.counts()
        code = joined.astype(np.int64) * (m + 1) + containing
        table += np.bincount(code.ravel(), pairs.weights.ravel(), len(table))
    found = np.flatnonzero(table)
    joined, containing = np.divmod(found, m + 1)
    return ConsensusValues(joined, containing, table[found].astype(np.int64), is_exact)


def delta_area(areas: npt.ArrayLike) -> FloatArray:
    """Return the relative increase of the area under the distribution function from each k to the next.

    ``areas`` has an area for each k, in increasing order, shape (k's,), as the result has; the first stays as it is
    (Monti et al. 2003, as in ConsensusClusterPlus). NaN or infinite after an area of 0.

    Examples
    --------
    >>> from consclust.diagnostics import delta_area
    >>> delta_area([0.4, 0.5, 0.55]).round(2)
    array([0.4 , 0.25, 0.1 ])
    """
    areas = np.asarray(areas, dtype=float)
    if areas.ndim != 1:
        raise ValueError(f"areas must be a number for each k, got shape {areas.shape}")
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.concatenate([areas[:1], np.diff(areas) / areas[:-1]])


def item_consensus(
    labels: npt.ArrayLike | Ensemble,
    clusters: npt.ArrayLike,
    *,
    most_pairs: float = MOST_PAIRS,
    sample: int = 100,
    random_state: Any = 0,
) -> FloatArray:
    """Return the mean consensus value of each object with the other objects of each cluster, shape (n, K).

    ``clusters`` are the labels of the consensus, (n,); the columns are in their sorted order. The mean is over the
    objects that a clustering contains beside it; NaN if there is none, as with the cluster that it is alone in (Monti
    et al. 2003).

    Without missing labels it is exact, in O(n m K) time, since it is linear in the indicator matrix. With some it is
    exact if there are at most ``most_pairs`` pairs of profiles, in O(n'^2 (m + K)); else the mean over ``sample``
    random members of each cluster (all of a smaller one) in O(n' K sample m): each entry is within
    ``half_width(sample, confidence)`` of the exact one with that probability. O(n K) memory. Raises ValueError if
    ``clusters`` does not give each object a cluster.

    Examples
    --------
    >>> from consclust.diagnostics import item_consensus
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> item_consensus(labels, [0, 0, 0, 1, 1, 1]).round(2)
    array([[0.67, 0.  ],
           [0.5 , 0.22],
           [0.5 , 0.28],
           [0.22, 0.83],
           [0.17, 0.75],
           [0.11, 0.58]])
    """
    ensemble = as_ensemble(labels)
    own, sizes = one_cluster_each(clusters, ensemble.n_objects)
    if ensemble.has_missing and not is_exact(ensemble, most_pairs):
        require_at_least(1, "sample", sample)
        return _sample_item_consensus(ensemble, own, sizes, sample, np.random.default_rng(random_state))
    of_profiles, seen = _sum_over_clusters(ensemble, own, sizes)
    sums, others = of_profiles[ensemble.membership], seen[ensemble.membership]
    everyone = np.arange(len(own))
    sums[everyone, own] -= 1  # an object's consensus with itself
    others[everyone, own] -= 1
    return _divide(sums, others)


def _sum_over_clusters(ensemble: Ensemble, own: IntArray, sizes: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the sum of the consensus values of each profile with the objects of each cluster, and their number.

    Both have shape (n', K), and count the objects that a clustering contains beside the profile.
    """
    from scipy.sparse import coo_array

    shape = (ensemble.n_profiles, len(sizes))
    members = coo_array((np.ones(len(own)), (ensemble.membership, own)), shape=shape)
    if not ensemble.has_missing:
        z = ensemble.sparse_indicator
        sums: FloatArray = z @ (z.T @ members.tocsr()).toarray() / ensemble.n_clusterings
        return sums, np.tile(sizes.astype(float), (ensemble.n_profiles, 1))
    dense = members.toarray()
    blocks = [(values @ dense, seen @ dense) for _, values, seen in full_rows(ensemble)]
    return np.concatenate([values for values, _ in blocks]), np.concatenate([seen for _, seen in blocks])


def _sample_item_consensus(
    ensemble: Ensemble, own: IntArray, sizes: IntArray, sample: int, rng: np.random.Generator
) -> FloatArray:
    """Return the item consensus by random members of each cluster, (n, K)."""
    result = np.empty((len(own), len(sizes)))
    for cluster, size in enumerate(sizes):
        members = np.flatnonzero(own == cluster)
        chosen = members if size <= sample else np.sort(rng.choice(members, sample, replace=False))
        blocks = [
            (values.sum(axis=1), seen.sum(axis=1))
            for _, values, seen in full_rows(ensemble, ensemble.membership[chosen])
        ]
        sums, others = (np.concatenate(part)[ensemble.membership] for part in zip(*blocks, strict=True))
        sums[chosen] -= 1
        others[chosen] -= 1
        result[:, cluster] = _divide(sums, others)
    return result


def cluster_consensus(items: FloatArray, clusters: npt.ArrayLike) -> FloatArray:
    """Return the mean consensus value of the pairs of objects in each cluster, (K,); NaN for a single object.

    Where some pairs were not seen, the mean over the objects of their means. ``items`` is the
    :func:`item_consensus` with ``clusters``, (n, K). O(n) time (Monti et al. 2003). Raises ValueError if
    ``clusters`` does not give each object a cluster.

    Examples
    --------
    >>> from consclust.diagnostics import cluster_consensus, item_consensus
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> clusters = [0, 0, 0, 1, 1, 1]
    >>> cluster_consensus(item_consensus(labels, clusters), clusters).round(2)
    array([0.56, 0.72])
    """
    items, own, sizes = _check_items(items, clusters)
    values = items[np.arange(len(own)), own]
    known = ~np.isnan(values)
    counts = np.bincount(own, known, len(sizes))
    return _divide(np.bincount(own, np.where(known, values, 0.0), len(sizes)), np.where(sizes > 1, counts, 0))


def consensus_silhouette(items: FloatArray, clusters: npt.ArrayLike) -> FloatArray:
    """Return the silhouette of each object on the distances 1 - M, shape (n,).

    ``items`` is the :func:`item_consensus` with ``clusters``, (n, K), whose complement is the mean distance a to an
    object's own cluster and b to the nearest other one; (b - a) / max(a, b), and 0 for an object alone in its cluster
    or if a = b; NaN for one that was seen with none of its cluster, or with none of the others. O(n K) time. Raises
    ValueError for fewer than two clusters, and if ``clusters`` does not give each object a cluster.

    Source: Rousseeuw: Journal of Computational and Applied Mathematics 20, 1987; on M as in the R package cola.

    Examples
    --------
    >>> from consclust.diagnostics import consensus_silhouette, item_consensus
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> clusters = [0, 0, 0, 1, 1, 1]
    >>> consensus_silhouette(item_consensus(labels, clusters), clusters).round(2)
    array([0.67, 0.36, 0.31, 0.79, 0.7 , 0.53])
    """
    items, own, sizes = _check_items(items, clusters)
    if len(sizes) < 2:
        raise ValueError("a silhouette needs at least two clusters")
    everyone = np.arange(len(own))
    distances = 1 - items
    a = np.where(sizes[own] > 1, distances[everyone, own], 0.0)
    distances[everyone, own] = np.nan
    b = np.fmin.reduce(distances, axis=1)
    return np.where(sizes[own] > 1, (b - a) / np.where(a == b, 1.0, np.maximum(a, b)), 0.0)


class _Items(NamedTuple):
    """Item consensus, and the clusters that it is of."""

    consensus: FloatArray  # Shape (n, K)
    own: IntArray  # Cluster of each object, 0..K-1, (n,)
    sizes: IntArray  # Of the clusters, (K,)


def _check_items(items: npt.ArrayLike, clusters: npt.ArrayLike) -> _Items:
    """Return the consensus of the objects with the clusters; ValueError unless both fit."""
    matrix = np.asarray(items, dtype=float)
    own, sizes = one_cluster_each(clusters, matrix.shape[0] if matrix.ndim else 0)
    if matrix.shape != (len(own), len(sizes)):
        raise ValueError(f"items must be the item_consensus with these {len(sizes)} clusters, got shape {matrix.shape}")
    return _Items(matrix, own, sizes)


def cophenetic_correlation(
    labels: npt.ArrayLike | Ensemble, *, most_profiles: int = 5000, random_state: Any = 0
) -> float:
    r"""Return the correlation of the distances 1 - M of all pairs with the heights at which average linkage joins them.

    Since a merge of the clusters A and B is at the mean distance of their pairs, the distances d and the heights h have
    one mean, and the sum of d h is that of h^2. The correlation is therefore the ratio of two standard deviations,

    .. math:: \sqrt{\operatorname{var} h / \operatorname{var} d}.

    O(n'^2 m) time and 8 n'^2 bytes. With more than ``most_profiles`` profiles it is that of a random sample of so many
    objects, without a band. Of tied merges those of objects with one profile come first; other choices may give another
    tree and another correlation. A pair that no clustering contains has the mean distance of the others. NaN if all
    distances are equal. Raises ValueError for fewer than two objects or profiles.

    Source: Sokal, Rohlf: Taxon 11, 1962; as a criterion for k, Brunet, Tamayo, Golub, Mesirov: PNAS 101, 2004.

    Examples
    --------
    >>> from consclust.diagnostics import cophenetic_correlation
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]
    >>> round(cophenetic_correlation(labels), 2)
    0.84
    """
    from consclust.numerics.kernels.linkage_kernels import AVERAGE, chain

    ensemble = as_ensemble(labels)
    _require_pair(ensemble)
    require_at_least(2, "most_profiles", most_profiles)
    if ensemble.n_profiles > most_profiles:
        chosen = np.random.default_rng(random_state).choice(ensemble.n_objects, most_profiles, replace=False)
        ensemble = keep_objects(ensemble, chosen)
    n = ensemble.n_objects
    sizes = ensemble.weights.astype(float)
    distances = np.empty((len(sizes), len(sizes)))
    unseen = np.zeros(distances.shape, dtype=bool)
    for rows, values, seen in full_rows(ensemble):
        np.subtract(1, values, out=distances[rows])
        unseen[rows] = seen == 0
    if unseen.any():
        distances[unseen] = _mean_distance(distances, ~unseen, sizes)
    mean = sizes @ distances @ sizes / (n * (n - 1))
    spread = sizes @ [(row - mean) ** 2 @ sizes for row in distances] - n * mean**2  # the distance to itself is no pair
    if not spread > 0:
        return float("nan")
    merges, heights = chain(distances, sizes.copy(), AVERAGE)
    joined = _count_joined(merges, sizes)
    own = n_pairs(n) - joined.sum()  # pairs with one profile, joined at height 0
    of_heights = joined @ (heights - mean) ** 2 + own * mean**2
    return float(np.sqrt(2 * of_heights / spread))


def _mean_distance(distances: FloatArray, seen: npt.NDArray[np.bool_], sizes: FloatArray) -> float:
    """Return the mean distance of the pairs of objects that were seen; that of an object to itself is 0."""
    n_seen = sizes @ seen @ sizes - sizes.sum()
    return float(sizes @ np.where(seen, distances, 0.0) @ sizes / max(n_seen, 1.0))


def _count_joined(merges: IntArray, sizes: FloatArray) -> FloatArray:
    """Return the pairs of objects that a merge of :func:`~consclust.numerics.kernels.linkage_kernels.chain` joins."""
    held = sizes.copy()
    between = np.empty(len(merges))
    for step, (x, y) in enumerate(merges):
        between[step] = held[x] * held[y]
        held[y] += held[x]
    return between


class Tracking(NamedTuple):
    """The objects' clusters over k, under names that stay from one k to the next where the clusters do."""

    names: IntArray  # Shape (k's, n)
    moved: FloatArray  # Share of the objects with another name than at the k before, shape (k's,); NaN at the first


def track_items(labelings: Sequence[npt.ArrayLike]) -> Tracking:
    """Follow the objects over the consensus clusterings of increasing k, each of shape (n,).

    The clusters of a k take the names of those of the k before by the one-to-one matching with the most objects in
    common (Hungarian method); clusters without a match, or with one that shares no object, take new names. In the
    manner of the tracking plot of ConsensusClusterPlus, whose colours match by largest shares. O(n + K^3) for each k.
    Raises ValueError without a labeling, and for one that does not give each object a cluster.

    Examples
    --------
    >>> from consclust.diagnostics import track_items
    >>> track_items([[0, 0, 1, 1], [2, 2, 0, 1]]).names
    array([[0, 0, 1, 1],
           [0, 0, 1, 2]])
    """
    from scipy.optimize import linear_sum_assignment

    if not len(labelings):
        raise ValueError("there is no labeling; give at least one")
    n = np.size(labelings[0])
    names = np.empty((len(labelings), n), dtype=np.int64)
    names[0] = one_cluster_each(labelings[0], n)[0]
    unused = 0
    for row, labels in enumerate(labelings[1:], start=1):
        now, sizes = one_cluster_each(labels, n)
        unused = max(unused, int(names[row - 1].max()) + 1)  # names that have not occurred begin here
        shared = np.zeros((unused, len(sizes)))
        np.add.at(shared, (names[row - 1], now), 1)
        new = np.full(len(sizes), -1)
        for before, after in zip(*linear_sum_assignment(shared, maximize=True), strict=True):
            if shared[before, after]:
                new[after] = before
        without = new < 0
        new[without] = unused + np.arange(without.sum())
        names[row] = new[now]
        unused += int(without.sum())
    return Tracking(names, np.concatenate([[np.nan], (names[1:] != names[:-1]).mean(axis=1)]))


def _divide(sums: npt.NDArray[Any], counts: npt.NDArray[Any]) -> FloatArray:
    """Divide; NaN where nothing is counted."""
    ratio: FloatArray = np.divide(sums, counts, out=np.full(np.shape(sums), np.nan), where=counts > 0)
    return ratio


def keep_objects(ensemble: Ensemble, objects: IntArray) -> Ensemble:
    """Return the ensemble of some of the objects, without the clusterings that contain none of them."""
    labels = ensemble.profiles[ensemble.membership[objects]]
    return Ensemble(labels[:, contain_any(ensemble, objects)], ensemble.missing)


def contain_any(ensemble: Ensemble, objects: IntArray) -> npt.NDArray[np.bool_]:
    """Return whether each clustering contains one of the objects at least."""
    result: npt.NDArray[np.bool_] = np.any(ensemble.profiles[ensemble.membership[objects]] >= 0, axis=0)
    return result


def _require_pair(ensemble: Ensemble) -> None:
    if ensemble.n_objects < 2:
        raise ValueError("there is no pair of objects; give at least two objects")

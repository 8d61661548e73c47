"""Similarity matrices of the objects, computed from the base clusterings alone.

For i != j each depends on two objects through their label profiles only, so a function here returns the (n', n') matrix
over the profiles, in double precision (less would make and break ties). Its diagonal is the similarity of two
*different* objects with one profile; that of an object with itself is 1 unless said otherwise, and
:func:`over_objects` puts it in.

With missing labels each works on the expected ones (:attr:`~consclust.Ensemble.expected_indicator`), unless the
ensemble's ``missing`` is "ignored": then a sum over clusterings is divided by the number O of those that contain both
objects.

Sources: co-association, Fred, Jain: TPAMI 27(6), 2005; HC, Jia, Tao, Wang, Wang: TNNLS 2023; ECI and LWCA, Huang, Wang,
Lai: Trans. Cybernetics 48(5), 2018; PTS, Huang, Lai, Wang: TKDE 28(5), 2016; cluster trajectories and ECPCS, Huang,
Wang, Peng, Lai, Kwoh: Trans. SMC: Systems 51(1), 2021.
"""

# SciPy is imported where needed, so that what does without it starts faster

from collections.abc import Iterator
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray

CACHED = 2**18  # Numbers of a block of columns
# How many times the base clusters outnumber the profiles where equal ones are merged before they are compared. Accepted
# labels were found without that, with up to 2.3 times as many.
MANY = 3
MOST_STEPS = 20  # The authors' program of PTA takes no more elite neighbours, and no more steps, of itself


def over_objects(ensemble: Ensemble, profile_matrix: FloatArray, diagonal: float = 1.0) -> FloatArray:
    """Return the matrix over objects, shape (n, n), of one over profiles, shape (n', n')."""
    matrix = ensemble.expand(profile_matrix)
    np.fill_diagonal(matrix, diagonal)
    return matrix


def co_occurrence(ensemble: Ensemble) -> FloatArray:
    """Return the co-association matrix N / O: the share of the clusterings with both objects that join them.

    With missing labels it is the share to be expected, see :attr:`~consclust.Ensemble.expected_coassociation`.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.similarity import co_occurrence
    >>> ensemble = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> co_occurrence(ensemble).round(2)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    return ensemble.expected_coassociation


def hc(ensemble: Ensemble, alpha: float = 0.8) -> FloatArray:
    """Return the high-confidence matrix: the co-association matrix where it is at least alpha, else 0, (n', n').

    The paper recommends alpha = 0.8 and also uses 0.7 and 0.75; above 1 the matrix is 0. An object with itself: 0, as
    in the authors' program; the paper leaves it at 1.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.similarity import hc
    >>> ensemble = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> hc(ensemble).round(2)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    together = co_occurrence(ensemble)
    return np.where(together >= alpha, together, 0.0)


def eci(ensemble: Ensemble, theta: float = 0.4) -> FloatArray:
    r"""Return the ensemble-driven cluster index: how undivided the clusterings leave each base cluster.

    .. math:: ECI(c) = \exp(-H(c) / (\theta m)), \quad H(c) = -\sum_j \sum_{q \in j} p \log_2 p, \quad
        p = |c \cap q| / |c|

    with q the clusters of clustering j; in (0, 1], in the order of ``Ensemble.indicator``, (sum of k_i,). The paper's
    theta is 0.4; it finds any in [0.2, 1] to do, and large ones make every index 1. With missing labels p is the share
    of those objects of c that clustering j contains, and m the number of clusterings that contain any of them.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.similarity import eci
    >>> ensemble = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> eci(ensemble).round(2)
    array([0.29, 1.  , 1.  , 0.29])
    """
    from scipy.special import entr

    firsts = np.cumsum(ensemble.n_clusters) - ensemble.n_clusters
    mean_entropy = np.empty(int(ensemble.n_clusters.sum()))
    for here, common in ensemble.overlap_rows():
        seen = np.add.reduceat(common, firsts, axis=1)
        share = common / np.maximum(np.repeat(seen, ensemble.n_clusters, axis=1), 1)
        mean_entropy[here] = entr(share).sum(axis=1) / np.log(2) / (seen > 0).sum(axis=1)
    index: FloatArray = np.exp(-mean_entropy / theta)
    return index


def lwca(ensemble: Ensemble, theta: float = 0.4) -> FloatArray:
    r"""Return the locally weighted co-association matrix: shared clusters count by their index :func:`eci`.

    .. math:: A_{pq} = \frac{1}{O_{pq}} \sum_{c \ni p, q} ECI(c)

    with O the clusterings that contain both. In [0, 1], nowhere above the co-association matrix, (n', n').

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.similarity import lwca
    >>> ensemble = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> lwca(ensemble).round(2)
    array([[0.64, 0.14, 0.  ],
           [0.14, 0.29, 0.14],
           [0.  , 0.14, 0.64]])
    """
    indicator = ensemble.expected_indicator.toarray()
    return ensemble.share_of_clusterings((indicator * eci(ensemble, theta)) @ indicator.T)


def pts(
    ensemble: Ensemble, n_neighbours: int | None = None, n_steps: int | None = None, loops: bool = False
) -> FloatArray:
    r"""Return the probability trajectory similarity of the profiles ("microclusters"), in [0, 1], (n', n').

    A random walk steps from profile to profile, from i to j in proportion to :math:`r_j V_{ij}`: r counts the objects
    of a profile, V is the co-association matrix without its diagonal, cut down to the elite neighbours. Two profiles
    are as similar as the distributions over 1, .., T steps of walks from them:

    .. math:: PTS_{ij} = G_{ij} / \sqrt{G_{ii} G_{jj}}, \quad G = \sum_{t=1}^T Q^t (Q^t)^\top

    with Q the matrix of transition probabilities.

    Parameters
    ----------
    n_neighbours : int >= 1, optional
        Elite neighbours, K in the paper: V_ij stays if it is among the K largest of row i or of row j (the zero
        diagonal is one entry of a row; all that tie with the K-th stay). Default: floor(sqrt(n') / 2), but at most 20,
        as in the authors' program and the tables of EC-CMS; the paper finds [sqrt(n') / 5, sqrt(n')] to do, without
        limit.
    n_steps : int >= 1, optional
        Steps, T in the paper; default and range as for ``n_neighbours``.
    loops : bool, default False
        Whether the diagonal of V stays, so that the walk may also step to an object with the same profile. The paper's
        walk has none: two profiles that are each other's only neighbour are never at the same place, and their
        similarity is 0.

    Notes
    -----
    G is built as Q (I + G) Q', T times over: two products with the sparse Q a step, and not a power of it, which is
    dense. O(T n'^2 E) for E links of a profile on average; four (n', n') matrices beside the co-association matrix.

    The authors' program gives 1e-20 to a profile without neighbours, also with itself. Here it is 0 with the others and
    1 with itself; in double precision PTA's distances are the same.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.similarity import pts
    >>> ensemble = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> pts(ensemble).round(2)
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    from scipy.sparse import csr_array

    customary = customary_steps(ensemble.n_profiles)
    links = _elite(co_occurrence(ensemble), n_neighbours or customary)
    if loops:
        np.fill_diagonal(links, 1.0)
    walk = csr_array(_row_normalised(links * ensemble.weights))
    return _trajectory_similarity(walk, n_steps or customary)


def pts_links(ensemble: Ensemble, n_neighbours: int | None = None, n_steps: int | None = None) -> FloatArray:
    r"""Return the mean :func:`pts` of each profile and the profiles of each base cluster, (n', sum of k_i).

    Without an (n', n') matrix: with x the indicators of the clusters, divided by the sizes and the lengths
    :math:`\sqrt{G_{ii}}`, the sum of :math:`Q^t (Q^t)^\top x` takes 2 T products of the sparse Q; the lengths come from
    the rows of the Q^t, some at a time. O(T n'^2 E) time, half of that of :func:`pts`; O(n' (E + sum of k_i)) memory.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.similarity import pts_links
    >>> ensemble = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> pts_links(ensemble).round(2)
    array([[0.5, 1. , 1. , 0.5],
           [0.5, 0. , 0. , 0.5],
           [0.5, 1. , 1. , 0.5]])
    """
    n_steps = n_steps or customary_steps(ensemble.n_profiles)
    walk = _elite_walk(ensemble, n_neighbours or customary_steps(ensemble.n_profiles))
    length = _lengths(walk, n_steps)
    alone = length == 0
    length[alone] = 1.0
    z = ensemble.sparse_indicator
    shares = z.multiply(1 / z.sum(axis=0)).tocsc()
    back, links = walk.T.tocsr(), np.empty(z.shape)
    for here in _blocks(*z.shape):
        reached = [shares[:, here].toarray() / length[:, None]]
        for _ in range(n_steps):
            reached.append(back @ reached[-1])
        total = walk @ reached.pop()
        for step in reached[:0:-1]:
            total = walk @ (total + step)
        links[:, here] = total / length[:, None]
    links[alone] = shares.tocsr()[alone].toarray()  # one is like itself and like no other
    return links


def customary_steps(n_profiles: int) -> int:
    """Return the default number of elite neighbours, and of steps, of :func:`pts`."""
    return min(max(1, isqrt(n_profiles) // 2), MOST_STEPS)


def cluster_trajectories(ensemble: Ensemble, n_steps: int = 20) -> FloatArray:
    r"""Return the similarity of base clusters by random walks of T steps over their Jaccard graph.

    .. math:: Z_{ab} = G_{ab} / \sqrt{G_{aa} G_{bb}}, \quad G = \sum_{t=1}^T Q^t (Q^t)^\top

    with Q the Jaccard indices without diagonal, rows scaled to sum 1; in [0, 1], symmetric, diagonal 1. The paper's T
    is 20; more change little. A cluster that meets no other has 0 beside the diagonal.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.similarity import cluster_trajectories
    >>> ensemble = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> cluster_trajectories(ensemble).round(2)
    array([[1.  , 0.95, 0.  , 0.  ],
           [0.95, 1.  , 0.  , 0.  ],
           [0.  , 0.  , 1.  , 0.95],
           [0.  , 0.  , 0.95, 1.  ]])
    """
    if not _has_many_clusters(ensemble):
        return _trajectory_similarity(_row_normalised(jaccard(ensemble)), n_steps)
    merged = _merged_trajectories(ensemble, n_steps)
    similarity = merged.similarity[np.ix_(merged.place, merged.place)]
    same = np.flatnonzero(np.bincount(merged.place) > 1)
    for cluster in same:
        copies = np.flatnonzero(merged.place == cluster)
        similarity[np.ix_(copies, copies)] = merged.of_copies[cluster]
    np.fill_diagonal(similarity, 1.0)
    return similarity


def ecpcs(ensemble: Ensemble, n_steps: int = 20) -> FloatArray:
    r"""Return the enhanced co-association matrix: objects in similar clusters are similar too, (n', n').

    .. math:: ECA_{pq} = \frac{1}{O_{pq}} \sum_j Z_{c_j(p), c_j(q)}

    with Z of :func:`cluster_trajectories`, c_j(p) the cluster of p in clustering j, and O the clusterings that contain
    both. In [0, 1], nowhere below the co-association matrix.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.similarity import ecpcs
    >>> ensemble = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> ecpcs(ensemble).round(2)
    array([[1.  , 0.97, 0.95],
           [0.97, 1.  , 0.97],
           [0.95, 0.97, 1.  ]])
    """
    if _has_many_clusters(ensemble):
        return ensemble.share_of_clusterings(_sum_within(ensemble, _merged_trajectories(ensemble, n_steps)))
    clustering = np.repeat(np.arange(ensemble.n_clusterings), ensemble.n_clusters)
    within = np.where(clustering[:, None] == clustering, cluster_trajectories(ensemble, n_steps), 0.0)
    indicator = ensemble.expected_indicator.toarray()
    return ensemble.share_of_clusterings(indicator @ within @ indicator.T)


def jaccard(ensemble: Ensemble) -> FloatArray:
    """Return the Jaccard index of every two base clusters, shape (sum of k_i, sum of k_i), zero diagonal.

    With expected labels it is the expected number of common members by that of the members of either: an object is in
    two clusters by the product of the probabilities, and never in two of one clustering.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.similarity import jaccard
    >>> ensemble = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> jaccard(ensemble).round(2)
    array([[0.  , 0.  , 0.5 , 0.33],
           [0.  , 0.  , 0.  , 0.5 ],
           [0.5 , 0.  , 0.  , 0.  ],
           [0.33, 0.5 , 0.  , 0.  ]])
    """
    n_clusters = int(ensemble.n_clusters.sum())
    index = np.empty((n_clusters, n_clusters))
    for here, rows in jaccard_rows(ensemble):
        index[here] = rows
    return index


def jaccard_rows(ensemble: Ensemble, order: IntArray | None = None) -> Iterator[tuple[slice, FloatArray]]:
    """Yield some rows of :func:`jaccard` after the other, with their place, so that all need no memory at once.

    ``order`` has the base clusters in another order.
    """
    z = ensemble.expected_indicator if order is None else ensemble.expected_indicator[:, order]
    sizes = z.T @ ensemble.weights
    clustering = np.repeat(np.arange(ensemble.n_clusterings), ensemble.n_clusters)
    clustering = clustering if order is None else clustering[order]
    for here, common in ensemble.overlap_rows(z):
        if ensemble.counts_expected:
            common[clustering[here, None] == clustering] = 0.0
        union = sizes[here, None] + sizes
        union -= common
        common /= union
        common[np.arange(len(common)), np.arange(len(sizes))[here]] = 0.0
        yield here, common


def collapse(indicator: Any, meta_labels: IntArray, n_clusters: int) -> FloatArray:
    """Return the mean indicator of each meta-cluster, shape (n', K), of a dense or sparse one; zero if it is empty."""
    belongs = (meta_labels[:, None] == np.arange(n_clusters)).astype(float)
    # one division of whole numbers: equal shares are equal floats, so that ties are seen
    mean: FloatArray = (indicator @ belongs) / np.maximum(belongs.sum(axis=0), 1)
    return mean


def _elite(similarity: FloatArray, n_neighbours: int) -> FloatArray:
    """Keep what is among the largest of its row or of its column; zero diagonal."""
    links = similarity.copy()
    np.fill_diagonal(links, 0.0)
    rank = max(len(links) - n_neighbours, 0)
    least = np.partition(links, rank, axis=1)[:, rank]
    links[links < np.minimum(least[:, None], least)] = 0.0
    return links


def _elite_walk(ensemble: Ensemble, n_neighbours: int) -> Any:
    """Return the transition probabilities of :func:`pts`, a csr_array of shape (n', n'), from some rows at a time.

    With expected labels from the whole matrix, as nearly every pair has a share.
    """
    from scipy.sparse import csr_array, diags_array, vstack

    if ensemble.counts_expected:
        return csr_array(_row_normalised(_elite(co_occurrence(ensemble), n_neighbours) * ensemble.weights))
    z, n = ensemble.sparse_indicator, ensemble.n_profiles
    present = csr_array((ensemble.profiles >= 0).astype(float)) if ensemble.has_missing else None
    rank, nearest = max(n - n_neighbours, 0), []
    for here in _blocks(n, n):
        links = (z[here] @ z.T).toarray()
        links /= ensemble.n_clusterings if present is None else np.maximum((present[here] @ present.T).toarray(), 1)
        links[np.arange(len(links)), np.arange(n)[here]] = 0.0
        links[links < np.partition(links, rank, axis=1)[:, rank, None]] = 0.0
        nearest.append(csr_array(links))
    rows = vstack(nearest, format="csr")
    walk = rows.maximum(rows.T) * ensemble.weights
    total = walk.sum(axis=1)
    return csr_array(diags_array(1 / np.where(total > 0, total, 1.0)) @ walk)


def _lengths(walk: Any, n_steps: int) -> FloatArray:
    """Return the lengths of the rows of (Q, Q^2, .., Q^T) side by side, from some rows at a time."""
    back, squares = walk.T.tocsr(), np.zeros(walk.shape[0])
    for here in _blocks(*walk.shape):
        reached = walk[here].T.toarray()
        for step in range(n_steps):
            reached = back @ reached if step else reached
            squares[here] += np.einsum("ij,ij->j", reached, reached)
    return np.sqrt(squares)


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield slices of the columns of a matrix, as many at a time as fit into the cache of a processor."""
    size = max(1, CACHED // n_rows)
    for first in range(0, n_columns, size):
        yield slice(first, first + size)


def _row_normalised(matrix: FloatArray) -> FloatArray:
    """Scale rows to sum 1; a zero row stays."""
    total = matrix.sum(axis=1, keepdims=True)
    return matrix / np.where(total > 0, total, 1.0)


def _has_many_clusters(ensemble: Ensemble) -> bool:
    """Whether there are so many base clusters that equal ones are merged before they are compared.

    Not with expected labels: clusters of the same objects may be expected to have different further ones.
    """
    return int(ensemble.n_clusters.sum()) > MANY * ensemble.n_profiles and not ensemble.counts_expected


class _Merged(NamedTuple):
    """Similarity of base clusters by random walks, where those of the same objects, copies, are merged into one."""

    place: IntArray  # Merged cluster of each base cluster, shape (sum of k_i,)
    similarity: FloatArray  # Of two different merged clusters; diagonal 1
    of_copies: FloatArray  # Of two copies in each merged cluster


def _merged_trajectories(ensemble: Ensemble, n_steps: int) -> _Merged:
    r"""Return what :func:`cluster_trajectories` has, from the different base clusters.

    With mu_A copies of a cluster A and d_A the sum of a row of J, a walk from one of them is in A or beside it by

    .. math:: P_{AB} = \mu_B J_{AB} / d_A, \quad P_{AA} = (\mu_A - 1) / d_A,

    spread evenly over copies, but for (-1 / d_A)^t times the difference of its start from an even spread.
    """
    clusters = np.packbits(ensemble.indicator.astype(bool), axis=0).T
    _, first, place, copies = np.unique(clusters, axis=0, return_index=True, return_inverse=True, return_counts=True)
    z = ensemble.sparse_indicator[:, first]
    common = (ensemble.scaled_indicator(ensemble.weights)[:, first].T @ z).toarray()
    sizes = common.diagonal().copy()
    index = common / (sizes[:, None] + sizes - common)
    index.flat[:: len(index) + 1] -= 1 / copies  # of the pairs in A, those of a cluster with itself are none
    degree = index @ copies
    degree[degree == 0] = 1.0
    root = np.sqrt(copies)
    index *= root
    index *= (root / degree)[:, None]
    inner = _doubled(index, n_steps)
    inner /= root
    inner /= root[:, None]
    apart = np.sum([degree ** (-2.0 * t) for t in range(1, n_steps + 1)], axis=0)
    squares = inner.diagonal() + apart * (1 - 1 / copies)
    of_copies = (inner.diagonal() - apart / copies) / np.where(squares > 0, squares, 1.0)
    return _Merged(place.ravel(), _cosines(inner, np.sqrt(squares)), of_copies)


def _sum_within(ensemble: Ensemble, merged: _Merged) -> FloatArray:
    """Return the sum over clusterings of the similarity of the clusters that two profiles are in, (n', n')."""
    total = np.zeros((ensemble.n_profiles, ensemble.n_profiles))
    last = np.cumsum(ensemble.n_clusters)
    for labels, stop, k in zip(ensemble.profiles.T, last, ensemble.n_clusters, strict=True):
        present = np.flatnonzero(labels != MISSING)
        own = merged.place[stop - k + labels[present]]
        total[np.ix_(present, present)] += merged.similarity[np.ix_(own, own)]
    return total


def _trajectory_similarity(transition: Any, n_steps: int) -> FloatArray:
    """Cosine of the rows of (Q, Q^2, .., Q^T) side by side, for Q dense or sparse."""
    inner = _doubled(transition, n_steps) if isinstance(transition, np.ndarray) else _stepped(transition, n_steps)
    return _cosines(inner, np.sqrt(inner.diagonal()))


def _cosines(inner: FloatArray, length: FloatArray) -> FloatArray:
    """Return the cosines of vectors from their inner products, which are overwritten, and their lengths; diagonal 1."""
    length[length == 0] = 1.0
    inner /= length[:, None]
    inner /= length
    similarity: FloatArray = inner + inner.T
    similarity /= 2
    np.minimum(similarity, 1.0, out=similarity)
    np.fill_diagonal(similarity, 1.0)
    return similarity


def _stepped(transition: Any, n_steps: int) -> FloatArray:
    """Return the sum of Q^t Q^t' over t = 1, .., T for a sparse Q, which is a factor of each of the 2 T products."""
    inner = np.zeros(transition.shape)
    for _ in range(n_steps):
        inner.flat[:: len(inner) + 1] += 1.0
        inner = transition @ (transition @ inner).T
    return inner


def _doubled(transition: FloatArray, n_steps: int) -> FloatArray:
    """Return the same sum by O(log T) products: if G is that up to t, G + Q^t G Q^t' is that up to 2 t."""
    power, inner = transition, transition @ transition.T
    for halvings in range(n_steps.bit_length() - 2, -1, -1):
        steps = n_steps >> halvings
        inner += power @ (power @ inner).T
        if halvings or steps % 2:
            power = power @ power
        if steps % 2:
            power = power @ transition
            inner += power @ power.T
    return inner

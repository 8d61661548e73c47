"""HBGF: hybrid bipartite graph formulation, the normalised cut of the graph of objects and base clusters."""

# SciPy and scikit-learn are imported where needed, so that what does without them starts faster

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import ConsensusMethod, Cost
from consclust.numerics.spectral import scale_to_unit_length
from consclust.numerics.tcut import tcut_labels
from consclust.plurals import count

MAX_ITER = 200  # Rounds of k-means of "spectral", as in the program of Fern and Brodley


@dataclass(repr=False, eq=False, kw_only=True)
class HBGF(ConsensusMethod):
    r"""Normalised cut of the bipartite graph of objects and base clusters.

    Every object is linked with each of its clusters, by edges of weight 1. The nodes, objects and clusters, are cut
    into K parts so that the sum over the parts of (weight of the edges that leave the part) / (degrees of its nodes) is
    least. The relaxed problem is solved by singular vectors, which k-means makes into clusters.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    variant : {"tcut", "spectral"}, default "tcut"
        "tcut": transfer cut, the consensus function of U-SENC and FastMICE; k-means groups the objects. "spectral": the
        program of Fern and Brodley; k-means groups objects and base clusters together.
    n_init : int, default 10
        Random starts of k-means; the published programs make 3 ("tcut") and 1 ("spectral").

    Notes
    -----
    Let :math:`B` be the indicator matrix of all clusters, :math:`n \times \sum_i k_i`, and :math:`D_x`, :math:`D_y` the
    diagonal matrices of the degrees of objects and clusters, which are the sums of the rows and the columns of
    :math:`B`. The leading singular vectors of

    .. math:: D_x^{-1/2} B D_y^{-1/2} \tag{1}

    solve the relaxed normalised cut of the bipartite graph (Fern and Brodley 2004).

    *tcut* (Li, Wu, Chang 2012; Huang et al. 2020). The :math:`K` leading eigenvectors :math:`u_k` of

    .. math:: D_y^{-1/2} W_y D_y^{-1/2}, \quad W_y = B^\top D_x^{-1} B, \tag{2}

    of :math:`\sum_i k_i` rows only, are carried over to the objects,

    .. math:: F = D_x^{-1} B D_y^{-1/2} (u_1, \dots, u_K), \tag{3}

    and k-means groups the rows of :math:`F`, each scaled to length 1. The eigenvalues of (2) are the squared singular
    values of (1). LWGP is the same with other weights of the edges; its weights are equal for an infinite ``theta``.

    *spectral*. The :math:`K` leading singular vectors of :math:`B D_y^{-1/2}` are taken, left ones for the objects and
    right ones for the clusters, each row scaled to length 1. For complete labels they are those of (1). k-means starts
    at a random object, and then at the object with the least sum of absolute products with the starts so far.

    Both are exact on profiles: all sums count a profile as often as objects have it. An expected label is an edge whose
    weight is its probability, and an ignored one is no edge. If the graph has more than K components, they have the
    same eigenvalue, and which of them are joined is arbitrary: ``note_`` says so.

    Examples
    --------
    >>> from consclust.methods import HBGF
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> HBGF(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Normalised cut of the bipartite graph of objects and base clusters."
    reference = (
        "Fern, Brodley: Solving cluster ensemble problems by bipartite graph partitioning. ICML 2004. Huang, Wang, Wu, "
        "Lai, Kwoh: Ultra-scalable spectral clustering and ensemble clustering. IEEE TKDE 32(6), 2020. Li, Wu, Chang: "
        "Segmentation using superpixels: a bipartite graph partitioning approach. CVPR 2012."
    )
    cost = Cost(0.4, 1e-8, 0, profile_matrices=0, linear=8e-7, clusters=1e-9)

    variant: Literal["tcut", "spectral"] = "tcut"
    n_init: int = 10

    def _fit(self, ensemble: Ensemble) -> None:
        links = ensemble.expected_indicator
        cut = tcut_labels if self.variant == "tcut" else spectral_labels
        labels, costs = cut(links, ensemble.weights, self.n_clusters, self.n_init, self._rng())
        self._set_labels(labels, costs, ensemble.membership)
        self.note_ = self._note_components(ensemble)

    def _note_components(self, ensemble: Ensemble) -> str:
        """Return a remark on a graph of more components than clusters; a complete clustering has a cluster of each."""
        is_possible = ensemble.has_missing or ensemble.n_clusters.min() > self.n_clusters
        parts = count_components(ensemble.expected_indicator) if is_possible else 0
        if not parts > self.n_clusters > 1:
            return ""
        return f"the base clusterings agree on {count(parts, 'part')}; which of them are joined is arbitrary"


def count_components(links: Any) -> int:
    """Return the number of components of the graph of profiles and clusters, from its links, (n', sum of k_i)."""
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    graph = block_array([[None, links], [links.T, None]], format="csr")
    return int(connected_components(graph, directed=False, return_labels=False))


def spectral_labels(
    links: Any, weights: IntArray, n_clusters: int, n_init: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Cluster profiles and base clusters together; return the labels of the profiles, (n_init, n'), and inertia.

    ``links`` are the indicator matrix, a csr_array of shape (n', sum of k_i), and ``weights`` the objects of each
    profile, (n',).
    """
    _, objects, clusters = embed_both_sides(links, weights, n_clusters)
    chances = weights / weights.sum()
    firsts = rng.choice(len(weights), size=n_init, p=chances)
    runs = [cluster_both_sides(objects, clusters, weights, n_clusters, int(first)) for first in firsts]
    labels = np.stack([of_both[: len(weights)] for of_both, _ in runs])
    return labels, np.array([inertia for _, inertia in runs])


def embed_both_sides(links: Any, weights: IntArray, n_clusters: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the leading singular values of B D_y^-1/2 and its singular vectors, in rows of length 1.

    The matrix is that of the objects: ``weights``, (n',), of them share a row. The vectors have shapes (n', k) and
    (sum of k_i, k), where k is K, or less where the rank is lower.
    """
    sizes = links.T @ weights
    scaled = links.copy()
    scaled.data *= np.repeat(np.sqrt(weights), np.diff(links.indptr)) / np.sqrt(sizes)[links.indices]
    few = scaled.shape[0] < scaled.shape[1]
    gram = (scaled @ scaled.T if few else scaled.T @ scaled).toarray()
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    values = values[::-1][:n_clusters]
    is_zero = values <= len(gram) * np.finfo(float).eps * values[0]
    singular = np.sqrt(values[~is_zero])
    own = vectors[:, ::-1][:, : len(singular)]
    other = ((scaled.T if few else scaled) @ own) / singular
    profiles, clusters = (own, other) if few else (other.copy(), own.copy())
    rows = profiles / np.sqrt(weights)[:, None]
    scale_to_unit_length(rows, np.sqrt(weights))
    scale_to_unit_length(clusters, np.ones(len(clusters)))
    return singular, rows, clusters


def cluster_both_sides(
    objects: FloatArray, clusters: FloatArray, weights: IntArray, n_clusters: int, first: int
) -> tuple[IntArray, float]:
    """Run k-means on the rows of objects and clusters from spread objects; return all labels and the inertia."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    starts = spread_starts(objects, n_clusters, first)
    kmeans = KMeans(n_clusters, init=objects[starts], n_init=1, max_iter=MAX_ITER, tol=0.0)
    every_weight = np.concatenate([weights, np.ones(len(clusters))])
    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        kmeans.fit(np.vstack([objects, clusters]), sample_weight=every_weight)
    return kmeans.labels_.astype(np.int64), float(kmeans.inertia_)


def spread_starts(rows: FloatArray, n_clusters: int, first: int) -> IntArray:
    """Return K rows: the first, and then always the one with the least sum of |products| with those taken."""
    taken = [first]
    overlap = np.zeros(len(rows))
    while len(taken) < n_clusters:
        overlap += np.abs(rows @ rows[taken[-1]])
        overlap[taken[-1]] = np.inf
        taken.append(int(np.argmin(overlap)))
    return np.array(taken)

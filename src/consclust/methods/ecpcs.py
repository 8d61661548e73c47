"""ECPCS: ensemble clustering by propagating cluster-wise similarities."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from consclust.ensemble import Ensemble, FloatArray
from consclust.methods.base import ConsensusMethod, Cost
from consclust.numerics.spectral import discretize, leading_eigenvectors, scale_to_unit_length
from consclust.similarity import cluster_trajectories, collapse, ecpcs

NEGLIGIBLE = 1e-6  # Similarities that the normalised cut of the authors' program takes for 0


@dataclass(repr=False, eq=False, kw_only=True)
class ECPCS(ConsensusMethod):
    """Propagate the similarity of base clusters by random walks; cluster the objects, or the clusters.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    variant : {"HC", "MC"}, default "HC"
        "HC": average linkage on the enhanced co-association matrix, cut into exactly K clusters. "MC": the normalised
        cut groups the base clusters into K meta-clusters; an object joins the one it is in most.
    n_steps : int, default 20
        Steps of the random walk, t; the paper's, more change little.
    n_init : int, default 10
        Random starts of "MC", each a rotation of Yu and Shi; the authors' program makes one.

    Notes
    -----
    "MC" may leave a meta-cluster without objects, so that there are fewer than K clusters. Ties go to the first
    meta-cluster, as in the authors' program; the paper draws at random. Both are exact on profiles: "HC" takes O(n'^2)
    time and memory for the tree of the objects. The walks take matrices over the base clusters; where these are more
    than three times as many as the profiles, over the different ones, which changes no similarity.

    Examples
    --------
    >>> from consclust.methods import ECPCS
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> ECPCS(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Propagate the similarity of base clusters by random walks; cluster the objects, or the clusters."
    reference = (
        "Huang, Wang, Peng, Lai, Kwoh: Enhanced ensemble clustering via fast propagation of cluster-wise "
        "similarities, IEEE Trans. SMC: Systems 51(1), 2021."
    )
    cost = Cost(0.03, 1e-7, 0, profile_matrices=2)

    variant: Literal["HC", "MC"] = "HC"
    n_steps: int = 20
    n_init: int = 10

    def _doubles(self, ensemble: Ensemble) -> int:
        return super()._doubles(ensemble) if self.variant == "HC" else 0

    def _fit(self, ensemble: Ensemble) -> None:
        if self.variant == "HC":
            self._set_profile_linkage_labels(ecpcs(ensemble, self.n_steps), self.n_clusters, "average")
            return
        similarity = cluster_trajectories(ensemble, self.n_steps)
        _, rows = ncut_embedding(similarity, self.n_clusters)
        once = np.ones(len(rows), dtype=np.int64)
        meta_labels, costs = discretize(rows, once, self.n_init, self._rng())
        shares = [collapse(ensemble.expected_indicator, meta, self.n_clusters) for meta in meta_labels]
        labels = np.stack([share.argmax(axis=1).astype(np.int64) for share in shares])
        self._set_labels(labels, costs, ensemble.membership)


def ncut_embedding(similarity: FloatArray, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    """Return the K largest eigenvalues of Shi and Malik's program, and the embedding in unit rows."""
    weights = np.where(similarity > NEGLIGIBLE, similarity, 0.0)
    root = 1 / np.sqrt(weights.sum(axis=1) + 1)
    weights.flat[:: len(weights) + 1] += 0.5
    weights *= np.outer(root, root)
    vectors = leading_eigenvectors(weights, n_clusters)
    values = np.einsum("ck,ck->k", vectors, weights @ vectors)
    rows = root[:, None] * vectors
    rows /= np.linalg.norm(rows, axis=0)  # the rows' directions depend on it
    scale_to_unit_length(rows, np.ones(len(rows)))
    return values, rows

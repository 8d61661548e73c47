"""EAC: evidence accumulation clustering."""

from typing import Literal

import numpy as np

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod


class EAC(ConsensusMethod):
    """Agglomerative clustering of the co-association matrix, cut into exactly K clusters.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    linkage : {"average", "single", "complete"}, default "average"
        Distance between clusters, on 1 - co-association.

    Notes
    -----
    Only m + 1 distances occur, so ties are the rule; which of the tied pairs merges first follows the order
    of the objects. The first n - K merges are taken, ties or not, so that K clusters come out.

    References
    ----------
    Fred, Jain: Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6), 2005.
    """

    def __init__(
        self, n_clusters: int, *, linkage: Literal["average", "single", "complete"] = "average"
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require_choice("linkage", "average", "single", "complete")

    def _fit(self, ensemble: Ensemble) -> None:
        from scipy.cluster.hierarchy import cut_tree, linkage

        if ensemble.n_objects == 1:
            self._set_labels(np.zeros((1, 1), dtype=np.int64), np.zeros(1), np.zeros(1, dtype=np.int64))
            return
        distance = ensemble.expand(1.0 - ensemble.coassociation)
        tree = linkage(distance[np.triu_indices_from(distance, k=1)], method=self.linkage)
        labels = cut_tree(tree, n_clusters=self.n_clusters).T.astype(np.int64)
        self._set_labels(labels, np.zeros(1), np.arange(ensemble.n_objects))

"""PTGP: probability trajectory based graph partitioning."""

from dataclasses import dataclass

import numpy as np

from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod, Cost
from consclust.numerics.tcut import tcut_labels
from consclust.similarity import customary_steps, pts_links

LINKS = 3  # Matrices of n' x sum of k_i doubles that are there at once, measured
STEPS = 12  # Doubles for each profile and elite neighbour, in the sparse matrix of the walk and its copies


@dataclass(repr=False, eq=False, kw_only=True)
class PTGP(ConsensusMethod):
    """Normalised cut of the graph of profiles and base clusters, its edges weighted by mean trajectory similarity.

    Solved by the transfer cut of Li, Wu, Chang (CVPR 2012).

    A profile ("microcluster") counts once in the graph and in k-means, however many objects have it.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    n_neighbours, n_steps : int, optional
        Elite neighbours of a profile, K in the paper (V in that of EC-CMS), and steps of the random walk, T; defaults
        and ranges as for :func:`consclust.similarity.pts`.
    n_init : int, default 10
        Random starts of k-means on the embedding; the authors' program makes 3.

    Notes
    -----
    No (n', n') matrix is made, but the walks from each profile to all others take O(n'^2) time: 2 CPU seconds for 2,600
    profiles, 32 for 9,900, about an hour for 10^5. The Gram matrix of the clusters, as for LWGP, takes O(n'), but the
    trajectories of profiles are no product of their indicators.

    Examples
    --------
    >>> from consclust.methods import PTGP
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> PTGP(n_clusters=2, random_state=0).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Normalised cut of the graph of profiles and base clusters, edges weighted by trajectory similarity."
    reference = "Huang, Lai, Wang: Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5), 2016."
    cost = Cost(0.05, 3.5e-7, 0, profile_matrices=0)

    n_neighbours: int | None = None
    n_steps: int | None = None
    n_init: int = 10

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return those of the bipartite graph and of the random walk."""
        neighbours = self.n_neighbours or customary_steps(ensemble.n_profiles)
        return ensemble.n_profiles * (LINKS * int(ensemble.n_clusters.sum()) + STEPS * neighbours)

    def _fit(self, ensemble: Ensemble) -> None:
        links = pts_links(ensemble, self.n_neighbours, self.n_steps)
        once = np.ones(ensemble.n_profiles, dtype=np.int64)
        labels, costs = tcut_labels(links, once, self.n_clusters, self.n_init, self._rng())
        self._set_labels(labels, costs, ensemble.membership)

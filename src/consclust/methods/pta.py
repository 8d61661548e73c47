"""PTA: probability trajectory accumulation."""

from dataclasses import dataclass

import numpy as np

from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod, Cost
from consclust.numerics.linkage import Linkage, linkage_labels
from consclust.similarity import pts


@dataclass(repr=False, eq=False, kw_only=True)
class PTA(ConsensusMethod):
    """Agglomerative clustering of the profiles by their trajectory similarity, cut into exactly K clusters.

    A profile ("microcluster") counts once in the linkage, however many objects have it; the random walk does weight it.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    linkage : {"average", "complete", "single"}, default "average"
        PTA-AL, PTA-CL and PTA-SL of the paper.
    n_neighbours, n_steps : int, optional
        Elite neighbours of a profile, K in the paper (V in that of EC-CMS), and steps of the random walk, T; defaults
        and ranges as for :func:`consclust.similarity.pts`.

    Examples
    --------
    >>> from consclust.methods import PTA
    >>> from consclust.testing import l30  # 8 clusterings of 3 classes of 10 objects
    >>> PTA(n_clusters=3).fit_predict(l30())
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2,
           2, 2, 2, 2, 2, 2, 2, 2])
    """

    summary = "Agglomerative clustering of the profiles by their trajectory similarity, cut into exactly K clusters."
    reference = "Huang, Lai, Wang: Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5), 2016."
    cost = Cost(0.05, 2e-7, 4e-10, profile_matrices=11)

    linkage: Linkage = "average"
    n_neighbours: int | None = None
    n_steps: int | None = None

    def _fit(self, ensemble: Ensemble) -> None:
        similarity = pts(ensemble, self.n_neighbours, self.n_steps)
        labels = linkage_labels(similarity, np.arange(len(similarity)), self.n_clusters, self.linkage)
        self._set_only_labels(labels, ensemble.membership)

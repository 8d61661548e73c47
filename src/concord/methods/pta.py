"""PTA: probability trajectory accumulation."""

import numpy as np

from concord.coassociation import pts
from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod, is_integer
from concord.methods.hierarchy import Linkage, linkage_labels


class PTA(ConsensusMethod):
    """Agglomerative clustering of the profiles by their trajectory similarity, cut into exactly K clusters.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    linkage : {"average", "complete", "single"}, default "average"
        PTA-AL, PTA-CL and PTA-SL of the paper.
    n_neighbours : int, optional
        Elite neighbours of a profile, K in the paper (V in that of EC-CMS). Default: floor(sqrt(n') / 2),
        at most 20; the paper finds [sqrt(n') / 5, sqrt(n')] to do, without that limit.
    n_steps : int, optional
        Steps of the random walk, T in the paper; default and range as for ``n_neighbours``.

    Notes
    -----
    Deterministic. A profile ("microcluster") counts once, however many objects have it, in the linkage; the
    random walk does weight it. O(T n'^2 E) for the E elite neighbours that a profile has on average.

    References
    ----------
    Huang, Lai, Wang: Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5), 2016.
    """

    def __init__(
        self,
        n_clusters: int,
        *,
        linkage: Linkage = "average",
        n_neighbours: int | None = None,
        n_steps: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.n_neighbours = n_neighbours
        self.n_steps = n_steps

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._require_choice("linkage", "average", "complete", "single")
        for name in ("n_neighbours", "n_steps"):
            value = getattr(self, name)
            self._require(name, value is None or is_integer(value, 1), "an integer >= 1, or None")

    def _fit(self, ensemble: Ensemble) -> None:
        similarity = pts(ensemble, self.n_neighbours, self.n_steps)
        labels = linkage_labels(similarity, np.arange(len(similarity)), self.n_clusters, self.linkage)
        self._set_only_labels(labels, ensemble.membership)

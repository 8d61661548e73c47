"""PAM, the k-medoids algorithm, as a clusterer of scikit-learn's kind."""

# SciPy is imported where needed, so that what does without it starts faster

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from consclust.ensemble import IntArray
from consclust.numerics.medoids import find_medoids


class PAM(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Partition around medoids of the objects' distances (Kaufman, Rousseeuw 1990), without random numbers.

    Parameters
    ----------
    n_clusters : int
    metric : str
        "manhattan", or a distance of :func:`scipy.spatial.distance.pdist`.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
    medoids_ : ndarray of int, shape (n_clusters,)
        Rows of the objects that are medoids.
    """

    def __init__(self, n_clusters: int = 8, metric: str = "euclidean") -> None:
        self.n_clusters = n_clusters
        self.metric = metric

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the objects, X of shape (n, d); the matrix of their distances, (n, n), is in memory.

        ValueError if a distance is no finite number.
        """
        from scipy.spatial.distance import pdist, squareform

        metric = "cityblock" if self.metric == "manhattan" else self.metric  # SciPy's name of it
        distances = squareform(pdist(np.asarray(X, dtype=float), metric))
        unknown = np.argwhere(~np.isfinite(distances))
        if len(unknown):
            pair = " and ".join(map(str, unknown[0].tolist()))
            remedy = "choose another metric, leave constant objects out, or scale the features"
            raise ValueError(f"PAM: objects {pair} have no finite {self.metric} distance; {remedy}")
        self.medoids_: IntArray = find_medoids(distances, self.n_clusters).items
        self.labels_: IntArray = distances[:, self.medoids_].argmin(axis=1)
        return self

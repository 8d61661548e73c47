"""One estimator from features to consensus labels: base clusterings, then a consensus method."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from consclust import ensembles, methods
from consclust.diagnostics import consensus_silhouette, item_consensus
from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.ensembles.generate import Rule, Seed, refuse_overflow, seed_of
from consclust.inference import base_labels, nearest_centroid
from consclust.methods.base import ConsensusMethod


class EnsembleClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster features by the consensus of many base clusterings.

    Parameters
    ----------
    n_clusters : int, optional
        Number of consensus clusters. Default: that of ``consensus`` if it is a method, 8 if it is a name.
    base : str, clusterer, list of strings, of clusterers or of pairs (name, clusterer), optional
        What makes the base clusterings: names of algorithms such as "agglomerative", see
        :func:`consclust.ensembles.from_algorithms`, or clusterers, see :func:`consclust.ensembles.from_estimators`.
        Default: k-means from random first centres, see :func:`consclust.ensembles.kmeans`.
    consensus : str or ConsensusMethod
        Name of a method of :mod:`consclust.methods`, with its default parameters, or a method. A method is copied; its
        seed is replaced, and its ``n_clusters`` if the one above is given.
    base_clusters : int, {"sqrt", "random", "random-fine"} or sequence of them
        Number of clusters of a base clustering if ``base`` is None or has names, as in
        :func:`consclust.ensembles.kmeans`. Default: drawn from 2 to the square root of n for each run.
    runs : int
        Runs of each clusterer in ``base``, or all runs of k-means or of the algorithms that are named.
    object_fraction, feature_fraction : float in (0, 1]
        Of the objects and of the features that a run has.
    random_state : int, Generator, RandomState or None
        Seed of base clusterings and consensus.
    n_jobs : int, optional
        Processes for the base clusterings, as in joblib. It changes no result.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Consensus labels 0..k-1, in the order in which the clusters first appear.
    ensemble_ : Ensemble
        The base clusterings, n objects in m clusterings.
    consensus_ : ConsensusMethod
        The fitted consensus method.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of str, shape (d,)
        Names of the features, if X was a data frame with such.

    Notes
    -----
    ``predict`` and ``score`` need the features of ``fit``: the estimator keeps a reference to them, and a pickled one
    contains them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consclust.clustering import EnsembleClustering
    >>> from consclust.scores import accuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> clustering = EnsembleClustering(n_clusters=3).fit(X)
    >>> accuracy(y, clustering.labels_) > 0.85
    True
    >>> clustering.predict([[5.0, 3.5, 1.5, 0.2]]) == clustering.labels_[0]
    array([ True])
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        base: Any = None,
        consensus: str | ConsensusMethod = "LWEA",
        base_clusters: Rule | Sequence[Rule] = "random",
        runs: int = 20,
        object_fraction: float = 1.0,
        feature_fraction: float = 1.0,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.base = base
        self.consensus = consensus
        self.base_clusters = base_clusters
        self.runs = runs
        self.object_fraction = object_fraction
        self.feature_fraction = feature_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Make the base clusterings and find their consensus.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n objects, d features)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For features or parameters that are not valid.
        ConsensusFailure
            If the method has no answer, such as with more clusters than distinct label profiles; a ValueError too.
        """
        self._X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        refuse_overflow(self._X)
        seed = seed_of(self.random_state)
        self.ensemble_ = self._make_base_clusterings(seed)
        self.consensus_ = self._make_method(seed)
        self.consensus_.fit(self.ensemble_, self._X if self.consensus_.uses_features() else None)
        self.labels_: IntArray = self.consensus_.labels_
        return self

    def predict(self, X: Any) -> IntArray:
        """Return the cluster of each object, also of objects that ``fit`` has not seen, shape (n,).

        A consensus method with a ``predict`` of its own decides: SSCE by the features, BCE by base labels, which are
        those of the nearest centroid in each base clustering. For the other methods it is the consensus cluster with
        the nearest centroid, which fits round clusters. An object of ``fit`` may get another label than ``labels_``.
        """
        unseen = self._check_features(X)
        if self.consensus_.predicts_from is None:
            return nearest_centroid(_dense(self._X), self.labels_, unseen)
        method: Any = self.consensus_
        known = unseen if method.predicts_from == "features" else self._assign_base_labels(unseen)
        labels: IntArray = method.predict(known)
        return labels

    def score(self, X: Any, y: Any = None) -> float:
        """Return how well the predicted clusters are separated in the eyes of the base clusterings; in [-1, 1].

        It is the mean silhouette of ``predict(X)`` on the distances 1 - M, where M_ij is the share of the base
        clusterings that give objects i and j one cluster, by the nearest centroid. No classes are used. It can compare
        values of ``n_clusters`` and consensus methods, where the base clusterings are the same, but not different base
        clusterings: equal ones would be the best. To compare numbers of clusters, the base clusterings must have
        several, as by default: those that all have one number favour it. The best score never means one cluster; see
        :func:`consclust.diagnostics.choose_k` for a test of that.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n objects, d features)
            Objects, such as those that cross-validation holds out.
        y : ignored

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If all objects are predicted to be in one cluster.
        """
        labels = self.predict(X)
        items = item_consensus(self._assign_base_labels(self._check_features(X)), labels)
        return float(consensus_silhouette(items, labels).mean())

    def _make_base_clusterings(self, seed: int) -> Ensemble:
        options: dict[str, Any] = {
            "runs": self.runs,
            "object_fraction": self.object_fraction,
            "feature_fraction": self.feature_fraction,
            "random_state": seed,
            "n_jobs": self.n_jobs,
        }
        if self.base is None:
            return ensembles.kmeans(self._X, n_clusters=self.base_clusters, **options)
        names = [self.base] if isinstance(self.base, str) else self.base
        if isinstance(names, list | tuple) and names and all(isinstance(name, str) for name in names):
            return ensembles.from_algorithms(self._X, names, n_clusters=self.base_clusters, **options)
        return ensembles.from_estimators(self.base, self._X, **options)

    def _make_method(self, seed: int) -> ConsensusMethod:
        if isinstance(self.consensus, str):
            n_clusters = 8 if self.n_clusters is None else self.n_clusters
            return methods.load(self.consensus)(n_clusters=n_clusters, random_state=seed)
        method: ConsensusMethod = clone(self.consensus).set_params(random_state=seed)
        return method if self.n_clusters is None else method.set_params(n_clusters=self.n_clusters)

    def _check_features(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return _dense(validate_data(self, X, accept_sparse="csr", reset=False))

    def _assign_base_labels(self, unseen: FloatArray) -> IntArray:
        return base_labels(_dense(self._X), self.ensemble_.given, unseen)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _dense(X: Any) -> FloatArray:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)

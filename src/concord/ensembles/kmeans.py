"""Base clusterings by k-means: of k clusters from k random objects (RCE), or of another k for each run."""

import logging
import time
import warnings
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from concord.ensemble import IntArray
from concord.ensembles.draws import NumberOfClusters, number_of_clusters
from concord.seeds import generator

log = logging.getLogger("concord")


@dataclass(frozen=True)
class KMeansProtocol:
    """How base clusterings are made.

    Attributes
    ----------
    n_clusters : int, str or tuple of int
        As of :data:`concord.ensembles.draws.NumberOfClusters`; the runs take several numbers in turn.
    init : {"random", "k-means++"}
        First centres: objects drawn alike, or far from each other.
    feature_share : float
        Of the features, rounded up; drawn for each run.
    minibatch : bool
        Whether the centres move with batches of the objects (Sculley 2010) and not with all of them.
    """

    n_clusters: NumberOfClusters
    runs: int
    max_iter: int
    init: str = "random"
    feature_share: float = 1.0
    minibatch: bool = False


def kmeans_ensemble(features: Any, protocol: KMeansProtocol, seed: int, names: tuple[str, ...]) -> IntArray:
    r"""Run k-means as often as the protocol asks, each time from centres of its own.

    Parameters
    ----------
    features : ndarray or CSR matrix, shape (n, d)
        Sparse features stay sparse.
    names : tuple of str
        Study and case; run i has the random stream of (\\*names, "run", i), so that more runs change no
        earlier one.

    Returns
    -------
    ndarray of int, shape (n, runs)
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    n, columns = features.shape[0], []
    algorithm = MiniBatchKMeans if protocol.minibatch else KMeans
    cpu = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        # "at most 100 iterations" is the paper's protocol; fewer distinct objects than k shows in the labels
        warnings.simplefilter("ignore", ConvergenceWarning)
        for run in range(protocol.runs):
            rng = generator(seed, *names, "run", run)
            start = int(rng.integers(2**32))
            kmeans = algorithm(
                number_of_clusters(protocol.n_clusters, run, n, rng),
                init=protocol.init,
                n_init=1,
                max_iter=protocol.max_iter,
                tol=0.0,
                random_state=start,
            )
            columns.append(kmeans.fit(_some(features, protocol.feature_share, rng)).labels_)
            if (run + 1) % 50 == 0:
                log.info("k-means on %s: run %d of %d", names[-1], run + 1, protocol.runs)
    log.info("k-means on %s: %.2f CPU s", names[-1], time.process_time() - cpu)
    return np.column_stack(columns).astype(np.int64)


def _some(features: Any, share: float, rng: np.random.Generator) -> Any:
    """Return a random share of the features."""
    d = features.shape[1]
    return features if share == 1 else features[:, np.sort(rng.choice(d, ceil(share * d), replace=False))]

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
    """How base clusterings are made."""

    n_clusters: NumberOfClusters
    runs: int
    max_iter: int
    init: str = "random"
    """First centres: objects at random, or far from each other, "k-means++"."""
    feature_share: float = 1.0
    """Of the features, rounded up; drawn for each run."""
    minibatch: bool = False
    """Whether the centres move with batches of the objects (Sculley 2010) and not with all of them."""


def kmeans_ensemble(features: Any, protocol: KMeansProtocol, seed: int, names: tuple[str, ...]) -> IntArray:
    r"""Run k-means as often as the protocol says, each time from its own first centres.

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

    (n, d), columns = features.shape, []
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
                init=protocol.init, n_init=1, max_iter=protocol.max_iter, tol=0.0, random_state=start,
            )  # fmt: skip
            some = features
            if protocol.feature_share < 1:
                chosen = rng.choice(d, ceil(protocol.feature_share * d), replace=False)
                some = features[:, np.sort(chosen)]
            columns.append(kmeans.fit(some).labels_)
            if (run + 1) % 50 == 0:
                log.info("k-means on %s: run %d of %d", names[-1], run + 1, protocol.runs)
    log.info("k-means on %s: %.2f CPU s", names[-1], time.process_time() - cpu)
    return np.column_stack(columns).astype(np.int64)

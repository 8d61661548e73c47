"""Base clusterings by k-means, from random objects in the protocol of the RCE paper."""

import logging
import time
import warnings
from typing import Any

import numpy as np

from concord.ensemble import IntArray
from concord.seeds import generator

log = logging.getLogger("concord")


def kmeans_ensemble(
    features: Any, n_clusters: int, runs: int, max_iter: int, init: str, seed: int, names: tuple[str, ...]
) -> IntArray:
    r"""Run k-means ``runs`` times, each from ``n_clusters`` centres of its own.

    Parameters
    ----------
    features : ndarray or CSR matrix, shape (n, d)
        Sparse features stay sparse.
    init : {"random", "k-means++"}
        First centres: objects drawn alike, or far from each other.
    names : tuple of str
        Study and case; run i has the random stream of (\\*names, "run", i), so that more runs change no
        earlier one.

    Returns
    -------
    ndarray of int, shape (n, runs)
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    columns = []
    cpu = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        # "at most 100 iterations" is the paper's protocol; fewer distinct objects than k shows in the labels
        warnings.simplefilter("ignore", ConvergenceWarning)
        for run in range(runs):
            start = int(generator(seed, *names, "run", run).integers(2**32))
            kmeans = KMeans(n_clusters, init=init, n_init=1, max_iter=max_iter, tol=0.0, random_state=start)
            columns.append(kmeans.fit(features).labels_)
            if (run + 1) % 50 == 0:
                log.info("k-means on %s: run %d of %d", names[-1], run + 1, runs)
    log.info("k-means on %s: %.2f CPU s", names[-1], time.process_time() - cpu)
    return np.column_stack(columns).astype(np.int64)

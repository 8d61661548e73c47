"""Compare EC-CMS and RSEC on profiles with the literal algorithms on objects: CPU seconds and their ratio.

    python benchmarks/eccms_and_rsec.py [--pool FILE.mat] [--rsec-iterations 5]

EC-CMS runs until it stops, RSEC for a few iterations, because each literal one computes three singular value
decompositions of n x n matrices. One thread. The base clusterings are 20 of k-means with 2 to sqrt(n) clusters on
scikit-learn's digits (the first 1,000), or the first 20 of a pool of the EC-CMS authors (``members``).
"""

import argparse
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import loadmat
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from consclust import similarity as similarities
from consclust.ensemble import Ensemble
from consclust.methods import ECCMS, RSEC
from dense_eccms import enhance
from dense_rsec import iterations

LINE = "{:<9}{:>6}{:>9}{:>12}{:>13}{:>16}{:>7}{:>12}"
N_CLUSTERS = 10
PENALTIES = {"lambda1": 0.1, "lambda2": 0.01}


def main() -> None:
    """Print a line for each method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pool", type=Path, help=".mat file with the matrix members, (n, m)")
    parser.add_argument("--rsec-iterations", type=int, default=5)
    options = parser.parse_args()
    with threadpool_limits(1):
        labels = digits() if options.pool is None else loadmat(options.pool)["members"][:, :20].astype(int)
        heading = ("n", "n_prime", "iterations", "dense CPU s", "profiles CPU s", "ratio", "difference")
        print(LINE.format("method", *heading))
        compare_eccms(labels)
        compare_rsec(labels, options.rsec_iterations)


def digits() -> npt.NDArray[np.int64]:
    """Return 20 k-means clusterings, shape (1000, 20)."""
    features = load_digits().data[:1000]
    rng = np.random.default_rng(0)
    ks = rng.integers(2, 32, size=20)
    return np.column_stack(
        [KMeans(k, init="random", n_init=1, random_state=i).fit_predict(features) for i, k in enumerate(ks)]
    )


def compare_eccms(labels: npt.NDArray[np.int64]) -> None:
    """Compare the enhanced matrices, linkage not included."""
    eccms = ECCMS(N_CLUSTERS).fit(labels)
    ensemble = Ensemble(labels)
    inputs = similarities.lwca(ensemble), similarities.hc(ensemble, eccms.alpha)
    similarity, confident = (
        similarities.over_objects(ensemble, matrix, own) for matrix, own in zip(inputs, (1, 0), strict=True)
    )
    dense, seconds = timed(lambda: enhance(similarity, confident, eccms.lambda_))
    bordered = np.vstack([inputs[0], np.ones(ensemble.n_profiles)])
    _, ours = timed(lambda: eccms._enhanced(bordered, ensemble))
    if dense.n_iter != eccms.n_iter_:
        sys.exit(f"EC-CMS: {dense.n_iter} iterations on objects, {eccms.n_iter_} on profiles")
    report("EC-CMS", ensemble, eccms.n_iter_, seconds, ours, dense.c - eccms.consensus_matrix())


def compare_rsec(labels: npt.NDArray[np.int64], n_iter: int) -> None:
    """Compare the representations Z, k-means not included."""
    ensemble = Ensemble(labels)
    rsec = RSEC(N_CLUSTERS, max_iter=n_iter, **PENALTIES)
    _, ours = timed(lambda: rsec._solve(ensemble))
    similarity = ensemble.expand(ensemble.coassociation)
    states, seconds = timed(lambda: list(islice(iterations(similarity, N_CLUSTERS, **PENALTIES), n_iter))[-1])
    report("RSEC", ensemble, n_iter, seconds, ours, states.z - ensemble.expand(rsec.profile_matrix_))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of ``work`` and its CPU seconds."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def report(
    method: str, ensemble: Ensemble, n_iter: int, dense: float, ours: float, gap: npt.NDArray[np.float64]
) -> None:
    """Print a line; stop if the two results differ."""
    difference = np.abs(gap).max()
    if difference > 1e-9:
        sys.exit(f"{method}: the two matrices differ by {difference:.1e}")
    sizes = (ensemble.n_objects, ensemble.n_profiles, n_iter)
    times = (f"{dense:.2f}", f"{ours:.3f}", f"{dense / ours:.1f}", f"{difference:.0e}")
    print(LINE.format(method, *sizes, *times), flush=True)


if __name__ == "__main__":
    main()

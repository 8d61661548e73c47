"""Measure CPU and memory of one fit of each method, beside what a cluster job is given for it.

    python benchmarks/cost.py [--sizes 250 500 1000] [--methods RCE RMSC ...]

Ensembles of 20 clusterings, so noisy that no two objects share a profile (n' = n); one process for each fit.
"""

import argparse
import multiprocessing
import time

import numpy as np

from consclust import methods
from consclust.ensemble import Ensemble
from consclust_studies.plan import needs
from consclust_studies.stages.consensus import measure_peak_mib

K = 10


def main() -> None:
    """Print CPU seconds and matrices of doubles of size n x n, measured and assumed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=[250, 500, 1000])
    parser.add_argument("--methods", nargs="+", choices=methods.names())
    options = parser.parse_args()
    print(f"{'method':<18}{'n':>6}{'CPU s':>9}{'assumed':>9}{'matrices':>10}{'assumed':>9}")
    for method in options.methods or methods.names():
        for n in options.sizes:
            with multiprocessing.get_context("spawn").Pool(1) as process:
                seconds, matrices = process.apply(measure, (method, n))
            cost = methods.load(method).cost
            held = cost.doubles(n, n, unmeasured=needs.PROFILE_MATRICES) // n**2
            assumed = f"{cost.seconds(n):>9.2f}{matrices:>10.1f}{held:>9}"
            print(f"{method:<18}{n:>6}{seconds:>9.2f}{assumed}", flush=True)


def measure(method: str, n: int) -> tuple[float, float]:
    """CPU seconds of a fit, and the memory it adds in matrices of doubles of shape (n, n)."""
    rng = np.random.default_rng(0)
    classes = rng.integers(K, size=n)
    noise = rng.integers(K, size=(n, 20))
    labels = np.where(rng.random((n, 20)) < 0.35, noise, classes[:, None])
    fit = methods.load(method)(n_clusters=K, random_state=0).fit
    features = rng.normal(size=(K, 20))[classes] + rng.normal(size=(n, 20))  # most methods ignore them
    fit(labels[:50], features[:50])  # late imports
    before, start = measure_peak_mib(), time.process_time()
    fit(Ensemble(labels), features)
    return time.process_time() - start, (measure_peak_mib() - before) * 2**20 / (8 * n**2)


if __name__ == "__main__":
    main()

"""RCE at the points of the paper's grid: the gap of Algorithm 1, and the CPU seconds of splitting to a gap of 1e-6.

    python benchmarks/certificate.py [--data-mirror FOLDER] [--labels FILE] [--out docs/certificate.csv]

One subset of Coil20: 20 k-means clusterings, by default. CPU seconds on one thread, without the spectral clustering of
the matrix, which both solvers need. Algorithm 1 takes the authors' 20 rounds of 20 A-steps; its gap is that of its last
matrix, and takes no part in the seconds. Splitting begins at each lambda1 with the least lambda2 and then where the
point before ended (``warm_start``), and stops at a gap of 1e-6 or after 300 iterations.
"""

import argparse
import csv
import os
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from consclust.ensemble import Ensemble
from consclust.methods import RCE
from consclust.numerics.rceproblem import Certificate
from rce_reduction import base_clusterings, cpu_seconds

GRID = [10.0**power for power in range(-4, 5)]
MOST = 300  # Iterations of splitting at a grid point
COLUMNS = ["lambda1", "lambda2", "mm_seconds", "mm_gap", "splitting_seconds", "splitting_iterations", "splitting_gap"]


class WithoutLabels(RCE):
    """RCE up to its consensus matrix."""

    def _set_spectral_labels(self, similarity, weights, membership, how, n_init):  # type: ignore[no-untyped-def]
        self._set_only_labels(np.zeros(len(similarity), dtype=np.int64), membership)


def main() -> None:
    """Print a line for each grid point and the sums; write them to a file if one is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-mirror", help="folder or URL; default: CONSCLUST_DATA_MIRROR, then the public URLs")
    parser.add_argument("--labels", type=Path, help="label matrix in a .npz file, labels (n, 20), in place of Coil20")
    parser.add_argument("--out", type=Path, help="CSV file for the numbers")
    options = parser.parse_args()
    if options.data_mirror:
        os.environ["CONSCLUST_DATA_MIRROR"] = str(Path(options.data_mirror).resolve())
    if options.labels:
        labels = np.load(options.labels)["labels"]
    else:
        labels = base_clusterings("data/prepared/coil20/raw.npz").labels
    ensemble = Ensemble(labels[:, :20])
    with threadpool_limits(1):
        WithoutLabels(1, max_outer=1).fit(ensemble)  # compiles the loops
        WithoutLabels(1, solver="splitting", max_iter=1).fit(ensemble)
        print(f"{ensemble.n_objects} objects, {ensemble.n_profiles} profiles")
        print(*COLUMNS, sep="\t", flush=True)
        rows = [row for lambda1 in GRID for row in measure_line(ensemble, lambda1)]
    sums = np.array(rows).sum(axis=0)
    missed = sum(row[-1] > 1e-6 for row in rows)
    print(f"{len(rows)} points: mm {sums[2]:.1f} s, splitting {sums[4]:.1f} s, {missed} with a gap above 1e-6")
    if options.out:
        with options.out.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


def measure_line(ensemble: Ensemble, lambda1: float) -> list[list[float]]:
    """Return the numbers of the grid points with this lambda1, and print them."""
    rows = []
    splitting = WithoutLabels(1, lambda1, solver="splitting", warm_start=True, max_iter=MOST)
    for lambda2 in GRID:
        mm = WithoutLabels(1, lambda1, lambda2)
        mm_seconds = cpu_seconds(partial(mm.fit, ensemble))
        certificate = Certificate(mm._problem(ensemble))
        certificate.add(mm.profile_matrix_)
        splitting.set_params(lambda2=lambda2)
        seconds = cpu_seconds(partial(splitting.fit, ensemble))
        gaps = certificate.gaps[-1], splitting.duality_gap_
        rows.append([lambda1, lambda2, mm_seconds, gaps[0], seconds, splitting.n_iter_, gaps[1]])
        print(*(f"{value:.3g}" for value in rows[-1]), sep="\t", flush=True)
    return rows


if __name__ == "__main__":
    main()

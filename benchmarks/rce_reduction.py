"""Compare RCE on profiles with the literal dense Algorithm 1: CPU seconds and their ratio.

    python benchmarks/rce_reduction.py [--data-mirror FOLDER] [--k1b-rounds 1]

Coil20: one whole fit with the default iterations (20 rounds of 20 A-steps). K1b: one round, because a dense run of
a whole fit would take an hour. One thread each. The workflow downloads the data or reads them from the mirror.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from consclust.ensemble import Ensemble
from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from consclust.methods import RCE
from consclust_studies.stages import prepare as prepared
from consclust_studies.stages.stored_ensembles import StoredEnsemble, split
from dense_rce import connective_matrices, half_steps

ROOT = Path(__file__).parent.parent
LINE = "{:<9}{:>6}{:>9}{:>8}{:>13}{:>11}{:>7}{:>12}"


def main() -> None:
    """Print a line for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-mirror", help="folder or URL; default: CONSCLUST_DATA_MIRROR, then the public URLs")
    parser.add_argument("--k1b-rounds", type=int, default=1, help="rounds of the dense run on K1b")
    options = parser.parse_args()
    if options.data_mirror:
        os.environ["CONSCLUST_DATA_MIRROR"] = str(Path(options.data_mirror).resolve())
    print(LINE.format("data set", "n", "n_prime", "rounds", "dense CPU s", "RCE CPU s", "ratio", "difference"))
    with threadpool_limits(1):
        compare("Coil20", "data/prepared/coil20/raw.npz", 20)
        compare("K1b", "data/prepared/k1b/tfidf_to_counts.npz", options.k1b_rounds)


def compare(case: str, prepared_file: str, rounds: int) -> None:
    """Time both on 20 base clusterings; stop if their matrices differ."""
    stored = base_clusterings(prepared_file)
    labels = stored.labels
    profiles = Ensemble(labels)
    rce = RCE(stored.n_classes, max_outer=rounds, n_init=1, random_state=0)
    ours = median(cpu_seconds(lambda: rce.fit(Ensemble(labels))) for _ in range(3))
    dense = []

    def run_dense() -> None:
        *_, last = half_steps(connective_matrices(labels), 1.0, 1.0, max_outer=rounds)
        dense.append(last.consensus)

    seconds = cpu_seconds(run_dense)
    difference = np.abs(dense[0] - rce.consensus_matrix()).max()
    if difference > 1e-9:
        sys.exit(f"{case}: the two consensus matrices differ by {difference:.1e}")
    sizes = (profiles.n_objects, profiles.n_profiles, rounds)
    times = (f"{seconds:.2f}", f"{ours:.4f}", f"{seconds / ours:.0f}", f"{difference:.0e}")
    print(LINE.format(case, *sizes, *times), flush=True)


def base_clusterings(prepared_file: str) -> StoredEnsemble:
    """Prepare the data set with the workflow and run k-means 20 times."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet", "all", "--", prepared_file]
    subprocess.run(command, cwd=ROOT, check=True)
    dataset = prepared.load(ROOT / prepared_file)
    protocol = KMeansProtocol(len(dataset.class_names), runs=20, max_iter=100)
    labels = kmeans_ensemble(dataset.X, protocol, 0, ("benchmark", prepared_file))
    return StoredEnsemble(labels, dataset.y, split(20, 20))


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process in ``work``."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()

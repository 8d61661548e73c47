"""Do labels depend on the processor, the number of threads, or the Python? 147 label vectors under some settings.

    python benchmarks/machines.py                                   # about 50 CPU seconds for each setting
    python benchmarks/machines.py --python venv312/bin/python       # and with the packages of another Python

Every setting has a process of its own, in which each method is fitted to Iris, Wine and 300 digits, with K and K + 2
clusters, from 20 base clusterings. The reference is one thread with the kernels of OpenBLAS for AVX2. A row of the
table counts the label vectors, and those of all restarts, that equal those of the reference; equal partitions do.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from consclust import methods
from consclust.ensembles import kmeans

Fits = dict[str, np.ndarray]  # Of a kind, a data set, a method and a number of clusters; shape (n,) or (restarts, n)
LABELS, RESTARTS = "labels", "restarts"

SOURCE = Path(__file__).parents[1] / "src"
DATA = {"iris": (load_iris, 150, 3), "wine": (load_wine, 178, 3), "digits": (load_digits, 300, 10)}
REFERENCE = {"OPENBLAS_CORETYPE": "Haswell"}
# Name: environment, and the number of threads. OpenBLAS has kernels for AVX-512 (SkylakeX), AVX (Sandybridge), SSE.
SETTINGS = {
    "two threads": (REFERENCE | {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}, 2),
    "OpenBLAS for AVX-512": ({"OPENBLAS_CORETYPE": "SkylakeX"}, 1),
    "OpenBLAS for AVX": ({"OPENBLAS_CORETYPE": "Sandybridge"}, 1),
    "OpenBLAS for SSE4.2": ({"OPENBLAS_CORETYPE": "Nehalem"}, 1),
    "OpenBLAS for SSE3": ({"OPENBLAS_CORETYPE": "Prescott"}, 1),
    "NumPy without AVX2": (REFERENCE | {"NPY_DISABLE_CPU_FEATURES": "X86_V3"}, 1),
    "numba for any x86-64": (REFERENCE | {"NUMBA_CPU_NAME": "generic"}, 1),
}


def fit_all(out: Path, threads: int) -> None:
    """Write the labels of all fits, and those of their restarts."""
    warnings.simplefilter("ignore")
    found = {}
    with threadpool_limits(threads):
        for name, (load, n_objects, k) in DATA.items():
            features = load().data[:n_objects]
            ensemble = kmeans(features, runs=20, n_clusters="random", random_state=1)
            found[f"{LABELS} {name} base"] = ensemble.labels.ravel()
            for method in methods.names():
                for n_clusters in (k, k + 2):
                    fitted = methods.make(method, n_clusters, {}, 0)
                    fitted.fit(ensemble, features if fitted.uses_features() else None)
                    found[f"{LABELS} {name} {method} {n_clusters}"] = fitted.labels_
                    found[f"{RESTARTS} {name} {method} {n_clusters}"] = fitted.restart_labels_
    np.savez(out, **found)


def fits_elsewhere(python: str, environment: dict[str, str], threads: int, folder: Path) -> Fits | None:
    """Return the labels of all fits in a process of its own; None where the processor cannot run it."""
    out = folder / "fits.npz"
    command = [python, __file__, "--fit", str(out), "--threads", str(threads)]
    variables = os.environ | environment | {"PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    if done.returncode < 0:  # ended by a signal: an instruction that this processor does not have
        return None
    if done.returncode:
        raise SystemExit(done.stderr)
    with np.load(out) as arrays:
        return dict(arrays)


def compare(found: Fits, reference: Fits, kind: str) -> str:
    """Return two cells of a row: how many vectors of a kind are equal, and of which fits the others are."""
    equal = every = 0
    others = []
    for name in reference:
        if name.startswith(kind):
            here, there = np.atleast_2d(found[name]), np.atleast_2d(reference[name])
            same = (here == there).all(axis=1)
            equal += int(same.sum())
            every += len(same)
            scores = [adjusted_rand_score(*pair) for pair in zip(here[~same], there[~same], strict=True)]
            others += [f"{name.removeprefix(kind).strip()} ({score:.3f})" for score in scores]
    return f"{equal:,} of {every:,} | {', '.join(others) or 'none'}"


def main() -> None:
    """Print a row for each setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="*", default=[], help="other Pythons with the packages of consclust")
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        fit_all(options.fit, options.threads)
        return
    settings = {name: (sys.executable, *setting) for name, setting in SETTINGS.items()}
    settings |= {python: (python, REFERENCE, 1) for python in options.python}
    print("| setting | equal labels | others (ARI) | equal restarts | others (ARI) |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        reference = fits_elsewhere(sys.executable, REFERENCE, 1, Path(folder))
        assert reference is not None, "the reference needs AVX2"
        for name, (python, environment, threads) in settings.items():
            found = fits_elsewhere(python, environment, threads, Path(folder))
            cells = ["not on this processor"]
            if found is not None:
                cells = [compare(found, reference, kind) for kind in (LABELS, RESTARTS)]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

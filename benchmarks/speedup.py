"""Compare fits of this checkout with those of an earlier commit on the same label matrices.

    python benchmarks/speedup.py [--commit 607e97e] [--methods RCE ECCMS ...] [--runs 3] [--out FILE]

Each fit has a process of its own, on one thread, after a first fit of thirty objects (imports, compiled code from the
cache). Old and new take turns. Prints medians of CPU seconds, their ratio, the peak memory of both, and how far the
results agree: the adjusted Rand index of the labels, the largest difference of the consensus matrices.

The label matrices: 20 k-means clusterings with 2 to sqrt(n) clusters of scikit-learn's digits, and of 4,000 objects in
blobs; with a mirror the first 20 clusterings of the EC-CMS authors' pools LS and USPS, and of Coil20 and MNIST.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).parents[1]
COMMIT = "607e97e"
GRID = [{"lambda1": a, "lambda2": b} for a, b in ((0.01, 0.01), (0.1, 0.1), (1.0, 1.0))]
LINE = "{:<18}{:<11}{:>6}{:>7}{:>10}{:>9}{:>7}{:>8}{:>8}{:>8}{:>12}  {}"

FIT = """
import inspect, json, sys, time
import numpy as np
from consclust import methods
from consclust.ensemble import Ensemble
name, k, parameters, file, out = json.loads(sys.argv[1])
method = getattr(methods, name)
if "random_state" in inspect.signature(method).parameters:
    parameters["random_state"] = 0
parameters = {key: value for key, value in parameters.items() if key in inspect.signature(method).parameters}
small = np.arange(30)[:, None] >> np.arange(4) & 1
method(2, **parameters).fit(small)
labels = np.load(file)
start = time.process_time()
fitted = method(k, **parameters).fit(labels)
seconds = time.process_time() - start
status = open("/proc/self/status").read()
peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
matrix = getattr(fitted, "profile_matrix_", np.zeros((0, 0)))
np.savez(out, labels=fitted.labels_, matrix=matrix)
print(json.dumps([seconds, peak, Ensemble(labels).n_profiles]))
"""


class Fit(NamedTuple):
    """One fit in a process of its own."""

    seconds: float
    megabytes: float
    n_profiles: int
    labels: npt.NDArray[np.int64]
    matrix: npt.NDArray[np.float64]


CASES: list[tuple[str, str, dict[str, Any]]] = [
    *[("RCE", data, {**point, "tol": None}) for data in ("coil20", "mnist_4000") for point in GRID],
    *[("ECCMS", data, {}) for data in ("LS", "USPS")],
    *[(name, "blobs", {"n_init": 10}) for name in ("GWCA", "SpectralConsensus", "NMFC", "KC")],
    *[(name, "LS", {"n_init": 10}) for name in ("GWCA", "SpectralConsensus", "NMFC", "KC")],
    *[(name, "digits", {"n_init": 1}) for name in ("BaumEagon", "PEACE")],
    *[(name, "digits", {}) for name in ("BCE", "RMSC", "RSEC", "SPCE", "TRCE", "DREC", "HGPA", "CSPA")],
    *[(name, "LS", {}) for name in ("EAC", "LWEA", "ECPCS", "PTA", "PTGP", "DREC", "LWGP", "MCLA")],
]  # fmt: skip


def main() -> None:
    """Print a line for each method and label matrix."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default=COMMIT, help="what to compare with")
    parser.add_argument("--methods", nargs="+", help="only these")
    parser.add_argument("--data", nargs="+", help="only these label matrices")
    parser.add_argument("--runs", type=int, default=3, help="fits of each")
    parser.add_argument("--data-mirror", type=Path, default=os.environ.get("CONSCLUST_DATA_MIRROR"))
    parser.add_argument("--out", type=Path, help="file for the printed lines")
    options = parser.parse_args()
    lines: list[str] = []

    def show(text: str) -> None:
        print(text, flush=True)
        lines.append(text)

    heads = ["method", "data", "n", "n'", "old s", "new s", "ratio", "old MB", "new MB", "ARI", "difference", ""]
    show(LINE.format(*heads))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sources = {"old": earlier(options.commit, folder), "new": ROOT / "src"}
        for name, data, parameters in CASES:
            if name not in (options.methods or [name]) or data not in (options.data or [data]):
                continue
            given = label_matrix(data, options.data_mirror and Path(options.data_mirror), folder)
            if given is None:
                show(f"{name:<18}{data:<11} left out: needs the data mirror")
                continue
            file, k = given
            show(line(name, data, k, parameters, file, sources, options.runs))
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


def line(
    name: str, data: str, k: int, parameters: dict[str, Any], file: Path, sources: dict[str, Path], runs: int
) -> str:
    """Fit with both versions in turn and compare."""
    from sklearn.metrics import adjusted_rand_score

    fits = {version: [] for version in sources}
    for _ in range(runs):
        for version, source in sources.items():
            fits[version].append(fit(source, name, k, parameters, file))
    old, new = (found[0] for found in fits.values())
    seconds = [statistics.median(run.seconds for run in found) for found in fits.values()]
    memory = [statistics.median(run.megabytes for run in found) for found in fits.values()]
    apart = np.abs(old.matrix - new.matrix).max(initial=0) if old.matrix.shape == new.matrix.shape else np.nan
    said = " ".join(f"{key}={value}" for key, value in parameters.items())
    return LINE.format(
        name, data, len(new.labels), new.n_profiles, f"{seconds[0]:.2f}", f"{seconds[1]:.2f}",
        f"{seconds[0] / seconds[1]:.1f}", f"{memory[0]:.0f}", f"{memory[1]:.0f}",
        f"{adjusted_rand_score(old.labels, new.labels):.3f}", f"{apart:.1e}", said,
    )  # fmt: skip


def fit(source: Path, name: str, k: int, parameters: dict[str, Any], file: Path) -> Fit:
    """Fit in a process of its own with the package of a source folder."""
    out = file.with_suffix(".npz")
    env = {**os.environ, "PYTHONPATH": str(source), **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")}
    argument = json.dumps([name, k, parameters, str(file), str(out)])
    done = subprocess.run([sys.executable, "-c", FIT, argument], env=env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} with {source}:\n{done.stderr[-2000:]}")
    results = np.load(out)
    return Fit(*json.loads(done.stdout), results["labels"], results["matrix"])


def earlier(commit: str, folder: Path, name: str = "consclust") -> Path:
    """Return the source folder of an earlier commit, where the package has the name ``name``."""
    archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    source = folder / "src"
    # the package was called concord until version 0.1
    name_then = next(known for known in ("consclust", "concord") if (source / known).is_dir())
    if name_then != name:
        for file in (source / name_then).rglob("*.py"):
            text = re.sub(rf"\b(from|import) {name_then}\b", rf"\1 {name}", file.read_text(encoding="utf-8"))
            file.write_text(text, encoding="utf-8")
        (source / name_then).rename(source / name)
    return source


def label_matrix(data: str, mirror: Path | None, folder: Path) -> tuple[Path, int] | None:
    """Return the file of a label matrix and the number of classes; None where the mirror is needed and absent."""
    file = folder / f"{data}.npy"
    classes = {"digits": 10, "blobs": 15, "LS": 6, "USPS": 10, "coil20": 20, "mnist_4000": 10}[data]
    if not file.exists():
        if data in ("LS", "USPS"):
            if mirror is None:
                return None
            from scipy.io import loadmat

            labels = loadmat(mirror / f"files/eccms_pools/{data}.mat")["members"][:, :20]
        elif data in ("coil20", "mnist_4000"):
            if mirror is None:
                return None
            labels = pool_of_study(data, mirror)
        else:
            labels = np.column_stack(list(clusterings(features(data))))
        np.save(file, labels.astype(np.int64))
    return file, classes


def features(data: str) -> npt.NDArray[np.float64]:
    """Return the features of embedded or drawn data."""
    from sklearn.datasets import load_digits, make_blobs

    if data == "digits":
        return load_digits().data
    return make_blobs(4000, 10, centers=15, cluster_std=4.0, random_state=0)[0]


def clusterings(matrix: npt.NDArray[np.float64]) -> Iterator[npt.NDArray[np.int32]]:
    """Yield 20 k-means clusterings."""
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(0)
    for seed in range(20):
        k = int(rng.integers(2, int(np.sqrt(len(matrix))) + 1))
        yield KMeans(k, init="random", n_init=1, random_state=seed).fit(matrix).labels_


def pool_of_study(case: str, mirror: Path) -> npt.NDArray[np.int64]:
    """Return the first 20 base clusterings of the study `rce`, which the workflow makes where they are absent."""
    file = ROOT / f"results/ensembles/rce/{case}.npz"
    if not file.exists():
        env = {**os.environ, "CONSCLUST_DATA_MIRROR": str(mirror)}
        command = [sys.executable, "-m", "snakemake", "--quiet", "all", "--cores", "1", str(file.relative_to(ROOT))]
        subprocess.run(command, cwd=ROOT, env=env, check=True)
    return np.load(file)["labels"][:, :20]


if __name__ == "__main__":
    main()

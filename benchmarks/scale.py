"""Measure seconds and memory of every method from 10^3 to 10^6 objects.

    python benchmarks/scale.py [--sizes 1e3 1e4 1e5 1e6] [--methods RCE LWGP ...] [--out scale.csv scale.svg]
    python benchmarks/scale.py --sizes 178 --clusterings 1000 --clusters 2 13 --methods LWGP ECPCS LWEA ECCMS MCLA

The data: objects of 15 classes, normal in 10 dimensions, and 20 base clusterings of 10 to 50 clusters, each a division
of the objects by the nearest of k objects drawn at random. So most objects have a profile of their own (n' is 530,000
of 10^6) while the number of clusters stays (about 570 in all). The second line measures many clusterings of few
objects, where there are far more base clusters than profiles.

Each fit has a process of its own on one thread, after first fits of thirty objects (imports, compiled code from the
cache), with the method's default parameters and limits on its CPU seconds (``--limit``) and its memory in GiB
(``--memory``). A method that exceeds a limit is left out at larger sizes, and so is one that would exceed twice the
limit if its seconds grew on by the last exponent, at least in proportion to n. Labels of more than 10^6 objects are
read in blocks (``Ensemble.from_blocks``).

Prints a line for each fit: CPU seconds, the peak memory in MB, the number of profiles n', the adjusted Rand index with
the classes, and the exponent: the power of n by which the seconds grew from the size before. ``--out`` names a table
(CSV) and a picture of the seconds against n.
"""

import argparse
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from consclust import methods
from consclust.ensemble import Ensemble

CLASSES, DIMENSIONS, SPREAD = 15, 10, 2.0
CLUSTERINGS = 20
CLUSTERS = (10, 50)  # Of a base clustering, drawn from the first to the last
HEADS = ["method", "n", "n'", "seconds", "MB", "ARI", "exponent", "note"]
LINE = "{:<18}{:>9}{:>9}{:>9}{:>8}{:>7}{:>10}  {}"

FIT = """
import json, sys, time
import numpy as np
from consclust import methods
from consclust.ensemble import Ensemble
from consclust.errors import ConsensusFailure
name, k, file = json.loads(sys.argv[1])
labels = np.load(file + "labels.npy", mmap_mode="r")
method = getattr(methods, name)(k, random_state=0)
features = np.load(file + "features.npy") if method.uses_features() else None
for small in (np.arange(30)[:, None] >> np.arange(4) & 1, np.arange(30)[:, None] // np.arange(2, 6)):
    try:  # with fewer and with more clusters than profiles
        getattr(methods, name)(2, random_state=0).fit(small, None if features is None else features[:30])
    except ConsensusFailure:
        pass
start = time.process_time()
try:
    if len(labels) > 10**6:
        method.fit(Ensemble.from_blocks(labels[i : i + 2**20] for i in range(0, len(labels), 2**20)), features)
    else:
        method.fit(np.array(labels), features)
    seconds, note = time.process_time() - start, method.note_
except (MemoryError, ConsensusFailure) as refused:
    sys.exit(f"{type(refused).__name__}: {refused}")
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
from sklearn.metrics import adjusted_rand_score
ari = adjusted_rand_score(np.load(file + "classes.npy"), method.labels_)
print(json.dumps([seconds, peak, ari, note]))
"""


def main() -> None:
    """Print a line for each method and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=float, default=[1e3, 1e4, 1e5, 1e6], help="numbers of objects")
    parser.add_argument("--methods", nargs="+", default=methods.names(), help="only these")
    parser.add_argument("--clusterings", type=int, default=CLUSTERINGS, help="base clusterings")
    parser.add_argument(
        "--clusters", nargs=2, type=int, default=CLUSTERS, metavar=("LEAST", "MOST"), help="clusters of each"
    )
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds that a fit may take")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB that a fit may take")
    parser.add_argument("--out", nargs=2, type=Path, metavar=("TABLE", "PICTURE"), help="files to write")
    options = parser.parse_args()
    print(LINE.format(*HEADS), flush=True)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as temporary:
        data = Data(Path(temporary), options.clusterings, tuple(options.clusters))
        for name in options.methods:
            for row in grown(name, sorted(map(int, options.sizes)), data, options.limit, options.memory):
                rows.append(row)
                print(LINE.format(*(shown(row.get(head, "")) for head in HEADS)), flush=True)
    if options.out:
        write(rows, *options.out)


def grown(name: str, sizes: list[int], data: "Data", seconds: int, gigabytes: float) -> Iterator[dict[str, Any]]:
    """Yield a row for each size, until a fit exceeds its limits or is expected to."""
    n_before, before, exponent = 0, 0.0, None
    for n in sizes:  # from the smallest size nothing is concluded: some methods choose another way for larger ones
        expected = 0.0 if exponent is None else before * (n / n_before) ** max(exponent, 1.0)
        if expected > 2 * seconds:
            yield {"method": name, "n": n, "note": f"left out, about {shown(expected)} CPU seconds are expected"}
            return
        row = {"method": name, "n": n, "n'": data.n_profiles(n), **fit(name, data.folder(n), seconds, gigabytes)}
        if n_before and "seconds" in row:
            exponent = math.log(row["seconds"] / before) / math.log(n / n_before)
            row["exponent"] = round(exponent, 2)
        yield row
        if "seconds" not in row:
            return
        n_before, before = n, row["seconds"]


class Data:
    """Base clusterings, classes and features of n objects, in files that are made where they are first needed."""

    def __init__(self, folder: Path, n_clusterings: int = CLUSTERINGS, clusters: tuple[int, int] = CLUSTERS) -> None:
        self._folder = folder
        self._n_clusterings = n_clusterings
        self._least, self._most = clusters

    def folder(self, n: int) -> Path:
        """Return the folder with the files of n objects."""
        folder = self._folder / str(n)
        if not folder.exists():
            folder.mkdir()
            rng = np.random.default_rng(0)
            classes = rng.integers(CLASSES, size=n)
            centres = SPREAD * rng.standard_normal((CLASSES, DIMENSIONS))
            features = centres[classes] + rng.standard_normal((n, DIMENSIONS))
            ks = (int(rng.integers(self._least, self._most + 1)) for _ in range(self._n_clusterings))
            labels = np.column_stack([nearest(features, k, rng) for k in ks])
            for what, values in (("labels", labels), ("classes", classes), ("features", features)):
                np.save(folder / f"{what}.npy", values)
        return folder

    @cache  # noqa: B019
    def n_profiles(self, n: int) -> int:
        """Return the number of different profiles of n objects."""
        return Ensemble(np.load(self.folder(n) / "labels.npy")).n_profiles


def nearest(features: npt.NDArray[np.float64], k: int, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Return the nearest of k objects drawn at random, for each object."""
    centres = features[rng.choice(len(features), k, replace=False)]
    offsets = (centres**2).sum(axis=1) / 2
    blocks = np.array_split(features, -(-len(features) // 10000))
    return np.concatenate([np.argmin(offsets - block @ centres.T, axis=1) for block in blocks]).astype(np.int16)


def fit(name: str, folder: Path, seconds: int, gigabytes: float) -> dict[str, Any]:
    """Fit in a process of its own; return what was measured, or a note that says why nothing was."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + 5, seconds + 10))
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)

    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    command = [sys.executable, "-c", FIT, json.dumps([name, CLASSES, f"{folder}/"])]
    done = subprocess.run(command, env={**os.environ, **threads}, capture_output=True, text=True, preexec_fn=limit)
    if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
        return {"note": f"more than {seconds} CPU seconds"}
    if done.returncode:
        return {"note": (done.stderr.strip().splitlines() or ["failed"])[-1].partition(";")[0]}
    return dict(zip(("seconds", "MB", "ARI", "note"), json.loads(done.stdout), strict=True))


def shown(value: Any) -> str:
    """Return a value as the table shows it."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def write(rows: list[dict[str, Any]], table: Path, picture: Path) -> None:
    """Write the table and the picture."""
    import matplotlib.pyplot as plt
    import pandas as pd

    frame = pd.DataFrame(rows).reindex(columns=HEADS)
    frame.round({"seconds": 3, "MB": 0, "ARI": 3}).to_csv(table, index=False)
    plt.rcParams["svg.hashsalt"] = "scale"
    figure, axes = plt.subplots(figsize=(7, 6), layout="constrained")
    for number, (name, part) in enumerate(frame.dropna(subset="seconds").groupby("method")):
        dash = ("-", "--", ":")[number // 10 % 3]
        axes.loglog(part["n"], part["seconds"], dash, color=f"C{number % 10}", marker=".", label=name)
    axes.set(xlabel="objects n", ylabel="CPU seconds of a fit")
    figure.legend(loc="outside right upper", fontsize="small")
    figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    main()

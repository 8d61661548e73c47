"""Measure seconds and memory of every method from 10^3 to 10^6 objects.

    python benchmarks/scale.py [--sizes 1e3 1e4 1e5 1e6] [--methods RCE LWGP ...] [--out scale.csv scale.svg]
    python benchmarks/scale.py --stream [--sizes 1e7 1e8] [--methods HBGF SpectralConsensus]
    python benchmarks/scale.py --sizes 178 --clusterings 1000 --clusters 2 13 --methods LWGP ECPCS LWEA ECCMS MCLA

The data: objects of 15 classes, normal in 10 dimensions, and 20 base clusterings of 10 to 50 clusters, each a division
of the objects by the nearest of k objects drawn at random. So most objects have a profile of their own (n' is 530,000
of 10^6) while the number of clusters stays (about 570 in all). The third line measures many clusterings of few
objects, where there are far more base clusters than profiles.

The second line measures fits on a Parquet file that is read in passes (``StreamedEnsemble``), of 20 clusterings of 20
to 40 clusters, one byte a label: a class has up to three labels in a clustering, and a tenth of the labels is any. The
file is made before, and removed.

Each fit has a process of its own on one thread, after first fits of thirty objects (imports, compiled code from the
cache), with the method's default parameters and limits on its CPU seconds (``--limit``) and its memory in GiB
(``--memory``). A method that exceeds a limit is left out at larger sizes, and so is one that would exceed twice the
limit if its seconds grew on by the last exponent, at least in proportion to n. Labels of more than 10^6 objects are
read in blocks (``Ensemble.from_blocks``).

Prints a line for each fit: CPU seconds, the peak memory in MB, the number of profiles n', the adjusted Rand index with
the classes, and the exponent: the power of n by which the seconds grew from the size before. The note of a stream has
the seconds of each pass. ``--out`` names a table (CSV) and a picture of the seconds against n.
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


FIT_STREAM = """
import json, sys, time
import numpy as np
from consclust import methods
from consclust.stream import StreamedEnsemble
name, k, file = json.loads(sys.argv[1])
small = [np.arange(3000)[:, None] // np.arange(2, 6) % np.arange(3, 7)]
getattr(methods, name)(2, random_state=0).fit(StreamedEnsemble.from_blocks(small, most_in_memory=0))
passes = []
def timed(blocks):
    begun = time.process_time()
    yield from blocks
    passes.append(time.process_time() - begun)
start = time.process_time()
method = getattr(methods, name)(k, random_state=0)
stream = StreamedEnsemble.from_parquet(file + "labels.parquet", most_in_memory=0).watched_by(timed)
method.fit(stream)
seconds = time.process_time() - start
note = f"CPU seconds of each pass: {', '.join(f'{each:.1f}' for each in passes)}; {method.note_}"
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
pairs = np.zeros((k, k))
n_read = 0
with open(file + "classes.bin", "rb") as classes:
    while (part := np.fromfile(classes, np.uint8, 2**20)).size:
        found = method.labels_[n_read : n_read + len(part)].astype(np.int64)
        pairs += np.bincount(found * k + part, minlength=k * k).reshape(k, k)
        n_read += len(part)
both, rows, columns = ((table * (table - 1) / 2).sum() for table in (pairs, pairs.sum(axis=1), pairs.sum(axis=0)))
by_chance = rows * columns / (n_read * (n_read - 1) / 2)
print(json.dumps([seconds, peak, (both - by_chance) / ((rows + columns) / 2 - by_chance), note]))
"""


def main() -> None:
    """Print a line for each method and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=float, help="numbers of objects")
    parser.add_argument("--methods", nargs="+", help="only these")
    parser.add_argument("--stream", action="store_true", help="files that are read in passes")
    parser.add_argument("--clusterings", type=int, default=CLUSTERINGS, help="base clusterings")
    parser.add_argument(
        "--clusters", nargs=2, type=int, default=CLUSTERS, metavar=("LEAST", "MOST"), help="clusters of each"
    )
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds that a fit may take")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB that a fit may take")
    parser.add_argument("--out", nargs=2, type=Path, metavar=("TABLE", "PICTURE"), help="files to write")
    options = parser.parse_args()
    sizes = [1e7, 1e8] if options.stream else [1e3, 1e4, 1e5, 1e6]
    sizes = sorted(map(int, options.sizes or sizes))
    names = options.methods or (["HBGF", "SpectralConsensus"] if options.stream else methods.names())
    print(LINE.format(*HEADS), flush=True)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        data = Streams(folder) if options.stream else Data(folder, options.clusterings, tuple(options.clusters))
        for name in names:
            for row in grown(name, sizes, data, options.limit, options.memory):
                rows.append(row)
                print(LINE.format(*(shown(row.get(head, "")) for head in HEADS)), flush=True)
    if options.out:
        write(rows, *options.out)


def grown(
    name: str, sizes: list[int], data: "Data | Streams", seconds: int, gigabytes: float
) -> Iterator[dict[str, Any]]:
    """Yield a row for each size, until a fit exceeds its limits or is expected to."""
    n_before, before, exponent = 0, 0.0, None
    for n in sizes:  # from the smallest size nothing is concluded: some methods choose another way for larger ones
        expected = 0.0 if exponent is None else before * (n / n_before) ** max(exponent, 1.0)
        if expected > 2 * seconds:
            yield {"method": name, "n": n, "note": f"left out, about {shown(expected)} CPU seconds are expected"}
            return
        measured = fit(name, data.folder(n), seconds, gigabytes, data.program)
        row = {"method": name, "n": n, "n'": data.n_profiles(n), **measured}
        if n_before and "seconds" in row:
            exponent = math.log(row["seconds"] / before) / math.log(n / n_before)
            row["exponent"] = round(exponent, 2)
        yield row
        if "seconds" not in row:
            return
        n_before, before = n, row["seconds"]


class Data:
    """Base clusterings, classes and features of n objects, in files that are made where they are first needed."""

    program = FIT

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


class Streams:
    """Base clusterings and classes of n objects, written block by block where they are first needed."""

    program = FIT_STREAM

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def folder(self, n: int) -> Path:
        """Return the folder with the files of n objects."""
        from pyarrow import table
        from pyarrow.parquet import ParquetWriter

        folder = self._folder / str(n)
        if folder.exists():
            return folder
        folder.mkdir()
        rng = np.random.default_rng(0)
        numbers = rng.integers(20, 41, size=CLUSTERINGS)
        # the labels of a class in a clustering, of which an object has the one or another
        own = [rng.integers(k, size=(CLASSES, 3)).astype(np.uint8) for k in numbers]
        writer = None
        with (folder / "classes.bin").open("wb") as file:
            for first in range(0, n, 2**20):
                classes = rng.integers(CLASSES, size=min(2**20, n - first), dtype=np.uint8)
                classes.tofile(file)
                columns = {f"run {i}": drawn(classes, of_class, int(numbers[i]), rng) for i, of_class in enumerate(own)}
                part = table(columns)
                writer = writer or ParquetWriter(folder / "labels.parquet", part.schema)
                writer.write_table(part)
        assert writer is not None
        writer.close()
        return folder

    def n_profiles(self, _: int) -> str:
        """Return nothing: the profiles are not counted."""
        return ""


def drawn(
    classes: npt.NDArray[np.uint8], of_class: npt.NDArray[np.uint8], k: int, rng: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """Return a label of each object's class, and for a tenth of the objects any label below k."""
    labels = of_class[classes, rng.integers(3, size=len(classes), dtype=np.uint8)]
    is_wrong = rng.integers(10, size=len(classes), dtype=np.uint8) == 0
    labels[is_wrong] = rng.integers(k, size=is_wrong.sum(), dtype=np.uint8)
    return labels


def nearest(features: npt.NDArray[np.float64], k: int, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Return the nearest of k objects drawn at random, for each object."""
    centres = features[rng.choice(len(features), k, replace=False)]
    offsets = (centres**2).sum(axis=1) / 2
    blocks = np.array_split(features, -(-len(features) // 10000))
    return np.concatenate([np.argmin(offsets - block @ centres.T, axis=1) for block in blocks]).astype(np.int16)


def fit(name: str, folder: Path, seconds: int, gigabytes: float, program: str = FIT) -> dict[str, Any]:
    """Fit in a process of its own; return what was measured, or a note that says why nothing was."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + 5, seconds + 10))
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)

    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    command = [sys.executable, "-c", program, json.dumps([name, CLASSES, f"{folder}/"])]
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

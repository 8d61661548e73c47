"""Measure CPU seconds and peak memory of every command with its default options, on 20,000 and on 10^6 objects.

    python benchmarks/commands.py [--sizes 20000x25 1000000x20] [--commands consensus choose-k ...] [--out commands.csv]

The data: objects of 8 classes of equal size and unequal spread, normal in 12 dimensions, and base clusterings of 8 to
16 clusters, each by mini-batch k-means on half of the dimensions. So most of 20,000 objects have a profile of their own
(the table has n'). They are written as CSV with ids into a temporary folder, and each command reads that file in a
process of its own, on one thread.

Prints a line for each command: CPU seconds (user and system, with the start of Python and all reading and writing), the
peak memory in MB, and what the command chose in place of what would take too long. ``--out`` names a table (CSV).
Nothing is asserted. The commands aim at 120 CPU seconds and 2 GB on 20,000 objects, 300 and 4 GB on 10^6.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

CLASSES = 8
DIMENSIONS = 12
CLUSTERS = (8, 16)
"""Of a base clustering, drawn from the first to the last."""
FITTED = 10_000
"""Objects that k-means is fitted to; all are assigned to its centres."""
SEED = 0
COMMANDS = {
    "consensus": ["-k", "8", "--out", "OUT/consensus.csv"],
    "choose-k": ["--out", "OUT/choose-k"],
    "compare": ["-k", "8", "--out", "OUT/compare"],
    "report": ["-k", "8", "--out", "OUT/report"],
}
"""Their arguments after the file; the numbers of clusters have no default where they are given."""
HEADS = ["command", "n", "m", "n'", "seconds", "MB", "chosen"]
LINE = "{:<10}{:>9}{:>4}{:>9}{:>9}{:>7}  {}"


def main() -> None:
    """Print a line for each command and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["20000x25", "1000000x20"], help="objects x base clusterings")
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS), help="only these")
    parser.add_argument("--folder", type=Path, help="where files are made once and kept; default: temporary")
    parser.add_argument("--out", type=Path, help="table to write")
    options = parser.parse_args()
    print(LINE.format(*HEADS), flush=True)
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for size in options.sizes:
            n, m = map(int, size.split("x"))
            file = folder / f"{size}.csv"
            profiles = write_labels(file, n, m)
            for command in options.commands:
                row = {"command": command, "n": n, "m": m, "n'": profiles, **run(command, file, folder / size)}
                rows.append(row)
                print(LINE.format(*(row[head] for head in HEADS)), flush=True)
    if options.out:
        write_table(rows, options.out)


def write_labels(file: Path, n: int, m: int) -> int:
    """Write n objects in m base clusterings, if there is no such file; return the number of distinct profiles."""
    if file.exists():
        labels = np.loadtxt(file, delimiter=",", skiprows=1, usecols=range(1, m + 1), dtype=np.int8)
        return len(np.unique(labels, axis=0))
    labels = make_labels(n, m)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["id", *(f"run {i + 1}" for i in range(m))])
        for number, row in enumerate(labels.tolist(), start=1):
            writer.writerow([f"object {number}", *row])
    return len(np.unique(labels, axis=0))


def make_labels(n: int, m: int) -> npt.NDArray[np.int8]:
    """Return m base clusterings of n objects, (n, m)."""
    from sklearn.cluster import MiniBatchKMeans

    rng = np.random.default_rng(SEED)
    classes = np.arange(n) % CLASSES
    centres = 3 * rng.standard_normal((CLASSES, DIMENSIONS))
    spreads = np.linspace(1, 2.5, CLASSES)
    features = centres[classes] + spreads[classes, None] * rng.standard_normal((n, DIMENSIONS))
    labels = np.empty((n, m), dtype=np.int8)
    for run in range(m):
        some = features[:, rng.choice(DIMENSIONS, DIMENSIONS // 2, replace=False)]
        k = int(rng.integers(CLUSTERS[0], CLUSTERS[1] + 1))
        fitted = MiniBatchKMeans(k, n_init=1, random_state=run).fit(some[:FITTED])
        labels[:, run] = fitted.predict(some)
    return labels


def run(command: str, file: Path, out: Path) -> dict[str, Any]:
    """Run a command; return its CPU seconds, its peak memory in MB, and the lines that name a choice."""
    arguments = [each.replace("OUT", str(out)) for each in COMMANDS[command]]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    line = [sys.executable, "-m", "consclust", command, str(file), *arguments]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(line, env={**os.environ, **threads}, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        errors.seek(0)
        said = errors.read()
    if status:
        return {"seconds": "", "MB": "", "chosen": said.strip().splitlines()[-1]}
    seconds = round(usage.ru_utime + usage.ru_stime, 1)
    megabytes = round(usage.ru_maxrss * 1024 / 1e6)
    chosen = [text for text in said.splitlines() if text.startswith("chosen: ")]
    return {"seconds": seconds, "MB": megabytes, "chosen": "; ".join(text.removeprefix("chosen: ") for text in chosen)}


def write_table(rows: list[dict[str, Any]], out: Path) -> None:
    """Write the table."""
    with out.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, HEADS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()

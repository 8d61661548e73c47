"""Compare consclust with other packages of consensus clustering on the same label matrices.

    python benchmarks/peers.py --install                     # environments of the peers in .peers/, clue with apt-get
    python benchmarks/peers.py [--methods EAC ...] [--data digits ...] [--limit 120] [--runs 3] [--out peers.csv]
    python benchmarks/peers.py --peer pce=/path/to/python    # with a Python that can import the peer

The peers: OpenEnsembles and ClusterEnsembles from the package registry (envs/peers/), and clue, a package of R, from
Debian. A fourth, py-cluster-ensemble (PCE), is on GitHub only. To measure it too, clone
HeWenjun824699/py-cluster-ensemble, install it into an environment of its own together with what its import needs (torch
and nilearn among them), and name that environment's Python by ``--peer pce=...``. ClusterEnsembles from GitHub
(tsano430/ClusterEnsembles) can be named in the same way.

Of the methods here that were added last, IVC, SEC, WEAC, GPMGLA, SDGCA and CEHM are in none of the peers, and LCE is in
diceR, a package of R that Debian does not have.

Where a peer is absent, benchmarks/peers_recorded.csv has its seconds in an earlier run, beside those of consclust at
commit 607e97e, on other clusterings of the same data. That commit is then fitted too, with the settings of that run.
The ratio is the recorded one, times by how much consclust has become faster: seconds of 607e97e here / seconds here.

The label matrices are those of speedup.py: 20 clusterings of digits, blobs, Coil20, and the pools LS and USPS; the last
three need the data mirror. Each fit has a process of its own, on one thread, after a first fit of thirty objects. Equal
settings: one start against one start, the same parameters. Prints for each method and label matrix the CPU seconds of
the fit (medians), the peak memory in MB, and the adjusted Rand index with the classes, of both; the ratio of the
seconds (peer / consclust), and whether consclust takes over a tenth longer than a peer with the same method.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from speedup import COMMIT, ROOT, earlier, label_matrix

FOLDER, REQUIREMENTS = ROOT / ".peers", ROOT / "envs/peers"
RECORDED = ROOT / "benchmarks/peers_recorded.csv"
DATA = ["coil20", "digits", "blobs", "LS", "USPS"]  # By size: what exceeds the limit is left out on those that follow
LONG = 5.0  # CPU seconds from which a fit is not repeated
SAME, PROBLEM, RELATIVE = "same method", "same problem", "nearest relative"

HEADS = {
    "method": 12, "peer": 18, "its method": 17, "relation": 18, "data": 8, "n": 6, "n'": 6, "consclust s": 11,
    "peer s": 9, "ratio": 8,
    "consclust MB": 12, "peer MB": 9, "consclust ARI": 13, "peer ARI": 10, "slower": 8, "note": 0,
}  # fmt: skip

FIT = """
import json, sys, time
import numpy as np
method, parameters, k, file, out = json.loads(sys.argv[1])
{imports}
def consensus(labels, k):
{body}
for small in (np.arange(30)[:, None] >> np.arange(4) & 1, np.arange(30)[:, None] // np.arange(2, 6)):
    try:
        consensus(small, 2)
    except Exception:
        pass  # the first fits only import and compile, with fewer and with more clusters than profiles
labels = np.loadtxt(file, delimiter=",", dtype=int)
start = time.process_time()
found = np.asarray(consensus(labels, k)).astype(int)
seconds = time.process_time() - start
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
np.savetxt(out, found, fmt="%d")
print(json.dumps([seconds, peak]))
"""

CONSCLUST = FIT.format(
    imports="""
import inspect
from consclust import methods
""",
    body="""
    method_class = getattr(methods, method)
    seed = {"random_state": 0} if "random_state" in inspect.signature(method_class).parameters else {}
    return method_class(k, **seed, **parameters).fit_predict(labels)
""",
)
OPEN_ENSEMBLES = FIT.format(
    imports="""
import openensembles, pandas
from scipy.cluster.hierarchy import fcluster
""",
    body="""
    frame = pandas.DataFrame(labels.astype(float))
    ensemble = openensembles.cluster(openensembles.data(frame, list(frame)))
    for i, column in enumerate(labels.T):
        ensemble.labels[str(i)], ensemble.params[str(i)] = column, {}
    if method == "co_occ_linkage":  # cut into k clusters, not at a height
        return fcluster(ensemble.co_occurrence_matrix("parent").link("average"), k, "maxclust")
    found = ensemble.mixture_model(k) if method == "mixture_model" else ensemble.finish_majority_vote()
    return found.labels[method]
""",
)
CLUSTER_ENSEMBLES = FIT.format(
    imports="""
try:
    import ClusterEnsembles
except ImportError:
    import ensembleclustering as ClusterEnsembles
""",
    body="""
    labels = labels.T.astype(float)
    return ClusterEnsembles.cluster_ensembles(labels, nclass=k, solver=method, random_state=0)
""",
)
PCE = FIT.format(
    imports="from pce import consensus as pce",
    body="""
    result = getattr(pce, method)(labels, nClusters=k, nBase=labels.shape[1], nRepeat=1, **parameters)
    found = np.asarray((result[0] if isinstance(result, tuple) else result)[0])
    if len(set(found.tolist())) == 1:
        raise SystemExit("one cluster: PCE hides its errors")
    return found
""",
)
CLUE = """
suppressMessages(library(clue))
given <- commandArgs(TRUE)
consensus <- function(labels, k) {
  ensemble <- cl_ensemble(list = lapply(seq_len(ncol(labels)), function(i) as.cl_partition(labels[, i])))
  found <- cl_consensus(ensemble, method = given[1], control = list(k = k))
  as.integer(cl_class_ids(found))
}
set.seed(0)
small <- outer(0:29, 0:3, function(i, j) bitwAnd(bitwShiftR(i, j), 1L))
first <- try(consensus(small, 2L), silent = TRUE)
labels <- as.matrix(read.csv(given[3], header = FALSE))
start <- proc.time()
found <- consensus(labels, as.integer(given[2]))
seconds <- sum((proc.time() - start)[1:2])
status <- grep("VmHWM", readLines("/proc/self/status"), value = TRUE)
write(found, given[4], ncolumns = 1)
cat(sprintf("[%f, %f]\\n", seconds, as.numeric(gsub("[^0-9]", "", status)) / 1024))
"""


class Peer(NamedTuple):
    """A package: the interpreter that can import it, None where it is absent; the program of a fit; PYTHONPATH."""

    interpreter: str | None
    program: str
    path: str = ""

    def command(self, method: str, parameters: dict[str, Any], k: int, file: Path, out: Path) -> list[str]:
        """Return the command of a fit."""
        if self.program == CLUE:
            return [str(self.interpreter), "-e", CLUE, method, str(k), str(file), str(out)]
        return [str(self.interpreter), "-c", self.program, json.dumps([method, parameters, k, str(file), str(out)])]


class Case(NamedTuple):
    """A method here and there, with equal settings."""

    name: str
    peer: str
    its: str
    relation: str = SAME
    parameters: dict[str, Any] = {}
    its_parameters: dict[str, Any] = {}
    recorded_with: dict[str, Any] = {}


ONE = {"n_init": 1}
CASES = [
    Case("EAC", "OpenEnsembles", "co_occ_linkage"),
    Case("EAC single", "OpenEnsembles", "majority_vote", RELATIVE, {"linkage": "single", "criterion": "lifetime"}),
    Case("BCE", "OpenEnsembles", "mixture_model", RELATIVE, ONE),
    Case("BCE", "clue", "SE", RELATIVE, ONE),
    Case("Mixture", "OpenEnsembles", "mixture_model", PROBLEM, ONE),
    Case("Voting", "clue", "DWH", RELATIVE),
    Case("KC", "clue", "HE", RELATIVE, ONE),
    Case("BaumEagon", "clue", "GV3", PROBLEM, ONE),
    Case("CSPA", "ClusterEnsembles", "cspa"),
    Case("HGPA", "ClusterEnsembles", "hgpa", SAME, ONE, recorded_with=ONE),
    Case("MCLA", "ClusterEnsembles", "mcla"),
    Case("NMFC", "ClusterEnsembles", "nmf", SAME, {**ONE, "init": "random", "max_iter": 200, "tol": 0.0}, {}, ONE),
    Case("HBGF", "ClusterEnsembles", "hbgf", PROBLEM, ONE),
    Case("HBGF", "PCE", "usenc", SAME, {"n_init": 3}),
    Case("KCC", "PCE", "kcc_uh", SAME, {"n_init": 5, "init": "random"}, {"rep": 5}),
    Case("KCC Uc", "PCE", "kcc_uc", SAME, {"utility": "U_c", "n_init": 5, "init": "random"}, {"rep": 5}),
    Case("LWEA", "PCE", "lwea", SAME, {"theta": 0.4}, {"theta": 0.4}),
    Case("LWGP", "PCE", "lwgp", SAME, {"theta": 0.4, "n_init": 3}, {"theta": 0.4}),
    Case("ECPCS HC", "PCE", "ecpcs_hc", SAME, {"variant": "HC"}, {}, {"variant": "HC"}),
    Case("ECPCS MC", "PCE", "ecpcs_mc", SAME, {**ONE, "variant": "MC"}, {}, {"variant": "MC"}),
    Case("PTA", "PCE", "ptaal"),
    Case("DREC", "PCE", "drec", SAME, {"lambda_": 100.0, "n_init": 100}, {"lamb": 100}),
    Case("ECCMS", "PCE", "eccms", SAME, {"alpha": 0.8, "lambda_": 0.4}, {"alpha": 0.8, "lamb": 0.4}),
    Case("SPCE", "PCE", "spce", SAME, {"threshold": 0.3}, {"gamma": 0.3}),
    Case("TRCE", "PCE", "trce", SAME, {"lambda_": 1.0}, {"gamma": 1.0}),
]


class Fit(NamedTuple):
    """Medians of a fit; ``note`` says why there is none."""

    seconds: float = np.nan
    megabytes: float = np.nan
    ari: float = np.nan
    note: str = ""


def main() -> None:
    """Print a line for each method, peer and label matrix."""
    options = parse_options()
    if options.install:
        install()
    given = [each.partition("=") for each in options.peer]
    peers = find_peers({name.lower(): interpreter for name, _, interpreter in given})
    cases = CASES
    if options.methods:
        cases = [case for case in CASES if case.name.split()[0] in options.methods]
    mirror = options.data_mirror and Path(options.data_mirror)
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(peers, Path(temporary), mirror, options.limit, options.runs)
        print("".join(f"{head:<{width}}" for head, width in HEADS.items()), flush=True)
        for data in DATA:
            if data in options.data:
                bench.measure(data, cases)
    if options.out:
        import pandas as pd

        pd.DataFrame(bench.rows, columns=list(HEADS)).to_csv(options.out, index=False)


def parse_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="install the peers that are absent, then measure")
    parser.add_argument("--peer", nargs="+", default=[], metavar="NAME=PYTHON", help="a peer's own interpreter")
    parser.add_argument("--methods", nargs="+", help="only these, e.g. EAC")
    parser.add_argument("--data", nargs="+", choices=DATA, default=DATA, help="only these label matrices")
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds that a fit may take")
    parser.add_argument("--runs", type=int, default=3, help="fits of each that takes under 5 seconds")
    parser.add_argument("--data-mirror", type=Path, default=os.environ.get("CONSCLUST_DATA_MIRROR"))
    parser.add_argument("--out", type=Path, help="table to write (CSV)")
    return parser.parse_args()


def install() -> None:
    """Make the environments of the peers that the registry has, and install clue where that is possible."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / ".gitignore").write_text("*\n")
    for name in ("OpenEnsembles", "ClusterEnsembles"):
        folder, requirements = FOLDER / name.lower(), REQUIREMENTS / f"{name.lower()}.txt"
        if (folder / "ready").exists():
            continue
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        done = subprocess.run([*pip, "-r", requirements], capture_output=True, text=True)
        if done.returncode == 0:
            (folder / "ready").touch()
        else:
            print(f"{name} is left out: {last_line(done.stderr)}", flush=True)
    packages = ["r-base-core", "r-cran-clue", "r-cran-quadprog"]
    if not has_clue():
        if os.geteuid() == 0 and shutil.which("apt-get"):
            subprocess.run(["apt-get", "install", "-y", "-qq", *packages], stdout=subprocess.DEVNULL, check=False)
        if not has_clue():
            print(f"clue is left out; it needs the Debian packages {', '.join(packages)}", flush=True)


def has_clue() -> bool:
    """Return whether R has clue and the package that its method GV3 uses."""
    script = shutil.which("Rscript")
    libraries = "library(clue); library(quadprog)"
    return bool(script) and subprocess.run([script, "-e", libraries], capture_output=True).returncode == 0


def find_peers(given: dict[str, str]) -> dict[str, Peer]:
    """Return the peers by name; ``given`` holds interpreters by the peers' names in small letters."""
    programs = {"OpenEnsembles": OPEN_ENSEMBLES, "ClusterEnsembles": CLUSTER_ENSEMBLES, "PCE": PCE, "clue": CLUE}
    unknown = given.keys() - {name.lower() for name in programs}
    if unknown:
        sys.exit(f"--peer: no peer is called {', '.join(sorted(unknown))}; there are {', '.join(programs).lower()}")
    peers = {}
    for name, program in programs.items():
        own = FOLDER / name.lower()
        interpreter = given.get(name.lower()) or (str(own / "bin/python") if (own / "ready").exists() else None)
        if name == "clue" and interpreter is None and has_clue():
            interpreter = shutil.which("Rscript")
        peers[name] = Peer(interpreter, program)
    return peers


class Bench:
    """Measures cases; keeps the rows of the table."""

    def __init__(self, peers: dict[str, Peer], folder: Path, mirror: Path | None, limit: int, runs: int) -> None:
        self._peers, self._folder, self._mirror, self._limit, self._runs = peers, folder, mirror, limit, runs
        self._recorded = read_recorded()
        self._exceeded: set[tuple[str, str]] = set()
        self.rows: list[dict[str, Any]] = []

    def measure(self, data: str, cases: list[Case]) -> None:
        """Fit all cases on one label matrix and print their rows."""
        given = label_matrix(data, self._mirror, self._folder)
        if given is None:
            print(f"{data:<10} is left out: needs the data mirror", flush=True)
            return
        labels, k, classes = np.load(given[0]), given[1], classes_of(data, self._mirror)
        file = self._folder / f"{data}.csv"
        np.savetxt(file, labels, fmt="%d", delimiter=",")
        sizes = {"data": data, "n": len(labels), "n'": len(np.unique(labels, axis=0))}
        done: dict[str, Fit] = {}
        for case in cases:
            name = case.name.split()[0]
            recorded = self._recorded.get((case.name, case.peer, data))
            absent = self._peers[case.peer].interpreter is None
            if absent and recorded is None:
                continue
            if case.name not in done:
                consclust = Peer(sys.executable, CONSCLUST, str(ROOT / "src"))
                done[case.name] = self._fit("consclust", consclust, name, case.parameters, k, file, classes)
            here = done[case.name]
            if absent:
                before = Peer(sys.executable, CONSCLUST, str(self._earlier()))
                then = self._fit(COMMIT, before, name, case.recorded_with, k, file, classes)
                ratio = recorded[1] / recorded[0] * then.seconds / here.seconds
                note = (
                    f"recorded beside {recorded[0]:g} s of {COMMIT}, which takes {then.seconds:.2g} s here {then.note}"
                )
                there = Fit(recorded[1], note=note.strip())
            else:
                there = self._fit(case.peer, self._peers[case.peer], case.its, case.its_parameters, k, file, classes)
                ratio = there.seconds / here.seconds
            self.rows.append(row(case, sizes, here, there, ratio))
            print("".join(f"{shown(self.rows[-1][head]):<{width}}" for head, width in HEADS.items()), flush=True)

    def _earlier(self) -> Path:
        source = self._folder / "src"
        return source if source.exists() else earlier(COMMIT, self._folder)

    def _fit(
        self, name: str, peer: Peer, method: str, parameters: dict[str, Any], k: int, file: Path, classes: Any
    ) -> Fit:
        """Return medians over the runs; nothing is tried that exceeded the limit on a smaller label matrix."""
        if (name, method) in self._exceeded:
            return Fit(note=f"{name}: over {self._limit} s on fewer objects")
        out = self._folder / "found.csv"
        found: list[list[float]] = []
        while len(found) < self._runs and (not found or found[-1][0] < LONG):
            done = limited(peer.command(method, parameters, k, file, out), self._limit, peer.path)
            if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
                if name != "consclust":
                    self._exceeded.add((name, method))
                return Fit(note=f"{name}: over {self._limit} s")
            if done.returncode:
                return Fit(note=f"{name}: {last_line(done.stderr)}")
            found.append(json.loads(done.stdout.splitlines()[-1]))
        from sklearn.metrics import adjusted_rand_score

        seconds, megabytes = (statistics.median(values) for values in zip(*found, strict=True))
        return Fit(seconds, megabytes, float(adjusted_rand_score(classes, np.loadtxt(out, dtype=int))))


def limited(command: list[str], seconds: int, path: str) -> subprocess.CompletedProcess[str]:
    """Run a command on one thread, with a limit on its CPU seconds and a PYTHONPATH."""
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "LOKY_MAX_CPU_COUNT")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + 5, seconds + 10))  # about 5 s for imports

    env = {**os.environ, "PYTHONPATH": path, **dict.fromkeys(threads, "1")}
    return subprocess.run(command, env=env, capture_output=True, text=True, preexec_fn=limit)


def row(case: Case, sizes: dict[str, Any], here: Fit, there: Fit, ratio: float) -> dict[str, Any]:
    """Return a row of the table."""
    slower = "" if case.relation != SAME or np.isnan(ratio) else "yes" if ratio < 1 / 1.1 else "no"
    return {
        "method": case.name, "peer": case.peer, "its method": case.its, "relation": case.relation, **sizes,
        "consclust s": here.seconds, "peer s": there.seconds, "ratio": ratio, "consclust MB": here.megabytes,
        "peer MB": there.megabytes, "consclust ARI": here.ari, "peer ARI": there.ari, "slower": slower,
        "note": "; ".join(filter(None, (here.note, there.note))),
    }  # fmt: skip


def classes_of(data: str, mirror: Path | None) -> npt.NDArray[Any]:
    """Return the classes of the objects of a label matrix."""
    from sklearn.datasets import load_digits, make_blobs

    if data == "digits":
        return load_digits().target
    if data == "blobs":
        return make_blobs(4000, 10, centers=15, cluster_std=4.0, random_state=0)[1]
    if data == "coil20":
        return np.load(ROOT / "results/ensembles/rce/coil20.npz")["classes"]
    from scipy.io import loadmat

    assert mirror is not None
    return loadmat(mirror / f"files/eccms_pools/{data}.mat")["gt"].ravel()


def read_recorded() -> dict[tuple[str, str, str], tuple[float, float]]:
    """Return recorded seconds of consclust and of a peer, by method, peer and label matrix."""
    rows = [line.split(",") for line in RECORDED.read_text().splitlines()[1:]]
    return {(method, peer, data): (float(here), float(there)) for method, peer, data, here, there in rows}


def last_line(text: str) -> str:
    """Return the last line of what a process wrote, short."""
    return ([line for line in text.splitlines() if line.strip()] or ["failed"])[-1].strip()[:120]


def shown(value: Any) -> str:
    """Return a value as the table shows it."""
    if not isinstance(value, float):
        return str(value)
    return "" if np.isnan(value) else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


if __name__ == "__main__":
    main()

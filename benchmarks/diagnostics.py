"""Measure seconds and memory of the diagnostics on many objects, each in a process of its own on one thread.

    python benchmarks/diagnostics.py [--objects 1e6] [--clusterings 20] [--only NAME ...]

The data are those of ``benchmarks/scale.py``: normal objects of 15 classes in 10 dimensions, and base clusterings of 10
to 50 clusters, each a division of the objects by the nearest of k objects drawn at random. The clusters of the
consensus are the classes. "missing" is the same with a tenth of the labels removed at random. Prints the CPU seconds of
the diagnostic, of which those of building the ensemble are no part, and the peak memory of the process. The scores are
those of two random clusterings of half as many clusters as objects; measure them with up to 10^5 objects, as the best
matching takes more than linear time.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from scale import Data

LINE = "{:<32}{:>9}{:>9}"
CALLS = {
    "consensus_values": "diagnostics.consensus_values(ensemble).pac()",
    "item_consensus": "items = diagnostics.item_consensus(ensemble, classes)",
    "item, cluster, silhouette": """
items = diagnostics.item_consensus(ensemble, classes)
diagnostics.cluster_consensus(items, classes), diagnostics.consensus_silhouette(items, classes)
""",
    "cophenetic_correlation": "diagnostics.cophenetic_correlation(ensemble)",
    "track_items": "diagnostics.track_items([classes // 2, classes])",
    "pairwise_agreement": "diagnostics.pairwise_agreement(ensemble, 'NMI')",
    "quality": "diagnostics.quality(ensemble)",
    "influence": "diagnostics.influence(ensemble)",
    "contested": "diagnostics.contested(ensemble)",
    "agreement_weights": "diagnostics.agreement_weights(ensemble)",
    "agreement_with": "diagnostics.agreement_with(ensemble, classes)",
    "score_all": """
n = len(classes)
scores.score_all(*np.random.default_rng(0).integers(n // 2, size=(2, n)))
""",
}
RUN = """
import json, sys, time
import numpy as np
from consclust import diagnostics, scores
from consclust.ensemble import Ensemble
folder, missing, call = json.loads(sys.argv[1])
labels, classes = np.load(folder + "/labels.npy"), np.load(folder + "/classes.npy")
if missing:
    absent = np.random.default_rng(1).random(labels.shape) < 0.1
    absent[absent.all(axis=1), 0] = False
    labels[absent] = -1
ensemble = Ensemble(labels)
start = time.process_time()
exec(call)
seconds = time.process_time() - start
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
print(json.dumps([seconds, peak]))
"""


def main() -> None:
    """Print a line for each diagnostic, with and without missing labels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=float, default=1e6)
    parser.add_argument("--only", nargs="+", choices=CALLS, default=list(CALLS), metavar="NAME", help="only these")
    options = parser.parse_args()
    print(LINE.format("diagnostic", "seconds", "MB"), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Data(Path(temporary)).folder(int(options.objects))
        for missing in (False, True):
            for name in options.only:
                argument = json.dumps([str(folder), missing, CALLS[name]])
                done = subprocess.run([sys.executable, "-c", RUN, argument], capture_output=True, text=True, check=True)
                seconds, megabytes = json.loads(done.stdout)
                title = name + (", missing" if missing else "")
                print(LINE.format(title, f"{seconds:.1f}", f"{megabytes:.0f}"), flush=True)


if __name__ == "__main__":
    main()

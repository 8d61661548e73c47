"""Compare the diagnostics with those of ConsensusClusterPlus (R) on the digits; print a Markdown table.

    python benchmarks/digits_in_r.py --out digits [--objects 600] [--runs 200] [--most 12]

R clusters the first ``--objects`` digits of scikit-learn: for each k from 2 to ``--most``, ConsensusClusterPlus draws
80 % of them ``--runs`` times, and k-means clusters each draw. R's numbers are those of its consensus matrix. The labels
of these runs are written, and the same numbers are computed from them here. ``digits/labels_10.csv`` is the label
matrix of 10 clusters, for ``consclust report digits/labels_10.csv -k 10 --out report``; -1 is an object that a run left
out. Needs Rscript with ConsensusClusterPlus and jsonlite.
"""

import argparse
import json
import subprocess
import time
from pathlib import Path

import numpy as np

from consclust.diagnostics import cluster_consensus, consensus_values, delta_area, item_consensus


def main() -> None:
    """Run R, compute the same numbers, and print both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the labels and R's numbers")
    parser.add_argument("--objects", type=int, default=600)
    parser.add_argument("--runs", type=int, default=200, help="resamplings for each k")
    parser.add_argument("--most", type=int, default=12, help="largest k")
    options = parser.parse_args()
    from sklearn.datasets import load_digits

    options.out.mkdir(parents=True, exist_ok=True)
    features = load_digits().data[: options.objects]
    header = ",".join(f"pixel{j}" for j in range(features.shape[1]))
    np.savetxt(options.out / "features.csv", features, fmt="%g", delimiter=",", header=header, comments="")
    script = Path(__file__).with_suffix(".R")
    subprocess.run(["Rscript", script, options.out, f"{options.most}", f"{options.runs}"], check=True)
    print(table(options.out))


def table(folder: Path) -> str:
    """Return both programs' numbers, and the largest difference of each kind, as Markdown."""
    theirs, start = json.loads((folder / "numbers.json").read_text()), time.perf_counter()
    rows, far = [], 0.0
    for of_k in theirs["of_k"]:
        path = folder / f"labels_{of_k['k']}.csv"
        labels = np.loadtxt(path, delimiter=",", dtype=int, skiprows=1)
        values, consensus = consensus_values(labels), np.array(of_k["consensus"]) - 1
        ours = cluster_consensus(item_consensus(labels, consensus), consensus)
        of_clusters = np.array(of_k["cluster_consensus"], dtype=float)  # NaN for one object alone
        far = max(far, float(np.nanmax(np.abs(ours - of_clusters))))
        rows.append((of_k["k"], of_k["area"], values.area(bins=100), of_k["pac"], values.pac()))
    seconds = time.perf_counter() - start
    k, area, own_area, pac, own_pac = np.array(rows).T
    delta, own_delta = np.array(theirs["delta_area"]), delta_area(own_area)
    lines = [
        "| k | area, R | area, here | delta area, R | delta area, here | PAC, R | PAC, here | largest difference |",
        "| --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    pairs = ((area, own_area), (delta, own_delta), (pac, own_pac))
    apart = np.max([np.abs(one - other) for one, other in pairs], axis=0)
    for i, number in enumerate(k):
        cells = " | ".join(f"{one[i]:.6f} | {other[i]:.6f}" for one, other in pairs)
        lines.append(f"| {number:.0f} | {cells} | {apart[i]:.1e} |")
    made = f"{len(labels)} objects, {labels.shape[1]} runs for each k; {', '.join(theirs['versions'])}."
    lines += ["", f"{made} Cluster consensus of R's clusters: at most {far:.1e} apart."]
    return "\n".join(
        [*lines, f"Seconds: R {theirs['seconds']:.0f}, with k-means; here {seconds:.1f}, from R's labels."]
    )


if __name__ == "__main__":
    main()

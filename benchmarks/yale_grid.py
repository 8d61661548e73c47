"""Compare RCE on the authors' own Yale ensemble, all 810 cells, with a recorded run of the authors' algorithm.

    snakemake --cores 2 rce --config datasets=yale_authors methods=RCE
    python benchmarks/yale_grid.py

The recorded run (tests/oracles/rce_yale_grid.json) has the same consensus matrices (within 8e-12 of the authors'
program) and its own random starts of the discretisation. So the scores agree up to the spread over the starts.
"""

import json
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parent.parent
KEYS = ["subset", "lambda1", "lambda2"]
COLUMNS = {"ACC": "ACC_discretise_mean10", "NMI": "NMI_max_discretise_mean10"}
PUBLISHED = {"ACC": 0.4332, "NMI": 0.4807}
RUN = "snakemake --cores 2 rce --config datasets=yale_authors methods=RCE"
RUNS = ("rce", "rce.datasets-yale_authors.methods-RCE")
TABLES = [ROOT / "results" / run / "scores.parquet" for run in RUNS]


def main() -> None:
    """Print both selections and the differences, for ACC and NMI."""
    table = next((path for path in TABLES if path.exists()), None)
    if table is None:
        sys.exit(f"{TABLES[0]}: no such file; run the study first: {RUN}")
    scores = pd.read_parquet(table).query("case == 'yale_authors' and method == 'RCE' and restart == 'mean'")
    scores = scores.join(scores["parameters"].map(json.loads).apply(pd.Series))
    recorded = json.loads((ROOT / "tests/oracles/rce_yale_grid.json").read_text())
    oracle = pd.DataFrame(recorded["rows"], columns=recorded["columns"]).set_index(KEYS)
    for metric, column in COLUMNS.items():
        ours = scores[scores["metric"] == metric].set_index(KEYS)["value"]
        difference = (ours - oracle[column]).dropna()
        print(
            f"{metric}: {len(difference)} cells, mean difference {difference.mean():+.4f}, "
            f"mean absolute {difference.abs().mean():.4f}, correlation {ours.corr(oracle[column]):.3f}"
        )
        for name, cells in (("here", ours), ("recorded", oracle[column])):
            per_subset = cells.groupby("subset").max().mean()
            common = cells.groupby(["lambda1", "lambda2"]).mean().max()
            print(f"  {name:<9} oracle, per subset {per_subset:.4f}   oracle, common {common:.4f}")
        print(f"  published {PUBLISHED[metric]:.4f}")


if __name__ == "__main__":
    main()

"""Compare RCE with the stopping rule of the study `rce` and RCE with its full 20 x 20 steps: CPU seconds and scores.

    snakemake --cores 2 results/ensembles/rce/coil20.npz
    python benchmarks/rce_early_stop.py coil20 --like mnist_4000 [--subset 0] [--every 2]

Both run over the study's grid (every second value by default) on one subset of base clusterings, in turn and
on one thread. The rule is the one that the study sets for the case, or with --like for another case.
"""

import argparse
import time
from itertools import product
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from concord.datasets.registry import load_registry
from concord.ensemble import Ensemble
from concord.ensembles import store
from concord.methods import RCE
from concord.plan.load import load_study
from concord.scores.metrics import score_many

ROOT = Path(__file__).parent.parent
METRICS = ("ACC", "NMI")


def main() -> None:
    """Print a line for each grid point, then the totals with and without the rule."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", help="case of the study rce")
    parser.add_argument("--like", help="case whose rule is used; default: the case itself")
    parser.add_argument("--subset", type=int, default=0)
    parser.add_argument("--every", type=int, default=2, help="take every n-th value of lambda1 and of lambda2")
    options = parser.parse_args()
    study = load_study(ROOT / "config/studies/rce/study.yaml", load_registry(ROOT / "config/datasets.yaml"))
    rule = study.case(options.like or options.case).parameters.get("RCE")
    if rule is None:
        parser.error(
            f"the study has no rule for {options.like or options.case}; name a case that has one: --like mnist_4000"
        )
    stored = store.load(ROOT / f"results/ensembles/rce/{options.case}.npz")
    ensemble = Ensemble(stored.subset(options.subset))
    grid = study.method("RCE").grid
    points = list(product(grid["lambda1"][:: options.every], grid["lambda2"][:: options.every]))
    print(f"{options.case}, n' = {ensemble.n_profiles}, {len(points)} grid points; rule: {rule}")

    seconds, scores = np.zeros((len(points), 2)), np.zeros((len(points), 2, len(METRICS)))
    with threadpool_limits(1):
        for p, (lambda1, lambda2) in enumerate(points):
            for way, extra in enumerate(({}, rule)):
                start = time.process_time()
                rce = RCE(stored.n_classes, lambda1, lambda2, random_state=0, **extra).fit(ensemble)
                seconds[p, way] = time.process_time() - start
                scores[p, way] = score_many(stored.classes, rce.restart_labels_, METRICS).mean(axis=0)
            print(f"{lambda1:<8g} {lambda2:<8g} CPU s {seconds[p].round(2)}", flush=True)
    full, stopped = seconds.sum(axis=0)
    print(f"CPU seconds: full {full:.1f}, stopped {stopped:.1f}, ratio {full / stopped:.1f}")
    for metric, (whole, early) in zip(METRICS, scores.transpose(2, 1, 0), strict=True):
        moved = early - whole
        print(
            f"{metric}: difference {moved.mean():+.4f}, absolute {np.abs(moved).mean():.4f}, at most "
            f"{np.abs(moved).max():.4f}; best point {whole.max():.4f} full, {early.max():.4f} stopped"
        )


if __name__ == "__main__":
    main()

"""Measure the CPU time of the workflow itself: that of a whole quickstart without methods, k-means and figures.

    python benchmarks/overhead.py [--study quickstart]

Runs the study from the start in a temporary copy of the project. It must be a study on embedded data.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
PARTS = ("Snakefile", "workflow", "config", "studies", "profiles", "src", "envs")


def main() -> None:
    """Run the study and print where its CPU seconds were spent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--study", default="quickstart")
    study = parser.parse_args().study
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, folder / part)
        wall, total = run(folder, study)
        inside = {
            "methods": sum(fits(path) for path in folder.glob(f"results/{study}/consensus/*/*/*.runtime.json")),
            "k-means": sum(logged(path) for path in folder.glob(f"logs/{study}/ensembles/*.log")),
            "figures": sum(logged(path) for path in folder.glob(f"logs/{study}/reports/figure?.log")),
        }
    overhead = total - sum(inside.values())
    for what, seconds in {**inside, "overhead": overhead, "whole run": total}.items():
        print(f"{what:<10}{seconds:>9.1f} CPU s {seconds / total:>7.1%}")
    print(f"{'wall':<10}{wall:>9.1f} s on {os.cpu_count()} cores")


def run(folder: Path, study: str) -> tuple[float, float]:
    """Wall and CPU seconds of Snakemake and all its jobs."""
    env = {**os.environ, "PYTHONPATH": str(folder / "src")}
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--quiet", "all", "--", study]
    subprocess.run(command, cwd=folder, env=env, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - start, cpu


def fits(runtime: Path) -> float:
    """CPU seconds inside the fits of a consensus job."""
    return float(sum(map(sum, json.loads(runtime.read_text())["cpu_seconds"])))


def logged(log: Path) -> float:
    """CPU seconds in the log of a job."""
    found = re.search(r"([\d.]+) CPU s$", log.read_text(), re.MULTILINE)
    if not found:
        sys.exit(f"{log}: no line that ends in 'CPU s'")
    return float(found[1])


if __name__ == "__main__":
    main()

"""``python -m consclust ensembles``: base clusterings of one case."""

import argparse
from pathlib import Path

from consclust_studies.stages import prepare as prepared
from consclust_studies.stages.base_clusterings import make
from consclust_studies.stages.ensembles_job import EnsembleJob


def main(arguments: list[str]) -> None:
    """Run the stage with command line ``arguments``."""
    parser = argparse.ArgumentParser(prog="python -m consclust ensembles", description=__doc__)
    parser.add_argument("--spec", required=True, metavar="JSON", help="an EnsembleJob, as snakemake -p shows it")
    parser.add_argument("--data", type=Path, required=True, metavar="NPZ", help="prepared data set")
    parser.add_argument("--ready", type=Path, metavar="FILE", help="the file of a ready-made ensemble")
    parser.add_argument("--out", type=Path, required=True, metavar="NPZ")
    options = parser.parse_args(arguments)
    job = EnsembleJob.of_text(options.spec, "--spec")
    make(job, prepared.load(options.data, job.data), options.ready, options.out)

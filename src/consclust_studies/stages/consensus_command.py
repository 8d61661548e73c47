"""``python -m consclust consensus``: one method on one case, its grid, over a block of subsets."""

import argparse
from pathlib import Path
from typing import Any

from consclust.errors import InputError
from consclust.files import read_record
from consclust_studies.specs import check_made_for
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.consensus import run
from consclust_studies.stages.consensus_job import ConsensusJob
from consclust_studies.stages.consensus_unlabelled import job_of_text, with_number_of_clusters


def main(arguments: list[str]) -> None:
    """Run the stage with command line ``arguments``."""
    parser = argparse.ArgumentParser(prog="python -m consclust consensus", description=__doc__)
    parser.add_argument("--spec", required=True, metavar="JSON", help="a ConsensusJob, as snakemake -p shows it")
    parser.add_argument("--subsets", type=_block, required=True, metavar="FIRST-LAST", help="from 0, inclusive")
    parser.add_argument("--ensemble", type=Path, required=True, metavar="NPZ", help="base clusterings of the case")
    parser.add_argument("--data", type=Path, metavar="NPZ", help="prepared data set, for a method that needs features")
    parser.add_argument("--race", type=Path, metavar="JSON", help="the points that stay, of 'scores race'")
    parser.add_argument("--out", type=Path, required=True, metavar="NPZ", help="labels")
    parser.add_argument("--runtime", type=Path, required=True, metavar="JSON", help="seconds and memory")
    options = parser.parse_args(arguments)
    job = job_of_text(options.spec, "--spec")
    features = read_features(job, options.data) if options.data else None
    stay = read_race(job, options.race) if options.race else None
    stored = with_number_of_clusters(job, store.load(options.ensemble, job.ensemble))
    run(job, options.subsets, stored, options.out, options.runtime, features, stay)


def read_features(job: ConsensusJob, data: Path) -> Any:
    """Return the features in a prepared data set, (n, d); InputError if it has none, or was made for another spec."""
    from consclust_studies.stages import prepare as prepared

    features = prepared.load(data, job.data).X
    if not features.shape[1]:
        raise InputError(f"{data}: no features, and {job.method_id} needs some; let case {job.case} omit it")
    return features


def read_race(job: ConsensusJob, path: Path) -> list[int]:
    """Return the grid points that stay after a race; InputError for a damaged file, or one that is of another job."""
    race = read_record(path)
    check_made_for(path, race["spec"], job.digest)
    return [int(point) for point in race["points"]]


def _block(text: str) -> list[int]:
    first, last = map(int, text.split("-"))
    return list(range(first, last + 1))

"""``python -m consclust labels``: consensus of a label matrix in pieces, of objects without features or classes."""

import argparse
from pathlib import Path

from consclust_studies.stages import pieces as run
from consclust_studies.stages.labels_job import LabelsJob, MergeJob, ProfilesJob


def main(arguments: list[str]) -> None:
    """Run the stage with command line ``arguments``."""
    parser = argparse.ArgumentParser(prog="python -m consclust labels", description=__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    profiles = jobs.add_parser("profiles", help="the distinct rows of a piece")
    merge = jobs.add_parser("merge", help="the distinct rows of all pieces")
    consensus = jobs.add_parser("consensus", help="a method on all distinct rows")
    label = jobs.add_parser("label", help="the consensus labels of the objects of a piece")
    sizes = jobs.add_parser("sizes", help="the number of objects in each cluster")
    for job in (profiles, merge, consensus, label):
        job.add_argument("--spec", required=True, metavar="JSON", help="the job, as snakemake -p shows it")
    for job in (profiles, merge, consensus, label, sizes):
        job.add_argument("--out", required=True, type=Path, metavar="FILE", help="file to write")
    label.add_argument("--consensus", required=True, type=Path, metavar="NPZ", help="of 'consensus'")
    for job in (consensus, label):
        job.add_argument("--merged", required=True, type=Path, metavar="NPZ", help="of 'merge'")
    profiles.add_argument("piece", type=Path, metavar="PARQUET", help="objects in rows, base clusterings in columns")
    label.add_argument("piece", type=Path, metavar="NPZ", help="of 'profiles'")
    for job in (merge, sizes):
        job.add_argument("pieces", nargs="+", type=Path, metavar="FILE", help="of all pieces")
    options = parser.parse_args(arguments)
    if options.job == "profiles":
        run.profiles(ProfilesJob.of_text(options.spec, "--spec"), options.piece, options.out)
    elif options.job == "merge":
        run.merge(MergeJob.of_text(options.spec, "--spec"), options.pieces, options.out)
    elif options.job == "consensus":
        run.consensus(LabelsJob.of_text(options.spec, "--spec"), options.merged, options.out)
    elif options.job == "label":
        own = LabelsJob.of_text(options.spec, "--spec")
        run.label(own, options.consensus, options.merged, options.piece, options.out)
    else:
        run.sizes(options.pieces, options.out)

"""``python -m consclust scores``: the scores on a case, those of a study, those on unseen objects."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from consclust_studies.stages.score_jobs import CollectJob, ScoreJob, UnseenJob


def main(argv: Sequence[str] | None = None) -> None:
    """Run a job by its name; InputError for files that are damaged or made with other settings."""
    options = _parser().parse_args(argv)
    if options.job == "case":
        from consclust_studies.stages.score import score_case

        score_case(ScoreJob.of_text(options.spec, "--spec"), options.ensemble, options.blocks, options.out)
    elif options.job == "collect":
        from consclust_studies.stages.collect import collect

        collect(CollectJob.of_text(options.spec, "--spec"), options.cases, {path.name: path for path in options.out})
    elif options.job == "race":
        from consclust_studies.stages.consensus_job import ConsensusJob
        from consclust_studies.stages.races import run_race

        run_race(ConsensusJob.of_text(options.spec, "--spec"), options.ensemble, options.blocks, options.out)
    else:
        from consclust_studies.stages import prepare as prepared
        from consclust_studies.stages.unseen_objects import write_scores

        job = UnseenJob.of_text(options.spec, "--spec")
        write_scores(job, prepared.load(options.data, job.data), options.out)


def _parser() -> argparse.ArgumentParser:
    summary = "Score consensus labels against the classes and take the selections of tuned methods."
    parser = argparse.ArgumentParser(prog="python -m consclust scores", description=summary)
    jobs = parser.add_subparsers(dest="job", required=True, metavar="{case,collect,race,unseen}")
    case = jobs.add_parser("case", help="score all methods of a study on one case")
    collect = jobs.add_parser("collect", help="join the cases, take the selections")
    race = jobs.add_parser("race", help="choose the grid points that run on the other subsets of a case")
    unseen = jobs.add_parser("unseen", help="score the labels of unseen objects on one case")
    for job in (case, collect, race, unseen):
        job.add_argument("--spec", required=True, metavar="JSON", help="the job, as snakemake -p shows it")
    for job in (case, unseen):
        job.add_argument("--out", required=True, type=Path, metavar="PARQUET", help="table to write")
    race.add_argument("--out", required=True, type=Path, metavar="JSON", help="file to write")
    for job in (case, race):
        job.add_argument("--ensemble", required=True, type=Path, metavar="NPZ", help="base clusterings and classes")
        job.add_argument("blocks", nargs="+", type=Path, metavar="BLOCK", help="consensus labels")
    collect.add_argument("--cases", required=True, nargs="+", type=Path, metavar="PARQUET", help="tables of 'case'")
    collect.add_argument("--out", required=True, nargs="+", type=Path, metavar="FILE", help="tables to write")
    unseen.add_argument("--data", required=True, type=Path, metavar="NPZ", help="prepared data set")
    return parser

"""``python -m concord scores``: the stage as two jobs, one per case and one per study."""

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from concord.config.files import read_study
from concord.config.study import Study
from concord.errors import InputError
from concord.scores.blocks import by_method

log = logging.getLogger("concord")


def main(argv: Sequence[str] | None = None) -> None:
    """Run ``case``, ``collect`` or ``generalisation``; see ``--help``.

    Raises
    ------
    InputError
        For files that are missing, damaged, or of another study.
    """
    arguments = _parser().parse_args(argv)
    study = read_study(arguments.study)
    if arguments.job == "case":
        _case(study, arguments)
    elif arguments.job == "generalisation":
        _generalisation(study, arguments)
    else:
        from concord.scores.collect import collect, collect_readings

        job = collect_readings if arguments.readings else collect
        job(study, arguments.cases, arguments.blocks, arguments.out_dir)


def _case(study: Study, arguments: argparse.Namespace) -> None:
    from concord.scores.table import score_case

    for path in arguments.blocks:
        if path.parent.parent.name != arguments.case:
            raise InputError(
                f"{path}: lies in the folder of case {path.parent.parent.name}, not of {arguments.case}; "
                "give the blocks of one case: consensus/<case>/<method>/<first>-<last>.npz"
            )
    if arguments.readings:
        study = _reading(study, arguments.case)
    score_case(study, arguments.case, arguments.ensemble, by_method(arguments.blocks), arguments.out)
    log.info("%s: %s: wrote %s", study.id, arguments.case, arguments.out)


def _generalisation(study: Study, arguments: argparse.Namespace) -> None:
    from concord.datasets import prepared
    from concord.datasets.registry import load_registry
    from concord.scores.generalisation import Experiment, write_scores

    cases = {case.id: case for case in study.generalised()}
    if arguments.case not in cases:
        known = ", ".join(cases) or "none"
        raise InputError(f"--case {arguments.case}: not in generalisation.cases of {study.id} ({known})")
    case = cases[arguments.case]
    steps = case.steps(load_registry()[case.dataset])
    # z-scores of z-scores are those of the raw features, so the prepared file will do for any training part
    standardised = steps[-1:] == ("zscore",)
    dataset = prepared.load(arguments.data)
    write_scores(Experiment(study, case, dataset, standardised, arguments.seed), arguments.out)
    log.info("%s: %s: wrote %s", study.id, case.id, arguments.out)


def _reading(study: Study, case_id: str) -> Study:
    for other in study.readings_by_case():
        if other.cases[0].id == case_id:
            return other
    raise InputError(f"{study.id}: readings: none of them runs on the case {case_id}; leave --readings out")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m concord scores",
        description="Score consensus labels against the classes, read out parameters, test significance.",
    )
    jobs = parser.add_subparsers(dest="job", required=True, metavar="{case,collect,generalisation}")

    case = jobs.add_parser(
        "case",
        help="score all methods of a study on one case",
        description="Score all methods of a study on one case (data set) and write one tidy Parquet table.",
    )
    _add_study(case)
    _add_readings(case)
    case.add_argument("--case", required=True, metavar="ID", help="case of the study, e.g. jaffe")
    case.add_argument(
        "--ensemble", required=True, type=Path, metavar="NPZ", help="base clusterings and classes"
    )
    case.add_argument("--out", required=True, type=Path, metavar="PARQUET", help="table to write")
    case.add_argument(
        "blocks",
        nargs="+",
        type=Path,
        metavar="BLOCK",
        help="consensus labels, consensus/<case>/<method>/<first>-<last>.npz; the folder names the method",
    )

    collect = jobs.add_parser(
        "collect",
        help="join the cases, take the readings, run the tests",
        description="Write scores, selected (.parquet, .csv), pvalues, failures and notes (.csv) of a study.",
    )
    _add_study(collect)
    _add_readings(collect)
    collect.add_argument("--out-dir", required=True, type=Path, metavar="DIR", help="folder to write to")
    collect.add_argument(
        "--cases", required=True, nargs="+", type=Path, metavar="PARQUET", help="tables written by 'case'"
    )
    collect.add_argument(
        "--blocks",
        required=True,
        nargs="+",
        type=Path,
        metavar="BLOCK",
        help="consensus labels, for failures",
    )

    unseen = jobs.add_parser(
        "generalisation",
        help="score the labels of unseen objects on one case",
        description="Split the objects, cluster the training ones, label and score the others (Parquet).",
    )
    _add_study(unseen)
    unseen.add_argument("--case", required=True, metavar="ID", help="case of the study, e.g. iris")
    unseen.add_argument("--data", required=True, type=Path, metavar="NPZ", help="prepared data set")
    unseen.add_argument("--seed", required=True, type=int, help="seed of the configuration")
    unseen.add_argument("--out", required=True, type=Path, metavar="PARQUET", help="table to write")
    return parser


def _add_study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--study",
        required=True,
        type=Path,
        metavar="JSON",
        help="the resolved study, results/<study>/study.json",
    )


def _add_readings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--readings",
        action="store_true",
        help="the study's other readings of the paper, not the study itself",
    )

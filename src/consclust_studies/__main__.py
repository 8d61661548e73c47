"""The stages as subcommands: ``python -m consclust STAGE ...``; every job of the workflow is such a line."""

import argparse
import importlib
import logging
import sys
import traceback
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path

from consclust.errors import InputError
from consclust.extras import needs
from consclust.files import write_text

STAGES = {
    "datasets": ("consclust_studies.stages.datasets_command", "fetch and prepare data sets"),
    "ensembles": ("consclust_studies.stages.ensembles_command", "base clusterings"),
    "consensus": ("consclust_studies.stages.consensus_command", "one method on one case, its whole grid"),
    "labels": ("consclust_studies.stages.labels_command", "consensus of a label matrix in pieces"),
    "scores": ("consclust_studies.stages.scores_command", "scores and selections"),
    "reports": ("consclust_studies.document.command", "tables, figures, the report"),
}
TABULAR = {"scores", "reports"}
"""Stages that read or write data frames."""


class NoPandas(MetaPathFinder):
    """Hides pandas from scikit-learn, which imports it where it is installed: half a CPU second of each short job."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Refuse pandas, and find nothing else."""
        if fullname == "pandas":
            raise ModuleNotFoundError(f"{fullname} is not used in this stage", name=fullname)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a stage; return 0, or 1 after a message."""
    parser = argparse.ArgumentParser(
        prog="python -m consclust",
        description="Run one stage by hand, with the line that snakemake -p shows.",
        epilog="\n".join(f"  {stage:<12}{what}" for stage, (_, what) in STAGES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--log", type=Path, help="file that keeps the messages and, first, any error")
    parser.add_argument("stage", choices=STAGES, metavar="STAGE", help="see below; STAGE --help says more")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    options = parser.parse_args(arguments)

    logger = logging.getLogger("consclust")
    logger.setLevel(logging.INFO)
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if options.log:
        options.log.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(options.log, mode="w", encoding="utf-8"))
    for handler in handlers:
        logger.addHandler(handler)
    try:
        with needs("report" if options.stage == "reports" else "workflow"):
            importlib.import_module(STAGES[options.stage][0]).main(options.arguments)
    except InputError as mistake:
        return _fail(str(mistake), options.log)
    except Exception as broken:
        return _fail(f"{broken}\n{traceback.format_exc()}", options.log)
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()
    return 0


def _fail(error: str, log: Path | None) -> int:
    """Say the error on the terminal and put it first in the log."""
    print(error, file=sys.stderr)
    if log:
        write_text(log, f"{error}\n{log.read_text(encoding='utf-8')}")
    return 1


if __name__ == "__main__":
    if not TABULAR & {*sys.argv}:
        sys.meta_path.insert(0, NoPandas())
    sys.exit(main())

"""``python -m consclust_studies``: what the rules call; a job can be repeated with the line of ``snakemake -p``."""

import argparse
import logging
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path

from consclust.environment import refuse_former_names
from consclust.errors import InputError
from consclust.files import write_text
from consclust_studies.code.loaded import record_sources
from consclust_studies.progress import RESULT, make_terminal_handler


class NoPandas(MetaPathFinder):
    """Hides pandas from scikit-learn, which imports it where it is installed: half a CPU second of each short job."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Refuse pandas, and find nothing else."""
        if fullname == "pandas":
            raise ModuleNotFoundError(f"{fullname} is not used in this job", name=fullname)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do a job; return 0, or 1 after a message."""
    parser = argparse.ArgumentParser(prog="python -m consclust_studies", description="Do one job of a run.")
    parser.add_argument("job", type=Path, help="the file of the job, which the workflow writes: see `snakemake -p`")
    parser.add_argument("--log", type=Path, help="file that keeps the messages and, first, any error")
    options = parser.parse_args(arguments)
    logger = logging.getLogger("consclust")
    logger.setLevel(logging.INFO)
    handlers = [make_terminal_handler()]
    if options.log:
        options.log.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(options.log, mode="w", encoding="utf-8"))
    for handler in handlers:
        logger.addHandler(handler)
    try:
        refuse_former_names()
        record_sources()
        from consclust_studies.runner import run_job_file

        with warnings.catch_warnings():
            # a line for each restart; the report counts the fits with fewer clusters than classes
            warnings.filterwarnings("ignore", "Number of distinct clusters")
            logger.info("%s", run_job_file(options.job), extra=RESULT)
    except InputError as mistake:
        return fail(str(mistake), options.log)
    except Exception as broken:
        return fail(f"{broken}\n{traceback.format_exc()}", options.log)
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()
    return 0


def fail(error: str, log: Path | None) -> int:
    """Say the error on the terminal and put it first in the log."""
    print(error, file=sys.stderr)
    if log:
        write_text(log, f"{error}\n{log.read_text(encoding='utf-8')}")
    return 1


def uses_pandas(path: str) -> bool:
    """Whether jobs of the kind that a job's file is named after use pandas."""
    from consclust_studies.kinds import KINDS

    kind = KINDS.get(Path(path).name.rpartition("-")[0])
    return kind is None or kind.uses_pandas


if __name__ == "__main__":
    if len(sys.argv) > 1 and not uses_pandas(sys.argv[1]):
        sys.meta_path.insert(0, NoPandas())
    sys.exit(main())

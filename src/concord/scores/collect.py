"""All cases of a study in one table, the readings taken from it, the tests, the failures."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from concord.config import Study
from concord.errors import InputError
from concord.files import RERUN, write_text
from concord.scores.blocks import Block
from concord.scores.selection import select
from concord.scores.significance import pairwise
from concord.scores.table import COLUMNS, compact, write_parquet

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("concord")

FAILURE_COLUMNS = ("case", "method", "subset", "parameters", "reason")


def collect(study: Study, case_parquets: Sequence[Path], blocks: Sequence[Path], out_dir: Path) -> None:
    """Write ``scores`` and ``selected`` (.parquet, .csv), ``pvalues.csv`` and ``failures.csv``.

    Parameters
    ----------
    study : Study
        The study, resolved and restricted.
    case_parquets : sequence of Path
        The table of :func:`concord.scores.table.score_case` of every case, in any order.
    blocks : sequence of Path
        The files of the consensus stage, ``<case>/<method>/<first>-<last>.npz``; read for their failures.
    out_dir : Path
        Folder for the results.

    Raises
    ------
    InputError
        If a case is missing, given twice, or of another study; if a block does not belong to the study.
    """
    scores = _scores(study, case_parquets)
    failures = _failures(study, blocks)
    selected = select(study, scores)
    for name, frame in (("scores", scores), ("selected", selected)):
        write_parquet(
            {str(name): values.tolist() for name, values in frame.items()}, out_dir / f"{name}.parquet"
        )
        _write_csv(frame, out_dir / f"{name}.csv")
    _write_csv(pairwise(study, selected), out_dir / "pvalues.csv")
    _write_csv(failures, out_dir / "failures.csv")
    log.info("%s: %d scores of %d cases, %d failures", study.id, len(scores), len(study.cases), len(failures))


def _scores(study: Study, paths: Sequence[Path]) -> "pd.DataFrame":
    """Concatenate the tables of the cases in the order of the study."""
    import pandas as pd

    tables: dict[str, tuple[Path, pd.DataFrame]] = {}
    for path in paths:
        table = _read(path)
        case = _only_case(study, path, table)
        if case in tables:
            raise InputError(f"{path}: case {case} is also in {tables[case][0]}; give one file for each case")
        tables[case] = (path, table)
    if missing := [case.id for case in study.cases if case.id not in tables]:
        raise InputError(f"{study.id}: no scores of case {missing[0]}; run its scores job first")
    return pd.concat([tables[case.id][1] for case in study.cases], ignore_index=True)


def _read(path: Path) -> "pd.DataFrame":
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        frame: pd.DataFrame = pq.read_table(path).to_pandas()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run the scores job of this case") from None
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{path}: not a readable Parquet file ({str(error).splitlines()[0]}); {RERUN}"
        ) from None
    if tuple(frame.columns) != COLUMNS:
        raise InputError(
            f"{path}: columns {', '.join(frame.columns)}; expected {', '.join(COLUMNS)}; {RERUN}"
        )
    return frame


def _only_case(study: Study, path: Path, table: "pd.DataFrame") -> str:
    found = table[["study", "case"]].drop_duplicates().to_numpy().tolist()
    if len(found) != 1 or found[0][0] != study.id or found[0][1] not in {case.id for case in study.cases}:
        names = ", ".join(f"{s}/{c}" for s, c in found) or "no scores at all"
        raise InputError(
            f"{path}: holds {names}; expected one case of the study {study.id}; leave the file out"
        )
    return str(found[0][1])


def _failures(study: Study, paths: Sequence[Path]) -> "pd.DataFrame":
    """List the failed cells in the order of the study."""
    import pandas as pd

    cases = [case.id for case in study.cases]
    methods = [run.id for run in study.methods]
    found = []
    for path in paths:
        case, method = path.parent.parent.name, path.parent.name
        if case not in cases or method not in methods:
            raise InputError(f"{path}: {case}/{method} is not in the study {study.id}; leave the file out")
        run = study.method(method)
        for failure in Block(path, run).failures:
            place = (cases.index(case), methods.index(method), failure.subset, failure.point)
            found.append(
                (place, (case, method, failure.subset, compact(run.points[failure.point]), failure.reason))
            )
    return pd.DataFrame([record for _, record in sorted(found)], columns=list(FAILURE_COLUMNS))


def _write_csv(frame: "pd.DataFrame", path: Path) -> None:
    write_text(path, frame.to_csv(index=False, float_format="%.10g", lineterminator="\n"))

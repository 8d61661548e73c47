"""All cases of a study in one table, the readings taken from it, the tests, the failures."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from concord.config.study import Study
from concord.config.values import Value
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
NOTE_COLUMNS = ("case", "method", "subset", "parameters", "note")


def collect(study: Study, case_parquets: Sequence[Path], blocks: Sequence[Path], out_dir: Path) -> None:
    """Write ``scores`` and ``selected`` (.parquet, .csv), ``pvalues``, ``failures`` and ``notes`` (.csv).

    Parameters
    ----------
    study : Study
        The study, resolved and restricted.
    case_parquets : sequence of Path
        The table of :func:`concord.scores.table.score_case` of every case, in any order.
    blocks : sequence of Path
        The files of the consensus stage, ``<case>/<method>/<first>-<last>.npz``; read for failures and notes.
    out_dir : Path
        Folder for the results.

    Raises
    ------
    InputError
        If a case is missing, given twice, or of another study; if a block does not belong to the study.
    """
    selected = _gather([study], case_parquets, blocks, out_dir)
    _write_csv(pairwise(study, selected), out_dir / "pvalues.csv")


def collect_readings(
    study: Study, case_parquets: Sequence[Path], blocks: Sequence[Path], out_dir: Path
) -> None:
    """Do for the study's readings what :func:`collect` does for the study, but test nothing."""
    _gather(study.readings_by_case(), case_parquets, blocks, out_dir)


def _gather(
    studies: Sequence[Study], case_parquets: Sequence[Path], blocks: Sequence[Path], out_dir: Path
) -> "pd.DataFrame":
    """Write what studies of different cases have in common as one table of each kind; return the selected."""
    import pandas as pd

    scores = _scores(studies, case_parquets)
    failures, notes = _remarks(studies, blocks)
    selected = pd.concat([select(study, scores) for study in studies], ignore_index=True)
    for name, frame in (("scores", scores), ("selected", selected)):
        write_parquet(
            {str(name): values.tolist() for name, values in frame.items()}, out_dir / f"{name}.parquet"
        )
        _write_csv(frame, out_dir / f"{name}.csv")
    _write_csv(failures, out_dir / "failures.csv")
    _write_csv(notes, out_dir / "notes.csv")
    log.info("%s: %d scores, %d failures, %d notes", out_dir, len(scores), len(failures), len(notes))
    return selected


def _scores(studies: Sequence[Study], paths: Sequence[Path]) -> "pd.DataFrame":
    """Concatenate the tables of the cases in the order of the studies."""
    import pandas as pd

    cases = [case.id for study in studies for case in study.cases]
    tables: dict[str, tuple[Path, pd.DataFrame]] = {}
    for path in paths:
        table = _read(path)
        case = _only_case(studies[0].id, cases, path, table)
        if case in tables:
            raise InputError(f"{path}: case {case} is also in {tables[case][0]}; give one file for each case")
        tables[case] = (path, table)
    if missing := [case for case in cases if case not in tables]:
        raise InputError(f"{studies[0].id}: no scores of case {missing[0]}; run its scores job first")
    return pd.concat([tables[case][1] for case in cases], ignore_index=True)


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


def _only_case(study_id: str, cases: Sequence[str], path: Path, table: "pd.DataFrame") -> str:
    found = table[["study", "case"]].drop_duplicates().to_numpy().tolist()
    if len(found) != 1 or found[0][0] != study_id or found[0][1] not in cases:
        names = ", ".join(f"{s}/{c}" for s, c in found) or "no scores at all"
        raise InputError(
            f"{path}: holds {names}; expected one case of the study {study_id}; leave the file out"
        )
    return str(found[0][1])


def _remarks(studies: Sequence[Study], paths: Sequence[Path]) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """List the failed cells, and the notes, in the order of the studies."""
    import pandas as pd

    runs = {(case.id, run.id): run for study in studies for case in study.cases for run in study.runs(case)}
    order = list(runs)
    failures, notes = [], []
    for path in paths:
        pair = path.parent.parent.name, path.parent.name
        if pair not in runs:
            raise InputError(
                f"{path}: {'/'.join(pair)} is not in the study {studies[0].id}; leave the file out"
            )
        block, points = Block(path, runs[pair]), runs[pair].points
        failures += [
            (order.index(pair), f.subset, f.point, points[f.point], f.reason) for f in block.failures
        ]
        notes += [(order.index(pair), n.subset, n.point, points[n.point], n.note) for n in block.notes]

    def frame(
        found: list[tuple[int, int, int, dict[str, Value], str]], columns: Sequence[str]
    ) -> pd.DataFrame:
        found.sort(key=lambda record: record[:3])
        rows = [(*order[i], subset, compact(point), text) for i, subset, _, point, text in found]
        return pd.DataFrame(rows, columns=list(columns))

    return frame(failures, FAILURE_COLUMNS), frame(notes, NOTE_COLUMNS)


def _write_csv(frame: "pd.DataFrame", path: Path) -> None:
    write_text(path, frame.to_csv(index=False, float_format="%.10g", lineterminator="\n"))

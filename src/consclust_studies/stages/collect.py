"""All cases of a study in one table, and the selections taken from it."""

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from consclust.errors import InputError
from consclust.files import write_csv
from consclust_studies.stages.score_jobs import CollectJob
from consclust_studies.stages.score_tables import read_table, write_table
from consclust_studies.stages.selection import select

log = logging.getLogger("consclust")


def collect(job: CollectJob, tables: Sequence[Path], out: Mapping[str, Path]) -> None:
    """Write ``scores`` and ``selected``, as Parquet and as CSV.

    ``tables`` are those of :func:`consclust_studies.stages.score.score_case` of every case, in the order of
    ``job.scores``; ``out`` names the files to write: scores.parquet, scores.csv, selected.parquet, selected.csv.
    InputError if a table is missing, damaged, or was made with other settings.
    """
    import pandas as pd

    if len(tables) != len(job.scores):
        raise InputError(f"--cases: {len(tables)} tables given, {len(job.scores)} planned: {', '.join(job.scores)}")
    found = [read_table(path, digest) for path, digest in zip(tables, job.scores.values(), strict=True)]
    scores = pd.concat([frame for frame, _ in found], ignore_index=True)
    remarks = {kind: [row for _, extra in found for row in json.loads(extra[kind])] for kind in ("failures", "notes")}
    extra = {kind: json.dumps(rows) for kind, rows in remarks.items()}
    selected = pd.concat([select(experiment, scores) for experiment in job.experiments], ignore_index=True)
    for name, frame in (("scores", scores), ("selected", selected)):
        columns = {str(column): values.tolist() for column, values in frame.items()}
        write_table(columns, out[f"{name}.parquet"], job.json_text, extra)
        write_csv(out[f"{name}.csv"], frame)
    counts = ", ".join(f"{len(rows)} {kind}" for kind, rows in remarks.items())
    log.info("%s: %d scores, %s", out["scores.parquet"], len(scores), counts)

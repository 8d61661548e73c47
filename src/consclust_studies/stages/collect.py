"""All cases of a study in one table, and the selections taken from it."""

# pandas is imported where needed, so that what does without it starts faster

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from consclust.errors import InputError
from consclust.files import write_csv
from consclust.plurals import count
from consclust_studies.code import Code
from consclust_studies.config.cases import Case
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.contents import OF_MAKERS, marks_of
from consclust_studies.job_files import Files
from consclust_studies.makers import Makers
from consclust_studies.specs import Spec
from consclust_studies.stages.grid_points import POINTS, join_points, read_points, spell_out
from consclust_studies.stages.label_blocks import REMARKS
from consclust_studies.stages.score_tables import read_table, write_table
from consclust_studies.stages.selection import select
from consclust_studies.stamps import Stamp


class CollectJob(Spec):
    """What the scores of a study and their selections depend on: its experiment, or one for each case of a variant."""

    kind: ClassVar = "collect"

    experiments: tuple[Experiment, ...]
    scores: dict[str, str]
    """Digest of the spec of the scores, by case."""

    def code_behind(self) -> Code:
        """Return what joins the scores and takes the selections."""
        return Code(("consclust_studies.stages.collect.collect",))


def reduce_to_scored(experiment: Experiment) -> Experiment:
    """Return what selections depend on: no parameters, no preprocessing, no variants."""
    return Experiment(
        id=experiment.id,
        cases=tuple(Case(dataset=case.dataset, id=case.id) for case in experiment.cases),
        ensemble=experiment.ensemble,
        subsets=experiment.n_subsets,
        base_clusterings=experiment.base_clusterings,
        methods=tuple(
            MethodRun(id=run.id, method=run.method, grid=run.grid, default=run.default) for run in experiment.methods
        ),
        metrics=experiment.metrics,
        restarts=experiment.restarts,
        selected_by=experiment.selected_by,
        one_job_a_case=experiment.one_job_a_case,
    )


def run(job: CollectJob, files: Files) -> str:
    """Do the job; return what it joined, for the log."""
    out = {path.name: path for paths in files.outputs.values() for path in paths}
    rows = collect(job, files.several("scores"), out, files.stamp)
    return f"{count(len(job.scores), 'case')}, {count(rows, 'score', ',')}"


def collect(job: CollectJob, tables: Sequence[Path], out: Mapping[str, Path], stamp: Stamp | None = None) -> int:
    """Write ``scores`` and ``selected``, as Parquet and as CSV; return the number of scores.

    ``tables`` are those of :func:`consclust_studies.stages.score.score_case` of every case, in the order of
    ``job.scores``; ``out`` names the files to write: scores.parquet, scores.csv, selected.parquet, selected.csv.
    InputError if a table is missing, damaged, or was made with other settings.
    """
    import pandas as pd

    if len(tables) != len(job.scores):
        facts = f"{count(len(tables), 'table')} given, {len(job.scores)} planned"
        raise InputError(f"{job.experiments[0].id}: {facts}: {', '.join(job.scores)}")
    found = [read_table(path, digest) for path, digest in zip(tables, job.scores.values(), strict=True)]
    texts = _join_texts([texts for _, texts in found])
    scores = pd.concat([frame for frame, _ in found], ignore_index=True)
    selected = pd.concat([select(experiment, scores) for experiment in job.experiments], ignore_index=True)
    points = read_points(texts[POINTS])
    # Parquet for the jobs, CSV for people, with parameters in place of the number of a grid point
    for name, frame in (("scores", scores), ("selected", selected)):
        columns = {str(column): values.tolist() for column, values in frame.items()}
        write_table(columns, out[f"{name}.parquet"], marks_of(job.json_text, stamp), texts)
        write_csv(out[f"{name}.csv"], spell_out(frame, points))
    return len(scores)


def _join_texts(of_cases: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Join what stands beside the scores of each case: remarks, grid points, and which versions made them."""
    joined = {}
    for kind in REMARKS:
        rows = [row for texts in of_cases for row in json.loads(texts[kind])]
        joined[kind] = json.dumps(rows)
    joined[POINTS] = join_points(texts[POINTS] for texts in of_cases)
    joined[OF_MAKERS] = Makers.joined(texts[OF_MAKERS] for texts in of_cases).json_text
    return joined

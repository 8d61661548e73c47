"""Jobs whose inputs are files made by hand."""

import json

from consclust_studies.config.experiment import Experiment
from consclust_studies.specs import digest_spec
from consclust_studies.stages.score import ScoredMethod, ScoreJob


def spec_text(what: str) -> str:
    """The spec of a job, as a file would have it: these tests need no more than that it is one."""
    return json.dumps({"job": what})


def job_of(study: Experiment, case: str) -> ScoreJob:
    """The job that scores a case from the files of ``write_block`` and ``ensemble``."""
    return ScoreJob(
        study=study.id,
        case=case,
        ensemble=digest_spec(spec_text("ensemble")),
        n_subsets=study.n_subsets,
        base_clusterings=study.base_clusterings,
        metrics=study.metrics,
        methods=tuple(
            ScoredMethod(id=run.id, grid=run.grid, labels=digest_spec(spec_text(f"{case} {run.id}")))
            for run in study.runs(study.case(case))
        ),
    )

"""The job of a method on a case without classes: its spec has the number of clusters."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from consclust.errors import InputError
from consclust_studies.config.folders import study_file
from consclust_studies.stages.consensus_job import ConsensusJob
from consclust_studies.stages.stored_ensembles import StoredEnsemble


class UnlabelledJob(ConsensusJob):
    """What the consensus labels of a method on a case without classes depend on."""

    n_clusters: int

    @classmethod
    def of(cls, job: ConsensusJob, n_clusters: int, code: str) -> Self:
        """Return the job with a number of clusters and the digest of the code behind it."""
        return cls(**{**dict(job), "n_clusters": n_clusters, "code": code})


@dataclass(frozen=True)
class UnlabelledEnsemble(StoredEnsemble):
    """Base clusterings of a case without classes."""

    n_clusters: int

    @property
    def n_classes(self) -> int:
        """The number of clusters that every method looks for."""
        return self.n_clusters


def job_of_text(text: str, source: Path | str) -> ConsensusJob:
    """Return the job of a spec, with or without classes; InputError names ``source``."""
    try:
        kind = UnlabelledJob if "n_clusters" in json.loads(text) else ConsensusJob
    except (json.JSONDecodeError, TypeError):
        kind = ConsensusJob  # which says what is wrong
    return kind.of_text(text, source)


def with_number_of_clusters(job: ConsensusJob, stored: StoredEnsemble) -> StoredEnsemble:
    """Return an ensemble that has the job's number of clusters; InputError for more clusters than objects."""
    if not isinstance(job, UnlabelledJob):
        return stored
    if job.n_clusters > (n := len(stored.labels)):
        where = f"{study_file(job.study)}: cases: {job.case}: k = {job.n_clusters}"
        raise InputError(f"{where}: there are {n} objects; lower it")
    return UnlabelledEnsemble(stored.labels, stored.classes, stored.members, job.n_clusters)

"""Base clusterings of one case: made by the algorithm of its job, or read from a registered file."""

from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from consclust.datasets.download import verify
from consclust.datasets.prepared import Dataset, find_shuffled_order
from consclust.datasets.registry import ReadyMadeEnsemble
from consclust.ensemble import IntArray
from consclust.ensembles.draws import NumberOfClusters
from consclust.plurals import count
from consclust_studies import paths
from consclust_studies.code import Code, as_known
from consclust_studies.config.cases import BY_ESTIMATORS
from consclust_studies.config.harms import Harms
from consclust_studies.contents import marks_of
from consclust_studies.job_files import Files
from consclust_studies.specs import Spec
from consclust_studies.stages import prepare
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.ready_made import ready_made_ensemble
from consclust_studies.stages.spoiled_subsets import add_spoiled_subsets
from consclust_studies.stamps import Stamp

ALGORITHMS = {
    "kmeans": "consclust.ensembles.kmeans.kmeans_ensemble",
    "minibatch": "consclust.ensembles.kmeans.kmeans_ensemble",
    "spherical": "consclust.ensembles.spherical.spherical_ensemble",
    "mixed": "consclust.ensembles.mixed.mixed_ensemble",
    **dict.fromkeys(BY_ESTIMATORS, "consclust.ensembles.estimated.estimated_ensemble"),
    "ready-made": "consclust_studies.stages.ready_made.ready_made_ensemble",
}
"""What makes the base clusterings of each kind."""


class EnsembleJob(Spec):
    """What the base clusterings of a case depend on; a ready-made ensemble has neither a seed nor an algorithm."""

    kind: ClassVar = "base_clusterings"

    data: str = Field(description="digest of the spec of the prepared data set")
    pool: tuple[str, str] = Field(description="study and case that name the random streams and the messages")
    algorithm: Literal[
        "kmeans", "spherical", "minibatch", "mixed", "agglomerative", "spectral", "gmm", "pam", "ready-made"
    ]
    ready: ReadyMadeEnsemble | None = None
    runs: int
    subset_size: int
    draws: int | None
    draw_seed: int | None
    seed: int | None = None
    n_clusters: int | tuple[int, ...] | Literal["classes", "random", "random-fine"] = "classes"
    max_iter: int = 0
    init: str = "random"
    linkage: str = "average"
    distance: str = "euclidean"
    feature_share: float = 1.0
    object_share: float = 1.0
    shuffle: int | None = Field(None, description="seed by which the objects of a ready-made ensemble are shuffled")
    harms: Harms | None = Field(None, description="spoiled subsets beside the clean ones; null: none")

    def code_behind(self) -> Code:
        """Return the algorithm, and what divides the runs into subsets."""
        divided = "drawn" if self.draws else "split"
        frame = ("consclust_studies.stages.base_clusterings.make", f"{store.__name__}.{divided}")
        names = ("algorithm", "ready", "draws", "draw_seed", "seed", "shuffle", "harms")
        given = {name: (as_known(getattr(self, name)),) for name in names}
        return Code((*frame, ALGORITHMS[self.algorithm]), {f"{__name__}.EnsembleJob": given})


def run(job: EnsembleJob, files: Files) -> str:
    """Do the job; return what it made, for the log."""
    dataset = prepare.load(files.input("prepared"), job.data)
    labels = make(job, dataset, files.optional("ready"), files.output("ensemble"), files.stamp)
    return f"{count(labels.shape[1], 'base clustering')} of {count(labels.shape[0], 'object')}"


def make(job: EnsembleJob, dataset: Dataset, ready: Path | None, out: Path, stamp: Stamp | None = None) -> IntArray:
    """Make the base clusterings of a case, or read them from ``ready``; store them with the members of its subsets.

    Equal content gives equal bytes in ``out``. InputError if the file of a ready-made ensemble is not the registered
    one, or does not fit the data set or the study.
    """
    if job.draws:
        members = store.drawn(job.runs, job.subset_size, job.draws, job.draw_seed or 0)
    else:
        members = store.split(job.runs, job.subset_size)
    if job.ready and ready:
        verify(ready, job.pool[1], job.ready.file)
        study = paths.STUDY.format(study=job.pool[0])
        if job.shuffle is None:
            labels = ready_made_ensemble(ready, job.ready, dataset.y, job.runs, members, study)
        else:
            # the file has the objects in its own order, the data set in the shuffled one
            order = find_shuffled_order(job.shuffle, len(dataset.y))
            in_file = dataset.y[np.argsort(order)]
            labels = ready_made_ensemble(ready, job.ready, in_file, job.runs, members, study)[order]
    else:
        labels = _made(job, dataset, members)
    if job.harms:
        # many files have one class after the other, and ties of some methods depend on the order of the objects
        order = find_shuffled_order(job.seed or 0, len(dataset.y))
        spoiled = add_spoiled_subsets(labels[order], members, job.harms, job.seed or 0, job.pool)
        store.save_spoiled(out, spoiled, dataset.y[order], marks_of(job.json_text, stamp))
        return spoiled.labels
    store.save(out, labels, dataset.y, members, marks_of(job.json_text, stamp))
    return labels


def _made(job: EnsembleJob, dataset: Dataset, members: IntArray) -> IntArray:
    n_clusters: NumberOfClusters = len(dataset.class_names) if job.n_clusters == "classes" else job.n_clusters
    seed = job.seed or 0
    if job.algorithm == "mixed":
        from consclust.ensembles.mixed import MixedProtocol, mixed_ensemble

        mixed = MixedProtocol(n_clusters, job.runs, job.max_iter, job.object_share)
        return mixed_ensemble(dataset.X, mixed, members, seed, job.pool)
    if job.algorithm in BY_ESTIMATORS:
        from consclust.ensembles.estimated import EstimatedProtocol, estimated_ensemble

        shares = (job.object_share, job.feature_share)
        estimated = EstimatedProtocol(job.algorithm, n_clusters, job.runs, job.linkage, job.distance, *shares)
        return estimated_ensemble(dataset.X, estimated, members, seed, job.pool)
    from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble

    how = (job.init, job.feature_share, job.algorithm == "minibatch")
    protocol = KMeansProtocol(n_clusters, job.runs, job.max_iter, *how)
    if job.algorithm == "spherical":
        from consclust.ensembles.spherical import spherical_ensemble

        return spherical_ensemble(dataset.X, protocol, seed, job.pool)
    return kmeans_ensemble(dataset.X, protocol, seed, job.pool)

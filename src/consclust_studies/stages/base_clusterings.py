"""Base clusterings of one case: made by the algorithm of its job, or read from a registered file."""

from pathlib import Path

from consclust.datasets.download import verify
from consclust.datasets.prepared import Dataset
from consclust.ensemble import IntArray
from consclust.ensembles.draws import NumberOfClusters
from consclust_studies.config.folders import study_file
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.ensembles_job import EnsembleJob
from consclust_studies.stages.ready_made import ready_made_ensemble


def make(job: EnsembleJob, dataset: Dataset, ready: Path | None, out: Path) -> None:
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
        study = str(study_file(job.pool[0]))
        labels = ready_made_ensemble(ready, job.ready, dataset.y, job.runs, members, study)
    else:
        labels = _made(job, dataset, members)
    store.save(out, labels, dataset.y, members, job.json_text)


def _made(job: EnsembleJob, dataset: Dataset, members: IntArray) -> IntArray:
    n_clusters: NumberOfClusters = len(dataset.class_names) if job.n_clusters == "classes" else job.n_clusters
    seed = job.seed or 0
    if job.kind == "mixed":
        from consclust.ensembles.mixed import MixedProtocol, mixed_ensemble

        mixed = MixedProtocol(n_clusters, job.runs, job.max_iter, job.object_share)
        return mixed_ensemble(dataset.X, mixed, members, seed, job.pool)
    from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble

    how = (job.init, job.feature_share, job.kind == "minibatch")
    protocol = KMeansProtocol(n_clusters, job.runs, job.max_iter, *how)
    if job.kind == "spherical":
        from consclust.ensembles.spherical import spherical_ensemble

        return spherical_ensemble(dataset.X, protocol, seed, job.pool)
    return kmeans_ensemble(dataset.X, protocol, seed, job.pool)

"""Prepared data sets without classes: the number of objects, from the file of their base clusterings."""

import logging
from pathlib import Path

import numpy as np

from consclust.datasets import prepared
from consclust.datasets.download import verify
from consclust.datasets.job import PrepareJob
from consclust.datasets.prepared import Dataset
from consclust.datasets.readers.clusterings import read_clusterings
from consclust.ensemble import MISSING
from consclust.errors import InputError
from consclust.files import write_arrays

log = logging.getLogger("consclust")


def prepare(job: PrepareJob, raw_files: list[Path], out: Path) -> Dataset:
    """Prepare a data set, with classes as :func:`consclust.datasets.prepared.prepare`, or without any.

    Without classes every object has the class -1 (missing), and there are no class names. InputError if the file is not
    the registered one, is malformed, or has another number of objects than is registered.
    """
    source = job.classes
    if source is None or source.classes:
        return prepared.prepare(job, raw_files, out)
    if len(raw_files) != 1:
        raise InputError(f"data set {job.dataset}: {len(raw_files)} raw files given; give: {source.file.name}")
    (path,) = raw_files
    verify(path, job.dataset, source.file)
    n = len(read_clusterings(path, source).labels)
    if job.shape not in (None, (n, 0, 0)):
        remedy = f"write shape: [{n}, 0, 0] in config/datasets.yaml, or correct the file"
        raise InputError(
            f"data set {job.dataset}: {path}: {n} objects, but {list(job.shape or ())} is registered; {remedy}"
        )
    dataset = Dataset(np.empty((n, 0)), np.full(n, MISSING), ())
    names = np.array([], dtype=str)
    write_arrays(out, X=dataset.X, classes=dataset.y, class_names=names, spec=job.json_text)
    log.info("%s: %d objects, no classes", job.dataset, n)
    return dataset

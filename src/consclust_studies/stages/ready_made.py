"""Base clusterings that others made, from a registered file."""

import logging
from pathlib import Path

import numpy as np

from consclust.datasets.prepared import coded
from consclust.datasets.registry import ReadyMadeEnsemble
from consclust.ensemble import MISSING, Ensemble, IntArray
from consclust.errors import InputError
from consclust.readers.clusterings import read_clusterings

log = logging.getLogger("consclust")


def ready_made_ensemble(
    path: Path, entry: ReadyMadeEnsemble, classes: IntArray, runs: int, members: IntArray, study: str
) -> IntArray:
    """Read the first ``runs`` base clusterings of a verified file: shape (n, runs), -1 where an object is missing.

    ``classes`` are those of the data set, (n,); ``members`` the runs of each subset, (subsets, subset size); ``study``
    is the study's file, for messages. InputError if the file is malformed, does not fit the data set or the study, or a
    subset has an object or a clustering without any label.
    """
    found = read_clusterings(path, entry)
    n, m = found.labels.shape
    if n != len(classes):
        rows = f"{n} rows, but the data set has {len(classes)} objects"
        raise InputError(f"{path}: {rows}; objects go in rows, in its order")
    if found.classes and not _same_groups(classes, coded(found.classes)[0]):
        remedy = "bring the objects into its order, or remove `classes` of this ensemble in config/datasets.yaml"
        raise InputError(f"{path}: the classes are not those of the data set; {remedy}")
    if entry.runs not in (None, m):
        raise InputError(f"{path}: {m} base clusterings, but runs = {entry.runs} in config/datasets.yaml; correct it")
    if m < runs:
        size = members.shape[1]
        remedy = f"set runs and subset_size to {m} or less" if m < size else f"set runs: {m // size * size}"
        raise InputError(f"{study}: ensemble.runs = {runs}: {path} has {m} base clusterings; {remedy}")
    labels = found.labels[:, :runs]
    for subset, columns in enumerate(members):
        try:
            Ensemble(labels[:, columns])
        except ValueError as refusal:
            raise InputError(f"{path}: subset {subset} of base clusterings (from 0): {refusal}") from None
    log.info(
        "%s: %d base clusterings of %d taken; %d objects, %d to %d clusters, %d labels missing",
        *(path, runs, m, n, labels.max(axis=0).min() + 1, labels.max() + 1, (labels == MISSING).sum()),
    )
    return labels


def _same_groups(a: IntArray, b: IntArray) -> bool:
    """Whether two labelings differ in the names of the groups only."""
    pairs = np.unique(np.column_stack([a, b]), axis=0)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))

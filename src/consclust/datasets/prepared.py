"""Prepared data sets: checked against the registry, preprocessed, stored as ``.npz``."""

import contextlib
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from consclust.datasets.download import verify
from consclust.datasets.job import PrepareJob
from consclust.datasets.preprocessing import apply
from consclust.datasets.readers.clusterings import read_clusterings
from consclust.datasets.readers.common import Features, Raw
from consclust.datasets.registry import Sample
from consclust.errors import InputError
from consclust.files import RERUN, read_arrays, write_arrays
from consclust.seeds import generator
from consclust.specs import check_made_for

log = logging.getLogger("consclust")


@dataclass(frozen=True)
class Dataset:
    """A data set as every later stage sees it."""

    X: Features
    """Features, floats, shape (n, d); d = 0 if there are only base clusterings."""
    y: npt.NDArray[np.int64]
    """Classes 0..k-1, shape (n,)."""
    class_names: tuple[str, ...]
    """Name of each class, sorted (by value if all are numbers)."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Objects n, features d, classes k."""
        return (int(self.X.shape[0]), int(self.X.shape[1]), len(self.class_names))


def prepare(job: PrepareJob, raw_files: list[Path], out: Path) -> Dataset:
    """Verify, read, check, preprocess and store a data set; equal data give equal bytes.

    ``raw_files`` are the files of ``job.files``, in that order; ``out`` is the ``.npz`` that is written. InputError if
    a file is not the registered one or malformed, the shape is not the registered one, there is only one class, a
    value is missing or infinite, or a step refuses the features.
    """
    if len(raw_files) != len(job.files):
        count, names = f"{len(job.files)} registered", ", ".join(file.name for file in job.files) or "none"
        raise InputError(f"data set {job.dataset}: {len(raw_files)} raw files given, {count}; give: {names}")
    for path, file in zip(raw_files, job.files, strict=True):
        verify(path, job.dataset, file)
    try:
        dataset = _prepared(job, raw_files)
    except InputError as mistake:
        raise InputError(f"data set {job.dataset}: {mistake}") from None
    _save(dataset, job, out)
    sizes = "%d objects, %d features, %d classes"
    log.info("%s: " + sizes + "; steps: %s", job.dataset, *dataset.shape, " ".join(job.steps) or "none")
    return dataset


def _prepared(job: PrepareJob, raw_files: list[Path]) -> Dataset:
    if job.classes:
        classes = read_clusterings(raw_files[0], job.classes).classes
        raw = Raw(np.empty((len(classes), 0)), classes)
    else:
        assert job.reader is not None
        raw = job.reader.read(*raw_files)
    if job.sample:
        raw = _sampled(job.dataset, raw, job.sample)
    y, class_names = coded(raw.classes)
    dataset = Dataset(raw.X, y, class_names)
    where = ", ".join(map(str, raw_files)) or "the data made here"
    if job.shape not in (None, dataset.shape):
        found, expected = (f"{n} objects x {d} features, {k} classes" for n, d, k in (dataset.shape, job.shape))
        remedy = "correct reader or files of its entry in config/datasets.yaml, or shape if the entry is yours"
        raise InputError(f"{where}: {found}, but {expected} are registered; {remedy}")
    if len(class_names) < 2:
        mistake = f"all objects are of one class, {class_names[0]!r}, but the scores need two or more"
        raise InputError(f"{where}: {mistake}; correct what names the classes in config/datasets.yaml")
    try:
        _check_finite(raw.X)
        return Dataset(apply(job.steps, raw.X), y, class_names)
    except InputError as mistake:
        raise InputError(f"{where}: {mistake}") from None


def load(path: Path, planned: str | None = None) -> Dataset:
    """Read a prepared data set, made for the spec with the digest ``planned`` if one is given.

    InputError if the file is absent, was not written by :func:`prepare`, or was made for another spec.
    """
    stored = read_arrays(path)
    if not {"classes", "class_names", "spec"} <= set(stored):
        raise InputError(f"{path}: not a prepared data set; {RERUN}")
    check_made_for(path, str(stored["spec"]), planned)
    return Dataset(_features(stored), stored["classes"], tuple(map(str, stored["class_names"])))


def coded(classes: list[str]) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Code class names as 0..k-1 in sorted order; by value if all names are numbers."""
    names = sorted(set(classes))
    with contextlib.suppress(ValueError):  # raised by a name that is no number
        names.sort(key=float)  # stable: names of equal value stay sorted as text
    code = {name: i for i, name in enumerate(names)}
    return np.array([code[name] for name in classes], dtype=np.int64), tuple(names)


def _sampled(dataset_id: str, raw: Raw, sample: Sample) -> Raw:
    """Draw objects, each as likely; they keep their order."""
    n = len(raw.classes)
    if sample.objects > n:
        given = f"sample.objects = {sample.objects} in config/datasets.yaml"
        raise InputError(f"{given}, but there are {n} objects; lower it")
    kept = np.sort(generator(sample.seed, dataset_id, "sample").choice(n, sample.objects, replace=False))
    return Raw(raw.X[kept], [raw.classes[i] for i in kept])


def _check_finite(X: Any) -> None:
    entries = sparse.coo_array(X) if sparse.issparse(X) else None
    values = np.ravel(X) if entries is None else entries.data
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        row, column = np.unravel_index(wrong, X.shape) if entries is None else (c[wrong] for c in entries.coords)
        raise InputError(
            f"object {row[0]}, feature {column[0]} (from 0) is {values[wrong[0]]} ({len(wrong)} such values): "
            "missing or infinite values cannot be clustered; complete the file and register its checksum"
        )


def _features(stored: Any) -> Features:
    if "X" in stored:
        return np.asarray(stored["X"])
    return sparse.csr_array((stored["data"], stored["indices"], stored["indptr"]), shape=tuple(stored["shape"]))


def _save(dataset: Dataset, job: PrepareJob, out: Path) -> None:
    X: Any = dataset.X
    if sparse.issparse(X):
        indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        arrays = {"data": X.data, "indices": indices, "indptr": indptr, "shape": np.array(X.shape, dtype=np.int64)}
    else:
        arrays = {"X": np.ascontiguousarray(X, dtype=np.float64)}
    write_arrays(out, **arrays, classes=dataset.y, class_names=dataset.class_names, spec=job.json_text)

"""Prepared data sets: checked against the registry, preprocessed, stored as ``.npz``."""

import contextlib
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from concord.datasets.download import verify
from concord.datasets.preprocessing import apply
from concord.datasets.readers import read
from concord.datasets.readers.clusterings import read_clusterings
from concord.datasets.readers.common import Features, Raw
from concord.datasets.registry import DatasetSpec, ReadyMadeEnsemble, Sample, check_steps
from concord.errors import InputError
from concord.files import RERUN, read_arrays, write_arrays
from concord.seeds import generator

log = logging.getLogger("concord")


@dataclass(frozen=True)
class Dataset:
    """A data set as every later stage sees it.

    Attributes
    ----------
    X : ndarray or csr_array, shape (n, d)
        Features, floats; d = 0 if there are only base clusterings.
    y : ndarray of int64, shape (n,)
        Classes 0..k-1.
    class_names : tuple of str
        Name of each class, sorted (by value if all are numbers).
    """

    X: Features
    y: npt.NDArray[np.int64]
    class_names: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Objects n, features d, classes k."""
        return (int(self.X.shape[0]), int(self.X.shape[1]), len(self.class_names))


def prepare(
    dataset_id: str, spec: DatasetSpec, raw_files: list[Path], steps: tuple[str, ...], out: Path
) -> Dataset:
    """Verify, read, check, preprocess and store a data set.

    Parameters
    ----------
    dataset_id : str
        Names the data set in messages.
    spec : DatasetSpec
        Its entry in the registry.
    raw_files : list of Path
        The files of ``spec.prepared_from``, in that order.
    steps : tuple of str
        Steps of preprocessing, in order; () leaves the features as they are.
    out : Path
        The ``.npz`` that is written; equal data give equal bytes.

    Raises
    ------
    InputError
        A file is not the registered one or malformed, the shape is not the registered one, there is but one
        class, a value is missing or infinite, or a step refuses the features.
    """
    steps = check_steps(steps, f"data set {dataset_id}: steps")
    files = spec.prepared_from
    if len(raw_files) != len(files):
        names = ", ".join(file.name for file in files) or "none"
        raise InputError(
            f"data set {dataset_id}: {len(raw_files)} raw files given, {len(files)} registered; give: {names}"
        )
    for path, file in zip(raw_files, files, strict=True):
        verify(path, dataset_id, file)
    source = spec.class_source
    raw = (
        _only_classes(dataset_id, source, raw_files[0])
        if source
        else read(dataset_id, spec.reader, raw_files)
    )
    if spec.sample:
        raw = _sampled(dataset_id, raw, spec.sample)
    y, class_names = coded(raw.classes)
    dataset = Dataset(raw.X, y, class_names)
    where = ", ".join(map(str, raw_files)) or spec.source
    _check_shape(dataset_id, spec, dataset, where)
    if len(class_names) < 2:
        raise InputError(
            f"data set {dataset_id}: {where}: all objects are of one class, {class_names[0]!r}, but "
            "the scores need two or more; correct what names the classes in config/datasets.yaml"
        )
    _check_finite(dataset_id, dataset.X, where)
    try:
        dataset = Dataset(apply(steps, raw.X), y, class_names)
    except InputError as mistake:
        raise InputError(f"data set {dataset_id}: {where}: {mistake}") from None
    _save(dataset, out)
    n, d, k = dataset.shape
    log.info(
        "%s: %d objects, %d features, %d classes; steps: %s", dataset_id, n, d, k, " ".join(steps) or "none"
    )
    return dataset


def load(path: Path) -> Dataset:
    """Read a prepared data set.

    Raises
    ------
    InputError
        The file is absent or was not written by :func:`prepare`.
    """
    stored = read_arrays(path)
    if not {"classes", "class_names"} <= set(stored):
        raise InputError(f"{path}: no prepared data set; {RERUN}")
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
        raise InputError(
            f"data set {dataset_id}: sample.objects = {sample.objects} in config/datasets.yaml, but "
            f"there are {n} objects; lower it"
        )
    drawn = generator(sample.seed, dataset_id, "sample").choice(n, sample.objects, replace=False)
    kept = np.sort(drawn)
    return Raw(raw.X[kept], [raw.classes[i] for i in kept])


def _only_classes(dataset_id: str, source: ReadyMadeEnsemble, path: Path) -> Raw:
    try:
        classes = read_clusterings(path, source).classes
    except InputError as mistake:
        raise InputError(f"data set {dataset_id}: {mistake}") from None
    return Raw(np.empty((len(classes), 0)), classes)


def _features(stored: Any) -> Features:
    if "X" in stored:
        return np.asarray(stored["X"])
    return sparse.csr_array(
        (stored["data"], stored["indices"], stored["indptr"]), shape=tuple(stored["shape"])
    )


def _check_shape(dataset_id: str, spec: DatasetSpec, dataset: Dataset, where: str) -> None:
    if spec.shape is None or dataset.shape == spec.shape:
        return
    found, expected = (f"{n} objects x {d} features, {k} classes" for n, d, k in (dataset.shape, spec.shape))
    kind = "printed in the paper" if spec.printed else "registered"
    raise InputError(
        f"data set {dataset_id}: {where}: {found}, but {expected} are {kind}; "
        "correct reader or files of its entry in config/datasets.yaml, or shape if the entry is yours"
    )


def _check_finite(dataset_id: str, X: Features, where: str) -> None:
    entries: Any = sparse.coo_array(X) if sparse.issparse(X) else None
    values = entries.data if sparse.issparse(X) else np.ravel(X)
    wrong = np.flatnonzero(~np.isfinite(values))
    if not len(wrong):
        return
    coordinates = entries.coords if sparse.issparse(X) else np.indices(X.shape).reshape(2, -1)
    row, column = (int(index[wrong[0]]) for index in coordinates)
    raise InputError(
        f"data set {dataset_id}: {where}: object {row}, feature {column} (from 0) is {values[wrong[0]]} "
        f"({len(wrong)} such values): missing or infinite values cannot be clustered; "
        "complete the file and register its checksum"
    )


def _save(dataset: Dataset, out: Path) -> None:
    arrays: dict[str, Any]
    X: Any = dataset.X
    if sparse.issparse(X):
        arrays = {
            "data": X.data,
            "indices": X.indices.astype(np.int32),
            "indptr": X.indptr.astype(np.int32),
            "shape": np.array(X.shape, dtype=np.int64),
        }
    else:
        arrays = {"X": np.ascontiguousarray(X, dtype=np.float64)}
    write_arrays(out, **arrays, classes=dataset.y, class_names=dataset.class_names)

"""Data sets: verified, read, checked against the registry, preprocessed."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy import sparse

from consclust.datasets.download import verify
from consclust.datasets.preprocessing import apply
from consclust.datasets.registry import DatasetSpec, RawFile, ReadyMadeEnsemble, Sample
from consclust.ensemble import MISSING
from consclust.errors import InputError
from consclust.plurals import count
from consclust.readers import Reader
from consclust.readers.clusterings import read_clusterings
from consclust.readers.common import Features, Raw
from consclust.seeds import generator
from consclust.validation import Strict


class Recipe(Strict):
    """What the features and classes of a data set are made from, and how."""

    dataset: str
    reader: Reader | None
    files: tuple[RawFile, ...]
    classes: ReadyMadeEnsemble | None = Field(None, description="where the classes are, without a reader")
    sample: Sample | None
    noise: tuple[str, ...] | None = None
    shuffle: int | None = None
    shape: tuple[int, int, int] | None
    steps: tuple[str, ...]

    @classmethod
    def make(cls, dataset: str, entry: DatasetSpec, steps: tuple[str, ...]) -> Self:
        """Return the recipe of a registered data set; its addresses, licence and notes change no result."""
        source = entry.class_source
        return cls(
            dataset=dataset,
            reader=entry.reader,
            files=tuple(without_addresses(file) for file in entry.prepared_from),
            classes=source and source.model_copy(update={"file": without_addresses(source.file), "note": ""}),
            sample=entry.sample,
            noise=entry.noise or None,
            shuffle=entry.shuffle,
            shape=entry.shape,
            steps=steps,
        )


def without_addresses(file: RawFile) -> RawFile:
    """Return a file by its name, checksum and size, wherever it comes from."""
    return RawFile(name=file.name, sha256=file.sha256, bytes=file.bytes)


@dataclass(frozen=True)
class Dataset:
    """A data set as every later stage sees it."""

    X: Features
    """Features, float64, shape (n, d); d = 0 if there are only base clusterings."""
    y: npt.NDArray[np.int64]
    """Classes 0..k-1, shape (n,); -1 (missing) for noise, and for all objects without classes."""
    class_names: tuple[str, ...]
    """Name of each class, sorted (by value if all are numbers)."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Objects n, features d, classes k."""
        return (int(self.X.shape[0]), int(self.X.shape[1]), len(self.class_names))


def prepare(recipe: Recipe, raw_files: Sequence[Path]) -> Dataset:
    """Verify, read, check and preprocess a data set.

    ``raw_files`` are the files of the recipe, in its order. InputError if a file is not the registered one or
    malformed, the shape is not the registered one, there is only one class, a value is missing or infinite, or a step
    refuses the features.
    """
    if len(raw_files) != len(recipe.files):
        expected = f"{len(recipe.files)} registered"
        names = ", ".join(file.name for file in recipe.files) or "none"
        raise InputError(f"data set {recipe.dataset}: {len(raw_files)} raw files given, {expected}; give: {names}")
    for path, file in zip(raw_files, recipe.files, strict=True):
        verify(path, recipe.dataset, file)
    has_classes = recipe.classes is None or bool(recipe.classes.classes)
    try:
        return _prepare_with_classes(recipe, raw_files) if has_classes else _prepare_without_classes(recipe, raw_files)
    except InputError as mistake:
        raise InputError(f"data set {recipe.dataset}: {mistake}") from None


def _prepare_without_classes(recipe: Recipe, raw_files: Sequence[Path]) -> Dataset:
    """Return as many objects as the file of base clusterings has, without features and classes."""
    assert recipe.classes is not None, "only of base clusterings"
    (path,) = raw_files
    n = len(read_clusterings(path, recipe.classes).labels)
    if recipe.shape not in (None, (n, 0, 0)):
        remedy = f"write shape: [{n}, 0, 0] in config/datasets.yaml, or correct the file"
        raise InputError(f"{path}: {count(n, 'object')}, but {list(recipe.shape or ())} is registered; {remedy}")
    return Dataset(np.empty((n, 0)), np.full(n, MISSING), ())


def _prepare_with_classes(recipe: Recipe, raw_files: Sequence[Path]) -> Dataset:
    if recipe.classes:
        classes = read_clusterings(raw_files[0], recipe.classes).classes
        raw = Raw(np.empty((len(classes), 0)), classes)
    else:
        assert recipe.reader is not None
        raw = recipe.reader.read(*raw_files)
    if recipe.sample:
        raw = _sampled(recipe.dataset, raw, recipe.sample)
    if recipe.shuffle is not None:
        raw = _shuffled(raw, recipe.shuffle)
    y, class_names = coded_with_noise(raw.classes, recipe.noise) if recipe.noise else coded(raw.classes)
    dataset = Dataset(raw.X, y, class_names)
    where = ", ".join(map(str, raw_files)) or "the data made here"
    if recipe.shape not in (None, dataset.shape):
        found, expected = (f"{n} objects x {d} features, {k} classes" for n, d, k in (dataset.shape, recipe.shape))
        remedy = "correct reader or files of its entry in config/datasets.yaml, or shape if the entry is yours"
        raise InputError(f"{where}: {found}, but {expected} are registered; {remedy}")
    if len(class_names) < 2:
        mistake = f"all objects are of one class, {class_names[0]!r}, but the scores need two or more"
        raise InputError(f"{where}: {mistake}; correct what names the classes in config/datasets.yaml")
    try:
        _check_finite(raw.X)
        X = apply(recipe.steps, raw.X)
    except InputError as mistake:
        raise InputError(f"{where}: {mistake}") from None
    return Dataset(_as_stored(X), y, class_names)


def coded(classes: list[str]) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Code class names as 0..k-1 in sorted order; by value if all names are numbers."""
    names = sorted(set(classes))
    with contextlib.suppress(ValueError):  # raised by a name that is no number
        names.sort(key=float)  # stable: names of equal value stay sorted as text
    code = {name: i for i, name in enumerate(names)}
    return np.array([code[name] for name in classes], dtype=np.int64), tuple(names)


def coded_with_noise(classes: list[str], noise: Sequence[str]) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Code class names as :func:`coded` does, and those that mean noise as -1."""
    is_noise = np.isin(classes, noise)
    y = np.full(len(classes), MISSING, dtype=np.int64)
    y[~is_noise], names = coded([name for name in classes if name not in noise])
    return y, names


def find_shuffled_order(seed: int, n: int) -> npt.NDArray[np.int64]:
    """Return the place in the file of each of n objects that are shuffled by a seed, shape (n,)."""
    return generator(seed, "order of the objects").permutation(n)


def _shuffled(raw: Raw, seed: int) -> Raw:
    """Return the objects in an order that says nothing of their classes."""
    order = find_shuffled_order(seed, len(raw.classes))
    return Raw(raw.X[order], [raw.classes[i] for i in order])


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


def _as_stored(X: Any) -> Features:
    """Return features in the one form that files of prepared data have: float64, sparse ones with 32-bit indices."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    indices = X.indices.astype(np.int32)
    starts = X.indptr.astype(np.int32)
    return sparse.csr_array((X.data, indices, starts), shape=X.shape)

"""The first job of a run: features and classes of a data set, preprocessed, stored as ``.npz``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from consclust.datasets import prepared
from consclust.datasets.prepared import Dataset, Recipe
from consclust.datasets.preprocessing import module_of
from consclust.datasets.registry import DatasetSpec
from consclust.errors import InputError
from consclust.files import RERUN, read_arrays, write_arrays
from consclust.plurals import count
from consclust_studies.code import Code, as_known, full_name
from consclust_studies.contents import marks_of
from consclust_studies.job_files import Files
from consclust_studies.specs import Spec, check_made_for
from consclust_studies.stamps import Stamp


class PrepareJob(Spec):
    """What the prepared features and classes of a data set depend on."""

    kind: ClassVar = "prepare"

    recipe: Recipe

    @classmethod
    def make(cls, dataset: str, entry: DatasetSpec, steps: tuple[str, ...], code: str = "") -> Self:
        """Return the job of a registered data set."""
        return cls(recipe=Recipe.make(dataset, entry, steps), code=code)

    def code_behind(self) -> Code:
        """Return the reader and the steps that the recipe names, and what puts them to work."""
        steps = tuple(f"{module_of(step)}.{step}" for step in self.recipe.steps)
        reader = self.recipe.reader
        readers = (full_name(type(reader)),) if reader else ()
        names = ("classes", "sample", "noise", "shuffle", "shape", "reader")
        given = {name: (as_known(getattr(self.recipe, name)),) for name in names}
        options = {"consclust.datasets.prepared.Recipe": given}
        return Code(("consclust_studies.stages.prepare.prepare", *readers, *steps), options)


def run(job: PrepareJob, files: Files) -> str:
    """Do the job; return what it found, for the log."""
    dataset = prepare(job, files.several("raw"), files.output("prepared"), files.stamp)
    n, d, k = dataset.shape
    classes = "1 class" if k == 1 else f"{k} classes"
    steps = " ".join(job.recipe.steps) or "none"
    return f"{count(n, 'object')}, {count(d, 'feature')}, {classes}; steps: {steps}"


def prepare(job: PrepareJob, raw_files: Sequence[Path], out: Path, stamp: Stamp | None = None) -> Dataset:
    """Prepare a data set and store it; equal data give equal bytes.

    ``raw_files`` are the files of the recipe, in its order; ``out`` is the ``.npz`` that is written. InputError as in
    :func:`consclust_studies.stages.prepare.prepare`.
    """
    dataset = prepared.prepare(job.recipe, raw_files)
    save(dataset, out, marks_of(job.json_text, stamp))
    return dataset


def load(path: Path, planned: str | None = None) -> Dataset:
    """Read a prepared data set, made for the spec with the digest ``planned`` if one is given.

    InputError if the file is absent, was not written by :func:`prepare`, or was made for another spec.
    """
    stored = read_arrays(path)
    if not {"classes", "class_names", "spec"} <= set(stored):
        raise InputError(f"{path}: not a prepared data set; {RERUN}")
    check_made_for(path, str(stored["spec"]), planned)
    return Dataset(_features(stored), stored["classes"], tuple(map(str, stored["class_names"])))


def _features(stored: Any) -> Any:
    if "X" in stored:
        return np.asarray(stored["X"])
    return sparse.csr_array((stored["data"], stored["indices"], stored["indptr"]), shape=tuple(stored["shape"]))


def save(dataset: Dataset, out: Path, marks: Mapping[str, str]) -> None:
    """Write a prepared data set with spec and stamp, the ``marks``."""
    X: Any = dataset.X
    if sparse.issparse(X):
        shape = np.array(X.shape, dtype=np.int64)
        arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": shape}
    else:
        arrays = {"X": X}
    names = np.array(dataset.class_names, dtype=str)
    write_arrays(out, **arrays, classes=dataset.y, class_names=names, **marks)

"""The job of this stage: features and classes of a data set, preprocessed."""

from typing import Self

from pydantic import Field

from consclust.datasets.readers import Reader
from consclust.datasets.registry import DatasetSpec, RawFile, ReadyMadeEnsemble, Sample
from consclust.specs import Spec


class PrepareJob(Spec):
    """What the prepared features and classes of a data set depend on."""

    dataset: str
    reader: Reader | None
    files: tuple[RawFile, ...]
    classes: ReadyMadeEnsemble | None = Field(None, description="where the classes are, without a reader")
    sample: Sample | None
    shape: tuple[int, int, int] | None
    steps: tuple[str, ...]
    code: str = ""

    @classmethod
    def of(cls, dataset: str, entry: DatasetSpec, steps: tuple[str, ...], code: str = "") -> Self:
        """Return the job of a registered data set; its addresses, licence and notes change no result."""
        source = entry.class_source
        return cls(
            dataset=dataset,
            reader=entry.reader,
            files=tuple(contents(file) for file in entry.prepared_from),
            classes=source and source.model_copy(update={"file": contents(source.file), "note": ""}),
            sample=entry.sample,
            shape=entry.shape,
            steps=steps,
            code=code,
        )


def contents(file: RawFile) -> RawFile:
    """Return a file by its name, checksum and size, wherever it comes from."""
    return RawFile(name=file.name, sha256=file.sha256, bytes=file.bytes)

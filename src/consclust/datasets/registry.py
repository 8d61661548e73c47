"""The registry of data sets: ``config/datasets.yaml`` as typed, frozen models.

Importing this module costs no more than pydantic and yaml: every job of the workflow reads the registry.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, RootModel, field_validator, model_validator

from consclust.datasets.preprocessing.steps import MODULES
from consclust.errors import InputError
from consclust.plurals import count
from consclust.readers import Reader
from consclust.readers.common import Seed, Size
from consclust.readers.layout import ARRAY_SUFFIXES, MISSING_LABEL, SUFFIXES, TEXT_SUFFIXES
from consclust.validation import Strict, parse, read_yaml

REGISTRY = Path("config/datasets.yaml")
BOARD = Path("config/board.yaml")
"""More data sets, for comparisons of methods; made by ``studies/leaderboard/make_registry.py``."""

if TYPE_CHECKING:
    Step = str
else:
    Step = Literal[*MODULES]

MADE = {
    "kmeans": "k-means",
    "spherical": "spherical k-means",
    "minibatch": "mini-batch k-means",
    "mixed": "several algorithms in turn, on some of the objects each",
    "agglomerative": "agglomerative clustering",
    "spectral": "spectral clustering",
    "gmm": "Gaussian mixtures",
    "pam": "partition around medoids",
}
"""Kinds of ensembles that are made here; no ready-made one has such a name."""

Count = Annotated[int, Field(ge=0)]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


Address = Annotated[str, Field(pattern=r"^https?://[^/ ]+/[^ ]+$")]


class FromArchive(Strict):
    """A file that is made of an archive at a public address: of some of its members, or one member."""

    url: Address = Field(description="public address of the archive")
    at_most: Size = Field(description="bytes of the archive at most; it may vary, and the members have checksums")
    members: Annotated[str, Field(pattern=r"^config/members/[A-Za-z0-9][A-Za-z0-9._-]*$")] | None = Field(
        None,
        description="file with a line for each member, its SHA-256 and its path below the first folder of a .tar.gz; "
        "they are packed again, sorted and without times",
    )
    member: FileName | None = Field(
        None, description="name of the one member that is the file, in any folder; taken out by bsdtar (libarchive)"
    )

    @model_validator(mode="after")
    def _says_what_is_taken(self) -> Self:
        if (self.members is None) is (self.member is None):
            raise ValueError("an archive needs members, or one member; write one of the two")
        return self


class RawFile(Strict):
    """A file, and the addresses it can be had from; a checksum decides whether it is the one.

    A file without any address is placed in its folder by hand, and may go without a checksum.
    """

    name: FileName = Field(description="name of the file in data/raw/<data set>/")
    urls: tuple[Address, ...] = Field(
        (),
        description="public addresses, tried in order; none: it is in an archive, a mirror has it, or you place it in "
        "its folder",
    )
    archive: FromArchive | None = Field(
        None, description="archive at a public address that it is made of, tried last; null: none"
    )
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        None, description="checksum, required with an address; null: not checked, for a file that you place yourself"
    )
    bytes: Size | None = Field(None, description="size in bytes, required with an address; null: not checked")
    mirror: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")] | None = Field(
        None, description="path inside the mirror (data_mirror, CONSCLUST_DATA_MIRROR); null: no mirror has it"
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
            remedy = "add them, or remove urls, archive and mirror and place the file by hand"
            raise ValueError(f"a file that is fetched needs sha256 and bytes; {remedy}")
        return self

    @property
    def has_address(self) -> bool:
        """Whether the file can be had from a public address or a mirror."""
        return bool(self.public_addresses or self.mirror)

    @property
    def public_addresses(self) -> tuple[str, ...]:
        """The addresses of the file, and that of the archive that it is made of."""
        return (*self.urls, *([self.archive.url] if self.archive else []))


class ReadyMadeEnsemble(Strict):
    """Base clusterings that somebody made, in a file that the command ``consclust`` also reads."""

    file: RawFile = Field(description="the file, .mat, .npz or .csv")
    variable: str | None = Field(
        None,
        description="variable of a .mat or .npz with the label matrix, objects in rows, clusterings in columns; needed "
        "where a file has several matrices; null: the only one",
    )
    classes: str | None = Field(
        None,
        description="variable, or column of a CSV, with the classes; null: the reader reads them, or there are none",
    )
    missing: int = Field(
        MISSING_LABEL,
        description="label of an object that is missing from a clustering; NaN and an empty cell also mean this",
    )
    header: bool | None = Field(None, description="whether line 1 of a text file has names; null: seen in the file")
    ids: str | None = Field(None, description="column that names the objects; null: seen in the file")
    drop: tuple[str, ...] = Field((), description="columns that are neither base clusterings, ids nor classes")
    transposed: bool = Field(False, description="true: base clusterings are in rows, objects in columns")
    runs: Size | None = Field(None, description="number of base clusterings, checked; null: any number")
    note: str = Field("", description="remark on the ensemble, for readers of the registry")

    @model_validator(mode="after")
    def _settings_fit_format(self) -> Self:
        if self.format not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            raise ValueError(f"{self.file.name} is none of {known}; store it as one of these, and name it so")
        if self.format not in (".mat", ".npz") and self.variable is not None:
            raise ValueError(f"a {self.format} file has no variable; remove it")
        if self.format == ".npy" and self.classes is not None:
            raise ValueError("a .npy file has one array; store labels and classes as .npz")
        if self.format not in TEXT_SUFFIXES and self.header is not None:
            raise ValueError(f"a {self.format} file has no line of names; remove header")
        if self.format in ARRAY_SUFFIXES and (self.ids is not None or self.drop):
            raise ValueError(f"the columns of a {self.format} file have no names; remove ids and drop")
        return self

    @property
    def format(self) -> str:
        """Ending of the file's name."""
        return Path(self.file.name).suffix.lower()


class Sample(Strict):
    """Some of a data set's objects, drawn at random."""

    objects: Size = Field(description="number of objects that are taken")
    seed: Seed = Field(description="seed of the draw")


class Reference(Strict):
    """One of the reference labelings of a data set."""

    classes: Size = Field(description="number of classes, without noise")
    noise: Count = Field(0, description="number of objects that it marks as noise")


class Card(Strict):
    """What is known of a labelled data set where methods are compared on many of them; it changes no result."""

    domain: str = Field(description="what the objects are, such as medical or text")
    synthetic: bool = Field(False, description="whether the data were made by a program")
    sorted_by_class: bool = Field(False, description="whether the file stores one class after the other")
    shared_unit: bool = Field(False, description="whether all features are in one unit, so that they are not scaled")
    overlaps: str | None = Field(
        None, description="the data set that shares most of its objects with this one; null: none, it is independent"
    )
    references: tuple[Reference, ...] = Field((), description="the reference labelings, the one that is read first")
    unclusterable: bool = Field(
        False, description="whether k-means with the number of classes has an ARI below .05, with and without z-scores"
    )
    suspect: str = Field("", description="why the classes may not be trusted; empty: they are")


class DatasetSpec(Strict):
    """One data set: where it comes from, how it is read, what shape it must have.

    Without a reader it has no features: there are only base clusterings, and classes beside them, or none at all.
    """

    title: str = Field(description="name in tables")
    classes: bool = Field(
        True, description="whether the objects have classes; without them a study gives the number of clusters"
    )
    shape: tuple[Size, Count, Count] | None = Field(
        None, description="numbers of objects, features (0: none) and classes (0: none), checked; null: not known"
    )
    published: bool = Field(False, description="whether a paper published this shape")
    reader: Reader | None = Field(
        None, description="how features and classes are read; null: there are ready-made ensembles alone"
    )
    files: tuple[RawFile, ...] = Field((), description="files that the reader reads, in its order")
    sample: Sample | None = Field(
        None, description="random sample of the objects, whose shape is then given; null: all objects"
    )
    noise: tuple[str, ...] = Field(
        (), description="names of classes that mean noise: these objects are clustered, but have no class in any score"
    )
    shuffle: Seed | None = Field(
        None, description="seed by which the objects are shuffled before anything else; null: they stay in their order"
    )
    preprocessing: tuple[Step, ...] = Field((), description="steps in order, unless a case has its own; []: none")
    licence: str = Field(description="licence of the data, for the report")
    source: str = Field(description="where the data come from, for the report")
    note: str = Field("", description="remark on the data, for the report")
    ensembles: dict[str, ReadyMadeEnsemble] = Field({}, description="ready-made base clusterings, by name")
    card: Card | None = Field(None, description="facts for a comparison of methods on many data sets; null: none")

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        self._check_shape()
        if len(set(self.preprocessing)) < len(self.preprocessing):
            raise ValueError(f"preprocessing = {list(self.preprocessing)}: a step stands there twice; remove one")
        if self.reader is None:
            self._check_without_reader()
        else:
            self._check_reader(self.reader)
        names = [file.name for file in self.raw_files]
        if len(set(names)) < len(names):
            raise ValueError("two files have the same name; give each its own")
        if taken := sorted({*MADE} & {*self.ensembles}):
            raise ValueError(f"{taken[0]!r} is reserved for the ensembles made here; rename the ready-made ensemble")
        return self

    def _check_shape(self) -> None:
        if self.published and self.shape is None:
            raise ValueError("published: true, but there is no shape; add the published one")
        if self.shape and bool(self.shape[2]) != self.classes:
            right = "the number of classes" if self.classes else "0 classes"
            raise ValueError(f"shape = {list(self.shape)}, but classes: {str(self.classes).lower()}; write {right}")

    def _check_reader(self, reader: Reader) -> None:
        if not self.classes:
            features = "features without classes are clustered by the command consclust consensus --features"
            raise ValueError(
                f"classes: false goes with ready-made ensembles alone; remove reader and files; {features}"
            )
        if len(self.files) != reader.n_files and not (reader.several and self.files):
            wanted = f"{reader.n_files}{' or more' if reader.several else ''}; list that many in files"
            raise ValueError(f"{count(len(self.files), 'file')}, but the reader {reader.format!r} takes {wanted}")

    def _check_without_reader(self) -> None:
        named = [name for name, ensemble in self.ensembles.items() if ensemble.classes]
        if self.files or self.preprocessing or self.sample:
            remedy = "add reader, or remove them"
            raise ValueError(f"there are files, preprocessing or a sample, but no reader of features; {remedy}")
        if not self.ensembles:
            raise ValueError("there is neither a reader nor an ensemble; add reader and files, or ensembles")
        if self.classes and not named:
            remedy = "name them in an ensemble (classes: kind), or write classes: false if there are none"
            raise ValueError(f"no ensemble says where the classes are; {remedy}")
        if named and not self.classes:
            raise ValueError(f"classes: false, but ensembles.{named[0]}.classes names some; remove one of the two")

    @property
    def class_source(self) -> ReadyMadeEnsemble | None:
        """The ensemble that has the classes, where no reader reads them; without classes, the one with the objects."""
        if self.reader:
            return None
        return next(e for e in self.ensembles.values() if e.classes or not self.classes)

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
    """Read the registry: entries by id, in the order of the file; InputError has one line per mistake."""
    return parse(Registry, read_yaml(path), path).root


def load_registries() -> dict[str, DatasetSpec]:
    """Read the registry and, where it is there, that of the board; InputError also for an id that is in both."""
    entries = load_registry(REGISTRY)
    if not BOARD.exists():
        return entries
    more = load_registry(BOARD)
    if twice := sorted({*entries} & {*more}):
        raise InputError(f"{BOARD}: {twice[0]}: also in {REGISTRY}; give one of them another id")
    return entries | more

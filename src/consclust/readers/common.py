"""What the readers share: base class, result, refusals; lines, numbers and names of the text formats."""

import math
import re
import zipfile
import zlib
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, NoReturn, TypeAlias

from pydantic import Field

from consclust import files
from consclust.errors import InputError
from consclust.validation import Strict

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from scipy import sparse

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

Size = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Features: TypeAlias = "npt.NDArray[np.float64] | sparse.csr_array"


@dataclass(frozen=True)
class Raw:
    """Features as stored (NaN: missing value) and the name of the class of each object."""

    X: Features
    classes: list[str]


class AnyReader(Strict):
    """How files are read: how many, and their format."""

    n_files: ClassVar[int] = 1
    several: ClassVar[bool] = False
    """Whether there may be more files."""
    is_data: ClassVar[bool] = True
    """Whether the files hold a data set, which a study can use."""

    @abstractmethod
    def read(self, *paths: Path) -> Raw:
        """Read the files, in the order of the registry; :class:`InputError` names file, line and remedy."""


DAMAGED = "the file is damaged, or reader in the registry is wrong"


def malformed(path: Path | str, where: str, what: str, remedy: str = DAMAGED) -> NoReturn:
    """Refuse a file: path, place ("": none), mistake, remedy."""
    raise InputError(f"{path}{where and ', '}{where}: {what}; {remedy}")


@contextmanager
def at(path: Path, where: str) -> Iterator[None]:
    """Let a ValueError of the block refuse the file, with its place."""
    try:
        yield
    except ValueError as mistake:
        malformed(path, where, one_line(mistake))


def class_name(value: float) -> str:
    """``7.0`` is the class "7"."""
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))


def canonical(matrix: "sparse.csr_array") -> "sparse.csr_array":
    """Sort, add up, drop stored zeros: equal matrices have equal bytes."""
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def short(text: str) -> str:
    """Quote ``text`` for a message."""
    return ascii(text if len(text) <= 40 else text[:37] + "...")


def one_line(error: BaseException) -> str:
    """Return the message of an error without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines, numbered from 1, without line ends; of a ``.zip`` those of the only file in it."""
    try:
        text = _content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        malformed(path, f"byte {error.start}", "no UTF-8 text")
    yield from enumerate(re.split(r"\r\n|\r|\n", text), 1)


def _content(path: Path) -> bytes:
    if path.suffix.lower() != ".zip":
        return path.read_bytes()
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if len(names) != 1:
                malformed(path, "", f"{len(names)} files in the archive; only one is read", "pack it alone")
            refuse_bomb(path, archive.getinfo(names[0]).file_size)
            return archive.read(names[0])
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        malformed(path, "", f"no readable .zip: {one_line(error)}")


def refuse_bomb(path: Path, size: int) -> None:
    """Refuse what unpacks to more bytes than are read."""
    if size > files.MOST_UNPACKED:
        remedy = "the file is damaged, or no data set; unpack it by hand if it is one"
        malformed(path, "", f"it unpacks to more than {files.MOST_UNPACKED:,} bytes", remedy)


def number(text: str, missing: Sequence[str] = ()) -> float:
    """Return the number, NaN for a marker in ``missing``, or ValueError: "nan" and "1_0" are no numbers."""
    if _NUMBER.fullmatch(text):
        return float(text)
    if text in missing:
        return math.nan
    raise ValueError(f"{short(text)} is no number")

"""What the readers share: their result, and how they refuse a file."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from concord.errors import InputError

Features: TypeAlias = "npt.NDArray[np.float64] | sparse.csr_array"


@dataclass(frozen=True)
class Raw:
    """Features as stored (NaN: missing value) and the name of the class of each object."""

    X: Features
    classes: list[str]


def malformed(
    path: Path | str,
    where: str,
    what: str,
    remedy: str = "the file is damaged, or reader in the registry is wrong",
) -> NoReturn:
    """Refuse a file: path, place ("": none), mistake, remedy."""
    raise InputError(f"{path}, {where}: {what}; {remedy}" if where else f"{path}: {what}; {remedy}")


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


def canonical(matrix: sparse.csr_array) -> sparse.csr_array:
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

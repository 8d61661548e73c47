"""Features and classes as two JSON lists, each packed by zlib."""

# NumPy is imported where needed, so that what does without it starts faster

import json
import zlib
from pathlib import Path
from typing import Any, ClassVar, Literal

from consclust import files
from consclust.plurals import count
from consclust.readers.common import AnyReader, Raw, malformed, one_line, refuse_bomb


class PackedJsonReader(AnyReader):
    """Two files, a list of rows of numbers and a list of classes, each JSON packed by zlib (``data.bin``)."""

    n_files: ClassVar[int] = 2
    format: Literal["packed_json"]

    def read(self, *paths: Path) -> Raw:
        """Read the rows and the classes."""
        import numpy as np

        rows = _read_list(paths[0])
        classes = _read_list(paths[1])
        try:
            X = np.array(rows, dtype=np.float64)
        except (ValueError, TypeError) as error:
            malformed(paths[0], "", f"not rows of numbers: {one_line(error)}")
        if X.ndim != 2:
            malformed(paths[0], "", f"an array of shape {X.shape}, not rows of numbers")
        if len(classes) != len(X):
            malformed(paths[1], "", f"{len(classes)} classes for {count(len(X), 'object')}")
        return Raw(X, [_name_class(paths[1], value) for value in classes])


def _read_list(path: Path) -> list[Any]:
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(path.read_bytes(), files.MOST_UNPACKED + 1)
        refuse_bomb(path, len(text))
        value = json.loads(text)
    except (zlib.error, ValueError) as error:
        malformed(path, "", f"no JSON packed by zlib: {one_line(error)}")
    if not isinstance(value, list):
        malformed(path, "", f"a {type(value).__name__}, not a list")
    return value


def _name_class(path: Path, value: Any) -> str:
    """Return the name of a class: a number or text, ``7.0`` is "7"."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        malformed(path, "", f"{value!r} is no class")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

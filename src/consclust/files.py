"""Files are written atomically: under a temporary name, then renamed. Arrays are never unpickled."""

# NumPy is imported where needed, so that what does without it starts faster

import errno
import hashlib
import json
import math
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from consclust.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

DENSEST = 1032
"""Bytes that one byte of deflate can unpack to at most."""
MOST_UNPACKED = 2**32
"""Bytes that are unpacked from a ``.zip``, ``.gz`` or ``.tar.gz``."""
TOKEN = 8
"""Bytes of the random part of a temporary name."""
TEMPORARY = re.compile(rf"\.[0-9a-f]{{{2 * TOKEN}}}(\.\w+)?")
"""Names of temporary files, such as a killed command leaves."""
RERUN = "delete it and run the same command again"
"""Remedy for a file that the workflow made."""


@contextmanager
def written_whole(path: Path | str) -> Iterator[Path]:
    """Give a temporary path beside ``path`` (same suffix); rename it to ``path`` when the block succeeds.

    A link is kept: the file that it leads to is written. A file that is there keeps its mode; a new one has that of the
    user's umask.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.is_file() else None
        temporary = _make_empty_file(target, 0o666 if mode is None else mode | 0o600)
    except OSError as error:
        error.filename = str(path)
        raise
    try:
        yield temporary
        if mode is not None:
            temporary.chmod(mode)  # also the part that the umask took
        temporary.replace(target)
    except OSError as error:
        # "No space left on device" of a write names no file
        if error.filename is None:
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(path: Path | str) -> None:
    """Raise OSError, with the name of the file, where a file cannot be written; nothing is left but its folder."""
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _make_empty_file(target, 0o600).unlink()
    except OSError as error:
        error.filename = str(path)
        raise


def _make_empty_file(beside: Path, mode: int) -> Path:
    """Make a file of a new name, whose mode is ``mode`` without the bits of the umask.

    ``tempfile`` makes files that their owner alone can read, and there is no safe way to ask for the umask.
    """
    while True:
        # not the name of the file: it may be as long as the file system allows
        path = beside.with_name(f".{secrets.token_hex(TOKEN)}{beside.suffix}")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        except FileExistsError:
            continue
        return path


def sha256(path: Path | str) -> str:
    """Return the checksum of a file, in hexadecimal digits."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_text(path: Path | str, text: str) -> None:
    """Write ``text`` to ``path``, whole or not at all."""
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_csv(path: Path | str, frame: "pd.DataFrame", form: str = "%.10g") -> None:
    """Write a table as CSV, numbers as ``form`` says: the same bytes for the same values."""
    write_text(path, frame.to_csv(index=False, float_format=form, lineterminator="\n"))


def write_record(path: Path | str, record: Mapping[str, Any]) -> None:
    """Write a JSON object with a checksum of its other members."""
    write_text(path, json.dumps({**record, "checksum": _checksum(record)}) + "\n")


def read_record(path: Path | str) -> dict[str, Any]:
    """Read what :func:`write_record` wrote; :class:`InputError` if it is missing or damaged."""
    try:
        record: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
        if record.pop("checksum") != _checksum(record):
            raise ValueError("its checksum is another")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run the same command again") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(f"{path}: changed since it was written, or damaged; {RERUN}") from None
    return record


def _checksum(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]


def write_arrays(path: Path | str, **arrays: "npt.ArrayLike") -> None:
    """Write an ``.npz`` file; equal arrays give equal bytes."""
    import numpy as np

    with written_whole(path) as temporary, temporary.open("wb") as handle:  # NumPy dates every member 1980
        np.savez_compressed(handle, allow_pickle=False, **arrays)


def read_arrays(path: Path | str, *keys: str, remedy: str = RERUN) -> "dict[str, npt.NDArray[Any]]":
    """Read arrays of an ``.npz`` file, all if no key is given; :class:`InputError` says what is wrong."""
    import zipfile
    import zlib

    import numpy as np

    try:
        # NumPy leaves a file that it opened itself open when its content is not a zip
        with Path(path).open("rb") as handle:
            refuse_claims(handle)
            with np.load(handle, allow_pickle=False) as arrays:
                return {key: arrays[key] for key in keys or arrays.files}
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run the stage that writes it") from None
    except KeyError as error:
        raise InputError(f"{path}: {error.args[0]}; {remedy}") from None
    except (ValueError, TypeError, OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path}: not a readable .npz file ({error}); {remedy}") from None


def refuse_claims(handle: BinaryIO) -> None:
    """Raise ValueError if an ``.npy`` or ``.npz`` file announces an array for which it is too small.

    NumPy makes the array before it reads it, and 10^12 numbers fit into a header of 128 bytes.
    """
    import zipfile

    size = handle.seek(0, os.SEEK_END)
    handle.seek(0)
    if zipfile.is_zipfile(handle):
        with zipfile.ZipFile(handle) as archive:
            for member in archive.infolist():
                with archive.open(member) as array:
                    _refuse_claim(array, min(member.file_size, DENSEST * size))
    else:
        handle.seek(0)
        _refuse_claim(handle, size)
    handle.seek(0)


def _refuse_claim(stream: IO[bytes], most: int) -> None:
    """Refuse an array of more than so many bytes; what is no array, or one of objects, is left to NumPy."""
    from numpy.lib import format as npy

    if stream.read(len(npy.MAGIC_PREFIX)) != npy.MAGIC_PREFIX:
        return
    version = tuple(stream.read(2))
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read_header(stream)
    if not dtype.hasobject and math.prod(shape) * dtype.itemsize > most:
        raise ValueError(f"an array of shape {shape} is announced, which the file is too small for")

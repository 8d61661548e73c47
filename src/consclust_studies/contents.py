"""What the files of jobs contain, apart from the spec and the stamp that they carry.

One way to read spec and stamp of an output, to take the digest of its content, and to write it again under another
spec.
"""

# pyarrow is imported where needed, so that what does without it starts faster

import hashlib
import json
import shutil
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consclust.errors import InputError
from consclust.files import read_arrays, read_record, sha256, write_arrays, write_record, written_whole
from consclust_studies.specs import digest
from consclust_studies.stamps import Stamp, parse_stamp

MARKS = ("spec", "stamp")
"""What an output carries beside its content, by the names of arrays, texts and keys."""
WITH_MARKS = (".json", ".npz", ".parquet")
"""Suffixes of the files of jobs that carry spec and stamp, those first that are read fastest."""
OF_MAKERS = "made"
"""The text of a table of scores that says which versions made the labels: no part of its content."""


DAMAGED = (InputError, OSError, KeyError, ValueError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What reading a damaged file may raise, or one that somebody else made."""


class Marks(NamedTuple):
    """The JSON text of a spec, and the stamp."""

    spec: str
    stamp: Stamp

    def texts(self) -> dict[str, str]:
        """Return what a file stores."""
        return marks_of(self.spec, self.stamp)


def marks_of(spec: str, stamp: Stamp | None) -> dict[str, str]:
    """Return what a file stores of a spec (JSON text) and a stamp; outside a run there is no stamp."""
    return {"spec": spec, "stamp": stamp.json_text} if stamp else {"spec": spec}


def read_marks(path: Path) -> Marks | None:
    """Return spec and stamp of a file; None of one that is missing, damaged, or has none."""
    try:
        if path.suffix == ".npz":
            with path.open("rb") as handle, np.load(handle, allow_pickle=False) as arrays:
                return Marks(str(arrays["spec"][()]), parse_stamp(arrays["stamp"][()]))
        if path.suffix == ".parquet":
            from consclust_studies.stages.score_tables import read_texts

            texts = read_texts(path)
            return Marks(texts["spec"], parse_stamp(texts["stamp"]))
        if path.suffix == ".json":
            record = read_record(path)
            return Marks(record["spec"], parse_stamp(record["stamp"]))
    except DAMAGED:
        return None
    return None


def digest_content(path: Path) -> str:
    """Return the digest of what a file contains; files that differ in spec and stamp alone have the same.

    Of a file that carries neither, such as one that the user placed, it is that of all bytes. :class:`InputError` for a
    file that is missing, and for a damaged one of a job.
    """
    if read_marks(path) is None:
        return _digest_bytes(path)
    if path.suffix == ".npz":
        return _digest_arrays(read_arrays(path))
    if path.suffix == ".parquet":
        from consclust_studies.stages.score_tables import digest_of_table

        return digest_of_table(path, but=(*MARKS, OF_MAKERS))
    record = {key: value for key, value in read_record(path).items() if key not in MARKS}
    return digest(json.dumps(record, sort_keys=True))


def _digest_bytes(path: Path) -> str:
    try:
        return sha256(path)[:16]
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run the same command again") from None


def _digest_arrays(arrays: Mapping[str, Any]) -> str:
    found = hashlib.sha256()
    for name in sorted(set(arrays) - set(MARKS)):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(array.tobytes())
    return found.hexdigest()[:16]


def write_again(path: Path, target: Path, marks: Marks) -> None:
    """Write the content of a file under another spec and stamp; a file that carries none is copied."""
    if path.suffix == ".npz":
        content = {name: array for name, array in read_arrays(path).items() if name not in MARKS}
        write_arrays(target, **content, **marks.texts())
    elif path.suffix == ".parquet":
        from consclust_studies.stages.score_tables import write_table_again

        write_table_again(path, target, marks.texts())
    elif path.suffix == ".json":
        write_record(target, {**read_record(path), **marks.texts()})
    else:
        with written_whole(target) as temporary:
            shutil.copyfile(path, temporary)

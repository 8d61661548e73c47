"""Checksums of the user's own files of data, which the registry has none of.

They stand in the specs of the jobs that read the files, as registered ones do: another content runs these jobs again,
however old the file is, and a job refuses a file that has changed since the plan was made.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from consclust.datasets.registry import DatasetSpec, RawFile
from consclust.files import sha256

VARIABLE = "CONSCLUST_OWN_FILES"
"""Environment variable with the checksums, for jobs in a folder without the files."""


def place(dataset: str, file: RawFile) -> str:
    """Return where a file of a data set lies."""
    return f"data/raw/{dataset}/{file.name}"


def own_files(registry: Mapping[str, DatasetSpec]) -> dict[str, str]:
    """Return the checksums of the files that are there and have no registered one, by path."""
    files = [(d, file) for d, entry in registry.items() for file in entry.raw_files if file.sha256 is None]
    paths = [path for path in (Path(place(*each)) for each in files) if path.is_file()]
    return {str(path): _sha256(path.absolute(), path.stat().st_size, path.stat().st_mtime_ns) for path in paths}


def with_checksums(registry: Mapping[str, DatasetSpec], own: Mapping[str, str]) -> dict[str, DatasetSpec]:
    """Return the registry with the checksums of the user's ``own`` files."""
    return {dataset: _with_checksums(dataset, entry, own) for dataset, entry in registry.items()}


def _with_checksums(dataset: str, entry: DatasetSpec, own: Mapping[str, str]) -> DatasetSpec:
    def known(file: RawFile) -> RawFile:
        return file.model_copy(update={"sha256": own.get(place(dataset, file), file.sha256)})

    if not any(place(dataset, file) in own for file in entry.raw_files):
        return entry
    ready = {name: e.model_copy(update={"file": known(e.file)}) for name, e in entry.ensembles.items()}
    return entry.model_copy(update={"files": tuple(map(known, entry.files)), "ensembles": ready})


@cache
def _sha256(path: Path, size: int, mtime_ns: int) -> str:
    """Return the checksum of a file, computed once as long as its size and time are the same."""
    return sha256(path)

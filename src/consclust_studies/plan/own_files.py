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


def locate(dataset: str, file: RawFile) -> str:
    """Return where a file of a data set lies."""
    return f"data/raw/{dataset}/{file.name}"


def compute_checksums(registry: Mapping[str, DatasetSpec]) -> dict[str, str]:
    """Return the checksums of the files that are there and have no registered one, by path."""
    checksums = {}
    for dataset, entry in registry.items():
        for file in entry.raw_files:
            path = Path(locate(dataset, file))
            if file.sha256 is None and path.is_file():
                # size and time make the key of the cache: a large file is read once
                status = path.stat()
                checksums[str(path)] = _compute_checksum(path.absolute(), status.st_size, status.st_mtime_ns)
    return checksums


def add_checksums(registry: Mapping[str, DatasetSpec], own: Mapping[str, str]) -> dict[str, DatasetSpec]:
    """Return the registry with the checksums of the user's ``own`` files."""
    return {dataset: _add_to_entry(dataset, entry, own) for dataset, entry in registry.items()}


def _add_to_entry(dataset: str, entry: DatasetSpec, own: Mapping[str, str]) -> DatasetSpec:
    if not any(locate(dataset, file) in own for file in entry.raw_files):
        return entry

    def add_to_file(file: RawFile) -> RawFile:
        return file.model_copy(update={"sha256": own.get(locate(dataset, file), file.sha256)})

    files = tuple(add_to_file(file) for file in entry.files)
    ensembles = {
        name: ensemble.model_copy(update={"file": add_to_file(ensemble.file)})
        for name, ensemble in entry.ensembles.items()
    }
    return entry.model_copy(update={"files": files, "ensembles": ensembles})


@cache
def _compute_checksum(path: Path, size: int, mtime_ns: int) -> str:
    """Return the checksum of a file, computed once as long as its size and time are the same."""
    return sha256(path)

"""Fetching a file of a data set: the one job whose result its checksum decides, and nothing else."""

from typing import ClassVar

from consclust.datasets import download
from consclust.datasets.registry import load_registries
from consclust.errors import InputError
from consclust.validation import did_you_mean
from consclust_studies.code import Code
from consclust_studies.job_files import Files
from consclust_studies.specs import Spec


class FetchJob(Spec):
    """What a fetched file depends on."""

    kind: ClassVar = "fetch"

    dataset: str
    file: str
    sha256: str | None

    def code_behind(self) -> Code:
        """Return nothing: a file with the registered checksum is right, however it was fetched."""
        return Code(())


def run(job: FetchJob, files: Files) -> str:
    """Put the file where it belongs; InputError says where it can be had, and where to place it by hand."""
    registry = load_registries()
    if job.dataset not in registry:
        raise InputError(f"no data set {job.dataset!r}; {did_you_mean(job.dataset, list(registry))}")
    entry = registry[job.dataset]
    file = entry.file(job.file)
    if file is None:
        names = [file.name for file in entry.raw_files]
        remedy = did_you_mean(job.file, names) if names else "it needs none"
        raise InputError(f"data set {job.dataset}: no file {job.file!r}; {remedy}")
    target = files.output("raw")
    download.fetch(job.dataset, entry, file, target, placed=files.optional("placed"))
    return f"{target.stat().st_size:,} bytes"

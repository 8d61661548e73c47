"""A job on its way to the process that does it: its kind, its spec, and its files by name, in one JSON file.

A command line holds 131,072 bytes at most, and the spec and the inputs of a job can be longer.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from consclust.errors import InputError
from consclust.files import write_text
from consclust.validation import Strict, parse
from consclust_studies.specs import digest
from consclust_studies.stamps import Stamp

FOLDER = Path(".snakemake/consclust")
"""Where the files of jobs are, in the folder of the project."""

LONGEST_SPEC = 10**9
"""Characters of the longest spec. What people write is shorter, and :func:`~consclust.validation.parse` says so."""


class JobFile(Strict):
    """A job, and the names of its files."""

    kind: str
    spec: str
    """JSON text."""
    inputs: dict[str, tuple[str, ...]]
    outputs: dict[str, tuple[str, ...]]
    arguments: dict[str, Any] = {}
    """What a job takes beside its spec, as it changes no result: the block of subsets that it works through."""
    sources: dict[str, str] = {}
    """Checksums of the modules with the code behind the job, at the time of the plan."""
    title: str = ""
    """What the job is, for messages."""
    keep_versions: bool = True
    """Whether results of other versions of packages stay."""
    confirm: bool = False
    """Whether results of other code may be adopted if a sample of them is confirmed."""
    confirm_all: tuple[str, ...] = ()
    """Sorts of fits of which not a sample but all are made again."""

    @property
    def path(self) -> Path:
        """Where the file is, under a name that says what is in it."""
        return FOLDER / f"{self.kind}-{digest(self.model_dump_json())}.json"

    def write(self) -> Path:
        """Write the file, and return its path."""
        path = self.path
        if not path.is_file():
            write_text(path, self.model_dump_json())
        return path

    @classmethod
    def read(cls, path: Path) -> "JobFile":
        """Read a file that :meth:`write` wrote."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: not a readable job ({error}); run Snakemake again, which writes it") from None
        return parse(cls, content, path, longest=LONGEST_SPEC)


class Files:
    """The files of a job by name, and what each output carries beside its content."""

    def __init__(
        self,
        inputs: Mapping[str, Sequence[Path]],
        outputs: Mapping[str, Sequence[Path]],
        stamp: Stamp,
        arguments: Mapping[str, Any] | None = None,
        previous: Mapping[Path, Path] | None = None,
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.stamp = stamp
        self.arguments = arguments or {}
        self.previous = previous or {}
        """By output: what an earlier run made of inputs with the same content, for another spec."""

    def input(self, name: str) -> Path:
        """Return the one input of this name."""
        (path,) = self.inputs[name]
        return path

    def optional(self, name: str) -> Path | None:
        """Return the input of this name; None if the job has none."""
        return self.input(name) if self.inputs.get(name) else None

    def several(self, name: str) -> Sequence[Path]:
        """Return all inputs of a name."""
        return self.inputs.get(name, ())

    def output(self, name: str) -> Path:
        """Return the one output of this name."""
        (path,) = self.outputs[name]
        return path

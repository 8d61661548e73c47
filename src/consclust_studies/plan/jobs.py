"""A job of a run as it is planned: its spec, its files by name, and what it needs of the machine."""

from dataclasses import dataclass, field
from typing import Any

from consclust.errors import InputError
from consclust.plurals import count
from consclust_studies.code.job_code import find_checksums
from consclust_studies.job_files import JobFile
from consclust_studies.paths import LOGS
from consclust_studies.plan.needs import Need
from consclust_studies.specs import Spec


@dataclass(frozen=True)
class PlannedJob:
    """A job of a run.

    Attributes
    ----------
    rule : name of the rule in the workflow; ``kind`` is that of :mod:`consclust_studies.kinds`.
    names : what the wildcards of the rule stand for.
    inputs : files by name that other jobs make, or that the user placed.
    project : files of the project by name, under version control; their content is in the spec.
    outputs : files by name.
    arguments : what the job takes beside its spec, as it changes no result.
    group : jobs of a cluster that are submitted together; None: by itself.
    """

    rule: str
    kind: str
    names: dict[str, str]
    spec: Spec
    inputs: dict[str, list[str]]
    outputs: dict[str, list[str]]
    title: str
    need: Need
    project: dict[str, list[str]] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    group: str | None = "report"

    @property
    def log(self) -> str:
        """File of the messages of the job."""
        return LOGS[self.rule].format(**self.names)

    @property
    def first_output(self) -> str:
        """The file that the job is known by."""
        return next(iter(self.outputs.values()))[0]

    @property
    def given(self) -> list[str]:
        """All files that other jobs make, or the user placed."""
        return [path for paths in self.inputs.values() for path in paths]

    def to_file(
        self,
        inputs: dict[str, list[str]],
        outputs: dict[str, list[str]],
        confirm: bool = False,
        sorts: tuple[str, ...] = (),
        keep_versions: bool = True,
    ) -> JobFile:
        """Return the job for the process that does it, with the places of its files on this machine.

        ``confirm`` and ``keep_versions`` say which results of other code and of other versions stay; of the ``sorts``
        of fits all are made again to confirm them.
        """
        for name, paths in self.inputs.items():
            if len(inputs.get(name, ())) != len(paths):
                raise InputError(
                    f"{self.title}: {count(len(inputs.get(name, ())), 'file')} given as {name}, not {len(paths)}"
                )
        return JobFile(
            kind=self.kind,
            spec=self.spec.json_text,
            inputs={**self.project, **inputs},
            outputs=outputs,
            arguments=self.arguments,
            sources=find_checksums(self.spec.code_behind()),
            title=self.title,
            keep_versions=keep_versions,
            confirm=confirm,
            confirm_all=sorts,
        )

"""The job of the report: the document of all exhibits."""

from typing import ClassVar

from consclust_studies.code import Code
from consclust_studies.config.study import PlannedStudy
from consclust_studies.exhibits.exhibits_job import given_files
from consclust_studies.job_files import Files
from consclust_studies.results.source import Item, Source
from consclust_studies.specs import Spec


class DocumentJob(Spec):
    """What the report depends on."""

    kind: ClassVar = "document"

    study: PlannedStudy
    items: tuple[Item, ...]
    seed: int
    methods: dict[str, tuple[str, str]]
    """Summary and reference of every method."""
    templates: str = ""
    """Digest of the templates that it is written with."""

    def code_behind(self) -> Code:
        """Return what writes the report."""
        return Code(("consclust_studies.document.document.write_document",))


def run(job: DocumentJob, files: Files) -> str:
    """Write the report; return its place."""
    from consclust_studies.document.document import write_document  # pandas: the plan needs the model alone

    out = {path.name: path for paths in files.outputs.values() for path in paths}
    write_document(Source(job.study, given_files(job.items, files), job.seed), out)
    return str(out["report.pdf"])

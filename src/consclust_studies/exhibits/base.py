"""What the file of a kind imports: the class of all exhibits, that of exhibits of one method, checks of keys."""

from pydantic import Field

from consclust import methods
from consclust.validation import Strict
from consclust_studies.config.exhibit import Counted, Exhibit, Needs
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.references import CaseId, MethodId, Mistakes, find_unknown
from consclust_studies.config.study import Study
from consclust_studies.config.values import Some

__all__ = [
    "NOT_PUBLISHED",
    "Counted",
    "Exhibit",
    "Group",
    "Mistakes",
    "Needs",
    "OfMethod",
    "check_reads_no_features",
    "find_unknown",
]

NOT_PUBLISHED = "the study has no published scores; add published: [table2]"
"""What an exhibit lacks that compares scores with published ones."""


class Group(Strict):
    """Cases that stand side by side."""

    title: str = Field(description="name of the group, in the figure or table")
    cases: Some[CaseId] = Field(description="ids of the cases of the group")


class OfMethod(Exhibit):
    """An exhibit of one method."""

    method: MethodId = Field(description="id of the method")
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")

    def find_cases(self, study: Study) -> list[str]:
        """Return the cases on which the method runs."""
        run = study.method(self.method)
        return [case.id for case in study.cases if case.id in (self.cases or [case.id]) and run.runs_on(case)]

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a method that runs on none of the cases."""
        if not self.find_cases(study):
            yield "method", f" = {self.method!r}: it runs on none of these cases; name other cases"


def check_reads_no_features(run: MethodRun, key: str) -> Mistakes:
    """Yield a mistake if a method needs features: figures read base clusterings only."""
    if methods.needs_features(run.method, run.parameters, [run.default]):
        yield f"{key}method", f" = {run.id!r}: it needs features, which figures do not read; name another"

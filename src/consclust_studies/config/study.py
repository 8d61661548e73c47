"""A study: what is run, the paper behind it, and what the report shows; its file is ``studies/<id>/study.yaml``."""

from typing import Literal, Self

from pydantic import Field, model_validator

from consclust.validation import Strict
from consclust_studies.config.cases import Case, Two
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.exhibit_kinds import AnyExhibit, FileOfKinds
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.metric import Metric
from consclust_studies.config.paper import Claim, LedgerItem, Paper
from consclust_studies.config.references import MethodId
from consclust_studies.config.values import Some, Text, Title
from consclust_studies.config.without_classes import Diagnosis


class StudyCase(Case):
    """A data set as the study uses it; one without classes has the number of clusters to look for."""

    k: Two | None = Field(
        None, description="number of consensus clusters, of a data set without classes; else it is that of the classes"
    )


class Study(Experiment):
    """A study as its files say it: the experiment, the paper behind it with its claims, and what the report shows."""

    cases: Some[StudyCase]
    title: Title
    summary: Text = Field(description="one or two sentences for the report's abstract")
    paper: Paper | None = None
    published: tuple[Literal["table1", "table2", "starts", "seconds", "program", "offsets"], ...] = Field(
        (), description="tables of published values in studies/<id>/published/<name>.csv"
    )
    discussion: bool = Field(False, description="whether studies/<id>/discussion.md is part of the report")
    unpublished: tuple[MethodId, ...] = Field(
        (), description="ids of methods that the paper has, but whose published numbers are not at hand"
    )
    other_data: Text | None = Field(
        None,
        description="why the data sets are not the paper's; every verdict then says that they are not, and "
        "the tables are called after the paper's",
    )
    reported: Some[Metric] = Field(("ACC", "NMI"), description="metrics of the tables, unless one names its own")
    ledger: tuple[LedgerItem, ...] = Field((), description="what the paper shows and says, item by item")
    claims: tuple[Claim, ...] = Field(
        (), description="sentences with a check: of the paper's items, and questions of ours"
    )

    diagnosis: Diagnosis = Diagnosis()

    kinds: tuple[FileOfKinds, ...] = Field(
        (),
        description="files of other studies whose kinds of exhibits this one uses too: studies/<id>/exhibits/<file>.py",
    )
    exhibits: tuple[AnyExhibit, ...] = Field(
        (), description="what the report shows, in order; standard exhibits that are not listed follow"
    )

    @property
    def without_classes(self) -> bool:
        """Whether the cases have no classes: there are no scores, and diagnostics take their place."""
        return any(case.k for case in self.cases)

    def number_of_clusters(self, case_id: str) -> int | None:
        """Return the number of clusters of a case without classes; None with classes, as their number counts."""
        return next((case.k for case in self.cases if case.id == case_id), None)

    @model_validator(mode="after")
    def _reported_are_computed(self) -> Self:
        if missing := [metric for metric in self.reported if metric not in self.metrics]:
            raise ValueError(f"the reported metric {missing[0]!r} is not in metrics; add it there")
        return self

    @model_validator(mode="after")
    def _files_of_their_own(self) -> Self:
        ids = [exhibit.id for exhibit in self.exhibits]
        if twice := {i for i in ids if ids.count(i) > 1}:
            raise ValueError(f"two exhibits have the id {sorted(twice)[0]!r}; give one of them another id")
        return self

    def exhibit(self, exhibit_id: str) -> Exhibit:
        """Return the exhibit with this id."""
        return next(exhibit for exhibit in self.exhibits if exhibit.id == exhibit_id)


class Origin(Strict):
    """Where the data of a case come from, out of the registry."""

    title: str = Field(description="the data set's title")
    source: str
    licence: str
    note: str = ""
    checksums: dict[str, str | None] = Field({}, description="SHA-256 by file name; None: not registered")


class PlannedStudy(Study):
    """A study as it is run: with the registry's titles and steps, restricted where the configuration says so."""

    run_id: str = Field(description="names its folder of results and reports: the id, and what it is restricted to")
    restriction: str = Field("", description="what the run is restricted to, in words; empty if it is whole")
    left_out: tuple[str, ...] = Field((), description="exhibits of the whole study that are not in this run")
    sections: dict[str, str] = Field({}, description="title of every exhibit of this run, by its id")
    origins: dict[str, Origin] = Field({}, description="by case")

    @property
    def titles(self) -> dict[str, str]:
        """The name of every case in tables."""
        cases = (*self.described, *self.case_variants)
        return {case.id: case.title or case.dataset for case in cases}

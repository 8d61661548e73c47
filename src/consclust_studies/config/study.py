"""A study: what is run, the paper behind it, and what the report shows; its file is ``studies/<id>/study.yaml``."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from consclust.datasets.registry import Card
from consclust.ensemble import Unseen
from consclust.validation import Strict
from consclust_studies.config.cases import Case, Two
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.exhibit_kinds import AnyExhibit, FileOfKinds
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.metric import Metric
from consclust_studies.config.paper import Claim, LedgerItem, Paper
from consclust_studies.config.references import MethodId
from consclust_studies.config.values import Some, Text, Title
from consclust_studies.config.without_classes import Diagnosis


class StudyCase(Case):
    """A data set as the study uses it; one without classes has the number of clusters to look for."""

    k: Two | None = Field(
        None, description="number of consensus clusters; required of a data set without classes, not used elsewhere"
    )


class Study(Experiment):
    """A study as its files say it: the experiment, the paper behind it with its claims, and what the report shows."""

    cases: Some[StudyCase] = Field(description="the data sets as the study uses them")
    title: Title = Field(description="heading of the report")
    summary: Text = Field(description="one or two sentences, the abstract of the report")
    paper: Paper | None = Field(None, description="the paper that the study re-runs; null: none, a study of our own")
    published: tuple[Literal["table1", "table2", "starts", "seconds", "program", "offsets"], ...] = Field(
        (),
        description="tables of published values, the files published/<name>.csv in the study's folder: 'table1': "
        "data sets; 'table2': scores; 'starts': random starts; 'seconds': of the paper; 'program': CPU seconds of the "
        "authors' program; 'offsets': of variants",
    )
    missing_labels: Unseen | None = Field(
        None,
        description="what a label counts as that is missing from a base clustering: 'ignored': a clustering does not "
        "count for the pairs of an object that it misses, as in most published formulas; 'expected': as the label to "
        "be expected from the object's clusters in the other clusterings; null: 'ignored' in a study with a paper, "
        "else 'expected'",
    )
    discussion: bool = Field(False, description="whether discussion.md of the study's folder is part of the report")
    unpublished: tuple[MethodId, ...] = Field(
        (), description="ids of methods of the paper whose published values are not available"
    )
    other_data: Text | None = Field(
        None,
        description="why the data sets are not the paper's, which every verdict then says; null: they are the paper's",
    )
    same_subsets: bool = Field(
        False,
        description="whether the subsets of base clusterings are the paper's own, so that a method without random "
        "numbers should have its published values to the last digit",
    )
    reported: Some[Metric] = Field(("ACC", "NMI"), description="metrics of the tables, unless an exhibit has its own")
    ledger: tuple[LedgerItem, ...] = Field((), description="tables, figures and sentences of the paper")
    claims: tuple[Claim, ...] = Field((), description="sentences with a check: of the paper, and questions beyond it")

    diagnosis: Diagnosis = Field(Diagnosis(), description="what is computed of data sets without classes")

    kinds: tuple[FileOfKinds, ...] = Field(
        (),
        description="files of other studies whose kinds of exhibits this one uses too: studies/<id>/exhibits/<file>.py",
    )
    budget_hours: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="CPU hours that a run may take by the estimates of its plan; above them it is refused; null: no "
        "limit",
    )
    standard_exhibits: bool = Field(
        True, description="whether the standard exhibits that are not listed follow; they are long for many data sets"
    )
    exhibits: tuple[AnyExhibit, ...] = Field(
        (), description="what the report shows, in order; the standard exhibits that are not listed follow"
    )

    def missing_labels_for(self, run: MethodRun | None = None) -> Unseen:
        """Return what a missing label counts as for a method, or for one that has no setting of its own."""
        own = run.missing_labels if run else None
        return own or self.missing_labels or ("ignored" if self.paper else "expected")

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

    def list_exhibits_of_claims(self) -> list[str]:
        """Return the ids of the exhibits that count for a claim, those that are in this run."""
        questions = [question for claim in self.claims for question in (claim.by, claim.same_choice) if question]
        here = {exhibit.id for exhibit in self.exhibits}
        return [name for name in dict.fromkeys(question.exhibit for question in questions) if name in here]


class Origin(Strict):
    """Where the data of a case come from, out of the registry."""

    title: str = Field(description="the data set's title")
    source: str
    licence: str
    note: str = ""
    checksums: dict[str, str | None] = Field({}, description="SHA-256 by file name; None: not registered")
    card: Card | None = Field(None, description="what the registry says for comparisons on many data sets")


class PlannedStudy(Study):
    """A study as it is run: with the registry's titles and steps, restricted where the configuration says so."""

    run_id: str = Field(description="names its folder of results and reports: the id, and what it is restricted to")
    restriction: str = Field("", description="what the run is restricted to, in words; empty if it is whole")
    left_out: tuple[str, ...] = Field((), description="exhibits of the whole study that are not in this run")
    items_left_out: tuple[str, ...] = Field((), description="ids of the items of the paper that this run cannot show")
    claims_left_out: int = Field(0, description="number of claims that this run cannot judge")
    lacking: dict[str, tuple[str, ...]] = Field(
        {}, description="what the exhibits of an item of the paper lack in this run, by the id of the item"
    )
    sections: dict[str, str] = Field({}, description="title of every exhibit of this run, by its id")
    origins: dict[str, Origin] = Field({}, description="by case")

    @property
    def titles(self) -> dict[str, str]:
        """The name of every case in tables."""
        cases = (*self.described, *self.case_variants)
        return {case.id: case.title or case.dataset for case in cases}

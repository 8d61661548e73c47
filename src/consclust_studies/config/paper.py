"""The paper that a study re-runs, its claims, and what a study says of it."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from consclust.validation import Strict
from consclust_studies.config.cases import Case, Two
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.metric import Metric
from consclust_studies.config.references import AnyRowId, CaseId, MethodId, Ref
from consclust_studies.config.values import Count, Name, Positive, Share, Some, Text, Title
from consclust_studies.config.without_classes import Diagnosis


class Paper(Strict):
    """The paper that a study re-runs."""

    authors: Text
    title: Text
    venue: Text
    year: Annotated[int, Field(ge=1900, le=2100)]


ExhibitId = Annotated[str, Ref("exhibit")]
"""An exhibit of the study."""
ItemId = Annotated[str, Ref("item")]
"""An item of the ledger."""


class LedgerItem(Strict):
    """A table, a figure or a sentence of the paper, and what redoes it here."""

    id: Name
    place: Title = Field(description="where it stands in the paper")
    text: Text = Field(description="what it shows or says, paraphrased")
    shown: tuple[ExhibitId, ...] = Field((), description="ids of the exhibits that redo it")
    missing: Text | None = Field(None, description="what the paper has of it and this study does not, and why")

    @model_validator(mode="after")
    def _shown_or_missing(self) -> Self:
        if not self.shown and not self.missing:
            raise ValueError("it is shown nowhere; name exhibits in shown, or say in missing why there are none")
        return self


class Claim(Strict):
    """A sentence and the check in code that gives its verdict."""

    text: Text
    item: ItemId | None = Field(
        None, description="id of the item of the ledger that says it; a question of ours if absent"
    )
    check: Literal["best", "no_worse", "second", "significant", "above_base", "stable", "grows", "improves", "near"]
    method: AnyRowId
    metric: Metric
    cases: tuple[CaseId, ...] = Field((), description="ids of the cases that it speaks of; all if absent")
    against: tuple[AnyRowId, ...] = Field(
        (),
        description="'best', 'significant': ids of the rivals that it speaks of; all the others if absent; "
        "'improves': the one that it is better than",
    )
    unseen: bool = Field(False, description="'improves': on unseen objects; both then name rows of that table")
    percent: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="'improves': the published improvement, in percent"
    )
    relative: bool = Field(False, description="'improves': percent of the rival's score, not percentage points")
    published: Count | None = Field(None, description="on how many data sets the paper shows it")
    of: Positive | None = Field(
        None, description="of how many; those of the published table, or of the figure, if absent"
    )
    says: Literal["most", "count"] = Field(
        "most", description="what the sentence says: that it holds on most data sets, or on the published count"
    )
    within: Annotated[float, Field(ge=0, le=1)] = Field(
        0.02, description="'stable': a grid point counts if its score is this near the best; 'near': a data set does"
    )
    share: Share = Field(0.5, description="'stable': the share of grid points that must count")

    @model_validator(mode="after")
    def _keys_of_the_check(self) -> Self:
        if self.published is not None and self.of is not None and self.published > self.of:
            raise ValueError(f"published = {self.published} of {self.of}: more than all; correct one of them")
        if self.method in self.against:
            raise ValueError(f"against = {list(self.against)} holds {self.method} itself; remove it there")
        if self.check == "improves":
            if len(self.against) != 1 or self.percent is None:
                raise ValueError("check: improves needs one method in against, and the published percent")
            return self
        if self.check == "near" and len(self.against) != 1:
            raise ValueError("check: near needs one method in against")
        if self.says == "count" and self.published is None:
            raise ValueError("says: count needs the published count; add published")
        if self.against and self.check not in {"best", "no_worse", "significant", "near"}:
            kinds = "best, no_worse, significant, near or improves"
            raise ValueError(f"against = {list(self.against)} goes with check: {kinds}; remove it")
        if self.unseen or self.relative or self.percent is not None:
            raise ValueError("unseen, relative and percent go with check: improves; remove them")
        return self


class Ledger(Strict):
    """What the paper shows and says: studies/<id>/claims.yaml."""

    ledger: tuple[LedgerItem, ...] = ()
    claims: tuple[Claim, ...] = ()

    @model_validator(mode="after")
    def _ids_of_their_own(self) -> Self:
        ids = [item.id for item in self.ledger]
        if twice := {i for i in ids if ids.count(i) > 1}:
            raise ValueError(f"two items have the id {sorted(twice)[0]!r}; give one of them another id")
        return self


class StudyCase(Case):
    """A data set as the study uses it; one without classes has the number of clusters to look for."""

    k: Two | None = Field(
        None, description="number of consensus clusters, of a data set without classes; else it is that of the classes"
    )


class PaperStudy(Experiment):
    """An experiment and the paper behind it; a study adds its exhibits."""

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


class Origin(Strict):
    """Where the data of a case come from, out of the registry."""

    title: str = Field(description="the data set's title")
    source: str
    licence: str
    note: str = ""
    checksums: dict[str, str | None] = Field({}, description="SHA-256 by file name; None: not registered")


class ResolvedStudy(PaperStudy):
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

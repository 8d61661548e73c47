"""The paper that a study re-runs, its claims, and what a study says of it."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from concord.config.experiment import Experiment
from concord.config.references import AnyRowId, CaseId, MethodId
from concord.config.values import Metric, Share, Some, Text, Title
from concord.validation import Strict


class Paper(Strict):
    """The paper that a study re-runs."""

    authors: Text
    title: Text
    venue: Text
    year: Annotated[int, Field(ge=1900, le=2100)]


class Claim(Strict):
    """A sentence of the paper and the check in code that gives its verdict."""

    text: Text
    check: Literal["best", "second", "significant", "above_base", "stable", "grows", "improves"]
    method: AnyRowId
    metric: Metric
    cases: tuple[CaseId, ...] = Field((), description="ids of the cases that it speaks of; all if absent")
    against: tuple[AnyRowId, ...] = Field(
        (),
        description="'best', 'significant': ids of the rivals that it speaks of; all the others if absent; "
        "'improves': the one that it is better than",
    )
    unseen: bool = Field(False, description="'improves': on unseen objects; both then name rows of that table")
    percent: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        None, description="'improves': the published improvement, in percent"
    )
    published: Annotated[int, Field(ge=0)] | None = Field(None, description="on how many data sets the paper shows it")
    of: Annotated[int, Field(ge=1)] | None = Field(
        None, description="of how many; those of the published table, or of the figure, if absent"
    )
    within: Annotated[float, Field(ge=0, le=1)] = Field(
        0.02, description="'stable': a grid point counts if its score is this near the best"
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
        if self.against and self.check not in {"best", "significant"}:
            raise ValueError(
                f"against = {list(self.against)} goes with check: best, significant or improves; remove it"
            )
        if self.unseen or self.percent is not None:
            raise ValueError("unseen and percent go with check: improves; remove them")
        return self


class PaperStudy(Experiment):
    """An experiment and the paper behind it; a study adds its exhibits."""

    title: Title
    summary: Text = Field(description="one or two sentences for the report's abstract")
    paper: Paper | None = None
    published: tuple[Literal["table1", "table2", "starts", "seconds", "program"], ...] = Field(
        (), description="tables of published values in config/studies/<id>/published/<name>.csv"
    )
    discussion: bool = Field(False, description="whether config/studies/<id>/discussion.md is part of the report")
    unpublished: tuple[MethodId, ...] = Field(
        (), description="ids of methods that the paper has, but whose published numbers are not at hand"
    )
    other_data: Text | None = Field(
        None,
        description="why the data sets are not the paper's; every verdict then says that they are not, and "
        "the tables are called after the paper's",
    )
    reported: Some[Metric] = Field(("ACC", "NMI"), description="metrics of the tables, unless one names its own")
    claims: tuple[Claim, ...] = ()

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
    origins: dict[str, Origin] = Field({}, description="by case")

    @property
    def titles(self) -> dict[str, str]:
        """The name of every case in tables."""
        cases = (*self.described, *self.variants.cases)
        return {case.id: case.title or case.dataset for case in cases}

"""A study: one file ``config/studies/<id>/study.yaml``, the experiment and what its report shows."""

from typing import TYPE_CHECKING, Annotated, Literal, Self, Union

from pydantic import Field, model_validator

from concord.config.claims import Claim, Paper
from concord.config.experiment import Experiment
from concord.config.references import MethodId
from concord.config.values import Metric
from concord.reports.exhibits import KINDS
from concord.reports.exhibits.base import Exhibit
from concord.validation import Strict

if TYPE_CHECKING:
    AnyExhibit = Exhibit
else:
    AnyExhibit = Annotated[Union[KINDS], Field(discriminator="kind")]  # noqa: UP007


class Study(Experiment):
    """One paper's experiment: what is run, and what its report shows."""

    title: str = Field(max_length=200)
    summary: str = Field(description="one or two sentences for the report's abstract")
    paper: Paper | None = None
    published: tuple[Literal["table1", "table2", "starts", "seconds", "program"], ...] = Field(
        (), description="tables of published values in config/studies/<id>/published/<name>.csv"
    )
    discussion: bool = Field(False, description="whether config/studies/<id>/discussion.md is part of the report")
    unpublished: tuple[MethodId, ...] = Field(
        (), description="ids of methods that the paper has, but whose published numbers are not at hand"
    )
    other_data: str | None = Field(
        None,
        description="why the data sets are not the paper's; every verdict then says that they are not, and "
        "the tables are called after the paper's",
    )
    reported: Annotated[tuple[Metric, ...], Field(min_length=1)] = Field(
        ("ACC", "NMI"), description="metrics of the tables, unless one names its own"
    )
    claims: tuple[Claim, ...] = ()
    exhibits: tuple[AnyExhibit, ...] = Field(
        (), description="what the report shows, in order; standard exhibits that are not listed follow"
    )

    @model_validator(mode="after")
    def _files_of_their_own(self) -> Self:
        ids = [exhibit.id for exhibit in self.exhibits]
        if twice := {i for i in ids if ids.count(i) > 1}:
            raise ValueError(f"two exhibits have the id {sorted(twice)[0]!r}; give one of them another id")
        if missing := [metric for metric in self.reported if metric not in self.metrics]:
            raise ValueError(f"the reported metric {missing[0]!r} is not in metrics; add it there")
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
    shape_published: bool = False
    checksums: dict[str, str | None] = Field({}, description="SHA-256 by file name; None: not registered")


class PlannedStudy(Study):
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

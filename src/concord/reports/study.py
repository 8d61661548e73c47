"""A study: one file ``config/studies/<id>/study.yaml``, the experiment and what its report shows."""

from typing import TYPE_CHECKING, Annotated, Self, Union

from pydantic import Field, model_validator

from concord.config.claims import PaperStudy
from concord.reports.exhibits import KINDS
from concord.reports.exhibits.base import Exhibit
from concord.validation import Strict

if TYPE_CHECKING:
    AnyExhibit = Exhibit
else:
    AnyExhibit = Annotated[Union[KINDS], Field(discriminator="kind")]  # noqa: UP007


class Study(PaperStudy):
    """One paper's experiment: what is run, and what its report shows."""

    exhibits: tuple[AnyExhibit, ...] = Field(
        (), description="what the report shows, in order; standard exhibits that are not listed follow"
    )

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

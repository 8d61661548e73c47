"""A study: one file ``config/studies/<id>/study.yaml``, the experiment and what its report shows."""

from typing import TYPE_CHECKING, Annotated, Self, Union

from pydantic import Field, model_validator

from consclust_studies.config.paper import PaperStudy, ResolvedStudy
from consclust_studies.exhibits import KINDS
from consclust_studies.exhibits.base import Exhibit

if TYPE_CHECKING:
    AnyExhibit = Exhibit
else:
    AnyExhibit = Annotated[Union[KINDS], Field(discriminator="kind")]  # noqa: UP007


class Study(PaperStudy):
    """One paper's experiment: what is run, and what its report shows."""

    exhibits: tuple[AnyExhibit, ...] = Field(
        (), description="what the report shows, in order; the standard exhibits that are not listed follow"
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


class PlannedStudy(ResolvedStudy, Study):
    """A study as it is run, with what its report shows."""

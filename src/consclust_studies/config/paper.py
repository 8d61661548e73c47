"""The paper that a study re-runs: what it shows and says, item by item, and the checks of its sentences."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from consclust.validation import Strict
from consclust_studies.config.metric import Metric
from consclust_studies.config.references import AnyRowId, CaseId, Ref
from consclust_studies.config.values import Count, Name, Positive, Share, Text, Title


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

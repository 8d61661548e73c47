"""The paper that a study re-runs: what it shows and says, item by item, and the checks of its sentences."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from consclust.validation import Strict
from consclust_studies.config.metric import Metric
from consclust_studies.config.references import AnyRowId, CaseId, Ref
from consclust_studies.config.values import Count, Name, Positive, Share, Text, Title


class Paper(Strict):
    """The paper that a study re-runs."""

    authors: Text = Field(description="authors, as the report cites them")
    title: Text = Field(description="title of the paper")
    venue: Text = Field(description="journal or conference")
    year: Annotated[int, Field(ge=1900, le=2100)] = Field(description="year of publication")


ExhibitId = Annotated[str, Ref("exhibit")]
"""An exhibit of the study."""
ItemId = Annotated[str, Ref("item")]
"""An item of the ledger."""


class LedgerItem(Strict):
    """A table, a figure or a sentence of the paper, and what redoes it here."""

    id: Name = Field(description="id of the item, which claims refer to")
    place: Title = Field(description="where it stands in the paper, such as Table 2")
    text: Text = Field(description="what it shows or says, paraphrased")
    shown: tuple[ExhibitId, ...] = Field(
        (), description="ids of the exhibits that redo it; if absent, say why in 'missing'"
    )
    missing: Text | None = Field(
        None,
        description="what the paper has of it and this study does not, and why; null: nothing that 'cases', 'methods' "
        "and 'metrics' do not say",
    )
    cases: tuple[CaseId, ...] = Field(
        (),
        description="ids of the cases that it has in the paper; those of its exhibits in the whole study if absent. It "
        "is complete where the exhibits of the run have all of its cases, methods and metrics",
    )
    methods: tuple[AnyRowId, ...] = Field(
        (), description="ids of the methods that it has in the paper; those of its exhibits if absent"
    )
    metrics: tuple[Metric, ...] = Field(
        (), description="metrics that it has in the paper; those of its exhibits if absent"
    )
    unjudged: Text | None = Field(
        None, description="why no check decides it; required of an item that is shown and that no claim names"
    )

    @model_validator(mode="after")
    def _check_shown(self) -> Self:
        if not self.shown and not self.missing:
            raise ValueError("it is shown nowhere; name exhibits in shown, or say in missing why there are none")
        return self


Check = Literal[
    "best", "no_worse", "second", "significant", "above_base", "stable", "grows", "improves", "near", "counted",
    "clearly_above",
]  # fmt: skip


WITH_RIVALS = ("best", "no_worse", "significant", "near", "clearly_above", "counted")
"""Checks that compare with the methods in ``against``, beside 'improves'."""


class Question(Strict):
    """A question that an exhibit of the study answers by counting."""

    exhibit: ExhibitId = Field(description="id of the exhibit that counts")
    question: Name = Field(description="what it counts: a word that its kind has")


class Claim(Strict):
    """A sentence and the check in code that gives its verdict."""

    text: Text = Field(description="the sentence, as the report shows it")
    item: ItemId | None = Field(
        None, description="id of the item of the ledger that says it; null: a question beyond the paper"
    )
    check: Check = Field(
        description="what is counted over the data sets: 'best': the method has the highest mean; 'no_worse': no other "
        "mean is higher; 'second': it is best or second; 'near': the two means are near; 'significant': it is "
        "significantly better than the others; 'above_base': scores above those of the base clusterings; 'stable': "
        "enough grid points are near the best one; 'grows': the mean never falls with larger subsets; 'improves': the "
        "mean gain over the other method; 'clearly_above': its mean over the data sets is above that of the other by "
        "more than two standard errors of the difference; 'counted': what an exhibit counts, see 'by'"
    )
    by: Question | None = Field(None, description="'counted': the exhibit and its question; required")
    method: AnyRowId = Field(
        description="id of the method that it is about; with 'above_base', which counts all methods, the row of the "
        "base clusterings"
    )
    metric: Metric | None = Field(
        None, description="metric of the check; required, but for 'counted' where the exhibit needs none"
    )
    cases: tuple[CaseId, ...] = Field((), description="ids of the cases that it is about; all cases if absent")
    against: tuple[AnyRowId, ...] = Field(
        (),
        description="ids of the methods that it is compared with; 'best', 'no_worse', 'significant': all the others if "
        "absent; 'near', 'improves', 'clearly_above': the one method, required",
    )
    unseen: bool = Field(
        False, description="'improves': whether on unseen objects; method and against then name rows of that table"
    )
    percent: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="'improves': the published improvement, in percent; required"
    )
    relative: bool = Field(
        False, description="'improves': whether percent are of the rival's score, not percentage points"
    )
    published: Count | None = Field(
        None, description="number of data sets on which the paper shows it; null: not counted"
    )
    of: Positive | None = Field(
        None, description="number of data sets that the paper counts; null: those of its table, or of its figure"
    )
    says: Literal["most", "count", "all", "at_most"] = Field(
        "most",
        description="what the sentence says: that it holds on most of what is counted, on the count in 'published', on "
        "all, or on no more than the count in 'published'",
    )
    average: bool = Field(
        False,
        description="'best', 'no_worse', 'second', 'near': whether the means over the data sets are compared, in place "
        "of counting data sets",
    )
    within: Annotated[float, Field(ge=0, le=1)] = Field(
        0.02,
        description="difference of two scores up to which they are near: 'stable': of a grid point and the best one; "
        "'near': of the two methods on a data set",
    )
    share: Share = Field(0.5, description="'stable': share of the grid points that must be near the best one")
    like: tuple[CaseId, ...] = Field(
        (),
        description="'stable': ids of cases; as stable as on these, so that the smallest share of the grid points on "
        "them, less 0.1, takes the place of 'share'",
    )
    same_choice: Question | None = Field(
        None,
        description="the exhibit and its question that compare the methods after the same choice for all of them; for "
        "claims on methods of which only some are tuned; null: none",
    )

    @model_validator(mode="after")
    def _check_itself(self) -> Self:
        if self.published is not None and self.of is not None and self.published > self.of:
            raise ValueError(f"published = {self.published} of {self.of}: more than all; correct one of them")
        if self.method in self.against:
            raise ValueError(f"against = {list(self.against)} holds {self.method} itself; remove it there")
        return self

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        if self.metric is None and self.check != "counted":
            raise ValueError("no metric; add one")
        if (self.check == "counted") is (self.by is None):
            raise ValueError("check: counted needs the exhibit and the question in by, and no other check has them")
        if self.average and self.check not in {"best", "no_worse", "second", "near"}:
            raise ValueError("average goes with check: best, no_worse, second or near; remove it")
        if self.like and self.check != "stable":
            raise ValueError(f"like = {list(self.like)} goes with check: stable; remove it")
        if self.check == "improves":
            self._check_keys_of_improvement()
        else:
            self._check_keys_of_count()
        return self

    def _check_keys_of_improvement(self) -> None:
        if len(self.against) != 1 or self.percent is None:
            raise ValueError("check: improves needs one method in against, and the published percent")

    def _check_keys_of_count(self) -> None:
        if self.check in {"near", "clearly_above"} and len(self.against) != 1:
            raise ValueError(f"check: {self.check} needs one method in against")
        if self.says in {"count", "at_most"} and self.published is None:
            raise ValueError(f"says: {self.says} needs the published count; add published")
        if self.against and self.check not in WITH_RIVALS:
            kinds = f"{', '.join(WITH_RIVALS)} or improves"
            raise ValueError(f"against = {list(self.against)} goes with check: {kinds}; remove it")
        if self.unseen or self.relative or self.percent is not None:
            raise ValueError("unseen, relative and percent go with check: improves; remove them")


class Ledger(Strict):
    """What the paper shows and says: studies/<id>/claims.yaml."""

    ledger: tuple[LedgerItem, ...] = Field((), description="tables, figures and sentences of the paper")
    claims: tuple[Claim, ...] = Field((), description="sentences with a check: of the paper, and questions beyond it")

    @model_validator(mode="after")
    def _check_ids(self) -> Self:
        ids = [item.id for item in self.ledger]
        twice = {item for item in ids if ids.count(item) > 1}
        if twice:
            raise ValueError(f"two items have the id {sorted(twice)[0]!r}; give one of them another id")
        return self

"""Mean scores over groups of data sets, for both ways to score the random starts of a method."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Cell, Shown, Table
from consclust.report.wording import conjunction, count, number, paragraph, score
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import MetricId, RowId
from consclust_studies.config.study import Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Counted, Exhibit, Group, Mistakes, Needs
from consclust_studies.results.main_table import aggregate_subsets
from consclust_studies.results.sentences import describe_selection
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING, Row, list_main_rows, select

if TYPE_CHECKING:
    from pandas import DataFrame

STARTS = {"chosen": "Start with the best objective", "mean": "Mean of the starts"}

ANSWERS: dict[str, Callable[[list[float], float], bool]] = {
    "above": lambda ahead, within: all(gain > ROUNDING for gain in ahead),
    "near": lambda ahead, within: all(abs(gain) <= within + ROUNDING for gain in ahead),
    "second": lambda ahead, within: sum(gain <= ROUNDING for gain in ahead) <= 1,
}
"""Whether it holds, by the differences from the means of the others."""


class Groups(Exhibit):
    """The mean score of every method over groups of data sets, and how far it is from that of one of them."""

    reads: ClassVar = Needs(scores=True)
    counts_some_cases = True
    questions: ClassVar[Mapping[str, str]] = {
        "above": "groups and ways to score the starts with a mean above those of the methods in 'against'",
        "near": "groups and ways to score the starts with a mean within 'within' of those of the methods in 'against'",
        "second": "groups and ways to score the starts with at most one higher mean among the methods in 'against'",
    }

    kind: Literal["groups"]
    metric: MetricId = Field(description="metric of the scores")
    rival: RowId = Field(description="id of the method, or name of the row, that the others are compared with")
    groups: Some[Group] = Field(description="groups of cases, whose scores are averaged")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield groups of the same name."""
        titles = [group.title for group in self.groups]
        if twice := [title for title in titles if titles.count(title) > 1]:
            yield "groups", f": two are named {twice[0]!r}; give one of them another title"

    def build(self, source: Source) -> Shown:
        """Return mean and ``gain``, in percentage points, for each way to score the starts, group and row."""
        import pandas as pd

        frame = pd.concat([self._frame(source, starts) for starts in STARTS], ignore_index=True)
        caption = paragraph(
            f"Mean {self.metric} over the data sets of a group, on each the mean over the subsets. A method with "
            "random starts is scored in two ways: by the start with the best objective, and by the mean of all "
            f"starts. Below: the difference from {self.rival} in the same way, in percentage points.",
            describe_selection(source.study, [run.id for run in source.study.methods]),
        )
        return Shown(frame, tuple(self._table(frame[frame["starts"] == starts], starts) for starts in STARTS), caption)

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Compare the means of the groups that have just the cases of the claim; of all groups if it names none."""
        titles = [group.title for group in self.groups if not claim.cases or set(group.cases) == set(claim.cases)]
        holds = []
        for starts in STARTS:
            frame = self._frame(source, starts)
            for _, rows in frame[frame["group"].isin(titles)].groupby("group", sort=False):
                means = dict(zip(rows["method"], rows["mean"], strict=True))
                own = means[claim.method]
                ahead = [own - means[rival] for rival in claim.against]
                holds.append(ANSWERS[question](ahead, claim.within))
        what = {"above": "above", "near": f"within {claim.within:g} of", "second": "best or second of"}[question]
        what = f"mean {self.metric} {what} {conjunction(claim.against)} in"
        return Counted(what, tuple(holds), "ways to score the starts")

    def _frame(self, source: Source, starts: str) -> DataFrame:
        """Return the rows of one way to score the starts."""
        import pandas as pd

        study = source.study.model_copy(update={"restarts": starts})
        means = aggregate_subsets(select(study, source.scores))["mean"].xs(self.metric, level="metric")
        rows, found = pd.DataFrame(list_main_rows(study)), []
        for group in self.groups:
            mine = means[means.index.isin(group.cases, level="case")].groupby(["method", "selection"]).mean()
            of_rows = mine.loc[list(list_main_rows(study))].to_numpy()
            gain = 100 * (of_rows - of_rows[list(rows["method"]).index(self.rival)])
            about = {"starts": starts, "group": group.title, "cases": len(group.cases)}
            found.append(rows.assign(**about, mean=of_rows, gain=gain))
        frame = pd.concat(found)
        return frame[["starts", "group", "cases", "method", "selection", "mean", "gain"]]

    def _table(self, frame: DataFrame, starts: str) -> Table:
        """Return methods by groups."""
        shown = frame.assign(
            name=[Row(*row).name for row in zip(frame["method"], frame["selection"], strict=True)],
            cell=[Cell(text=score(row.mean), below=number(row.gain, "+z.1f")) for row in frame.itertuples()],
        )
        wide = shown.pivot(index="name", columns="group", values="cell").reindex(shown["name"].unique())
        rows = [(Cell(text=name), *cells) for name, *cells in wide[[g.title for g in self.groups]].itertuples()]
        header = ("Method", *(f"{group.title} ({count(len(group.cases), 'data set')})" for group in self.groups))
        return Table(title=STARTS[starts], header=header, rows=tuple(rows))

"""The leaderboard: mean scores, mean ranks and tests of all methods, for each kind of ensembles and group of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust.report.wording import count, number, paragraph, score
from consclust_studies.config.references import MethodId, MetricId
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.boards import COLUMNS, HEADLINE, Part, Rivals, compare_methods, tabulate
from consclust_studies.results.over_datasets import FEWEST
from consclust_studies.results.source import Source
from studies.leaderboard.exhibits.tables_of_scores import list_measured, list_parts, list_ranked

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.05


class Board(Exhibit):
    """Mean scores and ranks of all methods over data sets, with tests against the best and a default method."""

    reads: ClassVar = Needs(scores=True, runtimes=True, draws=True)
    reproducible = False

    kind: Literal["board"]
    metric: MetricId = Field(description="metric of the scores")
    default: MethodId = Field(description="the method that the others are compared with beside the best one")
    rope: float = Field(0.01, gt=0, description="difference of scores within which two methods are practically equal")

    def build(self, source: Source) -> Shown:
        """Return a row for each kind of ensembles, group of data sets and method."""
        import pandas as pd

        cells = list_measured(source, self.metric)
        parts = list_parts(source, self.metric)
        rivals = Rivals(self.default, self.rope, source.generator)
        ranked = list_ranked(source.study)
        base = [source.study.base_clusterings]
        frames = [compare_methods(part, ranked, base, rivals, cells) for part in parts]
        frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(COLUMNS.values()))
        caption = paragraph(
            f"Scores are {self.metric}, a mean over the ensembles of each data set. Rows are ordered by mean rank.",
            "A method without a score on a data set is its last in the mean rank and has its lowest score in the mean "
            "with missing as worst; complete sets are those on which all methods have a score.",
            "p: Wilcoxon's signed rank test against the method with the best mean rank, and against "
            f"{self.default}, with Holm's correction. P(A > B): share of data sets on which the method is above "
            f"{self.default}, ties as halves. Better, equal, worse: posterior of the Bayesian signed rank test "
            f"against it, equal within {number(self.rope)}.",
            "Order: mean difference of the score on the objects in the order of their file. Seconds: median CPU time "
            "of a fit, over the data sets on which the method ran; a slow method ran on the smaller ones.",
        )
        tables = tuple(tabulate(part, rows) for part, rows in zip(parts, frames, strict=True))
        return Shown(frame, tables, caption, abstract=self._summarise(source, parts, frames))

    def _summarise(self, source: Source, parts: list[Part], frames: list[pd.DataFrame]) -> str:
        """Say for the headline how far the methods are apart, and from how many the best one differs."""
        known = [run.id for run in source.study.methods]
        sentences = []
        for part, rows in zip(parts, frames, strict=True):
            methods = rows[rows["method"].isin(known)]
            if (part.kind, part.group) not in HEADLINE or len(methods) < 2 or len(part.table) < FEWEST:
                continue
            first = methods.iloc[0]
            rivals = len(methods) - 1
            differing = int((methods["p_best"] < ALPHA).sum())
            low, high = methods["mean_worst"].quantile([0.25, 0.75])
            sentences.append(
                f"With {part.kind} on {count(len(part.table), 'real data set')}, {first['method']} has the best mean "
                f"rank, {number(first['rank'], '.1f')}, and differs significantly from {differing} of {rivals} "
                f"methods. The mean {self.metric} of the middle half of the methods is {score(low)} to {score(high)}, "
                "with missing scores as the worst."
            )
        return " ".join(sentences)

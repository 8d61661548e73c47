"""Critical differences of mean ranks on the real data sets, in groups of at most ten methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust.report.figures import style
from consclust.report.wording import paragraph
from consclust_studies.config.references import MetricId
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.exhibits.rank_diagram import draw_rank_panels
from consclust_studies.results.boards import HEADLINE
from consclust_studies.results.over_datasets import rank_methods
from consclust_studies.results.source import Source
from studies.leaderboard.exhibits.tables_of_scores import keep_methods, list_parts

if TYPE_CHECKING:
    from pandas import DataFrame

METHODS = 10
"""Most methods of a diagram; with more, nearly every difference is within the critical one."""
FEWEST = 3


class Diagrams(Exhibit):
    """A diagram for each group of ten methods by their mean rank, and each kind of ensembles."""

    drawn = True
    reads: ClassVar = Needs(scores=True)

    kind: Literal["diagrams"]
    metric: MetricId = Field(description="metric of the scores")

    def build(self, source: Source) -> Shown:
        """Return the mean rank of each method within its group."""
        import pandas as pd

        groups = self._list_groups(source)
        rows = [
            {"kind": kind, "group": number, "method": method, "mean_rank": rank, "datasets": len(placed)}
            for (kind, number), placed in groups.items()
            for method, rank in placed.mean().items()
        ]
        caption = paragraph(
            f"Mean ranks by {self.metric} on the real data sets, within groups of at most {METHODS} neighbours by the "
            "mean rank among all methods. A method without a score on a data set is its last. Methods that a bar joins "
            "do not differ significantly by Nemenyi's test (p < .05)."
        )
        columns = ["kind", "group", "method", "mean_rank", "datasets"]
        return Shown(pd.DataFrame(rows, columns=columns), (), caption, self._draw(groups))

    def _list_groups(self, source: Source) -> dict[tuple[str, int], DataFrame]:
        """Return the ranks within each group of methods, by kind and number of the group, from 1."""
        found = {}
        for part in list_parts(source, self.metric):
            if (part.kind, part.group) not in HEADLINE:
                continue
            table = keep_methods(source.study, part.table)
            order = rank_methods(table).mean().sort_values(kind="stable").index
            for start in range(0, len(order), METHODS):
                names = order[start : start + METHODS]
                if len(names) >= FEWEST and len(table) > 1:
                    found[part.kind, start // METHODS + 1] = rank_methods(table[list(names)])
        return found

    @style()
    def _draw(self, groups: dict[tuple[str, int], DataFrame]) -> Any:
        return draw_rank_panels({f"{kind}, group {number}": placed for (kind, number), placed in groups.items()})

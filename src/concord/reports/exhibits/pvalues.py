"""Tests of every pair of rows."""

from typing import ClassVar, Literal

from concord.config.values import Name
from concord.reports.exhibits.base import Exhibit, Needs, Shown, Title
from concord.reports.exhibits.names import Source


class PValues(Exhibit):
    """The p-values of all pairs of methods; only as a file."""

    place = 50
    reads: ClassVar = Needs(selected=True)

    kind: Literal["pvalues"]
    id: Name = "pvalues"
    title: Title = "Tests of significance"

    def build(self, source: Source) -> Shown:
        """Compare every pair of rows."""
        from concord.scores.significance import pairwise

        caption = (
            "Two-sided t-tests between every two rows of the table of scores, for each data set and metric, over "
            "their common subsets: paired, Welch, and paired with Holm's adjustment for the number of pairs. The "
            "file has one line for each pair."
        )
        return Shown(pairwise(source.study, source.selected), caption=caption)

"""Tests of every pair of rows."""

from typing import ClassVar, Literal

from concord.config.values import Name, Title
from concord.findings.names import Source
from concord.reports.exhibits.base import Exhibit, Needs, Shown
from concord.scores.significance import pairwise


class PValues(Exhibit):
    """The p-values of all pairs of methods; only as a file."""

    place = 50
    reads: ClassVar = Needs(selected=True)

    kind: Literal["pvalues"]
    id: Name = "pvalues"
    title: Title = "Tests of significance"

    def build(self, source: Source) -> Shown:
        """Compare every pair of rows."""
        caption = (
            "Two-sided t-tests between every two rows of the table of scores, for each data set and metric, over "
            "their common subsets: paired, Welch, and paired with Holm's adjustment for the number of pairs. The "
            "file has one line for each pair."
        )
        return Shown(pairwise(source.study, source.selected), caption=caption)

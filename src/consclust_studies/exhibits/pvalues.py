"""Tests of every pair of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consclust.report.blocks import Cell, Shown, Table
from consclust.report.wording import DASH, number, paragraph, point, score
from consclust_studies.config.study import PlannedStudy
from consclust_studies.config.values import Name, Title, Value
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import KEYS
from consclust_studies.results.significance import compare_pairs
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import list_main_rows, list_rows

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MOST = 2
"""Grid points of a row that are named, the most frequent ones."""


class PValues(Exhibit):
    """The p-values of all pairs of methods, and the parameters that each selection took."""

    place = 50
    reads: ClassVar = Needs(selected=True)
    in_pdf = False

    kind: Literal["pvalues"]
    id: Name = "pvalues"
    title: Title = "Tests of significance"

    def build(self, source: Source) -> Shown:
        """Compare every pair of rows; a table for each case."""
        study = source.study
        frame = compare_pairs(study, source.selected)
        test = {"paired": "paired", "welch": "Welch's"}[study.significance.test]
        caption = paragraph(
            f"Two-sided p-values of {test} t-tests between a row and each of the numbered rows, over their common "
            f"subsets. Bold: the row has the higher mean, and p < {study.significance.alpha:g}. Parameters: the grid "
            "points that a selection took, and on how many subsets if there are several. pvalues.csv has those of "
            "every two rows in all metrics: paired, Welch, and paired with Holm's adjustment for the number of pairs."
        )
        taken = {
            key: _describe_points(study.list_points(key[2]), points)
            for key, points in source.selected.groupby(KEYS)["point"]
        }
        tables = () if study.n_subsets < 2 else tuple(_tables(study, frame, taken))
        return Shown(frame, tables, caption)


def _tables(study: PlannedStudy, frame: DataFrame, taken: Mapping[Any, str]) -> Iterator[Table]:
    pairs = _by_pair(study, frame)
    everyone, numbered = list_rows(study), list_main_rows(study)
    header = ("Metric", "Row", "Parameters", "Mean", *(f"{n}" for n, _ in enumerate(numbered, 1)))
    for case in study.cases:
        body, rules = list[tuple[Cell, ...]](), []
        for metric in study.reported:
            rules.append(len(body))
            for row in everyone:
                name = f"{numbered.index(row) + 1} {row.name}" if row in numbered else row.name
                tests = [pairs.get((case.id, metric, row.label, other.label)) for other in numbered]
                mean = next((found[0] for found in tests if found), float("nan"))
                left = (
                    Cell(text=metric),
                    Cell(text=name),
                    Cell(text=taken.get((case.id, metric, *row), DASH)),
                    Cell(text=score(mean)),
                )
                body.append((*left, *(_cell(study, found) for found in tests)))
        yield Table(title=study.titles[case.id], header=header, rows=tuple(body), left=3, rules=tuple(rules))


def _by_pair(study: PlannedStudy, frame: DataFrame) -> dict[tuple[str, ...], tuple[float, float, float]]:
    """Return both means and the p-value of each two rows, by case, metric and labels; in both orders."""
    found: dict[tuple[str, ...], tuple[float, float, float]] = {}
    for pair in frame.to_dict("records"):
        where, p = (pair["case"], pair["metric"]), pair[f"p_{study.significance.test}"]
        a, b = (pair["row_a"], pair["mean_a"]), (pair["row_b"], pair["mean_b"])
        for (name, mean), (other, its) in ((a, b), (b, a)):
            found[(*where, name, other)] = (mean, its, p)
    return found


def _cell(study: PlannedStudy, found: tuple[float, float, float] | None) -> Cell:
    if found is None:
        return Cell(text="")
    mean, other, p = found
    text = "<.001" if p < 0.0005 else number(p, ".3f").replace("0.", ".", 1)
    return Cell(text=text, bold=mean > other and p < study.significance.alpha)


def _describe_points(grid: Sequence[Mapping[str, Value]], points: Series) -> str:
    """Write the grid points that a row took; of several the most frequent ones with their numbers of subsets."""
    counts = points.value_counts()
    named = [(point(grid[number]) or DASH, n) for number, n in counts.items()]
    if len(named) == 1:
        return named[0][0]
    further = f"; {len(named) - MOST} others" if len(named) > MOST else ""
    return "; ".join(f"{text} ({n})" for text, n in named[:MOST]) + further

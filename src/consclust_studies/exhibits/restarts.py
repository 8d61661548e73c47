"""The mean over the random restarts of a method, or the restart with the best objective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consclust.report.blocks import Cell, Shown, Table, crossed, filled, leave_out_of_pdf, listed
from consclust.report.wording import DASH, paragraph, score, signed
from consclust_studies.config.study import PlannedStudy
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import KEYS, build_scores_frame, keep_counted, keep_main_rows
from consclust_studies.results.published_scores import find_nearer
from consclust_studies.results.sentences import describe_counting
from consclust_studies.results.source import Source
from consclust_studies.results.summary import summarise
from consclust_studies.stages.selection import list_main_rows, select

if TYPE_CHECKING:
    from pandas import DataFrame

DIGITS = 3
"""Decimals of the tables: scores that agree in them do not differ."""
KINDS = {"mean": "mean_of_restarts", "chosen": "best_of_restarts"}
COLUMNS = ["case", "dataset", "metric", "method", "selection", "row", *KINDS.values(), "change", "published", "nearer"]


class Restarts(Exhibit):
    """The scores of the main table that depend on which of the restarts is scored."""

    place = 30
    reads: ClassVar = Needs(scores=True, selected=True, published=True)

    kind: Literal["restarts"]
    id: Name = "restarts"
    title: Title = "Best of the restarts"

    def build(self, source: Source) -> Shown:
        """Return one row for each cell of the main table where the two differ in three decimals."""
        study, frame = source.study, _frame(source)
        if frame.empty:
            return Shown(frame, caption=f"The mean over the restarts and the best restart agree in {DIGITS} decimals.")
        summary = _summary(study, frame)
        shown = {"mean": "mean over the restarts", "chosen": "restart with the best objective"}[study.restarts]
        caption = paragraph(
            "The score of the restart with the best objective, mean over the subsets; below: its change from "
            f"the mean over all restarts. The main table has the {shown}. {DASH}: the two agree in {DIGITS} "
            "decimals.",
            bool(summary.rows)
            and "Nearer: of the scores that differ, those where one of the two is nearer to the published value; "
            f"|difference|: mean absolute difference from it. {describe_counting(study)}".strip(),
        )
        metrics = [frame[frame["metric"] == metric] for metric in study.reported]
        tables = [crossed(block["metric"].iloc[0], block, "row", _cell) for block in metrics if len(block)]
        # without published values there is no summary, and the tables are all that is shown
        if summary.rows:
            tables = [leave_out_of_pdf(table) for table in tables]
        return Shown(frame, filled(summary, *tables), caption)


def _frame(source: Source) -> DataFrame:
    """Return the cells that differ in :data:`DIGITS` decimals; each kind chooses its own parameters in an oracle."""
    cells = build_scores_frame(source)[[*KEYS, "dataset", "row", "published"]]
    for kind, column in KINDS.items():
        study = source.study.model_copy(update={"restarts": kind})
        means = summarise(study, select(study, source.scores)).set_index(KEYS)["mean"]
        cells = cells.join(means.rename(column), on=KEYS)
    mean, best = (cells[column] for column in KINDS.values())
    cells = cells.assign(change=best - mean, nearer=find_nearer(cells, *KINDS.values()))
    differ = mean.round(DIGITS).ne(best.round(DIGITS)) & cells["change"].notna()
    return cells.loc[differ, COLUMNS].reset_index(drop=True)


def _cell(row: Any) -> Cell:
    return Cell(text=score(row.best_of_restarts), below=signed(row.change))


def _summary(study: PlannedStudy, frame: DataFrame) -> Table:
    """Say of each row with published values which of the two comes nearer."""
    known = keep_main_rows(study, keep_counted(study, frame)).dropna(subset="published")
    for kind, column in KINDS.items():
        away = (known[column] - known["published"]).abs()
        known = known.assign(**{f"{kind}_away": away, f"{kind}_nearer": known["nearer"] == column})
    order = {row.name: place for place, row in enumerate(list_main_rows(study))}
    groups = known.sort_values("row", key=lambda names: names.map(order), kind="stable").groupby("row", sort=False)
    sums = groups[["mean_nearer", "chosen_nearer"]].sum().join(groups[["mean_away", "chosen_away"]].mean())
    table = sums.assign(scores=groups.size()).reset_index()
    columns = "row, scores, mean_nearer, Best nearer: chosen_nearer, Mean's |difference|: mean_away, "
    columns += "Best's |difference|: chosen_away"
    return listed("Which of the two is nearer to the published value", table, columns)

"""What the choice of parameters does to tuned methods: the spread of their scores over the grids."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from consclust.report.blocks import Cell, Shown, Table, crossed, filled, listed
from consclust.report.wording import DASH, MINUS, paragraph, point, records, score, signed
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.grid_means import average_grid, describe_races
from consclust_studies.results.main_table import build_scores_frame, keep_counted
from consclust_studies.results.sentences import SELECTIONS, describe_counting
from consclust_studies.results.source import Source
from consclust_studies.stages.grid_points import spell_out
from consclust_studies.stages.selection import FIXED

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ["case", "dataset", "metric", "method", "point", "mean", "published", "difference"]
ORACLES = ("oracle-per-subset", "oracle-common")


class Grids(Exhibit):
    """Scores at all points of the grids: their range, the nearest point, the gain of the oracle."""

    place = 20
    in_pdf = False
    lacking = "no method has a grid; add one"
    reads: ClassVar = Needs(scores=True, selected=True, published=True)

    kind: Literal["grids"]
    id: Name = "grids"
    title: Title = "Scores over the grids"

    def wanted(self, study: Study) -> bool:
        """Whether any method has a grid."""
        return any(run.grid for run in study.methods)

    def build(self, source: Source) -> Shown:
        """Return the mean over the subsets for each case, metric, method and point; NaN where it failed on some."""
        study, scores = source.study, build_scores_frame(source)
        keys, tuned = ["case", "metric", "method"], [run.id for run in study.methods if run.grid]
        points = source.scores[source.scores["restart"] == study.restarts]
        points = points[points["method"].isin(tuned) & points["metric"].isin(study.reported)]
        default = scores[scores["selection"] == "default"][[*keys, "dataset", "published"]]
        frame = default.merge(average_grid(study, points).reset_index(), on=keys, how="left")
        frame = frame.assign(difference=frame["mean"] - frame["published"])[COLUMNS]
        counted = keep_counted(study, scores)
        caption = paragraph(
            "Every selection: the mean over the subsets. Both oracles choose with the true classes, for each subset or "
            "one common point.",
            "Otherwise a score is the mean over the subsets at one grid point; points that failed on a subset are left "
            f"out. Width: highest {MINUS} lowest. Gain: mean over the data sets of the score of an oracle, which "
            f"chooses with the true classes, {MINUS} that of the default.",
            describe_races(study),
            "table2" in study.published
            and "Inside, above, below: data sets whose published value lies inside, above or below the range. "
            "|difference|: mean absolute difference from the published values; the nearest point is the single "
            "point for all data sets where it is smallest.",
            describe_counting(study),
        )
        columns = "method, metric, dataset, lowest, median, highest, published"
        chosen = [_selections(scores, metric) for metric in study.reported]
        ranged = listed("Range over the grid", ranges(frame), columns, left=3)
        summaries = _summary(study, frame), _gains(study, counted), _distances(counted)
        named = spell_out(frame, {method: study.list_points(method) for method in tuned})
        return Shown(named, filled(*chosen, ranged, *summaries), caption)


def _selections(scores: DataFrame, metric: str) -> Table:
    """Return the scores of tuned methods in every selection."""
    found = scores[(scores["metric"] == metric) & (scores["selection"] != FIXED)].dropna(subset="mean")
    return crossed(f"Every selection, {metric}", found, "row", lambda row: Cell(text=score(row.mean)))


def ranges(frame: DataFrame) -> DataFrame:
    """Return lowest, median and highest mean over the grid by method, metric and case."""
    known, keys = frame.dropna(subset="mean"), ["method", "metric", "case", "dataset"]
    values = {"lowest": ("mean", "min"), "median": ("mean", "median"), "highest": ("mean", "max")}
    return known.groupby(keys, sort=False).agg(**values, published=("published", "first")).reset_index()


def _tuned(study: PlannedStudy, table: DataFrame) -> Iterator[tuple[MethodRun, str, DataFrame]]:
    """Yield each tuned method and metric with their rows."""
    for run in (run for run in study.methods if run.grid):
        for metric in study.reported:
            yield run, metric, table[(table["method"] == run.id) & (table["metric"] == metric)]


def _summary(study: PlannedStudy, frame: DataFrame) -> Table:
    compared, rows = frame["published"].notna().any(), []
    for run, metric, mine in _tuned(study, keep_counted(study, frame)):
        spread = ranges(mine)
        low, high, published = (spread[column] for column in ("lowest", "highest", "published"))
        if len(spread):
            widest = f"{score((high - low).max())} ({spread.loc[(high - low).idxmax(), 'dataset']})"
            sides = (published.between(low, high).sum(), (published > high).sum(), (published < low).sum())
            beside = (*sides, *_nearest_point(run, mine)) if compared else (None,) * 6
            rows.append((run.id, metric, (high - low).mean(), widest, *beside))
    table = records("method metric mean_width widest inside above below nearest_point away default", rows)
    columns = "method, metric, mean_width, widest, inside, above, below, nearest_point, Its |difference|: away"
    columns += ", Default's |difference|: default"
    title = "Width of the range, and the published value" if compared else "Width of the range"
    return listed(title, table, columns, left=2)


def _nearest_point(run: MethodRun, mine: DataFrame) -> tuple[str, float, float]:
    """Return the point with the lowest mean absolute difference, this difference, and that of the default."""
    distance = mine.assign(away=mine["difference"].abs()).groupby("point", sort=False)["away"]
    away = distance.agg(lambda v: v.mean(skipna=False)).dropna()
    if away.empty:
        return DASH, math.nan, math.nan
    default = away.get(run.default_point, math.nan)
    return point(run.points[int(away.idxmin())]), away.min(), default


def _gains(study: PlannedStudy, scores: DataFrame) -> Table:
    rows = []
    for run, metric, mine in _tuned(study, scores):
        means = mine.pivot(index="case", columns="selection", values="mean").dropna()
        if len(means):
            rows.append((run.id, metric, len(means), *(means[o].mean() - means["default"].mean() for o in ORACLES)))
    columns = {"Method": "method", "Metric": "metric", "Data sets": "n"} | _headings(ORACLES)
    frame = records(" ".join(("method metric n", *ORACLES)), rows)
    return listed("Gain of the oracle over the default", frame, columns, left=2, forms=dict.fromkeys(ORACLES, signed))


def _distances(scores: DataFrame) -> Table:
    known = scores[scores["selection"] != FIXED].dropna(subset=["mean", "published"])
    groups = known.assign(away=known["difference"].abs()).groupby(["method", "selection"], sort=False)
    selections = (*ORACLES, "default")
    away = groups["away"].mean().unstack().reindex(columns=selections).reset_index()
    return listed("Mean |difference| of each selection", away, {"Method": "method"} | _headings(selections))


def _headings(selections: Iterable[str]) -> dict[str, str]:
    return {SELECTIONS[word].capitalize(): word for word in selections}

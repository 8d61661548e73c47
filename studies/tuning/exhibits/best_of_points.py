"""The expected score of the best of g grid points, chosen by the classes, over the number of points that are tried."""

# seaborn and matplotlib are imported where needed, so that what does without them starts faster

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from consclust.ensemble import FloatArray
from consclust.plot.drawing import colours
from consclust.report.blocks import Shown, Table, listed
from consclust.report.figures import curve_handles, curves, label_outer, legend_below, panels, style
from consclust.report.wording import count, paragraph, score, signed
from consclust_studies.config.references import MetricId
from consclust_studies.config.study import Study
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.boards import find_kind
from consclust_studies.results.over_datasets import find_interval
from consclust_studies.results.sentences import describe_failures
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN = (1, 2, 4, 8)
"""Numbers of points in the table, beside all of them."""


class BestOfPoints(Exhibit):
    """A panel for each method, a curve for each kind of ensembles; a table with the default point beside."""

    drawn = True
    reads: ClassVar = Needs(scores=True)

    kind: Literal["best_of_points"]
    metric: MetricId = Field("ARI", description="metric of the scores")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a study whose methods have budgets of different size."""
        sizes = {run.id: len(run.points) for run in study.methods}
        if len(set(sizes.values())) > 1:
            least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
            what = f"{least} has {count(sizes[least], 'grid point')}, {most} has {sizes[most]}"
            yield "kind", f" = {self.kind!r}: {what}, but all methods need as many; change a grid"

    def build(self, source: Source) -> Shown:
        """Return the expected score for each kind of ensembles, method and number of points, and that of the default.

        The frame has the columns kind, method, points (0: the default point), mean (over data sets), gain (over the
        default), low and high (95 % interval of the gain over the data sets), datasets.
        """
        import pandas as pd

        cells = list_point_scores(source, self.metric)
        rows = []
        for (kind, method), mine in cells.groupby(["kind", "method"], sort=False):
            table = mine.pivot_table(index="dataset", columns="point", values="value").dropna()
            of_default = table[source.study.method(str(method)).default_point].to_numpy()
            best = np.array([expect_best(values) for values in table.to_numpy()])
            for g, of_g in enumerate([of_default, *best.T]):
                gains = of_g - of_default
                rows.append((kind, method, g, of_g.mean(), gains.mean(), *find_interval(gains), len(table)))
        frame = pd.DataFrame(rows, columns=["kind", "method", "points", "mean", "gain", "low", "high", "datasets"])
        n_points = len(source.study.methods[0].points)
        caption = paragraph(
            f"Mean {self.metric} over {count(int(frame['datasets'].max()), 'data set')} of the best of g of "
            f"{count(n_points, 'grid point')}, drawn at random and chosen by the classes of each data set: the "
            "expected maximum over all draws. g = 1 is a random point. Default: the library's parameters, which see no "
            "class. Bands and brackets: 95 % interval of the mean gain over the data sets.",
            "Gain: all points over the default. It is measured by the classes that chose the point, so it is what an "
            "oracle has and no user; a part of it is chance, which would not come again on other objects. It is no "
            "property of a method: it grows with the budget.",
            describe_failures(cells["method"].repeat(cells["failed"])),
        )
        tables = tuple(_tabulate(frame, kind, n_points) for kind in frame["kind"].unique())
        return Shown(frame, tables, caption, self._draw(frame), abstract=summarise(frame, self.metric, n_points))

    @style()
    def _draw(self, frame: DataFrame) -> Any:
        methods = list(frame["method"].unique())
        picture, axes = panels(len(methods), 4, 1.5)
        palette = colours(list(frame["kind"].unique()))
        drawn = frame[frame["points"] > 0]
        bottom = drawn[["gain", "low"]].min().min() - 0.005
        top = drawn[["gain", "high"]].max().max() + 0.005
        for panel, method in zip(axes, methods, strict=True):
            mine = drawn[drawn["method"] == method]
            # the bands are intervals, drawn here, in place of standard deviations
            curves(panel, mine.assign(mean=mine["gain"], std=np.nan), "points", "kind", palette)
            for kind, rows in mine.groupby("kind", sort=False):
                panel.fill_between(
                    rows["points"], rows["low"], rows["high"], color=palette[kind], alpha=0.15, linewidth=0
                )
            panel.axhline(0, color="0.4", linewidth=0.6)
            panel.set_title(str(method))
            panel.set_ylim(bottom, top)
        label_outer(axes, "grid points tried", f"gain in {self.metric}")
        legend_below(picture, curve_handles(palette))
        return picture


def list_point_scores(source: Source, metric: str) -> DataFrame:
    """Return the mean score over the ensembles: dataset, kind, method, point, value, failed (number of fits).

    A fit without an answer counts as 0.
    """
    scores = source.scores
    methods = [run.id for run in source.study.methods]
    is_wanted = (scores["metric"] == metric) & (scores["restart"] == source.study.restarts)
    mine = scores[is_wanted & scores["method"].isin(methods)]
    kinds = {case.id: find_kind(case) for case in source.study.cases}
    datasets = {case.id: case.dataset for case in source.study.cases}
    named = mine.assign(
        kind=mine["case"].map(kinds),
        dataset=mine["case"].map(datasets),
        failed=mine["value"].isna(),
        value=mine["value"].fillna(0.0),
    )
    points = named.groupby(["kind", "method", "dataset", "point"], sort=False)
    return points.agg(value=("value", "mean"), failed=("failed", "sum")).reset_index()


def expect_best(scores: FloatArray) -> FloatArray:
    """Return the expected maximum of g of G scores drawn without replacement, for g = 1 to G, shape (G,).

    The i-th least score is the greatest of g with probability C(i - 1, g - 1) / C(G, g).
    """
    ordered = np.sort(scores)
    n = len(ordered)
    chances = np.array([[comb(i, g - 1) / comb(n, g) for i in range(n)] for g in range(1, n + 1)])
    expected: FloatArray = chances @ ordered
    return expected


def _tabulate(frame: DataFrame, kind: str, n_points: int) -> Table:
    """Return the table of a kind of ensembles: the default, and the best of some numbers of points."""
    import pandas as pd

    wide = frame[frame["kind"] == kind].pivot_table(index="method", columns="points", values="mean", sort=False)
    numbers = [*(g for g in SHOWN if g < n_points), n_points]
    shown = wide[[0, *numbers]].sort_values(0, ascending=False)
    shown.columns = ["default", *(f"best of {g}" for g in numbers)]
    last = frame[(frame["kind"] == kind) & (frame["points"] == n_points)].set_index("method")
    intervals = [f"[{signed(low)}, {signed(high)}]" for low, high in zip(last["low"], last["high"], strict=True)]
    shown = shown.assign(gain=last["gain"], interval=pd.Series(intervals, index=last.index)).reset_index()
    columns = {"Method": "method", "Default": "default"}
    columns |= {name.capitalize(): name for name in shown.columns if name.startswith("best")}
    columns |= {"Gain": "gain", "95 % interval": "interval"}
    return listed(str(kind), shown, columns, forms={"gain": signed})


def summarise(frame: DataFrame, metric: str, n_points: int) -> str:
    """Say how much tuning by the classes gains on average, beside how far the methods are apart at their defaults."""
    sentences = []
    for kind, mine in frame.groupby("kind", sort=False):
        default = mine[mine["points"] == 0].set_index("method")["mean"]
        best = mine[mine["points"] == n_points].set_index("method")["mean"]
        gain = best - default
        sentences.append(
            f"With {kind}, the best of {n_points} points by the classes is {score(gain.min())} to {score(gain.max())} "
            f"{metric} above the default ({gain.idxmin()}, {gain.idxmax()}); the defaults of the methods are "
            f"{score(default.max() - default.min())} apart."
        )
    sentences.append("These gains are measured by the classes that chose the points.")
    return " ".join(sentences)

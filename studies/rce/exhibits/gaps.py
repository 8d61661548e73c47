"""How far the fits of RCE are from the optimum of its objective: the certified gap at each grid point."""

# matplotlib and pandas are imported where needed, so that what does without them starts faster

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from consclust.plot.drawing import heat
from consclust.report.blocks import Shown, Table, listed
from consclust.report.figures import PAGE, WIDTHS, colour_bar, label_outer, legend_below, style
from consclust.report.wording import conjunction, number, paragraph, records, symbol
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs, find_unknown
from consclust_studies.exhibits.heatmap import DEFAULT, frame_cell, tick_label
from consclust_studies.results.main_table import keep_counted
from consclust_studies.results.sentences import describe_counting
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING
from studies.rce.exhibits.grid_scores import GridScores, OfVariants, count_selections, read_gaps

if TYPE_CHECKING:
    from pandas import DataFrame

NEAR = (1e-2, 1e-4)
"""Gaps below which a fit is near its optimum."""
ACROSS = 4
LOWEST, HIGHEST = 1e-6, 1.0
"""Ends of the scale of colours."""


class Gaps(OfVariants, Exhibit):
    """The gap of each grid point on the first subset, a panel for each data set, and those of the selected points."""

    drawn = True

    kind: Literal["gaps"]
    x: str = Field(description="parameter of the grid on the horizontal axis")
    y: str = Field(description="parameter of the grid on the vertical axis")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield axes that are not two parameters of the grid."""
        yield from self.check_variants(study)
        grid = list(study.method(self.method).grid)
        yield from find_unknown("x", [self.x], grid)
        yield from find_unknown("y", [self.y], grid)

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the notes of the certified fits, and the scores by which points are selected."""
        return Needs(labels=tuple((case.id, run.id) for case, run in self.list_runs(study)), scores=True)

    def build(self, source: Source) -> Shown:
        """Return a row for each case and grid point with a certified fit: its gap on the first subset.

        ``selected`` counts how often the point is selected for the method: once for each subset and reported metric.
        Points that are equally good share it. ``selections`` is the number for the case.
        """
        frame = self._frame(source)
        study = source.study
        counted = keep_counted(study, frame)
        shares = [f"below {number(near)}: {number(_weigh(counted, near), '.0%')}" for near in NEAR]
        caption = paragraph(
            f"{self.method} on the first subset: the relative duality gap after its last round. No consensus matrix "
            "has an objective that is lower by more than this share. The gap of a selected point is that of the point "
            f"on the first subset; points are selected for each subset by {conjunction(study.reported)}, in the "
            "selection of the main table, and equally good points share a selection. Share of the selections that have "
            f"a certified fit ({_describe_coverage(counted)}) with a gap {conjunction(shares)}. Grey: no such fit.",
            describe_counting(study),
        )
        abstract = (
            f"At {number(_weigh(counted, NEAR[0]), '.0%')} of the selected parameters {self.method} ends within 1 % of "
            f"the optimum of its objective, on the first subset ({_describe_coverage(counted)} have a certified fit)."
        )
        return Shown(frame, (self._tabulate(source, frame),), caption, self._draw(source, frame), abstract)

    def _frame(self, source: Source) -> DataFrame:
        study = source.study
        own = study.method(self.method)
        scores = GridScores(source, [own.id])
        rows = []
        for case, run in self.list_runs(study):
            grids = [scores.read(case, own, metric) for metric in study.reported]
            times = np.sum([count_selections(grid, study.selection, own.default_point) for grid in grids], axis=0)
            for point, gap in zip(run.points, read_gaps(source, case, run)[:, 0].tolist(), strict=True):
                known = (case.id, source.titles[case.id], point[self.x], point[self.y])
                rows.append((*known, gap, float(times[own.points.index(point)]), float(np.sum(times))))
        return records(f"case dataset {self.x} {self.y} gap selected selections", rows)

    def _tabulate(self, source: Source, frame: DataFrame) -> Table:
        default = source.study.method(self.method).default
        rows = []
        for name, grid in frame.groupby("dataset", sort=False):
            at_default = grid[(grid[self.x] == default[self.x]) & (grid[self.y] == default[self.y])]["gap"]
            gaps = grid["gap"]
            of_grid = (gaps.min(), gaps.median(), gaps.max(), at_default.mean())
            covered = round(_count_covered(grid))
            of_selected = _median_of_selected(grid)
            shares = [_weigh(grid, near) for near in NEAR]
            rows.append(
                (name, len(grid), *of_grid, f"{covered} of {round(grid['selections'].max())}", of_selected, *shares)
            )
        table = records("dataset points least median most default covered selected near nearer", rows)
        columns = {
            "Data set": "dataset",
            "Points": "points",
            "Least gap": "least",
            "Median": "median",
            "Largest": "most",
            "Default": "default",
            "Selections with a gap": "covered",
            "Their median": "selected",
            f"Below {number(NEAR[0])}": "near",
            f"Below {number(NEAR[1])}": "nearer",
        }
        gap = partial(number, form=".1e")
        forms: dict[str, Any] = dict.fromkeys(("least", "median", "most", "default", "selected"), gap)
        forms |= dict.fromkeys(("near", "nearer"), partial(number, form=".0%"))
        return listed("Gaps of the grid and of the selected points", table, columns, forms=forms)

    @style()
    def _draw(self, source: Source, frame: DataFrame) -> Any:
        from matplotlib.colors import LogNorm
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        run = source.study.method(self.method)
        names = frame["dataset"].unique()
        across = min(ACROSS, len(names))
        down = -(-len(names) // across)
        width = WIDTHS.get(across, PAGE)
        picture = Figure(figsize=(width, down * ((width - 0.9) / across + 0.1) + 0.5), layout="constrained")
        panels = picture.subplots(down, across, squeeze=False).ravel()
        scale = LogNorm(LOWEST, HIGHEST, clip=True)
        for place, (panel, name) in enumerate(zip(panels, names, strict=False)):
            mesh = self._panel(panel, frame[frame["dataset"] == name], run.grid, scale)
            panel.set_title(name, fontsize=7.5)
            panel.tick_params(labelleft=place % across == 0, labelbottom=place + across >= len(names))
            x, y = run.grid[self.x], run.grid[self.y]
            frame_cell(panel, x.index(run.default[self.x]), y.index(run.default[self.y]), DEFAULT, large=False)
        for spare in panels[len(names) :]:
            spare.set_axis_off()
        label_outer(panels[: len(names)], symbol(self.x, tex=True), symbol(self.y, tex=True))
        colour_bar(picture, mesh, panels, "relative duality gap")
        dot = Line2D([], [], ls="", marker="o", color="black", markeredgecolor="white", label="selected on a subset")
        legend_below(picture, [dot, Patch(fill=False, ec="black", lw=1.6, **DEFAULT)])
        picture.draw_without_rendering()  # one pass of the layout leaves the titles of the first row cut off
        return picture

    def _panel(self, panel: Any, rows: DataFrame, grid: Any, scale: Any) -> Any:
        x, y = grid[self.x], grid[self.y]
        # what rounding leaves of a gap of 0 is below the scale of a logarithm
        gaps = rows.assign(gap=rows["gap"].clip(lower=LOWEST))
        table = gaps.pivot(index=self.y, columns=self.x, values="gap").reindex(index=list(y), columns=list(x))
        table.index = [tick_label(value) for value in y]
        table.columns = [tick_label(value) for value in x]
        steps = {"xticklabels": 1 if len(x) <= 4 else 4, "yticklabels": 1 if len(y) <= 4 else 4}
        mesh = heat(panel, table, cmap="viridis_r", norm=scale, **steps)
        panel.invert_yaxis()
        panel.tick_params(rotation=0, labelsize=6.5)
        panel.set(xlabel="", ylabel="")
        taken = rows[rows["selected"] > 0]
        across = [x.index(value) + 0.5 for value in taken[self.x]]
        up = [y.index(value) + 0.5 for value in taken[self.y]]
        sizes = 4 + 3 * np.sqrt(taken["selected"])
        panel.scatter(across, up, s=sizes, color="black", edgecolor="white", linewidth=0.4, zorder=3)
        return mesh


def _weigh(frame: DataFrame, near: float) -> float:
    """Return the share of the selections with a certified fit whose gap is below ``near``; NaN without any."""
    known = frame.dropna(subset="gap")
    times = known["selected"].to_numpy()
    below = (known["gap"] < near).to_numpy()
    return float((times * below).sum() / times.sum()) if times.sum() else float("nan")


def _count_covered(frame: DataFrame) -> float:
    """Return the number of selections with a certified fit."""
    return float(frame.dropna(subset="gap")["selected"].sum())


def _describe_coverage(frame: DataFrame) -> str:
    """Say how many selections have a certified fit, of all data sets that have some."""
    of_all = frame.drop_duplicates("case")["selections"].sum()
    return f"{_count_covered(frame):.0f} of {of_all:.0f}"


def _median_of_selected(frame: DataFrame) -> float:
    """Return the median gap of the selections with a certified fit; NaN without any."""
    known = frame.dropna(subset="gap").sort_values("gap")
    reached = known["selected"].cumsum().to_numpy()
    if not len(reached) or reached[-1] == 0:
        return float("nan")
    # between two gaps, where as many selections are below as above, their mean
    middle = reached[-1] / 2 * np.array([1 - ROUNDING, 1 + ROUNDING])
    return float(known["gap"].to_numpy()[np.searchsorted(reached, middle)].mean())

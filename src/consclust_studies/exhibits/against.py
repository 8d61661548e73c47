"""Pictures of the published scores: ours against them, and the differences by their size."""

# seaborn and matplotlib are imported where needed, so that what does without them starts faster

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consclust.plot.drawing import colours
from consclust.report.blocks import Shown
from consclust.report.figures import PAGE, legend_below, panels, style
from consclust.report.wording import MINUS, paragraph
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import NOT_PUBLISHED, Exhibit, Needs
from consclust_studies.results.main_table import build_scores_frame, find_counted_cells, make_published_key
from consclust_studies.results.sentences import describe_counting
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ["case", "dataset", "metric", "method", "row", "mean", "std", "n", "published", "published_std"]
LARGEST = 25
"""Differences of a metric that are drawn."""


class _OfPublished(Exhibit):
    """A picture of the scores that have published values."""

    drawn = True
    reads: ClassVar = Needs(selected=True, published=True)
    chapter = "Agreement with the published values"
    lacking = NOT_PUBLISHED

    def wanted(self, study: Study) -> bool:
        """Whether there are published scores."""
        return "table2" in study.published

    def build(self, source: Source) -> Shown:
        """Return one row for each score with a published value."""
        frame = _cells(source)
        if frame.empty:
            return Shown(frame, caption="No score of this run has a published value.", picture=_nothing())
        return Shown(
            frame, (), paragraph(self.sentences(source.study), describe_counting(source.study)), self.draw(frame)
        )

    def sentences(self, study: PlannedStudy) -> str:
        """Return what the caption says."""
        raise NotImplementedError

    def draw(self, frame: DataFrame) -> Any:
        """Return the picture."""
        raise NotImplementedError


class Against(_OfPublished):
    """Our scores over the published ones."""

    place = 37

    kind: Literal["against"]
    id: Name = "against"
    title: Title = "Our scores against the published ones"

    def sentences(self, study: PlannedStudy) -> str:
        """Return what the caption says."""
        known = "our scores over the subsets, and of the published score where the paper has it"
        bars = f"Bars: one standard deviation of {known}. " if study.n_subsets > 1 else ""
        return f"One point for each data set and method; line: equal scores. {bars}".strip()

    @style()
    def draw(self, frame: DataFrame) -> Any:
        """Return a panel for each metric, with the line of equal scores."""
        import seaborn as sns

        palette = colours(list(frame["method"].unique()))
        metrics = list(frame["metric"].unique())
        picture, axes = panels(len(metrics), 3, 3.1 if len(metrics) < 3 else 2.5)
        for panel, metric in zip(axes, metrics, strict=True):
            cells = frame[frame["metric"] == metric]
            ends = cells[["mean", "published"]].to_numpy()
            span = max(float(ends.min()) - 0.04, -0.1), min(float(ends.max()) + 0.04, 1.02)
            panel.axline((0, 0), slope=1, color="0.4", linewidth=0.8, zorder=0)
            bars = {"yerr": cells["std"].fillna(0), "xerr": cells["published_std"].fillna(0)}
            panel.errorbar(
                cells["published"], cells["mean"], **bars, fmt="none", ecolor="0.75", elinewidth=0.6, zorder=1
            )
            sns.scatterplot(cells, x="published", y="mean", hue="method", palette=palette, legend=False, s=18, ax=panel)
            panel.set(title=metric, xlabel="published", ylabel="ours", xlim=span, ylim=span, aspect="equal")
        legend_below(picture, _dots(palette))
        return picture


class Differences(_OfPublished):
    """The largest differences from the published scores, the largest first."""

    place = 38
    in_pdf = False

    kind: Literal["differences"]
    id: Name = "differences"
    title: Title = "Differences from the published scores"

    def sentences(self, study: PlannedStudy) -> str:
        """Return what the caption says."""
        bars = "Bars: two standard errors of our mean over the subsets." if study.n_subsets > 1 else ""
        size = f"The {LARGEST} largest differences of each metric, or all if there are fewer, by their size."
        return paragraph(f"Difference: ours {MINUS} published. {size}", bars)

    @style()
    def draw(self, frame: DataFrame) -> Any:
        """Return a panel for each metric with the differences below each other."""
        from matplotlib.figure import Figure

        palette = colours(list(frame["method"].unique()))
        metrics = list(frame["metric"].unique())
        down = math.ceil(len(metrics) / 2)
        lines = min(LARGEST, int(frame["metric"].value_counts().max()))
        picture = Figure(figsize=(PAGE, down * (0.145 * lines + 0.55)), layout="constrained")
        axes = picture.subplots(down, min(2, len(metrics)), squeeze=False).ravel()
        for panel in axes[len(metrics) :]:
            panel.set_axis_off()
        for panel, metric in zip(axes, metrics, strict=False):
            cells = frame[frame["metric"] == metric].assign(difference=lambda f: f["mean"] - f["published"])
            cells = cells.sort_values("difference", key=abs, ascending=False, kind="stable").head(LARGEST)
            errors = (2 * cells["std"] / cells["n"] ** 0.5).fillna(0)
            places = range(len(cells))
            panel.axvline(0, color="0.4", linewidth=0.8, zorder=0)
            panel.errorbar(cells["difference"], places, xerr=errors, fmt="none", ecolor="0.6", elinewidth=0.7, zorder=1)
            panel.scatter(cells["difference"], places, c=[palette[name] for name in cells["method"]], s=16, zorder=2)
            panel.set_yticks(places, [f"{row.dataset}, {row.method}" for row in cells.itertuples()])
            panel.tick_params(axis="y", labelsize=7)
            panel.locator_params(axis="x", nbins=5)
            panel.set(title=metric, xlabel=f"ours {MINUS} published", ylim=(len(cells) - 0.4, -0.6))
        return picture


def _cells(source: Source) -> DataFrame:
    cells = find_counted_cells(source.study, build_scores_frame(source))
    key = make_published_key(source)
    published = source.published
    names = [key(*name) for name in zip(cells["case"], cells["metric"], cells["method"], strict=True)]
    deviations = {name: given["std"] for name, given in published.starts.items() if "std" in given}
    deviations |= published.deviations
    known = [deviations.get(name, math.nan) for name in names]
    return cells.assign(published_std=known)[COLUMNS].reset_index(drop=True)


def _dots(palette: dict[Any, Any]) -> list[Any]:
    from matplotlib.lines import Line2D

    return [Line2D([], [], label=name, color=c, marker="o", linestyle="") for name, c in palette.items()]


@style()
def _nothing() -> Any:
    return panels(1, 1, 0.3)[0]

"""Scores of methods on groups of data sets, as bars."""

# seaborn and matplotlib are imported where needed, so that what does without them starts faster

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.plot.drawing import colours
from consclust.report.blocks import Shown, Table, listed
from consclust.report.figures import PAGE, legend_below, style
from consclust.report.wording import count, paragraph, records
from consclust_studies.config.references import MetricId
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Group, Needs
from consclust_studies.results.main_table import aggregate_subsets, keep_main_rows
from consclust_studies.results.sentences import describe_selection
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING, find_main_row

if TYPE_CHECKING:
    from pandas import DataFrame


class Bars(Exhibit):
    """The mean score of every method on every data set, a panel for each metric and group of cases."""

    drawn = True
    reads: ClassVar = Needs(selected=True)

    kind: Literal["bars"]
    metrics: Some[MetricId] = Field(description="metrics, a row of panels for each")
    groups: Some[Group] = Field(description="groups of cases, a panel for each")

    def build(self, source: Source) -> Shown:
        """Return mean, sample standard deviation and number of subsets for each case, metric and method."""
        study, scores = source.study, aggregate_subsets(source.selected)
        methods = [run.id for run in study.methods]
        places = [(g.title, case, metric) for g in self.groups for case in g.cases for metric in self.metrics]
        keys = [(group, (*where, *find_main_row(study, method))) for group, *where in places for method in methods]
        rows = [(group, *key, *scores.loc[key]) for group, key in keys]
        frame = records("group case metric method selection n mean std", rows).astype({"n": int})
        highest = frame["mean"] >= frame.groupby(["case", "metric"])["mean"].transform("max") - ROUNDING
        ties = highest.groupby([frame["case"], frame["metric"]]).transform("sum")
        frame = frame.assign(highest=highest, alone=highest & (ties == 1))
        caption = paragraph(
            f"Mean score of each method on each data set over {count(study.n_subsets, 'subset')}.",
            study.n_subsets > 1 and "Error bars: one sample standard deviation to either side.",
            describe_selection(study, methods),
            "The table counts the cases of a group on which a method alone has the highest mean; in brackets: alone or "
            "together with others.",
        )
        return Shown(frame, (self._ahead(frame),), caption, self._draw(source, frame))

    def _ahead(self, frame: DataFrame) -> Table:
        """Count for each group where a method has the highest mean."""
        sums = frame.groupby(["group", "method", "metric"], sort=False)[["alone", "highest"]].sum()
        texts = sums["alone"].astype(str) + " (" + sums["highest"].astype(str) + ")"
        sizes = {group.title: f"{group.title}, {count(len(group.cases), 'case')}" for group in self.groups}
        columns = {"Ensemble": "group", "Method": "method", **{metric: metric for metric in self.metrics}}
        return listed(
            "Highest mean", texts.unstack(sort=False).reset_index().replace({"group": sizes}), columns, left=2
        )

    @style()
    def _draw(self, source: Source, frame: DataFrame) -> Any:
        import seaborn as sns
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch

        palette = colours(list(frame["method"].unique()))
        widths = [len(group.cases) + 0.6 for group in self.groups]
        picture = Figure(figsize=(PAGE, 2.15 * len(self.metrics) + 0.5), layout="constrained")
        shape = len(self.metrics), len(self.groups)
        axes = picture.subplots(*shape, squeeze=False, sharex="col", sharey=True, width_ratios=widths)
        looks = {"palette": palette, "hue_order": list(palette), "saturation": 1, "legend": False, "linewidth": 0}
        looks |= {"errorbar": "sd", "err_kws": {"linewidth": 0.7, "color": "0.15"}}
        scores = keep_main_rows(source.study, source.selected)
        for row, metric in zip(axes, self.metrics, strict=True):
            for panel, group in zip(row, self.groups, strict=True):
                rows = scores[scores["case"].isin(group.cases) & (scores["metric"] == metric)]
                sns.barplot(rows, x="case", y="value", hue="method", order=group.cases, **looks, ax=panel)
                panel.set(xlabel="", ylabel=f"mean {metric}" if panel is row[0] else "", ylim=(0, 1))
                panel.grid(False, axis="x")
                titles = [source.study.origins[case].title for case in group.cases]
                panel.set_xticks(range(len(titles)), titles, rotation=60, ha="right", rotation_mode="anchor")
        for panel, group in zip(axes[0], self.groups, strict=True):
            panel.set_title(group.title)
        legend_below(picture, [Patch(color=colour, label=name) for name, colour in palette.items()])
        return picture

"""Scores of methods on groups of data sets, as bars."""

from typing import Any, ClassVar, Literal

from concord.config.references import CaseId, MetricId
from concord.config.values import Some
from concord.findings.main_table import over_subsets
from concord.findings.names import DataFrame, Source
from concord.findings.values import count, paragraph, records, tuned
from concord.reports.exhibits.base import Exhibit, Needs, Shown, Table, listed
from concord.reports.render.figures import PAGE, colours, legend_below, style
from concord.scores.selection import main_row
from concord.validation import Strict


class Group(Strict):
    """Cases that stand side by side."""

    title: str
    cases: Some[CaseId]


class Bars(Exhibit):
    """The mean score of every method on every data set, a panel for each metric and group of cases."""

    drawn = True
    reads: ClassVar = Needs(selected=True)

    kind: Literal["bars"]
    metrics: Some[MetricId]
    groups: Some[Group]

    def build(self, source: Source) -> Shown:
        """Return mean, sample standard deviation and number of subsets for each case, metric and method."""
        study, scores = source.study, over_subsets(source.selected)
        methods = [run.id for run in study.methods]
        places = [(g.title, case, metric) for g in self.groups for case in g.cases for metric in self.metrics]
        keys = [(group, (*where, *main_row(study, method))) for group, *where in places for method in methods]
        rows = [(group, *key, *scores.loc[key]) for group, key in keys]
        frame = records("group case metric method selection n mean std", rows).astype({"n": int})
        caption = paragraph(
            f"Mean score of each method on each data set over {count(study.n_subsets, 'subset')}.",
            tuned(study, methods),
            "The table counts the cases on which a method has the highest mean, alone or with others.",
        )
        return Shown(frame, (self._ahead(frame),), caption, self._draw(source, frame))

    def _ahead(self, frame: DataFrame) -> Table:
        """Count where each method has the highest mean, alone or with others."""
        highest = frame.groupby(["case", "metric"])["mean"].transform("max")
        ahead = frame.assign(ahead=frame["mean"] >= highest - 1e-12).groupby(["method", "metric"], sort=False)
        title = f"Highest mean, on how many of {count(frame['case'].nunique(), 'case')}"
        columns = {"Method": "method", **{metric: metric for metric in self.metrics}}
        return listed(title, ahead["ahead"].sum().unstack(sort=False).reset_index(), columns)

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
        looks = {"palette": palette, "saturation": 1, "errorbar": None, "legend": False, "linewidth": 0}
        for row, metric in zip(axes, self.metrics, strict=True):
            for panel, group in zip(row, self.groups, strict=True):
                rows = frame[(frame["group"] == group.title) & (frame["metric"] == metric)]
                sns.barplot(rows, x="case", y="mean", hue="method", order=group.cases, **looks, ax=panel)
                panel.set(xlabel="", ylabel=f"mean {metric}" if panel is row[0] else "", ylim=(0, 1))
                panel.grid(False, axis="x")
                titles = [source.study.origins[case].title for case in group.cases]
                panel.set_xticks(range(len(titles)), titles, rotation=60, ha="right", rotation_mode="anchor")
        for panel, group in zip(axes[0], self.groups, strict=True):
            panel.set_title(group.title)
        legend_below(picture, [Patch(color=colour, label=name) for name, colour in palette.items()])
        return picture

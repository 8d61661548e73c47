"""Scores over the share of an ensemble that is spoiled, a panel for each kind of harm."""

# seaborn and matplotlib are imported where needed, so that what does without them starts faster

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.plot.drawing import colours
from consclust.report.blocks import Shown
from consclust.report.figures import MARKERS, label_outer, legend_below, panels, style
from consclust.report.wording import count, paragraph
from consclust_studies.config.references import CaseId, MetricId, RowId
from consclust_studies.config.study import Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.sentences import describe_failures
from consclust_studies.results.source import Source
from studies.robustness.exhibits.spoiled_scores import (
    WORDS,
    check_harms,
    find_harms,
    keep_common,
    list_curves,
    list_spoiled_scores,
)

if TYPE_CHECKING:
    from pandas import DataFrame


class HarmCurves(Exhibit):
    """The mean score over the share that is spoiled, a line for each method, a panel for each kind of harm."""

    drawn = True
    reads: ClassVar = Needs(scores=True)

    kind: Literal["harm_curves"]
    metric: MetricId = Field("ARI", description="metric of the scores")
    methods: Some[RowId] = Field(description="rows: ids of methods, or the name of the base clusterings")
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a study without spoiled subsets."""
        yield from check_harms(study)

    def build(self, source: Source) -> Shown:
        """Return mean, interval and number of data sets for each method, kind and share."""
        from scipy import stats

        found = keep_common(list_spoiled_scores(source, self.metric, self.cases), self.methods)
        means = list_curves(found, find_harms(source))
        clean = means[means["share"] == 0].set_index(["case", "method", "kind"])["value"]
        own = clean.loc[list(zip(means["case"], means["method"], means["kind"], strict=True))].to_numpy()
        # data sets differ far more in their level than in what they lose
        means = means.assign(change=means["value"] - own)
        groups = means.groupby(["kind", "method", "share"], sort=False)
        frame = groups.agg(n=("value", "count"), mean=("value", "mean"), std=("change", "std")).reset_index()
        margin = stats.t.ppf(0.975, frame["n"] - 1) * frame["std"] / frame["n"] ** 0.5
        frame = frame.assign(low=frame["mean"] - margin, high=frame["mean"] + margin).drop(columns="std")
        frame = frame.sort_values(["kind", "method", "share"], kind="stable", ignore_index=True)
        caption = paragraph(
            f"Mean {self.metric} over {count(int(found['case'].nunique()), 'data set')} (of "
            f"{count(int(found['repetition'].nunique()), 'repetition')} each) against the share that is spoiled; "
            "bands: 95 % interval of the mean change from the method's own clean score, over the data sets. Outliers "
            "are not scored. Base clusterings are scored on the objects that they label, also where labels are "
            f"missing; the methods on all objects. {describe_failures(found.loc[found['failed'], 'method'])}"
        )
        return Shown(frame, caption=caption, picture=self._draw(source, frame))

    @style()
    def _draw(self, source: Source, frame: DataFrame) -> Any:
        from matplotlib.lines import Line2D

        kinds = [kind for kind in WORDS if kind in set(frame["kind"])]
        picture, axes = panels(len(kinds), 3, 2.1)
        palette = colours([name for name in self.methods if name != source.study.base_clusterings])
        # the same range for all panels, so that no band is cut off; of one data set there are no bands
        bottom = min(0.0, float(frame[["low", "mean"]].min().min()))
        top = 1.02 * float(frame[["high", "mean"]].max().max())
        looks: dict[str, dict[str, Any]] = {}
        for number, name in enumerate(self.methods):
            if name == source.study.base_clusterings:
                looks[name] = {"color": "0.3", "linestyle": "--"}
            else:
                looks[name] = {"color": palette[name], "marker": MARKERS[number % len(MARKERS)], "markersize": 3}
        for panel, kind in zip(axes, kinds, strict=True):
            for name, look in looks.items():
                rows = frame[(frame["kind"] == kind) & (frame["method"] == name)]
                panel.plot(rows["share"], rows["mean"], linewidth=1, **look)
                panel.fill_between(
                    rows["share"], rows["low"], rows["high"], color=look["color"], alpha=0.1, linewidth=0
                )
            panel.set_title(WORDS[kind])
            panel.set_ylim(bottom, top)
        label_outer(axes, "share that is spoiled", f"mean {self.metric}")
        legend_below(picture, [Line2D([], [], label=name, **look) for name, look in looks.items()])
        return picture

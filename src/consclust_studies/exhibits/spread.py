"""The distributions of the scores over the subsets."""

# seaborn is imported where needed, so that what does without it starts faster

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown
from consclust.report.figures import PAGE, label_outer, panels, style
from consclust.report.wording import paragraph
from consclust_studies.config.references import MetricId
from consclust_studies.config.study import Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import KEYS, build_scores_frame, find_published_cells
from consclust_studies.results.sentences import describe_selection
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import list_main_rows

if TYPE_CHECKING:
    from pandas import DataFrame

ENOUGH = 5


class Spread(Exhibit):
    """A box for every method on every data set, with the scores of the subsets and the published score."""

    drawn = True
    place = 15
    reads: ClassVar = Needs(selected=True, published=True)

    kind: Literal["spread"]
    id: Name = "spread"
    title: Title = "Scores over the subsets"
    metrics: tuple[MetricId, ...] = Field((), description="metrics; the first one in 'reported' if absent")

    def wanted(self, study: Study) -> bool:
        """Whether there are enough subsets for a box."""
        return study.n_subsets >= ENOUGH

    def build(self, source: Source) -> Shown:
        """Return the score of each case, metric, method and subset, and the published score."""
        study = source.study
        metrics = self.metrics or study.reported[:1]
        order = [row.method for row in list_main_rows(study)]
        known = find_published_cells(study, build_scores_frame(source)).set_index(KEYS)["published"]
        rows = source.selected[source.selected["metric"].isin(metrics)]
        main = set(list_main_rows(study))
        rows = rows[[row in main for row in zip(rows["method"], rows["selection"], strict=True)]]
        rows = rows.dropna(subset="value").join(known, on=KEYS)
        frame = rows[["case", "metric", "method", "selection", "subset", "value", "published"]].reset_index(drop=True)
        caption = paragraph(
            f"{' and '.join(metrics)} of each of the {study.n_subsets} subsets; box: quartiles and median.",
            describe_selection(study, order),
            bool(frame["published"].notna().any()) and "Diamond: the published score.",
        )
        return Shown(frame, (), caption, self._draw(source, frame, order))

    @style()
    def _draw(self, source: Source, frame: DataFrame, order: list[str]) -> Any:
        import seaborn as sns

        places = frame[["metric", "case"]].drop_duplicates().itertuples(index=False)
        drawn = [
            (metric, case, frame[(frame["metric"] == metric) & (frame["case"] == case)]) for metric, case in places
        ]
        several = frame["metric"].nunique() > 1
        across = 4 if len(drawn) > 4 else 3
        picture, axes = panels(len(drawn), across, 0.35 + 0.115 * len(order))
        picture.set_figwidth(PAGE)
        looks = {"color": "0.85", "linecolor": "0.35", "linewidth": 0.6, "width": 0.7, "showfliers": False}
        for panel, (metric, case, rows) in zip(axes, drawn, strict=True):
            sns.boxplot(rows, x="value", y="method", order=order, **looks, ax=panel)
            sns.stripplot(rows, x="value", y="method", order=order, color="C0", size=1.8, jitter=False, ax=panel)
            known = rows.dropna(subset="published").drop_duplicates("method")
            panel.scatter(
                known["published"], [order.index(m) for m in known["method"]], c="C3", marker="D", s=10, zorder=5
            )
            panel.set_title(f"{source.titles[case]}, {metric}" if several else source.titles[case])
            panel.tick_params(axis="y", labelleft=panel.get_subplotspec().colspan.start == 0)
        label_outer(axes, "score" if several else frame["metric"].iloc[0], "")
        return picture

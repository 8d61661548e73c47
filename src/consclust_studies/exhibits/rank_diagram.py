"""Mean ranks of the methods with the critical difference, by our scores and by the published ones."""

# scikit-posthocs, matplotlib and SciPy are imported where needed, so that what does without them starts faster

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consclust.report.blocks import Shown
from consclust.report.figures import PAGE, style
from consclust.report.wording import count, number, paragraph, records
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.main_table import build_scores_frame, keep_counted, keep_main_rows, rank_scores
from consclust_studies.results.over_datasets import compute_friedman
from consclust_studies.results.sentences import describe_counting
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame

FEWEST = 8
"""Data sets from which on every report has the diagram."""
METHODS = 10
"""Methods of a diagram."""
ALPHA = 0.05
SIDES = {"mean": "ours", "published": "published"}


class RankDiagram(Exhibit):
    """A diagram for each metric, of our scores and of the published ones."""

    drawn = True
    place = 16
    reads: ClassVar = Needs(selected=True, published=True)

    kind: Literal["rank_diagram"]
    id: Name = "rank_diagram"
    title: Title = "Mean ranks and their critical difference"

    def wanted(self, study: Study) -> bool:
        """Whether there are enough data sets and methods for such a test."""
        return len(_list_datasets(study)) >= FEWEST and len(study.methods) > 2

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a study with too little to rank."""
        n_datasets = len(_list_datasets(study))
        if n_datasets < 2 or len(study.methods) < 2:
            what = f"{count(n_datasets, 'data set')} and {count(len(study.methods), 'method')}"
            yield "kind", f" = {self.kind!r}: {what}, but mean ranks need two of each; remove the exhibit"

    def build(self, source: Source) -> Shown:
        """Return the mean rank of each method, by metric and by our scores or the published ones."""
        frame, tables = _frame(source)
        caption = paragraph(
            "Mean rank over the data sets (1: the best; equal scores share their mean rank) of the methods with a "
            f"score on all of them, at most the {METHODS} best; where there are published scores, of their methods. "
            f"Methods that a bar joins do not differ significantly by Nemenyi's test (p < {number(ALPHA)}). Where "
            f"Friedman's test finds no difference between the methods (p ≥ {number(ALPHA)}), there are no bars.",
            _describe_averages(source.study),
            describe_counting(source.study),
        )
        return Shown(frame, (), caption, self._draw(tables, frame))

    @style()
    def _draw(self, tables: dict[tuple[str, str], DataFrame], frame: DataFrame) -> Any:
        from matplotlib.figure import Figure

        lines = [math.ceil(table.shape[1] / 2) for table in tables.values()] or [1]
        picture = Figure(figsize=(PAGE, sum(0.75 + 0.13 * n for n in lines)), layout="constrained")
        axes = picture.subplots(len(lines), 1, squeeze=False, height_ratios=[n + 4 for n in lines]).ravel()
        if not tables:
            axes[0].set_axis_off()
        for panel, ((metric, side), table) in zip(axes, tables.items(), strict=False):
            # of all methods, of which a diagram has the best
            p_friedman = frame[(frame["metric"] == metric) & (frame["scores"] == SIDES[side])]["p_friedman"].iloc[0]
            draw_critical_differences(panel, rank_scores(table), f"{metric}, {SIDES[side]}", p_friedman)
        return picture


def draw_critical_differences(panel: Any, placed: DataFrame, title: str, p_friedman: float) -> None:
    """Draw the mean ranks of methods; a bar joins those that do not differ significantly by Nemenyi's test.

    ``placed`` has the ranks of methods (columns) on data sets (rows). There are no bars where Friedman's test, with
    ``p_friedman``, finds no difference at all.
    """
    import scikit_posthocs as posthocs

    p, mean = posthocs.posthoc_nemenyi_friedman(placed), placed.mean()
    labels = {"label_fmt_left": "{label} ({rank:.1f})", "label_fmt_right": "({rank:.1f}) {label}"}
    looks: dict[str, Any] = {"label_props": {"fontsize": 7.5}, "elbow_props": {"linewidth": 0.8}}
    looks["crossbar_props"] = {"linewidth": 2.2, "color": "C0"}
    looks["color_palette"] = dict.fromkeys(mean.index, "0.15")
    drawn = posthocs.critical_difference_diagram(mean, p, alpha=ALPHA, ax=panel, **labels, **looks)
    for (bar,) in drawn["crossbars"]:  # drawn over a set, whose order is another one in each process
        bar.set_xdata(sorted(bar.get_xdata()))
        bar.set_visible(p_friedman < ALPHA)
    panel.grid(False)
    difference = number(critical_difference(*placed.shape), ".1f")
    tests = f"Friedman p = {number(p_friedman, '.2g')}, critical difference {difference}"
    panel.set_title(f"{title} ({tests})", loc="left")


def draw_rank_panels(groups: Mapping[str, DataFrame]) -> Any:
    """Draw the mean ranks of each group, by its title, in a panel: ranks of methods (columns) on data sets (rows)."""
    from matplotlib.figure import Figure

    heights = [0.75 + 0.13 * (placed.shape[1] // 2 + 1) for placed in groups.values()] or [1.0]
    picture = Figure(figsize=(PAGE, sum(heights)), layout="constrained")
    axes = picture.subplots(len(heights), 1, squeeze=False, height_ratios=heights).ravel()
    if not groups:
        axes[0].set_axis_off()
    for panel, (title, placed) in zip(axes, groups.items(), strict=False):
        draw_critical_differences(panel, placed, title, compute_friedman(placed).p)
    return picture


def _frame(source: Source) -> tuple[DataFrame, dict[tuple[str, str], DataFrame]]:
    """Return the mean ranks, and the scores behind them: data sets in rows, methods in columns."""
    from scipy import stats

    rows, tables = list[tuple[Any, ...]](), {}
    for metric, side, table in _tables(source):
        placed = rank_scores(table)
        mean = placed.mean()
        tables[metric, side] = table[[name for name in table if name in mean.nsmallest(METHODS).index]]
        p = float(stats.friedmanchisquare(*placed.to_numpy().T).pvalue)
        rows += [(metric, SIDES[side], name, rank, len(table), p) for name, rank in mean.items()]
    return records("metric scores method mean_rank datasets p_friedman", rows), tables


def _tables(source: Source) -> Iterator[tuple[str, str, DataFrame]]:
    """Yield metric, side and scores of each diagram: of the methods with published scores, if there are any."""
    study = source.study
    datasets = {case.id: case.dataset for case in study.cases}
    scores = keep_main_rows(study, keep_counted(study, build_scores_frame(source)))
    for metric in study.reported:
        mine = scores[scores["metric"] == metric]
        known = mine["method"][mine["published"].notna()].unique()
        order = list(known if len(known) > 2 else mine["method"].unique())
        wide = mine.pivot(index="case", columns="method", values=list(SIDES))
        for side in SIDES:
            table = wide[side][order].dropna(axis=0, how="all").dropna(axis=1)
            # several ensembles of one data set are no independent data sets
            table = table.groupby(datasets.get, sort=False).mean()
            if len(table) > 1 and table.shape[1] > 2:
                yield metric, side, table


def _list_datasets(study: Study) -> set[str]:
    return {case.dataset for case in study.counted}


def _describe_averages(study: PlannedStudy) -> str:
    """Say that a data set with several cases counts once; empty where none has."""
    n_cases = len(study.counted)
    n_datasets = len(_list_datasets(study))
    if n_datasets == n_cases:
        return ""
    return f"The scores of a data set with several ensembles are averaged: {n_cases} cases are {n_datasets} data sets."


def critical_difference(datasets: int, methods: int) -> float:
    """Return the difference of mean ranks from which on Nemenyi's test is significant."""
    from scipy import stats

    q = stats.studentized_range.ppf(1 - ALPHA, methods, math.inf) / math.sqrt(2)
    return float(q * math.sqrt(methods * (methods + 1) / (6 * datasets)))

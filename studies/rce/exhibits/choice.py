"""A choice of the parameters without classes: its regret, and where the gain of the grid comes from."""

# matplotlib and pandas are imported where needed, so that what does without them starts faster

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from consclust.ensemble import FloatArray, IntArray
from consclust.plot.drawing import colours
from consclust.report.blocks import Shown, Table, listed
from consclust.report.figures import legend_below, panels, style
from consclust.report.wording import MINUS, conjunction, number, paragraph, records, signed
from consclust.scores import score_many
from consclust_studies.config.cases import Case
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.main_table import keep_counted
from consclust_studies.results.sentences import describe_counting
from consclust_studies.results.significance import compute_p_values
from consclust_studies.results.source import Source
from consclust_studies.stages.label_blocks import Block
from consclust_studies.stages.selection import ROUNDING, take_points
from studies.rce.exhibits.grid_scores import GridScores, OfVariants, find_points, read_gaps, take_scores

if TYPE_CHECKING:
    from pandas import DataFrame


class Rule(NamedTuple):
    """How a grid point is chosen."""

    title: str
    needs: str
    """What the choice needs to know."""


RULES: Mapping[str, Rule] = {
    "default": Rule("default", "nothing"),
    "own": Rule("agreement with own", "the base clusterings of the subset"),
    "held-out": Rule("agreement with held-out", "the base clusterings of the other subsets"),
    "gap": Rule("least gap", "the certified gaps on the first subset"),
    "others": Rule("best on other data", "the classes of the other data sets"),
    "common": Rule("oracle, common", "the classes"),
    "oracle": Rule("oracle, per subset", "the classes, for each subset"),
}

MARKERS = {"own": "o", "held-out": "o", "gap": "o", "others": "D", "common": "D", "oracle": "D"}
"""In the picture; diamonds know classes."""


class Choice(OfVariants, Exhibit):
    """The scores at the grid points that rules choose, with and without classes, their regret and their gain."""

    drawn = True

    kind: Literal["choice"]
    agreement: Literal["ARI", "NMI"] = Field("ARI", description="measure of the agreement with base clusterings")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield variants that have other grid points or run on no case."""
        yield from self.check_variants(study)

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores, the labels of the method, the certified fits, and the base clusterings."""
        own = study.method(self.method)
        cases = [case for case in study.cases if own.runs_on(case)]
        labels = [(case.id, self.method) for case in cases]
        labels += [(case.id, run.id) for case, run in self.list_runs(study)]
        return Needs(scores=True, labels=tuple(labels), ensembles=tuple(case.id for case in cases))

    def build(self, source: Source) -> Shown:
        """Return a row for each case, reported metric and rule.

        ``mean`` is over the ``n`` subsets with a score at the point of every rule; ``regret`` is that of the oracle per
        subset less ``mean``, ``gain`` is ``mean`` less that of the default point. ``points`` are the different grid
        points that were chosen.
        """
        frame = self._frame(source)
        study = source.study
        caption = paragraph(
            f"{self.method}: the score at the grid point that a rule chooses, mean over the subsets. The rules, and "
            f"what each has to know: {conjunction([f'{rule.title} ({rule.needs})' for rule in RULES.values()])}.",
            f"Agreement: the mean {self.agreement} of the consensus with the base clusterings; of the restarts of a "
            "fit, the one with the best objective is compared. Equal points: the first of the grid. Least gap: the "
            "same point for all subsets, on the data sets whose whole grid is certified. Best on other data: the point "
            "with the highest mean over the other data sets.",
            f"Regret: oracle per subset {MINUS} rule. Gain: rule {MINUS} default; p: paired t-test over the data sets.",
            "In the picture diamonds know classes.",
            describe_counting(study),
        )
        tables = (self._sum_up(source, frame), *(_cross(metric, rows) for metric, rows in _by_metric(frame)))
        return Shown(frame, tables, caption, self._draw(source, frame))

    def _frame(self, source: Source) -> DataFrame:
        study = source.study
        own = study.method(self.method)
        scores = GridScores(source, [self.method])
        certified = {case.id: run for case, run in self.list_runs(study)}
        cases = [case for case in study.cases if own.runs_on(case)]
        grids = {metric: {case.id: scores.read(case, own, metric) for case in cases} for metric in study.reported}
        rows = []
        for case in cases:
            without_classes = dict(self._choose_without_classes(source, case, own, certified.get(case.id)))
            for metric, of_cases in grids.items():
                values = of_cases[case.id]
                points = {"default": np.full(values.shape[1], own.default_point), **without_classes}
                others = _find_best_elsewhere(study, case, of_cases)
                if others is not None:
                    points["others"] = np.full(values.shape[1], others)
                points["common"] = take_points(values, "oracle-common")
                points["oracle"] = take_points(values, "oracle-per-subset")
                taken = {rule: take_scores(values, points[rule]) for rule in RULES if rule in points}
                has_all = np.isfinite(list(taken.values())).all(axis=0)
                means = {rule: _average(scores_of_rule[has_all]) for rule, scores_of_rule in taken.items()}
                for rule, mean in means.items():
                    known = (case.id, source.titles[case.id], metric, rule, int(has_all.sum()))
                    compared = (mean, means["oracle"] - mean, mean - means["default"])
                    rows.append((*known, *compared, len({*points[rule].tolist()})))
        return records("case dataset metric rule n mean regret gain points", rows)

    def _choose_without_classes(
        self, source: Source, case: Case, own: MethodRun, certified: MethodRun | None
    ) -> Iterator[tuple[str, IntArray]]:
        """Yield each rule without classes and the grid points that it takes, one for each subset."""
        stored = source.stored(case.id)
        n_subsets = source.study.n_subsets_of(case, own)
        agreement = np.full((2, len(own.points), n_subsets), np.nan)
        for block in source.blocks(case.id, self.method):
            for place, subset in enumerate(block.subsets):
                if subset < n_subsets:
                    members = np.isin(np.arange(stored.labels.shape[1]), stored.members[subset])
                    agreement[:, :, subset] = self._measure_agreement(block, place, stored.labels, members)
        for rule, values in zip(("own", "held-out"), agreement, strict=True):
            if not np.isnan(values).all():
                # the first of the highest, as an oracle takes it
                yield rule, take_points(values, "oracle-per-subset")
        # of some points the least gap would be that of a smaller choice
        if certified and len(certified.points) == len(own.points):
            gaps = read_gaps(source, case, certified)[:, 0]
            if not np.isnan(gaps).all():
                yield "gap", np.full(n_subsets, find_points(own, certified)[int(np.nanargmin(gaps))])

    def _measure_agreement(self, block: Block, place: int, base: IntArray, members: Any) -> FloatArray:
        """Return the mean agreement of each grid point with the members of its subset and with the others, (2, points).

        NaN where there is no answer, or no other base clustering.
        """
        found = np.full((2, block.chosen.shape[1]), np.nan)
        known: dict[bytes, tuple[float, float]] = {}
        for point in np.flatnonzero(block.answered[place]).tolist():
            labels = block.labels[place, point, block.chosen[place, point]]
            # many grid points have the same labels
            key = labels.tobytes()
            if key not in known:
                values = score_many(labels, base.T, [self.agreement])[:, 0]
                known[key] = _average(values[members]), _average(values[~members])
            found[:, point] = known[key]
        return found

    def _sum_up(self, source: Source, frame: DataFrame) -> Table:
        """Return for each metric and rule its mean over the data sets, its regret and its gain."""
        rows = []
        for (metric, rule), group in keep_counted(source.study, frame).groupby(["metric", "rule"], sort=False):
            gains = group["gain"].to_numpy()
            better = f"{int((gains > ROUNDING).sum())} : {int((gains < -ROUNDING).sum())}"
            p = float(compute_p_values(gains[None], np.zeros((1, len(gains))), "paired")[0])
            means = group[["mean", "regret", "gain"]].mean()
            if rule == "default":
                better, p = "", math.nan
            rows.append((metric, RULES[rule].title, RULES[rule].needs, len(group), *means, better, p))
        table = records("metric rule knows datasets mean regret gain better p", rows)
        columns = "metric, rule, Has to know: knows, Data sets: datasets, Mean: mean, regret, gain, "
        columns += "Better : worse: better, p-value: p"
        forms: dict[str, Any] = {"gain": signed, "p": partial(number, form=".2g")}
        title = "Over the data sets: where the gain of the grid comes from"
        return listed(title, table, columns, left=3, forms=forms).model_copy(update={"whole": True})

    @style()
    def _draw(self, source: Source, frame: DataFrame) -> Any:
        from matplotlib.lines import Line2D

        drawn = [rule for rule in RULES if rule != "default" and rule in set(frame["rule"])]
        palette = colours(drawn)
        metrics = list(dict.fromkeys(frame["metric"]))
        names = list(dict.fromkeys(frame["dataset"]))
        picture, axes = panels(len(metrics), 2, 0.6 + 0.3 * len(names))
        # rules of one data set stand one below the other, so that equal gains are seen
        steps = dict(zip(drawn, np.linspace(0.3, -0.3, len(drawn)).tolist(), strict=True))
        for panel, metric in zip(axes, metrics, strict=True):
            here = frame[frame["metric"] == metric]
            for rule in drawn:
                rows = here[here["rule"] == rule]
                heights = [len(names) - 1 - names.index(name) + steps[rule] for name in rows["dataset"]]
                panel.scatter(rows["gain"], heights, s=13, color=palette[rule], marker=MARKERS[rule], lw=0)
            panel.axvline(0, color="0.3", linewidth=0.8)
            panel.set_ylim(-0.6, len(names) - 0.4)
            panel.set_yticks(range(len(names)), names[::-1] if metric == metrics[0] else [""] * len(names))
            panel.set_xlabel(f"{metric} {MINUS} that of the default point")
        looks = [
            Line2D([], [], ls="", marker=MARKERS[rule], color=palette[rule], label=RULES[rule].title) for rule in drawn
        ]
        legend_below(picture, looks)
        return picture


def _by_metric(frame: DataFrame) -> Iterator[tuple[str, DataFrame]]:
    for metric, rows in frame.groupby("metric", sort=False):
        yield str(metric), rows


def _cross(metric: str, rows: DataFrame) -> Table:
    """Return the means of one metric, data sets by rules."""
    wide = rows.pivot(index="dataset", columns="rule", values="mean").reindex(rows["dataset"].unique())
    columns = {"Data set": "dataset"} | {RULES[rule].title: rule for rule in RULES if rule in wide}
    return listed(metric, wide.reset_index(), columns).model_copy(update={"whole": True})


def _find_best_elsewhere(study: PlannedStudy, case: Case, grids: Mapping[str, FloatArray]) -> int | None:
    """Return the grid point with the highest mean over the other data sets, None without any.

    Where a point failed on a subset, its mean is over the others.
    """
    others = [grids[other.id] for other in study.counted if other.dataset != case.dataset and other.id in grids]
    known = [np.nanmean(grid, axis=1) for grid in others if np.isfinite(grid).any(axis=1).all()]
    if not known:
        return None
    return int(take_points(np.mean(known, axis=0)[:, None], "oracle-per-subset")[0])


def _average(values: FloatArray) -> float:
    """Return the mean of what is there; NaN of nothing."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else math.nan

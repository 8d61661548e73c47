"""How much harm a method bears: the area under its curve, and the share at which it breaks down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from consclust.report.blocks import Shown, Table, listed
from consclust.report.wording import count, paragraph, records, score, signed
from consclust_studies.config.references import CaseId, MethodId, MetricId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.over_datasets import find_interval
from consclust_studies.results.sentences import describe_failures
from consclust_studies.results.source import Source
from studies.robustness.exhibits.spoiled_scores import (
    WORDS,
    check_harms,
    find_breakdown,
    find_harms,
    keep_common,
    list_curves,
    list_spoiled_scores,
    measure_area,
)

if TYPE_CHECKING:
    from pandas import DataFrame


class Breakdown(Exhibit):
    """Area and breakdown point of every method that runs on all of some data sets, by kind of harm."""

    kind: Literal["breakdown"]
    metric: MetricId = Field("ARI", description="metric of the scores")
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")
    summarised: bool = Field(True, description="whether the abstract says which methods have most and least")
    compared: tuple[MethodId, MethodId] | None = Field(
        None, description="two methods whose areas the abstract compares, the first being what it is about"
    )

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a study without spoiled subsets."""
        yield from check_harms(study)

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores."""
        return Needs(scores=True)

    def build(self, source: Source) -> Shown:
        """Return mean clean score, area and breakdown point for each method and kind, and the ranks by area."""
        study = source.study
        wanted = [case for case in study.cases if case.id in (self.cases or [case.id])]
        rows = [study.base_clusterings]
        rows += [run.id for run in study.methods if all(run.runs_on(case) for case in wanted)]
        scores = keep_common(list_spoiled_scores(source, self.metric, self.cases), rows)
        means = list_curves(scores, find_harms(source))
        areas = self._list_areas(source, means)
        frame = self._frame(source, areas, rows)
        by_area = frame.groupby("method", sort=False)["area"].mean()
        frame = frame.assign(
            rank=frame["method"].map(by_area.drop(study.base_clusterings, errors="ignore").rank(ascending=False))
        )
        largest = max(find_harms(source).shares)
        caption = paragraph(
            f"{count(int(scores['case'].nunique()), 'data set')}, "
            f"{count(int(scores['repetition'].nunique()), 'repetition')} each. Area: mean {self.metric} over the "
            f"shares from 0 to {largest:g}, by the trapezoidal rule; clean: without harm; rank by the mean area of all "
            "kinds. Breakdown point: the share from which on a method is below the mean clean base clustering of the "
            f"data set, the median over the data sets; > {largest:g} if it is not below at the largest share. A kind "
            "of harm of which a restricted run lacks some shares is left out. Outliers are not scored. "
            f"{describe_failures(scores.loc[scores['failed'], 'method'])}"
        )
        if frame.empty:
            return Shown(frame, (), caption)
        methods = frame[frame["method"] != study.base_clusterings]
        tables = (self._show_areas(frame), self._show_breakdowns(methods, largest))
        abstract = paragraph(self.summarised and self._summarise(methods, largest), self._compare(areas, methods))
        return Shown(frame, tables, caption, abstract=abstract)

    def _summarise(self, methods: DataFrame, largest: float) -> str:
        """Say which methods bear most and least, and how many are not broken by the largest share of each harm."""
        area = methods.groupby("method", sort=False)["area"].mean()
        kept = np.isinf(methods["breakdown"]).groupby(methods["kind"], sort=False).sum()
        listed_kinds = ", ".join(f"{WORDS[str(kind)]} {number}" for kind, number in kept.items())
        n = int(methods["n"].max())
        return (
            f"Averaged over the kinds of harm, their shares and {count(n, 'data set')}, {area.idxmax()} has the "
            f"highest mean {self.metric} of {len(area)} methods ({score(area.max())}) and {area.idxmin()} the lowest "
            f"({score(area.min())}). With a share of {largest:g} spoiled, so many methods are not below the clean base "
            f"clusterings on half of the data sets: {listed_kinds}."
        )

    def _compare(self, areas: DataFrame, methods: DataFrame) -> str:
        """Say how the areas of two methods differ over the data sets; "" where one has none, or with one data set."""
        ranks = methods.drop_duplicates("method").set_index("method")["rank"]
        if self.compared is None or not set(self.compared) <= set(ranks.index):
            return ""
        first, second = self.compared
        wide = areas.groupby(["case", "method"])["area"].mean().unstack("method")
        differences = (wide[first] - wide[second]).to_numpy()
        if len(differences) < 2:
            return ""
        low, high = find_interval(differences)
        judged = "which is no significant difference" if low <= 0 <= high else "which is significant"
        loss = methods.assign(loss=methods["clean"] - methods["area"]).groupby("method")["loss"].mean()
        return (
            f"{first} has rank {ranks[first]:g} by area; its area is {signed(differences.mean())} above that "
            f"of {second}, with a 95 % interval from {signed(low)} to {signed(high)} over "
            f"{count(len(differences), 'data set')}, {judged}. It loses {score(loss[first])} of its score without "
            f"harm, {second} {score(loss[second])}."
        )

    def _list_areas(self, source: Source, means: DataFrame) -> DataFrame:
        """Return clean score, area and breakdown point for each method, kind of harm and data set."""
        base = source.study.base_clusterings
        clean = means[(means["share"] == 0) & (means["method"] == base)].groupby("case")["value"].mean()
        rows = []
        for (method, kind), mine in means.groupby(["method", "kind"], sort=False):
            curves = mine.pivot(index="case", columns="share", values="value")
            shares = curves.columns.to_numpy(dtype=float)
            if len(shares) <= len(find_harms(source).shares):
                continue  # a restricted run has some of the shares alone, whose curve says neither
            for case, values in zip(curves.index, curves.to_numpy(), strict=True):
                numbers = (measure_area(shares, values), find_breakdown(shares, values, clean[case]))
                rows.append((method, kind, case, values[0], *numbers))
        return records("method kind case clean area breakdown", rows)

    def _frame(self, source: Source, areas: DataFrame, rows: list[str]) -> DataFrame:
        """Return a row for each method and kind of harm: means over the data sets, and the median breakdown point."""
        groups = areas.groupby(["method", "kind"], sort=False)
        frame = groups.agg(
            n=("case", "count"), clean=("clean", "mean"), area=("area", "mean"), breakdown=("breakdown", "median")
        ).reset_index()
        kinds = list(find_harms(source).kinds)
        order = frame["method"].map(rows.index) * len(kinds) + frame["kind"].map(kinds.index)
        return frame.iloc[np.argsort(order.to_numpy(), kind="stable")].reset_index(drop=True)

    def _show_areas(self, frame: DataFrame) -> Table:
        wide = _make_wide(frame, "area")
        firsts = frame.drop_duplicates("method").set_index("method")
        wide = wide.assign(clean=firsts["clean"], rank=firsts["rank"])
        wide = wide.sort_values("rank", na_position="last", kind="stable").reset_index()
        columns = {"Method": "method", "Rank": "rank", "Clean": "clean", **_name_kinds(frame)}
        return listed("Area", wide, columns, forms={"rank": _write_rank})

    def _show_breakdowns(self, frame: DataFrame, largest: float) -> Table:
        """Return the breakdown points of methods; base clusterings are below their own level by chance."""
        wide = _make_wide(frame, "breakdown").reset_index()

        def write(point: float) -> str:
            return f"> {largest:g}" if np.isinf(point) else score(point)

        kinds = _name_kinds(frame)
        return listed(
            "Breakdown point", wide, {"Method": "method", **kinds}, forms=dict.fromkeys(kinds.values(), write)
        )


def _make_wide(frame: DataFrame, column: str) -> DataFrame:
    """Return a row for each method, a column for each kind, in their order."""
    wide = frame.pivot(index="method", columns="kind", values=column)
    return wide.loc[list(frame["method"].unique()), list(frame["kind"].unique())]


def _name_kinds(frame: DataFrame) -> dict[str, str]:
    """Return the column of each kind by its heading."""
    return {WORDS[kind].capitalize(): kind for kind in frame["kind"].unique()}


def _write_rank(rank: float) -> str:
    return "" if np.isnan(rank) else f"{rank:g}"

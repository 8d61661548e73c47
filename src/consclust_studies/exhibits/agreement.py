"""How near the scores are to the published ones: cell by cell, in the order of the methods, and the farthest."""

# SciPy is imported where needed, so that what does without it starts faster

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consclust.report.blocks import Cell, Footnotes, Shown, Table, filled, leave_out_of_pdf, listed
from consclust.report.wording import DASH, MINUS, conjunction, count, number, paragraph, records, score, signed
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import NOT_PUBLISHED, Exhibit, Needs
from consclust_studies.results.main_table import (
    NEAR,
    add_near,
    build_scores_frame,
    compute_expected_near,
    find_counted_cells,
    find_published_cells,
    keep_counted,
    rank_scores,
)
from consclust_studies.results.published_scores import HALF_DIGIT
from consclust_studies.results.sentences import describe_counting
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame

WITHIN = 0.02
NAMED = 3
"""Methods that are named with their number of equal scores."""
NOTHING = "No score of this run has a published value."


class _Compared(Exhibit):
    """An exhibit of the scores that have published values."""

    reads: ClassVar = Needs(selected=True, published=True)
    chapter = "Agreement with the published values"
    lacking = NOT_PUBLISHED

    def wanted(self, study: Study) -> bool:
        """Whether there are published scores."""
        return "table2" in study.published


class Agreement(_Compared):
    """Kendall's tau and differences from the published scores: by data set, metric, row, and kind of data."""

    place = 40

    kind: Literal["agreement"]
    id: Name = "agreement"
    title: Title = "Agreement with the published scores"

    def build(self, source: Source) -> Shown:
        """Return one row for each case and metric with a published score."""
        study, scores = source.study, build_scores_frame(source)
        frame = agreement_frame(study, scores)
        if frame.empty:
            return Shown(frame, caption=NOTHING)
        cells = find_counted_cells(study, scores)
        caption = paragraph(
            f"Difference: ours {MINUS} published; |difference|: its absolute value.",
            _near(study) if study.n_subsets > 1 else "One subset has no standard error.",
            "Kendall's τ compares our order of the methods with the published one (1: the same, "
            f"{MINUS}1: reversed). A method with a grid is taken in the selection of the study.",
            describe_counting(study),
        )
        columns = "dataset, metric, methods, tau, near, Mean |difference|: mean_absolute"
        every_row = add_near(study, keep_counted(study, scores).dropna(subset=["mean", "published"]))
        in_pdf = (_by_metric(frame, cells), _by_row("By row", cells), _by_data(study, cells))
        on_page = [listed("By data set", frame, columns, left=2), _base_clusterings(study, cells)]
        if len(every_row) > len(cells):  # methods with a grid have a row in each selection
            on_page.append(_by_row("By row, in every selection", every_row))
        tables = filled(*in_pdf, *map(leave_out_of_pdf, on_page))
        equal = _describe_equal(cells) if study.same_subsets else ""
        return Shown(frame, tables, caption, abstract=paragraph(_nearness(frame, study), equal))


def _describe_equal(cells: DataFrame) -> str:
    """Say how many published scores equal ours to the third decimal, over all methods and for the best three."""
    is_equal = (cells["away"] < HALF_DIGIT).groupby(cells["method"], sort=False)
    counts = is_equal.agg(["sum", "count"])
    shares = (counts["sum"] / counts["count"]).sort_values(ascending=False, kind="stable")
    named = [f"{name} {counts['sum'][name]} of {counts['count'][name]}" for name in shares.index[:NAMED]]
    return (
        "The subsets are the paper's own, so that a method without random numbers and tuned parameters should have its "
        f"published scores exactly: {counts['sum'].sum()} of all {len(cells)} equal ours to the third decimal, most "
        f"often {conjunction(named)}."
    )


def _nearness(frame: DataFrame, study: PlannedStudy) -> str:
    """Say how near the scores are to the published ones, over the data sets and metrics that count."""
    rows = frame[frame["counted"].astype(bool)]
    n, differences = rows["methods"].sum(), (rows["mean_absolute"] * rows["methods"]).sum()
    away = f"The mean absolute difference is {score(differences / n)}."
    if rows["near"].isna().any():
        return away
    near = f"{rows['near'].sum():.0f} of the {n} published scores lie within two standard errors of our mean"
    if study.same_subsets:
        return f"{near}. {away}"
    expected = n * compute_expected_near(study.n_subsets)
    return f"{near}; about {expected:.0f} would if only the random numbers differed. {away}"


class Ranks(_Compared):
    """The sums of ranks of the methods with published scores, and their places."""

    place = 41

    kind: Literal["ranks"]
    id: Name = "ranks"
    title: Title = "Sums of ranks"

    def build(self, source: Source) -> Shown:
        """Return one row for each metric and method."""
        frame = ranks_frame(source.study, build_scores_frame(source))
        if frame.empty:
            return Shown(frame, caption="No data set has a published score of every method here.")
        caption = paragraph(
            "Sum over the data sets of the rank of a method (1: the best; equal scores share their mean "
            "rank), by our scores and by the published ones, and its place by this sum.",
            "A data set counts if all methods with published values have a score on it.",
            describe_counting(source.study),
        )
        columns = "metric, method, Data sets: datasets, Ours: rank_sum, Published: published_rank_sum"
        forms = {"rank_sum": number, "published_rank_sum": number}
        table = listed(self.title, frame, f"{columns}, Our place: place, published_place", left=2, forms=forms)
        return Shown(frame, (table,), caption)


class Farthest(_Compared):
    """The ten scores with the largest absolute difference from the published ones."""

    place = 42

    kind: Literal["farthest"]
    id: Name = "farthest"
    title: Title = "Scores farthest from the published ones"

    def build(self, source: Source) -> Shown:
        """Return one row for each score, the farthest first."""
        cells = find_counted_cells(source.study, build_scores_frame(source))
        order = cells["difference"].abs().sort_values(ascending=False, kind="stable").index
        columns = ["case", "dataset", "metric", "method", "selection", "row", "mean", "published", "difference"]
        frame = cells.loc[order, [*columns, "difference_se"]].head(10)
        if frame.empty:
            return Shown(frame, caption=NOTHING)
        caption = paragraph(
            f"Difference: ours {MINUS} published, and in standard errors of our mean over the subsets "
            f"({DASH}: it has none).",
            describe_counting(source.study),
        )
        shown = "dataset, metric, row, mean, published, difference, difference_se"
        return Shown(frame, (listed("Farthest scores", frame, shown, left=3),), caption)


def agreement_frame(study: PlannedStudy, scores: DataFrame) -> DataFrame:
    """Compare our order of the methods with the published one, on each data set by each metric.

    ``tau`` is Kendall's tau b, which allows for ties, ``p`` its p-value; both are NaN for fewer than two methods.
    ``near`` counts the methods whose published score is near; it is NaN if there is one subset.
    """
    from scipy import stats

    counted, rows = {case.id for case in study.counted}, []
    for (case, metric), cells in find_published_cells(study, scores).groupby(["case", "metric"], sort=False):
        tau, p = stats.kendalltau(cells["mean"], cells["published"]) if len(cells) > 1 else (math.nan, math.nan)
        numbers = (len(cells), tau, p, cells["near"].sum(min_count=1), cells["away"].mean())
        rows.append((case, cells["dataset"].iloc[0], case in counted, metric, *numbers))
    return records("case dataset counted metric methods tau p near mean_absolute", rows)


def _near(study: PlannedStudy) -> str:
    return (
        f"Near: the published score is within {count(int(NEAR), 'standard error')} of our mean. Both means vary over "
        f"the subsets, so {compute_expected_near(study.n_subsets):.0%} would be near if only the random numbers "
        "differed."
    )


def _totals(cells: DataFrame, by: list[str], **more: Any) -> DataFrame:
    """Return the number of scores, of near ones, and the mean |difference| of each group."""
    near = ("near", lambda values: values.sum(min_count=1))
    return cells.groupby(by, sort=False).agg(scores=("away", "size"), near=near, away=("away", "mean"), **more)


def _by_metric(frame: DataFrame, cells: DataFrame) -> Table:
    taus = frame[frame["counted"]].groupby("metric")["tau"].agg(["count", "mean", "min", "max"])
    found = _totals(cells.assign(within=cells["away"] <= WITHIN), ["metric"], within=("within", "sum"))
    columns = "metric, scores, near, Within .02: within, away, Data sets: count, Mean τ: mean, Lowest τ: min"
    return listed("By metric", found.join(taus).reset_index(), f"{columns}, Highest τ: max")


def _by_row(title: str, cells: DataFrame) -> Table:
    by = ["row", "metric"]
    found = _totals(cells, by, mean_difference=("difference", "mean")).reset_index()
    farthest = cells.loc[cells.groupby(by, sort=False)["away"].idxmax(), [*by, "dataset", "difference"]]
    columns = "row, metric, scores, near, mean_difference, away, Largest difference: difference, on: dataset"
    return listed(title, found.merge(farthest), columns, left=2, forms={"mean_difference": signed})


def _base_clusterings(study: PlannedStudy, cells: DataFrame) -> Table:
    base = cells[cells["method"] == study.base_clusterings]
    title, columns = f"The base clusterings: {study.base_clusterings}", "dataset, metric, mean, published, difference"
    forms = {"near": lambda near: "yes" if near else "no"}
    return listed(title, base, f"{columns}, difference_se, near", left=2, forms=forms)


def _by_data(study: PlannedStudy, cells: DataFrame) -> Table:
    """Compare scores on doubtful data, and where the base clusterings differ, with the others."""
    is_base, footnotes = cells["method"] == study.base_clusterings, Footnotes()
    places = cells.set_index(["case", "metric"])
    base, parts = places["near"][is_base.to_numpy()], list[tuple[str, str | None, Any]]()
    if study.n_subsets > 1 and not base.all():
        for word, near in (("near", base[base].index), ("not near", base[~base].index)):
            parts.append((f"methods where {study.base_clusterings} is {word}", "", ~is_base & places.index.isin(near)))
    for case in (case for case in study.cases if case.doubt and (cells["case"] == case.id).any()):
        mine = cells["case"] == case.id
        parts += [(study.titles[case.id], case.doubt, mine), (f"all but {study.titles[case.id]}", "", ~mine)]
    rows = [
        (Cell(text=name, mark=footnotes.mark(doubt)), here.sum(), cells.loc[here, "away"].mean())
        for name, doubt, here in parts
    ]
    title = "Where the data are doubtful, or the base clusterings differ"
    return listed(title, records("scores number away", rows), "scores, number, away", footnotes=footnotes)


def ranks_frame(study: PlannedStudy, scores: DataFrame) -> DataFrame:
    """Return the sums of ranks by metric and method, over the data sets with all methods."""
    rows: list[tuple[Any, ...]] = []
    for metric, cells in find_counted_cells(study, scores).groupby("metric", sort=False):
        methods = cells["method"].unique()
        wide = cells.pivot(index="case", columns="method", values=["mean", "published"]).dropna()
        ours, theirs = (rank_scores(wide[name][methods]).sum() for name in ("mean", "published"))
        places = (sums.rank(method="min").astype(int) for sums in (ours, theirs))
        if len(wide):
            columns = ([metric] * len(methods), methods, [len(wide)] * len(methods), ours, theirs, *places)
            rows += zip(*columns, strict=True)
    return records("metric method datasets rank_sum published_rank_sum place published_place", rows)

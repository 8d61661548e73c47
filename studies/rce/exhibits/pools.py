"""How far scores vary between pools of base clusterings that differ in random numbers alone."""

# SciPy is imported where needed, so that what does without it starts faster

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consclust.report.blocks import Cell, Chapter, Shown, Table, leave_out_of_pdf, listed
from consclust.report.wording import DASH, count, number, paragraph, records, score
from consclust_studies.config.cases import Case
from consclust_studies.config.study import Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import aggregate_subsets, make_published_key
from consclust_studies.results.sentences import describe_selection
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import find_main_row

if TYPE_CHECKING:
    from pandas import DataFrame

ASIDE = {"id", "title", "of", "why", "methods", "instead_of", "doubt", "k", "subsets", "preprocessing"}
"""Keys of a case that change no score of a subset (pools have variants, and so classes and no k), and its steps."""


class Pools(Exhibit):
    """The spread between pools beside the spread between the subsets of a pool, and the published score."""

    chapter: ClassVar[Chapter] = "Agreement with the published values"
    reads: ClassVar = Needs(selected=True, variants=True, published=True)

    lacking = "no case has several pools; add variants of cases that differ in their ids alone"

    kind: Literal["pools"]
    id: Name = "pools"
    title: Title = "Several pools of base clusterings"

    def wanted(self, study: Study) -> bool:
        """Whether a case has several pools."""
        return any(list_pools(study))

    def build(self, source: Source) -> Shown:
        """Return one row for each case with several pools, metric and method.

        ``mean``, ``between``, ``lowest`` and ``highest`` are mean, standard deviation and range of the pools' means;
        ``within`` is the mean standard deviation over the subsets of a pool, ``expected`` what it leaves of
        ``between``, ``within / sqrt(subsets)``. A further pool is between ``low`` and ``high`` with 95 %, if the means
        of pools are normal; ``inside`` says whether the published score is.
        """
        study, frame = source.study, _frame(source)
        pools = sorted({f"{n}" for n in frame["pools"]})
        caption = paragraph(
            f"Each data set has {' or '.join(pools)} pools of {study.ensemble.runs} base clusterings, made with the "
            "same settings and other random numbers. Between: the standard deviation of the pools' means over "
            f"{count(study.n_subsets, 'subset')}. Within: the mean standard deviation over the subsets of a pool. "
            "Expected: what the standard deviation between pools would be if it came from the subsets alone, within / "
            "√subsets. Interval: where a further pool is with 95 %, if the pools' means are normal. Inside: the "
            "published score is in the interval.",
            describe_selection(study, [run.id for run in study.methods]),
        )
        given = frame.assign(
            interval=[f"{score(low)} to {score(high)}" for low, high in zip(frame["low"], frame["high"], strict=True)],
            word=[
                DASH if math.isnan(value) else Cell(text="yes" if inside else "no", bold=not inside)
                for value, inside in zip(frame["published"], frame["inside"], strict=True)
            ],
        )
        columns = "dataset, method, mean, between, within, expected, interval, published, Inside: word"
        groups = given.groupby("metric", sort=False)
        tables = (leave_out_of_pdf(listed(f"{name}", rows, columns, left=2)) for name, rows in groups)
        return Shown(frame, (_by_data(frame), *tables), caption)


def list_pools(study: Study) -> Iterator[tuple[Case, list[Case]]]:
    """Yield each case that has several pools, with all of them, its own first."""
    for own in study.cases:
        if others := [other for other in study.case_variants if other.of == own.id and _alike(own, other)]:
            yield own, [own, *others]


def _alike(own: Case, other: Case) -> bool:
    """Whether all settings are equal; steps may be where they are left to the registry."""
    steps = {own.preprocessing, other.preprocessing} - {None}
    return len(steps) < 2 and own.model_dump(exclude=ASIDE) == other.model_dump(exclude=ASIDE)


def _frame(source: Source) -> DataFrame:
    study = source.study
    key = make_published_key(source)
    rows = list[tuple[Any, ...]]()
    scores = aggregate_subsets(source.selected, source.variants)
    for own, pools in list_pools(study):
        for metric in study.reported:
            for method in (study.base_clusterings, *(run.id for run in study.runs(own))):
                row = find_main_row(study, method)
                places = [(case.id, metric, *row) for case in pools]
                found = scores.loc[[place for place in places if place in scores.index]]
                published = source.published.scores.get(key(own.id, metric, method), math.nan)
                about = (own.id, source.titles[own.id], metric, *row)
                rows.append((*about, *_spread(found, published)))
    columns = "case dataset metric method selection pools mean between within expected lowest highest low high"
    return records(f"{columns} published inside", rows)


def _spread(pools: DataFrame, published: float) -> tuple[Any, ...]:
    from scipy import stats

    means = pools["mean"]
    within = float(pools["std"].mean())
    n = len(pools)
    between = float(means.std(ddof=1))
    expected = within / math.sqrt(pools["count"].mean())
    reach = float(stats.t.ppf(0.975, n - 1)) * between * math.sqrt(1 + 1 / n) if n > 1 else math.nan
    low, high = means.mean() - reach, means.mean() + reach
    spread = (means.mean(), between, within, expected, means.min(), means.max(), low, high)
    return (n, *spread, published, bool(low <= published <= high))


def _by_data(frame: DataFrame) -> Table:
    """Return for each data set and metric how many published scores are inside, and the ratio of the spreads."""
    rows = []
    for (name, metric), group in frame.groupby(["dataset", "metric"], sort=False):
        known = group.dropna(subset="published")
        ratio = (group["between"] / group["expected"]).median()
        rows.append((name, metric, int(group["pools"].max()), f"{int(known['inside'].sum())} of {len(known)}", ratio))
    columns = "dataset, metric, pools, Published inside: inside, Median of between / expected: ratio"
    table, forms = records("dataset metric pools inside ratio", rows), {"ratio": partial(number, form=".2f")}
    return listed("By data set", table, columns, left=2, forms=forms)

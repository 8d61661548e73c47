"""Verdicts on a paper's claims, computed from the scores.

Every check counts on how many data sets a claim holds here. What the sentence says ("most", or a count) is
"reproduced" on so many of them, that is on more than half or on at least the share of the count; "partly reproduced" on
more than half of that share; "not reproduced" otherwise; "not testable here" without a score, a rival or a grid to
decide it. Where the paper's table shows on how many data sets it holds, the verdict by that count stands beside it.
A claim on an improvement is compared with the published percentage in the same way. Where the data sets are not those
of the paper (``other_data``), or the question is ours, the verdict says whether the claim holds.

A method with a grid is represented by the study's own selection. Of two cases of one data set, the study says
which one counts (``instead_of``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import isnan
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from consclust.report.wording import conjunction, count, number
from consclust_studies.config.method_runs import MethodVariant
from consclust_studies.config.paper import Claim
from consclust_studies.config.study import PlannedStudy
from consclust_studies.results.grid_means import grid_means
from consclust_studies.results.main_table import of_main_rows
from consclust_studies.results.published_scores import published_methods, published_names
from consclust_studies.results.source import Source
from consclust_studies.results.summary import summarise
from consclust_studies.results.unseen_scores import means_of, unseen_frame
from consclust_studies.stages.selection import ROUNDING, main_row

if TYPE_CHECKING:
    from pandas import DataFrame

ON_OTHER_DATA = {
    "reproduced": "not the same data: holds",
    "partly reproduced": "not the same data: holds in part",
    "not reproduced": "not the same data: does not hold",
}
OURS = dict(zip(ON_OTHER_DATA, ("holds", "holds in part", "does not hold"), strict=True))
"""Verdicts on questions that the paper does not ask."""
UNTESTABLE = "not testable here"
VERDICTS = (*ON_OTHER_DATA, *ON_OTHER_DATA.values(), *OURS.values(), UNTESTABLE)
Table = dict[str, float]
"""Scores of one data set by method."""
Holds = Callable[[float, Table], list[bool]]


class Measure(NamedTuple):
    """How far a claim holds, here or in the paper: what verdicts compare, and the same for readers."""

    size: float
    text: str


class Found(NamedTuple):
    """Outcome of a check: what was counted, how much of it here (None without scores) and in the paper."""

    what: str
    here: Measure | None
    published: Measure | None = None
    remarks: tuple[str, ...] = ()


class Finding(NamedTuple):
    """The verdict on a sentence, what was counted here, the whole evidence, and the verdict by the table's count."""

    verdict: str
    fact: str
    evidence: str
    counted: str = ""


class NotTestable(Exception):
    """The run cannot decide the claim; the message says why."""


@dataclass(frozen=True)
class Material:
    """What the checks look at: the results, and the study with those of its methods that are judged."""

    study: PlannedStudy
    source: Source

    @cached_property
    def summary(self) -> DataFrame:
        """Mean, n and bold of every case, metric, method and selection."""
        import pandas as pd

        cases, variants = [case.id for case in self.study.cases], self.source.variants
        methods = [run.id for run in self.study.methods if isinstance(run, MethodVariant)]
        chosen = variants[variants["case"].isin(cases) & variants["method"].isin(methods)]
        return summarise(self.study, pd.concat([self.source.selected, chosen]) if len(chosen) else self.source.selected)

    def with_variants(self, claim: Claim) -> Material:
        """Return the material in which the variants of methods that a claim names are methods like the others."""
        names = {claim.method, *claim.against}
        named = tuple(run for run in self.study.variants.methods if run.id in names)
        if not named:
            return self
        others = tuple(run for run in self.study.variants.methods if run not in named)
        variants = self.study.variants.model_copy(update={"methods": others})
        update = {"methods": (*self.study.methods, *named), "variants": variants}
        return replace(self, study=self.study.model_copy(update=update))

    @property
    def units(self) -> str:
        """What is counted: data sets; cases where a data set occurs with several ensembles."""
        datasets = [case.dataset for case in self.study.counted]
        return "data sets" if len(set(datasets)) == len(datasets) else "cases"

    def cases(self, claim: Claim) -> set[str]:
        """Return the cases that count and that a claim speaks of."""
        return {case.id for case in self.study.counted if not claim.cases or case.id in claim.cases}

    def rows(self, claim: Claim) -> DataFrame:
        """Return one row for each case and method that a claim speaks of, in its metric."""
        found = of_main_rows(self.study, self.summary)
        found = found[(found["metric"] == claim.metric) & found["case"].isin(self.cases(claim))]
        return found[found["method"].isin([claim.method, *claim.against])] if claim.against else found

    def tables(self, claim: Claim) -> tuple[list[Table], list[Table]]:
        """Return our means of what a claim speaks of and the published scores, for each data set."""
        known = self.rows(claim).dropna(subset="mean").groupby("case", sort=False)
        return [dict(zip(rows["method"], rows["mean"], strict=True)) for _, rows in known], self._published(claim)

    def _published(self, claim: Claim) -> list[Table]:
        published, study = self.source.published, self.study
        names, here = published_names(study, published), published_methods(study, published)
        ids, aside = {theirs: ours for ours, theirs in here.items()}, {run.id for run in study.variants.methods}
        wanted = {names.get(case) for case in claim.cases} or set(published.datasets(claim.metric))
        tables: dict[str, Table] = defaultdict(dict)
        for (dataset, metric, theirs), value in published.scores.items():
            method = ids.get(theirs, theirs)
            spoken_of = not claim.against or method in {claim.method, *claim.against}
            if metric == claim.metric and dataset in wanted and theirs not in aside and spoken_of:
                tables[dataset][method] = value
        return list(tables.values())

    def remarks(self, claim: Claim) -> list[str]:
        """Return how this run differs from the published experiment that a claim is about."""
        study, published, remarks, cases = self.study, self.source.published, list[str](), self.cases(claim)
        known = cases & set(published_names(study, published))
        if study.paper is None or (is_ours(claim) and not published.scores):
            return []
        if study.other_data or (published.scores and not known):
            remarks.append("these are not the paper's data sets")
        elif not published.scores:
            remarks.append("the study has no published table")
        elif len(known) < len(cases):
            remarks.append(f"{len(known)} of the {len(cases)} {self.units} here are the paper's")
        here = {*published_methods(study, published).values(), *(run.id for run in study.variants.methods)}
        absent = [method for method in published.methods(claim.metric) if method not in here]
        if absent and claim.check in {"best", "second", "significant"} and not study.other_data:
            remarks.append(f"published rivals not in this run: {', '.join(absent)}")
        return remarks


def verdict(here: float, published: float | None) -> str:
    """Return the verdict on two shares, or two percentages, as the module defines it."""
    if here >= published if published is not None else here > 0.5:
        return "reproduced"
    return "partly reproduced" if here > (0.5 if published is None else published) / 2 else "not reproduced"


def judge(claim: Claim, material: Material) -> Finding:
    """Check one claim."""
    material = material.with_variants(claim)
    try:
        _check_present(claim, material)
        what, here, counted, remarks = CHECKS[claim.check](claim, material)
        if here is None:
            raise NotTestable(f"no data set has the scores of {claim.method} that decide it")
    except NotTestable as reason:
        return Finding(UNTESTABLE, str(reason), f"{reason}.")
    published, fact = _given(claim, material) or counted, f"{what} {here.text} here"
    said = published if claim.says == "count" or claim.check == "improves" else None
    words = [verdict(here.size, measure.size if measure else None) for measure in (said, published)]
    beside = f"published: {published.text}" if published else "no published count"
    evidence = "; ".join((f"{fact[0].upper()}{fact[1:]}", beside, *remarks, *material.remarks(claim)))
    literal, by_count = (_worded(word, claim, material) for word in words)
    return Finding(literal, fact, f"{evidence}.", by_count if published and not said else "")


def is_ours(claim: Claim) -> bool:
    """Whether the question is ours: no item of the ledger of the paper says this."""
    return claim.item is None


def _worded(word: str, claim: Claim, material: Material) -> str:
    if is_ours(claim):
        return OURS[word]
    return ON_OTHER_DATA[word] if material.study.other_data else word


def _check_present(claim: Claim, material: Material) -> None:
    study = material.study
    here = study.unseen_rows() if claim.unseen else [study.base_clusterings, *(run.id for run in study.methods)]
    if not material.cases(claim):
        raise NotTestable("no data set that it speaks of is in this run")
    if absent := [name for name in (claim.method, *claim.against) if name not in here]:
        raise NotTestable(f"{absent[0]} is not in this run")
    if claim.metric not in study.metrics and not claim.unseen:
        raise NotTestable(f"{claim.metric} is not among the metrics of this run")


def _count(holds: list[bool], what: str) -> Measure | None:
    """Return how many are true; None of none."""
    unit = what.removesuffix("s") if len(holds) == 1 else what
    return Measure(sum(holds) / len(holds), f"{sum(holds)} of {len(holds)} {unit}") if holds else None


def _given(claim: Claim, material: Material) -> Measure | None:
    """Return the published count of the claim, of all published data sets unless it says of how many."""
    of, given = claim.of or len(material.source.published.datasets(claim.metric)), claim.published
    return None if given is None else _count([i < given for i in range(of)], "data sets")


def _counted(what: str, claim: Claim, material: Material, method: str, holds: Holds, units: str = "") -> Found:
    """Count here and in the paper; ``holds`` judges a data set by the method's score and those of the others."""
    ours, theirs = (
        [held for table in tables if method in table for held in holds(table.pop(method), table)]
        for tables in material.tables(claim)
    )
    here, published = _count(ours, units or material.units), _count(theirs, units or "data sets")
    return Found(f"{what} in {claim.metric} on", here, published)


def _best(claim: Claim, material: Material) -> Found:
    """Count data sets on which no rival's mean, or at most one, is as high as the method's; or is higher than it."""
    at_most, slack = int(claim.check == "second"), ROUNDING if claim.check == "no_worse" else -ROUNDING

    def ahead(own: float, rivals: Table) -> list[bool]:
        return [sum(value > own + slack for value in rivals.values()) <= at_most] if rivals else []

    what = {"second": "best or second", "no_worse": f"as good as {conjunction(claim.against) or 'all'} or better"}
    return _counted(what.get(claim.check, _above(claim)), claim, material, claim.method, ahead)


def _above(claim: Claim) -> str:
    return f"above {conjunction(claim.against)}" if claim.against else "best"


def _near(claim: Claim, material: Material) -> Found:
    """Count data sets on which the means of two methods differ by at most ``within``."""

    def near(own: float, rivals: Table) -> list[bool]:
        return [abs(own - value) <= claim.within + ROUNDING for value in rivals.values()]

    return _counted(f"within {claim.within:g} of {claim.against[0]}", claim, material, claim.method, near)


def _significant(claim: Claim, material: Material) -> Found:
    """Count data sets on which the method is best and significantly above every rival that is named."""
    seen, bold = material, []
    if claim.against:
        runs = tuple(run for run in material.study.methods if run.id in {claim.method, *claim.against})
        seen = replace(material, study=material.study.model_copy(update={"methods": runs}))
    for _, rows in seen.rows(claim).groupby("case", sort=False):
        own, tested = rows["method"] == claim.method, rows["n"] > 1
        if (own & tested).any() and (~own & tested).any():
            bold.append(bool(rows[own]["bold"].iloc[0]))
    return Found(f"significantly {_above(claim)} in {claim.metric} on", _count(bold, material.units))


def _above_base(claim: Claim, material: Material) -> Found:
    """Count cells (method x data set) with a score above that of the base clusterings, the claim's ``method``."""

    def above(level: float, others: Table) -> list[bool]:
        return [value > level + ROUNDING for value in others.values()]

    return _counted(f"above {claim.method}", claim, material, claim.method, above, "cells")


def _stable(claim: Claim, material: Material) -> Found:
    """Count data sets on which at least ``share`` of the grid points are within ``within`` of the best one.

    A point's score is its mean over the subsets, in a race over those on which all points ran; a point that failed on
    one of them counts as not near.
    """
    study, scores, shares = material.study, material.source.scores, []
    if claim.method == study.base_clusterings or not study.method(claim.method).grid:
        raise NotTestable(f"{claim.method} has no grid")
    mine = scores[(scores["method"] == claim.method) & (scores["metric"] == claim.metric)]
    mine = mine[(mine["restart"] == study.restarts) & mine["case"].isin(material.cases(claim))]
    for _, means in grid_means(study, mine).groupby("case", sort=False):
        if means.notna().any():
            shares.append(float((means >= means.max() - claim.within).mean()))
    low, high, middle = (f"{f(shares or [0.0]):.0%}" for f in (min, max, median))
    span = low if low == high else f"{low} to {high}, median {middle}"
    what = f"at least {claim.share:.0%} of the grid within {claim.within:g} of the best mean {claim.metric}"
    return Found(f"{what} ({span} of the grid) on", _count([share >= claim.share for share in shares], material.units))


def _grows(claim: Claim, material: Material) -> Found:
    """Count data sets on which the mean never falls when subsets of base clusterings are larger.

    The sizes are those of the study and of the variants of a case that differ in nothing else.
    """
    study, source, found = material.study, material.source, []
    for case in (case for case in study.counted if case.id in material.cases(claim)):
        others = [other for other in study.size_variants(case) if claim.method in other.methods]
        sizes = {}
        for one, scores in [(case, source.selected), *((other, source.variants) for other in others)]:
            mine = _of_row(scores[scores["case"] == one.id], study, claim.metric, claim.method)
            sizes[study.subset_size(one)] = float(mine["value"].mean())
        means = [mean for _, mean in sorted(sizes.items()) if not isnan(mean)]
        if len(means) > 1:
            found.append(all(b >= a - ROUNDING for a, b in pairwise(means)))
    return Found(f"mean {claim.metric} never lower with a larger ensemble on", _count(found, material.units))


def _of_row(table: DataFrame, study: PlannedStudy, metric: str, method: str) -> DataFrame:
    """Return the lines of a table that stand for a method in a metric."""
    key = [metric, *main_row(study, method)]
    return table[table[["metric", "method", "selection"]].eq(key).all(axis=1)]


def _improves(claim: Claim, material: Material) -> Found:
    """Average over the data sets by how much the method's mean is above that of its rival.

    The verdict is by percentage points, or by percent of the rival's mean if the claim is ``relative``. The other one
    stands beside it where it differs, and so does the gain at the default grid point, if the method is tuned.
    """
    rival, percent = claim.against[0], claim.percent or 0.0
    tuned, untuned = (_pairs(claim, material, tuned).dropna() for tuned in (True, False))
    what = f"mean {claim.metric} of {claim.method} minus that of {rival}{' on unseen objects' * claim.unseen}:"
    if tuned.empty:
        return Found(what, None)
    points, relative = gains = _gains(tuned)
    words = [_worded(verdict(gain, percent), claim, material) for gain in gains]
    other = f"as percentage points: {words[0]}" if claim.relative else f"as percent of {rival}: {words[1]}"
    remarks = [other] if words[0] != words[1] else []
    if len(untuned) and not untuned.equals(tuned):
        remarks.append(f"{number(_gains(untuned)[0], '+z.1f')} points at the default grid point")
    over = count(len(tuned), material.units.removesuffix("s"))
    gain = f"{number(points, '+z.1f')} points ({number(relative, '+z.1f')} % of the latter) over {over}"
    return Found(what, Measure(gains[claim.relative], gain), Measure(percent, f"{percent:g} %"), tuple(remarks))


def _gains(pairs: DataFrame) -> tuple[float, float]:
    """Return the mean gain in percentage points, and in percent of the rival's score."""
    gain = pairs["method"] - pairs["rival"]
    return float(100 * gain.mean()), float(100 * (gain / pairs["rival"]).mean())


def _pairs(claim: Claim, material: Material, tuned: bool) -> DataFrame:
    """Return the means of the method and its rival by case; tuned: in the study's own selection."""
    import pandas as pd

    study = material.study if tuned else material.study.model_copy(update={"selection": "default"})
    names = (claim.method, claim.against[0])
    if claim.unseen:
        means = [means_of(unseen_frame(material.source), name, study.selection) for name in names]
    else:
        rows = [_of_row(material.summary, study, claim.metric, name) for name in names]
        means = [mine.set_index("case")["mean"] for mine in rows]
    pairs = pd.concat(means, axis=1, keys=["method", "rival"])
    return pairs[pairs.index.isin(material.cases(claim))]


CHECKS: dict[str, Callable[[Claim, Material], Found]] = {
    **{"best": _best, "no_worse": _best, "second": _best, "near": _near},
    **{
        "significant": _significant,
        "above_base": _above_base,
        "stable": _stable,
        "grows": _grows,
        "improves": _improves,
    },
}
"""By the word of the claim."""

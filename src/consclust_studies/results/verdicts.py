"""Verdicts on a paper's claims, computed from the scores.

Every check counts on how many data sets a claim holds here. What the sentence says ("most", or a count) is
"reproduced" on so many of them, that is on more than half or on at least the share of the count; "partly reproduced" on
more than half of that share; "not reproduced" otherwise; "not testable here" without a score, a rival or a grid to
decide it. Where the paper's table shows on how many data sets it holds, the verdict by that count stands beside it.
A claim on an improvement is compared with the published percentage in the same way. A sentence that something holds on
no more than a count is judged by the share on which it does not hold. Where the data sets are not those of the paper
(``other_data``), or the question is ours, the verdict says whether the claim holds.

A method with a grid is represented by the study's own selection, as the paper does it. Where methods are compared, the
verdict with default parameters stands beside it (:func:`judge_at_default`), and, where only some of them are tuned, the
one after the same choice for all (:func:`judge_same_choice`). Of two cases of one data set, the study says which one
counts (``instead_of``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import copysign, inf, isnan, sqrt
from statistics import mean, median, stdev
from typing import TYPE_CHECKING, NamedTuple

from consclust.report.wording import conjunction, count, number
from consclust_studies.config.cases import Case
from consclust_studies.config.method_runs import MethodVariant
from consclust_studies.config.paper import Claim
from consclust_studies.config.study import PlannedStudy
from consclust_studies.results.grid_means import average_grid
from consclust_studies.results.main_table import keep_main_rows
from consclust_studies.results.published_scores import find_published_methods, find_published_names
from consclust_studies.results.source import Source
from consclust_studies.results.summary import summarise
from consclust_studies.results.unseen_scores import pick_means, summarise_unseen
from consclust_studies.stages.selection import ROUNDING, find_main_row

if TYPE_CHECKING:
    from pandas import DataFrame

ON_OTHER_DATA = {
    "reproduced": "not the same data: holds",
    "partly reproduced": "not the same data: holds in part",
    "not reproduced": "not the same data: does not hold",
}
OURS = {"reproduced": "holds", "partly reproduced": "holds in part", "not reproduced": "does not hold"}
"""Verdicts on questions that the paper does not ask."""
UNTESTABLE = "not testable here"
ALL = 1.0
"""The share that a sentence claims which says that something always holds."""
CLEARLY = 2.0
"""Standard errors by which a mean over the data sets must be above another one."""
LESS_STABLE = 0.1
"""By how much the share of the grid near the best point may be smaller where a sentence says "as stable"."""
COMPARISONS = ("best", "no_worse", "second", "significant", "above_base", "near", "clearly_above")
"""Checks that compare the scores of methods with each other."""
VERDICTS = (*ON_OTHER_DATA, *ON_OTHER_DATA.values(), *OURS.values(), UNTESTABLE)
Table = dict[str, float]
"""Scores of one data set by method."""
Holds = Callable[[float, Table], list[bool]]
"""Whether a claim holds on a data set, by the method's score and those of the others: once, or for each of them."""


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
    unit: str = "data sets"
    """What the paper's count counts."""


class Finding(NamedTuple):
    """The verdict on a sentence, what was counted here, the whole evidence, and the verdict by the table's count."""

    verdict: str
    fact: str
    evidence: str
    counted: str = ""


NEED_RIVALS = {"above_base", "best", "no_worse", "second", "significant"}
"""Checks whose verdict depends on which methods are run."""


class NotTestable(Exception):
    """The run cannot decide the claim; the message says why."""


@dataclass(frozen=True)
class Material:
    """What the checks look at: the results, and the study with those of its methods that are judged."""

    study: PlannedStudy
    source: Source
    compared: frozenset[str] = frozenset()
    """Methods that are tested against each other; all of the study, and the base clusterings, if none is named."""

    @cached_property
    def summary(self) -> DataFrame:
        """Mean, n and bold of every case, metric, method and selection."""
        import pandas as pd

        cases = [case.id for case in self.study.cases]
        methods = [run.id for run in self.study.methods if isinstance(run, MethodVariant)]
        variants = self.source.variants
        judged = variants[variants["case"].isin(cases) & variants["method"].isin(methods)]
        selected = pd.concat([self.source.selected, judged]) if len(judged) else self.source.selected
        if self.compared:
            selected = selected[selected["method"].isin(self.compared)]
        return summarise(self.study, selected)

    def add_variants(self, claim: Claim) -> Material:
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

    def find_cases(self, claim: Claim) -> set[str]:
        """Return the cases that count and that a claim speaks of."""
        return {case.id for case in self.study.counted if not claim.cases or case.id in claim.cases}

    def find_rows(self, claim: Claim) -> DataFrame:
        """Return one row for each case and method that a claim speaks of, in its metric."""
        found = keep_main_rows(self.study, self.summary)
        found = found[(found["metric"] == claim.metric) & found["case"].isin(self.find_cases(claim))]
        if claim.against:
            found = found[found["method"].isin([claim.method, *claim.against])]
        return found

    def tabulate_ours(self, claim: Claim) -> list[Table]:
        """Return our means of what a claim speaks of, for each data set."""
        known = self.find_rows(claim).dropna(subset="mean").groupby("case", sort=False)
        return [dict(zip(rows["method"], rows["mean"], strict=True)) for _, rows in known]

    def tabulate_published(self, claim: Claim) -> list[Table]:
        """Return the published scores of what a claim speaks of, for each data set."""
        published = self.source.published
        names = find_published_names(self.study, published)
        datasets = {names.get(case) for case in claim.cases} or set(published.list_datasets(_metric_of(claim)))
        ids = {theirs: ours for ours, theirs in find_published_methods(self.study, published).items()}
        # variants of the paper itself are not ranked with its methods
        aside = {run.id for run in self.study.variants.methods}
        tables: dict[str, Table] = defaultdict(dict)
        for (dataset, metric, theirs), value in published.scores.items():
            if metric != claim.metric or dataset not in datasets or theirs in aside:
                continue
            method = ids.get(theirs, theirs)
            if not claim.against or method in {claim.method, *claim.against}:
                tables[dataset][method] = value
        return list(tables.values())

    def describe_differences(self, claim: Claim) -> list[str]:
        """Return how this run differs from the published experiment that a claim is about."""
        if self.study.paper is None or (is_ours(claim) and not self.source.published.scores):
            return []
        return [*self._describe_other_data(claim), *self._describe_absent_rivals(claim)]

    def _describe_other_data(self, claim: Claim) -> Iterator[str]:
        published = self.source.published
        cases = self.find_cases(claim)
        known = cases & set(find_published_names(self.study, published))
        if self.study.other_data or (published.scores and not known):
            yield "these are not the paper's data sets"
        elif not published.scores:
            yield "the study has no published table"
        elif len(known) < len(cases):
            yield f"{len(known)} of the {len(cases)} {self.units} here are the paper's"

    def _describe_absent_rivals(self, claim: Claim) -> Iterator[str]:
        """Yield the rivals of the paper that are not run; they matter only where a method must beat all of them."""
        if claim.check not in NEED_RIVALS or self.study.other_data:
            return
        published = self.source.published
        here = set(find_published_methods(self.study, published).values())
        here |= {run.id for run in self.study.variants.methods}
        absent = [method for method in published.list_methods(_metric_of(claim)) if method not in here]
        if absent:
            yield f"published rivals not in this run: {', '.join(absent)}"


def compare_shares(here: float, published: float | None) -> str:
    """Return the verdict on two shares, or two percentages, as the module defines it."""
    if published is None:
        wanted = 0.5
        is_reproduced = here > wanted  # "most" is more than half
    else:
        wanted = published
        is_reproduced = here >= wanted
    if is_reproduced:
        return "reproduced"
    return "partly reproduced" if here > wanted / 2 else "not reproduced"


def judge(claim: Claim, material: Material) -> Finding:
    """Check one claim."""
    # first: a claim on a variant judges it beside the methods
    material = material.add_variants(claim)
    try:
        _check_present(claim, material)
        found = CHECKS[claim.check](claim, material)
        if found.here is None:
            raise NotTestable(f"no data set has the scores of {claim.method} that decide it")
    except NotTestable as reason:
        return Finding(UNTESTABLE, str(reason), f"{reason}.")
    published = _count_published(claim, material, found.unit) or found.published
    fact = f"{found.what} {found.here.text} here"
    evidence = [
        f"{fact[0].upper()}{fact[1:]}",
        *_describe_published(claim, published, material),
        *found.remarks,
        *material.describe_differences(claim),
    ]
    if claim.says == "at_most" and published:
        # it fails to hold on at least as large a share as in the paper
        by_rest = compare_shares(1 - found.here.size, 1 - published.size)
        return Finding(_word_verdict(by_rest, claim, material), fact, f"{'; '.join(evidence)}.")
    by_most = _word_verdict(compare_shares(found.here.size, ALL if claim.says == "all" else None), claim, material)
    by_count = ""
    if published:
        by_count = _word_verdict(compare_shares(found.here.size, published.size), claim, material)
    says_count = claim.says == "count" or claim.check in ("improves", "clearly_above")
    if says_count and published:
        # the sentence itself says the count, so that there is no second verdict beside it
        return Finding(by_count, fact, f"{'; '.join(evidence)}.")
    return Finding(by_most, fact, f"{'; '.join(evidence)}.", by_count)


def _describe_published(claim: Claim, published: Measure | None, material: Material) -> list[str]:
    """Say what the paper counts; that it does not is worth a word only in a study with published tables."""
    if published is None:
        return ["no published count"] if material.study.published else []
    # the paper gives no number: what is required is ours
    return [f"required: {published.text}" if claim.check == "clearly_above" else f"published: {published.text}"]


def judge_at_default(claim: Claim, material: Material) -> Finding | None:
    """Check a comparison of methods with default parameters; None where no method has a choice."""
    study = material.study
    if claim.check not in COMPARISONS or study.selection == "default" or not _list_tuned(claim, material):
        return None
    return judge(claim, replace(material, study=study.model_copy(update={"selection": "default"})))


def judge_same_choice(claim: Claim, material: Material) -> Finding | None:
    """Check a comparison of methods after the same choice for all of them.

    That is the claim itself where all of them are tuned, else what the study names as ``same_choice``; None where it
    names nothing, or where no method is tuned.
    """
    if claim.check not in COMPARISONS or not _list_tuned(claim, material):
        return None
    if claim.same_choice:
        counted = {"check": "counted", "by": claim.same_choice, "against": (), "published": None, "says": "most"}
        return judge(claim.model_copy(update=counted), material)
    if claim.against and set(_list_tuned(claim, material)) == {claim.method, *claim.against}:
        return judge(claim, material)
    return None


def _list_tuned(claim: Claim, material: Material) -> list[str]:
    """Return the methods with a grid among those that a claim compares."""
    compared = {claim.method, *claim.against} if claim.against else None
    study = material.study
    methods = (*study.methods, *(run for run in study.variants.methods if run.id in claim.against))
    return [run.id for run in methods if run.grid and (compared is None or run.id in compared)]


def is_ours(claim: Claim) -> bool:
    """Whether the question is ours: no item of the ledger of the paper says this."""
    return claim.item is None


def _metric_of(claim: Claim) -> str:
    """Return the metric of a claim whose check has one."""
    assert claim.metric, "every check but 'counted' has a metric"
    return claim.metric


def _word_verdict(word: str, claim: Claim, material: Material) -> str:
    if is_ours(claim):
        return OURS[word]
    return ON_OTHER_DATA[word] if material.study.other_data else word


def _check_present(claim: Claim, material: Material) -> None:
    study = material.study
    here = study.unseen_rows() if claim.unseen else [study.base_clusterings, *(run.id for run in study.methods)]
    if not material.find_cases(claim):
        raise NotTestable("no data set that it speaks of is in this run")
    absent = [name for name in (claim.method, *claim.against) if name not in here]
    if absent:
        raise NotTestable(f"{absent[0]} is not in this run")
    if claim.metric and claim.metric not in study.metrics and not claim.unseen:
        raise NotTestable(f"{claim.metric} is not among the metrics of this run")
    if claim.by and claim.by.exhibit not in [exhibit.id for exhibit in study.exhibits]:
        raise NotTestable(f"{claim.by.exhibit}, which would count it, is not in this run")


def _count(holds: list[bool], what: str) -> Measure | None:
    """Return how many are true; None of none."""
    if not holds:
        return None
    unit = what.removesuffix("s") if len(holds) == 1 else what
    return Measure(sum(holds) / len(holds), f"{sum(holds)} of {len(holds)} {unit}")


def _count_published(claim: Claim, material: Material, unit: str) -> Measure | None:
    """Return the published count of the claim, of all published data sets unless it says of how many of a unit."""
    if claim.published is None:
        return None
    n_counted = claim.of or len(material.source.published.list_datasets(_metric_of(claim)))
    return _count([i < claim.published for i in range(n_counted)], unit)


def _count_both(what: str, claim: Claim, material: Material, holds: Holds, units: str = "") -> Found:
    """Count here and in the paper; ``holds`` judges a data set by the method's score and those of the others."""
    ours = material.tabulate_ours(claim)
    theirs = material.tabulate_published(claim)
    if claim.average:
        ours = _average_tables(ours, claim.method)
        theirs = _average_tables(theirs, claim.method)
        what = f"on average {what}"
        units = "averages"
    here = _count(_judge_tables(ours, claim.method, holds), units or material.units)
    published = _count(_judge_tables(theirs, claim.method, holds), units or "data sets")
    return Found(f"{what} in {claim.metric} on", here, published)


def _average_tables(tables: list[Table], method: str) -> list[Table]:
    """Return one table, of the means over the data sets; of the methods with a score on each that has the method's."""
    known = [table for table in tables if method in table]
    if not known:
        return []
    common = [name for name in known[0] if all(name in table for table in known)]
    return [{name: mean(table[name] for table in known) for name in common}]


def _judge_tables(tables: list[Table], method: str, holds: Holds) -> list[bool]:
    judged = []
    for table in tables:
        if method in table:
            others = {other: value for other, value in table.items() if other != method}
            judged += holds(table[method], others)
    return judged


def _check_best(claim: Claim, material: Material) -> Found:
    """Count data sets on which no rival's mean, or at most one, is as high as the method's; or is higher than it."""
    n_ahead = 1 if claim.check == "second" else 0
    # a rival with an equal mean is ahead, but where the claim is that none is better
    slack = ROUNDING if claim.check == "no_worse" else -ROUNDING

    def is_ahead(own: float, rivals: Table) -> list[bool]:
        if not rivals:
            return []
        return [sum(value > own + slack for value in rivals.values()) <= n_ahead]

    what = _describe_rivals(claim)
    if claim.check == "second":
        what = "best or second"
    elif claim.check == "no_worse":
        what = f"as good as {conjunction(claim.against) or 'all'} or better"
    return _count_both(what, claim, material, is_ahead)


def _describe_rivals(claim: Claim) -> str:
    return f"above {conjunction(claim.against)}" if claim.against else "best"


def _check_near(claim: Claim, material: Material) -> Found:
    """Count data sets on which the means of two methods differ by at most ``within``.

    Where the means over the data sets are compared, their difference and its standard error stand beside the verdict.
    """

    def is_near(own: float, rivals: Table) -> list[bool]:
        return [abs(own - value) <= claim.within + ROUNDING for value in rivals.values()]

    rival = claim.against[0]
    found = _count_both(f"within {claim.within:g} of {rival}", claim, material, is_near)
    differences = _subtract_rival(claim, material) if claim.average else []
    if len(differences) < 2:
        return found
    remark = f"mean {claim.metric} of {claim.method} minus that of {rival}: {_describe_gain(differences, material)}"
    return found._replace(remarks=(remark,))


def _check_clearly_above(claim: Claim, material: Material) -> Found:
    """Compare the means over the data sets of two methods, in standard errors of the mean of the paired differences.

    Data sets with equal scores count for neither method, but are part of the mean.
    """
    differences = _subtract_rival(claim, material)
    what = f"mean {claim.metric} of {claim.method} minus that of {claim.against[0]}:"
    if len(differences) < 2:
        return Found(what, None)
    gain = mean(differences)
    error = _standard_error(differences)
    size = 0.0
    if abs(gain) > ROUNDING:
        size = gain / error if error > ROUNDING else copysign(inf, gain)
    here = Measure(size, _describe_gain(differences, material))
    return Found(what, here, Measure(CLEARLY, f"more than {CLEARLY:g} standard errors"))


def _subtract_rival(claim: Claim, material: Material) -> list[float]:
    """Return the mean of the method minus that of its one rival, for each data set that has both."""
    rival = claim.against[0]
    both = [table for table in material.tabulate_ours(claim) if {claim.method, rival} <= table.keys()]
    return [table[claim.method] - table[rival] for table in both]


def _standard_error(differences: list[float]) -> float:
    return stdev(differences) / sqrt(len(differences))


def _describe_gain(differences: list[float], material: Material) -> str:
    """Write the mean of two or more differences with its standard error, and how many have which sign."""
    higher = sum(difference > ROUNDING for difference in differences)
    lower = sum(difference < -ROUNDING for difference in differences)
    gain = f"{number(100 * mean(differences), '+z.1f')} ± {number(100 * _standard_error(differences), '.1f')}"
    counts = f"higher on {higher}, lower on {lower} of {len(differences)} {material.units}"
    return f"{gain} points (standard error), {counts}"


def _check_significant(claim: Claim, material: Material) -> Found:
    """Count data sets on which the method is best and significantly above every rival that is named."""
    seen = material
    bold = []
    if claim.against:
        # whether a row is bold depends on the rows beside it
        named = frozenset({claim.method, *claim.against})
        runs = tuple(run for run in material.study.methods if run.id in named)
        seen = replace(material, study=material.study.model_copy(update={"methods": runs}), compared=named)
    for _, rows in seen.find_rows(claim).groupby("case", sort=False):
        own = rows["method"] == claim.method
        tested = rows["n"] > 1
        # one subset gives no test, neither of the method nor of a rival
        if (own & tested).any() and (~own & tested).any():
            bold.append(bool(rows[own]["bold"].iloc[0]))
    return Found(f"significantly {_describe_rivals(claim)} in {claim.metric} on", _count(bold, material.units))


def _check_above_base(claim: Claim, material: Material) -> Found:
    """Count cells (method x data set) with a score above that of the base clusterings, the claim's ``method``."""

    def are_above(level: float, others: Table) -> list[bool]:
        return [value > level + ROUNDING for value in others.values()]

    return _count_both(f"above {claim.method}", claim, material, are_above, "cells")


def _check_stable(claim: Claim, material: Material) -> Found:
    """Count data sets on which at least ``share`` of the grid points are within ``within`` of the best one.

    Where the claim says "as stable as" on other cases, the smallest share of these, less :data:`LESS_STABLE`, takes
    the place of ``share``. A point's score is its mean over the subsets, in a race over those on which all points ran;
    a point that failed on one of them counts as not near.
    """
    shares = _measure_stable_shares(claim, material, material.find_cases(claim))
    wanted = claim.share
    if claim.like:
        alike = _measure_stable_shares(claim, material, set(claim.like))
        if not alike:
            raise NotTestable(f"no scores over the grid on {conjunction(claim.like)}")
        wanted = max(0.0, min(alike) - LESS_STABLE)
    low = f"{min(shares, default=0.0):.0%}"
    high = f"{max(shares, default=0.0):.0%}"
    span = low if low == high else f"{low} to {high}, median {median(shares):.0%}"
    what = f"at least {wanted:.0%} of the grid within {claim.within:g} of the best mean {claim.metric}"
    return Found(f"{what} ({span} of the grid) on", _count([share >= wanted for share in shares], material.units))


def _measure_stable_shares(claim: Claim, material: Material, cases: set[str]) -> list[float]:
    """Return for each of the cases with scores the share of the grid points that are near the best one."""
    study = material.study
    if claim.method == study.base_clusterings or not study.method(claim.method).grid:
        raise NotTestable(f"{claim.method} has no grid")
    scores = material.source.scores
    mine = scores[(scores["method"] == claim.method) & (scores["metric"] == claim.metric)]
    mine = mine[(mine["restart"] == study.restarts) & mine["case"].isin(cases)]
    shares = []
    for _, means in average_grid(study, mine).groupby("case", sort=False):
        if means.notna().any():
            # comparing with NaN is False: a point that failed is not near
            shares.append(float((means >= means.max() - claim.within).mean()))
    return shares


def _check_grows(claim: Claim, material: Material) -> Found:
    """Count data sets on which the mean never falls when subsets of base clusterings are larger.

    The sizes are those of the study and of the variants of a case that differ in nothing else.
    """
    wanted = material.find_cases(claim)
    found = []
    for case in material.study.counted:
        if case.id not in wanted:
            continue
        means = _average_by_size(case, claim, material)
        if len(means) > 1:
            found.append(all(larger >= smaller - ROUNDING for smaller, larger in pairwise(means)))
    return Found(f"mean {claim.metric} never lower with a larger ensemble on", _count(found, material.units))


def _average_by_size(case: Case, claim: Claim, material: Material) -> list[float]:
    """Return the means on a case that are known, from the smallest subsets to the largest."""
    study = material.study
    variants = [variant for variant in study.size_variants(case) if claim.method in variant.methods]
    scored: list[tuple[Case, DataFrame]] = [(case, material.source.selected)]
    scored += [(variant, material.source.variants) for variant in variants]
    by_size = {}
    for one, scores in scored:
        mine = _keep_row(scores[scores["case"] == one.id], study, _metric_of(claim), claim.method)
        by_size[study.subset_size(one)] = float(mine["value"].mean())
    return [by_size[size] for size in sorted(by_size) if not isnan(by_size[size])]


def _keep_row(table: DataFrame, study: PlannedStudy, metric: str, method: str) -> DataFrame:
    """Return the lines of a table that stand for a method in a metric."""
    row = find_main_row(study, method)
    key = [metric, row.method, row.selection]
    return table[table[["metric", "method", "selection"]].eq(key).all(axis=1)]


def _check_counted(claim: Claim, material: Material) -> Found:
    """Ask an exhibit of the study, on the cases that count; see :class:`consclust_studies.config.exhibit.Counted`."""
    assert claim.by, "check: counted has an exhibit"
    # a data set that another one stands for does not count a second time
    counted = material.study.model_copy(update={"cases": material.study.counted})
    source = replace(material.source, study=counted)
    found = counted.exhibit(claim.by.exhibit).count_for_claim(claim.by.question, claim, source)
    return Found(found.what, _count(list(found.holds), found.unit), remarks=found.remarks, unit=found.unit)


class Gains(NamedTuple):
    """By how much the mean of a method is above that of its rival."""

    points: float
    """In percentage points."""
    relative: float
    """In percent of the rival's score."""


def _check_improves(claim: Claim, material: Material) -> Found:
    """Average over the data sets by how much the method's mean is above that of its rival.

    The verdict is by percentage points, or by percent of the rival's mean if the claim is ``relative``. The other one
    stands beside it where it differs, and so does the gain at the default grid point, if the method is tuned.
    """
    rival = claim.against[0]
    where = " on unseen objects" if claim.unseen else ""
    what = f"mean {claim.metric} of {claim.method} minus that of {rival}{where}:"
    tuned = _pair_means(claim, material, tuned=True).dropna()
    if tuned.empty:
        return Found(what, None)
    gains = _average_gains(tuned)
    percent = claim.percent or 0.0
    remarks = _describe_other_unit(gains, percent, claim, material)
    untuned = _pair_means(claim, material, tuned=False).dropna()
    if len(untuned) and not untuned.equals(tuned):
        remarks.append(f"{number(_average_gains(untuned).points, '+z.1f')} points at the default grid point")
    over = count(len(tuned), material.units.removesuffix("s"))
    text = f"{number(gains.points, '+z.1f')} points ({number(gains.relative, '+z.1f')} % of the latter) over {over}"
    size = gains.relative if claim.relative else gains.points
    return Found(what, Measure(size, text), Measure(percent, f"{percent:g} %"), tuple(remarks))


def _describe_other_unit(gains: Gains, percent: float, claim: Claim, material: Material) -> list[str]:
    """Return the verdict by the unit that the claim does not have, if it is another one."""
    by_points = _word_verdict(compare_shares(gains.points, percent), claim, material)
    by_relative = _word_verdict(compare_shares(gains.relative, percent), claim, material)
    if by_points == by_relative:
        return []
    if claim.relative:
        return [f"as percentage points: {by_points}"]
    return [f"as percent of {claim.against[0]}: {by_relative}"]


def _average_gains(pairs: DataFrame) -> Gains:
    gain = pairs["method"] - pairs["rival"]
    return Gains(points=float(100 * gain.mean()), relative=float(100 * (gain / pairs["rival"]).mean()))


def _pair_means(claim: Claim, material: Material, tuned: bool) -> DataFrame:
    """Return the means of the method and its rival by case; tuned: in the study's own selection."""
    import pandas as pd

    study = material.study if tuned else material.study.model_copy(update={"selection": "default"})
    names = (claim.method, claim.against[0])
    if claim.unseen:
        unseen = summarise_unseen(material.source)
        means = [pick_means(unseen, name, study.selection) for name in names]
    else:
        rows = [_keep_row(material.summary, study, _metric_of(claim), name) for name in names]
        means = [mine.set_index("case")["mean"] for mine in rows]
    # aligned by case: where only one of the two has a mean, the pair is NaN
    pairs = pd.concat(means, axis=1, keys=["method", "rival"])
    return pairs[pairs.index.isin(material.find_cases(claim))]


CHECKS: dict[str, Callable[[Claim, Material], Found]] = {
    "best": _check_best,
    "no_worse": _check_best,
    "second": _check_best,
    "near": _check_near,
    "significant": _check_significant,
    "above_base": _check_above_base,
    "stable": _check_stable,
    "grows": _check_grows,
    "improves": _check_improves,
    "counted": _check_counted,
    "clearly_above": _check_clearly_above,
}
"""By the word of the claim."""

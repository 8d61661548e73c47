"""The paper's claims, each with a verdict that is computed from the scores.

Every check counts on how many data sets the claim holds here. The yardstick is the share of data sets on
which it holds in print; a claim without a printed count says "mostly", and its yardstick is more than half.
The verdict is

* "reproduced" if the share here reaches the yardstick,
* "partly reproduced" if it is more than half of it,
* "not reproduced" otherwise,
* "not testable here" if the run has no score, no rival or no grid to decide it.

A claim on an improvement has the printed percentage as its yardstick. A study whose data sets are not those
of the paper (``other_data``) reproduces nothing: its verdicts say "not the same data", and whether it holds.

A method with a grid speaks through the reading that the study names (``reading``), as in the print. Counts
are over data sets: of two cases of one data set, the study says which one counts (``instead_of``). A paper
speaks of its own methods, so a claim is judged among these; where the run has others, the verdict among all
of them stands beside it.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar

from concord.config.study import Claim, Study
from concord.reports import generalisation
from concord.reports.published import Published, printed_methods
from concord.reports.rows import main_row, main_rows
from concord.reports.tables import markdown_table
from concord.scores.summary import summarise

if TYPE_CHECKING:
    import pandas as pd

ROUNDING = 1e-12
"""Means closer than this are equal."""

ON_OTHER_DATA = {
    "reproduced": "not the same data: holds",
    "partly reproduced": "not the same data: holds in part",
    "not reproduced": "not the same data: does not hold",
}
"""The verdicts of a study whose data sets are not the paper's."""

BY_ITSELF = {"stable", "grows", "improves"}
"""Checks in which the methods that the paper does not have play no part."""

VERDICTS = (
    *("reproduced", "partly reproduced", "not reproduced"),
    *ON_OTHER_DATA.values(),
    "not testable here",
)


@dataclass(frozen=True)
class Material:
    """What the checks look at.

    Attributes
    ----------
    summary: mean, std, n, best, bold of every case, metric, method, reading (``concord.scores.summary``).
    scores: the tidy scores (study's restarts only are used), for the checks that look at the whole grid.
    printed_names: key in the print of every case that is printed.
    others: as ``selected.parquet`` of the study's other readings, for the checks that look at them.
    selected: as ``selected.parquet``, for the checks that test against some of the rivals only.
    unseen: as :func:`concord.reports.generalisation.generalisation_table` returns it.
    """

    study: Study
    summary: "pd.DataFrame"
    scores: "pd.DataFrame"
    published: Published
    printed_names: dict[str, str]
    others: "pd.DataFrame | None" = None
    selected: "pd.DataFrame | None" = None
    unseen: "pd.DataFrame | None" = None

    @property
    def counted(self) -> set[str]:
        """Ids of the cases that count."""
        return {case.id for case in self.study.counted}

    @property
    def units(self) -> str:
        """What is counted: data sets; cases where a data set occurs with several ensembles."""
        datasets = [case.dataset for case in self.study.counted]
        return "data sets" if len(set(datasets)) == len(datasets) else "cases"


@dataclass(frozen=True)
class Count:
    """On how many of how many a claim holds, here or in print."""

    holds: int
    of: int
    what: str = "data sets"
    remarks: ClassVar[tuple[str, ...]] = ()

    @property
    def share(self) -> float:
        """Share on which it holds."""
        return self.holds / self.of

    def __str__(self) -> str:
        return f"{self.holds} of {self.of} {self.what if self.of != 1 else self.what.removesuffix('s')}"

    def said(self, sentence: str) -> str:
        """Return the sentence on what was counted, with the count."""
        return f"{sentence} on {self} here"


@dataclass(frozen=True)
class Gain:
    """By how much a mean score is higher, here or in print."""

    percent: float
    text: str
    remarks: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The percentage, which verdicts compare."""
        return self.percent

    def __str__(self) -> str:
        return self.text

    def said(self, sentence: str) -> str:
        """Return the sentence on what is compared, with the improvement."""
        return f"{sentence} by {self} here"


Measure = Count | Gain


@dataclass(frozen=True)
class Finding:
    """A verdict with what was counted here, and the whole evidence in a sentence."""

    claim: Claim
    verdict: str
    counted: str
    evidence: str


class _NotTestableError(Exception):
    """The run cannot decide the claim; the message says why."""


def verdict(here: Measure, printed: Measure | None) -> str:
    """Judge a claim by the shares here and in print, as the module's docstring defines."""
    reached = here.share >= printed.share if printed else here.share > 0.5
    if reached:
        return "reproduced"
    return "partly reproduced" if here.share > (printed.share if printed else 0.5) / 2 else "not reproduced"


def judge(claim: Claim, material: Material) -> Finding:
    """Check one claim."""
    try:
        _check_present(claim, material)
        here, printed, sentence = _CHECKS[claim.check](claim, material)
    except _NotTestableError as reason:
        return Finding(claim, "not testable here", str(reason), f"{reason}.")
    print_says = f"printed: {printed}" if printed else "no printed count"
    remarks = _remarks(claim, material)
    counted = here.said(sentence)
    evidence = "; ".join([f"{counted[0].upper()}{counted[1:]}", print_says, *here.remarks, *remarks])
    return Finding(claim, _worded(verdict(here, printed), material.study), counted, f"{evidence}.")


def _worded(found: str, study: Study) -> str:
    return ON_OTHER_DATA[found] if study.other_data else found


def _check_present(claim: Claim, material: Material) -> None:
    study = material.study
    here = {study.base_clusterings, *(run.id for run in study.methods)}
    if claim.cases and not _spoken_of(claim, material):
        raise _NotTestableError("no data set that it speaks of is in this run")
    if claim.unseen:
        here = set(study.unseen_rows())
    if absent := [name for name in (claim.method, *claim.against) if name not in here]:
        raise _NotTestableError(f"{absent[0]} is not in this run")
    if claim.metric not in study.metrics and not claim.unseen:
        raise _NotTestableError(f"{claim.metric} is not among the metrics of this run")


def _remarks(claim: Claim, material: Material) -> list[str]:
    """Say what stands between this run and the print."""
    if material.study.paper is None:
        return []
    if material.study.other_data:
        return ["these are not the paper's data sets"]
    remarks = []
    spoken_of = _spoken_of(claim, material)
    cases, known = len(spoken_of), len(spoken_of & set(material.printed_names))
    if not material.published.scores:
        remarks.append("the study has no printed table")
    elif known == 0:
        remarks.append("these are not the paper's data sets")
    elif known < cases:
        remarks.append(f"{known} of the {cases} {material.units} here are the paper's")
    here = set(printed_methods(material.study, material.published).values())
    aside = {reading.id for reading in material.study.readings.methods}
    absent = [m for m in material.published.methods(claim.metric) if m not in here | aside]
    if absent and claim.check in {"best", "second", "significant"}:
        remarks.append(f"printed rivals not in this run: {', '.join(absent)}")
    return remarks


def _spoken_of(claim: Claim, material: Material) -> set[str]:
    """Return the ids of the cases that count and that the claim speaks of."""
    return material.counted & set(claim.cases) if claim.cases else material.counted


def _rival_rows(claim: Claim, material: Material) -> "pd.DataFrame":
    """Return the rows of the claim's metric, one per case and method: other readings are put aside.

    Rivals that the claim does not speak of are put aside too.
    """
    rows = set(main_rows(material.study))
    summary = material.summary[material.summary["metric"] == claim.metric]
    summary = summary[summary["case"].isin(_spoken_of(claim, material))]
    keep = [(m, r) in rows for m, r in zip(summary["method"], summary["reading"], strict=True)]
    kept = summary[keep]
    return kept[kept["method"].isin([claim.method, *claim.against])] if claim.against else kept


def _best(claim: Claim, material: Material) -> tuple[Measure, Measure | None, str]:
    """Count data sets on which the method's mean is higher than that of every rival; a tie does not count.

    Data sets without a mean of the method or of any rival are left out. The print's count is the claim's
    ``printed``, or counted in the printed table over the same rivals.
    """
    count = Count(*_ahead(claim, material, at_most=0), material.units)
    printed = _printed(claim, material) or _printed_ahead(claim, material, at_most=0)
    return count, printed, f"{_above(claim)} in {claim.metric}"


def _above(claim: Claim) -> str:
    if not claim.against:
        return "best"
    *most, last = claim.against
    return f"above {', '.join(most)} and {last}" if most else f"above {last}"


def _second(claim: Claim, material: Material) -> tuple[Measure, Measure | None, str]:
    """Count as "best" does, but allow one rival that is not lower."""
    count = Count(*_ahead(claim, material, at_most=1), material.units)
    printed = _printed(claim, material) or _printed_ahead(claim, material, at_most=1)
    return count, printed, f"best or second in {claim.metric}"


def _ahead(claim: Claim, material: Material, at_most: int) -> tuple[int, int]:
    """Return on how many data sets at most so many rivals are not lower, and how many have rivals."""
    holds, of = 0, 0
    for _, case in _rival_rows(claim, material).dropna(subset="mean").groupby("case", sort=False):
        own, rivals = _split(case, claim.method)
        if len(own) and len(rivals):
            of += 1
            holds += int((rivals["mean"] > own["mean"].iloc[0] - ROUNDING).sum()) <= at_most
    if not of:
        raise _NotTestableError(f"no data set has scores of {claim.method} and of a rival")
    return holds, of


def _significant(claim: Claim, material: Material) -> tuple[Measure, Measure | None, str]:
    """Count data sets on which the method's row is bold: best, and by t-test different from all rivals.

    Where the claim speaks of some rivals, it is bold among these and the base clusterings.
    """
    material = _among(claim, material)
    holds, of = 0, 0
    for _, case in _rival_rows(claim, material).groupby("case", sort=False):
        own, rivals = _split(case, claim.method)
        if len(own) and own["n"].iloc[0] > 1 and (rivals["n"] > 1).any():
            of += 1
            holds += bool(own["bold"].iloc[0])
    if not of:
        raise _NotTestableError(f"no data set has two subsets of {claim.method} and of a rival to test")
    return (
        Count(holds, of, material.units),
        _printed(claim, material),
        f"significantly {_above(claim)} in {claim.metric}",
    )


def _among(claim: Claim, material: Material) -> Material:
    """Return the material of the claim's method and its rivals alone."""
    if not claim.against or material.selected is None:
        return material
    spoken_of = {claim.method, *claim.against}
    runs = tuple(run for run in material.study.methods if run.id in spoken_of)
    study = material.study.model_copy(update={"methods": runs})
    return replace(material, study=study, summary=summarise(study, material.selected))


def _above_base(claim: Claim, material: Material) -> tuple[Measure, Measure | None, str]:
    """Count cells (method x data set), but those of the base clusterings, with a mean above theirs.

    The claim's ``method`` plays no part: every method of the run counts. The print's count is counted in the
    printed table, over its own methods.
    """
    base = material.study.base_clusterings
    holds, of = 0, 0
    for _, case in _rival_rows(claim, material).dropna(subset="mean").groupby("case", sort=False):
        own, others = _split(case, base)
        if len(own):
            of += len(others)
            holds += int((others["mean"] > own["mean"].iloc[0] + ROUNDING).sum())
    if not of:
        raise _NotTestableError(f"no data set has scores of {base} and of a method")
    printed = _printed_above_base(claim, material)
    return Count(holds, of, "cells"), printed, f"above {base} in {claim.metric}"


def _stable(claim: Claim, material: Material) -> tuple[Measure, Measure | None, str]:
    """Count data sets on which at least ``share`` of the grid points are within ``within`` of the best one.

    A point's score is its mean over the subsets; a point that failed on a subset counts as not near. The
    print's count is over the data sets of Figure 1 if that shows the method, else over those of Table 2.
    """
    import pandas as pd

    study, scores = material.study, material.scores
    if claim.method == study.base_clusterings or not study.method(claim.method).grid:
        raise _NotTestableError(f"{claim.method} has no grid")
    mine = scores[(scores["method"] == claim.method) & (scores["metric"] == claim.metric)]
    mine = mine[(mine["restart"] == study.restarts) & mine["case"].isin(_spoken_of(claim, material))]
    shares = {}
    for case, group in mine.groupby("case", sort=False):
        grid: pd.DataFrame = group.pivot(index="parameters", columns="subset", values="value")
        means = grid.mean(axis=1, skipna=False)
        if means.notna().any():
            shares[case] = float((means >= means.max() - claim.within).mean())
    if not shares:
        raise _NotTestableError(f"no data set has scores of {claim.method}")
    here = Count(sum(share >= claim.share for share in shares.values()), len(shares), material.units)
    sentence = (
        f"at least {claim.share:.0%} of the grid within {claim.within:g} of the best mean {claim.metric} "
        f"({_range(shares.values())} of the grid)"
    )
    return here, _printed(claim, material), sentence


def _grows(claim: Claim, material: Material) -> tuple[Measure, Measure | None, str]:
    """Count data sets on which the mean never falls when subsets of base clusterings are larger.

    The sizes are those of the study and of the other readings of a case that differ in nothing else.
    """
    study, found = material.study, []
    for case in (case for case in study.counted if case.id in _spoken_of(claim, material)):
        sizes = {study.subset_size(case): _mean_of(material.summary, case.id, claim, study)}
        for other in study.size_readings(case) if material.others is not None else ():
            if claim.method in other.methods:
                sizes[study.subset_size(other)] = _mean_of(material.others, other.id, claim, study)
        means = [sizes[size] for size in sorted(sizes) if sizes[size] is not None]
        if len(means) > 1:
            found.append(all(b >= a - ROUNDING for a, b in pairwise(means)))
    if not found:
        raise _NotTestableError(f"no data set has scores of {claim.method} with several sizes of subsets")
    what = f"mean {claim.metric} never lower with a larger ensemble"
    return Count(sum(found), len(found), material.units), _printed(claim, material), what


def _improves(claim: Claim, material: Material) -> tuple[Measure, Measure | None, str]:
    """Average over the data sets by how much the method's mean is above that of its rival.

    The verdict is by percentage points. What the gain is in percent of the rival's mean stands beside it, and
    so does the gain without a look at the classes, if the method is tuned.
    """
    rival = claim.against[0]
    pairs = _pairs(claim, material, tuned=True).dropna()
    if pairs.empty:
        raise _NotTestableError(f"no data set has scores of {claim.method} and of {rival}")
    points, relative = _gains(pairs)
    printed = Gain(claim.percent or 0.0, f"{claim.percent:g} %")
    verdicts = [_worded(verdict(Gain(gain, ""), printed), material.study) for gain in (points, relative)]
    remarks = [f"taken as percent of {rival}: {verdicts[1]}"] if verdicts[0] != verdicts[1] else []
    untuned = _pairs(claim, material, tuned=False).dropna()
    if len(untuned) and not untuned.equals(pairs):
        remarks.append(f"{_gains(untuned)[0]:+z.1f} points at the default grid point")
    text = f"{points:+z.1f} points, {relative:+z.1f} % of the latter,"
    where = f"{len(pairs)} {material.units if len(pairs) != 1 else material.units.removesuffix('s')}"
    unseen = " on unseen objects" if claim.unseen else ""
    sentence = f"mean {claim.metric} of {claim.method}{unseen} over {where} differs from that of {rival}"
    return Gain(points, text, tuple(remarks)), printed, sentence


def _gains(pairs: "pd.DataFrame") -> tuple[float, float]:
    """Mean gain in percentage points, and in percent of the rival's score."""
    gain = pairs["method"] - pairs["rival"]
    return float(100 * gain.mean()), float(100 * (gain / pairs["rival"]).mean())


def _pairs(claim: Claim, material: Material, *, tuned: bool) -> "pd.DataFrame":
    """Return the means of the method and its rival by case; tuned: in the study's own reading."""
    import pandas as pd

    study = material.study
    names = (claim.method, claim.against[0])
    if claim.unseen:
        if material.unseen is None:
            raise _NotTestableError("no unseen objects are in this run")
        oracle = tuned and study.reading != generalisation.DEFAULT
        reading = generalisation.ORACLE if oracle else generalisation.DEFAULT
        found = generalisation.pairs(material.unseen, *names, reading)
    else:
        summary = material.summary[material.summary["metric"] == claim.metric]
        rows = [main_row(study if tuned else _by_default(study), name) for name in names]
        mine = [
            summary[(summary["method"] == row.method) & (summary["reading"] == row.reading)] for row in rows
        ]
        means = [frame.set_index("case")["mean"] for frame in mine]
        found = pd.concat(means, axis=1, keys=["method", "rival"])
    return found[found.index.isin(material.counted)]


def _by_default(study: Study) -> Study:
    return study.model_copy(update={"reading": generalisation.DEFAULT})


def _mean_of(scores: "pd.DataFrame", case: str, claim: Claim, study: Study) -> Any:
    method, reading = main_row(study, claim.method)
    mine = scores[(scores["case"] == case) & (scores["method"] == method) & (scores["reading"] == reading)]
    mine = mine[mine["metric"] == claim.metric]
    values = mine["mean" if "mean" in mine else "value"].dropna()
    return values.mean() if len(values) else None


def _range(shares: Collection[float]) -> str:
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return low if low == high else f"{low} to {high}, median {median(shares):.0%}"


_CHECKS: dict[str, Callable[[Claim, Material], tuple[Measure, Measure | None, str]]] = {
    "best": _best,
    "second": _second,
    "significant": _significant,
    "above_base": _above_base,
    "stable": _stable,
    "grows": _grows,
    "improves": _improves,
}


def _split(rows: "pd.DataFrame", method: str) -> tuple["pd.DataFrame", "pd.DataFrame"]:
    own = rows["method"] == method
    return rows[own], rows[~own]


def _printed(claim: Claim, material: Material) -> Count | None:
    """Return the claim's printed count over the data sets that the print shows it for."""
    figure = material.study.figure1
    if claim.of is not None:
        of = claim.of
    elif claim.check == "stable" and figure and figure.method == claim.method:
        of = len(figure.cases)
    else:
        of = len(material.published.datasets(claim.metric))
    return Count(claim.printed, of) if claim.printed is not None and of else None


def _printed_ahead(claim: Claim, material: Material, at_most: int) -> Count | None:
    holds, of = 0, 0
    names = printed_methods(material.study, material.published)
    spoken_of = {names[name] for name in claim.against}
    for _, scores in _printed_scores(claim, material):
        own = scores.pop(names[claim.method], None)
        if spoken_of:
            scores = {name: value for name, value in scores.items() if name in spoken_of}
        if own is not None and scores:
            of += 1
            holds += sum(score >= own for score in scores.values()) <= at_most
    return Count(holds, of) if of else None


def _printed_above_base(claim: Claim, material: Material) -> Count | None:
    holds, of = 0, 0
    for _, scores in _printed_scores(claim, material):
        level = scores.pop(material.study.base_clusterings, None)
        if level is not None:
            of += len(scores)
            holds += sum(value > level for value in scores.values())
    return Count(holds, of, "cells") if of else None


def _printed_scores(claim: Claim, material: Material) -> list[tuple[str, dict[str, float]]]:
    aside = {reading.id for reading in material.study.readings.methods}
    scores = [(key, value) for key, value in material.published.scores.items() if key[2] not in aside]
    if claim.cases:
        spoken_of = {material.printed_names.get(case) for case in claim.cases}
        scores = [(key, value) for key, value in scores if key[0] in spoken_of]
    return [
        (name, {m: v for (dataset, metric, m), v in scores if (dataset, metric) == (name, claim.metric)})
        for name in material.published.datasets(claim.metric)
    ]


CLAIMS = (
    "claim", "check", "method", "metric", "printed", "verdict", "evidence", "other_methods",
    "verdict_with_others", "evidence_with_others",
)  # fmt: skip


def claims_table(material: Material, papers: Material) -> "pd.DataFrame":
    """Return all claims with the columns :data:`CLAIMS`.

    Parameters
    ----------
    material: of the study.
    papers: of the study with those of its methods that the paper prints: the verdict is theirs.
        ``other_methods`` are the others, with which a claim about rivals is judged once more.
    """
    import pandas as pd

    here = {run.id for run in papers.study.methods}
    others = [run.id for run in material.study.methods if run.id not in here]
    rows = []
    for claim in material.study.claims:
        own = judge(claim, material if claim.method in others else papers)
        more = judge(claim, material) if others and claim.check not in BY_ITSELF else None
        rows.append(
            {
                "claim": claim.text,
                "check": claim.check,
                "method": claim.method,
                "metric": claim.metric,
                "printed": claim.printed,
                "verdict": own.verdict,
                "evidence": own.evidence,
                "other_methods": ", ".join(others) if more else "",
                "verdict_with_others": more.verdict if more else "",
                "evidence_with_others": more.counted if more else "",
            }
        )
    return pd.DataFrame(rows, columns=list(CLAIMS)).astype({"printed": "Int64"})


def with_others(row: Any) -> str:
    """Return the sentence on the methods that the paper does not have; empty where there is none."""
    if not isinstance(row.other_methods, str) or not row.other_methods:
        return ""
    return (
        f"With {row.other_methods}, which the paper does not have: {row.verdict_with_others} "
        f"({row.evidence_with_others})."
    )


def claims_markdown(study: Study, table: "pd.DataFrame") -> str:
    """Return the claims for people."""
    body = [
        [row.claim, f"**{row.verdict}**", " ".join(filter(None, (row.evidence, with_others(row))))]
        for row in table.itertuples()
    ]
    lines = [
        f"# Claims of {study.title}",
        "",
        *markdown_table(["Claim", "Verdict", "Evidence"], body, left=3),
    ]
    if study.other_data:
        rule = (
            f"The data sets are not the paper's: {study.other_data.strip()} So nothing is reproduced or "
            "refuted. A claim holds if it reaches the printed share or percentage here, in part if more than "
            "half of it."
        )
    else:
        rule = (
            "Reproduced: it holds here on at least the printed share of the data sets (on more than half, "
            "where no count is printed); partly: on more than half of that share."
        )
    rule += counting(study)
    return (
        "\n".join([*lines, "", rule, ""])
        if len(table)
        else f"# Claims of {study.title}\n\nThe study states none.\n"
    )


def counting(study: Study, titles: Mapping[str, str] | None = None) -> str:
    """Say which case counts where a data set has several; empty where none has."""
    here = {case.id: (titles or {}).get(case.id, case.id) for case in study.cases}
    pairs = [
        f"{here[case.id]} for {here[case.instead_of]}" for case in study.cases if case.instead_of in here
    ]
    return f" In counts and ranks each data set is taken once: {', '.join(pairs)}." if pairs else ""

"""Other interpretations of the paper beside the study's own, and which of the two is nearer to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consclust import methods
from consclust.datasets.registry import MADE
from consclust.report.blocks import Shown, Table, leave_out_of_pdf, listed
from consclust.report.wording import DASH, MINUS, number, numbers, paragraph, records, score, signed, symbol
from consclust_studies.config.cases import Case, CaseVariant
from consclust_studies.config.method_runs import MethodRun, MethodVariant
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import NEAR, aggregate_subsets, make_published_key
from consclust_studies.results.published_scores import find_nearer
from consclust_studies.results.sentences import SELECTIONS, describe_counting
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import find_main_row

if TYPE_CHECKING:
    from pandas import DataFrame, Series

NEARER = {"own": "own", "other": "variant", "equal": "equal", "": DASH}

WAYS = 3
"""Interpretations that the table of questions names."""


class Alternatives(Exhibit):
    """Every score of a variant beside that of the study's own interpretation; a summary of each question."""

    place = 10
    lacking = "the study has no variants; add some"
    reads: ClassVar = Needs(selected=True, variants=True, published=True)

    kind: Literal["alternatives"]
    id: Name = "variants"
    title: Title = "Variants"

    def wanted(self, study: Study) -> bool:
        """Whether the study has variants."""
        return bool(_find_interpretations(study) or study.case_variants)

    def build(self, source: Source) -> Shown:
        """Return one row for each score of a variant.

        ``own`` and ``other`` are means over the subsets of the study's own interpretation and of the variant; where a
        variant of a method runs on the first subsets alone, both are over these. ``n`` subsets have a score in the
        variant. ``published`` is NaN for a variant of another experiment, which is no rival of the row that it differs
        from: with published scores of its own, or for ensembles of another size. ``own_near`` and ``other_near`` say
        whether it is within two standard errors of the mean; NaN where it or the standard error is not known.
        """
        study, frame = source.study, _frame(source)
        compared = bool(frame["published"].notna().any())
        caption = paragraph(
            f"A variant is {_name_variant(study)}, shown beside the study's own; it is not "
            f"ranked and not tested. Change: variant {MINUS} own. Methods with a grid are taken in the "
            f'selection "{SELECTIONS[study.selection]}".',
            compared
            and "Nearer: the one that is nearer to the published value; near: within two standard errors of the mean; "
            f"|difference|: mean absolute difference from the published values ({DASH}: none that both can be "
            "compared with); of questions for both, own : variant.",
            describe_counting(study),
        )
        columns = "variant, dataset, method, metric, own, Variant's: other, change, published"
        columns += ", nearer" if compared else ""
        ordered = frame.sort_values("change", key=abs, ascending=False, kind="stable")
        title = "All scores, the largest changes first"
        scores = listed(title, ordered, columns, left=4, forms={"nearer": NEARER.__getitem__})
        return Shown(frame, (_questions(study, frame, compared), leave_out_of_pdf(scores)), caption)


def _frame(source: Source) -> DataFrame:
    study = source.study
    scores = source.published.scores
    key = make_published_key(source)
    elsewhere = _list_other_cells(study) | {method for _, _, method in scores}
    other = aggregate_subsets(source.variants)

    @cache
    def average_own(n_subsets: int) -> DataFrame:
        """Aggregate the study's own scores on the first subsets, those on which a variant runs."""
        selected = source.selected
        return aggregate_subsets(selected[selected["subset"] < n_subsets])

    rows = []
    for case, method, variant in _pairs(study):
        own_case = case.of if isinstance(case, CaseVariant) else case.id
        own_method = variant.of if isinstance(variant, MethodVariant) else method
        row, own_row = find_main_row(study, method), find_main_row(study, own_method)
        own = average_own(_count_subsets(study, case, variant))
        about = (variant.id, variant.why, differs(study, variant), own_case, source.titles[own_case])
        for metric in study.reported:
            mine, theirs = own.loc[(own_case, metric, *own_row)], other.loc[(case.id, metric, *row)]
            published = scores.get(key(own_case, metric, own_method), math.nan)
            known = math.nan if variant.id in elsewhere else published
            change = theirs["mean"] - mine["mean"]
            near = (_is_near(mine, known), _is_near(theirs, known))
            means = (int(theirs["count"]), mine["mean"], theirs["mean"], change, known)
            rows.append((*about, *own_row, metric, *means, *near))
    columns = "variant why differs case dataset method selection metric n own other change published"
    frame = records(f"{columns} own_near other_near", rows)
    return frame.assign(nearer=find_nearer(frame, "own", "other"))


def _name_variant(study: Study) -> str:
    return "another interpretation of the paper" if study.published else "another way to run the experiment"


def _find_interpretations(study: Study) -> list[MethodVariant]:
    """Return the variants of methods that are interpretations of the paper."""
    return [run for run in study.variants.methods if not run.beyond]


def _count_subsets(study: PlannedStudy, case: Case, variant: CaseVariant | MethodVariant) -> int:
    """Return on how many subsets the own interpretation and the variant are compared."""
    # the subsets of a variant of a case are others than those of the case
    return study.n_subsets_of(case, variant) if isinstance(variant, MethodVariant) else study.n_subsets


def _list_other_cells(study: PlannedStudy) -> set[str]:
    """Return the variants of another experiment than that of the published value of their row."""
    sizes = {variant.id for case in study.cases for variant in study.size_variants(case)}
    return sizes | {run.id for run in study.variants.methods if run.other_experiment}


def _is_near(score: Series, published: float) -> float:
    """Return 1 or 0: whether a published score is near the mean of ours; NaN if that has no standard error."""
    error = score["std"] / math.sqrt(score["count"])
    if math.isnan(published) or not error > 0:
        return math.nan
    return float(abs(score["mean"] - published) <= NEAR * error)


def _pairs(study: PlannedStudy) -> Iterator[tuple[Case, str, CaseVariant | MethodVariant]]:
    """Yield case, method and their variant; of a variant of a case also the base clusterings.

    A case that differs in random numbers alone is another pool, no other interpretation.
    """
    for run in _find_interpretations(study):
        yield from ((case, run.id, run) for case in study.cases if run.runs_on(case))
    for case in (case for case in study.case_variants if differs(study, case)):
        yield from ((case, method, case) for method in (study.base_clusterings, *case.methods))


def _questions(study: PlannedStudy, frame: DataFrame, compared: bool) -> Table:
    """Sum up each question (``why``); of two cases of a data set the one that stands for the other counts."""
    stands_for, rows = {case.id: case.instead_of for case in study.cases}, []
    for why, both in frame.dropna(subset=["own", "other"]).groupby("why", sort=False):
        group = both[~both["case"].isin([stands_for[case] for case in both["case"]])]
        known = group.dropna(subset="published")
        change = group["change"]
        asked = f"{why}"
        nearer = ((known["nearer"] == word).sum() for word in ("own", "other"))
        near = ((known[f"{word}_near"] == 1).sum() for word in ("own", "other"))
        away = ((known[word] - known["published"]).abs().mean() for word in ("own", "other"))
        ways = [*dict.fromkeys(group["differs"])]
        more = f"; and {len(ways) - WAYS} more" if len(ways) > WAYS else ""
        question = f"{asked[:1].upper()}{asked[1:]}: {'; '.join(ways[:WAYS])}{more}"
        spread = f"{signed(change.mean())} ({signed(change.min())} to {signed(change.max())})"
        pairs = (DASH,) * 3
        if len(known):
            pairs = (_pair(nearer, number), _pair(near, number), _pair(away, score))
        beside = (len(known), *pairs) if compared else (None,) * 4
        rows.append((question, len(group), spread, *beside))
    columns = "question, scores, Mean change (lowest to highest): spread, Published: known, nearer, near, "
    columns += "|Difference|: away"
    table = records("question scores spread known nearer near away", rows)
    return listed("Questions", table, columns).model_copy(update={"whole": True})


def _pair(values: Iterable[float], form: Callable[[float], str]) -> str:
    """Write a number of the own interpretation and that of the variant."""
    return " : ".join(map(form, values))


def differs(study: PlannedStudy, variant: CaseVariant | MethodVariant) -> str:
    """Return what is done otherwise: "own → other"."""
    if isinstance(variant, MethodVariant):
        own, other = _parameters(study.method(variant.of)), _parameters(variant)
    else:
        case = study.case(variant.of)
        own = _origin(study, case) | _parameters_on(case, study, case, variant)
        other = _origin(study, variant) | _parameters_on(variant, study, case, variant)
    changed = {name: value for name, value in other.items() if own.get(name) != value}
    before = {name: f"{own[name]} → " if name in own else "" for name in changed}
    return ", ".join(f"{symbol(name)}: {before[name]}{value}" for name, value in changed.items())


def _parameters(run: MethodRun) -> dict[str, Any]:
    """Return the parameters of a run, set or left at the method's own defaults; a grid counts as a value."""
    return {"method": run.method, **methods.load(run.method).parameters(), **run.parameters, **run.grid}


def _parameters_on(here: Case, study: PlannedStudy, case: Case, variant: CaseVariant) -> dict[str, Any]:
    """Return the parameters on one of a case and its variant, of those that either sets for a method of the variant."""
    found: dict[str, Any] = {}
    for method in variant.methods:
        run = study.method(method)
        parameters = _parameters(run) | study.parameters(here, run)
        names = case.parameters.get(method, {}) | variant.parameters.get(method, {})
        found |= {f"{name} of {method}": parameters[name] for name in names}
    return found


def _origin(study: PlannedStudy, case: Case) -> dict[str, str]:
    """Return how the base clusterings of a case are made."""
    made = {
        "clusters": numbers(case.n_clusters or study.ensemble.n_clusters),
        "features": f"{case.feature_share:.0%}",
        "objects": f"{case.object_share:.0%}",
    }
    return {
        "data set": case.dataset,
        "preprocessing": ", ".join(case.steps) or "none",
        "base clusterings": case.ensemble,
        "first centres": case.init,
        "linkage": case.linkage,
        "distance": case.distance,
        "base clusterings in a subset": f"{study.subset_size(case)}",
        **(made if case.ensemble in MADE else {}),
    }

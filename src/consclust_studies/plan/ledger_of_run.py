"""What a run can show and judge of the paper: its items and claims, and what the exhibits of an item lack.

A run that is restricted to some data sets or methods leaves out the claims that it cannot judge, and the items of which
it shows nothing. The other items are complete where their exhibits have every case, method and metric of the item.
"""

from collections.abc import Iterator, Sequence

from consclust.report.wording import conjunction, count
from consclust.validation import Strict
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.paper import Claim, LedgerItem
from consclust_studies.config.references import drop_unknown, list_names
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.plan.context import Context

WORDS = {"cases": "data set", "methods": "method", "metrics": "metric"}
"""What an item has, by its key in the ledger."""
OF_METHODS = ("method", "method or variant", "row", "row or unseen row")
"""Words of a name that is one of a method, see :class:`consclust_studies.config.references.Ref`."""
NAMED = 3
"""Names that a sentence lists; of more it says the number."""
UNDECIDED = "this run does not have what decides it"

Scope = dict[str, list[str]]
"""Names by the keys of :data:`WORDS`."""


def restrict_claims(small: Study) -> Iterator[Claim]:
    """Yield the claims of a study that its cases, methods and exhibits can judge."""
    known = Context(small, {}).known
    for claim in small.claims:
        if claim.same_choice and claim.same_choice.exhibit not in known["exhibit"]:
            claim = claim.model_copy(update={"same_choice": None})
        kept = drop_unknown(claim, known)
        if kept is None or (kept.against, kept.like) != (claim.against, claim.like):
            continue
        if claim.check == "grows" and not _has_sizes(small, kept):
            continue
        yield kept


def _has_sizes(small: Study, claim: Claim) -> bool:
    """Whether a method runs on ensembles of several sizes, on one of the data sets of a claim."""
    cases = [case for case in small.cases if case.id in (claim.cases or [case.id])]
    return any(claim.method in variant.methods for case in cases for variant in small.size_variants(case))


def restrict_ledger(small: Study) -> Iterator[LedgerItem]:
    """Yield the items of which a study, whose claims are those that it can judge, shows or judges something."""
    exhibits = {exhibit.id: exhibit for exhibit in small.exhibits}
    judged = {claim.item for claim in small.claims}
    for item in small.ledger:
        here = tuple(name for name in item.shown if name in exhibits)
        # an exhibit of the claims shows nothing of an item without claims
        if item.id not in judged:
            here = tuple(name for name in here if not _is_of_claims(exhibits[name]))
        if item.shown and not here:
            continue
        undecided = here and item.id not in judged and not item.unjudged
        yield item.model_copy(update={"shown": here, "unjudged": UNDECIDED if undecided else item.unjudged})


def _is_of_claims(exhibit: Exhibit) -> bool:
    return exhibit.reads.claims


def find_lacking(whole: PlannedStudy, small: PlannedStudy) -> dict[str, tuple[str, ...]]:
    """Return what each item lacks in a run, by its id; ``whole`` is the study, ``small`` what is run of it."""
    wanted = {item.id: item for item in whole.ledger}
    return {item.id: tuple(_describe_lacking(whole, small, wanted[item.id])) for item in small.ledger}


def _describe_lacking(whole: PlannedStudy, small: PlannedStudy, item: LedgerItem) -> Iterator[str]:
    """Yield the exhibits, data sets, methods and metrics that an item of the whole study has and the run has not."""
    if not item.shown:
        return
    titles = {exhibit.id: exhibit.title for exhibit in whole.exhibits}
    here = {exhibit.id for exhibit in small.exhibits}
    if gone := [titles[name] for name in item.shown if name not in here]:
        yield f"not in this run: {conjunction(gone)}"
    wanted = _find_scope(whole, item)
    found = _find_scope(small, item)
    for key, word in WORDS.items():
        names = list(getattr(item, key)) or wanted[key]
        lost = [name for name in names if name not in found[key]]
        if 0 < len(lost) <= NAMED:
            yield f"without {conjunction(lost)}"
        elif lost:
            yield f"without {len(lost)} of {count(len(names), word)}"


def _find_scope(study: PlannedStudy, item: LedgerItem) -> Scope:
    """Return the cases, methods and metrics of the exhibits and claims of an item."""
    found: Scope = {key: [] for key in WORDS}
    shown = [exhibit for exhibit in study.exhibits if exhibit.id in item.shown and not _is_of_claims(exhibit)]
    scopes = [_find_names(study, exhibit, exhibit.list_shown_methods(study)) for exhibit in shown]
    scopes += [_find_names(study, claim, []) for claim in study.claims if claim.item == item.id]
    for scope in scopes:
        for key, names in scope.items():
            found[key] += [name for name in names if name not in found[key]]
    return found


def _find_names(study: PlannedStudy, model: Strict, methods: Sequence[str]) -> Scope:
    """Return the cases, methods and metrics that an exhibit or a claim names.

    Where it names none these are all cases and the reported metrics of the study, and ``methods``.
    """
    names = list(list_names(model))
    cases = [name for word, name in names if word == "case"]
    named = [name for word, name in names if word in OF_METHODS]
    metrics = [name for word, name in names if word == "metric"]
    return {
        "cases": cases or [case.id for case in study.cases],
        "methods": named or list(methods),
        "metrics": metrics or list(study.reported),
    }

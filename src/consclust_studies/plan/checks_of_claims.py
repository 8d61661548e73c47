"""What is wrong with the claims of a study: no scores could decide them."""

from consclust.validation import did_you_mean
from consclust_studies.config.paper import Claim, Question
from consclust_studies.config.references import Mistakes
from consclust_studies.config.study import Study
from consclust_studies.plan.context import Context


def check_claims(context: Context) -> Mistakes:
    """Yield claims that no scores could decide, and items of the ledger without an outcome."""
    yield from _check_outcomes(context.study)
    claims = context.study.claims
    for i, claim in enumerate(claims):
        key = f"claims[{i}]"
        if claim in claims[:i]:
            yield key, f": the same as claims[{claims.index(claim)}]; remove one"
        yield from _check_rows(claim, key, context)
        yield from _check_metric(claim, key, context)
        yield from _check_kind(claim, key, context)
        yield from _check_question(claim.by, f"{key}.by", context)
        yield from _check_question(claim.same_choice, f"{key}.same_choice", context)
        yield from _check_cases(claim, key, context)


def _check_outcomes(study: Study) -> Mistakes:
    """Yield items that have neither a claim, nor a reason why they have none."""
    judged = {claim.item for claim in study.claims}
    for i, item in enumerate(study.ledger):
        if item.unjudged and item.id in judged:
            yield f"ledger[{i}].unjudged", f": item {item.id} has a claim; remove one of the two"
        if item.shown and item.id not in judged and not item.unjudged:
            yield f"ledger[{i}]", f": item {item.id} has no claim; add one, or say in unjudged why there is none"


def _check_rows(claim: Claim, key: str, context: Context) -> Mistakes:
    """Yield the methods of a claim that stand in another table; names that are nowhere are reported by the walker."""
    study = context.study
    known = context.known
    here = study.unseen_rows() if claim.unseen else list(known["row"])
    if (claim.against or claim.check == "counted") and not claim.unseen:
        # a variant is not ranked, but a method may be compared with it, and an exhibit may count its scores
        here += [run.id for run in study.variants.methods]
    named = [("method", claim.method)]
    named += [("against", row) for row in claim.against]
    for field, row in named:
        if row not in here and row in known["row or unseen row"]:
            table = "the table on unseen objects" if claim.unseen else "the main table"
            yield f"{key}.{field}", f" = {row!r}: not in {table}; {did_you_mean(row, here)}"


def _check_metric(claim: Claim, key: str, context: Context) -> Mistakes:
    metrics = context.study.metrics
    plan = context.study.generalisation
    if claim.unseen and plan and claim.metric != plan.metric:
        yield f"{key}.metric", f" = {claim.metric!r}: unseen objects have another; write {plan.metric}"
    if claim.metric and not claim.unseen and claim.metric not in metrics:
        yield f"{key}.metric", f" = {claim.metric!r}: not in metrics; {did_you_mean(claim.metric, metrics)}"


def _check_question(asked: Question | None, key: str, context: Context) -> Mistakes:
    """Yield a question that the exhibit does not have; one that is nowhere is reported by the walker."""
    for exhibit in context.study.exhibits:
        if asked and exhibit.id == asked.exhibit and asked.question not in exhibit.questions:
            words = list(exhibit.questions)
            remedy = did_you_mean(asked.question, words) if words else "it counts nothing; name another exhibit"
            yield f"{key}.question", f" = {asked.question!r}: no question of {asked.exhibit}; {remedy}"


def _check_cases(claim: Claim, key: str, context: Context) -> Mistakes:
    """Yield the cases of a claim whose exhibit counts all of its own."""
    for exhibit in context.study.exhibits:
        if claim.cases and claim.by and exhibit.id == claim.by.exhibit and not exhibit.counts_some_cases:
            yield f"{key}.cases", f": {exhibit.id} counts all cases that it has; remove them"


def _check_kind(claim: Claim, key: str, context: Context) -> Mistakes:
    """Yield methods that the kind of check does not go with."""
    base = context.study.base_clusterings
    if claim.check == "above_base" and claim.method != base:
        one = f"for one method, write check: best and against: [{base}]"
        yield f"{key}.method", f" = {claim.method!r}: above_base counts all methods; name {base!r}; {one}"
    tuned = {run.id for run in context.study.methods if run.grid}
    if claim.check == "stable" and claim.method not in tuned:
        yield f"{key}.method", f" = {claim.method!r}: it has no grid to be stable over; name another"

"""What is left of a study where the configuration names some cases, methods or subsets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from consclust.datasets.registry import DatasetSpec
from consclust.validation import did_you_mean
from consclust_studies.config.cases import Case, CaseVariant
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.experiment import Experiment, Generalisation, Variants
from consclust_studies.config.method_runs import MethodRun, MethodVariant
from consclust_studies.config.references import drop_unknown
from consclust_studies.config.settings import CONFIG_FILE, Settings
from consclust_studies.config.study import Origin, PlannedStudy, Study
from consclust_studies.config.without_classes import Diagnosis
from consclust_studies.plan.context import Context
from consclust_studies.plan.ledger_of_run import find_lacking, restrict_claims, restrict_ledger
from consclust_studies.specs import digest

LONGEST = 80
"""Characters of the name of a run; a longer one ends in a digest."""


def find_reasons_not_to_run(study: Study, settings: Settings) -> str:
    """Say why a study cannot be run with these restrictions; empty if it can."""
    reasons = find_unknown_words(settings, [study], f"not in the study {study.id}")
    if settings.subsets and settings.subsets > study.n_subsets:
        what = f"the study {study.id} has {study.n_subsets}"
        reasons.append(f"{CONFIG_FILE}: subsets = {settings.subsets}: {what}; lower it")
    reasons += _find_variants_left_out(study, settings)
    if not reasons and not _has_fit(restrict_study(study, settings)):
        given = "; ".join(f"{key} = {', '.join(words)}" for key, words in settings.restrictions.items())
        remedy = "a case says in `without` what it omits"
        reasons.append(f"{CONFIG_FILE}: {given}: the study {study.id} has no fit of these; {remedy}")
    return "\n".join(reasons)


def _has_fit(study: Study) -> bool:
    return any(study.runs(case) for case in study.cases)


class Ids(NamedTuple):
    """What a key of the settings may name."""

    key: str
    own: list[str]
    """Cases or methods of the studies themselves."""
    variants: list[str]


def _list_ids(studies: Sequence[Study]) -> list[Ids]:
    cases = [case.id for study in studies for case in study.cases]
    case_variants = [case.id for study in studies for case in study.case_variants]
    methods = [run.id for study in studies for run in study.methods]
    method_variants = [run.id for study in studies for run in study.variants.methods]
    return [Ids("datasets", cases, case_variants), Ids("methods", methods, method_variants)]


def find_unknown_words(settings: Settings, studies: Sequence[Study], what: str) -> list[str]:
    """Return a mistake for each word of a restriction that names no case, method or variant of the studies."""
    mistakes = []
    for key, own, variants in _list_ids(studies):
        known = [*own, *variants]
        for word in settings.restrictions.get(key, ()):
            if word not in known:
                # there may be dozens of variants: they are not listed, but a near one is offered
                near = did_you_mean(word, known)
                remedy = near if near.endswith("?") else did_you_mean(word, own)
                mistakes.append(f"{CONFIG_FILE}: {key} = {word!r}: {what}; {remedy}")
    return mistakes


def _find_variants_left_out(study: Study, settings: Settings) -> Iterable[str]:
    """Yield a mistake for each variant that the settings name, and that would not be run all the same."""
    small = restrict_study(study, settings)
    kept = {variant.id for variant in (*small.case_variants, *small.variants.methods)}
    for key, _, variants in _list_ids([study]):
        other = "methods" if key == "datasets" else "datasets"
        for name in settings.restrictions.get(key, ()):
            if name not in variants:
                continue
            where = f"{CONFIG_FILE}: {key} = {name!r}: a variant"
            if settings.variants is False:
                yield f"{where}, but variants = false; leave one of them out"
            elif name not in kept:
                yield f"{where} without a fit in this run; name other {other}, or leave it out"


def plan_study(study: Study, settings: Settings | None, registry: Mapping[str, DatasetSpec]) -> PlannedStudy:
    """Return the study as it is run: with titles and steps of the registry, restricted by the settings if given."""
    small = restrict_study(study, settings)
    resolved = {
        "cases": _resolve_cases(small.cases, registry),
        "only_in_table1": _resolve_cases(small.only_in_table1, registry),
        "variants": Variants(methods=small.variants.methods, cases=_resolve_cases(small.case_variants, registry)),
    }
    restrictions = settings.restrictions if settings else {}
    # the name of a run does not say that a study without variants is run without them
    if not _has_variants(study):
        restrictions = {key: words for key, words in restrictions.items() if key != "variants"}
    without_variants = _has_variants(study) and not _has_variants(small)
    shown = {exhibit.id for exhibit in small.exhibits}
    items = {item.id for item in small.ledger}
    # constructed without validation, as every part of it has been validated
    planned = PlannedStudy.model_construct(
        **(_list_fields(small) | resolved),
        run_id=name_run(study.id, restrictions),
        restriction=_describe_restrictions(restrictions, without_variants),
        left_out=tuple(exhibit.title for exhibit in study.exhibits if exhibit.id not in shown),
        items_left_out=tuple(item.id for item in study.ledger if item.id not in items),
        claims_left_out=len(study.claims) - len(small.claims),
        sections={exhibit.id: exhibit.title for exhibit in small.exhibits},
        origins={case.id: _describe_origin(case, registry[case.dataset]) for case in small.described},
    )
    whole = PlannedStudy.model_construct(**_list_fields(study), run_id=study.id)
    return planned.model_copy(update={"lacking": find_lacking(whole, planned)})


def _list_fields(study: Study) -> dict[str, Any]:
    return {name: getattr(study, name) for name in Study.model_fields}


C = TypeVar("C", bound=Case)


def name_run(study: str, restrictions: Mapping[str, tuple[str, ...]]) -> str:
    """Return the name of a run's folders: the study's id, and what it is restricted to."""
    parts = [f"{key}-{'+'.join(words)}" for key, words in restrictions.items()]
    name = ".".join([study, *parts])
    if len(name) <= LONGEST:
        return name
    checksum = digest(name)
    return f"{name[: LONGEST - 1 - len(checksum)]}.{checksum}"


def _has_variants(study: Experiment) -> bool:
    return bool(study.variants.methods or study.case_variants)


def _describe_restrictions(restrictions: Mapping[str, tuple[str, ...]], without_variants: bool) -> str:
    """Say what a run is restricted to; empty if it is whole."""
    parts = []
    named = [f"{key} {', '.join(words)}" for key, words in restrictions.items() if key != "variants"]
    if named:
        parts.append(f"only {'; '.join(named)}")
    if without_variants:
        parts.append("without variants")
    elif "variants" in restrictions:
        parts.append("with variants")
    return "; ".join(parts)


def _resolve_cases(cases: Iterable[C], registry: Mapping[str, DatasetSpec]) -> tuple[C, ...]:
    """Return cases with the title and the preprocessing of the registry where they have none of their own."""
    resolved = []
    for case in cases:
        entry = registry[case.dataset]
        steps = entry.preprocessing if case.preprocessing is None else case.preprocessing
        resolved.append(case.model_copy(update={"title": case.title or entry.title, "preprocessing": steps}))
    return tuple(resolved)


def _describe_origin(case: Case, entry: DatasetSpec) -> Origin:
    files = list(entry.files)
    if case.ensemble in entry.ensembles:
        files.append(entry.ensembles[case.ensemble].file)
    checksums = {file.name: file.sha256 for file in files}
    return Origin(
        title=entry.title,
        source=entry.source,
        licence=entry.licence,
        note=entry.note,
        checksums=checksums,
        card=entry.card,
    )


def restrict_study(study: Study, settings: Settings | None) -> Study:
    """Return the part of a study that the settings name."""
    if settings is None or not settings.restrictions:
        return study
    case_ids = _pick_ids(study.cases, study.case_variants, settings.datasets)
    method_ids = _pick_ids(study.methods, study.variants.methods, settings.methods)
    variants = Variants(
        methods=tuple(_keep_variants_of_methods(study, settings, case_ids, method_ids)),
        cases=tuple(_keep_variants_of_cases(study, settings, case_ids, method_ids)),
    )
    small = study.model_copy(
        update={
            "cases": tuple(case for case in study.cases if case.id in case_ids),
            "methods": tuple(method for method in study.methods if method.id in method_ids),
            "subsets": settings.subsets or study.subsets,
            "only_in_table1": () if settings.datasets else study.only_in_table1,
            "variants": variants,
            "generalisation": _restrict_generalisation(study, case_ids, method_ids),
            "diagnosis": _restrict_diagnosis(study, method_ids),
            "unpublished": tuple(method for method in study.unpublished if method in method_ids),
        }
    )
    # an exhibit stays only if the rest of the study still has what it shows, a claim only if its exhibit stays, and the
    # exhibit of the claims only if there are any
    small = small.model_copy(update={"exhibits": tuple(_restrict_exhibits(study, small))})
    small = small.model_copy(update={"claims": tuple(restrict_claims(small))})
    small = small.model_copy(update={"ledger": tuple(restrict_ledger(small))})
    return small.model_copy(update={"exhibits": tuple(_restrict_exhibits(study, small))})


def _pick_ids(
    items: Iterable[Case | MethodRun], variants: Iterable[CaseVariant | MethodVariant], words: Collection[str] | None
) -> set[str]:
    """Return the ids of the cases or methods that are named, and of those whose variant is; all without words."""
    if words is None:
        return {item.id for item in items}
    named = {item.id for item in items if item.id in words}
    behind_variants = {variant.of for variant in variants if variant.id in words}
    return named | behind_variants


def _keep_variants_of_methods(
    study: Study, settings: Settings, cases: set[str], methods: set[str]
) -> list[MethodVariant]:
    """Return the variants of methods that are run: all of them, or those that the settings name."""
    named = settings.methods or ()
    wanted = [variant for variant in study.variants.methods if settings.has_all_variants or variant.id in named]
    # a variant that runs on none of the cases that are left is left out too
    run_on = [case for case in study.cases if case.id in cases]
    return [variant for variant in wanted if variant.of in methods and any(map(variant.runs_on, run_on))]


def _keep_variants_of_cases(study: Study, settings: Settings, cases: set[str], methods: set[str]) -> list[CaseVariant]:
    """Return the variants of cases that are run, with those of their methods that are."""
    named = settings.datasets or ()
    wanted = [variant for variant in study.case_variants if settings.has_all_variants or variant.id in named]
    kept = []
    for variant in wanted:
        left = tuple(method for method in variant.methods if method in methods)
        if variant.of in cases and left:
            kept.append(variant.model_copy(update={"methods": left}))
    return kept


def _restrict_exhibits(study: Study, small: Study) -> Iterable[Exhibit]:
    """Yield the exhibits without the names that are not in the ``small`` study, if they still show something."""
    # no exhibit names a data set, so the registry is not needed
    known = Context(small, {}).known
    for exhibit in study.exhibits:
        kept = drop_unknown(exhibit, known)
        if kept is None or (kept.place is not None and not kept.wanted(small)):
            continue
        if not any(kept.mistakes(small)):
            yield kept


def _restrict_diagnosis(study: Study, methods: set[str]) -> Diagnosis:
    # without it, the first method that is left is diagnosed
    if study.diagnosis.method in methods:
        return study.diagnosis
    return study.diagnosis.model_copy(update={"method": None})


def _restrict_generalisation(study: Experiment, cases: set[str], methods: set[str]) -> Generalisation | None:
    """Return the experiment on unseen objects with these cases and methods; None if nothing of it is left."""
    plan = study.generalisation
    if plan is None:
        return None
    kept_cases = tuple(case for case in plan.cases if case in cases)
    kept_methods = tuple(method for method in plan.methods if method.method in methods)
    if not kept_methods or (plan.cases and not kept_cases):
        return None
    return plan.model_copy(update={"methods": kept_methods, "cases": kept_cases})

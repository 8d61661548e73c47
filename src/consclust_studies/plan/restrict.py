"""What is left of a study where the configuration names some cases, methods or subsets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from consclust.datasets.registry import DatasetSpec
from consclust.validation import did_you_mean
from consclust_studies.config.cases import Case, CaseVariant
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.experiment import Experiment, Generalisation, Variants
from consclust_studies.config.method_runs import MethodRun, MethodVariant
from consclust_studies.config.references import without
from consclust_studies.config.settings import CONFIG_FILE, Settings
from consclust_studies.config.study import Origin, PlannedStudy, Study
from consclust_studies.config.without_classes import Diagnosis
from consclust_studies.plan.checks import Context
from consclust_studies.specs import digest

LONGEST = 80
"""Characters of the name of a run; a longer one ends in a digest."""


def refusals(study: Study, settings: Settings) -> str:
    """Say why a study cannot be run with these restrictions; empty if it can."""
    found = unknown_words(settings, [study], f"not in the study {study.id}")
    if settings.subsets and settings.subsets > study.n_subsets:
        what = f"the study {study.id} has {study.n_subsets}"
        found.append(f"{CONFIG_FILE}: subsets = {settings.subsets}: {what}; lower it")
    found += _variants_left_out(study, settings)
    small = study if found else _restricted(study, settings)
    if found or any(small.runs(case) for case in small.cases):
        return "\n".join(found)
    nothing = "; ".join(f"{key} = {', '.join(words)}" for key, words in settings.restrictions.items())
    return f"{CONFIG_FILE}: {nothing}: the study {study.id} has no fit of these; a case says in `without` what it omits"


class Ids(NamedTuple):
    """What a key of the settings may name."""

    key: str
    own: list[str]
    """Cases or methods of the studies themselves."""
    variants: list[str]


def _ids(studies: Sequence[Study]) -> list[Ids]:
    cases = [case.id for study in studies for case in study.cases]
    case_variants = [case.id for study in studies for case in study.case_variants]
    methods = [run.id for study in studies for run in study.methods]
    method_variants = [run.id for study in studies for run in study.variants.methods]
    return [Ids("datasets", cases, case_variants), Ids("methods", methods, method_variants)]


def unknown_words(settings: Settings, studies: Sequence[Study], what: str) -> list[str]:
    """Return a mistake for each word of a restriction that names no case, method or variant of the studies."""
    mistakes = []
    for key, own, variants in _ids(studies):
        known = [*own, *variants]
        for word in settings.restrictions.get(key, ()):
            if word not in known:
                # there may be dozens of variants: they are not listed, but a near one is offered
                near = did_you_mean(word, known)
                remedy = near if near.endswith("?") else did_you_mean(word, own)
                mistakes.append(f"{CONFIG_FILE}: {key} = {word!r}: {what}; {remedy}")
    return mistakes


def _variants_left_out(study: Study, settings: Settings) -> Iterable[str]:
    """Yield a mistake for each variant that the settings name, and that would not be run all the same."""
    small = _restricted(study, settings)
    kept = {variant.id for variant in (*small.case_variants, *small.variants.methods)}
    for key, _, variants in _ids([study]):
        other = "methods" if key == "datasets" else "datasets"
        for name in (name for name in settings.restrictions.get(key, ()) if name in variants):
            where = f"{CONFIG_FILE}: {key} = {name!r}: a variant"
            if settings.variants is False:
                yield f"{where}, but variants = false; leave one of them out"
            elif name not in kept:
                yield f"{where} without a fit in this run; name other {other}, or leave it out"


def planned(study: Study, settings: Settings | None, registry: Mapping[str, DatasetSpec]) -> PlannedStudy:
    """Return the study as it is run: with titles and steps of the registry, restricted by the settings if given."""
    restrictions = settings.restrictions if settings else {}
    if not _has_variants(study):
        restrictions = {key: words for key, words in restrictions.items() if key != "variants"}
    small = _restricted(study, settings)
    left_out = [exhibit.title for exhibit in study.exhibits if exhibit.id not in {e.id for e in small.exhibits}]
    fields = {name: getattr(small, name) for name in Study.model_fields}
    resolved = {
        "cases": _resolved(small.cases, registry),
        "only_in_table1": _resolved(small.only_in_table1, registry),
        "variants": Variants(methods=small.variants.methods, cases=_resolved(small.case_variants, registry)),
    }
    return PlannedStudy.model_construct(
        **(fields | resolved),
        run_id=run_name(study.id, restrictions),
        restriction=_in_words(restrictions, without_variants=_has_variants(study) and not _has_variants(small)),
        left_out=tuple(left_out),
        sections={exhibit.id: exhibit.title for exhibit in small.exhibits},
        origins={case.id: _origin(case, registry[case.dataset]) for case in small.described},
    )


C = TypeVar("C", bound=Case)


def run_name(study: str, restrictions: Mapping[str, tuple[str, ...]]) -> str:
    """Return the name of a run's folders: the study's id, and what it is restricted to."""
    parts = [f"{key}-{'+'.join(words)}" for key, words in restrictions.items()]
    name = ".".join([study, *parts])
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 17]}.{digest(name)}"


def _has_variants(study: Experiment) -> bool:
    return bool(study.variants.methods or study.case_variants)


def _in_words(restrictions: Mapping[str, tuple[str, ...]], without_variants: bool) -> str:
    """Say what a run is restricted to; empty if it is whole."""
    named = [f"{key} {', '.join(words)}" for key, words in restrictions.items() if key != "variants"]
    said = [f"only {'; '.join(named)}"] if named else []
    if without_variants:
        said.append("without variants")
    elif "variants" in restrictions:
        said.append("with variants")
    return "; ".join(said)


def _resolved(cases: Iterable[C], registry: Mapping[str, DatasetSpec]) -> tuple[C, ...]:
    found = []
    for case in cases:
        entry = registry[case.dataset]
        steps = entry.preprocessing if case.preprocessing is None else case.preprocessing
        found.append(case.model_copy(update={"title": case.title or entry.title, "preprocessing": steps}))
    return tuple(found)


def _origin(case: Case, entry: DatasetSpec) -> Origin:
    files = [*entry.files, *(e.file for name, e in entry.ensembles.items() if name == case.ensemble)]
    checksums = {file.name: file.sha256 for file in files}
    return Origin(title=entry.title, source=entry.source, licence=entry.licence, note=entry.note, checksums=checksums)


def _restricted(study: Study, settings: Settings | None) -> Study:
    if settings is None or not settings.restrictions:
        return study
    case_ids = _named(study.cases, study.case_variants, settings.datasets)
    method_ids = _named(study.methods, study.variants.methods, settings.methods)
    cases = tuple(case for case in study.cases if case.id in case_ids)
    methods = tuple(method for method in study.methods if method.id in method_ids)
    small = study.model_copy(
        update={
            "cases": cases,
            "methods": methods,
            "subsets": settings.subsets or study.subsets,
            "only_in_table1": () if settings.datasets else study.only_in_table1,
            "variants": Variants(
                methods=tuple(_variants_of_methods(study, settings, case_ids, method_ids)),
                cases=tuple(_variants_of_cases(study, settings, case_ids, method_ids)),
            ),
            "generalisation": _generalisation(study, case_ids, method_ids),
            "diagnosis": _diagnosis(study, method_ids),
            "unpublished": tuple(m for m in study.unpublished if m in method_ids),
        }
    )
    return small.model_copy(update={"exhibits": tuple(_exhibits(study, small))})


def _named(
    items: Iterable[Case | MethodRun], variants: Iterable[CaseVariant | MethodVariant], words: Collection[str] | None
) -> set[str]:
    """Return the ids of the cases or methods that are named, and of those whose variant is; all without words."""
    if words is None:
        return {item.id for item in items}
    return {item.id for item in items if item.id in words} | {each.of for each in variants if each.id in words}


def _variants_of_methods(study: Study, settings: Settings, cases: set[str], methods: set[str]) -> list[MethodVariant]:
    """Return the variants of methods that are run: all of them, or those that the settings name."""
    named = settings.methods or ()
    run_on = [case for case in study.cases if case.id in cases]
    found = [variant for variant in study.variants.methods if settings.has_all_variants or variant.id in named]
    return [variant for variant in found if variant.of in methods and any(map(variant.runs_on, run_on))]


def _variants_of_cases(study: Study, settings: Settings, cases: set[str], methods: set[str]) -> list[CaseVariant]:
    """Return the variants of cases that are run, with those of their methods that are."""
    named = settings.datasets or ()
    found = [variant for variant in study.case_variants if settings.has_all_variants or variant.id in named]
    left = {variant.id: tuple(method for method in variant.methods if method in methods) for variant in found}
    return [
        variant.model_copy(update={"methods": left[variant.id]})
        for variant in found
        if variant.of in cases and left[variant.id]
    ]


def _exhibits(study: Study, small: Study) -> Iterable[Exhibit]:
    known = Context(small, {}).known
    for exhibit in study.exhibits:
        kept = without(exhibit, known)
        if kept and (kept.place is None or kept.wanted(small)) and not list(kept.mistakes(small)):
            yield kept


def _diagnosis(study: Study, methods: set[str]) -> Diagnosis:
    kept = study.diagnosis.method in methods
    return study.diagnosis if kept else study.diagnosis.model_copy(update={"method": None})


def _generalisation(study: Experiment, cases: set[str], methods: set[str]) -> Generalisation | None:
    plan = study.generalisation
    if plan is None or (plan.cases and not cases & {*plan.cases}):
        return None
    kept = tuple(m for m in plan.methods if m.method in methods)
    update = {"methods": kept, "cases": tuple(case for case in plan.cases if case in cases)}
    return plan.model_copy(update=update) if kept else None

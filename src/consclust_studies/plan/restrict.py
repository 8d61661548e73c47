"""What is left of a study where the configuration names some cases, methods or subsets."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from consclust.datasets.registry import DatasetSpec
from consclust.validation import did_you_mean
from consclust_studies.config.cases import Case
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.experiment import Experiment, Generalisation, Variants
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
    small = study if found else _restricted(study, settings)
    if found or any(small.runs(case) for case in small.cases):
        return "\n".join(found)
    nothing = "; ".join(f"{key} = {', '.join(words)}" for key, words in settings.restrictions.items())
    return f"{CONFIG_FILE}: {nothing}: the study {study.id} has no fit of these; a case says in `without` what it omits"


def unknown_words(settings: Settings, studies: Iterable[Study], what: str) -> list[str]:
    """Return a mistake for each word of a restriction that names no case or method of the studies."""
    known = {
        "datasets": [case.id for study in studies for case in study.cases],
        "methods": [run.id for study in studies for run in study.methods],
    }
    return [
        f"{CONFIG_FILE}: {key} = {word!r}: {what}; {did_you_mean(word, ids)}"
        for key, ids in known.items()
        for word in settings.restrictions.get(key, ())
        if word not in ids
    ]


def planned(study: Study, settings: Settings | None, registry: Mapping[str, DatasetSpec]) -> PlannedStudy:
    """Return the study as it is run: with titles and steps of the registry, restricted by the settings if given."""
    restrictions = settings.restrictions if settings else {}
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
        restriction="; ".join(f"{key} {', '.join(words)}" for key, words in restrictions.items()),
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
    cases = tuple(c for c in study.cases if settings.datasets is None or c.id in settings.datasets)
    methods = tuple(m for m in study.methods if settings.methods is None or m.id in settings.methods)
    case_ids, method_ids = {c.id for c in cases}, {m.id for m in methods}
    variants = Variants(
        methods=tuple(m for m in study.variants.methods if m.of in method_ids),
        cases=tuple(
            case.model_copy(update={"methods": tuple(m for m in case.methods if m in method_ids)})
            for case in study.case_variants
            if case.of in case_ids and method_ids & {*case.methods}
        ),
    )
    small = study.model_copy(
        update={
            "cases": cases,
            "methods": methods,
            "subsets": settings.subsets or study.subsets,
            "only_in_table1": () if settings.datasets else study.only_in_table1,
            "variants": variants,
            "generalisation": _generalisation(study, case_ids, method_ids),
            "diagnosis": _diagnosis(study, method_ids),
            "unpublished": tuple(m for m in study.unpublished if m in method_ids),
        }
    )
    return small.model_copy(update={"exhibits": tuple(_exhibits(study, small))})


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

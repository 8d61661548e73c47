"""What is wrong with a study of data sets without classes: it has no scores, and no key that needs some."""

from collections.abc import Iterator, Mapping

from consclust.datasets.registry import DatasetSpec
from consclust_studies.config.references import Mistakes
from consclust_studies.config.study import Study, StudyCase

NEED_CLASSES = (
    "metrics", "reported", "selection", "significance", "restarts", "published", "unpublished", "other_data",
    "generalisation", "variants",
)  # fmt: skip
"""Keys of a study that speak of scores."""


def of_classes(study: Study, datasets: Mapping[str, DatasetSpec]) -> Mistakes:
    """Yield cases without a number of clusters, and what a study without classes cannot have."""
    known = [case for case in study.cases if case.dataset in datasets]
    without = [case for case in known if not datasets[case.dataset].classes]
    yield from _of_cases(study, datasets)
    if without and len(without) < len(known):
        other = next(case.dataset for case in known if case not in without)
        moved = f"{without[0].dataset} has no classes, but {other} has; move one of them to a study of its own"
        yield "cases", f": {moved}"
    elif without:
        yield from _of_study(study, without[0].dataset)
        for i, case in enumerate(study.cases):
            yield from ((f"cases[{i}].{key}", message) for key, message in _of_size(study, case, datasets))


def _of_cases(study: Study, datasets: Mapping[str, DatasetSpec]) -> Mistakes:
    for i, case in enumerate(study.cases):
        entry = datasets.get(case.dataset)
        if entry and entry.classes and case.k:
            yield f"cases[{i}].k", f" = {case.k}: {case.dataset} has classes, and their number counts; remove it"
        if entry and not entry.classes and case.k is None:
            remedy = "write how many clusters to look for, for example k: 5"
            yield f"cases[{i}].k", f": missing, and {case.dataset} has no classes; {remedy}"
    for i, variant in enumerate(study.variants.cases):
        if variant.dataset in datasets and not datasets[variant.dataset].classes:
            place = f"variants.cases[{i}].dataset"
            yield place, f" = {variant.dataset!r}: it has no classes to score by; name another"


def _of_study(study: Study, dataset: str) -> Mistakes:
    given = [key for key in NEED_CLASSES if key in study.model_fields_set and getattr(study, key)]
    for key in given:
        if key != "selection" or study.selection != "default":
            yield key, f": needs classes, which {dataset} does not have; remove it"
    if study.claims:
        yield "claims[0]", f": claims need classes, which {dataset} does not have; remove them"
    for i, run in enumerate(study.methods):
        if run.grid:
            yield f"methods[{i}].grid", f": {dataset} has no classes to choose a grid point by; write parameters"
        if run.together:
            yield f"methods[{i}].together", f" = {run.together!r}: {dataset} has no classes; remove it"
    protocol = study.ensemble
    if protocol.draws:
        yield "ensemble.draws", f" = {protocol.draws}: without classes a case is one ensemble of all runs; remove it"
    elif protocol.subset_size != protocol.runs:
        what = "without classes a case is one ensemble of all runs"
        yield "ensemble.subset_size", f" = {protocol.subset_size}: {what}; write subset_size: {protocol.runs}"
    for i, exhibit in enumerate(study.exhibits):
        if not exhibit.without_classes and study.without_classes:
            yield f"exhibits[{i}].kind", f" = {exhibit.kind!r}: needs classes, which {dataset} does not have; remove it"


def _of_size(study: Study, case: StudyCase, datasets: Mapping[str, DatasetSpec]) -> Iterator[tuple[str, str]]:
    shape = datasets[case.dataset].shape if case.dataset in datasets else None
    if shape and case.k and case.k > shape[0]:
        yield "k", f" = {case.k}: {case.dataset} has {shape[0]} objects; lower it"
    if shape and (most := max(study.diagnosis.ks)) > shape[0]:
        yield "dataset", f" = {case.dataset!r}: {shape[0]} objects, but diagnosis.ks has {most}; lower that"

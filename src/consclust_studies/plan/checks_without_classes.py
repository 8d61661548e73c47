"""What is wrong with a study of data sets without classes: it has no scores, and no key that needs some."""

from collections.abc import Mapping

from consclust.datasets.registry import DatasetSpec
from consclust.plurals import count
from consclust_studies.config.references import Mistakes
from consclust_studies.config.study import Study

NEED_CLASSES = (
    "metrics", "reported", "selection", "significance", "restarts", "published", "unpublished", "other_data",
    "generalisation", "variants",
)  # fmt: skip
"""Keys of a study that speak of scores."""


def check_classes(study: Study, datasets: Mapping[str, DatasetSpec]) -> Mistakes:
    """Yield cases without a number of clusters, and what a study without classes cannot have."""
    yield from _check_number_of_clusters(study, datasets)
    yield from _check_variants(study, datasets)
    known = [case for case in study.cases if case.dataset in datasets]
    unlabelled = [case.dataset for case in known if not datasets[case.dataset].classes]
    labelled = [case.dataset for case in known if datasets[case.dataset].classes]
    if unlabelled and labelled:
        what = f"{unlabelled[0]} has no classes, but {labelled[0]} has"
        yield "cases", f": {what}; move one of them to a study of its own"
    elif unlabelled:
        yield from _check_keys(study, unlabelled[0])
        yield from _check_methods(study, unlabelled[0])
        yield from _check_subsets(study)
        yield from _check_exhibits(study, unlabelled[0])
        yield from _check_sizes(study, datasets)


def _check_number_of_clusters(study: Study, datasets: Mapping[str, DatasetSpec]) -> Mistakes:
    for i, case in enumerate(study.cases):
        entry = datasets.get(case.dataset)
        if entry and entry.classes and case.k:
            yield f"cases[{i}].k", f" = {case.k}: {case.dataset} has classes, and their number counts; remove it"
        if entry and not entry.classes and case.k is None:
            remedy = "write how many clusters to look for, for example k: 5"
            yield f"cases[{i}].k", f": missing, and {case.dataset} has no classes; {remedy}"


def _check_variants(study: Study, datasets: Mapping[str, DatasetSpec]) -> Mistakes:
    for i, variant in enumerate(study.variants.cases):
        entry = datasets.get(variant.dataset)
        if entry and not entry.classes:
            key = f"variants.cases[{i}].dataset"
            yield key, f" = {variant.dataset!r}: it has no classes to score by; name another"


def _check_keys(study: Study, dataset: str) -> Mistakes:
    """Yield the keys that need classes; those with their own default may be written out."""
    for key in NEED_CLASSES:
        given = key in study.model_fields_set and getattr(study, key)
        # without scores the default point is taken, so that this selection is true
        is_true = key == "selection" and study.selection == "default"
        if given and not is_true:
            yield key, f": needs classes, which {dataset} does not have; remove it"
    if study.claims:
        yield "claims[0]", f": claims need classes, which {dataset} does not have; remove them"


def _check_methods(study: Study, dataset: str) -> Mistakes:
    for i, run in enumerate(study.methods):
        if run.grid:
            yield f"methods[{i}].grid", f": {dataset} has no classes to choose a grid point by; write parameters"
        if run.together:
            yield f"methods[{i}].together", f" = {run.together!r}: {dataset} has no classes; remove it"


def _check_subsets(study: Study) -> Mistakes:
    """Yield a protocol with several subsets: without scores there is nothing to average over them."""
    protocol = study.ensemble
    what = "without classes a case is one ensemble of all runs"
    if protocol.draws:
        yield "ensemble.draws", f" = {protocol.draws}: {what}; remove it"
    elif protocol.subset_size != protocol.runs:
        remedy = f"write subset_size: {protocol.runs}"
        yield "ensemble.subset_size", f" = {protocol.subset_size}: {what}; {remedy}"


def _check_exhibits(study: Study, dataset: str) -> Mistakes:
    for i, exhibit in enumerate(study.exhibits):
        if not exhibit.without_classes and study.without_classes:
            yield f"exhibits[{i}].kind", f" = {exhibit.kind!r}: needs classes, which {dataset} does not have; remove it"


def _check_sizes(study: Study, datasets: Mapping[str, DatasetSpec]) -> Mistakes:
    """Yield data sets with fewer objects than clusters are looked for."""
    most = max(study.diagnosis.ks)
    for i, case in enumerate(study.cases):
        entry = datasets.get(case.dataset)
        if entry is None or entry.shape is None:
            continue
        n_objects = entry.shape[0]
        if case.k and case.k > n_objects:
            yield f"cases[{i}].k", f" = {case.k}: {case.dataset} has {count(n_objects, 'object')}; lower it"
        if most > n_objects:
            what = f"{count(n_objects, 'object')}, but diagnosis.ks has {most}"
            yield f"cases[{i}].dataset", f" = {case.dataset!r}: {what}; lower that"

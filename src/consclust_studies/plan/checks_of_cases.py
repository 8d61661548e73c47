"""What is wrong with the cases of a study: their preprocessing, base clusterings, parameters, and variants."""

import re
from collections.abc import Sequence
from math import ceil

from consclust.datasets.preprocessing.steps import MODULES as STEPS
from consclust.datasets.registry import MADE, DatasetSpec
from consclust.plurals import count
from consclust.validation import did_you_mean
from consclust_studies.config.cases import BY_ESTIMATORS, BY_KMEANS, Case, CaseFamily, CaseVariant
from consclust_studies.config.method_runs import MethodRun, is_same_point
from consclust_studies.config.references import Mistakes, find_unknown
from consclust_studies.plan.checks_of_methods import check_parameters, uses_features
from consclust_studies.plan.context import Context
from consclust_studies.plan.needs import find_most_clusters

GOES_WITH = {
    "init": BY_KMEANS,
    "linkage": ("agglomerative",),
    "distance": ("agglomerative", "pam"),
    "feature_share": (*BY_KMEANS, *BY_ESTIMATORS),
    "object_share": ("mixed", *BY_ESTIMATORS),
    "n_clusters": tuple(MADE),
}
"""Keys of a case, and the kinds of ensembles that read them."""
DRAWS_NOTHING = ("agglomerative", "pam")
"""Kinds of ensembles whose runs differ by what they are given alone."""


def check_case(case: Case, context: Context) -> Mistakes:
    """Yield what is wrong with a case, or with the variant of one."""
    entry = context.datasets.get(case.dataset)
    if entry is None:
        return
    yield from _check_steps(case, entry)
    yield from _check_parameters(case, context)
    yield from _check_points(case, context)
    yield from _check_races(case, context)
    if case not in context.study.only_in_table1:
        yield from _check_ensemble(case, entry)
        yield from _check_repeated_runs(case, context)
        yield from _check_features(case, entry, context)
        yield from _check_subset_size(case, context)
        yield from _check_n_clusters(case, entry, context)
    yield from _check_place_in_study(case, context)
    if context.study.ensemble.harms:
        yield from _check_harms(case)
    if isinstance(case, CaseVariant):
        yield from _check_variant(case, entry, context)


def _check_harms(case: Case) -> Mistakes:
    """Yield base clusterings that cannot be spoiled, as some labels are missing, or that have no seed."""
    if case.ensemble not in BY_KMEANS:
        yield "ensemble", f" = {case.ensemble!r}: ensemble.harms spoils base clusterings by {', '.join(BY_KMEANS)}"


def check_family(family: CaseFamily, context: Context) -> Mistakes:
    """Yield what is wrong with the variants of a family, at the key of the suffix or of the family that says it."""
    for suffix, variant in family.list_members(context.study.cases):
        for key, message in check_case(variant, context):
            field = re.split(r"[.[]", key)[0]
            of_suffix = field in family.each[suffix].model_fields_set
            yield f"each.{suffix}.{key}" if of_suffix else key, message


def _check_steps(case: Case, entry: DatasetSpec) -> Mistakes:
    if case.steps and entry.reader is None:
        yield "preprocessing", f" = {list(case.steps)}: {case.dataset} has no features; remove it"
    yield from find_unknown("preprocessing", case.steps, STEPS)
    twice = [step for i, step in enumerate(case.steps) if step in STEPS and step in case.steps[:i]]
    if twice:
        yield "preprocessing", f" = {list(case.steps)}: {twice[0]} stands there twice; remove one"


def _check_parameters(case: Case, context: Context) -> Mistakes:
    for name, parameters in case.parameters.items():
        # a name that is no method is reported by the walker
        for run in context.find_runs(name):
            yield from check_parameters(run.method, parameters, f"parameters.{name}")
            for parameter in parameters:
                if parameter in run.grid:
                    yield f"parameters.{name}.{parameter}", f": also in the grid of {name}; remove it"


def _check_points(case: Case, context: Context) -> Mistakes:
    """Yield points that are not on the grid of their method."""
    for name, point in case.points.items():
        for run in context.find_runs(name):
            if not any(is_same_point(point, each) for each in run.points):
                yield f"points.{name}", f" = {point}: not on its grid; write a value of each of {', '.join(run.grid)}"


def _check_races(case: Case, context: Context) -> Mistakes:
    """Yield races after which no subset is left, or no grid point is left out."""
    n_subsets = context.study.ensemble.n_subsets
    if isinstance(case, CaseVariant) and case.subsets:
        n_subsets = case.subsets
    for name, race in case.races.items():
        for run in context.find_runs(name):
            n_points = len(run.points)
            # after a race its best points and the default one run
            if n_points <= race.points + 1:
                yield f"races.{name}.points", f" = {race.points}: {name} has {n_points} grid points; remove the race"
        if race.subsets >= n_subsets:
            what = f"there are {n_subsets} subsets, so that none is left"
            yield f"races.{name}.subsets", f" = {race.subsets}: {what}; lower it"


def _check_ensemble(case: Case, entry: DatasetSpec) -> Mistakes:
    """Yield an ensemble that the data set does not have, and keys that this kind of ensemble does not read."""
    if entry.reader and not entry.reader.is_data:
        yield "dataset", f" = {case.dataset!r}: an archive, not a data set; name another"
    # a data set without a reader has ready-made ensembles alone
    if entry.reader is None and case.ensemble in MADE:
        remedy = f"{{dataset: {case.dataset}, ensemble: {next(iter(entry.ensembles))}}}"
        yield "ensemble", f" = {case.ensemble!r}: {case.dataset} has no features for it; write {remedy}"
    else:
        yield from find_unknown("ensemble", [case.ensemble], [*MADE, *entry.ensembles])
    for key, kinds in GOES_WITH.items():
        value = getattr(case, key)
        # the default may be written out where it has no effect
        default = type(case).model_fields[key].default
        if value != default and case.ensemble not in kinds:
            yield key, f" = {value!r}: goes with ensemble: {' or '.join(kinds)}; remove it"


def _check_repeated_runs(case: Case, context: Context) -> Mistakes:
    """Yield base clusterings that are all the same, and a linkage that a distance does not go with."""
    if case.linkage == "ward" and case.distance != "euclidean":
        yield "distance", f" = {case.distance!r}: linkage: ward is of Euclidean distances; change one of them"
    rule = case.n_clusters or context.study.ensemble.n_clusters
    is_fixed = rule == "classes" or isinstance(rule, int)
    if case.ensemble in DRAWS_NOTHING and is_fixed and case.feature_share == case.object_share == 1:
        remedy = "give n_clusters: random or several numbers, or a feature_share or object_share below 1"
        yield "ensemble", f" = {case.ensemble!r}: it draws nothing, so that all runs are the same; {remedy}"


def _check_features(case: Case, entry: DatasetSpec, context: Context) -> Mistakes:
    """Yield methods that need features where the data set has none."""
    if entry.reader is not None:
        return
    for run in _list_runs(case, context):
        if uses_features(run, context.study.parameters(case, run), context):
            yield "dataset", f" = {case.dataset!r}: no features, {run.id} needs some; add {run.id} to without"


def _list_runs(case: Case, context: Context) -> Sequence[MethodRun]:
    """Return the methods that run on a case, or on the variant of one; none on a case that is only described."""
    study = context.study
    if isinstance(case, CaseVariant):
        return [run for run in study.methods if run.id in case.methods]
    return study.runs(case) if case in study.cases else []


def _check_subset_size(case: Case, context: Context) -> Mistakes:
    protocol = context.study.ensemble
    if case.subset_size and not protocol.draws:
        why = "the runs are split, so that every case has the same number of subsets"
        yield "subset_size", f" = {case.subset_size}: {why}; set ensemble.draws, or remove it"
    elif case.subset_size and case.subset_size > protocol.runs:
        yield "subset_size", f" = {case.subset_size}: more than ensemble.runs = {protocol.runs}; lower it"


def _check_n_clusters(case: Case, entry: DatasetSpec, context: Context) -> Mistakes:
    """Yield a base clustering with more clusters than objects."""
    if entry.shape is None or case.ensemble not in MADE:
        return
    share = 1 if case.ensemble in BY_KMEANS else case.object_share
    n_objects = ceil(share * entry.shape[0])
    n_clusters = find_most_clusters(context.study, case)
    if n_clusters > n_objects:
        key = "n_clusters" if case.n_clusters else "dataset"
        what = (
            f"{count(n_clusters, 'cluster')}, but {count(n_objects, 'object')} of {case.dataset} in a base clustering"
        )
        yield key, f": {what}; lower n_clusters"


def _check_place_in_study(case: Case, context: Context) -> Mistakes:
    """Yield a case without a method, and one that stands for a case that is not there."""
    study = context.study
    if case in study.cases and not study.runs(case):
        yield "without", f" = {list(case.without)}: no method is left; remove the case"
    if case.instead_of is not None:
        others = [other.id for other in study.cases if other.dataset == case.dataset and other.id != case.id]
        if case.instead_of not in others:
            remedy = did_you_mean(case.instead_of, others)
            yield "instead_of", f" = {case.instead_of!r}: no other case of its data set; {remedy}"


def _check_variant(variant: CaseVariant, entry: DatasetSpec, context: Context) -> Mistakes:
    """Yield what a variant cannot have beside its case."""
    study = context.study
    for own in study.cases:
        if own.id != variant.of or own.dataset not in context.datasets:
            continue
        shape = context.datasets[own.dataset].shape
        if entry.shape and shape and entry.shape[0] != shape[0]:
            what = f"{shape[0]} objects, but {variant.dataset} has {entry.shape[0]}"
            yield "of", f" = {variant.of!r}: {what}; name a case of the same objects"
    if variant.subsets and variant.subsets > study.ensemble.n_subsets:
        yield "subsets", f" = {variant.subsets}: there are {study.ensemble.n_subsets}; lower it"
    if variant.without:
        yield "without", f" = {list(variant.without)}: methods says what runs on it; remove without"

"""What is wrong with the methods of a study: their parameters, grids, variants, and what they need of a case."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from consclust import methods
from consclust.plurals import count
from consclust.validation import did_you_mean, short
from consclust_studies.config.experiment import Generalisation, GeneralisedMethod
from consclust_studies.config.method_runs import MethodRun, MethodVariant, find_differing
from consclust_studies.config.references import Mistakes, find_unknown
from consclust_studies.config.values import Value, same
from consclust_studies.plan.context import Context
from consclust_studies.plan.needs import find_most_clusters

RESTARTS = "n_init"
"""The parameter that says how many restarts a method has. Each is kept, in an array of the fits of the whole grid."""


def check_method(run: MethodRun, context: Context) -> Mistakes:
    """Yield what is wrong with a method of the study, or with a variant of one."""
    yield from find_unknown("method", [run.method], methods.names())
    if run.method not in methods.names():
        return
    yield from check_parameters(run.method, run.parameters, "parameters")
    for name, values in run.grid.items():
        if name in run.parameters:
            yield f"grid.{name}", f" = {list(values)}: also in parameters; remove it there"
        if name == RESTARTS:
            remedy = "write a method for each number, with an id of its own"
            yield f"grid.{name}", f" = {list(values)}: the fits of a grid have equally many restarts; {remedy}"
        for value in values:
            yield from check_parameters(run.method, {name: value}, "grid")
    # all that are fitted together are checked with the first of them, so that a mistake is reported once
    if run.together and run is context.study.together(run.together)[0]:
        yield from _check_together(run.together, context)
    yield from _check_subsets(run, context)
    if isinstance(run, MethodVariant):
        yield from _check_variant(run, context)


def _check_variant(run: MethodVariant, context: Context) -> Mistakes:
    """Yield what a variant of a method cannot have beside the method."""
    for own in context.study.methods:
        if own.id == run.of and own.method != run.method:
            what = f"the method {own.method}, not {run.method}"
            yield "of", f" = {run.of!r}: {what}; name a run of {run.method}"
    for case, wanted in run.subsets.items():
        if run.cases and case not in run.cases:
            yield f"subsets.{case}", f" = {wanted}: {run.id} does not run on it; remove it"


def _check_subsets(run: MethodRun, context: Context) -> Mistakes:
    """Yield more subsets than there are, and subsets of a method that is fitted together with others."""
    n_subsets = context.study.ensemble.n_subsets
    for case, wanted in run.subsets.items():
        if wanted > n_subsets:
            yield f"subsets.{case}", f" = {wanted}: there are {n_subsets}; lower it"
    if run.together and run.subsets:
        yield "subsets", f" = {run.subsets}: {run.id} is fitted together with others; remove subsets"


def check_parameters(method: str, parameters: Mapping[str, Value], key: str) -> Mistakes:
    """Yield what is wrong with parameters of a method of :mod:`consclust.methods`."""
    if method not in methods.names():
        return
    cls = methods.load(method)
    settable = list(cls.parameters())
    for name, value in parameters.items():
        if name not in settable:
            yield f"{key}.{name}", f" = {short(value)}: no such parameter of {method}; {did_you_mean(name, settable)}"
            continue
        # one at a time, so that the message names the parameter
        given: dict[str, Any] = {name: value}
        try:
            cls(n_clusters=1, **given).check_parameters()
        except ValueError as refusal:
            yield f"{key}.{name}", f" = {short(value)}: refused by {refusal}"


def uses_features(run: MethodRun, parameters: Mapping[str, Value], context: Context) -> bool:
    """Whether a method reads the features of the objects; False for one that is mistaken, and so cannot be made."""
    if run.method not in methods.names() or not methods.load(run.method).needs_features:
        return False
    # a mistake is reported elsewhere; here it must not raise
    mistaken = any(check_method(run, context)) or any(check_parameters(run.method, parameters, ""))
    return not mistaken and methods.needs_features(run.method, parameters, run.points)


def _check_together(name: str, context: Context) -> Mistakes:
    """Yield what is wrong with the methods that are fitted together under a name."""
    study = context.study
    members = study.together(name)
    taken = [*context.known["row"], *context.known["method or variant"]]
    # labels of these fits are stored under the name, as those of a row are
    if name in taken:
        yield "together", f" = {name!r}: a row has this name; choose another"
    elif len(members) == 1:
        yield "together", f" = {name!r}: no other method has it; write it beside another one, or remove it"
    elif not _differ_in_one_parameter(members):
        what = "one method without a grid, with another value of one parameter each"
        ids = ", ".join(run.id for run in members)
        yield "together", f" = {name!r}: {ids} must be {what}; remove it where they are not"
    elif not _have_equal_restarts(members):
        ids = ", ".join(run.id for run in members)
        yield "together", f" = {name!r}: {ids} must have equally many restarts; remove it"
    elif len({study.missing_labels_for(run) for run in members}) > 1:
        ids = ", ".join(run.id for run in members)
        yield "together", f" = {name!r}: {ids} must have the same missing_labels; give them all the same one"
    for case in (*study.cases, *study.case_variants):
        for run in members:
            if run.id in case.parameters:
                remedy = "give them all the parameter on all cases, or remove it"
                yield "together", f" = {name!r}: {case.id} has parameters of {run.id} alone; {remedy}"


def _differ_in_one_parameter(runs: Sequence[MethodRun]) -> bool:
    """Whether runs are of one method without a grid, each with another value of the same one parameter."""
    first = runs[0]
    for run in runs:
        if run.grid or run.method != first.method or set(run.parameters) != set(first.parameters):
            return False
    axes = list(find_differing(runs).values())
    return len(axes) == 1 and not any(same(a, b) for a, b in combinations(axes[0], 2))


def _have_equal_restarts(runs: Sequence[MethodRun]) -> bool:
    return len({run.parameters.get(RESTARTS) for run in runs}) == 1


def check_generalisation(plan: Generalisation, context: Context) -> Mistakes:
    """Yield what is wrong with the experiment on unseen objects."""
    yield from _check_split(plan, context)
    for i, method in enumerate(plan.methods):
        if method.id == context.study.base_clusterings:
            yield f"methods[{i}].id", f" = {method.id!r}: names the base clusterings; choose another"
        for message in _check_ways(method, context):
            yield f"methods[{i}].by", message


def _check_split(plan: Generalisation, context: Context) -> Mistakes:
    """Yield cases whose objects cannot be split into training and unseen ones."""
    for case in context.study.generalised():
        if case.ensemble != "kmeans":
            yield "cases", f" = {case.id!r}: its base clusterings are not by k-means; name the other cases"
        entry = context.datasets.get(case.dataset)
        if entry is None or entry.shape is None:
            continue
        n_objects, _, n_classes = entry.shape
        # as the stage splits them
        n_training = round(plan.train_share * n_objects)
        n_clusters = max(n_classes, find_most_clusters(context.study, case))
        if n_training < n_clusters:
            what = f"{count(n_training, 'training object')} of {case.id}, but {count(n_clusters, 'cluster')}"
            yield "train_share", f" = {plan.train_share}: {what}; raise it"
        if n_training >= n_objects:
            yield "train_share", f" = {plan.train_share}: no unseen object is left of {case.id}; lower it"


def _check_ways(method: GeneralisedMethod, context: Context) -> Iterator[str]:
    """Yield the ways to label unseen objects that a method does not have."""
    for run in context.study.methods:
        if run.id != method.method:
            continue
        takes = methods.load(run.method).predicts_from if run.method in methods.names() else None
        if takes == "features" and not uses_features(run, run.parameters, context):
            takes = None  # what is not learned from features cannot map them
        for way, needed in (("Infer", "labels"), ("own", "features")):
            if way in method.by and takes != needed:
                yield f" = {way!r}: {run.id} cannot predict from {needed}; write NC"

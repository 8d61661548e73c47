"""What is wrong with a study beyond the form of its file: each mistake is one line with file, key, value and remedy."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from math import ceil
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from consclust import methods
from consclust.datasets.preprocessing.steps import MODULES as STEPS
from consclust.datasets.registry import MADE, DatasetSpec
from consclust.report.items import PLACEHOLDER
from consclust.validation import did_you_mean, short
from consclust_studies.config.cases import BY_KMEANS, Case, CaseFamily, CaseVariant
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.experiment import Generalisation
from consclust_studies.config.method_runs import MethodRun, MethodVariant, differing
from consclust_studies.config.references import Known, Mistakes, mistakes, unknown
from consclust_studies.config.study import Study
from consclust_studies.config.values import Value, same
from consclust_studies.plan.checks_without_classes import of_classes
from consclust_studies.plan.needs import most_clusters

TAKEN_FOLDERS = {"ensembles", "accepted"}
"""Folders of results and reports that are not of one study."""

CLAIMS_FILE = "claims.yaml"
"""The ledger of the paper, beside study.yaml."""

TAKEN_FILES = {"report", "provenance", "study", "SHA256SUMS"}
"""Names of the files of a report that are not of one exhibit."""

GOES_WITH = {"init": BY_KMEANS, "feature_share": BY_KMEANS, "object_share": ("mixed",), "n_clusters": tuple(MADE)}
"""Keys of a case, and the kinds of ensembles that read them."""


def study_mistakes(study: Study, path: Path, datasets: Mapping[str, DatasetSpec]) -> Iterator[str]:
    """Yield what is wrong with a study, one line each."""
    context = Context(study, datasets)
    known = list(mistakes(study, context.known, context.of_model))
    found = [*_of_files(study, path), *of_classes(study, datasets), *context.of_claims()]
    if not known:  # exhibits look up what they name
        shapes = {name: entry.shape for name, entry in datasets.items() if entry.shape}
        for i, exhibit in enumerate(study.exhibits):
            found += [(f"exhibits[{i}].{key}", message) for key, message in _of_exhibit(exhibit, study, shapes)]
    for line in (*known, *(f"{key.rstrip('.')}{message}" for key, message in found)):
        line = re.sub(r"^exhibits\[(\d+)\]", lambda place: f"exhibits[{study.exhibits[int(place[1])].id}]", line)
        apart = line.startswith(("claims[", "ledger[")) and (path.parent / CLAIMS_FILE).is_file()
        yield f"{path.parent / CLAIMS_FILE if apart else path}: {line}"


def _of_exhibit(exhibit: Exhibit, study: Study, shapes: Mapping[str, tuple[int, int, int]]) -> Mistakes:
    """Yield what is wrong with an exhibit; :func:`of_classes` refuses those that need classes where there are none."""
    if exhibit.without_classes or not study.without_classes:
        yield from exhibit.mistakes(study)
        yield from exhibit.mistakes_in_data(study, shapes)


def _of_files(study: Study, path: Path) -> Mistakes:
    if study.id != path.parent.name:
        yield "id", f" = {study.id!r}: the id must be the folder's name; write id: {path.parent.name}"
    if study.id in TAKEN_FOLDERS:
        yield "id", f" = {study.id!r}: a folder of results has this name; choose another"
    for i, exhibit in enumerate(study.exhibits):
        if exhibit.id in TAKEN_FILES:
            yield f"exhibits[{i}].id", f" = {exhibit.id!r}: a file of the report has this name; choose another"

    for name in study.published:
        if not (file := path.parent / "published" / f"{name}.csv").is_file():
            yield "published", f" = {name!r}: no such file as {file}; add it, or remove the name"
    if study.discussion and not (file := path.parent / "discussion.md").is_file():
        yield "discussion", f" = true: no such file as {file}; add it, or remove the key"
    elif study.discussion:
        yield from _of_discussion(study, file)


def _of_discussion(study: Study, file: Path) -> Mistakes:
    """Yield placeholders of exhibits that are not there; columns and rows are known when their numbers are."""
    ids = [exhibit.id for exhibit in study.exhibits]
    for placeholder in PLACEHOLDER.finditer(file.read_text(encoding="utf-8", errors="replace")):
        for name in (name for name in placeholder[1].split()[:1] if name not in ids):
            where = f"{file} has {' '.join(placeholder[0].split())}"
            yield "discussion", f" = true: {where}: no exhibit {name!r}; {did_you_mean(name, ids)}"


class Context:
    """What the rules of a model need to know of the whole: the study and the registry."""

    def __init__(self, study: Study, datasets: Mapping[str, DatasetSpec]) -> None:
        self.study, self.datasets = study, datasets

    @property
    def known(self) -> Known:
        """Everything that a name may refer to."""
        own = [run.id for run in self.study.methods]
        rows, variants = [self.study.base_clusterings, *own], [run.id for run in self.study.variants.methods]
        return {
            "dataset": list(self.datasets),
            "case": [case.id for case in self.study.cases],
            "method": own,
            "method or variant": [*own, *variants],
            "row": rows,
            "row or unseen row": [*rows, *self.study.unseen_rows(), *variants],
            "metric": self.study.metrics,
            "exhibit": [exhibit.id for exhibit in self.study.exhibits],
            "item": [item.id for item in self.study.ledger],
        }

    def of_model(self, model: BaseModel) -> Mistakes:
        """Yield what is wrong with a model of the study beyond its names."""
        if isinstance(model, Case):
            yield from self._of_case(model)
        elif isinstance(model, CaseFamily):
            yield from self._of_family(model)
        elif isinstance(model, MethodRun):
            yield from self._of_method(model)
        elif isinstance(model, Generalisation):
            yield from self._of_generalisation(model)

    def _of_case(self, case: Case) -> Mistakes:
        entry = self.datasets.get(case.dataset)
        if entry is None:
            return
        yield from self._of_steps(case, entry)
        yield from self._of_parameters(case)
        yield from self._of_races(case)
        if case not in self.study.only_in_table1:
            yield from self._of_ensemble(case, entry)
            yield from self._of_numbers(case, entry)
        if case in self.study.cases and not self.study.runs(case):
            yield "without", f" = {list(case.without)}: no method is left; remove the case"
        if case.instead_of is not None:
            same = [c.id for c in self.study.cases if c.dataset == case.dataset and c.id != case.id]
            if case.instead_of not in same:
                remedy = did_you_mean(case.instead_of, same)
                yield "instead_of", f" = {case.instead_of!r}: no other case of its data set; {remedy}"
        if isinstance(case, CaseVariant):
            for own in (own for own in self.study.cases if own.id == case.of and own.dataset in self.datasets):
                other = self.datasets[own.dataset].shape
                if entry.shape and other and entry.shape[0] != other[0]:
                    what = f"{other[0]} objects, but {case.dataset} has {entry.shape[0]}"
                    yield "of", f" = {case.of!r}: {what}; name a case of the same objects"
            if case.subsets and case.subsets > self.study.ensemble.n_subsets:
                yield "subsets", f" = {case.subsets}: there are {self.study.ensemble.n_subsets}; lower it"
            if case.without:
                yield "without", f" = {list(case.without)}: methods says what runs on it; remove without"

    def _of_family(self, family: CaseFamily) -> Mistakes:
        for suffix, variant in family.members(self.study.cases):
            for key, message in self._of_case(variant):
                of_suffix = re.split(r"[.[]", key)[0] in family.each[suffix].model_fields_set
                yield f"each.{suffix}.{key}" if of_suffix else key, message

    def _of_parameters(self, case: Case) -> Mistakes:
        for name, parameters in case.parameters.items():
            for run in (run for run in (*self.study.methods, *self.study.variants.methods) if run.id == name):
                yield from of_parameters(run.method, parameters, f"parameters.{name}")
                for both in (both for both in parameters if both in run.grid):
                    yield f"parameters.{name}.{both}", f": also in the grid of {name}; remove it"

    def _of_races(self, case: Case) -> Mistakes:
        for name, race in case.races.items():
            runs = [run for run in (*self.study.methods, *self.study.variants.methods) if run.id == name]
            for run in (run for run in runs if len(run.points) <= race.points + 1):
                yield (
                    f"races.{name}.points",
                    f" = {race.points}: {name} has {len(run.points)} grid points; remove the race",
                )
            there = (isinstance(case, CaseVariant) and case.subsets) or self.study.ensemble.n_subsets
            if race.subsets >= there:
                yield (
                    f"races.{name}.subsets",
                    f" = {race.subsets}: there are {there} subsets, so that none is left; lower it",
                )

    def _of_ensemble(self, case: Case, entry: DatasetSpec) -> Mistakes:
        if entry.reader and not entry.reader.is_data:
            yield "dataset", f" = {case.dataset!r}: an archive, not a data set; name another"
        if entry.reader is None and case.ensemble in MADE:
            remedy = f"{{dataset: {case.dataset}, ensemble: {next(iter(entry.ensembles))}}}"
            yield "ensemble", f" = {case.ensemble!r}: {case.dataset} has no features for it; write {remedy}"
        else:
            yield from unknown("ensemble", [case.ensemble], [*MADE, *entry.ensembles])
        for key, kinds in GOES_WITH.items():
            value, default = getattr(case, key), type(case).model_fields[key].default
            if value != default and case.ensemble not in kinds:
                yield key, f" = {value!r}: goes with ensemble: {' or '.join(kinds)}; remove it"
        if isinstance(case, CaseVariant):
            runs: list[MethodRun] = [run for run in self.study.methods if run.id in case.methods]
        else:
            runs = self.study.runs(case) if case in self.study.cases else []
        for run in runs if entry.reader is None else []:
            if self._needs_features(run, self.study.parameters(case, run)):
                yield "dataset", f" = {case.dataset!r}: no features, {run.id} needs some; add {run.id} to without"

    def _of_steps(self, case: Case, entry: DatasetSpec) -> Mistakes:
        if case.steps and entry.reader is None:
            yield "preprocessing", f" = {list(case.steps)}: {case.dataset} has no features; remove it"
        yield from unknown("preprocessing", case.steps, STEPS)
        if twice := [step for i, step in enumerate(case.steps) if step in STEPS and step in case.steps[:i]]:
            yield "preprocessing", f" = {list(case.steps)}: {twice[0]} stands there twice; remove one"

    def _of_numbers(self, case: Case, entry: DatasetSpec) -> Mistakes:
        protocol = self.study.ensemble
        if case.subset_size and not protocol.draws:
            why = "the runs are split, so that every case has the same number of subsets"
            yield "subset_size", f" = {case.subset_size}: {why}; set ensemble.draws, or remove it"
        elif case.subset_size and case.subset_size > protocol.runs:
            yield "subset_size", f" = {case.subset_size}: more than ensemble.runs = {protocol.runs}; lower it"
        share = case.object_share if case.ensemble == "mixed" else 1
        n = ceil(share * entry.shape[0]) if entry.shape else 0
        if n and case.ensemble in MADE and (k := most_clusters(self.study, case)) > n:
            key = "n_clusters" if case.n_clusters else "dataset"
            yield key, f": {k} clusters, but {n} objects of {case.dataset} in a base clustering; lower n_clusters"

    def _of_method(self, run: MethodRun) -> Mistakes:
        yield from unknown("method", [run.method], methods.names())
        if run.method not in methods.names():
            return
        yield from of_parameters(run.method, run.parameters, "parameters")
        for name, values in run.grid.items():
            if name in run.parameters:
                yield f"grid.{name}", f" = {list(values)}: also in parameters; remove it there"
            for value in values:
                yield from of_parameters(run.method, {name: value}, "grid")
        if run.together and run is self.study.together(run.together)[0]:
            yield from self._of_fits_together(run.together)
        if isinstance(run, MethodVariant):
            for own in (own for own in self.study.methods if own.id == run.of and own.method != run.method):
                yield "of", f" = {run.of!r}: the method {own.method}, not {run.method}; name a run of {run.method}"

    def _of_fits_together(self, name: str) -> Mistakes:
        members, rows = self.study.together(name), [*self.known["row"], *self.known["method or variant"]]
        alike = len({(run.method, frozenset(run.parameters), bool(run.grid)) for run in members}) == 1
        axes = [*differing(members).values()] if alike and not members[0].grid else []
        if name in rows:
            yield "together", f" = {name!r}: a row has this name; choose another"
        elif len(members) == 1:
            yield "together", f" = {name!r}: no other method has it; write it beside another one, or remove it"
        elif len(axes) != 1 or any(same(a, b) for a, b in combinations(axes[0], 2)):
            what = "one method without a grid, with another value of one parameter each"
            ids = ", ".join(run.id for run in members)
            yield "together", f" = {name!r}: {ids} must be {what}; remove it where they are not"
        for case in (*self.study.cases, *self.study.case_variants):
            for run in (run for run in members if run.id in case.parameters):
                remedy = "give them all the parameter on all cases, or remove it"
                yield "together", f" = {name!r}: {case.id} has parameters of {run.id} alone; {remedy}"

    def _of_generalisation(self, plan: Generalisation) -> Mistakes:
        for case in self.study.generalised():
            if case.ensemble != "kmeans":
                yield "cases", f" = {case.id!r}: its base clusterings are not by k-means; name the other cases"
            entry = self.datasets.get(case.dataset)
            n, _, classes = (entry and entry.shape) or (0, 0, 0)
            training, k = round(plan.train_share * n), max(classes, most_clusters(self.study, case))
            if n and training < k:
                what = f"{training} training objects of {case.id}, but {k} clusters"
                yield "train_share", f" = {plan.train_share}: {what}; raise it"
            if n and training >= n:
                yield "train_share", f" = {plan.train_share}: no unseen object is left of {case.id}; lower it"
        for i, method in enumerate(plan.methods):
            if method.id == self.study.base_clusterings:
                yield f"methods[{i}].id", f" = {method.id!r}: names the base clusterings; choose another"
            for run in (run for run in self.study.methods if run.id == method.method):
                takes = methods.load(run.method).predicts_from if run.method in methods.names() else None
                if takes == "features" and not self._needs_features(run, run.parameters):
                    takes = None  # what is not learned from features cannot map them
                for by, needed in (("Infer", "labels"), ("own", "features")):
                    if by in method.by and takes != needed:
                        yield f"methods[{i}].by", f" = {by!r}: {run.id} cannot predict from {needed}; write NC"

    def of_claims(self) -> Mistakes:
        """Yield claims that no scores could decide."""
        study, plan = self.study, self.study.generalisation
        for i, claim in enumerate(study.claims):
            if claim in study.claims[:i]:
                yield f"claims[{i}]", f": the same as claims[{study.claims.index(claim)}]; remove one"
            here = study.unseen_rows() if claim.unseen else list(self.known["row"])
            if claim.against and not claim.unseen:
                here += [run.id for run in study.variants.methods]
            for key, row in (("method", claim.method), *(("against", row) for row in claim.against)):
                if row not in here and row in self.known["row or unseen row"]:
                    where = "the table on unseen objects" if claim.unseen else "the main table"
                    yield f"claims[{i}].{key}", f" = {row!r}: not in {where}; {did_you_mean(row, here)}"
            if claim.unseen and plan and claim.metric != plan.metric:
                yield f"claims[{i}].metric", f" = {claim.metric!r}: unseen objects have another; write {plan.metric}"
            if not claim.unseen and claim.metric not in study.metrics:
                remedy = did_you_mean(claim.metric, study.metrics)
                yield f"claims[{i}].metric", f" = {claim.metric!r}: not in metrics; {remedy}"
            if claim.check == "above_base" and claim.method != (base := study.base_clusterings):
                one = f"for one method, write check: best and against: [{base}]"
                yield f"claims[{i}].method", f" = {claim.method!r}: above_base counts all methods; name {base!r}; {one}"
            if claim.check == "stable" and not any(run.grid for run in study.methods if run.id == claim.method):
                yield f"claims[{i}].method", f" = {claim.method!r}: it has no grid to be stable over; name another"

    def _needs_features(self, run: MethodRun, parameters: Mapping[str, Value]) -> bool:
        if run.method not in methods.names() or not methods.load(run.method).needs_features:
            return False
        mistaken = [*self._of_method(run), *of_parameters(run.method, parameters, "")]
        return not mistaken and methods.needs_features(run.method, parameters, run.points)


def of_parameters(method: str, parameters: Mapping[str, Value], key: str) -> Mistakes:
    """Yield what is wrong with parameters of a method of :mod:`consclust.methods`."""
    if method not in methods.names():
        return
    cls = methods.load(method)
    settable = list(cls.parameters())
    for name, value in parameters.items():
        if name not in settable:
            yield f"{key}.{name}", f" = {short(value)}: no such parameter of {method}; {did_you_mean(name, settable)}"
            continue
        given: dict[str, Any] = {name: value}
        try:
            cls(n_clusters=1, **given).check_parameters()
        except ValueError as refusal:
            yield f"{key}.{name}", f" = {short(value)}: refused by {refusal}"

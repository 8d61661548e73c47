"""What is wrong with a study beyond the form of its file: each mistake is one line with file, key, value and remedy."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel

from consclust.datasets.registry import DatasetSpec
from consclust.report.items import PLACEHOLDER
from consclust.validation import did_you_mean, short
from consclust_studies.config.cases import Case, CaseFamily
from consclust_studies.config.experiment import Generalisation
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.references import Mistakes, find_mistakes
from consclust_studies.config.study import Study
from consclust_studies.plan.checks_of_cases import check_case, check_family
from consclust_studies.plan.checks_of_claims import check_claims
from consclust_studies.plan.checks_of_methods import check_generalisation, check_method
from consclust_studies.plan.checks_without_classes import check_classes
from consclust_studies.plan.context import Context

TAKEN_NAMES = {"ensembles", "accepted", "labels", "all"}
"""Folders of results and reports that are not of one study, and the target of a run that names none."""

CLAIMS_FILE = "claims.yaml"
"""The ledger of the paper, beside study.yaml."""

TAKEN_FILES = {"report", "provenance", "study", "SHA256SUMS"}
"""Names of the files of a report that are not of one exhibit."""


def check_study(study: Study, path: Path, datasets: Mapping[str, DatasetSpec]) -> Iterator[str]:
    """Yield what is wrong with a study, one line each."""
    context = Context(study, datasets)
    lines = list(find_mistakes(study, context.known, lambda model: _check_model(model, context)))
    found = [*_check_files(study, path), *check_classes(study, datasets), *check_claims(context)]
    if not lines:
        # exhibits look up what they name, so they are checked only if every name is known
        found += _check_exhibits(study, datasets)
    lines += [f"{key.rstrip('.')}{message}" for key, message in found]

    claims_file = path.parent / CLAIMS_FILE
    for line in lines:
        in_ledger = line.startswith(("claims[", "ledger[")) and claims_file.is_file()
        yield f"{claims_file if in_ledger else path}: {_name_exhibit(line, study)}"


def _name_exhibit(line: str, study: Study) -> str:
    """Return a line with the id of an exhibit in place of its number: a list of exhibits is too long to count in."""
    return re.sub(r"^exhibits\[(\d+)\]", lambda place: f"exhibits[{study.exhibits[int(place[1])].id}]", line)


def _check_model(model: BaseModel, context: Context) -> Mistakes:
    """Yield what is wrong with a model of the study beyond its names."""
    if isinstance(model, Case):
        yield from check_case(model, context)
    elif isinstance(model, CaseFamily):
        yield from check_family(model, context)
    elif isinstance(model, MethodRun):
        yield from check_method(model, context)
    elif isinstance(model, Generalisation):
        yield from check_generalisation(model, context)


def _check_exhibits(study: Study, datasets: Mapping[str, DatasetSpec]) -> Mistakes:
    """Yield what is wrong with the exhibits.

    :func:`check_classes` refuses those that need classes where there are none.
    """
    shapes = {name: entry.shape for name, entry in datasets.items() if entry.shape}
    for i, exhibit in enumerate(study.exhibits):
        if exhibit.without_classes or not study.without_classes:
            for key, message in (*exhibit.mistakes(study), *exhibit.mistakes_in_data(study, shapes)):
                yield f"exhibits[{i}].{key}", message


def _check_files(study: Study, path: Path) -> Mistakes:
    """Yield names that do not go with the files of the project, and files that are missing."""
    if study.id != path.parent.name:
        yield "id", describe_wrong_id(study.id, path)
    if study.id in TAKEN_NAMES:
        yield "id", f" = {study.id!r}: a folder of results, or a target, has this name; choose another"
    for i, exhibit in enumerate(study.exhibits):
        if exhibit.id in TAKEN_FILES:
            yield f"exhibits[{i}].id", f" = {exhibit.id!r}: a file of the report has this name; choose another"

    for name in study.published:
        table = path.parent / "published" / f"{name}.csv"
        if not table.is_file():
            yield "published", f" = {name!r}: no such file as {table}; add it, or remove the name"
    if study.discussion:
        yield from _check_discussion(study, path.parent / "discussion.md")


def describe_wrong_id(given: str, path: Path) -> str:
    """Return what is wrong with an id that is not the name of the study's folder."""
    return f" = {short(given)}: the id must be the folder's name; write id: {path.parent.name}"


def _check_discussion(study: Study, file: Path) -> Mistakes:
    """Yield placeholders of exhibits that are not there; columns and rows are known when their numbers are."""
    if not file.is_file():
        yield "discussion", f" = true: no such file as {file}; add it, or remove the key"
        return
    if not file.resolve().is_relative_to(file.parent.resolve()):
        yield "discussion", f" = true: {file} is a link to {file.resolve()}; copy the text into the study's folder"
        return
    ids = [exhibit.id for exhibit in study.exhibits]
    # a text that is not UTF-8 is refused when it is set
    for placeholder in PLACEHOLDER.finditer(file.read_text(encoding="utf-8", errors="replace")):
        words = placeholder[1].split()
        if words and words[0] not in ids:
            where = f"{file} has {' '.join(placeholder[0].split())}"
            yield "discussion", f" = true: {where}: no exhibit {words[0]!r}; {did_you_mean(words[0], ids)}"

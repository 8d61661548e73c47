"""The plan of a run, from the files of the configuration and what ``--config`` says."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from consclust.datasets.registry import DatasetSpec, load_registry
from consclust.errors import InputError
from consclust.validation import did_you_mean, parse, read_yaml
from consclust_studies import paths
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.exhibit_kinds import kinds_of, with_a_place
from consclust_studies.config.paper import Ledger
from consclust_studies.config.settings import CONFIG_FILE, Settings
from consclust_studies.config.study import Study
from consclust_studies.confirm import check_sorts
from consclust_studies.plan import own_files
from consclust_studies.plan.checks import CLAIMS_FILE, of_id, study_mistakes
from consclust_studies.plan.plan import Plan
from consclust_studies.plan.restrict import planned, refusals, unknown_words

NOTHING: Mapping[str, Any] = MappingProxyType({})
RESTRICTIONS = ("datasets", "methods", "subsets", "variants")


def load_plan(
    config: Mapping[str, Any], elsewhere: bool = False, given: Mapping[str, Any] = NOTHING, stored: bool = False
) -> Plan:
    """Read and check the whole configuration: ``config/config.yaml`` with the changes of ``--config``.

    ``given`` is what ``--config`` says, for messages that name it. A job that runs ``elsewhere``, not where the run was
    started, need not reach the mirror of the data, nor the user's own files: the environment variable
    :data:`own_files.VARIABLE` may have their checksums.
    :class:`InputError` has one line for each mistake, with file, key, value and remedy.
    """
    settings, registered = _settings(config, given), load_registry()
    told = os.environ.get(own_files.VARIABLE) if elsewhere else None
    registry = own_files.with_checksums(registered, json.loads(told) if told else own_files.own_files(registered))
    files = sorted(Path().glob(paths.STUDY.format(study="*")))
    if not files:
        raise InputError(f"{paths.STUDIES}: no study; write one as {paths.STUDY.format(study='<id>')}")
    studies = [load_study(path, registry) for path in files]
    check_sorts(settings.refit)
    mistakes = unknown_words(settings, studies, "in no study")
    ids = [study.id for study in studies]
    if settings.default_study and settings.default_study not in ids:
        what = f"default_study = {settings.default_study!r}: no such study"
        mistakes.append(f"{CONFIG_FILE}: {what}; {did_you_mean(settings.default_study, ids)}")
    if not elsewhere:
        mistakes += _of_mirror(settings.data_mirror)
    if mistakes:
        raise InputError(_blamed("\n".join(mistakes), given))
    refused = {study.id: _blamed(message, given) for study in studies if (message := refusals(study, settings))}
    runs = [planned(study, settings, registry) for study in studies if study.id not in refused]
    return Plan(settings, registry, [planned(study, None, registry) for study in studies], runs, refused, stored)


def _settings(config: Mapping[str, Any], given: Mapping[str, Any]) -> Settings:
    for key in (key for key in RESTRICTIONS if key in given and given[key] is None):
        raise InputError(f"--config: {key} = '': names nothing; write a value, or leave {key} out")
    try:
        return parse(Settings, dict(config), CONFIG_FILE)
    except InputError as mistake:
        raise InputError(_blamed(str(mistake), given)) from None


def _blamed(message: str, given: Mapping[str, Any]) -> str:
    """Return the message with ``--config`` in place of the file where a key was given there."""
    keys = "|".join(map(re.escape, given))
    return re.sub(rf"^{CONFIG_FILE}: (?=({keys})\W)", "--config: ", message, flags=re.MULTILINE) if keys else message


def _of_mirror(mirror: str | None) -> list[str]:
    if not mirror or mirror.startswith(("http://", "https://")) or Path(mirror).expanduser().is_dir():
        return []
    return [f"{CONFIG_FILE}: data_mirror = {mirror!r}: no such folder; correct it, or write null"]


def load_study(path: Path, registry: Mapping[str, DatasetSpec]) -> Study:
    """Read a study, add the standard exhibits, and check all of it; :class:`InputError` as for :func:`load_plan`."""
    study = with_standard_exhibits(_with_claims(_parse_study(path), path.parent / CLAIMS_FILE))
    if found := list(study_mistakes(study, path, registry)):
        raise InputError("\n".join(dict.fromkeys(found)))
    return study


def _parse_study(path: Path) -> Study:
    """Return a study from its file; the id, by which the kinds of exhibits are found, is checked with their keys."""
    content = read_yaml(path)
    try:
        return parse(Study, content, path)
    except InputError as mistake:
        given = content.get("id") if isinstance(content, Mapping) else None
        if isinstance(given, str) and given != path.parent.name and f"{path}: id = " not in str(mistake):
            raise InputError(f"{path}: id{of_id(given, path)}\n{mistake}") from None
        raise


def _with_claims(study: Study, path: Path) -> Study:
    """Return the study with the ledger of its paper, if there is one."""
    if not path.is_file():
        return study
    if study.claims or study.ledger:
        raise InputError(f"{path}: study.yaml has claims or a ledger of its own; move all of them here")
    return study.model_copy(update=dict(parse(Ledger, read_yaml(path), path)))


def with_standard_exhibits(study: Study) -> Study:
    """Return the study with the standard exhibits that it does not list, those of a negative place before its own."""
    ids = {exhibit.id for exhibit in study.exhibits}
    listed = {type(exhibit) for exhibit in study.exhibits}
    before: list[Exhibit] = []
    after: list[Exhibit] = []
    for place, cls in with_a_place(kinds_of(study.id, study.kinds).values()):
        has_material = cls.without_classes or not study.without_classes
        if has_material and (cls.beside_listed or cls not in listed):
            absent = [exhibit for exhibit in cls.unlisted(study) if exhibit.id not in ids]
            (before if place < 0 else after).extend(absent)
    return study.model_copy(update={"exhibits": (*before, *study.exhibits, *after)})

"""The plan of a run, from the files of the configuration and what ``--config`` says."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from consclust.datasets.registry import DatasetSpec, load_registries
from consclust.environment import refuse_former_names
from consclust.errors import InputError
from consclust.validation import did_you_mean, parse, read_yaml
from consclust_studies import paths
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.config.exhibit_kinds import find_kinds, with_a_place
from consclust_studies.config.paper import Ledger
from consclust_studies.config.settings import CONFIG_FILE, Settings
from consclust_studies.config.study import Study
from consclust_studies.confirm import unknown_sorts
from consclust_studies.plan import own_files
from consclust_studies.plan.checks import CLAIMS_FILE, check_study, describe_wrong_id
from consclust_studies.plan.plan import Plan
from consclust_studies.plan.restrict import find_reasons_not_to_run, find_unknown_words, plan_study

NOTHING: Mapping[str, Any] = MappingProxyType({})
RESTRICTIONS = ("datasets", "methods", "subsets", "variants")
LISTS = ("datasets", "methods", "refit")


def load_plan(
    config: Mapping[str, Any], elsewhere: bool = False, given: Mapping[str, Any] = NOTHING, stored: bool = False
) -> Plan:
    """Read and check the whole configuration: ``config/config.yaml`` with the changes of ``--config``.

    ``given`` is what ``--config`` says, for messages that name it. A job that runs ``elsewhere``, not where the run was
    started, need not reach the mirror of the data, nor the user's own files: the environment variable
    :data:`own_files.VARIABLE` may have their checksums.
    :class:`InputError` has one line for each mistake, with file, key, value and remedy.
    """
    refuse_former_names()
    settings = _parse_settings(config, given)
    registry = _load_registry(elsewhere)
    # sorted, as the order of a glob depends on the file system
    files = sorted(Path().glob(paths.STUDY.format(study="*")))
    if not files:
        raise InputError(f"{paths.STUDIES}: no study; write one as {paths.STUDY.format(study='<id>')}")
    studies = [load_study(path, registry) for path in files]
    mistakes = [*_check_settings(settings, studies, elsewhere), *unknown_sorts(settings.refit)]
    if mistakes:
        raise InputError(_blame_command_line("\n".join(mistakes), given))

    # a study that cannot be run with these restrictions is refused only when it is asked for
    refused = {}
    runs = []
    for study in studies:
        reasons = find_reasons_not_to_run(study, settings)
        if reasons:
            refused[study.id] = _blame_command_line(reasons, given)
        else:
            runs.append(plan_study(study, settings, registry))
    # a restricted run shares the jobs of the whole study
    whole = [plan_study(study, None, registry) for study in studies]
    return Plan(settings, registry, whole, runs, refused, stored)


def check_command_line(arguments: Sequence[str]) -> None:
    """Raise :class:`InputError` for a setting that ``--config`` has twice: Snakemake takes the last one in silence."""
    given: dict[str, list[str]] = {}
    here = False
    for argument in arguments:
        if argument.startswith("-"):
            here = argument in ("--config", "-C")
            continue
        key, sign, value = argument.partition("=")
        if here and sign:
            given.setdefault(key, []).append(value)
    for key, values in given.items():
        if len(values) > 1:
            both = " and ".join(f"{key}={value}" for value in values)
            remedy = f"several values are one list, {key}={','.join(values)}" if key in LISTS else "write one of them"
            raise InputError(f"--config: {both}: only the last one would count; {remedy}")


def _parse_settings(config: Mapping[str, Any], given: Mapping[str, Any]) -> Settings:
    for key in RESTRICTIONS:
        if key in given and given[key] is None:
            raise InputError(f"--config: {key} = '': names nothing; write a value, or leave {key} out")
    try:
        return parse(Settings, dict(config), CONFIG_FILE)
    except InputError as mistake:
        raise InputError(_blame_command_line(str(mistake), given)) from None


def _load_registry(elsewhere: bool) -> dict[str, DatasetSpec]:
    """Return the registry with the checksums of the user's own files, which are not there ``elsewhere``."""
    registry = load_registries()
    handed_over = os.environ.get(own_files.VARIABLE) if elsewhere else None
    checksums = json.loads(handed_over) if handed_over else own_files.compute_checksums(registry)
    return own_files.add_checksums(registry, checksums)


def _check_settings(settings: Settings, studies: Sequence[Study], elsewhere: bool) -> list[str]:
    """Return what in the settings names nothing."""
    mistakes = find_unknown_words(settings, studies, "in no study")
    ids = [study.id for study in studies]
    if settings.default_study and settings.default_study not in ids:
        what = f"default_study = {settings.default_study!r}: no such study"
        mistakes.append(f"{CONFIG_FILE}: {what}; {did_you_mean(settings.default_study, ids)}")
    if not elsewhere:
        mistakes += _check_mirror(settings.data_mirror)
    return mistakes


def _blame_command_line(message: str, given: Mapping[str, Any]) -> str:
    """Return the message with ``--config`` in place of the file where a key was given there."""
    if not given:
        return message
    keys = "|".join(map(re.escape, given))
    return re.sub(rf"^{CONFIG_FILE}: (?=({keys})\W)", "--config: ", message, flags=re.MULTILINE)


def _check_mirror(mirror: str | None) -> list[str]:
    # an address may be down now and reachable later: it is not checked
    if not mirror or mirror.startswith(("http://", "https://")) or Path(mirror).expanduser().is_dir():
        return []
    return [f"{CONFIG_FILE}: data_mirror = {mirror!r}: no such folder; correct it, or write null"]


def load_study(path: Path, registry: Mapping[str, DatasetSpec]) -> Study:
    """Read a study, add the standard exhibits, and check all of it; :class:`InputError` as for :func:`load_plan`."""
    study = add_standard_exhibits(_add_claims(_parse_study(path), path.parent / CLAIMS_FILE))
    mistakes = list(check_study(study, path, registry))
    if mistakes:
        raise InputError("\n".join(dict.fromkeys(mistakes)))  # once each: the same key may be refused twice
    return study


def _parse_study(path: Path) -> Study:
    """Return a study from its file; the id, by which the kinds of exhibits are found, is checked with their keys."""
    content = read_yaml(path)
    try:
        return parse(Study, content, path)
    except InputError as mistake:
        given = content.get("id") if isinstance(content, Mapping) else None
        if isinstance(given, str) and given != path.parent.name and f"{path}: id = " not in str(mistake):
            raise InputError(f"{path}: id{describe_wrong_id(given, path)}\n{mistake}") from None
        raise


def _add_claims(study: Study, path: Path) -> Study:
    """Return the study with the ledger of its paper, if there is one."""
    if not path.is_file():
        return study
    if study.claims or study.ledger:
        raise InputError(f"{path}: study.yaml has claims or a ledger of its own; move all of them here")
    return study.model_copy(update=dict(parse(Ledger, read_yaml(path), path)))


def add_standard_exhibits(study: Study) -> Study:
    """Return the study with the standard exhibits that it does not list, those of a negative place before its own."""
    if not study.standard_exhibits:
        return study
    ids = {exhibit.id for exhibit in study.exhibits}
    listed = {type(exhibit) for exhibit in study.exhibits}
    before: list[Exhibit] = []
    after: list[Exhibit] = []
    # in the order of their places
    for place, kind in with_a_place(find_kinds(study.id, study.kinds).values()):
        if study.without_classes and not kind.without_classes:
            continue
        if kind in listed and not kind.beside_listed:
            continue
        absent = [exhibit for exhibit in kind.unlisted(study) if exhibit.id not in ids]
        if place < 0:
            before += absent
        else:
            after += absent
    return study.model_copy(update={"exhibits": (*before, *study.exhibits, *after)})

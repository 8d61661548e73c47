"""The plan of a run, from the files of the configuration and what ``--config`` says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from concord.config.settings import CONFIG_FILE, load_settings
from concord.datasets.registry import DatasetSpec, load_registry
from concord.errors import InputError
from concord.plan.checks import study_mistakes
from concord.plan.plan import Plan
from concord.plan.restrict import planned, refusals
from concord.reports.exhibits import standard
from concord.reports.study import Study
from concord.validation import did_you_mean, parse, read_yaml

STUDIES = Path("config/studies")


def load_plan(config: Mapping[str, Any]) -> Plan:
    """Read and check the whole configuration.

    Parameters
    ----------
    config : mapping
        ``config/config.yaml`` with the changes of ``--config``.

    Raises
    ------
    InputError
        One line for each mistake, with file, key, value and remedy.
    """
    settings, registry = load_settings(config), load_registry()
    if not (files := sorted(STUDIES.glob("*/study.yaml"))):
        raise InputError(f"{STUDIES}: no study; write one as {STUDIES}/<id>/study.yaml")
    studies = [load_study(path, registry) for path in files]
    known = {
        "datasets": {case.id for study in studies for case in study.cases},
        "methods": {run.id for study in studies for run in study.methods},
    }
    mistakes = [
        f"{CONFIG_FILE}: {key} = {word!r}: in no study; {did_you_mean(word, sorted(ids))}"
        for key, ids in known.items()
        for word in settings.restrictions.get(key, ())
        if word not in ids
    ]
    mirror = settings.data_mirror
    if mirror and not mirror.startswith(("http://", "https://")) and not Path(mirror).expanduser().is_dir():
        mistakes.append(f"{CONFIG_FILE}: data_mirror = {mirror!r}: no such folder; correct it, or write null")
    if mistakes:
        raise InputError("\n".join(mistakes))
    refused = {study.id: message for study in studies if (message := refusals(study, settings))}
    runs = [planned(study, settings, registry) for study in studies if study.id not in refused]
    return Plan(settings, registry, [planned(study, None, registry) for study in studies], runs, refused)


def load_study(path: Path, registry: Mapping[str, DatasetSpec]) -> Study:
    """Read a study, add the standard exhibits, and check all of it.

    Raises
    ------
    InputError
        One line for each mistake, with file, key, value and remedy.
    """
    study = with_standard_exhibits(parse(Study, read_yaml(path), path))
    if found := list(study_mistakes(study, path, registry)):
        raise InputError("\n".join(dict.fromkeys(found)))
    return study


def with_standard_exhibits(study: Study) -> Study:
    """Return the study with the standard exhibits that it does not list, those of a negative place before its own."""
    kinds = {exhibit.kind for exhibit in study.exhibits}
    ids = {exhibit.id for exhibit in study.exhibits}
    absent = [
        exhibit
        for exhibit in standard()
        if exhibit.id not in ids and exhibit.wanted(study) and (exhibit.kind not in kinds or exhibit.kind == "scores")
    ]
    before = [exhibit for exhibit in absent if (type(exhibit).place or 0) < 0]
    after = [exhibit for exhibit in absent if exhibit not in before]
    return study.model_copy(update={"exhibits": (*before, *study.exhibits, *after)})

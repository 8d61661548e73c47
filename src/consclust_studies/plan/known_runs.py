"""The runs in this folder, with the settings that each was started with.

A run keeps its settings in its folder of results, as a file of the configuration: ``snakemake --cores 2 --configfile
results/<run>/run.json <study>`` repeats it.
"""

import fcntl
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from consclust.files import write_text
from consclust.validation import parse, read_yaml
from consclust_studies.config.settings import Settings

RESULTS = Path("results")
FILE = "run.json"
LOCK = Path(".snakemake/consclust.lock")
"""A run holds a lock of the kernel on this file."""
OF_THE_FOLDER = {"data_mirror", "default_study"}
"""Settings that are not of a run, but of the machine and the folder."""


class KnownRun(NamedTuple):
    """A run that was started in this folder."""

    name: str
    """Of its folders, such as ``rce.datasets-yale``."""
    study: str
    settings: Settings
    file: Path
    """Where the settings stand."""


def store_settings(runs: Iterable[str], settings: Settings) -> None:
    """Write the settings of runs that start, by their names, into their folders of results."""
    content = {key: value for key, value in _dump_settings(settings).items() if value != []}  # a list names something
    for run in runs:
        write_text(RESULTS / run / FILE, json.dumps(content, indent=2) + "\n")


def read_known_runs() -> list[KnownRun]:
    """Return the runs whose folders of results are here, by name; InputError for a file that holds no settings."""
    found = []
    for path in sorted(RESULTS.glob(f"*/{FILE}")):
        name = path.parent.name
        study = name.partition(".")[0]
        found.append(KnownRun(name, study, parse(Settings, read_yaml(path), path), path))
    return found


def find_differing(settings: Settings, others: Settings) -> dict[str, Any]:
    """Return the settings of a run that are not as others."""
    theirs = _dump_settings(others)
    return {key: value for key, value in _dump_settings(settings).items() if value != theirs[key]}


def write_as_words(settings: Mapping[str, Any]) -> list[str]:
    """Return settings as ``--config`` takes them."""
    return [f"{key}={_write_as_word(value)}" for key, value in settings.items()]


def is_run_at_work() -> bool:
    """Whether a Snakemake may be at work in this folder.

    The kernel knows, however earlier ones have ended; in a file system without locks nobody does.
    """
    if not LOCK.is_file():
        return False
    with LOCK.open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _dump_settings(settings: Settings) -> dict[str, Any]:
    return settings.model_dump(mode="json", exclude=OF_THE_FOLDER)


def _write_as_word(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value)

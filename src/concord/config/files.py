"""The files of the configuration, and a study as it is run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator

from concord.config.study import Study
from concord.datasets.registry import DatasetSpec
from concord.errors import InputError
from concord.files import RERUN
from concord.validation import Strict, parse, read_yaml

CONFIG_FILE = Path("config/config.yaml")
STUDIES = Path("config/studies")


class Config(Strict):
    """What holds for every study."""

    seed: Annotated[int, Field(ge=0)] = Field(
        description="the one seed; all others are spawned from it by name"
    )
    data_mirror: str | None = Field(
        None, description="folder or URL that is tried before the public addresses"
    )
    subsets_per_job: Annotated[int, Field(ge=1)] = Field(
        10, description="block of subsets that one job works through"
    )
    datasets: tuple[str, ...] | None = Field(None, description="restrict every study to these cases")
    methods: tuple[str, ...] | None = Field(None, description="restrict every study to these methods")
    subsets: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="restrict every study to its first so many subsets: a first look at a costly one",
    )

    @field_validator("datasets", "methods", mode="before")
    @classmethod
    def _from_comma_list(cls, value: Any) -> Any:
        return [word.strip() for word in value.split(",")] if isinstance(value, str) else value


def load_config(value: Mapping[str, Any], file: Path = CONFIG_FILE) -> Config:
    """Validate the merged configuration (file plus ``--config``)."""
    return parse(Config, dict(value), file)


def load_study(path: Path, datasets: Mapping[str, DatasetSpec]) -> Study:
    """Read a study; check its names (against the registry of data sets too) and the methods' parameters."""
    from concord.checks import mistakes

    study = parse(Study, read_yaml(path), path)
    if found := list(mistakes(study, path, datasets)):
        raise InputError("\n".join(found))
    return study


def read_study(path: Path) -> Study:
    """Read a study as it is run, ``results/<study>/study.json``."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; Snakemake writes it, run the study once") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: not valid JSON ({error}); {RERUN}") from None
    return parse(Study, value, path)

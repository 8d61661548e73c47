"""What a citation, a package index, an installation and a reader of the licence find."""

import itertools
import re
import tomllib
from pathlib import Path

import yaml

import concord

ROOT = Path(__file__).parents[1]


def test_one_version_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "concord.__version__"}
    assert citation["version"] == concord.__version__


def test_the_licence_is_the_one_that_is_named():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (ROOT / project["license-files"][0]).read_text()
    assert project["license"] == yaml.safe_load((ROOT / "CITATION.cff").read_text())["license"] == "BSD-3-Clause"
    assert text.startswith("BSD 3-Clause License")
    assert "the Concord authors" in text


def test_every_data_set_names_its_licence():
    registry = yaml.safe_load((ROOT / "config/datasets.yaml").read_text())
    assert [name for name, entry in registry.items() if not entry.get("licence")] == []


def test_conda_gets_the_packages_of_the_lock():
    lines = (ROOT / "envs/requirements.lock").read_text().splitlines()
    locked = [line.removesuffix(" \\") for line in lines if "==" in line and not line.startswith(" ")]
    assert locked == yaml.safe_load((ROOT / "envs/environment.yaml").read_text())["dependencies"][-1]["pip"]


def test_the_lock_pins_what_is_declared():
    lock = {line.split("==")[0] for line in (ROOT / "envs/requirements.lock").read_text().splitlines() if "==" in line}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    base, build = project["project"]["dependencies"], project["dependency-groups"]["build"]
    declared = [*base, *build, *itertools.chain(*extras.values())]
    names = {re.split(r"[<>=\[ ]", requirement)[0] for requirement in declared} - {"concord"}
    assert len(names) > 40
    assert names <= lock

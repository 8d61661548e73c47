"""What a citation, a package index, an installation and a reader of the licence find."""

import itertools
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import consclust

ROOT = Path(__file__).parents[1]


def test_one_version_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "consclust.__version__"}
    assert citation["version"] == consclust.__version__


def test_the_licence_is_the_one_that_is_named():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (ROOT / project["license-files"][0]).read_text()
    assert project["license"] == yaml.safe_load((ROOT / "CITATION.cff").read_text())["license"] == "BSD-3-Clause"
    assert text.startswith("BSD 3-Clause License")
    assert "the consclust authors" in text


def test_every_data_set_names_its_licence():
    registry = yaml.safe_load((ROOT / "config/datasets.yaml").read_text())
    assert [name for name, entry in registry.items() if not entry.get("licence")] == []


def locked() -> list[str]:
    lines = (ROOT / "envs/requirements.lock").read_text().splitlines()
    return [line.removesuffix(" \\") for line in lines if "==" in line and not line.startswith(" ")]


def test_conda_gets_the_packages_of_the_lock():
    assert locked() == yaml.safe_load((ROOT / "envs/environment.yaml").read_text())["dependencies"][-1]["pip"]


def test_the_lock_pins_what_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    base, build = project["project"]["dependencies"], project["dependency-groups"]["build"]
    declared = [*base, *build, *itertools.chain(*extras.values())]
    names = {Requirement(requirement).name for requirement in declared} - {"consclust"}
    assert len(names) > 40
    assert names <= {Requirement(package).name for package in locked()}


def asked_by(package: str) -> list[Requirement]:
    """Return what an installed package needs here; nothing, for one of another platform."""
    try:
        needed = [Requirement(text) for text in requires(package) or []]
    except PackageNotFoundError:
        return []
    return [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]


def test_the_lock_names_the_extras_that_packages_ask_for():
    """Where it does not, pip before 23.3 takes the newest version of the package, whose hash the lock does not have."""
    extras = {one.name: one.extras for one in map(Requirement, locked())}
    asked = [one for package in extras for one in asked_by(package) if one.extras]
    assert asked
    assert [str(one) for one in asked if not one.extras <= extras[canonicalize_name(one.name)]] == []

"""What a citation, a package index, an installation and a reader of the licence find."""

import itertools
import json
import re
import tomllib
from collections import Counter
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


def test_citation_and_codemeta_name_the_papers_of_all_studies():
    stated = [yaml.safe_load(path.read_text()) for path in sorted((ROOT / "studies").glob("*/study.yaml"))]
    named = [study["paper"] for study in stated if "paper" in study]
    papers = {(paper["title"], paper["year"], paper["authors"]) for paper in named}
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    cited = {
        (
            each["title"],
            each["year"],
            ", ".join(f"{one['given-names']} {one['family-names']}" for one in each["authors"]),
        )
        for each in citation["references"]
    }
    assert len(cited) == 5
    assert cited == papers
    codemeta = json.loads((ROOT / "codemeta.json").read_text())
    described = {
        (
            each["name"],
            int(each["datePublished"]),
            ", ".join(f"{one['givenName']} {one['familyName']}" for one in each["author"]),
        )
        for each in codemeta["referencePublication"]
    }
    assert described == papers
    assert codemeta["version"] == consclust.__version__
    assert codemeta["license"].endswith("BSD-3-Clause")


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


def packages_for(python: str) -> dict[str, str]:
    """Return the versions that the lock gives a Python on this system."""
    here = {"python_full_version": python, "python_version": python.rpartition(".")[0]}
    found = map(Requirement, locked())
    return {one.name: str(one.specifier) for one in found if one.marker is None or one.marker.evaluate(here)}


FOR_PATCH_RELEASES = {"soupsieve"}  # a newer one from Python 3.11.5 on; only the theme of the documents needs it


def test_the_lock_has_one_version_of_each_package_for_all_pythons():
    """Last bits of NumPy and SciPy, and in some cases labels, would depend on the Python; see envs/constraints.txt."""
    found = [Requirement(package) for package in locked()]
    times = Counter(canonicalize_name(package.name) for package in found)
    assert {name for name, count in times.items() if count > 1} <= FOR_PATCH_RELEASES
    oldest, *newer = (packages_for(python) for python in ("3.11.7", "3.12.1", "3.13.0"))
    assert newer == [oldest, oldest]


def test_the_lock_and_the_environment_have_no_address():
    """Packages come from the index that is configured where they are installed."""
    for name in ("envs/requirements.lock", "envs/mutation.lock", "envs/environment.yaml"):
        found = re.findall(r"^.*(?:://|index-url|find-links).*$", (ROOT / name).read_text(), re.MULTILINE)
        assert found == [], name


def test_the_lock_keeps_to_its_own_bounds():
    versions = {canonicalize_name(one.name): one.specifier for one in map(Requirement, locked())}
    lines = (ROOT / "envs/constraints.txt").read_text().splitlines()
    bounds = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert {"numpy", "scipy"} <= {bound.name for bound in bounds}
    for bound in bounds:
        (pinned,) = versions[bound.name]
        assert bound.specifier.contains(pinned.version), bound


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

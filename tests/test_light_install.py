"""``pip install .`` without an extra suffices for every method, and says the extra where one is needed."""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import light

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def installed_with(requirements):
    """The names of packages, and of all that they need."""
    found, waiting = set(), [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        applies = not requirement.marker or requirement.marker.evaluate({"extra": ""})
        if applies and name not in found:
            found.add(name)
            waiting += [Requirement(text) for text in requires(name) or []]
    return found


@pytest.fixture(scope="module")
def alone():
    """What tests/light.py prints where the packages of the extras, and all others, cannot be imported."""
    # without numba too: it may be too old for a new Python or NumPy
    kept = {"consclust", *installed_with(PROJECT["dependencies"])} - {"numba", "llvmlite"}
    hidden = [
        package
        for package, names in packages_distributions().items()
        if not kept & {canonicalize_name(name) for name in names}
    ]
    assert {"numba", "pandas", "pyarrow", "matplotlib", "snakemake", "typst", "pytest"} <= {*hidden}
    command = [sys.executable, Path(__file__).with_name("light.py"), json.dumps(hidden)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def compiled():
    return light.answers()


@pytest.mark.parametrize("fit", light.FITS)
def test_a_method_finds_the_same_without_compiled_loops(alone, compiled, fit):
    plain = alone["answers"][fit]
    assert plain["labels"] == compiled[fit]["labels"]
    assert len(plain["matrices"]) == len(compiled[fit]["matrices"])
    for found, expected in zip(plain["matrices"], compiled[fit]["matrices"], strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_data_base_clusterings_consensus_and_scores_need_no_extra(alone):
    assert min(alone["scores"]) > 0.8


def test_every_extra_is_named_once_where_it_is_needed(alone):
    assert {extra for extra, _ in alone["doors"]} == {*PROJECT["optional-dependencies"]} - {"docs"}
    for extra, message in alone["doors"]:
        assert message.count(f'pip install "consclust[{extra}]') == 1, message

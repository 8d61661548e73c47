"""The project was called Concord: what is left of that name is refused, and another package may have it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from consclust.cli import main as command
from consclust.environment import FORMER_PREFIX, PREFIX, READ, refuse_former_names
from consclust.errors import InputError
from consclust_studies.__main__ import main as job
from consclust_studies.plan.load import load_plan

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("word", READ)
def test_a_variable_of_the_former_name_is_refused_with_the_new_name(word):
    with pytest.raises(InputError) as caught:
        refuse_former_names({f"{FORMER_PREFIX}{word}": "/data", "PATH": "/bin"})
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{FORMER_PREFIX}{word}: ")
    assert f"{PREFIX}{word}" in line


def test_variables_of_other_programs_and_of_the_project_are_not_refused():
    others = {f"{FORMER_PREFIX}HOME": "x", "CONCORD": "x", "CONCORDE_DATA_MIRROR": "x"}
    refuse_former_names({**others, **{f"{PREFIX}{word}": "x" for word in READ}})


def test_every_variable_that_the_source_reads_is_known():
    read = set()
    for path in (ROOT / "src").rglob("*.py"):
        read |= {word for word in path.read_text().replace('"', "'").split("'") if word.startswith(PREFIX)}
    ours = {word for word in read if word.removeprefix(PREFIX).replace("_", "").isalpha() and word != PREFIX}
    new = {"CONSCLUST_RUN_SHOWS_RESULTS"}  # there was none of this kind under the former name
    assert ours - new == {f"{PREFIX}{word}" for word in READ}


def test_the_command_and_a_job_end_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(f"{FORMER_PREFIX}CACHE", str(tmp_path))
    shown = CliRunner().invoke(command, ["methods"])
    assert shown.exit_code == 2
    assert shown.stderr.count("\n") == 1
    assert f"{PREFIX}CACHE" in shown.stderr
    assert job(["gone.json"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{PREFIX}CACHE" in line
    with pytest.raises(InputError, match=f"{PREFIX}CACHE"):  # before any file of a run is read
        load_plan({})


OTHER = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "concord"
version = "9.9"

[tool.setuptools]
packages = ["concord"]
"""


def pip(*arguments):
    quiet = ["-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([sys.executable, "-m", "pip", *arguments, *quiet], check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the wheel of the project and a package of the former name."""
    folder = tmp_path_factory.mktemp("installed")
    source, other, target = folder / "source", folder / "other", folder / "target"
    for part in ("src/consclust", "src/consclust_studies", "workflow", "config"):
        shutil.copytree(ROOT / part, source / part, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    (other / "concord").mkdir(parents=True)
    (other / "concord/__init__.py").write_text("name = 'another package'\n")
    (other / "pyproject.toml").write_text(OTHER)
    pip("wheel", str(source), str(other), "--wheel-dir", str(folder / "wheels"))
    wheels = sorted((folder / "wheels").glob("*.whl"))
    assert len(wheels) == 2
    pip("install", *map(str, wheels), "--target", str(target))
    return target


@pytest.mark.long
def test_the_wheel_and_a_package_of_the_former_name_are_imported_together(installed, tmp_path):
    code = (
        "import concord, consclust, consclust.datasets\n"
        "print(concord.name)\n"
        "print(consclust.__file__)\n"
        "print('yale' in consclust.datasets.names())"
    )
    env = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    name, file, has_data = done.stdout.splitlines()
    assert name == "another package"
    assert Path(file).is_relative_to(installed)
    assert has_data == "True"


@pytest.mark.long
def test_the_wheel_has_the_library_alone(installed):
    files = [path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()]
    assert "consclust/methods/rce.py" in files
    assert "consclust/py.typed" in files
    tops = {file.split("/")[0] for file in files if ".dist-info" not in file}
    assert tops <= {"consclust", "concord", "bin"}
    assert not [file for file in files if file.endswith((".smk", "Snakefile")) or "snakemake" in file.lower()]

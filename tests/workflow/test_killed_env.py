"""``make env`` killed in the middle: the same command completes, and the environment is whole.

No index is needed: the lock of this test has packages of the environment that runs it, packed as wheels. ``make
torture`` kills at every moment (``CONSCLUST_KILLS``).
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.metadata import distribution, version
from pathlib import Path
from zipfile import ZipFile

import pytest

from conftest import PATIENCE, ROOT

pytestmark = [pytest.mark.workflow, pytest.mark.skipif(shutil.which("make") is None, reason="needs make")]

SITE = ".venv/lib/python*/site-packages"
# there when the environment is made, when the first package is installed into it, and when only the project is missing
FIRST, LAST = f"setuptools-{version('setuptools')}.dist-info", f"click-{version('click')}.dist-info"
MOMENTS = [".venv/pyvenv.cfg", f"{SITE}/{FIRST}", f"{SITE}/{LAST}/RECORD"]
if "CONSCLUST_KILLS" not in os.environ:
    MOMENTS = MOMENTS[-1:]


def packed(package: str, folder: Path) -> Path:
    """Make a wheel of an installed package."""
    wheel = folder / f"{package}-{version(package)}-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        for file in distribution(package).files:
            if not {"__pycache__", ".."} & {*file.parts}:
                archive.write(file.locate(), str(file))
    return wheel


@pytest.fixture
def folder(tmp_path) -> Path:
    """What ``make env`` needs of the project, with a lock of two packages."""
    for part in ("Makefile", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / part, tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for part in ("wheels", "envs", "workflow"):
        (tmp_path / part).mkdir()
    shutil.copy(ROOT / "workflow/is_at_work.py", tmp_path / "workflow")
    wheels = [packed(package, tmp_path / "wheels") for package in ("click", "setuptools")]
    locked = [
        "{}=={} --hash=sha256:{}\n".format(*wheel.name.split("-")[:2], hashlib.sha256(wheel.read_bytes()).hexdigest())
        for wheel in wheels
    ]
    (tmp_path / "envs/requirements.lock").write_text("".join(locked))
    return tmp_path


ENV = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MAKEFLAGS")}
PIP = {"PIP_NO_INDEX": "1", "PIP_NO_COMPILE": "1", "PIP_FIND_LINKS": "wheels", "PIP_CONFIG_FILE": os.devnull}


def make_env(folder: Path) -> subprocess.Popen:
    command = ["make", "env", f"PYTHON={sys.executable}"]
    return subprocess.Popen(command, cwd=folder, env=ENV | PIP, start_new_session=True)


def test_the_command_that_was_killed_completes_when_repeated(folder):
    end = time.monotonic() + PATIENCE
    for moment in MOMENTS:
        running = make_env(folder)
        while not any(folder.glob(moment)) and running.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        assert running.wait() == -signal.SIGKILL, f"ended before there was {moment}"
        assert not (folder / ".venv/ready").exists()
    assert make_env(folder).wait() == 0
    (site,) = folder.glob(SITE)
    for wheel in folder.glob("wheels/*.whl"):
        with ZipFile(wheel) as archive:
            for name in archive.namelist():
                assert name.endswith(("/RECORD", "/INSTALLER")) or (site / name).read_bytes() == archive.read(name)
    find = [folder / ".venv/bin/python", "-c", "import consclust; print(consclust.__file__)"]
    found = subprocess.run(find, env=ENV, cwd="/", capture_output=True, text=True, check=True).stdout
    assert Path(found.strip()) == folder / "src/consclust/__init__.py"


def test_no_environment_is_made_anew_under_a_run(folder):
    (folder / ".venv").mkdir()
    (folder / ".venv/used").touch()
    (folder / ".snakemake").mkdir()
    name = re.search(r'"(\.snakemake/\w+\.lock)"', (ROOT / "workflow/rules/common.smk").read_text())[1]
    with (folder / name).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(["make", "env"], cwd=folder, env=ENV | PIP, capture_output=True, text=True)
    assert done.returncode
    assert ".venv" in done.stderr
    assert [path.name for path in (folder / ".venv").iterdir()] == ["used"]

"""Kills at random, a full disk, a folder that cannot be written to: the same command completes, with the same bytes.

``make torture`` kills more often: ``CONSCLUST_KILLS``; ``CONSCLUST_SEED`` draws other moments.
"""

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from kills import disturbed

from conftest import BRIEF, Project

pytestmark = pytest.mark.workflow

KILLS = int(os.environ.get("CONSCLUST_KILLS", "6"))
SEED = int(os.environ.get("CONSCLUST_SEED", "0"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, bytes]:
    project = Project(tmp_path_factory.mktemp("undisturbed")).set_up()
    project.study(BRIEF)
    project.run("tiny")
    return project.reproducible_files()


def test_kills_at_random_lose_nothing(project, undisturbed):
    project.study(BRIEF)
    random_, killed = random.Random(SEED), 0
    while killed < KILLS:
        if disturbed(project, "tiny", random_, 6):
            for name in ("results", "reports"):  # so that there is work again
                shutil.rmtree(project.folder / name)
        else:
            killed += 1
    project.run_apart("tiny")
    found = {name: content for name, content in project.reproducible_files().items() if "/." not in name}
    assert found == undisturbed  # but for temporary files of jobs that were killed


def test_a_clock_that_goes_back_changes_no_byte(project, undisturbed):
    project.study(BRIEF)
    project.run("tiny")
    random_, now = random.Random(SEED), time.time()
    for name in project.reproducible_files():
        moment = now + random_.uniform(-1e6, 0)
        os.utime(project.folder / name, (moment, moment))
    project.run("tiny")
    assert project.reproducible_files() == undisturbed
    assert project.run("tiny") == []


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own for the results, small, and its mount point; skipped where none can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no mount command")
    if done.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


@pytest.mark.parametrize(("before", "after"), [("size=4k", "size=64m"), ("ro", "rw,size=64m")])
def test_results_that_cannot_be_written_say_so_and_the_same_command_resumes(
    project, undisturbed, small_disk, before, after
):
    project.study(BRIEF)
    (project.folder / "results").symlink_to(small_disk)
    remount(small_disk, before)
    code, said = project.ask("tiny")
    assert code
    assert "No space left on device" in said or "Read-only file system" in said
    remount(small_disk, after)
    project.run("tiny")
    assert project.reproducible_files() == undisturbed

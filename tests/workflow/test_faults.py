"""Kill, corrupt, refuse: nothing is lost, nothing half-written is used, every failure is reported."""

import errno
import fcntl
import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest
import yaml

from conftest import BRIEF, PATIENCE, TINY, Project

pytestmark = pytest.mark.workflow

SLOW_METHOD = '''"""EAC that waits until a file appears."""

import os, time
from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod
import numpy as np


class Waiting(ConsensusMethod):
    """Waits while the file ``hold`` is there; ``n_clusters``."""

    summary = "A method of the tests."

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def _fit(self, ensemble: Ensemble) -> None:
        open(f"here-{os.getpid()}", "w").close()
        while os.path.exists("hold"):
            time.sleep(0.05)
        self._set_labels(ensemble.profiles[:, :1].T.clip(0), np.zeros(1), ensemble.membership)
'''

BROKEN_METHOD = '''"""Breaks."""

from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod


class Broken(ConsensusMethod):
    """Breaks where ``depth`` is 2; ``n_clusters``."""

    summary = "A method of the tests."

    def __init__(self, n_clusters: int, depth: int = 1) -> None:
        self.n_clusters = n_clusters
        self.depth = depth

    def _fit(self, ensemble: Ensemble) -> None:
        if self.depth == 2:
            raise ZeroDivisionError("a defect")
        import numpy as np
        self._set_labels(ensemble.profiles[:, :1].T.clip(0), np.zeros(1), ensemble.membership)
'''


def add_method(project, name, source, **entry):
    (project.folder / f"src/consclust/methods/{name.lower()}.py").write_text(source)
    path = project.folder / "studies/tiny/study.yaml"
    study = yaml.safe_load(path.read_text())
    study["methods"].append({"method": name, **entry})
    path.write_text(yaml.safe_dump(study, sort_keys=False))


def start_and_wait_for_jobs(project, *targets, jobs=1):
    """Start Snakemake and return it once so many jobs are in the hands of the waiting method."""
    (project.folder / "hold").touch()
    run = subprocess.Popen(
        project.command(*targets), cwd=project.folder, env=project.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    end = time.monotonic() + PATIENCE
    while len(pids_of_jobs(project)) < jobs:
        if run.poll() is not None or time.monotonic() > end:
            (project.folder / "hold").unlink()  # else its jobs would wait for ever
            run.terminate()
            pytest.fail(f"waited in vain:\n{run.communicate()[0].decode()[-4000:]}")
        time.sleep(0.05)
    return run


def pids_of_jobs(project):
    return [int(path.name.removeprefix("here-")) for path in project.folder.glob("here-*")]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("undisturbed")).set_up()
    project.study(BRIEF)
    add_method(project, "Waiting", SLOW_METHOD)
    project.run_apart("tiny")
    return project.reproducible_files()


def test_sigkill_of_snakemake_then_the_same_command(brief, undisturbed):
    add_method(brief, "Waiting", SLOW_METHOD)
    run = start_and_wait_for_jobs(brief, "tiny")
    orphans = pids_of_jobs(brief)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert not list((brief.folder / "results/tiny/consensus").rglob("Waiting/*.npz")), "nothing half-written"
    for pid in orphans:
        os.kill(pid, signal.SIGKILL)
    (brief.folder / "hold").unlink()
    brief.snakemake("tiny")
    assert brief.reproducible_files() == undisturbed


def test_sigkill_of_a_job_then_the_same_command(brief, undisturbed):
    add_method(brief, "Waiting", SLOW_METHOD)
    run = start_and_wait_for_jobs(brief, "tiny")
    (job,) = pids_of_jobs(brief)
    os.kill(job, signal.SIGKILL)
    (brief.folder / "hold").unlink()
    output, _ = run.communicate(timeout=PATIENCE)
    assert run.returncode == 1, output.decode()[-2000:]
    brief.run_apart("tiny")
    assert brief.reproducible_files() == undisturbed
    assert not [path for path in (brief.folder / "results").rglob(".*") if path.is_file() and path.suffix == ".npz"]


def test_jobs_work_side_by_side_whatever_they_would_ask_of_a_cluster(project):
    add_method(project, "Waiting", SLOW_METHOD)
    files = [f"results/tiny/consensus/{case}/Waiting/0-2.npz" for case in ("iris", "wine")]
    run = start_and_wait_for_jobs(project, *files, jobs=2)
    (project.folder / "hold").unlink()
    output, _ = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, output.decode()[-2000:]


def test_a_second_run_in_the_same_folder_is_refused(copy_of_finished):
    with (copy_of_finished.folder / ".snakemake/consclust.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = copy_of_finished.snakemake("tiny", "--forceall", check=False)
    assert done.returncode == 1
    assert "another Snakemake is at work in this folder" in done.stderr


NO_LOCKS = """
import fcntl
import os

def flock(file, operation):
    raise OSError({number}, os.strerror({number}))

fcntl.flock = flock
"""


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS], ids=["NFS without its daemon", "Lustre without flock"])
def test_a_file_system_without_locks_is_said_and_stops_nothing(brief, tmp_path, number):
    (tmp_path / "sitecustomize.py").write_text(NO_LOCKS.format(number=number))
    brief.env["PYTHONPATH"] = os.pathsep.join([str(tmp_path), brief.env["PYTHONPATH"]])
    prepared = "data/prepared/iris/raw.npz"
    done = brief.snakemake(prepared)
    assert (brief.folder / prepared).is_file()
    (line,) = [line for line in done.stderr.splitlines() if os.strerror(number) in line]
    assert "lock" in line
    assert "second run" in line
    assert "Traceback" not in done.stderr


def test_an_expected_failure_is_a_record_and_a_note(project):
    """A subset of one clustering with two clusters cannot be turned into three."""
    project.study(
        {
            **TINY,
            "cases": ["iris"],
            "ensemble": {"runs": 3, "subset_size": 1, "n_clusters": 2},
            "variants": {"methods": TINY["variants"]["methods"]},
        }
    )
    project.run("tiny")
    remarks = (project.folder / "reports/tiny/remarks.csv").read_text()
    assert "failure" in remarks
    assert "RCE" in remarks
    table = (project.folder / "reports/tiny/table2.csv").read_text()
    assert "failed on 3 of 3 subsets" in table
    labels = np.load(next((project.folder / "results/tiny/consensus/iris/RCE").glob("*.npz")))
    assert (labels["labels"] == -1).all()
    assert len(json.loads(str(labels["failures"]))) == 3 * 4


def test_a_defect_of_a_method_fails_loudly_and_spares_the_others(brief):
    add_method(brief, "Broken", BROKEN_METHOD, grid={"depth": [1, 2]}, default={"depth": 1})
    done = brief.run_apart("tiny", check=False)
    assert done.returncode == 1
    log = next((brief.folder / "logs/tiny/consensus/iris/Broken").iterdir()).read_text()
    first = log.splitlines()[0]
    assert first == "Broken on iris, subset 1, {'depth': 2}: ZeroDivisionError: a defect"
    assert "Traceback" in log
    assert first in done.stderr
    assert list((brief.folder / "results/tiny/consensus/iris/EAC").glob("*.npz")), "keep-going"
    assert not list((brief.folder / "results/tiny/consensus/iris/Broken").glob("*.npz"))
    assert not (brief.folder / "reports/tiny/report.pdf").exists()


def test_a_corrupt_intermediate_is_refused_with_its_name(copy_of_finished):
    file = copy_of_finished.folder / "results/ensembles/tiny/iris.npz"
    file.write_bytes(file.read_bytes()[:100])
    labels = "results/tiny/consensus/iris/EAC/0-2.npz"
    code, said = copy_of_finished.ask(labels, "--forcerun", "consensus")
    assert code == 1
    assert "results/ensembles/tiny/iris.npz: not a readable .npz file" in said


def test_an_intermediate_of_other_settings_is_refused(copy_of_finished, project):
    """A file put in the place of another one, as by a copy from another folder."""
    name = "results/ensembles/tiny/iris.npz"
    project.run(name, "--config", "seed=1")
    (copy_of_finished.folder / name).write_bytes((project.folder / name).read_bytes())
    with pytest.raises(AssertionError, match=r"iris\.npz: made with other settings.*delete it"):
        copy_of_finished.run("tiny")


def test_a_hand_placed_file_is_taken_if_its_checksum_holds_and_refused_otherwise(project, mirror, monkeypatch):
    monkeypatch.delenv("CONSCLUST_DATA_MIRROR")
    project.study(
        {
            "id": "glassonly",
            "title": "t",
            "summary": "s",
            "cases": ["glass"],
            "ensemble": {"runs": 4, "subset_size": 4},
            "methods": ["EAC"],
        }
    )
    raw = project.folder / "data/raw/glass/glass.data"
    raw.parent.mkdir(parents=True)
    good = (mirror / "files/glass/glass.data").read_bytes()
    raw.write_bytes(good.replace(b"1.52101", b"1.52102", 1))
    code, said = project.ask("data/prepared/glass/raw.npz")
    assert code == 1
    assert "glass.data" in said
    assert "dd67373f4baf2807345df02cbfef2093d342e61ad0d82a4fb79af43ef8ce449d" in said
    raw.write_bytes(good)
    project.run("data/prepared/glass/raw.npz")
    assert raw.read_bytes() == good


def test_a_file_placed_by_hand_is_asked_for_where_it_is_absent_and_never_deleted(project):
    with (project.folder / "config/datasets.yaml").open("a") as registry:
        registry.write("own: {title: Own, reader: {format: table}, files: [{name: own.csv}], licence: x, source: y}\n")
    prepared = "data/prepared/own/raw.npz"
    code, said = project.ask(prepared)
    assert code == 1
    assert "place the file by hand at data/raw/own/own.csv" in said
    raw = project.folder / "data/raw/own/own.csv"
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text("1,2,a\n3,4,b\n")
    project.run(prepared)
    first = (project.folder / prepared).read_bytes()
    raw.write_text("1,2,a\n3,5,b\n")
    project.run(prepared)
    assert (project.folder / prepared).read_bytes() != first, "an edit is seen"
    project.run(prepared, "--forceall")
    assert raw.read_text() == "1,2,a\n3,5,b\n"

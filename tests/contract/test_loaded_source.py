"""A job is done by the source that it was planned for, and by no other."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mill import do_all, jobs, make_plan, outputs

from consclust.errors import InputError
from consclust_studies import runner
from consclust_studies.__main__ import main

pytestmark = pytest.mark.long

SOURCE = Path(__file__).parents[2] / "src"


def planned(kind="prepare"):
    """The first job of a kind, planned with the source as it is."""
    return jobs(make_plan(), [kind])[0]


def write(job, code=None):
    """Write the file of a job, for a source with another fingerprint if one is given."""
    file = job.to_file(job.inputs, job.outputs)
    if code:
        spec = job.spec.model_copy(update={"code": code}).json_text
        file = file.model_copy(update={"spec": spec, "sources": dict.fromkeys(file.sources, "0" * 64)})
    return file.write()


def test_a_job_planned_for_another_source_is_refused_in_one_line_and_leaves_nothing(project, capsys):
    job = planned()
    assert main([str(write(job, code="0" * 16)), "--log", "a.log"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "source has changed" in line
    assert "run the same command again" in line
    assert Path("a.log").read_text().splitlines() == [line]
    assert not [path for path in outputs(job) if path.exists()]
    assert not runner.PREVIOUS.exists()


def test_a_result_at_hand_is_not_taken_by_another_source(project):
    """Nor is it harmed: it is the result of an earlier run."""
    do_all(make_plan(), ["prepare"])
    job = planned()
    (path,) = outputs(job)
    before = path.read_bytes()
    with pytest.raises(InputError, match="source has changed"):
        runner.run_job_file(write(job, code="0" * 16))
    assert path.read_bytes() == before


def test_a_source_that_changes_while_a_job_works_leaves_nothing(project, monkeypatch):
    job = planned()
    (path,) = outputs(job)
    found = []

    def check(spec, file):
        found.append(path.exists())
        if len(found) == 2:
            raise InputError("the source has changed")

    monkeypatch.setattr(runner, "check_source", check)
    with pytest.raises(InputError, match="source has changed"):
        runner.run_job_file(write(job))
    assert found == [False, True], "it is checked before the job and after it"
    assert not path.exists()
    assert not runner.PREVIOUS.exists()


EDITS = {
    "none": ("dataset", "dataset", False),
    "of the job": ("else coded(raw.classes)", "else coded([*raw.classes])", True),
    "of a message": ("all objects are of one class", "every object is of one class", False),
    "of another job": ("np.full(n, MISSING)", "np.full(n + 1, MISSING)", False),
}
"""What is replaced in the file that prepares data sets, and whether it counts for one with classes."""


@pytest.mark.parametrize(("old", "new", "refused"), EDITS.values(), ids=EDITS)
def test_the_source_is_that_of_the_process(project, tmp_path, old, new, refused):
    """The plan is made with this source, the job has a copy of it: as it is, or edited since."""
    job = planned()
    path = write(job)
    shutil.copytree(SOURCE, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "src/consclust/datasets/prepared.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    command = [sys.executable, "-m", "consclust_studies", str(path), "--log", "a.log"]
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == refused, done.stderr
    assert outputs(job)[0].exists() is not refused
    if refused:
        assert "source has changed" in done.stderr
        assert done.stderr.count("\n") == 1


LATE = '''"""A module that its user imports late."""


def halve(n):
    return n // 2
'''
EDITING_METHOD = '''"""A method that edits a module before it imports it, as a person does who works on it meanwhile."""

from pathlib import Path

import numpy as np

from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod


class Edits(ConsensusMethod):
    """Gives one cluster to half of the objects; ``n_clusters``."""

    summary = "A method of the tests."

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def _fit(self, ensemble: Ensemble) -> None:
        if ensemble.n_objects > 1 and Path("edit").exists():
            path = Path(__file__).parents[1] / "numerics/late.py"
            path.write_text(path.read_text().replace("// 2", "// 3"))
        if ensemble.n_objects > 1:
            from consclust.numerics.late import halve

            part = halve(ensemble.n_profiles)
        else:
            part = 1
        labels = np.arange(ensemble.n_profiles) < part
        self._set_labels(labels[None].astype(int), np.zeros(1), ensemble.membership)
'''
PLAN = """
import sys
from mill import do, jobs, make_plan

plan = make_plan({"methods": ["Edits", "EAC"], "cases": ["toy"]}, subsets_per_job=3)
for job in jobs(plan, ["prepare", "base_clusterings"]):
    do(job)
for job in jobs(plan, ["consensus"]):
    if job.names["method"] == "Edits":
        print(job.to_file(job.inputs, job.outputs).write())
"""


def test_an_edit_between_the_start_of_a_job_and_a_late_import_is_noticed(project, tmp_path):
    source = tmp_path / "src"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
    (source / "consclust/numerics/late.py").write_text(LATE)
    (source / "consclust/methods/edits.py").write_text(EDITING_METHOD)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(Path(__file__).parent)])}
    found = subprocess.run([sys.executable, "-c", PLAN], env=env, capture_output=True, text=True, check=True)
    command = [sys.executable, "-m", "consclust_studies", found.stdout.split()[-1]]
    labels = Path("results/small/consensus/toy/Edits/0-2.npz")
    Path("edit").touch()
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, labels.exists()) == (1, False), done.stderr
    assert "source has changed" in done.stderr
    assert done.stderr.count("\n") == 1

    Path("edit").unlink()
    (source / "consclust/numerics/late.py").write_text(LATE)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, labels.exists()) == (0, True), done.stderr

"""A job as a process of its own: ``python -m consclust_studies JOBFILE --log LOG``."""

import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from consclust.datasets.registry import load_registry
from consclust_studies.__main__ import main
from consclust_studies.job_files import JobFile
from consclust_studies.stages.prepare import PrepareJob, load

ROOT = Path(__file__).parents[1]
IRIS = PrepareJob.make("iris", load_registry(ROOT / "config/datasets.yaml")["iris"], ())


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write the file of a job that prepares iris, with changes; return its path."""
    monkeypatch.chdir(tmp_path)

    def write(**changes):
        given = {
            "kind": "prepare",
            "spec": IRIS.json_text,
            "inputs": {"raw": ()},
            "outputs": {"prepared": ("iris.npz",)},
            "title": "iris: prepared",
        }
        return JobFile(**given | changes).write()

    return write


@pytest.mark.long
def test_scikit_learn_imports_no_pandas_where_no_data_frame_is_read(write):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "consclust_studies", write(), "--log", "iris.log"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    imported = set(re.findall(r"\| +([\w.]+)$", done.stderr, flags=re.MULTILINE))
    assert "sklearn" in imported
    assert "pandas.core" not in imported
    assert load(Path("iris.npz"), IRIS.digest).shape == (150, 4, 3)


def test_a_job_says_what_it_did_on_the_terminal_and_in_its_log(write, capsys):
    assert main([str(write()), "--log", "logs/iris.log"]) == 0
    (line,) = Path("logs/iris.log").read_text().splitlines()
    assert line.startswith("iris: prepared: 150 objects, 4 features, 3 classes")
    assert line in capsys.readouterr().err


def test_fewer_clusters_of_a_restart_are_no_line_on_the_terminal(write, monkeypatch):
    def warn(path):
        warnings.warn("Number of distinct clusters (13) found smaller than n_clusters (15).", stacklevel=1)
        warnings.warn("something else", stacklevel=1)
        return "done"

    monkeypatch.setattr("consclust_studies.runner.run_job_file", warn)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert main([str(write())]) == 0
    assert [str(one.message) for one in caught] == ["something else"]


DAMAGED = {
    "no JSON": ("{", "not a readable job"),
    "no job": ("[]", "job.json: "),
    "no kind": ('{"spec": "{}", "inputs": {}, "outputs": {}}', "kind"),
    "no spec": ('{"kind": "prepare", "spec": "{}", "inputs": {}, "outputs": {}}', "recipe"),
    "a spec of something else": ('{"kind": "prepare", "spec": "{", "inputs": {}, "outputs": {}}', "not valid JSON"),
    "an unknown key": ('{"kind": "prepare", "spec": "{}", "inputs": {}, "outputs": {}, "tittel": ""}', "tittel"),
    "an unknown kind": ('{"kind": "preparing", "spec": "{}", "inputs": {}, "outputs": {}}', "preparing"),
}


@pytest.mark.parametrize(("content", "words"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_job_file_is_one_line_that_names_it(tmp_path, monkeypatch, capsys, content, words):
    monkeypatch.chdir(tmp_path)
    Path("job.json").write_text(content)
    assert main(["job.json", "--log", "a.log"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("job.json: ")
    assert words in line
    assert Path("a.log").read_text().splitlines() == [line]


def test_a_job_file_that_is_not_there_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["gone.json"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("gone.json: ")
    assert "run Snakemake again" in line


def test_a_mistake_of_the_user_is_one_line_and_a_defect_shows_where_it_is(write, capsys, monkeypatch):
    assert main([str(write(inputs={"raw": ("a.csv",)})), "--log", "a.log"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "data set iris: 1 raw files given" in line or "a.csv" in line
    monkeypatch.setattr("consclust_studies.stages.prepare.prepare", lambda *given: 1 / 0)
    assert main([str(write()), "--log", "a.log"]) == 1
    log = Path("a.log").read_text()
    assert log.startswith("division by zero\n")
    assert "in run" in log
    assert not Path("iris.npz").exists()


@pytest.mark.parametrize("arguments", [[], ["a.json", "b.json"], ["a.json", "--log"], ["a.json", "--out", "x"]])
def test_wrong_usage_is_refused_by_argparse(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: python -m consclust_studies" in capsys.readouterr().err

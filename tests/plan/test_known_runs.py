"""Which runs there are in a folder, with their settings, and what ``make status`` says of them."""

import base64
import fcntl
import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from consclust.errors import InputError
from consclust.validation import parse
from consclust_studies.config.settings import CONFIG_FILE, Settings
from consclust_studies.plan import status
from consclust_studies.plan.known_runs import (
    LOCK,
    find_differing,
    is_run_at_work,
    read_known_runs,
    store_settings,
    write_as_words,
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def settings(**changes):
    return parse(Settings, {"seed": 1, **changes}, CONFIG_FILE)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"datasets": "wine,iris", "methods": ["KC"]},
        {"subsets": 2, "subsets_per_job": 1, "variants": False},
        {"seed": 7, "data_mirror": "/somewhere", "default_study": "mine"},
    ],
)
def test_a_run_keeps_its_settings_but_for_those_of_the_machine(given):
    started = settings(**given)
    store_settings(["mine.x"], started)
    (run,) = read_known_runs()
    assert (run.name, run.study) == ("mine.x", "mine")
    assert find_differing(run.settings, started) == {}
    assert run.settings.data_mirror is None
    assert "/somewhere" not in run.file.read_text()


def test_the_file_of_a_run_overrides_every_setting_of_the_configuration():
    store_settings(["mine"], settings())
    content = json.loads(read_known_runs()[0].file.read_text())
    restricted = {"seed": 2, "datasets": "iris", "variants": True, "subsets": 3}
    assert find_differing(parse(Settings, {**restricted, **content}, "x"), settings()) == {}


def test_the_last_start_of_a_run_counts_and_each_run_has_a_file():
    store_settings(["b", "a"], settings())
    store_settings(["b"], settings(seed=2))
    assert [(run.name, run.settings.seed) for run in read_known_runs()] == [("a", 1), ("b", 2)]


def test_settings_that_differ_are_said_as_they_can_be_given():
    found = find_differing(settings(seed=3, datasets="iris,wine", variants=True), settings())
    assert write_as_words(found) == ["seed=3", "datasets=iris,wine", "variants=true"]


def test_a_damaged_file_is_one_line_with_its_name():
    store_settings(["mine"], settings())
    read_known_runs()[0].file.write_text('{"seed": -1}')
    with pytest.raises(InputError, match=r"^results/mine/run.json: seed = -1"):
        read_known_runs()


def test_a_run_is_at_work_as_long_as_it_holds_the_lock():
    assert not is_run_at_work()
    LOCK.parent.mkdir()
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert is_run_at_work()
    assert not is_run_at_work()


def test_what_a_killed_run_was_at_is_not_at_work():
    mark = status.MARKS / base64.urlsafe_b64encode(b"busy").decode()
    mark.parent.mkdir(parents=True)
    mark.touch()
    LOCK.touch()
    assert list(status.begun()) == []
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert list(status.begun()) == ["busy"]


@pytest.fixture
def shown(make_plan, monkeypatch, capsys):
    """What status prints, by run, and what Snakemake was asked; all jobs are left, and none has begun."""
    make_plan()
    CONFIG_FILE.write_text("seed: 1\n")
    asked = []

    class Everything(set):
        def __contains__(self, name):
            return True

    def left(studies, arguments):
        asked.append((list(studies), list(arguments)))
        return Everything()

    monkeypatch.setattr(status, "left", left)

    def show(*words, given=()):
        asked.clear()
        status.main(words, given)
        lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("run ")]
        return {line.split()[0]: line.split()[1:] for line in lines if not line.startswith(" ")}, asked, lines

    return show


@pytest.mark.long
def test_all_studies_are_one_question_and_started_runs_are_listed(shown):
    folder = Path("studies/other")
    folder.mkdir()
    study = yaml.safe_load(Path("studies/mine/study.yaml").read_text())
    (folder / "study.yaml").write_text(yaml.safe_dump({**study, "id": "other"}))
    store_settings(["mine"], settings())
    store_settings(["mine.datasets-iris.methods-KC"], settings(datasets="iris", methods="KC"))
    found, asked, _ = shown()
    assert [studies for studies, _ in asked] == [["mine", "other"], ["mine"]]
    assert list(found) == ["mine", "other", "mine.datasets-iris.methods-KC"]
    jobs = {run: sum(map(int, counts[:4])) for run, counts in found.items()}
    assert jobs["mine"] == jobs["other"] > jobs["mine.datasets-iris.methods-KC"] > 3
    assert asked[1][1] == ["--configfile", "results/mine.datasets-iris.methods-KC/run.json"]
    assert [*shown("mine")[0]] == ["mine", "mine.datasets-iris.methods-KC"]
    assert [*shown("mine.datasets-iris.methods-KC")[0]] == ["mine.datasets-iris.methods-KC"]


def test_a_run_of_the_whole_study_with_another_seed_is_a_line_of_its_own(shown):
    store_settings(["mine"], settings(seed=5))
    _, asked, lines = shown()
    assert len(asked) == 2
    assert lines[-1].strip() == "with seed=5"


def test_a_run_whose_study_has_changed_is_one_line(shown):
    store_settings(["mine.methods-MCLA", "gone"], settings(methods="MCLA"))
    _, asked, lines = shown()
    assert [studies for studies, _ in asked] == [["mine"]]
    first = [line.split()[0] for line in lines]
    assert {"mine", "gone:", "mine.methods-MCLA:"} <= {*first}


def test_settings_may_be_given(shown):
    found, asked, _ = shown("mine", given=["datasets=iris", "methods=KC"])
    assert [*found] == ["mine.datasets-iris.methods-KC"]
    assert asked == [(["mine"], ["--config", "datasets=iris", "methods=KC"])]


@pytest.mark.parametrize(
    ("words", "given", "said"),
    [
        (["mime"], [], ["mime", '"mine"']),
        ([], ["datasets"], ["datasets", "="]),
        ([], ["datasets=iriss"], ["--config", "iriss", '"iris"']),
        ([], ["sed=1"], ["--config", "sed", '"seed"']),
        ([], ["seed=1", "seed=2"], ["--config", "seed=1 and seed=2"]),
        (["mine"], ["subsets=9"], ["--config", "subsets = 9", "mine"]),
    ],
)
def test_a_mistake_is_one_line(shown, words, given, said):
    with pytest.raises(InputError) as caught:
        shown(*words, given=given)
    assert "\n" not in str(caught.value)
    assert all(word in str(caught.value) for word in said), caught.value


@pytest.mark.long
def test_the_command_takes_studies_and_settings():
    run = [sys.executable, "-m", "consclust_studies.plan.status"]
    helped = subprocess.run([*run, "--help"], capture_output=True, text=True, check=True)
    assert "--config" in helped.stdout

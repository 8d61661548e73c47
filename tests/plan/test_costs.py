import base64
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from consclust.datasets.registry import RawFile
from consclust.errors import InputError
from consclust_studies.config.settings import CONFIG_FILE
from consclust_studies.plan import costs, estimates, needs, status
from consclust_studies.plan.costs import Job, find_makespan, list_jobs, sum_submitted
from consclust_studies.stages.consensus import SubsetRange

ROOT = Path(__file__).parents[2]


def job(name, seconds, *after):
    return Job(name, f"{name}.log", seconds, after)


DIAMOND = [job("a", 1), job("b", 5, "a"), job("c", 2, "a"), job("d", 3, "a"), job("e", 1, "b", "c", "d")]


@pytest.mark.parametrize(("cores", "seconds"), [(1, 12), (2, 7), (3, 7)])
def test_the_longest_way_goes_first(cores, seconds):
    assert find_makespan(DIAMOND, cores) == seconds


def test_of_the_jobs_that_can_begin_the_longest_goes_first():
    assert find_makespan([job("a", 1), job("b", 1), job("c", 3)], 2) == 3


def test_a_way_is_as_long_as_all_its_jobs():
    """The way over a and b takes 7, each of the other jobs 3."""
    assert find_makespan([job("a", 2), job("b", 5, "a"), job("c", 3), job("d", 3)], 2) == 7


def test_a_job_waits_for_a_core():
    assert find_makespan([job(name, 2) for name in "abcde"], 2) == 6


def test_jobs_of_a_group_that_depend_on_each_other_are_submitted_as_one():
    data, alone = job("data", 1)._replace(group="case"), job("alone", 2)._replace(group=None)
    cases = [job(name, 4, "data")._replace(group="case") for name in "ab"]
    long = job("long", 32, "a")._replace(group=None)
    scores = job("scores", 64, "b", "long")
    assert sorted(sum_submitted([data, alone, *cases, long, scores])) == [2, 9, 32, 64]


@pytest.mark.long
@pytest.mark.parametrize(("seconds", "group"), [(60.0, "case"), (60.001, None)])
def test_fits_of_a_minute_at_most_share_a_job_of_a_cluster(make_plan, monkeypatch, seconds, group):
    monkeypatch.setattr(estimates, "estimate_fit_seconds", lambda *given: seconds)
    assert {job.group for job in make_plan().list_jobs("mine") if job.rule == "consensus"} == {group}


def test_the_jobs_of_a_run_are_those_of_the_plan_in_an_order_that_can_be_run(make_plan):
    plan = make_plan(subsets_per_job=1)
    jobs = list_jobs(plan, "mine")
    seen = set()
    for one in jobs:
        assert seen.issuperset(one.after), one.name
        seen.add(one.name)
    assert len(seen) == len(jobs)
    study = plan.runs["mine"]
    labels = {
        file for case in study.cases for run in study.runs(case) for file in plan.list_label_files("mine", case, run)
    }
    assert len(labels) == 4 * 3 * 3 - 4  # subsets, cases, methods; the pool is without SSCE
    assert labels <= seen
    for part in ("", "/variants"):
        assert set(plan.job("collect", run="mine", part=part).inputs["scores"]) <= seen
    assert jobs[-1].name in plan.list_report_files("mine")


def test_sparse_features_are_counted_by_the_bytes_of_their_files(make_plan):
    plan = make_plan()
    case = plan.studies["mine"].cases[0]
    dense = estimates.estimate_base_clusterings(plan, "mine", case).seconds
    assert dense == needs.estimate_ensembles(*plan.sized(plan.studies["mine"], case.id)).seconds
    spec = plan.registry[case.dataset]
    n, features, _ = plan.shape(case.dataset)
    for size, share in ((n * features // 10, 0.1), (n * features * 8, 1), (None, 1)):
        file = RawFile(name="text.mat", bytes=size)
        plan.registry[case.dataset] = spec.model_copy(update={"files": (file,)})
        assert estimates.estimate_base_clusterings(plan, "mine", case).seconds == pytest.approx(share * dense)


def test_measured_seconds_replace_declared_ones(make_plan, tmp_path):
    plan = make_plan(subsets_per_job=2)
    study = plan.studies["mine"]
    case, method = study.case("iris"), study.method("RCE")
    declared = estimates.estimate_fit_seconds(plan, "mine", case, method, SubsetRange(0, 1))
    folder = tmp_path / needs.ACCEPTED / "mine"
    folder.mkdir(parents=True)
    (folder / "runtime.csv").write_text("case,method,n_profiles,cpu_seconds_per_fit\niris,RCE,40,7.5\n")
    measured = make_plan(subsets_per_job=2)
    assert declared != pytest.approx(60)
    assert estimates.estimate_fit_seconds(measured, "mine", case, method, SubsetRange(0, 1)) == pytest.approx(
        2 * 4 * 7.5
    )


def test_what_is_not_measured_takes_a_share_as_on_the_same_data_or_else_on_all(make_plan, tmp_path):
    folder = tmp_path / needs.ACCEPTED / "mine"
    folder.mkdir(parents=True)
    (folder / "runtime.csv").write_text(
        "case,method,n_profiles,cpu_seconds_per_fit\niris,RCE,40,1\niris,KC,40,1\npool,RCE,40,2\n"
    )
    plan = make_plan(subsets_per_job=2)
    study = plan.studies["mine"]
    twin = study.method("RCE").model_copy(update={"id": "twin"})

    def share(case_id):
        case = study.case(case_id)
        declared = needs.estimate_consensus(study, case, plan.shape(case.dataset), twin, 0, 1).seconds
        return estimates.estimate_fit_seconds(plan, "mine", case, twin, SubsetRange(0, 1)) / declared

    measured = {case.id: share(case.id) for case in study.cases}
    assert measured["pool"] == pytest.approx(2 * measured["iris"])
    assert measured["wine"] == pytest.approx(1.5 * measured["iris"])


def test_the_state_of_a_job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(status, "is_run_at_work", lambda: True)
    for name in ("made", "failed.log", "made.log"):
        (tmp_path / name).touch()
    mark = base64.urlsafe_b64encode(b"busy").decode()
    (tmp_path / status.MARKS / f"@{mark[:4]}").mkdir(parents=True)  # a long name is divided into folders
    (tmp_path / status.MARKS / f"@{mark[:4]}" / mark[4:]).touch()
    marked = set(status.begun())
    to_make = {"failed", "left", "busy", "made"}
    found = [status.state(job(name, 1), to_make, marked) for name in ("busy", "failed", "left", "made", "other")]
    assert found == ["running", "failed", "left", "left", "done"]


def test_a_job_that_begins_while_snakemake_plans_has_not_failed(make_plan, tmp_path, monkeypatch, capsys):
    plan = make_plan()
    (tmp_path / CONFIG_FILE).write_text("seed: 1\n")
    one = next(job for job in list_jobs(plan, "mine") if "/consensus/" in job.name)

    def left(studies, arguments):
        for path in (tmp_path / one.log, status.MARKS / base64.urlsafe_b64encode(one.name.encode()).decode()):
            path.parent.mkdir(parents=True)
            path.touch()
        return {one.name}

    monkeypatch.setattr(status, "left", left)
    monkeypatch.setattr(status, "is_run_at_work", lambda: True)
    status.main(["mine"])
    heads, counts, *failed = capsys.readouterr().out.splitlines()
    assert failed == []
    assert dict(zip(heads.split()[1:5], counts.split()[1:5], strict=True))["running"] == "1"


def test_an_unknown_study_is_refused(make_plan, tmp_path):
    make_plan()
    (tmp_path / CONFIG_FILE).write_text("seed: 1\n")
    for command in (costs, status):
        with pytest.raises(InputError, match="mine"):
            command.main(["min"])


@pytest.mark.long
@pytest.mark.parametrize("module", ["costs", "status", "accepted"])
def test_help_is_shown_and_a_wrong_study_is_an_error_of_one_line(module):
    run = [sys.executable, "-m", f"consclust_studies.plan.{module}"]
    helped = subprocess.run([*run, "--help"], capture_output=True, text=True, check=True)
    assert "STUDY" in helped.stdout
    words = ["keep", "rcf"] if module == "accepted" else ["rcf"]
    refused = subprocess.run([*run, *words], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "rcf" in refused.stderr


@pytest.mark.parametrize(("seconds", "group"), [(59.999, "case"), (60.0, "case"), (60.001, None)])
def test_consensus_jobs_of_a_minute_at_most_go_with_their_case(make_plan, monkeypatch, seconds, group):
    monkeypatch.setattr(estimates, "estimate_fit_seconds", lambda *given: seconds)
    job = make_plan().job("consensus", study="mine", case="iris", method="KC", block="0-3")
    assert job.group == group
    assert job.need.seconds == seconds


def test_the_priority_of_a_job_rises_with_its_seconds_and_stays_below_that_of_what_others_wait_for():
    """Snakemake reads the function from a file that is not Python as a whole."""
    rules = (ROOT / "workflow/rules/common.smk").read_text(encoding="utf-8")
    (source,) = re.findall(r"^def longest_first.*?(?=^\S)", rules[rules.index("def longest_first") :], re.M | re.S)
    names = {"ask_job": lambda rule, function: function}
    exec(source, names)
    jobs = [SimpleNamespace(need=needs.Need(1, 1, seconds)) for seconds in (0.0, 0.5, 59.0, 60.0, 1e5)]
    priorities = [names["longest_first"]("consensus")(job) for job in jobs]
    assert priorities == sorted(set(priorities))
    assert 0 <= priorities[0] <= priorities[-1] < 1

"""A result stays where its inputs were made anew with the same content, and is computed where anything else differs."""

import os
from pathlib import Path

import numpy as np
import pytest
from mill import COMPUTED, RAW, answers, do, do_all, jobs, labels_of, make_plan, outputs, stays, write_data

from consclust.files import read_arrays, write_arrays, write_record
from consclust_studies.contents import digest_content, read_marks
from consclust_studies.job_files import JobFile
from consclust_studies.runner import PREVIOUS, find_previous, keep_results, run_job_file
from job_files_of import STAMP

pytestmark = pytest.mark.long


def contents(plan):
    return {path: digest_content(path) for job in jobs(plan) for path in outputs(job)}


def check_specs(plan, kinds=COMPUTED):
    """Every file has the spec that is planned."""
    made = {
        path: (read_marks(path), job) for job in jobs(plan, kinds) for path in outputs(job) if path.suffix != ".csv"
    }
    assert {path: marks.spec for path, (marks, _) in made.items()} == {
        path: job.spec.json_text for path, (_, job) in made.items()
    }


def test_a_run_repeated_from_the_same_files_computes_nothing(project):
    plan = make_plan()
    first = do_all(plan)
    assert {job.kind for job in jobs(plan)} == {*COMPUTED}
    assert not any(stays(said) for said in first.values())
    before = {path: path.read_bytes() for job in jobs(plan) for path in outputs(job)}
    RAW.write_bytes(RAW.read_bytes())  # as a download does
    again = do_all(plan)
    assert all(stays(said) for said in again.values())
    assert {path: path.read_bytes() for path in before} == before


def test_an_edit_of_the_data_that_changes_no_number_leaves_all_that_follows(project):
    plan = make_plan()
    do_all(plan)
    before = contents(plan)
    made_by = {path: read_marks(path) for path in before}
    write_data(digits=5)
    after = make_plan()
    said = do_all(after)
    assert [path for path, words in said.items() if not stays(words)] == ["data/prepared/toy/raw.npz"]
    assert contents(after) == before
    check_specs(after)
    for path, marks in made_by.items():
        if marks and "prepared" not in str(path):
            now = read_marks(path)
            assert now.spec != marks.spec, "the data have another spec"
            assert now.stamp == marks.stamp, "and what made the result is still who did"


def test_an_edit_of_code_that_gives_the_same_leaves_all_that_follows(project, edited):
    plan = make_plan()
    do_all(plan)
    before = contents(plan)
    edited["stages.prepare.prepare"] = 1
    after = make_plan()
    assert {job.kind for job in jobs(after)} == {*COMPUTED}
    assert all(old.spec.digest != new.spec.digest for old, new in zip(jobs(plan), jobs(after), strict=True))
    said = do_all(after)
    assert [path for path, words in said.items() if not stays(words)] == ["data/prepared/toy/raw.npz"]
    assert contents(after) == before
    check_specs(after)


def test_what_reads_other_content_is_computed_and_nothing_else(project):
    """Features four times as large have the same k-means clusterings: only what reads the features is computed."""
    do_all(make_plan())
    write_data(factor=4)
    after = make_plan()
    kinds = ["prepare", "base_clusterings", "consensus", "race", "unseen"]
    found = {job.names.get("method", job.kind): stays(do(job)) for job in jobs(after, kinds)}
    assert {name for name, stayed in found.items() if not stayed} == {"prepare", "base_clusterings", "SSCE", "unseen"}
    assert {name for name, stayed in found.items() if stayed} == {"EAC", "RCE", "DREC"}
    check_specs(after, kinds)


def test_labels_of_base_clusterings_that_changed_are_computed(project):
    plan = make_plan()
    do_all(plan)
    (ensemble,) = (job for job in jobs(plan) if job.kind == "base_clusterings")
    path = outputs(ensemble)[0]
    arrays = read_arrays(path)
    arrays["labels"] = arrays["labels"][::-1]
    write_arrays(path, **arrays)
    (eac,) = (job for job in jobs(plan) if job.names.get("method") == "EAC")
    before = answers(labels_of("EAC"))
    assert not stays(do(eac))
    assert answers(labels_of("EAC"))["labels"] != before["labels"]
    (score,) = (job for job in jobs(plan) if job.kind == "score")
    assert not stays(do(score))


@pytest.mark.parametrize(
    "change",
    [
        {"methods": [{"method": "EAC", "parameters": {"linkage": "single"}}]},
        {"methods": [{"method": "EAC", "grid": {"linkage": ["average"]}, "default": {"linkage": "average"}}]},
    ],
    ids=["parameter", "grid"],
)
def test_another_setting_computes_the_labels(project, change):
    do_all(make_plan())
    cases = {"cases": ["toy"]}
    (eac,) = (job for job in jobs(make_plan({**change, **cases})) if job.kind == "consensus")
    assert not stays(do(eac))


def test_other_code_of_the_job_itself_computes_it(project, edited):
    do_all(make_plan())
    edited["methods.eac"] = 1
    said = do_all(make_plan(), ["consensus"])
    assert [path for path, words in said.items() if not stays(words)] == [str(labels_of("EAC"))]


@pytest.mark.parametrize("damage", ["cut", "flipped bit", "gone", "no stamp", "other spec"])
@pytest.mark.parametrize("suffix", [".npz", ".runtime.json"])
def test_a_kept_result_that_is_not_whole_is_not_taken(project, damage, suffix):
    plan = make_plan({"methods": ["EAC", "LWEA"], "cases": ["toy"]})
    do_all(plan, COMPUTED[:3])
    (eac,) = (job for job in jobs(plan) if job.names.get("method") == "EAC")
    kept = PREVIOUS / labels_of("EAC").with_suffix(suffix)
    assert kept.samefile(labels_of("EAC").with_suffix(suffix)), "a second name takes no room"
    content = kept.read_bytes()
    kept.unlink()
    if damage == "cut":
        kept.write_bytes(content[: len(content) // 2])
    elif damage == "flipped bit":
        place = len(content) // 3
        kept.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    elif damage == "no stamp":
        kept.write_bytes(content.replace(b"stamp", b"stomp"))
    elif damage == "other spec":
        other = PREVIOUS / labels_of("LWEA").with_suffix(suffix)
        kept.write_bytes(other.read_bytes())
    before = answers(labels_of("EAC"))
    assert not stays(do(eac))
    assert answers(labels_of("EAC")) == before


def test_a_file_system_without_hard_links_keeps_nothing_and_loses_nothing(project, monkeypatch):
    def no_links(source, target):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("os.link", no_links)
    plan = make_plan()
    for _ in range(2):
        assert not any(stays(said) for said in do_all(plan, ["prepare", "base_clusterings"]).values())
    assert not [path for path in PREVIOUS.rglob("*") if path.is_file()]


def test_after_a_kill_no_files_of_two_runs_are_kept_together(project, monkeypatch):
    names = ("one.csv", "two.json")
    job = JobFile(kind="exhibit", spec="{}", inputs={}, outputs={name: (name,) for name in names})

    def write(number):
        Path("one.csv").write_text(str(number))
        write_record(Path("two.json"), {"spec": "{}", "stamp": STAMP.json_text, "number": number})

    write(1)
    keep_results(job)
    assert find_previous(job)
    link = os.link
    left = iter([link])

    def link_once(source, target):
        next(left, _die)(source, target)

    monkeypatch.setattr("os.link", link_once)
    write(2)
    with pytest.raises(KeyboardInterrupt):
        keep_results(job)
    assert find_previous(job) is None


def _die(*_):
    raise KeyboardInterrupt


def test_what_goes_to_a_storage_is_not_kept_here(project, tmp_path):
    path = tmp_path / "storage/a.npz"
    write_arrays(path, labels=np.arange(3))
    keep_results(JobFile(kind="prepare", spec="{}", inputs={}, outputs={"prepared": (str(path),)}))
    assert not PREVIOUS.exists()


def test_an_output_written_anew_leaves_the_kept_one_as_it_was(project):
    """They are two names of one file until then."""
    plan = make_plan()
    do_all(plan, ["prepare"])
    kept = PREVIOUS / "data/prepared/toy/raw.npz"
    before = kept.read_bytes()
    write_data(factor=2)
    (job,) = (job for job in jobs(make_plan()) if job.kind == "prepare")
    path = job.to_file(job.inputs, job.outputs).write()
    copies = []

    def look(planned):
        copies.append(kept.read_bytes())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("consclust_studies.runner.keep_results", look)
        run_job_file(path)
    assert copies == [before]
    assert Path("data/prepared/toy/raw.npz").read_bytes() != before

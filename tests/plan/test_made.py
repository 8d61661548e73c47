"""Results that other versions of packages made: counted and named, kept, and computed again on request."""

from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from consclust.files import read_record, write_arrays, write_record, write_text
from consclust_studies.contents import marks_of
from consclust_studies.kinds import KINDS
from consclust_studies.plan.made import Made
from consclust_studies.stages.score_tables import write_table
from consclust_studies.stamps import PACKAGES, Stamp, installed_versions, parse_stamp

NUMPY = version("numpy")


@pytest.fixture
def upgrade(tmp_path_factory, monkeypatch):
    """A function after which another version of scikit-learn is installed, by its metadata."""

    def upgrade(to="9.9.9"):
        folder = tmp_path_factory.mktemp("packages")
        info = folder / f"scikit_learn-{to}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: scikit-learn\nVersion: {to}\n")
        monkeypatch.syspath_prepend(folder)
        installed_versions.cache_clear()

    yield upgrade
    monkeypatch.undo()
    installed_versions.cache_clear()


def make(jobs, stamp):
    """Write something as the outputs of jobs."""
    for job in jobs:
        marks = marks_of(job.spec.json_text, stamp)
        for path in (Path(path) for paths in job.outputs.values() for path in paths):
            if path.suffix == ".npz":
                write_arrays(path, labels=np.arange(3), **marks)
            elif path.suffix == ".json":
                write_record(path, {"study": "mine", **marks})
            elif path.suffix == ".parquet":
                write_table({"value": [1.0]}, path, marks)
            else:
                write_text(path, "x")


def stamp_of_now():
    return Stamp(versions=dict(installed_versions()), inputs="0" * 16)


def jobs_with_stamps(plan):
    return [job for job in plan.list_jobs("mine") if KINDS[job.kind].keeps_results]


@pytest.fixture
def made(make_plan):
    """A plan all of whose results were made with the versions of now."""
    plan = make_plan()
    make(plan.list_jobs("mine"), stamp_of_now())
    return plan


def test_a_stamp_has_the_versions_of_all_packages_that_decide_results(upgrade):
    now = stamp_of_now().versions
    assert set(now) <= {"python", *PACKAGES}
    assert {"python", "numpy", "scipy", "scikit-learn", "numba", "pandas", "statsmodels"} <= set(now)
    assert now["numpy"] == NUMPY
    upgrade()
    assert stamp_of_now().versions == {**now, "scikit-learn": "9.9.9"}
    assert stamp_of_now().versions_digest != Stamp(versions=now, inputs="0" * 16).versions_digest
    assert parse_stamp(stamp_of_now().json_text) == stamp_of_now()


def test_versions_alone_are_in_the_digest_of_versions():
    one = Stamp(versions={"a": "1", "b": "2"}, inputs="x")
    other = Stamp(versions={"b": "2", "a": "1"}, inputs="y", note="kept")
    assert one.versions_digest == other.versions_digest


def test_nothing_is_said_where_the_versions_are_those_of_now(made):
    assert list(Made(made).describe_other_versions("mine")) == []
    assert {Made(made).find_versions(job) for job in jobs_with_stamps(made)} == {stamp_of_now().versions_digest}


def test_results_of_other_versions_are_kept_counted_and_named(made, upgrade):
    old = stamp_of_now()
    upgrade()
    first, *others = Made(made).describe_other_versions("mine")
    n = len(jobs_with_stamps(made))
    assert first.startswith(f"mine: {n} results ")
    assert "--config versions=rerun" in first
    (line,) = others
    assert line.split() == f"{n} results made with scikit-learn {old.versions['scikit-learn']} (now 9.9.9)".split()
    assert {Made(made).find_versions(job) for job in jobs_with_stamps(made)} == {old.versions_digest}


def test_results_of_several_versions_are_named_most_frequent_first(made, upgrade):
    jobs = jobs_with_stamps(made)
    now = stamp_of_now()
    older = now.model_copy(update={"versions": {**now.versions, "numpy": "1.0", "scipy": "1.0"}})
    without = {name: version for name, version in now.versions.items() if name != "pandas"}
    make(jobs[:1], now.model_copy(update={"versions": without}))
    make(jobs[1:4], older)
    first, *others = Made(made).describe_other_versions("mine")
    assert first.startswith("mine: 4 results ")
    assert [line.split()[0] for line in others] == ["3", "1"]
    assert f"numpy 1.0 (now {NUMPY}), scipy 1.0 (now " in others[0]
    assert f"pandas none (now {now.versions['pandas']})" in others[1]


def test_on_request_all_of_them_are_made_anew(made, make_plan, upgrade):
    upgrade()
    plan = make_plan(versions="rerun")
    first, *_ = Made(plan).describe_other_versions("mine")
    assert "anew" in first
    assert "versions=rerun" not in first
    assert {Made(plan).find_versions(job) for job in jobs_with_stamps(plan)} == {stamp_of_now().versions_digest}


def test_what_is_to_be_made_will_have_the_versions_of_now(made, make_plan, upgrade):
    """Results that are missing, damaged, or of another spec are computed again anyway."""
    old = stamp_of_now()
    jobs = {job.first_output: job for job in jobs_with_stamps(made)}
    upgrade()
    Path("results/ensembles/mine/iris.npz").unlink()
    path = Path("results/mine/consensus/iris/KC/0-3.npz")
    path.with_suffix(".runtime.json").write_text("{}")
    path.write_bytes(path.read_bytes()[:50])
    now = stamp_of_now().versions_digest
    found = {name: Made(made).find_versions(job) for name, job in jobs.items()}
    assert {name for name, digest in found.items() if digest == now} == {"results/ensembles/mine/iris.npz", str(path)}
    assert {*found.values()} == {now, old.versions_digest}

    other = make_plan(lambda study, _: study["methods"].__setitem__(1, {"method": "RCE", "parameters": {"n_init": 2}}))
    job = other.job("consensus", study="mine", case="wine", method="RCE", block="0-3")
    assert Made(other).find_versions(job) == now
    assert not any("RCE" in line for line in Made(other).describe_other_versions("mine"))


def test_a_result_whose_inputs_have_another_spec_is_still_of_its_versions(made, make_plan, upgrade):
    """It stays if their content is the same."""
    old = stamp_of_now()
    upgrade()
    other = make_plan(lambda study, _: study["ensemble"].update(max_iter=7))
    job = other.job("consensus", study="mine", case="wine", method="KC", block="0-3")
    assert Made(other).find_versions(job) == old.versions_digest


@pytest.mark.parametrize("code", ["rerun", "confirm"])
def test_labels_of_other_code_keep_their_versions_if_they_may_stay(made, make_plan, upgrade, monkeypatch, code):
    old = stamp_of_now()
    upgrade()
    monkeypatch.setattr("consclust_studies.plan.plan.fingerprint", lambda code: "another")
    plan = make_plan(code=code)
    labels = plan.job("consensus", study="mine", case="wine", method="KC", block="0-3")
    scores = plan.job("score", run="mine", part="", case="wine")
    now = stamp_of_now().versions_digest
    assert Made(plan).find_versions(labels) == (old.versions_digest if code == "confirm" else now)
    assert Made(plan).find_versions(scores) == now, "no sample confirms them"


def test_the_stamp_is_read_from_the_smallest_file(made):
    """A record is read in no time, labels may have gigabytes."""
    job = made.job("consensus", study="mine", case="iris", method="KC", block="0-3")
    path = Path(job.outputs["runtime"][0])
    record = read_record(path)
    stamp = stamp_of_now().model_copy(update={"versions": {"numpy": "1.0"}})
    write_record(path, {**record, "stamp": stamp.json_text})
    assert Made(made).find_versions(job) == stamp.versions_digest

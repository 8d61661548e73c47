"""A package is upgraded between two runs: what it made before stays, and the report names what made it."""

import json

import pytest
from inprocess import in_folder

from conftest import BRIEF, Project
from consclust_studies.contents import read_marks
from consclust_studies.kinds import KINDS
from consclust_studies.plan import costs
from consclust_studies.stamps import installed_versions

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def before(tmp_path_factory) -> Project:
    """A finished run of a study with few jobs; not to be changed."""
    project = Project(tmp_path_factory.mktemp("before")).set_up()
    project.study(BRIEF)
    project.run("tiny")
    return project


@pytest.fixture
def upgraded(before, tmp_path, monkeypatch) -> Project:
    """A copy of the finished run, where scikit-learn now has another version by its metadata."""
    info = tmp_path / "packages/scikit_learn-9.9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scikit-learn\nVersion: 9.9.9\n")
    monkeypatch.syspath_prepend(info.parent)
    installed_versions.cache_clear()
    assert installed_versions()["scikit-learn"] == "9.9.9"
    project = before.copy(tmp_path / "copy")
    project.env["PYTHONPATH"] = f"{info.parent}:{project.env['PYTHONPATH']}"
    yield project
    monkeypatch.undo()
    installed_versions.cache_clear()


def provenance(project):
    return json.loads((project.folder / "reports/tiny/provenance.json").read_text())


def versions_in(project):
    """The version of scikit-learn that made each file."""
    paths = [path for path in (project.folder / "results/tiny").rglob("*") if path.suffix in (".npz", ".parquet")]
    return {path.name: read_marks(path).stamp.versions["scikit-learn"] for path in paths}


def planned_results(project):
    """The jobs of the run whose results have a stamp."""
    with in_folder(project.folder):
        plan, _ = costs.load_studies(["tiny"])
        return [job for job in plan.list_jobs("tiny") if KINDS[job.kind].keeps_results]


def test_an_upgrade_makes_nothing_anew_and_the_first_lines_say_so(upgraded):
    """As a user sees it, in a process of its own."""
    old = provenance(upgraded)["versions"]["scikit-learn"]
    done = upgraded.snakemake("-n", "tiny")
    assert "Nothing to be done" in done.stdout + done.stderr
    lines = done.stderr.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("tiny: "))
    assert place < 5, "after Snakemake's own first lines"
    first, second = lines[place : place + 2]
    assert "--config versions=rerun" in first
    number = int(first.split()[1])
    assert number == len(planned_results(upgraded))
    assert f"scikit-learn {old} (now 9.9.9)" in second
    assert str(number) in second


def test_the_report_of_a_study_whose_title_changed_names_what_made_the_labels(upgraded):
    old = provenance(upgraded)
    upgraded.study({**BRIEF, "title": "Another title"})
    assert [job.kind for job in upgraded.jobs("tiny")] == ["document"]
    now = provenance(upgraded)
    assert now["versions"] == old["versions"]
    assert now["made_by"] == old["made_by"]
    assert now["report"]["versions"]["scikit-learn"] == "9.9.9"
    page = (upgraded.folder / "reports/tiny/report.html").read_text()
    assert "Another title" in page
    assert f"scikit-learn {old['versions']['scikit-learn']}" in page


def test_what_is_made_anew_has_the_version_of_now_and_the_report_has_both(upgraded):
    old = provenance(upgraded)["versions"]["scikit-learn"]
    kc = {"method": "KC", "parameters": {"n_init": 2}}
    upgraded.study({**BRIEF, "methods": ["EAC", kc]})
    made = [job.kind for job in upgraded.jobs("tiny")]
    assert made.count("consensus") == 1
    assert not {"prepare", "base_clusterings"} & set(made)
    found = provenance(upgraded)
    assert found["versions"]["scikit-learn"] == f"{old} or 9.9.9"
    by_job = {job: maker["stamp"]["versions"]["scikit-learn"] for maker in found["made_by"] for job in maker["jobs"]}
    assert by_job == {"iris: K-means": old, "iris: EAC": old, "iris: KC": "9.9.9"}
    assert upgraded.jobs("tiny") == [], "and nothing is left to be done"


def test_on_request_everything_is_made_anew(upgraded):
    made = {job.kind for job in upgraded.jobs("tiny", "--config", "versions=rerun")}
    assert {"prepare", "base_clusterings", "consensus", "score", "collect", "exhibits", "document"} == made
    assert set(versions_in(upgraded).values()) == {"9.9.9"}
    assert provenance(upgraded)["versions"]["scikit-learn"] == "9.9.9"
    assert upgraded.jobs("tiny") == []
    assert upgraded.jobs("tiny", "--config", "versions=rerun") == []
